// SPDX-License-Identifier: Apache-2.0

import Metrics
public import Wireline

/// Passes a server's metrics to the backend of swift-metrics.
///
/// Call ``report(_:)`` every few seconds. swift-metrics counts in steps, so this keeps the counts of the last call. It has
/// no counts in buckets: of a histogram it gets the number, the sum and the longest value.
public actor ServerReporter {
    private let dimensions: [(String, String)]
    /// The counts at the last report, by name and labels.
    private var counts: [String: Double] = [:]

    /// - Parameter dimensions: The labels of all metrics, such as the server's name.
    public init(dimensions: [(String, String)] = []) { self.dimensions = dimensions }

    /// Reports what has happened since the last report.
    public func report(_ metrics: ServerMetrics) {
        let counters = metrics.counters
        let traffic = counters.traffic
        set("wireline_connections", counters.connectionCount)
        set("wireline_held_bytes", counters.heldByteCount)
        set("wireline_pending_bytes", traffic.pendingByteCount)
        set("wireline_unread_bytes", traffic.unreadByteCount)
        set("wireline_draining", metrics.isDraining ? 1 : 0)
        count("wireline_accepted_connections", Double(counters.acceptedConnectionCount))
        count("wireline_refused_connections", Double(counters.refusedConnectionCount))
        count("wireline_failed_accepts", Double(counters.failedAcceptCount))
        for (reason, number) in counters.endedConnectionCounts {
            count("wireline_ended_connections", Double(number), ("reason", reason.rawValue))
        }
        count("wireline_received_bytes", Double(traffic.receivedByteCount))
        count("wireline_sent_bytes", Double(traffic.sentByteCount))
        count("wireline_received_packets", Double(traffic.receivedPacketCount))
        count("wireline_sent_packets", Double(traffic.sentPacketCount))
        count("wireline_refused_packets", Double(traffic.refusedPacketCount))
        for (index, loop) in metrics.loops.enumerated() {
            report("wireline_loop_turn", loop.turns, ("loop", "\(index)"))
        }
        for message in metrics.messageTimes {
            report("wireline_message_handling", message.times, ("message", message.name))
        }
    }

    private func report(_ name: String, _ histogram: Histogram, _ label: (String, String)) {
        count(name + "_count", Double(histogram.count), label)
        count(name + "_seconds", histogram.sum / .seconds(1), label)
        let longest = histogram.longest / .seconds(1)
        Gauge(label: name + "_longest_seconds", dimensions: dimensions + [label]).record(longest)
    }

    private func set(_ name: String, _ value: Int) { Gauge(label: name, dimensions: dimensions).record(value) }

    private func count(_ name: String, _ total: Double, _ labels: (String, String)...) {
        let key = name + labels.map { "/\($0.0)=\($0.1)" }.joined()
        let step = total - counts[key, default: 0]
        counts[key] = total
        // A backend learns of a counter when it is first used.
        FloatingPointCounter(label: name, dimensions: dimensions + labels).increment(by: max(0, step))
    }
}
