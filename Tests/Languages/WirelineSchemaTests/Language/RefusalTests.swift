// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineSchema

/// Schemas with something wrong in them, and everything that must be reported about each: the files in `Refusals/`.
struct RefusalTests {
    /// `RECORD_VECTORS=1` writes the reports again, and fails.
    @Test(arguments: try Refusal.all())
    func `each problem is reported once, in full`(refusal: Refusal) throws {
        let report = try ProtocolDescription.check(name: "Test", files: refusal.sources()).renderedDiagnostics()
        if ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1" {
            try Data((report + "\n").utf8).write(to: refusal.expected)
            Issue.record("recorded")
        }
        #expect(try report == String(decoding: Refusal.content(of: refusal.expected), as: UTF8.self))
        #expect(!report.isEmpty)
    }
}

/// One schema: a file, or a folder of several files; and its report, which is a file beside it.
struct Refusal: CustomTestStringConvertible, Sendable {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Refusals")

    /// The path in the folder, without extension.
    let testDescription: String

    private var path: URL { Self.folder.appending(path: testDescription) }
    private var schema: URL { path.appendingPathExtension("wire") }
    var expected: URL { path.appendingPathExtension("expected") }

    /// All of them. A file without its partner and an empty folder are among them too, and fail when they are read.
    static func all() throws -> [Refusal] {
        try names(in: folder).filter { $0 != "README.md" }.flatMap { topic in
            let names = try names(in: folder.appending(path: topic)).map { name in
                for ending in [".wire", ".expected"] where name.hasSuffix(ending) {
                    return String(name.dropLast(ending.count))
                }
                return name
            }
            return names.isEmpty
                ? [Refusal(testDescription: topic)]
                : Set(names).sorted().map { Refusal(testDescription: topic + "/" + $0) }
        }
    }

    /// The file under the name `a.wire`; if it is a folder, its files under their own names.
    func sources() throws -> [SourceFile] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder), isFolder.boolValue else {
            return [SourceFile(path: "a.wire", bytes: try Self.content(of: schema))]
        }
        return try Self.names(in: path).map {
            SourceFile(path: $0, bytes: try Self.content(of: path.appending(path: $0)))
        }
    }

    /// The bytes of a file without the newline at its end, which it must have.
    static func content(of file: URL) throws -> [UInt8] {
        let bytes = try Data(contentsOf: file)
        try #require(bytes.last == UInt8(ascii: "\n"), "\(file.path) does not end in a newline")
        return Array(bytes.dropLast())
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
