// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The compiler of TypeScript, and Node, which runs what it makes.
public enum TypeScriptTool {
    /// Whether to run the tests that need both: they are installed, or `WIRELINE_REQUIRE_PEERS=1` requires them, so that their
    /// absence is a failure.
    public static let isWanted =
        compiler != nil && node != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "tsc or node is not on the PATH: install node-typescript and nodejs"

    private static let compiler = Peers.path(of: "tsc")
    private static let node = Peers.path(of: "node")

    /// The strictest settings under which generated code must compile.
    private static let strict = [
        "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noUnusedLocals",
        "--noUnusedParameters", "--noImplicitReturns", "--noFallthroughCasesInSwitch", "--noImplicitOverride",
        "--isolatedModules", "--skipLibCheck",
    ]

    /// Compiles modules beside their sources.
    ///
    /// - Parameters:
    ///   - target: The edition of JavaScript: `ES2015`.
    ///   - module: The kind of module that is made (default: `ES2015`).
    ///   - libraries: The names of the libraries that the platform has; empty for those of a browser.
    ///   - isEmitted: Whether files are written (default: true), and not only checked.
    ///   - output: The folder of what is made (default: beside the sources).
    /// - Returns: What the compiler says; nothing if it accepts all.
    public static func compile(
        _ files: [URL], target: String, module: String = "ES2015", libraries: String = "", isEmitted: Bool = true,
        output: URL? = nil
    ) throws -> String {
        guard let compiler else { throw ProgramRun.Failure(description: absence) }
        var arguments = strict + ["--target", target, "--module", module]
        if !libraries.isEmpty { arguments += ["--lib", libraries] }
        if let output { arguments += ["--outDir", output.path] }
        if !isEmitted { arguments.append("--noEmit") }
        return try ProgramRun.output(of: compiler, arguments + files.map(\.path), isSuccessful: { _ in true })
    }

    /// Looks at the types of a file of which not all is used.
    ///
    /// - Returns: What the compiler says; nothing if it accepts the file.
    public static func checkTypes(of file: URL) throws -> String {
        guard let compiler else { throw ProgramRun.Failure(description: absence) }
        let settings = strict.filter { !$0.hasPrefix("--noUnused") } + ["--target", "ES2020", "--noEmit"]
        return try ProgramRun.output(of: compiler, settings + [file.path], isSuccessful: { _ in true })
    }

    /// Looks whether a script can be read.
    ///
    /// - Returns: What Node says; nothing if it accepts the script.
    public static func check(_ script: URL) throws -> String {
        guard let node else { throw ProgramRun.Failure(description: absence) }
        let line = [#"exec "$0" --check "$1" 2>&1"#, node, script.path]
        return try ProgramRun.output(of: "/bin/sh", ["-c"] + line, isSuccessful: { _ in true })
    }

    /// Runs a script.
    ///
    /// - Parameters:
    ///   - preload: A script that Node runs first; nil for none.
    ///   - input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(
        _ script: URL, _ arguments: [String] = [], preload: URL? = nil, input: String = ""
    ) throws -> String {
        guard let node else { throw ProgramRun.Failure(description: absence) }
        let before = preload.map { ["--require", $0.path] } ?? []
        return try ProgramRun.output(of: node, before + [script.path] + arguments, input: input)
    }
}
