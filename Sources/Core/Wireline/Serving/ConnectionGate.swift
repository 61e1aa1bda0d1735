// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Limits a server's connections: their number, those of each address, and how fast they come. Servers that have one
/// gate share its limits.
package final class ConnectionGate: Sendable {
    private struct State {
        var limiter: ConnectionLimiter
        var rates: ConnectionRateLimiter
        var count = 0
    }

    private let state: Lock<State>
    private let limit: Int

    /// - Parameters:
    ///   - options: The limits on addresses and on rates.
    ///   - limit: The most connections; further ones are refused (default: they wait, as
    ///     ``ListeningOptions/connectionLimit`` says).
    package init(_ options: ListeningOptions, limit: Int = .max) {
        self.limit = limit
        state = Lock(
            State(
                limiter: ConnectionLimiter(limit: options.connectionLimitPerAddress),
                rates: ConnectionRateLimiter(
                    total: options.connectionRate, perNetwork: options.connectionRatePerAddress)))
    }

    /// Counts a connection, unless a limit is reached.
    ///
    /// - Returns: The refusal; nil: the connection may stay. Call ``ended(from:)`` only for these.
    func admit(from peer: SocketAddress, at now: MonotonicTime) -> Refusal? {
        let network = PeerNetwork(peer)
        return state.withLock { state in
            guard state.count < limit else { return Refusal(reason: .limit, error: .tooManyConnections(limit: limit)) }
            switch state.rates.admit(from: network, at: now.sinceOrigin) {
            case .network(let rate): return Refusal(reason: .addressRate, error: .tooManyNewConnections(rate))
            case .total(let rate): return Refusal(reason: .rate, error: .tooManyNewConnections(rate))
            case nil: break
            }
            if let network, !state.limiter.admit(from: network) {
                return Refusal(reason: .addressLimit, error: .tooManyConnections(limit: state.limiter.limit ?? 0))
            }
            state.count += 1
            return nil
        }
    }

    func ended(from peer: SocketAddress) {
        let network = PeerNetwork(peer)
        state.withLock { state in
            state.count -= 1
            if let network { state.limiter.ended(from: network) }
        }
    }

    struct Refusal {
        let reason: ServerCounters.RefusalReason
        let error: ConnectionError
    }
}

extension PeerNetwork {
    /// Makes the network of an address; nil for a Unix domain socket.
    package init?(_ address: SocketAddress) {
        let bytes = address.bytes
        switch address.addressFamily {
        case .ipv4: self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case .ipv6:
            let halves = [bytes[..<8], bytes[8...]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
            self.init(ipv6: halves[0], halves[1])
        case nil: return nil
        }
    }
}
