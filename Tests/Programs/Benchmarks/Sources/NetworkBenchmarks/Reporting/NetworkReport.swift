// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Measurements as tables in markdown.
struct NetworkReport {
    let results: NetworkResults

    func markdown(preface: String) -> String {
        ([preface] + results.scenarios.compactMap(section) + [packetTable, goalTable].compactMap(\.self))
            .joined(separator: "\n\n")
    }

    private func section(_ scenario: Scenario) -> String? {
        let columns = Column.all(of: scenario)
        let measured = results.servers.filter { results.median(columns[0].metric, of: $0, scenario) != nil }
        let rows = measured.map { server in
            [server] + columns.flatMap { cells($0, server, scenario) }
        }
        guard !rows.isEmpty else { return nil }
        let heads = columns.flatMap { $0.hasRatio ? [$0.head, "of `\(scenario.limit.rawValue)`"] : [$0.head] }
        return "### \(scenario.title)\n\n" + markdownTable(["server"] + heads, rows)
    }

    private func cells(_ column: Column, _ server: String, _ scenario: Scenario) -> [String] {
        let value = results.median(column.metric, of: server, scenario).map { ($0 / column.unit).threeDigits } ?? "–"
        guard column.hasRatio else { return [value] }
        return [value, results.ratio(column.metric, of: server, scenario)?.timesText ?? "–"]
    }

    /// What a message takes beside a packet with as many bytes, of C and of Wireline's tasks.
    private var packetTable: String? {
        let pairs = zip([OwnServer.webSocketEpoll, .webSocketWireline], Server.ofPacketsBesideWebSockets)
        let rows = results.scenarios.filter(\.usesWebSocket).map { scenario in
            [scenario.rawValue]
                + pairs.map { server, other in
                    results.ratio(.serverNanoseconds, of: server.rawValue, scenario, to: other.rawValue)?.timesText
                        ?? "–"
                }
        }
        guard !rows.isEmpty else { return nil }
        let heads = pairs.map { "`\($0.rawValue)` of `\($1.rawValue)`" }
        return "### Messages beside packets with as many bytes: server CPU\n\n"
            + markdownTable(["scenario"] + heads, rows)
    }

    private var goalTable: String? {
        let rows = NetworkGoal.all.compactMap { $0.row(of: results) }
        return rows.isEmpty ? nil : "### Goals\n\n" + markdownTable(["goal", "bound", "measured", ""], rows)
    }
}

/// One or two columns of a table: a number, and how many times that of the limit it is.
private struct Column {
    let head: String
    let metric: Metric
    let unit: Double
    let hasRatio: Bool

    private init(_ head: String, _ metric: Metric, in unit: Double, hasRatio: Bool = true) {
        self.head = head
        self.metric = metric
        self.unit = unit
        self.hasRatio = hasRatio
    }

    static func all(of scenario: Scenario) -> [Column] {
        let memory = Column("bytes a connection", .bytesPerConnection, in: 1)
        let rate = [
            Column("server CPU, ns a packet", .serverNanoseconds, in: 1),
            Column("million packets/s", .packetsPerSecond, in: 1e6),
        ]
        let latency = [
            Column("server CPU, µs a packet", .serverNanoseconds, in: 1000),
            Column("p50, µs", .medianLatency, in: 1000),
            Column("p99, µs", .p99Latency, in: 1000),
        ]
        let busy = [
            Column("server busy", .serverBusy, in: 1, hasRatio: false),
            Column("load busy", .loadBusy, in: 1, hasRatio: false),
        ]
        let messages = [
            Column("server CPU, ns a message", .serverNanoseconds, in: 1),
            Column("thousand messages/s", .packetsPerSecond, in: 1000),
        ]
        let connecting = [
            Column("server CPU, µs a connection", .serverNanoseconds, in: 1000),
            Column("connections/s", .packetsPerSecond, in: 1),
        ]
        return switch scenario {
        case .pipelined, .connections, .ingest, .sealedPipelined, .sealedConnections, .sealedLong: rate + busy
        case .pingPong: latency + busy
        case .sealedHandshakes, .sealedResumptions: connecting + busy
        case .idle, .sealedIdle: [memory]
        case .webSocketShort, .webSocketMedium, .webSocketLong: messages + busy
        case .webSocketsShort, .webSocketsMedium, .webSocketsLong: messages + busy
        }
    }
}

extension Scenario {
    fileprivate var title: String {
        switch self {
        case .pipelined: "Pipelined: 1 connection, 1,024 packets of 23 bytes in flight"
        case .connections: "64 connections, 16 packets of 23 bytes in flight on each"
        case .pingPong: "Ping-pong: 1 connection, 1 packet of 23 bytes in flight"
        case .ingest: "Ingest: 1 connection, packets of 23 bytes without replies"
        case .idle: "Idle: 10,000 connections that were used once"
        case .sealedPipelined: "TLS, pipelined: 1 connection, 1,024 packets of 23 bytes in flight"
        case .sealedConnections: "TLS, 64 connections, 16 packets of 23 bytes in flight on each"
        case .sealedLong: "TLS, 4 connections, 8 packets of 16,390 bytes in flight on each"
        case .sealedHandshakes: "TLS, new connections that are used once, with a whole handshake"
        case .sealedResumptions: "TLS, new connections that are used once, with a session that goes on"
        case .sealedIdle: "TLS, idle: 1,000 connections that were used once"
        case .webSocketShort: "WebSocket, 1 connection, 1,024 messages of 64 bytes in flight"
        case .webSocketMedium: "WebSocket, 1 connection, 128 messages of 1 KiB in flight"
        case .webSocketLong: "WebSocket, 1 connection, 8 messages of 64 KiB in flight"
        case .webSocketsShort: "WebSocket, 64 connections, 16 messages of 64 bytes in flight on each"
        case .webSocketsMedium: "WebSocket, 64 connections, 16 messages of 1 KiB in flight on each"
        case .webSocketsLong: "WebSocket, 64 connections, 2 messages of 64 KiB in flight on each"
        }
    }
}
