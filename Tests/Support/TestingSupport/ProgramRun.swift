// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs programs of the machine, such as interpreters and compilers, to their end.
public enum ProgramRun {
    /// Why a program ended with a failure: what it wrote to standard error.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Runs a program; if it hangs, it is killed.
    ///
    /// - Parameters:
    ///   - path: Where the program is.
    ///   - input: What it reads from its standard input.
    ///   - isSuccessful: Whether an exit status means success (default: only 0 does).
    /// - Returns: What it prints.
    /// - Throws: ``Failure`` for an exit status that means no success.
    public static func output(
        of path: String, _ arguments: [String], input: String = "", isSuccessful: (Int32) -> Bool = { $0 == 0 }
    ) throws -> String {
        // Files, because a pipe whose reader waits for the program's output would fill.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (inputFile, problemsFile) = (scratch.appending(path: "input"), scratch.appending(path: "problems"))
        try Data(input.utf8).write(to: inputFile)
        try Data().write(to: problemsFile)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: problemsFile)
        let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
        guard isSuccessful(process.terminationStatus) else {
            throw Failure(description: try String(contentsOf: problemsFile, encoding: .utf8))
        }
        return String(decoding: data, as: UTF8.self)
    }
}
