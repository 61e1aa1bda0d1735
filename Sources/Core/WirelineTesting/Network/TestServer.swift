// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A server on a ``TestNetwork``.
public struct TestServer<Definition: PacketProtocol>: Sendable {
    /// The server, as a program has it.
    ///
    /// Calls of it that wait need a clock that moves: `try await network.run(within:) { await server.server.… }`.
    public let server: PacketServer<Definition>
    /// The network.
    public let network: TestNetwork
    private let endList: Lock<[(any Error)?]>.Shared

    init(_ server: PacketServer<Definition>, on network: TestNetwork, ends: Lock<[(any Error)?]>.Shared) {
        self.server = server
        self.network = network
        endList = ends
    }

    /// The server's address.
    public var address: SocketAddress { server.address }

    /// The server's endpoint, for sessions.
    public var endpoint: ServerEndpoint { ServerEndpoint(address.ipAddress, port: address.port) }

    /// How connections have ended, oldest first: the error of the handler or of the connection, or nil for a clean end.
    public var ends: [(any Error)?] { endList.withLock { $0 } }

    /// The number of connections that have not ended yet.
    public var connectionCount: Int { server.connections.count }

    /// Drains all connections, and closes those that remain when the time limit has passed.
    ///
    /// - Parameters:
    ///   - timeout: The time limit, on the network's clock (default 10 s).
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    public func shutDown(
        within timeout: Duration = .seconds(10), fileID: String = #fileID, line: Int = #line
    ) async throws {
        let server = server
        try await network.run("the server shuts down", within: timeout + .seconds(1), CodePlace(fileID, line)) {
            await server.shutDown(within: timeout)
        }
    }

    /// Sends a message to each client, drains all connections, and closes those that remain when the time limit has
    /// passed.
    public func shutDown<Message: ServerMessage>(
        within timeout: Duration = .seconds(10), telling farewell: Message, header: PacketHeader = [:],
        fileID: String = #fileID, line: Int = #line
    ) async throws where Message.Definition == Definition {
        let server = server
        try await network.run("the server shuts down", within: timeout + .seconds(1), CodePlace(fileID, line)) {
            try await server.shutDown(within: timeout, telling: farewell, header: header)
        }
    }
}
