// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Goim
import TestingSupport
import Wireline

/// A peer whose process is stopped (SIGSTOP), which its system does not report. It continues (SIGCONT) with everything
/// that has arrived meanwhile on several connections.
enum StoppedPeer {
    static func look(_ findings: Findings) async throws {
        let server = try Child("--remember")
        var configuration = PacketSessionConfiguration.eager
        // Connecting succeeds, because the peer's system does it; the login does not.
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
        try await server.stop()
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
        for try await received in session.messages {
            guard case .notification(let notification) = received.message else { continue }
            heard.append(Int(notification.body.dropFirst("moved to ".count)) ?? 0)
        }
        // Messages on a connection that was given up are lost; a message that arrives does so once.
        let isOnce = zip(heard, heard.dropFirst()).allSatisfy(<)
        findings.check(isOnce && heard.count >= 20, "\(heard.count) of its own messages came, none twice")
    }

    /// A peer that is stopped and then killed: its system has acknowledged bytes that the peer never read.
    static func lookAtKill(_ findings: Findings) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let relay = try await relay(to: server.address.port, at: 0)
        let session = try PacketSession.start(
            to: [relay.endpoint], protocol: GoimProtocol.self, configuration: .eager
        ) { login in _ = try await login.client.request(Authentication(body: "killed")) }
        let rooms = (1...40).map { "\($0)" }
        var sent = try await session.move(to: rooms[..<20])
        findings.check(await sent.areConfirmed(), "another peer answers")
        let before = await session.counters().sentByteCount
        try await relay.stop()
        sent += try await session.move(to: rooms[20...])
        var byteCount = 0
        for room in rooms[20...] { byteCount += try ChangeRoom(room: room).encoded().count }
        var once: [SentMessage] = []
        for _ in 0..<5 {
            let message = ChangeRoom(room: "nowhere")
            byteCount += try message.encoded().count
            once.append(
                try await session.send(
                    message, delivery: .atMostOnce, confirmedBy: .reply(id: ChangeRoomReply.messageID)))
        }
        // The peer's system takes all of it, and acknowledges it at once, because it is on this machine. What is not
        // sent yet goes to the next relay, and is confirmed.
        let hasLeft = try await eventually(within: .seconds(60)) {
            await session.counters().sentByteCount == before + byteCount
        }
        relay.send(SIGKILL)
        await relay.waitUntilExit()
        let next = try await self.relay(to: server.address.port, at: relay.port)
        let areConfirmed = await sent.areConfirmed()
        let taken = remembering.rooms(of: "killed")
        findings.check(
            hasLeft && areConfirmed && taken == rooms,
            "it is stopped and killed: what its system had acknowledged unread was sent again, and taken once")
        var areLost = true
        for message in once {
            do {
                areLost = try await message.outcome() == .failed(.lost(mayHaveArrived: true)) && areLost
            } catch {
                areLost = false
            }
        }
        findings.check(areLost, "of messages that are sent once nobody says that they have arrived")
        session.end()
        next.send(SIGKILL)
        await next.waitUntilExit()
        await server.shutDown()
    }

    private static func relay(to server: UInt16, at port: UInt16) async throws -> Child {
        try await onThread { try Child("--relay", "\(server)", "\(port)") }
    }
}
