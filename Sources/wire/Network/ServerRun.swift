// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// The run of a command that serves, from the first connection to the end of the last one.
struct ServerRun {
    /// The addresses of the server.
    let addresses: [SocketAddress]
    /// The loop for timers.
    let loop: EventLoop
    let log: ConnectionLog
    /// Returns the number of open connections.
    let connectionCount: @Sendable () -> Int
    /// The listener for metrics and health checks, if there is one.
    var operations: OperationsListener?

    /// How long connections may continue after the server was asked to end.
    private static let drainTime = Duration.seconds(10)
    /// The time after which the user is told that the server waits: most connections end at once.
    private static let quietTime = Duration.milliseconds(500)

    /// Says where the server listens, and returns after Ctrl-C, when the last connection has ended.
    ///
    /// - Parameter shutDown: Shuts the server down within a time, and returns when the last connection has ended.
    func untilInterrupted(
        _ console: Console, shutDown: (_ time: Duration) async -> Void
    ) async throws(CommandError) {
        let end = Signals.takeOver()
        for address in addresses { try console.print("listening on \(address)") }
        if let operations { try console.print("metrics on http://\(operations.address)/metrics") }
        try console.flush()
        ServiceManager.notify(.ready)
        for await _ in end {}
        ServiceManager.notify(.stopping)
        await drain(shutDown)
        await operations?.shutDown()
        await log.finish()
    }

    /// Starts a listener for metrics and health checks of a server.
    static func listen(
        at endpoint: HostAndPort, watching server: PacketListener, on group: EventLoopGroup
    ) async throws(CommandError) -> OperationsListener {
        do throws(ConnectionError) {
            return try await OperationsListener.start(
                at: endpoint.host, port: endpoint.port, watching: server, on: group)
        } catch {
            throw .failure("cannot listen on \(endpoint) for metrics: \(error)")
        }
    }

    /// Shuts the server down, and prints a note if that takes long.
    private func drain(_ shutDown: (Duration) async -> Void) async {
        let timer = await loop.run {
            loop.schedule(at: .now + Self.quietTime) {
                let count = connectionCount()
                log.note(
                    "waiting for \(count) \(count == 1 ? "connection" : "connections") to end; Ctrl-C ends at once")
            }
        }
        await shutDown(Self.drainTime)
        await loop.run { loop.cancel(timer) }
    }
}

extension Option {
    /// The address for metrics and health checks.
    static let metrics = Option(
        "--metrics", value: "HOST:PORT",
        "answer HTTP requests for /metrics (Prometheus) and /health (200, or 503 while draining) at this address")
}
