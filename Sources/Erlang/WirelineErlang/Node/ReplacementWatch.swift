// SPDX-License-Identifier: Apache-2.0

/// Slows down two nodes with one name: each of them takes the other's connection for its own dead one.
///
/// Only epmd prevents two nodes with one name, and only on one host. They would replace each other for ever. But a node
/// also replaces its connection if it has restarted, or if the old connection broke unnoticed. So this counts only
/// events that a single node cannot cause:
///
/// - A life of the node is back after another one has replaced it. A single node never returns to an earlier life.
/// - The node has closed our connection, and still reports one. So it has one with another node of our name.
struct ReplacementWatch {
    /// Older events are forgotten.
    private static let memory = Duration.seconds(60)
    /// From this many replacements on, the next one is refused for some time. The first may be a restart.
    private static let freeCount = 2
    /// The most lives to remember. Two nodes have two.
    private static let creationCount = 8

    private var count = 0
    private var lastReplacement: Duration
    private var lastEnd: Duration
    /// The lives of the node that others have replaced, the latest one last.
    private var creations: [UInt32] = []
    private var isClosedByNode = false

    init(at now: Duration) { (lastReplacement, lastEnd) = (now, now) }

    /// A new connection of the node replaces the old one, in the same or another life.
    mutating func replaced(_ old: UInt32, by new: UInt32, at now: Duration) {
        guard old != new else { return }
        add(isProof: creations.contains(new), at: now)
        creations.removeAll { $0 == old }
        creations.append(old)
        if creations.count > Self.creationCount { creations.removeFirst() }
    }

    /// - Parameter isClosedByNode: Whether the node has closed the connection. Otherwise we have, or it broke.
    mutating func ended(isClosedByNode: Bool, at now: Duration) {
        self.isClosedByNode = isClosedByNode
        lastEnd = now
    }

    /// We connect to the node, and it reports that we are connected already.
    ///
    /// - Returns: Whether it is connected with another node of our name. Otherwise it has not noticed yet that our last
    ///   connection ended.
    mutating func noteReportedConnection(at now: Duration) -> Bool {
        if isClosedByNode { add(isProof: true, at: now) }
        return isClosedByNode
    }

    private mutating func add(isProof: Bool, at now: Duration) {
        if now >= lastReplacement + Self.memory { (count, creations) = (0, []) }
        count = isProof ? count + 1 : max(count, 1)
        lastReplacement = now
    }

    /// The time until which replacements are refused; nil: now they are allowed. The second replacement causes a second
    /// of
    /// refusal, and each later one twice as much, up to a minute.
    func refusal(at now: Duration) -> Duration? {
        guard count >= Self.freeCount, now < lastReplacement + Self.memory else { return nil }
        let end = lastReplacement + min(.seconds(1) * (1 << min(count - Self.freeCount, 6)), Self.memory)
        return now < end ? end : nil
    }

    /// Whether all events are too old to matter.
    func isOver(at now: Duration) -> Bool { now >= max(lastReplacement, lastEnd) + Self.memory }
}
