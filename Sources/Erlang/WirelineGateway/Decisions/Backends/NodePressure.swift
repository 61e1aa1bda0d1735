// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The nodes that do not take our output at once, and the clients that wait for them.
///
/// - A busy node has some output waiting. Each client may send it one batch of messages, and then rests until little
///   output waits. Otherwise a few clients that send without a pause would fill the queue.
/// - A slow node has much output waiting. No client of its processes is read until half of that has left.
package struct NodePressure {
    private enum Level { case busy, slow }

    package enum Change {
        case none
        /// The node became slow, or stopped being slow.
        case slowness
        /// The clients in ``takePausedClients(of:)`` may continue.
        case free
    }

    private var levels: [ErlangAtom: Level] = [:]
    private var paused: [ErlangAtom: Set<ClientNumber>] = [:]
    private let limit: Int
    private let busyLimit: Int

    /// - Parameter limit: With more waiting bytes, a node is slow. With more than 1/32 of it, the node is busy: 256 KiB
    ///   of
    ///   8 MiB, which an Erlang node takes in some 20 ms.
    package init(limit: Int) {
        self.limit = limit
        busyLimit = limit / 32
    }

    /// Whether clients of the node's processes must not be read.
    package func isSlow(_ node: ErlangAtom) -> Bool { !levels.isEmpty && levels[node] == .slow }

    /// Whether a client must rest after a batch of messages.
    package func isBusy(_ node: ErlangAtom) -> Bool { !levels.isEmpty && levels[node] != nil }

    /// `byteCount` bytes wait for the node.
    package mutating func noteQueue(_ byteCount: Int, for node: ErlangAtom) -> Change {
        guard byteCount > busyLimit || !levels.isEmpty else { return .none }
        let old = levels[node]
        let new: Level? =
            if byteCount > limit || old == .slow && byteCount > limit / 2 {
                .slow
            } else if byteCount > busyLimit || old != nil && byteCount > busyLimit / 2 {
                .busy
            } else {
                nil
            }
        guard new != old else { return .none }
        levels[node] = new
        if new == .slow || old == .slow { return .slowness }
        return new == nil ? .free : .none
    }

    mutating func pause(_ client: ClientNumber, for node: ErlangAtom) { paused[node, default: []].insert(client) }

    /// A client has ended, so it no longer rests.
    mutating func forget(_ client: ClientNumber, for node: ErlangAtom) { paused[node]?.remove(client) }

    /// Takes the resting clients in order, unless the node is still busy.
    mutating func takePausedClients(of node: ErlangAtom) -> [ClientNumber] {
        levels[node] == nil ? paused.removeValue(forKey: node)?.sorted() ?? [] : []
    }

    /// The connection to the node has ended, so nothing waits for it.
    package mutating func disconnected(_ node: ErlangAtom) { levels[node] = nil }
}
