// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Compares what every generator writes with what is recorded under `Tests/Conformance/Golden`, byte for byte: the files of Scene, for
/// people to read, and the SHA-256 of the files of all protocols.
///
/// Each process gives hashed collections another order, so equal files also show that no output depends on it.
struct OutputTests {
    private static let golden = Checkout.url("Tests/Conformance/Golden")
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1"
    private static let advice = """
        See the differences with `.ci/outputs HEAD`. If they are as intended, record them:
        RECORD_VECTORS=1 swift test --filter OutputTests
        """

    @Test func `what each generator writes for Scene is as recorded`() throws {
        let folder = Self.golden.appending(path: "Scene")
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        var outputs: [String: Data] = [:]
        for backEnd in BackEnd.all where backEnd.name != "swift" && !backEnd.name.hasSuffix("-adapter") {
            for file in try backEnd.files(scene.description, fileNames: scene.files.map(\.path)) {
                outputs[backEnd.name + "/" + file.path] = Data(file.text.utf8)
            }
        }
        if Self.isRecording {
            try? FileManager.default.removeItem(at: folder)
            try outputs.write(under: folder)
            Issue.record("recorded \(outputs.count) files")
        }
        let recorded = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .map { ($0, folder.appending(path: $0, directoryHint: .checkFileSystem)) }
            .filter { !$0.1.hasDirectoryPath }
            .map { ($0, try Data(contentsOf: $1)) }
        let changes = outputs.changes(since: Dictionary(uniqueKeysWithValues: recorded))
        #expect(changes == [], "\(Self.advice)")
    }

    /// The target Scene is made of these files.
    @Test func `the Swift of Scene under Protocols is what its generator writes`() throws {
        let folder = SchemaFolder.protocols.appending(path: "Scene")
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        for file in SwiftGenerator(scene.description, fileNames: scene.files.map(\.path)).files() {
            let place = folder.appending(path: file.path)
            if Self.isRecording {
                try Data(file.text.utf8).write(to: place)
                Issue.record("recorded \(file.path)")
            }
            #expect(try Data(contentsOf: place) == Data(file.text.utf8), "\(file.path): \(Self.advice)")
        }
    }

    @Test(.amongAll) func `no generator writes a different byte for any protocol`() async throws {
        let list = Self.golden.appending(path: "outputs.sha256")
        let hashes = try await withThrowingTaskGroup(of: [String: String].self) { group in
            for folder in try SchemaFolder.all() { group.addTask { try folder.outputs().hashes() } }
            return try await group.reduce(into: [String: String]()) { $0.merge($1) { first, _ in first } }
        }
        if Self.isRecording {
            let lines = hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            try Data(lines.map { "\($0.value)  \($0.key)\n" }.joined().utf8).write(to: list)
            Issue.record("recorded \(hashes.count) hashes")
        }
        let changes = hashes.changes(since: try .init(checksums: String(contentsOf: list, encoding: .utf8)))
        #expect(changes == [], "\(Self.advice)")
    }
}

extension SchemaFolder {
    /// All folders of schemas: the protocols, and the types that tests generate.
    fileprivate static func all() throws -> [SchemaFolder] {
        try [protocols, generatedTypes].flatMap { parent in
            try names(in: parent)
                .filter { parent.appending(path: $0, directoryHint: .checkFileSystem).hasDirectoryPath }
                .map { try SchemaFolder($0, under: parent) }
        }
    }

    /// Returns what all generators write, by `<Protocol>/<generator>/<path>`; for the features also with the options that
    /// change it.
    fileprivate func outputs() throws -> [String: Data] {
        let fileNames = files.map(\.path)
        var outputs = try BackEnd.all.map { ($0.name, try $0.files(description, fileNames: fileNames)) }
        if name == "Features" {
            let parts = SwiftGenerator(description, fileNames: fileNames, partCount: 2)
            outputs.append(("swift-plugin", parts.files() + [parts.erlangFile(files)]))
            for backEnd in BackEnd.all where backEnd.takesPackage {
                let packaged = try backEnd.files(description, fileNames: fileNames, package: "example")
                outputs.append((backEnd.name + "-package", packaged))
            }
        }
        return Dictionary(
            uniqueKeysWithValues: outputs.flatMap { generator, files in
                files.map { ("\(name)/\(generator)/\($0.path)", Data($0.text.utf8)) }
            })
    }
}

extension [String: Data] {
    /// Writes files, named by their paths.
    fileprivate func write(under folder: URL) throws {
        for (path, data) in self {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
    }

    /// Returns the SHA-256 of each file. A program of the system takes them: Swift without optimization is too slow.
    fileprivate func hashes() throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(under: folder)
        let paths = keys.map { folder.appending(path: $0).path }
        let text =
            if let program = Peers.path(of: "sha256sum") {
                try ProgramRun.output(of: program, paths)
            } else {
                try ProgramRun.output(of: "/usr/bin/shasum", ["-a", "256"] + paths)
            }
        return try .init(checksums: text.replacing(folder.path + "/", with: ""))
    }
}

extension [String: String] {
    /// Reads what `sha256sum` prints: a hash, two spaces and a path in each line.
    fileprivate init(checksums text: String) throws {
        self = try text.split(separator: "\n").reduce(into: [:]) { hashes, line in
            let parts = line.split(separator: "  ", maxSplits: 1).map(String.init)
            try #require(parts.count == 2 && parts[0].count == 64, "\(line)")
            hashes[parts[1]] = parts[0]
        }
    }
}

extension Dictionary where Key == String, Value: Equatable {
    /// Names the files that differ from others, sorted.
    fileprivate func changes(since old: Self) -> [String] {
        Set(keys).union(old.keys).sorted().compactMap { path in
            switch (old[path], self[path]) {
            case (nil, _): "new: \(path)"
            case (_, nil): "gone: \(path)"
            case (let before, let now): before == now ? nil : "changed: \(path)"
            }
        }
    }
}
