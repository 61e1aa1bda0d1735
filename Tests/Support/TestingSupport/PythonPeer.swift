// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running Python script, which is the other end of a connection.
public final class PythonPeer: @unchecked Sendable {
    // One test at a time uses it.
    private let process = Process()
    private let output = Pipe()
    private let problems = Pipe()
    private var unread = Data()

    /// Starts a script.
    ///
    /// - Parameter arguments: What it finds in `sys.argv[1:]`.
    public init(_ script: String, _ arguments: String...) throws {
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-u", "-c", script] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = problems
        try process.runWatched(within: .seconds(120))
    }

    /// Waits for the next line that it prints; nil after the last one.
    public func line() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { return nil }
            unread += piece
        }
    }

    /// Waits for its end.
    ///
    /// - Returns: What it wrote to standard error, such as the reason why it failed; empty if it did what it should.
    public func finish() throws -> String {
        let text = String(decoding: try problems.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text : "status \(process.terminationStatus): \(text)"
    }
}
