// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The nodes that do not take what is sent to them.
package struct NodePressure {
    private var slow: Set<ErlangAtom> = []
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// Whether clients of the node's processes are not to be read.
    package func isSlow(_ node: ErlangAtom) -> Bool { !slow.isEmpty && slow.contains(node) }

    /// So many bytes wait for a node.
    ///
    /// - Returns: Whether it became slow, or is slow no more.
    package mutating func noteQueue(_ byteCount: Int, for node: ErlangAtom) -> Bool {
        if slow.contains(node) {
            guard byteCount <= limit / 2 else { return false }
            slow.remove(node)
            return true
        }
        guard byteCount > limit else { return false }
        slow.insert(node)
        return true
    }

    /// The connection to a node has ended, and with it what waited.
    package mutating func disconnected(_ node: ErlangAtom) { slow.remove(node) }
}
