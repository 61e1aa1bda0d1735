// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension ServerMetrics {
    /// The metrics in Prometheus's text format, version 0.0.4. All names begin with `wireline_`.
    ///
    /// For the metrics of several servers in one text, use ``PrometheusText``.
    ///
    /// - Parameter labels: Labels that every sample gets (default: none).
    public func prometheusText(labels: KeyValuePairs<String, String> = [:]) -> String {
        var text = PrometheusText()
        text.add(self, labels: labels)
        return text.description
    }
}

extension ServerMetrics.PrometheusText {
    /// Adds a server's metrics.
    ///
    /// - Parameters:
    ///   - metrics: The metrics.
    ///   - labels: Labels that every sample gets. Give each server its own; servers with the same labels would count as
    ///     one, and only the first one is shown.
    public mutating func add(_ metrics: ServerMetrics, labels: KeyValuePairs<String, String> = [:]) {
        let labels = Array(labels)
        addConnections(metrics.counters, labels)
        gauge("wireline_draining", "Whether the server shuts down.", metrics.isDraining ? 1 : 0, labels)
        addTraffic(metrics.counters, labels)
        for (index, loop) in metrics.loops.enumerated() { add(loop, labels + [("loop", "\(index)")]) }
        for message in metrics.messageTimes {
            add(
                "wireline_message_handling_seconds", "How long handlers took for a message.", message.times,
                labels: labels + [("message", message.name), ("id", "\(message.id)")])
        }
    }

    private mutating func addConnections(_ counters: ServerCounters, _ labels: [(String, String)]) {
        gauge("wireline_connections", "Open connections.", counters.connectionCount, labels)
        counter(
            "wireline_accepted_connections_total", "Accepted connections, without refused ones.",
            counters.acceptedConnectionCount, labels)
        for reason in ServerCounters.RefusalReason.allCases {
            counter(
                "wireline_refused_connections_total", "Refused connections, by reason.",
                counters.refusedConnectionCounts[reason, default: 0], labels + [("reason", reason.rawValue)])
        }
        counter(
            "wireline_connection_limit_reached_total", "How often connections waited because the limit was reached.",
            counters.connectionLimitCount, labels)
        counter(
            "wireline_failed_accepts_total", "How often the system had no descriptor for a connection.",
            counters.failedAcceptCount, labels)
        for reason in ServerCounters.EndReason.allCases {
            counter(
                "wireline_ended_connections_total", "Ended connections, by reason.",
                counters.endedConnectionCounts[reason, default: 0], labels + [("reason", reason.rawValue)])
        }
    }

    private mutating func addTraffic(_ counters: ServerCounters, _ labels: [(String, String)]) {
        let traffic = counters.traffic
        counter("wireline_received_bytes_total", "Bytes received.", traffic.receivedByteCount, labels)
        counter("wireline_sent_bytes_total", "Bytes sent.", traffic.sentByteCount, labels)
        counter(
            "wireline_received_packets_total", "Packets or messages that handlers have taken.",
            traffic.receivedPacketCount, labels)
        counter(
            "wireline_sent_packets_total", "Packets or messages given to connections to send.",
            traffic.sentPacketCount, labels)
        counter("wireline_refused_packets_total", "Malformed packets and messages.", traffic.refusedPacketCount, labels)
        counter(
            "wireline_unknown_messages_total", "Messages with an ID that the schema does not know.",
            traffic.unknownIDCount, labels)
        gauge("wireline_pending_bytes", "Bytes that wait to be sent.", traffic.pendingByteCount, labels)
        gauge("wireline_unread_bytes", "Bytes that wait for handlers.", traffic.unreadByteCount, labels)
        gauge("wireline_waiting_senders", "Tasks that wait to send.", traffic.waitingSenderCount, labels)
        gauge("wireline_held_bytes", "Bytes granted to connections by the byte budget.", counters.heldByteCount, labels)
        gauge(
            "wireline_compression_bytes", "Bytes that zlib may keep for WebSockets.", counters.compressionByteCount,
            labels)
        counter(
            "wireline_uncompressed_connections_total",
            "WebSockets without compression because the memory for it was used up.",
            counters.uncompressedConnectionCount, labels)
    }

    package mutating func add(_ loop: EventLoopCounters, _ labels: [(String, String)]) {
        add("wireline_loop_turn_seconds", "How long the turns of an event loop took.", loop.turns, labels: labels)
        let longest = Self.number(loop.turns.longest.inSeconds)
        add("wireline_loop_longest_turn_seconds", "The longest turn of an event loop.", "gauge", labels: labels) {
            "wireline_loop_longest_turn_seconds\($0) \(longest)\n"
        }
        gauge("wireline_loop_sockets", "Sockets that an event loop watches.", loop.socketCount, labels)
        gauge("wireline_loop_timers", "Timers that are set on an event loop.", loop.timerCount, labels)
        gauge(
            "wireline_loop_unfinished_jobs", "Connections and jobs that continue in the next turn.",
            loop.unfinishedCount, labels)
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int, _ labels: [(String, String)]) {
        add(name, help, "gauge", labels: labels) { "\(name)\($0) \(value)\n" }
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Int, _ labels: [(String, String)]) {
        add(name, help, "counter", labels: labels) { "\(name)\($0) \(value)\n" }
    }
}
