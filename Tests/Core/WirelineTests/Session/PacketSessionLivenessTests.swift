// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import WirelineTesting
import WirelineTransport

@testable import Wireline

/// How a session finds out that its server is alive: heartbeats, questions, and a server's message at the end.
@Suite(.ahead)
struct PacketSessionLivenessTests {
    @Test func `heartbeats are sent and answered while the main thread is blocked`() async throws {
        let beats = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .heartbeat = received.message else { continue }
                beats.add(try received.header["Sequence"])
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(20), timeout: .seconds(500)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try server.session(conventions: conventions)
        try await session.waitUntilReady()
        await MainActor.run { beats.block(until: 10) }
        #expect(await beats.first(3) == [1, 2, 3])
        #expect(try await eventually { await session.roundTrips.count > 0 })
        let roundTrips = await session.roundTrips
        #expect(roundTrips.minimum > .zero && roundTrips.minimum <= roundTrips.smoothed * 2)
        session.end()
        for try await received in session.messages { Issue.record("\(received)") }
        await server.shutDown()
    }

    @Test func `a silent server is given up, and the session reconnects`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            // Reads, and sends nothing.
            while try await client.nextPacket() != nil {}
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .seconds(10), timeout: .seconds(50)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try server.session(conventions: conventions)
        // At most 60 s, and 50 ms to reconnect.
        let causes = try await network.run(within: .seconds(181)) {
            await session.states.causes(3) { session.end() }
        }
        #expect(causes.prefix(3) == [.silent, .silent, .silent])
        #expect(network.time >= .seconds(150))
    }

    @Test func `a hurry finds a dead connection within seconds`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            try await client.send(Notification(body: "the last word"))
            while try await client.nextPacket() != nil {}
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(HeartbeatPolicy(interval: .seconds(300)), answeredBy: HeartbeatReply.self) {
            Heartbeat(body: "")
        }
        let session = try server.session(conventions: conventions)
        try await network.run { try await session.waitUntilReady() }
        // What has arrived before says nothing about the time after.
        await network.advance(by: .seconds(1))
        session.hurry()
        let causes = try await network.run(within: .seconds(4)) { await session.states.causes(1) { session.end() } }
        #expect(causes.first == .silent)
        #expect(network.time >= .seconds(4))
    }

    @Test func `an unanswered heartbeat of an ended connection is checked once, and not again`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in _ = try await client.nextPacket() }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .seconds(10), timeout: .seconds(200)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        var configuration = PacketSessionConfiguration.patient
        // Nothing else wakes the session for a long time.
        configuration.reconnect = ReconnectPolicy(baseDelay: .seconds(10_000), maximumDelay: .seconds(10_000))
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, on: network.loops, configuration: configuration,
            conventions: conventions)
        try await network.run(within: .seconds(11)) { for await case .waiting in session.states { break } }
        await network.advance(by: .seconds(200))
        #expect(await session.driver.loop.run { session.driver.nextCheck == nil })
    }

    @Test func `a server's reason for ending the connection ends the session`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            try await client.send(Notification(body: "you have logged in elsewhere"))
            while try await client.nextPacket() != nil {}
        }
        var conventions = SessionConventions<GoimProtocol>()
        let notice = KickNotice(reason: 4, advice: .stop)
        conventions.end(Notification.self) { $0.body.contains("elsewhere") ? notice : nil }
        let session = try server.session(conventions: conventions)
        // The message itself says more than its number.
        let bodies = Seen<String>()
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.kicked(notice)))) {
            try await network.run {
                for try await received in session.messages {
                    guard case .notification(let notification) = received.message else { continue }
                    bodies.add(notification.body)
                }
            }
        }
        #expect(bodies.count == 1)
        #expect(await bodies.first(1) == ["you have logged in elsewhere"])
    }

    @Test func `a server's reason for refusing a login ends the session too`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            _ = try await client.nextPacket()
            try await client.send(Notification(body: "full"))
        }
        var conventions = SessionConventions<GoimProtocol>()
        let notice = KickNotice(reason: 9, advice: .stop)
        conventions.end(Notification.self) { _ in notice }
        let session = try server.session(conventions: conventions) { login in
            _ = try await login.client.request(Authentication(body: ""))
        }
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.kicked(notice)))) {
            try await network.run { try await session.waitUntilReady() }
        }
    }

    @Test func `a server's question is answered on the loop, with its sequence number`() async throws {
        let answers = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            try await client.send(Notification(body: "are you there?"), header: ["Sequence": 77])
            while let received = try await client.nextMessage() { answers.add(try received.header["Sequence"]) }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.answer(Notification.self) { Heartbeat(body: $0.body) }
        let session = try server.session(conventions: conventions)
        await MainActor.run { answers.block(until: 1) }
        #expect(await answers.first(1) == [77])
        session.end()
        await server.shutDown()
    }

    @Test func `a busy session still sends heartbeats if it needs a confirmation`() async throws {
        let network = try TestNetwork()
        network.latency = .milliseconds(1)
        let server = try await network.serve(GoimProtocol.self) { client in
            // Each answer causes the next question.
            try await client.send(Notification(body: ""))
            while let received = try await client.nextMessage() {
                switch received.message {
                case .heartbeat:
                    try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
                case .subscribe: try await client.send(Notification(body: ""))
                default: break
                }
            }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(500), timeout: .seconds(500), rhythm: .whenQuiet),
            answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        conventions.answer(Notification.self) { _ in Subscribe(operations: "") }
        let session = try server.session(conventions: conventions)
        let outcome = try await network.run(within: .seconds(2)) {
            try await session.send(ChangeRoom(room: "1"), delivery: .exactlyOnce).outcome()
        }
        #expect(outcome == .confirmed)
    }

    @Test func `a server that asks many questions gets every answer, in order`() async throws {
        // As much as the system takes in one direction while nothing reads the other.
        let count = 2_000
        let body = String(repeating: "x", count: 1_024)
        let answers = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            for number in 1...count {
                try await client.send(Notification(body: body), header: ["Sequence": Int128(number)])
            }
            while let received = try await client.nextMessage() { answers.add(try received.header["Sequence"]) }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.answer(Notification.self) { Heartbeat(body: $0.body) }
        let session = try server.session(conventions: conventions)
        #expect(await answers.first(count) == (1...count).map { Int128($0) })
        session.end()
        await server.shutDown()
    }
}
