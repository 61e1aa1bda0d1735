// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The Go of the machine, for generated packages: its standard library is enough.
public enum GoTool {
    /// Whether to run the tests that need it: Go 1.18 or later is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted =
        isPresent || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "go or gofmt is not on the PATH, or older than 1.18: install golang-go"

    private static let path = Peers.path(of: "go")
    private static let formatter = Peers.path(of: "gofmt")

    private static let isPresent: Bool = {
        guard let path, formatter != nil, let text = try? ProgramRun.output(of: path, ["version"]),
            let version = text.firstMatch(of: /go1\.([0-9]+)/), let minor = Int(version.1)
        else { return false }
        return minor >= 18
    }()

    /// Looks at a file with `go vet` and `gofmt`.
    ///
    /// - Parameter others: The names of files beside it that `go vet` needs (default: none).
    /// - Returns: What they say; nothing if both accept the file.
    public static func check(_ file: URL, with others: [String] = []) throws -> String {
        try run(in: file.deletingLastPathComponent(), ["vet", file.lastPathComponent] + others)
            + formatDifferences([file], isWhole: true)
    }

    /// Runs the command `go` in a folder; nothing is fetched.
    ///
    /// - Returns: What it prints; for a failure what it says.
    public static func run(in folder: URL, _ arguments: [String], environment: [String] = []) throws -> String {
        guard let path else { throw ProgramRun.Failure(description: absence) }
        // Where it keeps what it has compiled; the standard library takes longest.
        let home = ProcessInfo.processInfo.environment["HOME"] ?? FileManager.default.temporaryDirectory.path
        let all = ["HOME=\(home)", "GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local"] + environment
        do {
            return try ProgramRun.output(of: "/usr/bin/env", ["-C", folder.path] + all + [path] + arguments)
        } catch let failure as ProgramRun.Failure {
            return failure.description
        }
    }

    /// Returns the lines in which files differ from Go's style.
    ///
    /// - Parameter isWhole: Whether comments count, which `gofmt` formats as documentation.
    public static func formatDifferences(_ files: [URL], isWhole: Bool) throws -> String {
        guard let formatter else { throw ProgramRun.Failure(description: absence) }
        // In all files at once, because they are many.
        func lines(_ text: String) -> [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false).filter {
                isWhole || !$0.drop { $0 == "\t" }.hasPrefix("//")
            }
        }
        let formatted = try lines(ProgramRun.output(of: formatter, files.map(\.path)))
        let own = try lines(files.map { try String(contentsOf: $0, encoding: .utf8) }.joined())
        return formatted.difference(from: own).prefix(6).map { "\($0)\n" }.joined()
    }
}
