// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The browser Chromium without a window, which shows pages that tests make.
public enum ChromiumTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    public static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    public static let absence = "chromium is not on the PATH: install chromium-headless-shell"

    /// Without windows, Chromium needs less than half of the time.
    private static let path = Peers.path(of: "chromium-headless-shell") ?? Peers.path(of: "chromium")

    /// What a page did.
    public struct Outcome {
        /// The value of the expression.
        public let value: String
        /// What pages wrote to the console, with errors.
        public let console: [String]
    }

    /// Loads a page from a file of its own.
    ///
    /// - Parameters:
    ///   - isDark: Whether the reader's system asks for a dark page.
    ///   - expression: Its value in JavaScript, after the page has loaded, is a text or a promise of one.
    public static func load(
        _ page: String, isDark: Bool = false, expression: String = "document.documentElement.outerHTML"
    ) throws -> Outcome {
        try browsers.with {
            try ChromiumBrowser(arguments: commandLine())
        } body: { browser in
            try browser.load(page, isDark: isDark, expression: expression)
        }
    }

    /// Those that wait for a page. A browser takes longer to begin than most pages need.
    private static let browsers = Pool<ChromiumBrowser>()

    /// The program and its options.
    private static func commandLine() throws -> [String] {
        guard let path else { throw Failure(description: absence) }
        return [
            path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--window-size=1400,1000",
        ]
    }

    /// Shows a page from a file of its own until the closure ends.
    ///
    /// - Parameter ended: Is called when the browser has ended, even if too early.
    public static func show<Value>(
        _ page: String, ended: @escaping @Sendable () -> Void, while body: () async throws -> Value
    ) async throws -> Value {
        let window = try Window(.text(page))
        window.process.terminationHandler = { _ in ended() }
        try window.process.runWatched()
        defer { window.close() }
        return try await body()
    }

    /// Shows the page at an address until the closure ends.
    ///
    /// - Parameter body: Gets the address of the WebSocket that controls the browser.
    public static func visit<Value>(
        _ address: String, while body: (_ debugger: String) async throws -> Value
    ) async throws -> Value {
        let window = try Window(.address(address))
        try window.process.runWatched()
        defer { window.close() }
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
        private let folder: URL

        init(_ page: Page) throws {
            let commandLine = try commandLine()
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
            process.executableURL = URL(filePath: commandLine[0])
            process.arguments =
                commandLine.dropFirst() + [
                    "--enable-logging=stderr", "--user-data-dir=\(folder.appending(path: "profile").path)",
                    // A browser with a remote connection stays open after it has loaded the page.
                    "--remote-debugging-port=0", address,
                ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: problemsFile)
        }

        deinit {
            if process.isRunning { process.waitUntilExit() }
            try? FileManager.default.removeItem(at: folder)
        }

        /// Ends the browser with its group, because Debian starts it from a script.
        func close() { kill(-process.processIdentifier, SIGTERM) }

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
