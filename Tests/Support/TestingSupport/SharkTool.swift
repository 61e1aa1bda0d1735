// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Wireshark without a window: `tshark`, which reads captures with generated dissectors.
public enum SharkTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "tshark is not on the PATH: install tshark"

    private static let path = Peers.path(of: "tshark")

    /// Reads a capture with a dissector.
    ///
    /// - Parameters:
    ///   - capture: The file's bytes.
    ///   - script: The dissector's text.
    ///   - arguments: Further arguments.
    /// - Returns: What it prints.
    /// - Throws: An error if it fails, hangs or prints a warning: a failure in a script is only a warning.
    public static func read(_ capture: [UInt8], script: String, _ arguments: [String]) throws -> String {
        guard let path else { throw Failure(description: absence) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (captureFile, scriptFile) = (folder.appending(path: "traffic.pcap"), folder.appending(path: "script.lua"))
        let (outputFile, problemsFile) = (folder.appending(path: "output"), folder.appending(path: "problems"))
        try Data(capture).write(to: captureFile)
        try Data(script.utf8).write(to: scriptFile)
        for file in [outputFile, problemsFile] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-X", "lua_script:" + scriptFile.path, "-n", "-r", captureFile.path] + arguments
        // Without the user's preferences and plugins.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "LC_ALL": "C.UTF-8"]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: problemsFile)
        try process.runToEnd()
        let output = try String(decoding: Data(contentsOf: outputFile), as: UTF8.self)
        let problems = try String(decoding: Data(contentsOf: problemsFile), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("Running as user") && !$0.hasPrefix(" ** ") }
        let isLuaError = output.contains("Lua Error")
        guard process.terminationStatus == 0, problems.isEmpty, !isLuaError else {
            let status = process.terminationStatus
            let lines = output.split(separator: "\n").filter { $0.contains("Lua Error") }.prefix(3)
            throw Failure(
                description: "tshark ended with \(status): \((problems.map { $0 } + lines).joined(separator: "; "))")
        }
        return output
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
