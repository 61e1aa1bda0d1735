// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// The limits of clients' message rates: of each client, and of each address.
final class ClientRates: Sendable {
    private let clientRate: MaximumRate?
    private let networks: Lock<NetworkRates?>
    private let hasNetworks: Bool

    /// Returns nil if nothing is limited.
    init?(_ configuration: ErlangGatewayConfiguration) {
        guard configuration.messageRate != nil || configuration.messageRatePerAddress != nil else { return nil }
        clientRate = configuration.messageRate
        networks = Lock(configuration.messageRatePerAddress.map { NetworkRates($0) })
        hasNetworks = configuration.messageRatePerAddress != nil
    }

    /// Counts a message of a client.
    ///
    /// - Parameters:
    ///   - bucket: The client's own bucket.
    ///   - network: Its address; nil for a Unix domain socket.
    /// - Returns: Zero; otherwise the time that the client must wait, and then nothing was counted.
    func take(_ bucket: inout RateBucket, of network: PeerNetwork?, at now: Duration) -> Duration {
        if let clientRate {
            let wait = bucket.wait(clientRate, at: now)
            guard wait <= .zero else { return wait }
        }
        if hasNetworks, let network {
            let wait = networks.withLock { networks in
                let wait = networks?.wait(of: network, at: now) ?? .zero
                if wait <= .zero { _ = networks?.take(of: network, at: now) }
                return wait
            }
            guard wait <= .zero else { return wait }
        }
        if let clientRate { _ = bucket.take(clientRate, at: now) }
        return .zero
    }
}
