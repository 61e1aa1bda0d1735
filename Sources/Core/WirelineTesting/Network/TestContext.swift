// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineCodec
import WirelineTransport

/// The context of a client's connection, for tests that call a handler directly.
///
///     let context = try await TestContext(LobbyProtocol.self) { _ in Visitor() }
///     let reply = try await context.call { client in try enter(Cs_100(roomID: 7, name: "Ann"), client) }
///     try await context.client.expect(Sc_200(text: "welcome"))   // what the handler has sent
///
/// The context belongs to a real connection on a ``TestNetwork``, so handlers can also use rooms and close connections.
public final class TestContext<Definition: PacketProtocol, State>: Sendable {
    /// The other end of the connection, which receives what handlers send.
    public let client: TestClient<Definition>
    /// The server of the connection.
    public let server: TestServer<Definition>
    private let context: LoopValue<ClientContext<Definition, State>>

    /// The network, with its clock.
    public var network: TestNetwork { client.network }

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - definition: The protocol.
    ///   - network: The network; nil means a new one (default).
    ///   - makeState: Makes the state of the connection, on its loop.
    public init(
        _ definition: Definition.Type, on network: TestNetwork? = nil,
        state makeState: @escaping @Sendable (ServerConnection<Definition>) -> State
    ) async throws {
        let network = if let network { network } else { try TestNetwork() }
        let connections = Lock<[ServerConnection<Definition>]>.Shared([])
        let server = try await network.serve(definition) { connection in
            connections.withLock { $0.append(connection) }
            try await connection.waitUntilEnd()
        }
        client = try await network.connect(to: server, as: "the client")
        self.server = server
        guard let connection = connections.withLock({ $0.first }) else { throw ConnectionError.transport(.closed) }
        let packetServer = server.server
        context = await network.loop.run {
            LoopValue(ClientContext(connection, of: packetServer, state: makeState(connection)))
        }
    }

    /// Calls a handler, or any other code that needs the context, on the connection's loop.
    ///
    /// The call returns when the network is idle.
    ///
    /// - Parameters:
    ///   - limit: How far the clock may move until `body` returns (default: not at all).
    ///   - body: The call. It must not keep the context after it returns.
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: The error of `body`; ``TestFailure`` if `body` does not return.
    @discardableResult
    public func call<Value: Sendable>(
        within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (ClientContext<Definition, State>) async throws -> Value
    ) async throws -> Value {
        let context = context
        return try await network.run("the handler is called", within: limit, CodePlace(fileID, line)) {
            try await body(context.value)
        }
    }
}

extension TestContext where State == Void {
    /// Makes a context without a state.
    public convenience init(_ definition: Definition.Type, on network: TestNetwork? = nil) async throws {
        try await self.init(definition, on: network) { _ in }
    }
}

/// A value that only code on one loop uses, so `@unchecked Sendable` needs no lock.
private final class LoopValue<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
