// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineWebSocket

/// `wire proxy --web`, as a program, and in a browser.
@Suite(.aside)
struct ProxyPageTests {
    private static let schema = "message Cs_7 { String user; @sensitive String password; }"

    /// An echo server, a proxy for it, and the address of the page.
    private func start() throws -> (server: ServingTool, proxy: ServingTool, page: String) {
        let files: KeyValuePairs = ["Protocols/Scene/Scene.wire": Self.schema]
        let server = try ServingTool(files: files)
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--web", "0"], files: files)
        let line = try #require(proxy.nextLine())
        let page = try #require(
            line.firstMatch(of: /^the traffic is shown at (http:\/\/127\.0\.0\.1:\d+\/)$/)?.1, "\(line)")
        return (server, proxy, String(page))
    }

    private func call(_ user: String, _ tools: (server: ServingTool, proxy: ServingTool, page: String)) throws {
        let outcome = try tools.server.wire(
            "call", tools.proxy.address, "Cs_7", #"{"user":"\#(user)","password":"s3cret"}"#, "--expect", "Cs_7",
            "--timeout", "20m")
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func `a browser gets earlier messages, and then new ones, without sensitive values`() async throws {
        let tools = try start()
        try call("ann", tools)
        var configuration = WebSocketClientConfiguration()
        configuration.dialing.connectTimeout = .seconds(500)
        let browser = try await WebSocketClient.connect(to: tools.page, configuration: configuration)
        var lines: [String] = []
        func receive(_ count: Int) async throws {
            while lines.count < count {
                guard case .text(let text)? = try await browser.receive() else { break }
                #expect(!text.contains("s3cret"))
                let message = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                #expect(message["protocol"] as? String == "Scene")
                for event in try #require(message["events"] as? [[String: Any]]) {
                    #expect(event["number"] as? Int == lines.count + 1)
                    lines.append("\(event["sender"] ?? "nobody") \(event["text"] ?? "nothing")")
                }
            }
        }
        try await receive(3)
        try call("bob", tools)
        func says(_ user: String) -> String { #"{length: 19, id: 7} user: "\#(user)", password: (hidden)"# }
        let echo = "server Cs_7 (which only clients send) "
        while !lines.contains(echo + says("bob")) { try await receive(lines.count + 1) }
        let first = [" connected to \(tools.server.address)", "client Cs_7 " + says("ann"), echo + says("ann")]
        #expect(lines.prefix(3) == first[...])
        #expect(lines.contains("client Cs_7 " + says("bob")))
        try await browser.close()
        #expect(tools.proxy.end().status == 0)
        _ = tools.server.end()
    }

    /// A name that an attacker points to this machine, so that the attacker's page has the same origin.
    @Test(arguments: ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"])
    func `a page with another host name gets nothing`(name: String) async throws {
        let tools = try start()
        let port = try #require(URL(string: tools.page)?.port)
        var configuration = WebSocketClientConfiguration()
        configuration.dialing.connectTimeout = .seconds(500)
        configuration.headers = ["Host": "\(name):\(port)"]
        configuration.origin = "http://\(name):\(port)"
        let error = await #expect(throws: ConnectionError.self) {
            try await WebSocketClient.connect(to: tools.page, configuration: configuration)
        }
        guard case .webSocket(.refused(let response)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.status == 403)
        _ = (tools.proxy.end(), tools.server.end())
    }

    @Test(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)))
    func `the page shows lines, and a filter leaves only lines with its words`() async throws {
        let tools = try start()
        // A text that would be an element if it were read as HTML.
        try call("<img src=x onerror=document.title=1>", tools)
        try await ChromiumTool.visit(tools.page) { debugger in
            let page = try await BrowserDebugger(debugger)
            let rows = "[...document.querySelectorAll('#events tr')]"
            func shows(_ expression: String, _ text: String) async throws -> Bool {
                try await eventually { try await page.text(expression) == text }
            }
            #expect(try await shows("\(rows).length > 2", "true"))
            #expect(try await page.text("document.title") == "Scene – wire proxy")
            let what =
                "\(rows).filter(row => !row.hidden).map(row => row.className + ' ' + row.cells[3].textContent.trim()).join('\\n')"
            let text =
                #"Cs_7 (which only clients send) {length: 52, id: 7} user: "<img src=x onerror=document.title=1>", password: (hidden)"#
            _ = try await page.text("(filter.value = 'SERVER  cs_7', filter.oninput())")
            let first = try await page.text(what)
            #expect(first == "server " + text)
            #expect(try await page.text("document.getElementById('state').textContent").contains("1 of "))
            // New lines are filtered, too, and wait while the page is paused.
            _ = try await page.text("pause.click()")
            try call("bob", tools)
            #expect(try await shows("document.getElementById('state').textContent.endsWith('more wait')", "true"))
            let second = try await page.text(what)
            #expect(second == first)
            _ = try await page.text("pause.click()")
            let other = #"server Cs_7 (which only clients send) {length: 19, id: 7} user: "bob", password: (hidden)"#
            #expect(try await shows(what, "server \(text)\n\(other)"))
            _ = try await page.text("document.getElementById('clear').click()")
            #expect(try await page.text("\(rows).length") == "0")
            // The proxy ends, and starts again at the same address.
            #expect(tools.proxy.end().status == 0)
            #expect(try await shows("document.getElementById('state').textContent", "the proxy has gone; trying again"))
        }
        _ = tools.server.end()
    }
}
