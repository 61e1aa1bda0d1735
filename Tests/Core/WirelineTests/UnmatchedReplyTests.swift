// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import Wireline

/// A peer that replies without the request's sequence number: the request's error says so.
@Suite(.ahead)
struct UnmatchedReplyTests {
    /// A server that answers each heartbeat with a sequence number of its own choice.
    private func server(sending sequence: Int128) async throws -> PacketServer<GoimProtocol> {
        try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .heartbeat = received.message else { continue }
                try await client.send(HeartbeatReply(popularity: 7), header: ["Sequence": sequence])
            }
        }
    }

    /// Makes requests until one learns that a reply did not match; an earlier reply may come too late on a busy machine.
    private func error(
        of request: () async throws -> HeartbeatReply, unless isTimeout: (ConnectionError) -> Bool
    ) async throws -> ConnectionError? {
        while true {
            do {
                _ = try await request()
                return nil
            } catch let error as ConnectionError {
                if !isTimeout(error) { return error }
            }
        }
    }

    private func isUnanswered(_ error: ConnectionError) -> Bool {
        if case .unanswered = error { true } else { false }
    }

    @Test(arguments: [0, 4_000_000_000] as [Int128])
    func `a reply without its request's number is told as such, and is received`(sequence: Int128) async throws {
        let server = try await server(sending: sequence)
        let client = try await server.connect()
        var count: UInt64 = 0
        let error = try await error(
            of: {
                count += 1
                return try await client.request(Heartbeat(body: ""), timeout: .milliseconds(200))
            }, unless: isUnanswered)
        let received = UInt64(sequence)
        #expect(error == .unmatchedReply("HeartbeatReply", expected: count, received: received))
        #expect(
            error?.description
                == "the request was not answered in time: a message HeartbeatReply came without the request's "
                + "sequence number (\(received) instead of \(count))")
        guard case .heartbeatReply(let reply)? = try await client.nextMessage()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(reply.popularity == 7)
        client.close()
        await server.shutDown()
    }

    @Test func `a late reply to another request does not count as a reply without a number`() async throws {
        let server = try await GoimServer.start { client in
            guard let first = try await client.nextMessage() else { return }
            while try await client.nextMessage() != nil {
                try await client.reply(to: first, with: HeartbeatReply(popularity: 1))
            }
        }
        let client = try await server.connect()
        for _ in 0..<3 {
            do {
                _ = try await client.request(Heartbeat(body: ""), timeout: .milliseconds(50))
                Issue.record("it was answered")
            } catch {
                #expect(isUnanswered(error))
            }
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a message that came before the request does not count`() async throws {
        let server = try await GoimServer.start { client in
            try await client.send(HeartbeatReply(popularity: 1))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        #expect(try await client.nextPacket()?.id == HeartbeatReply.messageID)
        await #expect(throws: ConnectionError.unanswered(unreadByteCount: 0)) {
            _ = try await client.request(Heartbeat(body: ""), timeout: .milliseconds(1))
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a server's request says so, too`() async throws {
        let errors = Seen<ConnectionError?>()
        let server = try await GoimServer.start { client in
            var count: UInt64 = 0
            let error = try await error(
                of: {
                    count += 1
                    return try await client.connection.request(Heartbeat(body: ""), timeout: .milliseconds(200))
                }, unless: isUnanswered)
            #expect(error == .unmatchedReply("HeartbeatReply", expected: count, received: 0))
            errors.add(error)
        }
        let client = try await server.connect()
        let answering = Task {
            while let packet = try await client.nextPacket() {
                guard packet.id == Heartbeat.messageID else { continue }
                try await client.send(packet: HeartbeatReply(popularity: 1).encoded())
            }
        }
        #expect(await errors.first(1).count == 1)
        client.close()
        _ = await answering.result
        await server.shutDown()
    }

    @Test func `a session's request says so, too`() async throws {
        let server = try await server(sending: 0)
        let session = try server.session()
        let error = try await error(
            of: { try await session.request(Heartbeat(body: ""), timeout: .milliseconds(200)) },
            unless: { if case .session(.expired) = $0 { true } else { false } })
        guard case .unmatchedReply("HeartbeatReply", let expected, received: 0) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(expected > 0)
        var messages = session.messages.makeAsyncIterator()
        #expect(try await messages.next()?.packet.id == HeartbeatReply.messageID)
        session.end()
        await server.shutDown()
    }
}
