// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// Decides which connections a server takes: by the connections that their addresses have, and by how fast they come.
struct ConnectionGate {
    private var limiter: ConnectionLimiter
    private var rates: ConnectionRateLimiter

    init(_ options: ListeningOptions) {
        limiter = ConnectionLimiter(limit: options.connectionLimitPerAddress)
        rates = ConnectionRateLimiter(total: options.connectionRate, perNetwork: options.connectionRatePerAddress)
    }

    /// Counts a connection, unless a limit is reached.
    ///
    /// - Returns: Why it is refused; nil: it may stay. Call ``ended(from:)`` only for these.
    mutating func admit(from peer: SocketAddress, at now: MonotonicTime) -> Refusal? {
        let network = PeerNetwork(peer)
        switch rates.admit(from: network, at: now.sinceOrigin) {
        case .network(let rate): return Refusal(reason: .addressRate, error: .tooManyNewConnections(rate))
        case .total(let rate): return Refusal(reason: .rate, error: .tooManyNewConnections(rate))
        case nil: break
        }
        guard let network, !limiter.admit(from: network) else { return nil }
        return Refusal(reason: .addressLimit, error: .tooManyConnections(limit: limiter.limit ?? 0))
    }

    /// Stops counting a connection.
    mutating func ended(from peer: SocketAddress) {
        if let network = PeerNetwork(peer) { limiter.ended(from: network) }
    }

    /// Why a connection is refused, and the error that is reported.
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
