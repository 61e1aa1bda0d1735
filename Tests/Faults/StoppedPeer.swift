// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// A peer whose process is stopped (SIGSTOP), which its system tells nobody, and goes on (SIGCONT) with all that has come
/// meanwhile on several connections.
enum StoppedPeer {
    static func look(_ findings: Findings) async throws {
        let server = try Child("--remember")
        var configuration = PacketSessionConfiguration.eager
        // Connecting goes well, for the peer's system does that; the login does not.
        configuration.loginTimeout = .milliseconds(500)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration,
            conventions: .beating(every: .milliseconds(200), timeout: .milliseconds(500))
        ) { login in _ = try await login.client.request(Authentication(body: "stopped")) }
        let watch = Watch(session)
        let rooms = (1...60).map { "\($0)" }
        var sent = try await session.move(to: rooms[..<20])
        findings.check(await sent.areConfirmed(), "a peer answers")

        var stateCount = watch.states.count
        server.send(SIGSTOP)
        let start = ContinuousClock.now
        sent += try await session.move(to: rooms[20..<40])
        stateCount = await watch.findSilence(behind: stateCount, since: start, findings, "it is stopped")
        for _ in 0..<3 { stateCount = await watch.end(by: .timedOut, behind: stateCount) }
        sent += try await session.move(to: rooms[40...])
        server.send(SIGCONT)
        findings.check(await sent.areConfirmed(), "it goes on, and every message is confirmed")
        let taken = try server.answer(to: "stopped")
        findings.check(taken == rooms.joined(separator: ","), "it has taken each message once, in order")

        session.end()
        var heard: [Int] = []
        for try await message in session.messages {
            guard case .message(let notification as Goim.Notification, _) = message else { continue }
            heard.append(Int(notification.body.dropFirst("moved to ".count)) ?? 0)
        }
        // What was sent on a connection that has been given up is lost; what is heard is heard once.
        let isOnce = zip(heard, heard.dropFirst()).allSatisfy(<)
        findings.check(isOnce && heard.count >= 20, "\(heard.count) of its own messages came, none twice")
    }
}
