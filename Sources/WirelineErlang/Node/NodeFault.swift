// SPDX-License-Identifier: Apache-2.0

/// Why a node does not do what a program asks.
package enum NodeFault: Error, Equatable, Sendable {
    /// The term cannot be written.
    case term(ErlangError)
    /// A process of ours has this name already.
    case nameTaken(ErlangAtom)
    /// The process has ended.
    case noProcess
    /// There are as many processes as are allowed.
    case tooManyProcesses(limit: Int)
    /// The process has as many links or monitors as are allowed.
    case tooManyLinks(limit: Int)
    /// Too many bytes wait for the node.
    case busy(limit: Int)
    /// The name in a process is not a node's.
    case invalidNode(ErlangAtom)
    /// As many nodes are connected as are allowed.
    case tooManyNodes(limit: Int)
    /// No connection to the node could be made in time, or the system refused it.
    case unreachable
    /// The handshake with the node failed, or it sent what no node sends.
    case failed(ErlangError)
    /// The node was silent for the whole tick time.
    case silent
    /// The node closed the connection, or it broke.
    case closed
    /// The program ended the connection.
    case disconnected
    /// A node of this name replaces its own connections again and again: there are two of them.
    case replacedTooOften
    /// What was called has ended, or is not there.
    case down(reason: ErlangTerm)
}
