// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What a client learns from a server whose refusal does not end.
@Suite(.ahead)
struct WebSocketRefusalTests {
    /// What would travel in the refused WebSocket.
    enum Use: CaseIterable {
        case messages, packets

        func connect(to port: UInt16, within timeout: Duration) async throws {
            switch self {
            case .messages:
                let configuration = WebSocketClientConfiguration.patient { $0.dialing.connectTimeout = timeout }
                _ = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)", configuration: configuration)
            case .packets:
                var configuration = ClientConfiguration.patient
                configuration.dialing.connectTimeout = timeout
                configuration.webSocket = ClientConfiguration.WebSocketOptions()
                _ = try await PacketClient.connect(
                    to: "127.0.0.1", port: port, protocol: SceneProtocol.self, configuration: configuration)
            }
        }
    }

    static let endless = [
        // A page with endless events, a body shorter than announced, and chunks without a last one.
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent 1",
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nevent 1",
        "HTTP/1.1 302 Found\r\nLocation: ws://b/\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nevent 1\r\n",
    ]

    /// The error of connecting to a peer that sends an answer, and then does something.
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
        // This connection lets the peer continue if the client has not reached it.
        let visitor = try? RawSocket.connect(to: port)
        withExtendedLifetime(visitor) {}
        // The client may already have gone.
        _ = await peer.result
        return try #require(failure)
    }

    @Test(arguments: Use.allCases, endless)
    func `an endless body of a refusal ends at the timeout, and the error has its beginning`(
        use: Use, answer: String
    ) async throws {
        // The timeout under test. A machine that is too busy to deliver the answer in time gets a longer one.
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
    func `a body that the end of the connection cuts off is still a refusal`(use: Use, answer: String) async throws {
        let failure = try await Self.failure(use, within: .seconds(500), answer: answer) { peer in
            peer.endOutput()
            peer.drain()
        }
        try Self.expectRefusal(failure, answer)
    }

    @Test(arguments: Use.allCases, endless)
    func `a reset inside the body is still a refusal`(use: Use, answer: String) async throws {
        // A reset may overtake the answer; the next one comes later.
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
        // The body may still have been in flight.
        #expect(Array("event 1".utf8).starts(with: response.body))
    }

    // MARK: Sessions

    @Test(arguments: Use.allCases)
    func `a session whose login gets an endless refusal ends as refused`(use: Use) async throws {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        let mayEnd = Gate()
        let peer = Task {
            try await onThread {
                while !mayEnd.isOpen {
                    let peer = try listener.accept()
                    _ = try? peer.head()
                    // A late client may have gone.
                    try? peer.send(Array(Self.endless[1].utf8))
                    peer.drain()
                }
            }
        }
        // Attempts that miss it because the machine is busy are repeated.
        let timeout = Duration.milliseconds(200)
        let states: AsyncStream<SessionState>
        let session: any AnyObject
        switch use {
        case .messages:
            let messages = try WebSocketSession.start(
                to: [WebSocketURL("ws://127.0.0.1:\(port)")],
                configuration: .patient { $0.client.dialing.connectTimeout = timeout })
            (states, session) = (messages.states, messages)
        case .packets:
            var configuration = PacketSessionConfiguration.patient
            configuration.client.dialing.connectTimeout = timeout
            configuration.client.webSocket = ClientConfiguration.WebSocketOptions()
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
        #expect(end == .stopped(.refusedByHTTP(status: 401)))
        mayEnd.open()
        let visitor = try? RawSocket.connect(to: port)
        visitor?.endOutput()
        try await peer.value
    }
}
