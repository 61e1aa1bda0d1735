// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// Peers that read or send slowly, which are alive, and a peer that reads no more, which is not.
enum SlowPeer {
    /// It reads ten kilobytes a second, of two megabytes, and never answers a heartbeat.
    static func lookAtReader(_ look: Look) async throws {
        let server = try Child("--read-slowly")
        var configuration = PacketSessionConfiguration.eager
        configuration.outbound.byteCount = 4 << 20
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration,
            conventions: .beating(every: .milliseconds(300), timeout: .milliseconds(1_500)))
        let watch = Watch(session)
        try await session.waitUntilReady()
        for _ in 0..<20 { try await session.send(ChangeRoom(room: String(repeating: "x", count: 100_000))) }
        // Several timeouts: nothing may happen in this time.
        try await Task.sleep(for: .seconds(8))
        let causes = await watch.causes
        look.checkInTime(causes == [], "a slow reader is not given up in 8 s of an upload of 2 MB: \(causes)")
        let stateCount = watch.states.count
        try await server.stop()
        let start = ContinuousClock.now
        await watch.end(by: .silent, behind: stateCount)
        let time = ContinuousClock.now - start
        look.check(time < .seconds(15), "it stops, and is found silent after \(time); it may take 3.3 s")
        session.end()
    }

    /// It sends a byte for each heartbeat, so that a packet takes longer than the timeout.
    static func lookAtWriter(_ look: Look) async throws {
        let body = "one byte after another"
        let packet = try Goim.Notification(body: body).encoded()
        let listener = try RawSocket.listen()
        Thread.detachNewThread {
            while let client = try? listener.accept() {
                for byte in packet {
                    guard let bytes = try? client.receive(), !bytes.isEmpty else { break }
                    try? client.send([byte])
                }
                client.drain()
            }
        }
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: try listener.port())], protocol: GoimProtocol.self,
            configuration: .eager, conventions: .beating(every: .milliseconds(100), timeout: .milliseconds(1_500)))
        let watch = Watch(session)
        let start = ContinuousClock.now
        var heard: String?
        for try await received in session.messages {
            if case .notification(let notification) = received.message { heard = notification.body }
            break
        }
        let time = ContinuousClock.now - start
        let causes = await watch.causes
        look.check(heard == body, "a packet of \(packet.count) bytes, one for each heartbeat, came whole after \(time)")
        look.checkInTime(causes == [], "it came on one connection: \(causes)")
        session.end()
    }
}
