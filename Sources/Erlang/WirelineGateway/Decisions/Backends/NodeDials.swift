// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Decides when to reconnect to nodes: after 0.1 s, and twice as long after each failed attempt, up to 5 s. A
/// connection
/// that ends within 5 s counts as a failed attempt.
///
/// Half of each delay is random, so that gateways that lost a node together do not reconnect together.
package struct NodeDials {
    private enum Link {
        case connecting(attempt: Int)
        case up(attempt: Int, since: Duration)
        case waiting(attempt: Int, until: Duration)
    }

    private static let shortestDelay = Duration.milliseconds(100)
    private static let longestDelay = Duration.seconds(5)
    /// After this many doublings, the delay stays at its maximum.
    private static let doublingCount = 6

    private var links: [ErlangNodeName: Link] = [:] { didSet { deadline = earliestTime } }
    private var random: UInt64
    /// The next time for a connection attempt; nil: none is due.
    package private(set) var deadline: Duration?

    package init(_ nodes: [ErlangNodeName], seed: UInt64) {
        random = seed
        for node in nodes { links[node] = .waiting(attempt: 0, until: .zero) }
        deadline = earliestTime
    }

    private var earliestTime: Duration? {
        links.values.compactMap { if case .waiting(_, let time) = $0 { time } else { nil } }.min()
    }

    /// Takes the nodes to connect to now.
    package mutating func takeDue(at now: Duration) -> [ErlangNodeName] {
        guard let deadline, deadline <= now else { return [] }
        var due: [ErlangNodeName] = []
        for (node, link) in links {
            guard case .waiting(let attempt, let time) = link, time <= now else { continue }
            links[node] = .connecting(attempt: attempt)
            due.append(node)
        }
        return due.sorted()
    }

    package mutating func nodeUp(_ node: ErlangNodeName, at now: Duration) {
        switch links[node] {
        case .connecting(let attempt), .waiting(let attempt, _): links[node] = .up(attempt: attempt, since: now)
        case .up, nil: return
        }
    }

    package mutating func nodeDown(_ node: ErlangNodeName, at now: Duration) {
        switch links[node] {
        case .connecting(let attempt): wait(node, attempt: attempt + 1, at: now)
        // A connection that ends soon counts as a failed attempt.
        case .up(let attempt, let since):
            wait(node, attempt: now - since < Self.longestDelay ? attempt + 1 : 0, at: now)
        case .waiting, nil: return
        }
    }

    private mutating func wait(_ node: ErlangNodeName, attempt: Int, at now: Duration) {
        let delay = min(Self.longestDelay, Self.shortestDelay * (1 << min(attempt, Self.doublingCount)))
        let chance = Double(nextRandom() >> 11) / Double(1 << 53)
        links[node] = .waiting(attempt: attempt, until: now + max(Self.shortestDelay, delay * (0.5 + chance / 2)))
    }

    /// SplitMix64, which is enough for a delay.
    private mutating func nextRandom() -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var mixed = random
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
