// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The compiler of Rust, for generated modules: its standard library is enough.
public enum RustTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its absence is a
    /// failure.
    public static let isWanted =
        path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "rustc is not on the PATH: install rustc"

    private static let path = Peers.path(of: "rustc")

    /// Compiles a file of source code with all that it names, with warnings as errors.
    ///
    /// - Returns: What the compiler says; nothing if it accepts the file.
    public static func compile(_ file: URL, to output: URL, isProgram: Bool = true) throws -> String {
        guard let path else { throw ProgramRun.Failure(description: absence) }
        let kind = isProgram ? "bin" : "rlib"
        do {
            return try ProgramRun.output(
                of: path,
                [
                    "--edition", "2021", "--crate-type", kind, "-D", "warnings", "-C", "debuginfo=0", "-C",
                    "opt-level=0",
                    "-C", "debug-assertions=on", "-o", output.path, file.path,
                ])
        } catch let failure as ProgramRun.Failure {
            return failure.description
        }
    }
}
