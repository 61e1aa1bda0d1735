// SPDX-License-Identifier: Apache-2.0

import Foundation
import Wireline

/// A page in Chromium, controlled from outside with the DevTools protocol.
struct BrowserDebugger {
    private let socket: WebSocketClient
    private let session: String

    struct Failure: Error {
        let answer: String
    }

    /// Finds the page that the browser shows.
    init(_ debugger: String) async throws {
        var configuration = WebSocketClientConfiguration()
        configuration.dialing.connectTimeout = .seconds(500)
        socket = try await WebSocketClient.connect(to: debugger, configuration: configuration)
        while true {
            let answer = try await Self.ask(socket, "Target.getTargets", [:])
            let targets = answer["targetInfos"] as? [[String: Any]] ?? []
            // The debugger may be ready before its page.
            guard let page = targets.first(where: { $0["type"] as? String == "page" }),
                let id = page["targetId"] as? String
            else { continue }
            let attached = try await Self.ask(socket, "Target.attachToTarget", ["targetId": id, "flatten": true])
            session = attached["sessionId"] as? String ?? ""
            return
        }
    }

    /// The text value of an expression in JavaScript.
    func text(_ expression: String) async throws -> String {
        let answer = try await Self.ask(
            socket, "Runtime.evaluate", ["expression": "String(\(expression))", "returnByValue": true], session)
        let result = answer["result"] as? [String: Any]
        guard answer["exceptionDetails"] == nil, let text = result?["value"] as? String else {
            throw Failure(answer: "\(answer)")
        }
        return text
    }

    /// Runs a statement that leaves the page, after the answer: the browser gives no answer of a page that it has left.
    func leave(_ statement: String) async throws { _ = try await text("setTimeout(() => { \(statement) })") }

    private static func ask(
        _ socket: WebSocketClient, _ method: String, _ parameters: [String: Any], _ session: String? = nil
    ) async throws -> [String: Any] {
        var request: [String: Any] = ["id": 1, "method": method, "params": parameters]
        request["sessionId"] = session
        try await socket.send(String(decoding: JSONSerialization.data(withJSONObject: request), as: UTF8.self))
        while let message = try await socket.receive() {
            guard case .text(let text) = message,
                let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
                answer["id"] != nil
            else { continue }
            guard let result = answer["result"] as? [String: Any] else { throw Failure(answer: text) }
            return result
        }
        throw Failure(answer: "it has gone")
    }
}
