// SPDX-License-Identifier: Apache-2.0

/// A part of the program that serves processes without mailboxes, such as the clients of a gateway.
///
/// The node calls it on its loop, in the order of the events. It must not use the node in
/// ``didReceiveMessage(_:to:from:)``, which is
/// called while the node reads.
package protocol NodeProgram: AnyObject, Sendable {
    /// A message for a served process: a term without a version byte.
    func didReceiveMessage(_ content: RawSpan, to pid: ErlangPID, from sender: ErlangPID?)
    /// A process that a served process monitors has ended.
    func didReceiveEvent(_ pid: ErlangPID, _ event: ErlangEvent)
    /// An exit signal for a served process.
    func didReceiveExit(_ pid: ErlangPID, reason: ErlangTerm, isKill: Bool)
    func nodeUp(_ node: ErlangNodeName)
    /// The connection to a node has ended, or could not be made.
    func nodeDown(_ node: ErlangNodeName, _ error: ErlangNodeError)
    func groupChanged(_ change: ErlangGroupChange, scope: ErlangAtom)
    /// The bytes that wait for a node have changed.
    func nodeQueue(_ byteCount: Int, of node: ErlangNodeName)
    /// The current batch of events is over.
    func actionsEnded()
    /// Whether it must first work through earlier events. Nodes are not read then, until ``ErlangNode/resumeReading()``
    /// is called.
    var isBehind: Bool { get }
}

extension ErlangNode {
    /// Lets a part of the program serve processes, until the node is stopped. Call it on the node's loop.
    package func serve(_ program: any NodeProgram) { driver.serve(program) }

    /// The program has caught up, so nodes are read again. Call it on the node's loop.
    package func resumeReading() { driver.resumeReading() }

    /// Changes the node's core, and carries out its actions.
    package func withCore<Value>(
        _ body: (inout NodeCore, Duration) throws(NodeFault) -> Value
    ) throws(ErlangNodeError) -> Value {
        try driver.withCore(body)
    }

    /// Changes the node's core at the end of a turn of its loop, and sends the output at once. Call it on the loop.
    package func withCoreAtEndOfTurn(_ body: (inout NodeCore, Duration) -> Void) throws(ErlangNodeError) {
        try driver.withCoreAtEndOfTurn(body)
    }
}
