// SPDX-License-Identifier: Apache-2.0

/// Requests that were given up and may still fail. The reply to a failed request does not say which one has failed, so a
/// late one is theirs, and not that of a younger request.
///
/// A peer answers requests that share their replies in order. So the reply to a younger one shows that an older one is not
/// answered any more.
struct GivenUpRequests {
    /// The most that are remembered of one type; the oldest are dropped.
    private static let limit = 1_024

    /// By the IDs of their replies; each line in the order in which they were sent.
    private var lines: [[UInt64]: [PendingRequest]] = [:]

    /// Adds a request that was sent.
    mutating func add(_ request: PendingRequest) {
        var line = lines.removeValue(forKey: request.replyIDs) ?? []
        let place = line.lastIndex { $0.ordinal < request.ordinal }.map { $0 + 1 } ?? 0
        line.insert(request, at: place)
        lines[request.replyIDs] = line.suffix(Self.limit)
    }

    /// A request has had its reply: older ones have none any more.
    mutating func answered(_ request: PendingRequest) {
        guard let line = lines[request.replyIDs] else { return }
        let rest = line.drop { $0.ordinal <= request.ordinal }
        guard rest.count < line.count else { return }
        lines[request.replyIDs] = rest.isEmpty ? nil : Array(rest)
    }

    /// Takes the oldest one that a message with an ID answers, if it is older than a request.
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
