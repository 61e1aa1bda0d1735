// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The Java development kit: its compiler, and what runs programs.
public enum JavaTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its absence is a
    /// failure.
    public static let isWanted =
        java != nil && Peers.path(of: "javac") != nil
        || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "java or javac is not on the PATH: install default-jdk-headless"

    private static let java = Peers.path(of: "java")

    /// What makes a short run begin soon.
    private static let quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]

    /// Runs a class, or the class that a file of source code has.
    ///
    /// - Parameters:
    ///   - paths: The folders with compiled classes.
    ///   - input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(
        _ name: String, _ arguments: [String] = [], paths: [URL] = [], input: String = ""
    ) throws -> String {
        guard let java else { throw ProgramRun.Failure(description: absence) }
        let path = paths.isEmpty ? [] : ["-cp", paths.map(\.path).joined(separator: ":")]
        return try ProgramRun.output(of: java, quick + path + [name] + arguments, input: input)
    }

    /// Compiles all files of source code in each of some folders, as Java 8 and with all warnings as errors.
    ///
    /// - Returns: What the compiler says; nothing if it accepts all.
    public static func compile(_ folders: [URL]) throws -> String {
        let compiler = Checkout.url("Tests/Conformance/ProtocolsTests/Java/Peers/CompileJava.java")
        return try run(compiler.path, folders.map(\.path))
    }
}
