// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineErlang
import WirelineGateway
import WirelineTransport

/// A run of `wire gateway`, from the first connection to the end.
struct GatewayRun {
    let gateway: ErlangGateway
    let operations: OperationsListener?
    let urls: [ListeningURL]
    let drainTime: Duration
    let log: ConnectionLog

    /// Starts the listener for metrics and health checks. It has its own loop, so it answers even if the others are
    /// busy.
    static func listen(
        _ endpoint: HostAndPort?, _ gateway: ErlangGateway
    ) async throws(CommandError) -> OperationsListener? {
        guard let endpoint else { return nil }
        do throws(ConnectionError) {
            return try await OperationsListener.start(
                at: endpoint.host, port: endpoint.port,
                health: {
                    await gateway.waitForLoops()
                    return .ready
                },
                ready: {
                    switch await gateway.health {
                    case .ready: .ready
                    case .noBackend: .failing("no backend")
                    case .draining: .draining
                    }
                },
                metrics: { await gateway.metrics().prometheusText() })
        } catch {
            await gateway.drain(for: .zero)
            throw .failure("cannot listen on \(endpoint) for metrics: \(error)")
        }
    }

    /// Prints where the gateway listens, and returns when it has drained. It drains after a signal, or when a process
    /// of the cluster requests it.
    ///
    /// - Parameter signal: Ends at the first signal. The signal can arrive before the call.
    func untilDrained(after signal: AsyncStream<Never>, _ console: Console) async throws(CommandError) {
        try console.print("node \(gateway.node.name) on port \(gateway.node.address.port)")
        for (url, address) in zip(urls, gateway.addresses) {
            try console.print("listening on \(url.text(at: address))")
        }
        if let operations { try console.print("metrics on http://\(operations.address)/metrics") }
        try console.print("ready")
        try console.flush()
        ServiceManager.notify(.ready)
        // This function awaits the task below before it returns.
        let drain = Task {
            for await _ in signal {}
            guard !Task.isCancelled else { return }
            ServiceManager.notify(.stopping)
            await gateway.drain(for: drainTime)
        }
        await gateway.waitUntilEnded()
        drain.cancel()
        await drain.value
        await operations?.shutDown()
        await log.finish()
    }
}
