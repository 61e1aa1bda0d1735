// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The nodes that do not take what is sent to them at once, and the clients that wait for them.
///
/// - A node is busy if some of what was sent to it waits. Then each client may say something once, and rests until little
///   waits. A few clients that talk without a pause would otherwise fill the queue before all others.
/// - A node is slow if much waits. Then no client of its processes is read until half of that has left.
package struct NodePressure {
    private enum Level { case busy, slow }

    package enum Change {
        case none
        /// The node became slow, or is slow no more.
        case slowness
        /// The clients in ``takeResting(of:)`` may go on.
        case free
    }

    private var levels: [ErlangAtom: Level] = [:]
    private var resting: [ErlangAtom: Set<ClientNumber>] = [:]
    private let limit: Int
    private let busyLimit: Int

    /// - Parameter limit: How many bytes may wait for a node that is not slow. If more than 1/32 of them wait, it is busy: 256 KiB
    ///   of 8 MiB, which an Erlang node takes in some 20 ms.
    package init(limit: Int) {
        self.limit = limit
        busyLimit = limit / 32
    }

    /// Whether clients of the node's processes are not to be read.
    package func isSlow(_ node: ErlangAtom) -> Bool { !levels.isEmpty && levels[node] == .slow }

    /// Whether a client that has said something is to rest.
    package func isBusy(_ node: ErlangAtom) -> Bool { !levels.isEmpty && levels[node] != nil }

    /// So many bytes wait for a node.
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

    /// A client that has said something to a process of a busy node rests.
    mutating func rest(_ client: ClientNumber, for node: ErlangAtom) { resting[node, default: []].insert(client) }

    /// A client rests no more, because it has ended.
    mutating func forget(_ client: ClientNumber, for node: ErlangAtom) { resting[node]?.remove(client) }

    /// Takes the clients that rest, in their order, if the node is not busy any more.
    mutating func takeResting(of node: ErlangAtom) -> [ClientNumber] {
        levels[node] == nil ? resting.removeValue(forKey: node)?.sorted() ?? [] : []
    }

    /// The connection to a node has ended, and with it what waited.
    package mutating func disconnected(_ node: ErlangAtom) { levels[node] = nil }
}
