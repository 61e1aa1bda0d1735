// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Measurements as tables in markdown.
struct Report {
    enum Unit: String {
        case nanoseconds = "ns"
        case instructions
    }

    let results: Results
    let unit: Unit

    func markdown(preface: String) -> String {
        let sections = [
            preface,
            codecTable("Encoding a packet", operation: "enc", limit: "c"),
            codecTable("Decoding a packet", operation: "dec", limit: "c-own"),
            splittingTable(limit: "c-call"),
            varyingTable(limit: "c"),
            bytesTable("Masking", prefix: "mask_", limit: "c-avx2"),
            bytesTable("Checking that text is UTF-8", prefix: "utf8_", limit: "simdjson"),
            bytesTable("Opening layers", prefix: "layer_", limit: "c"),
            termTable,
            goalTable,
        ]
        return sections.compactMap(\.self).joined(separator: "\n\n")
    }

    // MARK: Messages

    private func codecTable(_ title: String, operation: String, limit: String) -> String? {
        let ours = results.benchmarks.filter { $0.caseName.contains("_\(operation)_") }
        guard !ours.isEmpty else { return nil }
        let caseNames = ["cs", "sc"].flatMap { message in
            Sample.all.map { "\(message)_\(operation)_\($0.textByteCount)" }
        }
        let heads = ["Cs_20001", "Sc_20001"].flatMap { message in
            Sample.all.map { "\(message), \($0.textByteCount) B" }
        }
        let rows = implementations(ours).map { implementation in
            [implementation] + caseNames.map { cell($0, implementation, limit) }
        }
        return "### \(title): \(unit.rawValue) (times `\(limit)`)\n\n" + markdownTable(["implementation"] + heads, rows)
    }

    private func cell(_ caseName: String, _ implementation: String, _ limit: String) -> String {
        guard let value = results.samples.median(caseName, implementation) else { return "–" }
        guard let ratio = results.samples.ratio(caseName, implementation, to: limit) else { return value.threeDigits }
        return "\(value.threeDigits) (\(ratio.timesText))"
    }

    // MARK: Streams

    private func splittingTable(limit: String) -> String? {
        let ours = results.benchmarks.filter { $0.isOfStream && $0.caseName.hasPrefix("frame_") }
        guard !ours.isEmpty else { return nil }
        let caseNames = ["frame_23", "frame_1024"]
        let rows = implementations(ours).map { implementation in
            [implementation]
                + caseNames.flatMap { caseName in
                    ours.first { $0.caseName == caseName && $0.implementation == implementation }
                        .map { streamCells($0, limit) } ?? Array(repeating: "–", count: unit == .nanoseconds ? 3 : 2)
                }
        }
        let columns = unit == .nanoseconds ? ["ns each", "GB/s", "times `\(limit)`"] : ["each", "times `\(limit)`"]
        let heads = ["23 B", "1 KiB"].flatMap { size in columns.map { "\(size): \($0)" } }
        return "### Splitting a stream that arrives in 64 KiB pieces: \(unit.rawValue)\n\n"
            + markdownTable(["splitter"] + heads, rows)
    }

    private func streamCells(_ benchmark: Benchmark, _ limit: String) -> [String] {
        let value = results.samples.median(benchmark.caseName, benchmark.implementation) ?? .nan
        let ratio = results.samples.ratio(benchmark.caseName, benchmark.implementation, to: limit)?.timesText ?? "–"
        guard unit == .nanoseconds else { return [value.threeDigits, ratio] }
        let each = value / Double(benchmark.packetCount)
        return [each.threeDigits, (Double(benchmark.byteCount) / value).threeDigits, ratio]
    }

    // MARK: Headers that vary

    private func varyingTable(limit: String) -> String? {
        let ours = results.benchmarks.filter { $0.caseName.hasPrefix("varying_") }
        guard !ours.isEmpty else { return nil }
        let caseNames = [
            VaryingSample.encoding, VaryingSample.encodingFixed, VaryingSample.encodingSet, VaryingSample.decoding,
            VaryingSample.splitting,
        ]
        let rows = implementations(ours).map { implementation in
            [implementation]
                + caseNames.map { caseName in
                    ours.first { $0.caseName == caseName && $0.implementation == implementation }
                        .map { varyingCell($0, limit) } ?? "–"
                }
        }
        return "### Packets with a header that varies: \(unit.rawValue) each (times `\(limit)`)\n\n"
            + markdownTable(
                ["implementation", "encode", "encode, fixed values", "encode, set values", "decode", "split"], rows)
    }

    private func varyingCell(_ benchmark: Benchmark, _ limit: String) -> String {
        guard benchmark.isOfStream, unit == .nanoseconds else {
            return cell(benchmark.caseName, benchmark.implementation, limit)
        }
        let cells = streamCells(benchmark, limit)
        return "\(cells[0]) (\(cells[2]))"
    }

    // MARK: Terms

    private var termTable: String? {
        let ours = results.benchmarks.filter { $0.caseName.hasPrefix("term_") }
        guard !ours.isEmpty else { return nil }
        let caseNames = distinct(ours.map(\.caseName))
        let rows = implementations(ours).map { implementation in
            [implementation]
                + caseNames.map { caseName in
                    let isOfValue = caseName.hasSuffix("_dec")
                    return cell(caseName, implementation, isOfValue ? "c-own" : "c")
                }
        }
        return "### Terms of Erlang: \(unit.rawValue) (times `c`, or `c-own` when values are made)\n\n"
            + markdownTable(["implementation"] + caseNames.map { "`\($0)`" }, rows)
    }

    // MARK: Bytes

    private func bytesTable(_ title: String, prefix: String, limit: String) -> String? {
        let ours = results.benchmarks.filter { $0.caseName.hasPrefix(prefix) }
        guard !ours.isEmpty else { return nil }
        let caseNames = distinct(ours.map(\.caseName))
        let rows = implementations(ours).map { implementation in
            [implementation]
                + caseNames.flatMap { caseName in
                    ours.first { $0.caseName == caseName && $0.implementation == implementation }
                        .map { byteCells($0, limit) } ?? ["–", "–"]
                }
        }
        let heads = caseNames.flatMap { ["`\($0)`: GB/s", "times `\(limit)`"] }
        return "### \(title)\n\n" + markdownTable(["implementation"] + heads, rows)
    }

    private func byteCells(_ benchmark: Benchmark, _ limit: String) -> [String] {
        let value = results.samples.median(benchmark.caseName, benchmark.implementation) ?? .nan
        let ratio = results.samples.ratio(benchmark.caseName, benchmark.implementation, to: limit)?.timesText ?? "–"
        return [(Double(benchmark.byteCount) / value).threeDigits, ratio]
    }

    // MARK: Goals

    private var goalTable: String? {
        let rows = Goal.all.filter { $0.unit == unit }.compactMap { goal -> [String]? in
            guard let value = goal.value(in: results) else { return nil }
            let isMet = value <= goal.most
            return [goal.title, "≤ \(goal.text(goal.most))", goal.text(value), isMet ? "met" : "**missed**"]
        }
        return rows.isEmpty ? nil : "### Goals\n\n" + markdownTable(["goal", "at most", "measured", ""], rows)
    }

    // MARK: Markdown

    private func implementations(_ benchmarks: [Benchmark]) -> [String] {
        distinct(benchmarks.map(\.implementation))
    }

    private func distinct(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
