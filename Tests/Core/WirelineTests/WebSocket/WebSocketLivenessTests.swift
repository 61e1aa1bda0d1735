// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// Whether the peers of WebSockets are alive.
@Suite(.ahead)
struct WebSocketLivenessTests {
    @Test func `pings are answered whatever the program does`() async throws {
        let mayEnd = Gate()
        let server = try await WebSocketServer.serving { _ in await mayEnd.wait() }
        let client = try await server.connect()
        for _ in 0..<50 {
            let roundTrip = try await client.ping(timeout: .seconds(600))
            #expect(roundTrip > .zero)
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { _ = try await client.ping(timeout: .seconds(600)) } }
            try await group.waitForAll()
        }
        mayEnd.open()
        try await client.close()
        await server.shutDown()
    }

    @Test func `a ping without an answer times out, and the connection stays open`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let hasTimedOut = Gate()
        let peer = Task {
            let peer = try await onThread { try socket.acceptWebSocket() }
            await hasTimedOut.wait()
            try await onThread {
                try peer.send(RawFrames.frame(1, [0x61]))
                peer.drain()
            }
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: .patient)
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            try await client.ping(timeout: .milliseconds(20))
        }
        let cancelled = Task { try await client.ping(timeout: .seconds(600)) }
        cancelled.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await cancelled.value }
        hasTimedOut.open()
        #expect(try await client.receive() == .text("a"))
        client.abort()
        try await peer.value
    }

    @Test func `a heartbeat finds a vanished peer, and measures a live one`() async throws {
        let socket = try RawSocket.listen()
        let port = try socket.port()
        let mayEnd = Gate()
        let peer = Task {
            let peer = try await onThread { try socket.acceptWebSocket() }
            await mayEnd.wait()
            try await onThread { peer.drain() }
        }
        let beat = HeartbeatPolicy(interval: .milliseconds(20), timeout: .milliseconds(100))
        let client = try await WebSocketClient.connect(
            to: "ws://127.0.0.1:\(port)", configuration: .patient { $0.limits.heartbeat = beat })
        await #expect(throws: ConnectionError.transport(.timedOut)) { try await client.receive() }
        mayEnd.open()
        try await peer.value

        let server = try await WebSocketServer.echo()
        let patient = HeartbeatPolicy(interval: .milliseconds(5), timeout: .seconds(600))
        let other = try await server.connect("/", .patient { $0.limits.heartbeat = patient })
        let isMeasured = try await eventually { await other.roundTrips().count >= 3 }
        #expect(isMeasured)
        try await other.close()
        await server.shutDown()
    }

    @Test func `a large upload on a slow line does not count as a vanished peer`() async throws {
        let beat = HeartbeatPolicy(interval: .milliseconds(200), timeout: .milliseconds(400))
        let byteCount = 6 << 20
        // A run in which not only the line but also the machine was slow proves nothing, and is repeated.
        for scene in 1... {
            let socket = try RawSocket.listen()
            let port = try socket.port()
            async let taking = onThread { () throws -> Int in
                let peer = try socket.acceptWebSocket()
                var count = 0
                while count < byteCount {
                    let bytes = try peer.receive(atMost: 32 << 10)
                    guard !bytes.isEmpty else { break }
                    count += bytes.count
                    Thread.sleep(forTimeInterval: 0.01)
                }
                return count
            }
            let client = try await WebSocketClient.connect(
                to: "ws://127.0.0.1:\(port)", configuration: .patient { $0.limits.heartbeat = beat })
            // The system takes most of it at once, and pings come after it.
            let sending = Task {
                for _ in 0..<6 { try await client.send([UInt8](repeating: 7, count: 1 << 20)) }
            }
            let count = try await taking
            client.abort()
            _ = await sending.result
            if count < byteCount, scene < 5 { continue }
            #expect(count >= byteCount)
            return
        }
    }

    @Test func `a peer that sends but never reads times out, and so does a sender that waits for it`() async throws {
        let ends = WebSocketEnds()
        let configuration = ends.configure {
            $0.limits.unreadByteCount = 1_000
            $0.limits.writeTimeout = .milliseconds(200)
        }
        let server = try await WebSocketServer.echo(configuration)
        let port = server.address.port
        try await onThread {
            let peer = try RawSocket.connect(to: port)
            try peer.send(RawFrames.request)
            _ = try peer.head()
            let message = RawFrames.masked(2, [UInt8](repeating: 1, count: 60_000))
            // Until the server has closed the connection.
            while (try? peer.send(message)) != nil {}
        }
        #expect(await ends.first(1) == ["\(ConnectionError.transport(.timedOut))"])
        #expect(try await eventually { server.connectionCount == 0 })
        await server.shutDown()
    }

    @Test func `a silent client times out`() async throws {
        let ends = WebSocketEnds()
        let server = try await WebSocketServer.serving(ends.configure { $0.listening.idleTimeout = .milliseconds(100) })
        {
            client in
            for try await message in client.messages { try await client.send(message) }
        }
        let client = try await server.connect()
        await #expect(throws: ConnectionError.self) { try await client.receive() }
        #expect(await ends.first(1) == ["\(ConnectionError.transport(.timedOut))"])
        await server.shutDown()
    }
}
