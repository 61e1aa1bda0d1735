// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineErlang

/// Why a gateway could not start.
@nonexhaustive
public enum ErlangGatewayError: Error, Equatable, Sendable {
    /// The gateway's own node, of this name, is one of the nodes or backends. No node connects to itself.
    case ownNode(ErlangNodeName)
    /// Its node could not start.
    case node(ErlangNodeError)
    /// ``ErlangGatewayConfiguration/goodbye`` is no message that a server sends: the error as `encode/2` of the generated
    /// Erlang gives it.
    case goodbye(ErlangTerm)
    /// It cannot listen at an address for clients.
    case listening(at: ListeningAddress, ConnectionError)
    /// Every node has refused our cookie; `cookie` says in words where it comes from.
    case cookieRefused(by: [ErlangNodeName], cookie: String)
}

extension ErlangGatewayError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .ownNode(let name): "\(name) is the gateway's own name: nodes and backends have other names"
        case .node(let error): error.description
        case .goodbye(let error): "the goodbye cannot be sent: \(error)"
        case .listening(let address, let error): "cannot listen on \(address): \(error)"
        case .cookieRefused(let nodes, let cookie):
            nodes.map { "\($0) closed after our challenge reply: \(cookie) is not its cookie" }.joined(separator: "; ")
        }
    }
}
