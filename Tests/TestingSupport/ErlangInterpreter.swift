// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The peers in Erlang that tests run.
public enum ErlangInterpreter {
    /// Whether the tests against Erlang run: where it is installed, and where `WIRELINE_REQUIRE_PEERS=1` asks for it and
    /// its absence must be a failure.
    public static let isWanted = path != nil || ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// What a test says that does not run.
    public static let absence = "escript is not on the PATH: install erlang-base"

    /// The same for tests that need Erlang's `ssl`, which comes in a package of its own.
    public static let isWantedWithTLS =
        hasTLS || ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// What such a test says that does not run.
    public static let absenceOfTLS = "Erlang or its ssl is missing: install erlang-ssl"

    /// Beside `bin`, where the interpreter really is, there is `lib` with an application a folder.
    private static let hasTLS: Bool = {
        guard let path else { return false }
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "../lib")
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return names?.contains { $0.hasPrefix("ssl-") } ?? false
    }()

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
