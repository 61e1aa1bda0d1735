// SPDX-License-Identifier: Apache-2.0

/// Requests that were given up and may still fail. The reply to a failed request does not name its request. So a late
/// failed reply belongs to such a request, and not to a younger one.
///
/// A peer answers requests that share their replies in order. So the reply to a younger request shows that the older
/// ones will not be answered.
struct AbandonedRequests {
    /// The most requests of one type; the oldest are dropped.
    private static let limit = 1_024

    /// The requests by the IDs of their replies, each list in the order of sending.
    private var lines: [[UInt64]: [PendingRequest]] = [:]

    mutating func add(_ request: PendingRequest) {
        var line = lines.removeValue(forKey: request.replyIDs) ?? []
        let place = line.lastIndex { $0.ordinal < request.ordinal }.map { $0 + 1 } ?? 0
        line.insert(request, at: place)
        lines[request.replyIDs] = line.suffix(Self.limit)
    }

    /// Forgets requests that are older than one with a reply.
    mutating func answered(_ request: PendingRequest) {
        guard let line = lines[request.replyIDs] else { return }
        let rest = line.drop { $0.ordinal <= request.ordinal }
        guard rest.count < line.count else { return }
        lines[request.replyIDs] = rest.isEmpty ? nil : Array(rest)
    }

    /// Takes the oldest request that a message with this ID may answer, if it is older than `request`.
    mutating func takeOldest(answeredBy id: UInt64, before request: PendingRequest?) -> PendingRequest? {
        let first = lines.values.compactMap(\.first).filter { $0.replyIDs.contains(id) }
        guard let oldest = first.min(by: { $0.ordinal < $1.ordinal }),
            request.map({ oldest.ordinal < $0.ordinal }) ?? true
        else { return nil }
        let rest = lines[oldest.replyIDs]?.dropFirst() ?? []
        lines[oldest.replyIDs] = rest.isEmpty ? nil : Array(rest)
        return oldest
    }

    mutating func removeAll() { lines = [:] }
}
