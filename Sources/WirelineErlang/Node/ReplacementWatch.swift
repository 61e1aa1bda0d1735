// SPDX-License-Identifier: Apache-2.0

/// Slows down two nodes of one name, each of which takes the other's connection for its own dead one.
///
/// Nothing but epmd prevents two nodes of one name, and only on one host: they would replace each other for ever. But a
/// node also replaces its connection if it has restarted, or if its old one broke and we have not noticed. So only what two
/// nodes alone explain is counted:
///
/// - A life of the node is back after another one has replaced it. A single node never returns to an earlier life.
/// - The node has closed our connection, and says that it has one with us. So it has one with another node of our name.
struct ReplacementWatch {
    /// After this time, everything is forgotten.
    private static let memory = Duration.seconds(60)
    /// So many replacements are free: the first one may be a restart.
    private static let freeCount = 2
    /// So many lives are known. Two nodes have two.
    private static let creationCount = 8

    private var count = 0
    private var lastReplacement: Duration
    private var lastEnd: Duration
    /// The lives of the node that another one has replaced, the latest one at the end.
    private var creations: [UInt32] = []
    /// Whether the node itself has closed the last connection.
    private var isClosedByNode = false

    init(at now: Duration) { (lastReplacement, lastEnd) = (now, now) }

    /// A connection of one life of the node replaces that of another one, or of the same.
    mutating func replaced(_ old: UInt32, by new: UInt32, at now: Duration) {
        guard old != new else { return }
        add(isProof: creations.contains(new), at: now)
        creations.removeAll { $0 == old }
        creations.append(old)
        if creations.count > Self.creationCount { creations.removeFirst() }
    }

    /// A connection to the node has ended.
    ///
    /// - Parameters:
    ///   - isClosedByNode: Whether the node has closed it. Otherwise we have, or it broke.
    ///   - now: The present.
    mutating func ended(isClosedByNode: Bool, at now: Duration) {
        self.isClosedByNode = isClosedByNode
        lastEnd = now
    }

    /// We connect to the node, and it says that we are connected.
    ///
    /// - Returns: Whether it is connected with another node of our name. If not, it has not noticed the end of the last
    ///   connection.
    mutating func isSaidToBeConnected(at now: Duration) -> Bool {
        if isClosedByNode { add(isProof: true, at: now) }
        return isClosedByNode
    }

    private mutating func add(isProof: Bool, at now: Duration) {
        if now >= lastReplacement + Self.memory { (count, creations) = (0, []) }
        count = isProof ? count + 1 : max(count, 1)
        lastReplacement = now
    }

    /// Until when the next replacement is refused: a second after the second one, and twice as long after each later
    /// one, up to a minute. nil: it is not.
    func refusal(at now: Duration) -> Duration? {
        guard count >= Self.freeCount, now < lastReplacement + Self.memory else { return nil }
        let end = lastReplacement + min(.seconds(1) * (1 << min(count - Self.freeCount, 6)), Self.memory)
        return now < end ? end : nil
    }

    /// Whether there is nothing to remember.
    func isOver(at now: Duration) -> Bool { now >= max(lastReplacement, lastEnd) + Self.memory }
}
