// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineErlangNode

/// What is known of the nodes to which a gateway connects: which of them answer, and what was reported.
struct NodeReports {
    /// The nodes whose first attempt to connect has had no outcome.
    private var untried: Set<ErlangNodeName>
    /// The nodes to which the gateway stays connected.
    private let kept: Set<ErlangNodeName>
    /// The nodes that have refused our cookie at the first attempt.
    private(set) var refusing: [ErlangNodeName] = []
    /// The nodes that are connected.
    private(set) var connected: Set<ErlangNodeName> = []
    /// The nodes that are not there, and were reported.
    private var missing: Set<ErlangNodeName> = []
    /// How often handshakes with nodes have failed, by reason.
    private(set) var refusalCounts: [String: Int] = [:]

    init(_ nodes: [ErlangNodeName]) {
        kept = Set(nodes)
        untried = kept
    }

    /// Whether each node has been tried once.
    var areAllTried: Bool { untried.isEmpty }

    /// Whether there are nodes, and each one has refused our cookie.
    var areAllRefusing: Bool { !kept.isEmpty && refusing.count == kept.count }

    mutating func up(_ node: ErlangNodeName) -> ErlangGatewayEvent {
        untried.remove(node)
        missing.remove(node)
        connected.insert(node)
        return .connected(node)
    }

    /// The connection to a node has ended, or could not be made.
    ///
    /// - Returns: What is to be reported, if anything.
    mutating func down(_ node: ErlangNodeName, _ error: ErlangNodeError) -> ErlangGatewayEvent? {
        let isFirst = untried.remove(node) != nil
        if case .erlang(.handshake(let fault)) = error {
            count(fault)
            if isFirst, fault == .cookieRefused || fault == .wrongCookie { refusing.append(node) }
        }
        let wasConnected = connected.remove(node) != nil
        guard wasConnected || missing.insert(node).inserted else { return nil }
        guard kept.contains(node) else { return .gone(node, error) }
        return wasConnected ? .lost(node, error) : .unreachable(node, error)
    }

    /// A node that has connected to us was refused.
    mutating func refused(_ error: ErlangError) {
        if case .handshake(let fault) = error { count(fault) } else { refusalCounts["handshake", default: 0] += 1 }
    }

    /// A connection of a node was closed, because too many had not proved the cookie.
    mutating func crowded() { refusalCounts["crowded", default: 0] += 1 }

    private mutating func count(_ fault: ErlangHandshakeFault) {
        let reason =
            switch fault {
            case .cookieRefused, .wrongCookie: "cookie"
            case .name, .ownName, .otherNode: "name"
            case .missingFlags, .creation, .notAllowed: "not_allowed"
            case .tls: "tls"
            case .ended, .simultaneous, .alive, .status, .tooLong, .malformed: "handshake"
            }
        refusalCounts[reason, default: 0] += 1
    }
}
