// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The Erlang peers that tests run.
public enum ErlangInterpreter {
    /// Whether to run the tests with Erlang: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "escript is not on the PATH: install erlang-base"

    /// The same for tests that need Erlang's `ssl`, which has a package of its own.
    public static let isWantedWithTLS = hasApplication("ssl") || Peers.areRequired

    /// The message of such a test that is skipped.
    public static let absenceOfTLS = "Erlang or its ssl is missing: install erlang-ssl"

    /// The same for tests that need Dialyzer.
    public static let isWantedWithDialyzer = hasApplication("dialyzer") || Peers.areRequired

    /// The message of such a test that is skipped.
    public static let absenceOfDialyzer = "Erlang or its Dialyzer is missing: install erlang-dialyzer"

    /// Next to the interpreter's real `bin` there is `lib`, with a folder for each application.
    private static func hasApplication(_ name: String) -> Bool {
        guard let path else { return false }
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "../lib")
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return names?.contains { $0.hasPrefix(name + "-") } ?? false
    }

    /// The program that runs scripts; nil if it is not installed.
    public static let path = Peers.path(of: "escript")

    /// A process that will run a script.
    public static func process(script: URL, arguments: [String]) throws -> Process {
        guard let path else { throw Absent() }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = [script.path] + arguments
        return process
    }

    /// Runs a script in a node that has run others, because a node takes long to begin, and so does the compiling of a
    /// script.
    static func run(_ script: URL, _ arguments: [String]) throws {
        guard let path else { throw Absent() }
        let node = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "node.escript").path
        let request = ([script.path] + arguments).joined(separator: "\t") + "\n"
        try nodes.with {
            try PipedProgram(path, [node])
        } body: { node in
            try node.write(Data(request.utf8))
            let answer = String(decoding: try node.read(until: 0), as: UTF8.self)
            guard answer.isEmpty else { throw PipedProgram.Failure(description: answer) }
        }
    }

    /// Compiles a module into its folder, with all warnings as errors.
    ///
    /// - Returns: What the compiler says; nothing if it accepts the module.
    public static func compile(_ module: URL) throws -> String {
        guard let compiler = Peers.path(of: "erlc") else { throw Absent() }
        let folder = module.deletingLastPathComponent().path
        return try ProgramRun.output(
            of: compiler, ["-Wall", "-Werror", "-o", folder, module.path], isSuccessful: { _ in true })
    }

    private static let nodes = Pool<PipedProgram>()

    private struct Absent: Error, CustomStringConvertible {
        var description: String { absence }
    }
}
