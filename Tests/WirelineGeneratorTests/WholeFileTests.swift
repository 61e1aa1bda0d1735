// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

/// Compares generated Swift for every feature of the language, and documentation of the scene messages, byte for byte.
///
/// After an intended change of the generator, write the files again, and read the difference before you commit it:
///
///     RECORD_GOLDEN=1 swift test --filter WholeFileTests
struct WholeFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

    @Test func `generated Swift for every feature of the language is unchanged`() throws {
        let features = try SchemaFolder("Features")
        let files = SwiftGenerator(features.description, fileNames: features.files.map(\.path)).files()
        try compare(files, with: "Swift")
    }

    @Test func `the generated documentation of a protocol is unchanged`() throws {
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        let files = HTMLGenerator(scene.description).files() + MarkdownGenerator(scene.description).files()
        try compare(files, with: "Documentation")
    }

    private func compare(_ files: [GeneratedFile], with name: String) throws {
        let folder = Self.folder.appending(path: name)
        if Self.isRecording { try record(files, in: folder) }
        #expect(try SchemaFolder.names(in: folder) == files.map(\.path))
        let differences = try files.compactMap { file in
            let golden = try String(contentsOf: folder.appending(path: file.path), encoding: .utf8)
            return Difference(in: file.path, from: golden, to: file.text)
        }
        #expect(differences == [], "RECORD_GOLDEN=1 writes the files anew")
    }

    /// Overwrites the golden files with generated ones. The run fails, so that it is not taken for a test.
    private func record(_ files: [GeneratedFile], in folder: URL) throws {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in files { try Data(file.text.utf8).write(to: folder.appending(path: file.path)) }
        Issue.record("recorded \(files.count) files")
    }
}

/// The first line in which two texts differ; the whole texts would fill the screen.
private struct Difference: Equatable, CustomStringConvertible {
    let place: String
    let old: String
    let new: String

    init?(in path: String, from old: String, to new: String) {
        guard !old.utf8.elementsEqual(new.utf8) else { return nil }
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        let same = zip(old, new).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        place = "\(path):\(same + 1)"
        self.old = same < old.count ? old[same] : "the end"
        self.new = same < new.count ? new[same] : "the end"
    }

    private static func lines(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var description: String { "\(place): \(old) became \(new)" }
}
