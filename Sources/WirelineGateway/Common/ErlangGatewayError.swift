// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineErlangNode

/// Why a gateway could not start.
@nonexhaustive
public enum ErlangGatewayError: Error, Equatable, Sendable {
    /// Its node could not start.
    case node(ErlangNodeError)
    /// Packets of the protocol depend on states of the connection, or have layers. Neither is supported yet: a packet for
    /// several clients is encoded once.
    case unsupportedProtocol(String)
    /// It cannot listen at an address.
    case listening(ConnectionError)
    /// Every node has refused our cookie; `cookie` says in words where it comes from.
    case cookieRefused(by: [ErlangNodeName], cookie: String)
}

extension ErlangGatewayError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .node(let error): error.description
        case .unsupportedProtocol(let name):
            "packets of \(name) have states or layers, which a gateway does not support"
        case .listening(let error): error.description
        case .cookieRefused(let nodes, let cookie):
            nodes.map { "\($0) closed after our challenge reply: \(cookie) is not its cookie" }.joined(separator: "; ")
        }
    }
}
