// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The peers in Erlang that tests run.
public enum ErlangInterpreter {
    /// Whether the tests against Erlang run: where it is installed, and where `WIRELINE_REQUIRE_PEERS=1` asks for it and
    /// its absence must be a failure.
    public static let isWanted = path != nil || ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// What a test says that does not run.
    public static let absence = "escript is not on the PATH: install erlang-base"

    private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/escript" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A process that will run a script.
    public static func process(script: URL, arguments: [String]) throws -> Process {
        guard let path else { throw Absent() }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = [script.path] + arguments
        return process
    }

    private struct Absent: Error, CustomStringConvertible {
        var description: String { absence }
    }
}
