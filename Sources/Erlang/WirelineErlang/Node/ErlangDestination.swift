// SPDX-License-Identifier: Apache-2.0

/// The target of a message, a call, or a monitor.
public enum ErlangDestination: Hashable, Sendable {
    /// A process of any node.
    case pid(ErlangPID)
    /// The process that has registered a name on a node; nil: on our own node (default).
    case name(ErlangAtom, at: ErlangNodeName? = nil)
}

extension ErlangDestination: CustomStringConvertible {
    /// The destination in Erlang's syntax: a process, or `{Name, Node}`.
    public var description: String {
        switch self {
        case .pid(let pid): ErlangTerm.pid(pid).description
        case .name(let name, nil): name.description
        case .name(let name, let node?): ErlangTerm.tuple(.atom(name), .atom(node.atom)).description
        }
    }
}
