// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What a WebSocket session promises about its output.
@Suite(.ahead)
struct WebSocketSessionSendingTests {
    @Test func `of messages marked as latest only, the newest one is sent, and again on reconnect`() async throws {
        let seen = Seen<String>()
        let mayLogIn = Gate()
        let mayEnd = Gate()
        let server = try await WebSocketServer.serving { client in
            while case .text(let text)? = try await client.receive() {
                seen.add(text)
                if text == "go" { return }
                if text == "last" { await mayEnd.wait() }
            }
        }
        let session = try server.session { _ in await mayLogIn.wait() }
        var sent: [SentMessage] = []
        for number in 1...5 { sent.append(try await session.send("a\(number)", delivery: .latest(of: "a"))) }
        let other = try await session.send("b1", delivery: .latest(of: "b"))
        try await session.send("once")
        mayLogIn.open()
        #expect(await seen.first(3) == ["a5", "b1", "once"])
        #expect(try await sent[0].outcome() == .replaced)
        #expect(try await sent[4].outcome() == .given)
        other.cancel()
        // The next connection gets the latest messages, before later ones.
        try await session.send("go")
        #expect(await seen.first(5).suffix(2) == ["go", "a5"])
        try await session.send("last")
        #expect(await seen.first(6).last == "last")
        session.end()
        mayEnd.open()
        await server.shutDown()
    }

    @Test func `a message for the current connection is refused while offline, and a late one is dropped`() async throws
    {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session { _ in await mayLogIn.wait() }
        await #expect(throws: ConnectionError.session(.notConnected)) {
            try await session.send("now", delivery: .whileConnected)
        }
        let late = try await session.send("late", timeToLive: .milliseconds(1))
        #expect(try await late.outcome() == .failed(.expired(mayHaveArrived: false)))
        let given = try await session.send("given up")
        given.cancel()
        #expect(try await given.outcome() == .failed(.cancelled(mayHaveArrived: false)))
        mayLogIn.open()
        try await session.waitUntilReady()
        #expect(try await session.send("now", delivery: .whileConnected).outcome() == .given)
        #expect(await first.seen.first(1) == ["now"])
        session.end()
        await first.server.shutDown()
    }

    @Test func `a message over a limit is refused, and the error names the limit`() async throws {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session(
            .patient { $0.outbound = OutboundLimits(byteCount: 100, messageCount: 2) }
        ) { _ in await mayLogIn.wait() }
        await #expect(throws: ConnectionError.session(.tooManyBytes(limit: 100))) {
            try await session.send([UInt8](repeating: 0, count: 87))
        }
        try await session.send([UInt8](repeating: 0, count: 58))
        try await session.send("")
        await #expect(throws: ConnectionError.session(.tooManyMessages(limit: 2))) { try await session.send("") }
        let counters = await session.outboundCounters()
        #expect((counters.messageCount, counters.byteCount) == (2, 86))
        #expect((counters.waitingMessageCount, counters.waitingByteCount) == (2, 86))
        mayLogIn.open()
        #expect(try await eventually { await session.outboundCounters() == OutboundCounters() })
        session.end()
        await first.server.shutDown()
    }

    @Test func `a cancelled wait for an outcome ends, and the message is still sent`() async throws {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session { _ in await mayLogIn.wait() }
        let sent = try await session.send("all the same")
        let waiting = Task { try await sent.outcome() }
        waiting.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await waiting.value }
        mayLogIn.open()
        #expect(await first.seen.first(1) == ["all the same"])
        session.end()
        await first.server.shutDown()
    }

    @Test func `a connection that is full gets no more, and the next one gets the rest in order`() async throws {
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let mayRead = Gate()
        /// What each connection has received.
        let numbers = Lock<[[Int]]>([])
        let ended = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            defer { ended.add(()) }
            let number = numbers.withLock { numbers in
                numbers.append([])
                return numbers.count - 1
            }
            // The client gives up the first connection in the middle of a message, and comes again. The system keeps what
            // it has taken for the first one for less than a minute.
            if number == 0 { await mayRead.wait() } else { mayRead.open() }
            while case .text(let text)? = try await client.receive() {
                numbers.withLock { $0[number].append(Int(text.prefix { $0 != " " }) ?? -1) }
            }
        }
        let session = try server.session(
            .patient {
                $0.outbound = OutboundLimits(byteCount: 64 << 20, messageCount: 2 * count)
                // The second connection, whose server reads, must not time out, however busy the machine is.
                $0.client.limits.writeTimeout = .seconds(5)
            })
        let states = session.states
        var sent: [SentMessage] = []
        for number in 0..<count { sent.append(try await session.send("\(number) \(body)")) }
        for message in sent { #expect(try await message.outcome() == .given) }
        session.end()
        _ = await ended.first(2)
        await server.shutDown(within: .seconds(500))
        // The queue of the first connection is lost: as much as may wait, and the message over the limit.
        expectNumbers(upTo: count, inRuns: numbers.withLock { $0 }, lossLimit: 128 / 16 + 2)
        #expect(await states.causes().first == .timedOut)
    }
}
