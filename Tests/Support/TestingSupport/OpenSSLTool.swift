// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The command-line tool `openssl`, which makes certificates for tests and is a peer in tests.
public enum OpenSSLTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "openssl is not on the PATH: install openssl"

    private static let path = Peers.path(of: "openssl")

    /// A process that will run the tool.
    public static func process(_ arguments: [String], in folder: URL? = nil) throws -> Process {
        guard let path else { throw Failure(description: absence) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        return process
    }

    /// Runs the tool, and returns what it prints.
    @discardableResult
    public static func run(_ arguments: [String], in folder: URL) throws -> Data {
        let process = try process(arguments, in: folder)
        let (output, problems) = (Pipe(), folder.appending(path: "problems"))
        try Data().write(to: problems)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: problems)
        let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
        guard process.terminationStatus == 0 else {
            let text = try String(decoding: Data(contentsOf: problems), as: UTF8.self)
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(text)")
        }
        return data
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
