// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CLimit

@main
enum Benchmarks {
    static func main() {
        runProgram { try run(try Options(CommandLine.arguments.dropFirst())) }
    }

    private static func run(_ options: Options) throws {
        if case .help = options.mode { return print(Options.help) }
        let benchmarks = try selected(options)
        try noteAbsences(benchmarks)
        switch options.mode {
        case .help: break
        case .table: try printTables(benchmarks, options)
        case .smoke: try smoke(benchmarks)
        case .json: try printJSON(benchmarks)
        case .instructions: try printInstructions(benchmarks, options)
        case .repetitions(let count):
            for benchmark in benchmarks { try benchmark.repeats(count) }
        }
    }

    private static func selected(_ options: Options) throws -> [Benchmark] {
        var options = options
        if case .smoke = options.mode { options.mebibytes = 1 }
        let all = try allBenchmarks(mebibytes: options.mebibytes)
        guard let selection = options.selection else { return all }
        let selected = all.filter { $0.matches(selection) }
        guard !selected.isEmpty else {
            let names = all.map(\.fullName).joined(separator: " ")
            throw BadUsage(description: "no benchmark is called `\(selection)`; there are: \(names)")
        }
        return selected
    }

    private static func noteAbsences(_ benchmarks: [Benchmark]) throws {
        guard benchmarks.contains(where: { $0.caseName.hasPrefix("utf8_") }), limit_simdjson() == nil else { return }
        try noteAbsence("no row of simdjson", "there is no libsimdjson (Debian: libsimdjson-dev)")
    }

    /// The implementations of a case stand together, so that they are measured next to each other.
    private static func allBenchmarks(mebibytes: Int) throws -> [Benchmark] {
        let codecs = Sample.all.flatMap { sample in
            limitCodecBenchmarks(sample) + wirelineCodecBenchmarks(sample) + byteBufferCodecBenchmarks(sample)
                + protobufCodecBenchmarks(sample)
        }
        let streams = [23, 1024].map { PacketStream(packetByteCount: $0, mebibytes: mebibytes) }
        let splitters = streams.flatMap { stream in
            limitSplittingBenchmarks(stream) + wirelineSplittingBenchmarks(stream) + nioSplittingBenchmarks(stream)
        }
        let stream = VaryingStream(mebibytes: mebibytes)
        let varying = limitVaryingBenchmarks(stream) + wirelineVaryingBenchmarks(stream)
        let masks = MaskedBytes.all(mebibytes: mebibytes).flatMap { bytes in
            limitMaskingBenchmarks(bytes) + wirelineMaskingBenchmarks(bytes) + nioMaskingBenchmarks(bytes)
        }
        let texts = Text.all().flatMap { text in
            limitTextBenchmarks(text) + wirelineTextBenchmarks(text) + standardTextBenchmarks(text)
        }
        let layers = try SealedPacket.all().flatMap { packet in
            try limitLayerBenchmarks(packet) + wirelineLayerBenchmarks(packet)
        }
        let terms = try TermSample.all().flatMap { sample in
            limitTermBenchmarks(sample) + wirelineTermBenchmarks(sample)
        }
        let all = codecs + splitters + varying + masks + texts + layers + terms
        let caseNames = all.map(\.caseName).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return caseNames.flatMap { name in all.filter { $0.caseName == name } }
    }

    // MARK: Modes

    private static func smoke(_ benchmarks: [Benchmark]) throws {
        for benchmark in benchmarks {
            do {
                try benchmark.check()
                try benchmark.repeats(1)
            } catch {
                throw WrongResult(description: "\(benchmark.fullName): \(error)")
            }
        }
        print("\(benchmarks.count) benchmarks make the right bytes and values")
    }

    private static func printJSON(_ benchmarks: [Benchmark]) throws {
        for benchmark in benchmarks where benchmark.implementation.hasPrefix("wireline") {
            let candidate = try CalibratedBenchmark(benchmark)
            guard let nanoseconds = try CalibratedBenchmark.best(of: [candidate]).first else { continue }
            print(
                #"{"case":"\#(benchmark.caseName)","impl":"\#(benchmark.implementation)","#
                    + #""ns":\#(nanoseconds.rounded(places: 3)),"bytes":\#(benchmark.byteCount)}"#)
        }
    }

    private static func printTables(_ benchmarks: [Benchmark], _ options: Options) throws {
        for benchmark in benchmarks { try benchmark.check() }
        let results = try Results.measure(benchmarks, rounds: options.rounds) { round in
            note("round \(round) of \(options.rounds)")
        }
        print(Report(results: results, unit: .nanoseconds).markdown(preface: preface(options)))
    }

    private static func preface(_ options: Options) -> String {
        "\(Machine.description) \(options.rounds) rounds, \(options.mebibytes) MiB a stream."
    }

    private static func printInstructions(_ benchmarks: [Benchmark], _ options: Options) throws {
        let counter = try InstructionCounter()
        defer { counter.close() }
        var results = Results()
        // Those of vectors say little: how wide they are depends on the processor.
        for benchmark in benchmarks where !benchmark.isOfBytes {
            results.add(try counter.count(benchmark), of: benchmark)
            note(benchmark.fullName)
        }
        print(Report(results: results, unit: .instructions).markdown(preface: preface(options)))
    }
}
