// SPDX-License-Identifier: Apache-2.0

/// Finds the clients with the most kept bytes. A search through all clients takes milliseconds. So it remembers those
/// that it
/// has found, and notes each other client that grows beyond them.
package struct LargestClients {
    /// All clients with more than ``least`` bytes, and some with exactly as many.
    private var candidates: [ClientNumber: GatewayClient] = [:]
    private var least = Int.max

    /// The clients of one search, and the most that one round closes.
    private static let count = 64
    /// With more candidates, only the ``count`` largest remain.
    private static let mostCandidates = 1_024

    package init() {}

    /// The bytes of a client have changed.
    package mutating func note(_ client: GatewayClient) {
        if client.heldByteCount >= least { candidates[client.number] = client }
    }

    /// A client was removed.
    package mutating func forget(_ client: GatewayClient) { candidates[client.number] = nil }

    /// Returns the largest clients first: enough to free `byteCount` bytes, but at most 64.
    ///
    /// - Parameter all: Returns all clients.
    package mutating func choose(
        freeing byteCount: Int, all: () -> some Sequence<GatewayClient>
    ) -> [GatewayClient] {
        candidates = candidates.filter { $1.heldByteCount >= least }
        let candidateByteCount = candidates.values.reduce(0) { $0 + $1.heldByteCount }
        if candidates.count < Self.count, candidateByteCount < byteCount {
            keep(Self.greatest(all()))
        } else if candidates.count > Self.mostCandidates {
            keep(Self.greatest(candidates.values))
        }
        var freed = 0
        return Array(
            Self.greatest(candidates.values).prefix { client in
                defer { freed += client.heldByteCount }
                return freed < byteCount
            })
    }

    private mutating func keep(_ chosen: [GatewayClient]) {
        candidates = Dictionary(uniqueKeysWithValues: chosen.map { ($0.number, $0) })
        least = chosen.count < Self.count ? 1 : chosen[Self.count - 1].heldByteCount
    }

    private static func greatest(_ clients: some Sequence<GatewayClient>) -> [GatewayClient] {
        func isBefore(_ left: GatewayClient, _ right: GatewayClient) -> Bool {
            (right.heldByteCount, left.number) < (left.heldByteCount, right.number)
        }
        var chosen: [GatewayClient] = []
        for client in clients where client.heldByteCount > 0 {
            if chosen.count == count {
                guard isBefore(client, chosen[count - 1]) else { continue }
                chosen.removeLast()
            }
            chosen.insert(client, at: chosen.firstIndex { isBefore(client, $0) } ?? chosen.endIndex)
        }
        return chosen
    }
}
