// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A part of the program that acts for processes which are no mailboxes, such as the clients of a gateway.
///
/// It is told everything on the node's loop, in the order in which it happened. It must not use the node in ``delivered(_:to:from:)``,
/// which is called while the node reads.
package protocol NodeProgram: AnyObject, Sendable {
    /// A served process has been sent a message: a term without a version byte.
    func delivered(_ content: RawSpan, to pid: ErlangPID, from sender: ErlangPID?)
    /// A served process is told of the end of a process that it monitors.
    func told(_ pid: ErlangPID, _ event: ErlangEvent)
    /// An exit signal has reached a served process.
    func signalled(_ pid: ErlangPID, reason: ErlangTerm, isKill: Bool)
    /// A node is connected.
    func nodeUp(_ node: ErlangNodeName)
    /// The connection to a node has ended, or could not be made.
    func nodeDown(_ node: ErlangNodeName, _ error: ErlangNodeError)
    /// The members of a group have changed.
    func groupChanged(_ change: ErlangGroupChange, scope: ErlangAtom)
    /// So many bytes wait for a node.
    func nodeQueue(_ byteCount: Int, of node: ErlangNodeName)
    /// All of this for now.
    func actionsEnded()
    /// Whether it has much to do of what nodes have said. They are not read then until ``ErlangNode/readOn()`` is called.
    var isBehind: Bool { get }
}

extension ErlangNode {
    /// Lets a part of the program act for the served processes of the node, until the node is stopped. Call it on the
    /// node's loop.
    package func serve(_ program: any NodeProgram) { driver.serve(program) }

    /// Reads the nodes further that were not read because the program was behind. Call it on the node's loop.
    package func readOn() { driver.readOn() }

    /// Uses the core of the node, and carries out what follows.
    package func withCore<Value>(
        _ body: (inout NodeCore, Duration) throws(NodeFault) -> Value
    ) throws(ErlangNodeError) -> Value {
        try driver.withCore(body)
    }

    /// Uses the core of the node at the end of a turn of its loop, and sends what follows at once. Call it on the loop.
    package func withCoreAtEndOfTurn(_ body: (inout NodeCore, Duration) -> Void) throws(ErlangNodeError) {
        try driver.withCoreAtEndOfTurn(body)
    }
}
