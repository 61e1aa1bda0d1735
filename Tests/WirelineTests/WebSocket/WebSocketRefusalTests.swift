// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What clients are told whose server refuses, and does not come to an end with that.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct WebSocketRefusalTests {
    /// What is to travel in the WebSocket that there will not be.
    enum Use: CaseIterable {
        case messages, packets

        func connect(to port: UInt16, within timeout: Duration) async throws {
            switch self {
            case .messages:
                let configuration = WebSocketClientConfiguration.patient { $0.connecting.connectTimeout = timeout }
                _ = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: configuration)
            case .packets:
                var configuration = ClientConfiguration.patient
                configuration.connectTimeout = timeout
                configuration.webSocket = WebSocketOptions()
                _ = try await PacketClient.connect(
                    to: "127.0.0.1", port: port, protocol: SceneProtocol.self, configuration: configuration)
            }
        }
    }

    static let endless = [
        // A page whose events go on, a body that stays shorter than it should be, chunks without a last one.
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent 1",
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nevent 1",
        "HTTP/1.1 302 Found\r\nLocation: ws://b/\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nevent 1\r\n",
    ]

    /// What connecting fails with where a peer answers with so many bytes, and then does something.
    private static func failure(
        _ use: Use, within timeout: Duration, answer: String, _ end: @escaping @Sendable (RawSocket) throws -> Void
    ) async throws -> ConnectionError {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        let peer = Task {
            try await onThread {
                let peer = try listener.accept()
                _ = try peer.head()
                try peer.send(Array(answer.utf8))
                try end(peer)
            }
        }
        let failure = await #expect(throws: ConnectionError.self) { try await use.connect(to: port, within: timeout) }
        // The peer waits for nobody, if nobody has come as far as it.
        let visitor = try? RawSocket.connect(to: port)
        withExtendedLifetime(visitor) {}
        // It may have found nobody any more.
        _ = await peer.result
        return try #require(failure)
    }

    @Test(arguments: Use.allCases, endless)
    func `a body that does not end leaves a refusal at the deadline, with what has come`(
        use: Use, answer: String
    ) async throws {
        // The deadline under test; a machine that is too busy to have brought the answer by then is given longer.
        var timeout = Duration.milliseconds(200)
        while true {
            let failure = try await Self.failure(use, within: timeout, answer: answer) { $0.drain() }
            if failure == .transport(.timedOut), timeout < .seconds(10) {
                timeout *= 4
                continue
            }
            try Self.expectRefusal(failure, answer)
            return
        }
    }

    @Test(arguments: Use.allCases, endless)
    func `a body that the connection's end cuts off leaves a refusal`(use: Use, answer: String) async throws {
        let failure = try await Self.failure(use, within: .seconds(500), answer: answer) { peer in
            peer.endOutput()
            peer.drain()
        }
        try Self.expectRefusal(failure, answer)
    }

    @Test(arguments: Use.allCases, endless)
    func `a reset inside the body leaves a refusal`(use: Use, answer: String) async throws {
        // A reset may overtake the answer; the next one is later.
        for delay in [0.01, 0.1, 1, 10] {
            let failure = try await Self.failure(use, within: .seconds(500), answer: answer) { peer in
                Thread.sleep(forTimeInterval: delay)
                peer.resetWhenClosed()
            }
            if failure == .transport(.reset), delay < 10 { continue }
            try Self.expectRefusal(failure, answer)
            return
        }
    }

    private static func expectRefusal(_ failure: ConnectionError, _ answer: String) throws {
        guard case .webSocket(.refused(let response)) = failure else { throw failure }
        #expect(response.status == Int(answer.dropFirst(9).prefix(3)))
        #expect((response.location == "ws://b/") == (response.status == 302))
        // The body may have been on its way.
        #expect(Array("event 1".utf8).starts(with: response.body))
    }

    // MARK: Sessions

    @Test(arguments: Use.allCases)
    func `a session whose login is refused without end knows that it is`(use: Use) async throws {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        let mayEnd = Gate()
        let peer = Task {
            try await onThread {
                while !mayEnd.isOpen {
                    let peer = try listener.accept()
                    _ = try? peer.head()
                    // A client that is late has gone.
                    try? peer.send(Array(Self.endless[1].utf8))
                    peer.drain()
                }
            }
        }
        // Attempts that miss it because the machine is busy are made again.
        let timeout = Duration.milliseconds(200)
        let states: AsyncStream<SessionState>
        let session: any AnyObject
        switch use {
        case .messages:
            let messages = try WebSocketSession.start(
                to: [WebSocketURL("ws://127.0.0.1:\(port)")],
                configuration: .patient { $0.client.connecting.connectTimeout = timeout })
            (states, session) = (messages.states, messages)
        case .packets:
            var configuration = PacketSessionConfiguration.patient
            configuration.client.connectTimeout = timeout
            configuration.client.webSocket = WebSocketOptions()
            let packets = try PacketSession.start(
                to: [ServerEndpoint("127.0.0.1", port: port)], protocol: SceneProtocol.self,
                configuration: configuration)
            (states, session) = (packets.states, packets)
        }
        var attemptCount = 0
        var end: SessionEndCause?
        for await state in states {
            if case .connecting = state { attemptCount += 1 }
            if case .ended(let cause) = state { end = cause }
            if attemptCount > 100 { break }
        }
        withExtendedLifetime(session) {}
        #expect(end == .stopped(.loginRefused))
        mayEnd.open()
        let visitor = try? RawSocket.connect(to: port)
        visitor?.endOutput()
        try await peer.value
    }
}
