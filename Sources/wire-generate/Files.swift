// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The few things that are done with files.
enum Files {
    static func path(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The name that a folder has, also where it is called `.` or ends in a slash.
    static func folderName(_ path: String) -> String {
        URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.lastPathComponent
    }

    /// The names of what is in a folder, in the order of their bytes.
    static func names(in folder: String) throws(Complaint) -> [String] {
        try attempt("read", folder) { try FileManager.default.contentsOfDirectory(atPath: folder) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func read(_ path: String) throws(Complaint) -> [UInt8] {
        try attempt("read", path) { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }

    /// Writes a file, unless it has this text already: what did not change need not be built again.
    static func write(_ text: String, to path: String) throws(Complaint) {
        let bytes = Array(text.utf8)
        if let present = try? read(path), present == bytes { return }
        try attempt("write", path) { try Data(bytes).write(to: URL(filePath: path), options: .atomic) }
    }

    /// Makes a folder and those above it.
    static func makeFolder(_ path: String) throws(Complaint) {
        try attempt("make the folder", path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    static func print(_ text: String, to file: FileHandle) {
        // Nobody is left to be told when the reader of our messages has gone.
        try? file.write(contentsOf: Data(text.utf8))
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
