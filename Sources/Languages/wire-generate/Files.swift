// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineCodec

/// File operations of the generator.
enum Files {
    static func path(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Returns the name of a folder, also if the path is `.` or ends in a slash.
    static func folderName(_ path: String) -> String {
        URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.lastPathComponent
    }

    /// Returns the names in a folder, in byte order.
    static func names(in folder: String) throws(Complaint) -> [String] {
        try attempt("read", folder) { try FileManager.default.contentsOfDirectory(atPath: folder) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func read(_ path: String) throws(Complaint) -> [UInt8] {
        try attempt("read", path) { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }

    /// Writes a file unless it already has this text, so that unchanged files are not rebuilt.
    static func write(_ text: String, to path: String) throws(Complaint) {
        let bytes = Array(text.utf8)
        if let present = try? read(path), present == bytes { return }
        try attempt("write", path) { try Data(bytes).write(to: URL(filePath: path), options: .atomic) }
    }

    /// Makes a folder and its parents.
    static func makeFolder(_ path: String) throws(Complaint) {
        try attempt("make the folder", path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    /// Prints text, escaped: names and contents of files can contain anything.
    static func print(_ text: String, to file: FileHandle) {
        // If the reader has gone, the text is lost.
        try? file.write(contentsOf: Data(text.escaped(keepingLines: true).utf8))
    }

    private static func attempt<Result>(
        _ action: String, _ path: String, _ work: () throws -> Result
    ) throws(Complaint) -> Result {
        do {
            return try work()
        } catch {
            throw Complaint("error: cannot \(action) \(path): \(error.localizedDescription)")
        }
    }
}
