// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prometheus's own tool, which checks texts of metrics.
public enum PrometheusTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "promtool is not on the PATH: install prometheus"

    private static let path = Peers.path(of: "promtool")

    /// Checks a text of metrics.
    ///
    /// - Returns: What the tool complains about; empty if it accepts the text.
    public static func complaints(about metrics: String) throws -> String {
        guard let path else { throw Failure(description: absence) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "metrics"), folder.appending(path: "output"))
        try Data(metrics.utf8).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["check", "metrics"]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = process.standardOutput
        try process.runToEnd()
        let text = try String(decoding: Data(contentsOf: output), as: UTF8.self)
        guard process.terminationStatus == 0, text.isEmpty else {
            return "promtool ended with \(process.terminationStatus): \(text)"
        }
        return ""
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
