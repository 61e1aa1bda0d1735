// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import WirelineGenerator

/// The benchmark of one language, in a folder of its own, compiled.
struct LanguageProgram {
    /// What is compared; the first one is ours.
    static let implementations = ["wireline", "by hand"]
    /// What is done with a whole `Sc_20001` whose text has so many bytes.
    static let caseNames = ["encode_16", "decode_16", "encode_1024", "decode_1024"]

    private let language: Language
    private let folder: URL

    init(_ language: Language) throws {
        self.language = language
        folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try language.files(SceneSchema.description()) {
            try Data(file.text.utf8).write(to: folder.appending(path: file.path))
        }
        let benchmark = Machine.packageDirectory.appending(path: "languages").appending(path: language.benchmark)
        try FileManager.default.copyItem(at: benchmark, to: folder.appending(path: language.benchmark))
        _ = try shell(language.compilation)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Measures all cases once. The program throws unless both implementations write and read the same.
    func run(milliseconds: Int) throws -> [(caseName: String, implementation: String, nanoseconds: Double)] {
        let rows = try shell("\(language.command) \(milliseconds)").split(separator: "\n").compactMap {
            line -> (String, String, Double)? in
            let parts = line.split(separator: "\t")
            guard parts.count == 3, let number = Double(parts[2]) else { return nil }
            return (String(parts[0]), String(parts[1]), number)
        }
        guard rows.count == Self.caseNames.count * Self.implementations.count else {
            throw Command.Failure(description: "\(language.benchmark) has printed \(rows.count) results")
        }
        return rows
    }

    private func shell(_ command: String) throws -> String {
        try Command.output(of: ["sh", "-c", "cd \"$0\" && \(command)", folder.path])
    }
}
