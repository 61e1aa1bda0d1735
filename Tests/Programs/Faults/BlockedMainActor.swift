// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// A program that blocks its main actor for half a minute, as games do while they load.
enum BlockedMainActor {
    private static let seconds = 30

    static func look(_ look: Look) async throws {
        let server = try Child("--remember")
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: .eager,
            conventions: .beating(every: .milliseconds(100), timeout: .seconds(3)))
        let watch = Watch(session)
        try await session.waitUntilReady()
        await block()
        let count = await session.roundTrips.count
        let causes = await watch.causes
        look.checkInTime(
            causes == [] && count > seconds,
            "the main actor was blocked for \(seconds) s, in which \(count) heartbeats were answered: \(causes)")
        session.end()
    }

    @MainActor
    private static func block() {
        Thread.sleep(forTimeInterval: TimeInterval(seconds))
    }
}
