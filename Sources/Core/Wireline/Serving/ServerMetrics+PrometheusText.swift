// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

extension ServerMetrics {
    /// Metrics in Prometheus's text format, version 0.0.4.
    ///
    ///     var text = ServerMetrics.PrometheusText()
    ///     text.add(await game.metrics(), labels: ["server": "game"])
    ///     text.add(await chat.metrics(), labels: ["server": "chat"])
    ///     text.addGauge("game_players", "The number of players.", 17)
    ///     return text.description
    ///
    /// Each name has one `HELP` and one `TYPE` line, however many samples it gets. Of two samples with the same name
    /// and the same labels, the first one stays. Times are seconds.
    public struct PrometheusText: CustomStringConvertible, Sendable {
        /// The media type of the text.
        public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

        private struct Family {
            let name: String
            let help: String
            let type: String
            var samples = ""
            var seen: Set<String> = []
        }

        private var families: [Family] = []
        private var places: [String: Int] = [:]

        /// Makes an empty text.
        public init() {}

        /// The text, with the metrics in the order of their first samples.
        public var description: String {
            families.map { "# HELP \($0.name) \($0.help)\n# TYPE \($0.name) \($0.type)\n\($0.samples)" }.joined()
        }

        /// Adds a value that can go up and down.
        ///
        /// - Parameters:
        ///   - name: The name: letters, digits and `_`.
        ///   - help: The meaning of the value, for the reader of a dashboard.
        ///   - value: The value.
        ///   - labels: The labels of the sample (default: none).
        public mutating func addGauge(
            _ name: String, _ help: String, _ value: Double, labels: KeyValuePairs<String, String> = [:]
        ) {
            add(name, help, "gauge", labels: Array(labels)) { "\(name)\($0) \(Self.number(value))\n" }
        }

        /// Adds a count that only goes up.
        ///
        /// - Parameters:
        ///   - name: The name: letters, digits and `_`. It ends in `_total`.
        ///   - help: The meaning of the count, for the reader of a dashboard.
        ///   - value: The count since the process began.
        ///   - labels: The labels of the sample (default: none).
        public mutating func addCounter(
            _ name: String, _ help: String, _ value: Double, labels: KeyValuePairs<String, String> = [:]
        ) {
            precondition(name.hasSuffix("_total"), "the name of a counter ends in _total")
            add(name, help, "counter", labels: Array(labels)) { "\(name)\($0) \(Self.number(value))\n" }
        }

        /// Adds durations, in seconds.
        ///
        /// - Parameters:
        ///   - name: The name: letters, digits and `_`. It ends in `_seconds`.
        ///   - help: The meaning of the durations, for the reader of a dashboard.
        ///   - histogram: The durations.
        ///   - labels: The labels of the sample (default: none).
        public mutating func addHistogram(
            _ name: String, _ help: String, _ histogram: Histogram, labels: KeyValuePairs<String, String> = [:]
        ) {
            add(name, help, histogram, labels: Array(labels))
        }

        mutating func add(_ name: String, _ help: String, _ histogram: Histogram, labels: [(String, String)]) {
            precondition(name.hasSuffix("_seconds"), "the name of a histogram of durations ends in _seconds")
            add(name, help, "histogram", labels: labels) { shown in
                var lines = ""
                var count = 0
                let bounds = histogram.bounds.map { Self.number($0.inSeconds) } + ["+Inf"]
                for (bound, bucketCount) in zip(bounds, histogram.bucketCounts) {
                    count += bucketCount
                    lines += "\(name)_bucket\(Self.text(of: labels + [("le", bound)])) \(count)\n"
                }
                lines += "\(name)_sum\(shown) \(Self.number(histogram.sum.inSeconds))\n"
                return lines + "\(name)_count\(shown) \(count)\n"
            }
        }

        mutating func add(
            _ name: String, _ help: String, _ type: String, labels: [(String, String)], _ sample: (String) -> String
        ) {
            precondition(Self.isName(name), "a metric has the name \(name)")
            let shown = Self.text(of: labels)
            let place: Int
            if let known = places[name] {
                place = known
                precondition(families[known].type == type, "\(name) is of two types")
            } else {
                place = families.count
                places[name] = place
                families.append(Family(name: name, help: Self.escaped(help, quotes: false), type: type))
            }
            guard families[place].seen.insert(shown).inserted else { return }
            families[place].samples += sample(shown)
        }

        // MARK: Text

        private static func isName(_ name: String) -> Bool {
            guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
            return name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
        }

        private static func text(of labels: [(String, String)]) -> String {
            guard !labels.isEmpty else { return "" }
            let pairs = labels.map { name, value in
                precondition(isName(name), "a label has the name \(name)")
                return "\(name)=\"\(escaped(value, quotes: true))\""
            }
            return "{\(pairs.joined(separator: ","))}"
        }

        private static func escaped(_ text: String, quotes: Bool) -> String {
            var result = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\\": result += "\\\\"
                case "\n": result += "\\n"
                case "\"" where quotes: result += "\\\""
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }

        static func number(_ value: Double) -> String {
            if value.isNaN { return "NaN" }
            if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
            let isWhole = value.rounded() == value && value.magnitude < 1e16
            return isWhole ? "\(Int64(value))" : "\(value)"
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
