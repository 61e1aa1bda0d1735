// SPDX-License-Identifier: Apache-2.0

public import WirelineErlang

/// What an operator may want to know of a gateway.
@nonexhaustive
public enum ErlangGatewayEvent: Equatable, Sendable {
    /// A node is connected.
    case connected(ErlangNodeName)
    /// The connection to a node has ended. It is tried again.
    case lost(ErlangNodeName, ErlangNodeError)
    /// A node is not there, or has refused us. It is tried again, and not reported again before it was connected.
    case unreachable(ErlangNodeName, ErlangNodeError)
    /// The connection to a node to which the gateway does not stay connected has ended, or could not be made. It is not
    /// tried again by itself.
    case gone(ErlangNodeName, ErlangNodeError)
    /// A member of the group is not asked, because its node is none of ``ErlangGatewayConfiguration/nodes`` or
    /// ``ErlangGatewayConfiguration/otherNodes``. It is reported once for each node.
    case otherMember(ErlangNodeName)
    /// A backend has not accepted a client in time. It is asked last until it answers, and reported again only after that.
    case late(ErlangDestination)
    /// What the gateway's node has noticed.
    case note(ErlangNodeNote)
}

extension ErlangGatewayEvent: CustomStringConvertible {
    /// The event in one line.
    public var description: String {
        switch self {
        case .connected(let node): "\(node) is connected"
        case .lost(let node, let error): "\(node) is lost: \(error); it is tried again"
        case .gone(let node, let error): "\(node) is gone: \(error)"
        case .unreachable(let node, .erlang(.handshake(.cookieRefused))):
            "\(node) closed after our challenge reply: our cookie is not its cookie; it is tried again"
        case .unreachable(let node, let error): "\(node) is not connected: \(error); it is tried again"
        case .otherMember(let node):
            "\(node) has members of the group, which are not asked: it is none of the gateway's nodes"
        case .late(let backend): "\(backend) has not accepted a client in time: it is asked last until it answers"
        case .note(.replaced(let node)):
            "\(node) has connected again: it was restarted, or two nodes have this name"
        case .note(.otherOfOurName(let node)):
            "\(node) has a connection with another node of our name: give each node a name of its own"
        case .note(.refused(let node?, let address, let error)):
            "a node at \(address) that says it is \(node) was refused: \(error)"
        case .note(.refused(nil, let address, let error)):
            "a connection from \(address) to the node was refused before it gave a name: \(error)"
        case .note(.crowded(let address, let limit)):
            "a connection from \(address) to the node was closed: \(limit) others have not proved the cookie"
        case .note(.droppedMessage(let node, let error)): "a message of \(node) was dropped: \(error)"
        case .note(.epmdLost): "epmd has ended; it is tried again, and until then other nodes do not find us"
        case .note(.epmdFound): "epmd knows us again"
        case .note(.epmdNameTaken(let name)):
            "epmd has another node \(name) now, which other nodes find in place of this one; it is tried again"
        case .note(.acceptFailed(let error)): "a node's connection could not be accepted: \(error)"
        }
    }
}

extension ErlangGatewayEvent {
    /// Whether strangers who reach the node's port can cause it often, or nodes with bad messages or slow processes.
    package var isLimited: Bool {
        switch self {
        case .note(.refused), .note(.crowded), .note(.droppedMessage), .note(.acceptFailed), .late: true
        default: false
        }
    }
}
