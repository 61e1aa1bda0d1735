// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// Metrics as Prometheus reads them.
struct PrometheusTextTests {
    @Test func `each metric has its help and type once, and samples in order`() {
        var text = ServerMetrics.PrometheusText()
        text.addGauge("game_players", "Players.", 17, labels: ["room": "1"])
        text.addCounter("game_shots_total", "Shots.", 3)
        text.addGauge("game_players", "Players.", 0.5, labels: ["room": "2"])
        #expect(
            text.description == """
                # HELP game_players Players.
                # TYPE game_players gauge
                game_players{room="1"} 17
                game_players{room="2"} 0.5
                # HELP game_shots_total Shots.
                # TYPE game_shots_total counter
                game_shots_total 3

                """)
    }

    @Test func `a histogram has cumulative buckets in seconds, a sum and a count`() {
        var histogram = Histogram(bounds: [.milliseconds(1), .seconds(1)])
        for duration in [Duration.microseconds(500), .milliseconds(1), .milliseconds(250), .seconds(2)] {
            histogram.record(duration)
        }
        var text = ServerMetrics.PrometheusText()
        text.addHistogram("game_move_seconds", "Moves.", histogram, labels: ["map": "ice"])
        #expect(
            text.description == """
                # HELP game_move_seconds Moves.
                # TYPE game_move_seconds histogram
                game_move_seconds_bucket{map="ice",le="0.001"} 2
                game_move_seconds_bucket{map="ice",le="1"} 3
                game_move_seconds_bucket{map="ice",le="+Inf"} 4
                game_move_seconds_sum{map="ice"} 2.2515
                game_move_seconds_count{map="ice"} 4

                """)
    }

    @Test func `backslashes, line ends and quotation marks are escaped`() {
        var text = ServerMetrics.PrometheusText()
        text.addGauge("a", "one\\two\n\"three\"", 1, labels: ["name": "老王\\\n\"x\""])
        #expect(
            text.description == """
                # HELP a one\\\\two\\n"three"
                # TYPE a gauge
                a{name="老王\\\\\\n\\"x\\""} 1

                """)
    }

    @Test func `of two samples with the same labels, the first stays`() {
        var text = ServerMetrics.PrometheusText()
        text.addGauge("a", "A.", 1, labels: ["b": "c"])
        text.addGauge("a", "A.", 2, labels: ["b": "c"])
        #expect(text.description.hasSuffix("gauge\na{b=\"c\"} 1\n"))
    }

    @Test(
        arguments: [
            (0, "0"), (-1, "-1"), (0.25, "0.25"), (1e16, "1e+16"), (1e15, "1000000000000000"),
            (123_456_789, "123456789"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
        ] as [(Double, String)])
    func `numbers are written as Prometheus reads them`(value: Double, shown: String) {
        var text = ServerMetrics.PrometheusText()
        text.addGauge("a", "A.", value)
        #expect(text.description.hasSuffix("\na \(shown)\n"))
    }

    @Test func `the metrics of a server name every reason, also those that did not occur`() {
        var metrics = ServerMetrics()
        metrics.counters.connectionCount = 3
        metrics.counters.endedConnectionCounts = [.noRoom: 2]
        let lines = metrics.prometheusText(labels: ["server": "game"]).split(separator: "\n")
        #expect(lines.contains("wireline_connections{server=\"game\"} 3"))
        for reason in ServerCounters.EndReason.allCases {
            let count = reason == .noRoom ? 2 : 0
            let line = "wireline_ended_connections_total{server=\"game\",reason=\"\(reason.rawValue)\"} \(count)"
            #expect(lines.contains { $0 == line })
        }
    }

    @Test(.enabled(if: PrometheusTool.isWanted, "\(PrometheusTool.absence)"))
    func `Prometheus accepts the metrics of two servers in one text`() throws {
        var metrics = ServerMetrics()
        metrics.loops = [EventLoopCounters(), EventLoopCounters()]
        metrics.loops[0].turns.record(.milliseconds(3))
        var times = Histogram()
        times.record(.microseconds(40))
        metrics.messageTimes = [.init(id: 20_001, name: "Cs_20001", times: times)]
        var text = ServerMetrics.PrometheusText()
        text.add(metrics, labels: ["server": "game \"one\"\\"])
        text.add(metrics, labels: ["server": "chat\n"])
        #expect(try PrometheusTool.complaints(about: text.description) == "")
    }

    @Test(.enabled(if: PrometheusTool.isWanted, "\(PrometheusTool.absence)"))
    func `Prometheus refuses a broken text`() throws {
        #expect(try PrometheusTool.complaints(about: "wireline_connections{ 3\n") != "")
    }
}
