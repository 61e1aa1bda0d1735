// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// The owner of a WebSocket without packets is told of a reset, whatever it does: as `ResetTests`, for `WebSocketServer` and
/// `WebSocketClient`.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct WebSocketResetTests {
    /// What the owner of a WebSocket does when the reset comes.
    enum Occupation: CaseIterable {
        case receives
        /// It waits for the end, and has nothing to read.
        case waits
        /// It waits for the end while so much is unread that nothing more is read.
        case leavesUnread
        /// It waits to send, because the peer reads nothing.
        case sends

        func outcome(of socket: some WebSocketEndpoint) async throws -> Told {
            switch self {
            case .receives, .sends:
                do throws(ConnectionError) {
                    if self == .sends { while true { try await socket.send(WebSocketResetTests.message) } }
                    while try await socket.receive() != nil {}
                } catch {
                    return .error(error)
                }
                throw Unnoticed()
            case .waits, .leavesUnread: return .end(try await socket.waitUntilEnd().cause)
            }
        }

        /// What it is told of a reset.
        var expected: Told { self == .waits || self == .leavesUnread ? .end(.cut) : .error(.transport(.reset)) }

        /// What its peer does meanwhile.
        func oppose(_ socket: some WebSocketEndpoint) async throws {
            guard self == .leavesUnread else {
                _ = try await socket.waitUntilEnd()
                return
            }
            while true { try await socket.send(WebSocketResetTests.message) }
        }
    }

    /// What an owner is told.
    enum Told: Equatable {
        case error(ConnectionError)
        case end(WebSocketEnd.Cause)
    }

    /// The end was told without an error.
    private struct Unnoticed: Error {}

    private static let message = [UInt8](repeating: 7, count: 60_000)

    private static func limit(_ limits: inout WebSocketLimits) {
        limits.unreadByteCount = 1_000
        limits.frames.outputLimit = 100_000
    }

    /// Lets both ends do what they do until nothing moves, resets the line, and returns what both owners are told.
    private static func outcomes<ServerOutcome: Sendable, ClientOutcome: Sendable>(
        isSecure: Bool, _ occupation: Occupation,
        server occupied: @escaping @Sendable (WebSocketServerConnection) async throws -> ServerOutcome,
        client occupiedClient: @escaping @Sendable (WebSocketClient) async throws -> ClientOutcome
    ) async throws -> (server: Result<ServerOutcome, any Error>, client: Result<ClientOutcome, any Error>) {
        let (sockets, results) = (Seen<WebSocketServerConnection>(), Seen<Result<ServerOutcome, any Error>>())
        let server = try await WebSocketServer.serving(
            .patient {
                Self.limit(&$0.limits)
                if isSecure { $0.listening.tls = try? LocalTLS.contexts.get().server }
            }
        ) { socket in
            sockets.add(socket)
            do { results.add(.success(try await occupied(socket))) } catch { results.add(.failure(error)) }
        }
        let line = try ResettableLine(to: server.address.port)
        let client = try await WebSocketClient.connect(
            to: isSecure ? "wss://localhost:\(line.port)/" : "ws://127.0.0.1:\(line.port)/",
            on: ConnectionPair.group.get(),
            configuration: .patient {
                Self.limit(&$0.limits)
                if isSecure { $0.dialing.tls = try? LocalTLS.contexts.get().client }
            })
        async let clientOutcome = Self.result { try await occupiedClient(client) }
        let socket = await sockets.first(1)[0]
        if occupation == .sends || occupation == .leavesUnread {
            let sent = Lock(-1)
            #expect(
                try await eventually {
                    let counters = [await socket.counters(), await client.counters()]
                    let count = counters.reduce(0) { $0 + $1.sentByteCount }
                    // What the systems buffer still moves between two looks.
                    let last = sent.withLock { last in
                        defer { last = count }
                        return last
                    }
                    return count == last && counters.contains { $0.waitingSenderCount > 0 }
                })
        }
        line.reset()
        let outcome = (server: await results.first(1)[0], client: await clientOutcome)
        await server.shutDown()
        return outcome
    }

    private static func result<Value: Sendable>(
        _ body: () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    @Test(arguments: [false, true], Occupation.allCases)
    func `a reset is told to a server's handler`(isSecure: Bool, occupation: Occupation) async throws {
        let outcome = try await Self.outcomes(
            isSecure: isSecure, occupation, server: { try await occupation.outcome(of: $0) },
            client: { try await occupation.oppose($0) })
        #expect(try outcome.server.get() == occupation.expected)
    }

    @Test(arguments: [false, true], Occupation.allCases)
    func `a reset is told to a client`(isSecure: Bool, occupation: Occupation) async throws {
        let outcome = try await Self.outcomes(
            isSecure: isSecure, occupation, server: { try await occupation.oppose($0) },
            client: { try await occupation.outcome(of: $0) })
        #expect(try outcome.client.get() == occupation.expected)
    }
}
