// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The browser Chromium without a window, which shows pages that tests make.
public enum ChromiumTool {
    /// Whether the tests that need it run: where it is installed, and where `WIRELINE_REQUIRE_PEERS=1` asks for it and its
    /// absence must be a failure.
    public static let isWanted = path != nil || ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// What a test says that does not run.
    public static let absence = "chromium is not on the PATH: install chromium"

    private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/chromium" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// What became of a page.
    public struct Outcome {
        /// The document as it is after its scripts have run.
        public let document: String
        /// What pages wrote to the console: errors too.
        public let console: [String]
    }

    /// Loads a page from a file of its own.
    ///
    /// - Parameter isDark: What the reader's system is to ask for.
    public static func load(_ page: String, isDark: Bool = false) throws -> Outcome {
        guard let path else { throw Failure(description: absence) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "chromium-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, problems) = (folder.appending(path: "page.html"), folder.appending(path: "problems"))
        try Data(page.utf8).write(to: file)
        try Data().write(to: problems)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--enable-logging=stderr",
            "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)",
            "--user-data-dir=\(folder.appending(path: "profile").path)", "--window-size=1400,1000", "--dump-dom",
            file.absoluteString,
        ]
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: problems)
        try process.run()
        let document = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = try String(decoding: Data(contentsOf: problems), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failure(description: "chromium: \(text)") }
        let console = text.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        return Outcome(document: String(decoding: document, as: UTF8.self), console: console)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
