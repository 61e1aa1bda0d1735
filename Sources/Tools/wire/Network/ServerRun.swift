// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// The run of a command that serves, from the first connection to the end of the last one.
struct ServerRun {
    let addresses: [SocketAddress]
    let loop: EventLoop
    let log: ConnectionLog
    let connectionCount: @Sendable () -> Int
    var operations: OperationsListener?

    /// The time that connections have to end after the signal.
    private static let drainTime = Duration.seconds(10)
    /// A note says that the server waits for connections if they need more than this time. Most end at once.
    private static let quietTime = Duration.milliseconds(500)

    /// Prints where the server listens. Returns when, after Ctrl-C, the last connection has ended.
    ///
    /// - Parameter shutDown: Shuts the server down within a time. It returns when the last connection has ended.
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

    /// Shuts the server down, and prints a note if that takes longer than ``quietTime``.
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
    static let metrics = Option(
        "--metrics", value: "HOST:PORT",
        "answer HTTP requests for /metrics (Prometheus) and /health (200, or 503 while draining) at this address")
}
