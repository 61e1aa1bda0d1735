// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

extension PacketServer {
    /// Serves until the process is asked to end (SIGTERM or SIGINT), and then drains.
    ///
    ///     let server = try await PacketServer.start(at: "0.0.0.0", port: 9001, protocol: ChatProtocol.self) { … }
    ///     try await server.runUntilSignal()
    ///
    /// A second signal ends the process at once. To send clients a last message, use `ShutdownSignal.wait()` and
    /// ``shutDown(within:over:telling:header:)``.
    ///
    /// - Parameter timeout: The time limit for draining (default 10 s), as in ``shutDown(within:)``.
    /// - Returns: The signal; nil if another task has shut the server down.
    /// - Throws: ``ConnectionError/cancelled`` if the task is cancelled first, and the server continues;
    ///   ``ConnectionError/transport(_:)`` if the system has no descriptor or no thread left.
    @discardableResult
    public func runUntilSignal(
        drainingWithin timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> ShutdownSignal? {
        let signal = try await ShutdownSignal.wait(unless: waitUntilShutDown)
        if signal != nil { await shutDown(within: timeout) }
        return signal
    }
}

extension WebSocketServer {
    /// Serves until the process is asked to end (SIGTERM or SIGINT), and then drains.
    ///
    /// A second signal ends the process at once.
    ///
    /// - Parameter timeout: The time limit for draining (default 10 s), as in ``shutDown(within:over:code:reason:)``.
    /// - Returns: The signal; nil if another task has shut the server down.
    /// - Throws: ``ConnectionError/cancelled`` if the task is cancelled first, and the server continues;
    ///   ``ConnectionError/transport(_:)`` if the system has no descriptor or no thread left.
    @discardableResult
    public func runUntilSignal(
        drainingWithin timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> ShutdownSignal? {
        let signal = try await ShutdownSignal.wait(unless: waitUntilShutDown)
        if signal != nil { await shutDown(within: timeout) }
        return signal
    }
}

extension ShutdownSignal {
    /// Waits for a signal; nil if `isOver` returns first.
    fileprivate static func wait(
        unless isOver: @escaping @concurrent @Sendable () async -> Void
    ) async throws(ConnectionError) -> ShutdownSignal? {
        let result = await withTaskGroup(of: Result<ShutdownSignal?, TransportError>.self) { group in
            group.addTask {
                do throws(TransportError) {
                    return .success(try await wait())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await isOver()
                return .success(nil)
            }
            // Both end when the task is cancelled.
            defer { group.cancelAll() }
            return await group.next() ?? .success(nil)
        }
        guard !Task.isCancelled else { throw .cancelled }
        return try await ConnectionError.wrapping { () throws(TransportError) in try result.get() }
    }
}
