// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The compiler of C# that Mono has, and Mono, which runs what it makes.
public enum CSharpTool {
    /// Whether to run the tests that need both: they are installed, or `WIRELINE_REQUIRE_PEERS=1` requires them, so that their
    /// absence is a failure.
    public static let isWanted =
        compiler != nil && mono != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "mcs or mono is not on the PATH: install mono-mcs and mono-runtime"

    private static let compiler = Peers.path(of: "mcs")
    private static let mono = Peers.path(of: "mono")

    /// Compiles files to a program or a library, as C# 7.0 and with all warnings as errors.
    ///
    /// - Parameter main: The class whose `Main` begins; others may have one, too. A library has none (default).
    /// - Returns: What the compiler says; nothing if it accepts all.
    public static func compile(_ files: [URL], to program: URL, main: String? = nil) throws -> String {
        guard let compiler else { throw ProgramRun.Failure(description: absence) }
        // It tells errors to standard error.
        let line = [#"exec "$0" "$@" 2>&1"#, compiler]
        let settings = [
            "-warnaserror", "-warn:4", "-langversion:7", "-nologo",
            main.map { "-main:" + $0 } ?? "-target:library", "-out:" + program.path,
        ]
        return try ProgramRun.output(
            of: "/bin/sh", ["-c"] + line + settings + files.map(\.path), isSuccessful: { _ in true })
    }

    /// Runs a program.
    ///
    /// - Parameter input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(_ program: URL, _ arguments: [String] = [], input: String = "") throws -> String {
        guard let mono else { throw ProgramRun.Failure(description: absence) }
        return try ProgramRun.output(of: mono, [program.path] + arguments, input: input)
    }
}
