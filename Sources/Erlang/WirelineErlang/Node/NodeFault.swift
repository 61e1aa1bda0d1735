// SPDX-License-Identifier: Apache-2.0

/// Why a node refuses a program's request.
package enum NodeFault: Error, Equatable, Sendable {
    case term(ErlangError)
    case nameTaken(ErlangAtom)
    case noProcess
    case tooManyProcesses(limit: Int)
    case tooManyLinks(limit: Int)
    case busy(limit: Int)
    case invalidNode(ErlangAtom)
    case tooManyNodes(limit: Int)
    /// No connection could be made in time, or the system refused it.
    case unreachable
    /// The handshake failed, or the node broke the protocol.
    case failed(ErlangError)
    case silent
    case closed
    case disconnected
    /// A node of this name replaces its own connections again and again: there are two such nodes.
    case replacedTooOften
    /// The called process has ended, or does not exist.
    case down(reason: ErlangTerm)
}
