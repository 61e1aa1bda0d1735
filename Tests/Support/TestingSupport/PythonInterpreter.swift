// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The Python of the machine, for generated modules: its standard library is enough. Any warning is an error.
public enum PythonInterpreter {
    /// Whether to run the tests that need it: Python 3.10 or later is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so
    /// that its absence is a failure.
    public static let isWanted =
        isPresent || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "python3 is not on the PATH, or older than 3.10: install python3"

    /// Whether to check types: `mypy` is installed, or required.
    public static let hasTypeChecker =
        typeChecker != nil || Peers.areRequired

    /// The message of a test of types that is skipped.
    public static let absenceOfTypeChecker = "mypy is not on the PATH: install mypy"

    /// The Python on the PATH; that of the system if it alone has the packages for layers of generated modules.
    private static let path: String? = {
        let candidates = [Peers.path(of: "python3"), "/usr/bin/python3"].compactMap(\.self)
        let imports = ["-c", "import brotli, cryptography"]
        return candidates.first { (try? ProgramRun.output(of: $0, imports)) != nil } ?? Peers.path(of: "python3")
    }()
    private static let typeChecker = Peers.path(of: "mypy")

    private static let isPresent: Bool = {
        guard let path else { return false }
        return (try? ProgramRun.output(of: path, ["-c", "import sys; assert sys.version_info >= (3, 10)"])) != nil
    }()

    /// Runs a script.
    ///
    /// - Parameter input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(_ script: URL, _ arguments: [String] = [], input: String = "") throws -> String {
        guard let path else { throw ProgramRun.Failure(description: absence) }
        // Bytecode would stay beside scripts of the repository.
        return try ProgramRun.output(of: path, ["-B", "-W", "error", script.path] + arguments, input: input)
    }

    /// Checks the types of modules by the strictest rules.
    ///
    /// - Parameter root: The folder below which modules with the same name are in different folders.
    /// - Returns: What the checker says; nothing if it accepts all.
    public static func checkTypes(of files: [URL], below root: URL) throws -> String {
        guard let typeChecker else {
            throw ProgramRun.Failure(description: absenceOfTypeChecker)
        }
        let options = ["--strict", "--no-error-summary", "--explicit-package-bases", "--namespace-packages"]
        return try ProgramRun.output(
            of: "/usr/bin/env",
            ["MYPYPATH=\(root.path)", typeChecker] + options + ["--cache-dir=/dev/null"] + files.map(\.path),
            isSuccessful: { $0 < 2 })
    }
}
