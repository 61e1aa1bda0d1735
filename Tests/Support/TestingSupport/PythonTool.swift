// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Python with modules for compression and ciphers, which share no code of ours.
public enum PythonTool {
    /// Whether to run the tests that need it: it is installed with these modules, or `WIRELINE_REQUIRE_PEERS=1` requires
    /// it, so that its absence is a failure.
    public static let isWanted = isPresent || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence =
        "/usr/bin/python3 has no modules brotli and cryptography: install python3-brotli and python3-cryptography"

    private static let path = "/usr/bin/python3"

    private static let isPresent = !Peers.areHidden && (try? run("import brotli, cryptography")) != nil

    /// Runs a script.
    ///
    /// - Parameter input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(_ script: String, input: String = "") throws -> String {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ProgramRun.Failure(description: absence)
        }
        return try ProgramRun.output(of: path, ["-c", script], input: input)
    }
}
