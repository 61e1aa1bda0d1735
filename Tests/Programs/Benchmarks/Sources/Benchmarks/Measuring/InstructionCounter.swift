// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Counts the instructions of an iteration with valgrind, which do not depend on what else the machine does.
///
/// The program runs itself twice, with N and with 2 N iterations: the difference is without start and preparation.
struct InstructionCounter {
    private let program: URL
    private let directory: URL

    init() throws {
        guard let path = Bundle.main.executablePath else { throw WrongResult(description: "cannot find this program") }
        directory = FileManager.default.temporaryDirectory.appending(path: "wireline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        program = directory.appending(path: "benchmarks")
        // Valgrind 3.19 stops at the debug sections that Swift writes.
        try Command.output(of: ["strip", "--strip-debug", "-o", program.path, path])
    }

    /// Removes the copy of the program.
    func close() {
        try? FileManager.default.removeItem(at: directory)
    }

    /// The instructions of one iteration, or of one packet where an iteration is a stream.
    func count(_ benchmark: Benchmark) throws -> Double {
        let mebibytes = 1
        guard benchmark.byteCount > 0 else { return try perIteration(benchmark, iterations: 2000, mebibytes) }
        let packetByteCount = benchmark.byteCount / benchmark.packetCount
        let packetCount = (mebibytes << 20) / packetByteCount
        return try perIteration(benchmark, iterations: 1, mebibytes) / Double(packetCount)
    }

    private func perIteration(_ benchmark: Benchmark, iterations: Int, _ mebibytes: Int) throws -> Double {
        let once = try total(benchmark, iterations: iterations, mebibytes)
        let twice = try total(benchmark, iterations: 2 * iterations, mebibytes)
        return (twice - once) / Double(iterations)
    }

    private func total(_ benchmark: Benchmark, iterations: Int, _ mebibytes: Int) throws -> Double {
        let text = try Command.output(of: [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program.path, "--case",
            benchmark.fullName, "--iters", "\(iterations)", "--mib", "\(mebibytes)",
        ])
        for line in text.split(separator: "\n") {
            guard let mark = line.firstRange(of: "Collected :") else { continue }
            if let count = Double(line[mark.upperBound...].filter { $0 != " " }) { return count }
        }
        throw WrongResult(description: "valgrind says nothing of instructions:\n\(text)")
    }
}
