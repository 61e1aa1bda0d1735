// SPDX-License-Identifier: Apache-2.0

/// The connections in memory that wait to be accepted at an address. Use it only on the loop.
final class MemoryBacklog {
    let address: SocketAddress
    private let network: MemoryNetwork
    private let limit: Int
    private var waiting = Queue<MemorySocket>()
    /// The listener; nil before it accepts.
    private var target: PollTarget?
    var onNetworkEnd: (() -> Void)?

    init(at address: SocketAddress, on network: MemoryNetwork, limit: Int) {
        self.address = address
        self.network = network
        self.limit = limit
    }

    var hasRoom: Bool { waiting.count < max(1, limit) }

    var hasWaiting: Bool { !waiting.isEmpty }

    func watch(by target: PollTarget) {
        self.target = target
        report()
    }

    func unwatch() { target = nil }

    func add(_ socket: MemorySocket) {
        waiting.append(socket)
        report()
    }

    private func report() {
        guard !waiting.isEmpty, let target else { return }
        network.loop.continueLater { target.becameReady(.readable) }
    }

    /// Takes the connection that has waited longest.
    func accept() -> MemorySocket? { waiting.popFirst() }

    /// Stops listening, and resets the connections that wait.
    func close() {
        network.stopListening(at: address)
        unwatch()
        onNetworkEnd = nil
        while let socket = waiting.popFirst() { socket.reset() }
    }

    func networkEnded() { onNetworkEnd?() }
}
