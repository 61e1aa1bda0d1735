// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The compilers of C++ of the machine, for generated headers: the standard library is enough.
public enum CppTool {
    /// Whether to run the tests that need it: GCC and Clang, which comes with Swift, are installed, or `WIRELINE_REQUIRE_PEERS=1`
    /// requires them, so that their absence is a failure.
    public static let isWanted =
        isPresent || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "g++ or clang++ is not on the PATH: install g++"

    private static let isPresent = ["g++", "clang++"].allSatisfy { Peers.path(of: $0) != nil }

    /// All warnings as errors, without what games leave out.
    public static let warnings = [
        "-std=c++17", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
    ]

    /// Looks at files with both compilers, each with all warnings.
    ///
    /// - Returns: What they say; nothing if both accept the files.
    public static func check(_ files: [URL]) throws -> String {
        try compile(
            ["g++", "clang++"].flatMap { compiler in
                files.map { [compiler] + warnings + ["-fsyntax-only", "-x", "c++", $0.path] }
            })
    }

    /// Runs compilers, several of them at a time.
    ///
    /// - Parameter commands: Each a compiler and its arguments.
    /// - Returns: What they say about errors.
    public static func compile(_ commands: [[String]]) throws -> String {
        guard isPresent else { throw ProgramRun.Failure(description: absence) }
        let lines = commands.map { $0.map { "'\($0)'" }.joined(separator: " ") + " 2>&1\n" }
        let count = ProcessInfo.processInfo.activeProcessorCount
        return try ProgramRun.output(
            of: "/bin/sh", ["-c", "tr '\\n' '\\0' | xargs -0 -P \(count) -I % sh -c %"],
            input: lines.joined(), isSuccessful: { _ in true })
    }
}
