// SPDX-License-Identifier: Apache-2.0

public import ServiceLifecycle
public import Wireline

/// A server as a service of ServiceLifecycle: it drains on a graceful shutdown.
public struct PacketService<Definition: PacketProtocol>: Service {
    private let drainTime: Duration
    private let start: @Sendable () async throws -> PacketServer<Definition>

    /// - Parameters:
    ///   - drainTime: The time limit for draining (default 10 s). ServiceLifecycle's own limit must be longer.
    ///   - start: Starts the server when the service runs.
    public init(
        drainingWithin drainTime: Duration = .seconds(10),
        start: @escaping @Sendable () async throws -> PacketServer<Definition>
    ) {
        self.drainTime = drainTime
        self.start = start
    }

    /// Starts the server, and returns when it has drained. If the task is cancelled, it closes the connections.
    public func run() async throws {
        let server = try await start()
        // It throws if the task is cancelled; then `shutDown` does not wait for connections.
        try? await gracefulShutdown()
        await server.shutDown(within: drainTime)
    }
}
