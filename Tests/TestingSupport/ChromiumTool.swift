// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The browser Chromium without a window, which shows pages that tests make.
public enum ChromiumTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// The message of a test that is skipped.
    public static let absence = "chromium is not on the PATH: install chromium"

    private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/chromium" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The result of a page.
    public struct Outcome {
        /// The document as it is after its scripts have run.
        public let document: String
        /// What pages wrote to the console, with errors.
        public let console: [String]
    }

    /// Loads a page from a file of its own.
    ///
    /// - Parameter isDark: Whether the reader's system asks for a dark page.
    public static func load(_ page: String, isDark: Bool = false) throws -> Outcome {
        let window = try Window(.text(page), isDark: isDark, options: ["--dump-dom"])
        let document = try window.process.runToEnd { try window.output.fileHandleForReading.readToEnd() ?? Data() }
        let text = try window.problems()
        guard window.process.terminationStatus == 0 else { throw Failure(description: "chromium: \(text)") }
        let console = text.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        return Outcome(document: String(decoding: document, as: UTF8.self), console: console)
    }

    /// Shows a page from a file of its own until the closure ends.
    ///
    /// - Parameter ended: Is called when the browser has ended, even if too early.
    public static func show<Value>(
        _ page: String, ended: @escaping @Sendable () -> Void, while body: () async throws -> Value
    ) async throws -> Value {
        // A browser with a remote connection stays open after it has loaded the page.
        let window = try Window(.text(page), isDark: false, options: ["--remote-debugging-port=0"])
        window.process.terminationHandler = { _ in ended() }
        try window.process.runWatched()
        defer { window.process.terminate() }
        return try await body()
    }

    /// Shows the page at an address until the closure ends.
    ///
    /// - Parameter body: Gets the address of the WebSocket that controls the browser.
    public static func visit<Value>(
        _ address: String, while body: (_ debugger: String) async throws -> Value
    ) async throws -> Value {
        let window = try Window(.address(address), isDark: false, options: ["--remote-debugging-port=0"])
        try window.process.runWatched()
        defer { window.process.terminate() }
        while window.process.isRunning {
            if let debugger = window.debugger { return try await body(debugger) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(description: "chromium: \(try window.problems())")
    }

    private enum Page {
        /// A document, which gets a file of its own.
        case text(String)
        case address(String)
    }

    /// A browser to run, and the folder that it writes to. The folder is removed when the browser has ended.
    private final class Window {
        let process = Process()
        let output = Pipe()
        private let folder: URL

        init(_ page: Page, isDark: Bool, options: [String]) throws {
            guard let path else { throw Failure(description: absence) }
            folder = FileManager.default.temporaryDirectory.appending(path: "chromium-" + UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let address: String
            switch page {
            case .address(let text): address = text
            case .text(let text):
                let file = folder.appending(path: "page.html")
                try Data(text.utf8).write(to: file)
                address = file.absoluteString
            }
            try Data().write(to: problemsFile)
            process.executableURL = URL(filePath: path)
            process.arguments =
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                    "--disable-background-networking", "--enable-logging=stderr",
                    "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)",
                    "--user-data-dir=\(folder.appending(path: "profile").path)", "--window-size=1400,1000",
                ] + options + [address]
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: problemsFile)
        }

        deinit {
            if process.isRunning { process.waitUntilExit() }
            try? FileManager.default.removeItem(at: folder)
        }

        /// nil until the browser has printed its address.
        var debugger: String? {
            let file = folder.appending(path: "profile/DevToolsActivePort")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            let lines = text.split(separator: "\n")
            return lines.count == 2 ? "ws://127.0.0.1:\(lines[0])\(lines[1])" : nil
        }

        private var problemsFile: URL { folder.appending(path: "problems") }

        func problems() throws -> String { try String(decoding: Data(contentsOf: problemsFile), as: UTF8.self) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
