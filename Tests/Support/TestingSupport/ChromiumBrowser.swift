// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A browser that loads one page after another, controlled with the DevTools protocol: JSON texts over a pipe, each with a
/// byte 0 after it.
final class ChromiumBrowser: @unchecked Sendable {
    // Only one test uses it at a time.
    private let program: PipedProgram
    private let folder: URL
    private var requestCount = 0
    /// The tab's; nil before the first page.
    private var session: String?
    /// What the current page wrote to the console.
    private var console: [String] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(arguments: [String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "chromium-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Chromium reads from descriptor 3 and writes to 4.
        let script = #""$@" 3<&0 4>&1 < /dev/null > /dev/null 2>&1; rm -rf "$0""#
        program = try PipedProgram(
            "/bin/sh",
            ["-c", script, folder.path] + arguments + [
                "--remote-debugging-pipe", "--user-data-dir=\(folder.appending(path: "profile").path)", "about:blank",
            ])
    }

    /// Loads a page from a file of its own, in the place of the page before.
    func load(_ page: String, isDark: Bool, expression: String) throws -> ChromiumTool.Outcome {
        let session = try session ?? open()
        let file = folder.appending(path: "\(requestCount).html")
        try Data(page.utf8).write(to: file)
        console = []
        let scheme = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        _ = try ask("Emulation.setEmulatedMedia", ["features": [scheme]], in: session)
        _ = try ask("Page.navigate", ["url": file.absoluteString], in: session)
        while try next()["method"] as? String != "Page.loadEventFired" {}
        let answer = try ask(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true], in: session)
        guard let result = answer["result"] as? [String: Any], let value = result["value"] as? String else {
            throw Failure(description: "chromium: \(answer)")
        }
        return ChromiumTool.Outcome(value: value, console: console)
    }

    /// Opens the tab for all pages: a window takes longer than most pages need.
    private func open() throws -> String {
        let target = try text("targetId", of: ask("Target.createTarget", ["url": "about:blank"]))
        let session = try text("sessionId", of: ask("Target.attachToTarget", ["targetId": target, "flatten": true]))
        for domain in ["Page", "Runtime", "Log"] { _ = try ask("\(domain).enable", in: session) }
        self.session = session
        return session
    }

    private func text(_ name: String, of answer: [String: Any]) throws -> String {
        guard let text = answer[name] as? String else { throw Failure(description: "chromium: \(answer)") }
        return text
    }

    /// Returns the result of a method.
    private func ask(
        _ method: String, _ parameters: [String: Any] = [:], in session: String? = nil
    ) throws -> [String: Any] {
        requestCount += 1
        var request: [String: Any] = ["id": requestCount, "method": method, "params": parameters]
        request["sessionId"] = session
        try program.write(JSONSerialization.data(withJSONObject: request) + [0])
        while true {
            let message = try next()
            guard message["id"] as? Int == requestCount else { continue }
            guard let result = message["result"] as? [String: Any] else {
                throw Failure(description: "chromium: \(method): \(message)")
            }
            return result
        }
    }

    /// Returns the next text of the browser: an answer or an event.
    private func next() throws -> [String: Any] {
        let text = try program.read(until: 0)
        let message = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
        switch message["method"] as? String {
        case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
            console.append("\(message["params"] ?? "")")
        default: break
        }
        return message
    }
}
