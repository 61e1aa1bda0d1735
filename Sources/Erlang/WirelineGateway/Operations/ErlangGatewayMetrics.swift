// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineErlang
public import WirelineTransport

/// What a gateway does and holds, at one moment.
public struct ErlangGatewayMetrics: Equatable, Sendable {
    /// A node to which the gateway connects.
    public struct Node: Equatable, Sendable {
        /// Whether it is connected.
        public var isConnected: Bool
        /// The bytes that wait for it.
        public var queuedByteCount: Int
    }

    /// A process that is asked to own clients, or has some.
    public struct Member: Equatable, Sendable {
        /// The process as Erlang prints it, such as `#Pid<'game1@10.0.0.5'.91.0.1795401368>`; `other` for those that are not shown.
        public let name: String
        /// The clients that count for it.
        public var clientCount: Int
        /// The clients that it was asked to own and has not answered.
        public var offerCount: Int
    }

    /// The most members with their own values. The others are added up as one more.
    static let memberCount = 64

    /// The number of clients.
    public var clientCount: Int
    /// The number of clients that have no owner, and that no process was asked to own.
    public var parkedCount: Int
    /// The number of clients that have no owner yet; a process was asked to own them.
    public var askedCount: Int
    /// The number of backends that can be asked.
    public var backendCount: Int
    /// The number of groups with members.
    public var groupCount: Int
    /// The number of messages that owners have and have not confirmed.
    public var unconfirmedCount: Int
    /// The bytes that are kept for clients: output, messages, states and groups.
    public var heldByteCount: Int
    /// The nodes to which the gateway connects.
    public var nodes: [ErlangNodeName: Node] = [:]
    /// The processes that are asked to own clients, or have some: the 64 with most clients first, then `other` if there are
    /// more.
    public var members: [Member]
    /// The event loops that carry the gateway. Servers of the same program may share them.
    public var loops: [EventLoopCounters] = []
    /// The name of the protocol that the clients speak.
    public let protocolName: String
    /// The version of the program; empty if it does not say it.
    public let version: String
    /// The number of messages that have come from clients.
    public var receivedMessageCount: UInt64
    /// The number of messages that were sent to clients.
    public var sentMessageCount: UInt64
    /// The number of bytes that have come from clients.
    public var receivedByteCount: UInt64 = 0
    /// The number of bytes that have left for clients.
    public var sentByteCount: UInt64 = 0
    /// The clients that have come.
    public var openedCount: UInt64
    /// The clients that have gone, by reason: `normal`, `reset`, `idle`, …
    public var closedCounts: [String: UInt64]
    /// The clients that have gone while they were not read, or without an owner for what they had said. Some of what they
    /// said may be lost.
    public var unreadEndCount: UInt64
    /// The connections that were refused before they were clients, by reason.
    public var refusedConnectionCounts: [ServerCounters.RefusalReason: Int] = [:]
    /// How often a client got another owner.
    public var resumedCount: UInt64
    /// How often a backend was asked for a client and did not accept it in time.
    public var ranOutOfferCount: UInt64
    /// The messages that were handed to another owner again, because nobody had confirmed them.
    public var resentCount: UInt64
    /// The terms of which nothing was done.
    public var refusedTermCount: UInt64
    /// How often a client ended because what it said was longer than a term may be.
    public var lostTermCount: UInt64
    /// The handshakes with nodes that have failed, by reason: `cookie`, `name`, `not_allowed`, `handshake`.
    public var refusedNodeCounts: [String: Int] = [:]

    init(_ core: borrowing GatewayCore) {
        let counters = core.counters
        clientCount = core.clients.count
        parkedCount = core.clients.parkedCount
        askedCount = core.clients.askedCount
        members = Self.members(core.backends)
        (protocolName, version) = (core.settings.protocolName, core.settings.version)
        backendCount = core.backends.count
        groupCount = core.groups.count
        unconfirmedCount = core.clients.unconfirmedCount
        heldByteCount = core.clients.heldByteCount
        receivedMessageCount = counters.clientMessageCount
        sentMessageCount = counters.serverMessageCount
        openedCount = counters.openedCount
        closedCounts = counters.closedCounts
        unreadEndCount = counters.unreadEndCount
        resumedCount = counters.resumedCount
        ranOutOfferCount = counters.ranOutOfferCount
        resentCount = counters.resentCount
        refusedTermCount = counters.refusedTermCount
        lostTermCount = counters.lostTermCount
    }

    private static func members(_ backends: Backends) -> [Member] {
        let (busiest, others) = backends.loads(limit: memberCount)
        let shown = busiest.map { backend, load in
            Member(name: backend.description, clientCount: load.clientCount, offerCount: load.offerCount)
        }
        guard let others else { return shown }
        return shown + [Member(name: "other", clientCount: others.clientCount, offerCount: others.offerCount)]
    }

    mutating func add(_ counters: ServerCounters) {
        receivedByteCount += UInt64(counters.traffic.receivedByteCount)
        sentByteCount += UInt64(counters.traffic.sentByteCount)
        refusedConnectionCounts.merge(counters.refusedConnectionCounts, uniquingKeysWith: +)
    }
}

extension ErlangGatewayMetrics {
    /// The metrics in Prometheus's text format, version 0.0.4. All names begin with `wireline_gateway_`, but for those of
    /// event loops, which are `wireline_loop_` as a server's.
    public func prometheusText() -> String {
        var text = ServerMetrics.PrometheusText()
        text.addGauge(
            "wireline_gateway_build_info", "The version of the program, and its protocol. The value is always 1.", 1,
            labels: ["version": version, "protocol": protocolName])
        addGauges(to: &text)
        addTraffic(to: &text)
        addMembers(to: &text)
        addNodes(to: &text)
        for (index, loop) in loops.enumerated() { text.add(loop, [("loop", "\(index)")]) }
        return text.description
    }

    private func addGauges(to text: inout ServerMetrics.PrometheusText) {
        text.addGauge("wireline_gateway_clients", "Clients.", Double(clientCount))
        text.addGauge(
            "wireline_gateway_clients_parked",
            "Clients that have no owner, and that no backend was asked to own.", Double(parkedCount))
        text.addGauge(
            "wireline_gateway_clients_asked", "Clients that have no owner yet; a backend was asked to own them.",
            Double(askedCount))
        text.addGauge("wireline_gateway_backends", "Backends that can be asked.", Double(backendCount))
        text.addGauge("wireline_gateway_groups", "Groups with members.", Double(groupCount))
        text.addGauge(
            "wireline_gateway_unconfirmed", "Messages that owners have and have not confirmed.",
            Double(unconfirmedCount))
        text.addGauge("wireline_gateway_held_bytes", "Bytes that are kept for clients.", Double(heldByteCount))
    }

    private func addTraffic(to text: inout ServerMetrics.PrometheusText) {
        let messages = [("client", receivedMessageCount), ("server", sentMessageCount)]
        for (sender, count) in messages {
            text.addCounter(
                "wireline_gateway_messages_total", "Messages, by sender.", Double(count), labels: ["from": sender])
        }
        for (sender, count) in [("client", receivedByteCount), ("server", sentByteCount)] {
            text.addCounter(
                "wireline_gateway_bytes_total", "Bytes, by sender.", Double(count), labels: ["from": sender])
        }
        text.addCounter("wireline_gateway_opened_total", "Clients that have come.", Double(openedCount))
        for reason in ClientEnd.labels {
            text.addCounter(
                "wireline_gateway_closed_total", "Clients that have gone, by reason.",
                Double(closedCounts[reason, default: 0]), labels: ["reason": reason])
        }
        text.addCounter(
            "wireline_gateway_closed_unread_total",
            "Clients that have gone while they were not read, or without an owner for what they had said.",
            Double(unreadEndCount))
        for reason in ServerCounters.RefusalReason.allCases {
            text.addCounter(
                "wireline_gateway_refused_total", "Connections that were refused, by reason.",
                Double(refusedConnectionCounts[reason, default: 0]), labels: ["reason": reason.rawValue])
        }
        text.addCounter("wireline_gateway_resumed_total", "Clients that got another owner.", Double(resumedCount))
        text.addCounter(
            "wireline_gateway_offers_ran_out_total", "Offers that no backend accepted in time.",
            Double(ranOutOfferCount))
        text.addCounter(
            "wireline_gateway_resent_total", "Messages that another owner got again.", Double(resentCount))
        text.addCounter(
            "wireline_gateway_terms_refused_total", "Terms of which nothing was done.", Double(refusedTermCount))
        text.addCounter(
            "wireline_gateway_terms_lost_total", "Clients that ended for a term over the limit.",
            Double(lostTermCount))
    }

    private func addMembers(to text: inout ServerMetrics.PrometheusText) {
        for member in members {
            text.addGauge(
                "wireline_gateway_member_clients", "Clients of a member.", Double(member.clientCount),
                labels: ["member": member.name])
            text.addGauge(
                "wireline_gateway_member_offers", "Clients that a member was asked to own, without an answer so far.",
                Double(member.offerCount), labels: ["member": member.name])
        }
    }

    private func addNodes(to text: inout ServerMetrics.PrometheusText) {
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            text.addGauge(
                "wireline_gateway_node_up", "Whether a node is connected.", node.isConnected ? 1 : 0,
                labels: ["node": name.description])
            text.addGauge(
                "wireline_gateway_node_queue_bytes", "Bytes that wait for a node.", Double(node.queuedByteCount),
                labels: ["node": name.description])
        }
        for reason in ["cookie", "name", "not_allowed", "tls", "crowded", "handshake"] {
            text.addCounter(
                "wireline_gateway_node_refused_total", "Handshakes with nodes that have failed, by reason.",
                Double(refusedNodeCounts[reason, default: 0]), labels: ["reason": reason])
        }
    }
}
