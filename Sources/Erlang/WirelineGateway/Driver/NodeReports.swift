// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// What the gateway's operator knows about nodes: which of them answer, and which events were reported.
struct NodeReports {
    /// Nodes whose first connection attempt is not over.
    private var untried: Set<ErlangNodeName>
    /// Nodes to which the gateway stays connected.
    private let kept: Set<ErlangNodeName>
    /// Nodes that have refused our cookie at the first attempt.
    private(set) var refusing: [ErlangNodeName] = []
    private(set) var connected: Set<ErlangNodeName> = []
    /// Nodes that were reported as unreachable.
    private var missing: Set<ErlangNodeName> = []
    /// The failed handshakes with nodes. The key is the reason.
    private(set) var refusalCounts: [String: Int] = [:]

    init(_ nodes: [ErlangNodeName]) {
        kept = Set(nodes)
        untried = kept
    }

    var areAllTried: Bool { untried.isEmpty }

    /// Whether all nodes have refused our cookie, and there is at least one.
    var areAllRefusing: Bool { !kept.isEmpty && refusing.count == kept.count }

    mutating func up(_ node: ErlangNodeName) -> ErlangGatewayEvent {
        untried.remove(node)
        missing.remove(node)
        connected.insert(node)
        return .connected(node)
    }

    /// The connection to a node has ended, or could not be made. Returns the event to report; nil: none.
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

    /// We have refused a node that connected to us.
    mutating func refused(_ error: ErlangError) {
        if case .handshake(let fault) = error { count(fault) } else { refusalCounts["handshake", default: 0] += 1 }
    }

    /// A node's connection was closed, because too many others had not proved the cookie.
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
