// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
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
                #expect(!text.contains("s3cret") && !text.contains(Hexadecimal.text(of: Array("s3cret".utf8))))
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
        let echo = "server unknown ID 7 (0x07), read as the clients' Cs_7 "
        while !lines.contains(echo + says("bob")) { try await receive(lines.count + 1) }
        #expect(lines[0].hasPrefix(" connected to \(tools.server.address), for 127.0.0.1:"))
        #expect(lines[1...2] == ["client Cs_7 " + says("ann"), echo + says("ann")])
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
        let url = try #require(URL(string: tools.page))
        let page = try await onThread {
            let socket = try RawSocket.connect(to: UInt16(port))
            try socket.send(Array("GET \(url.path) HTTP/1.1\r\nHost: \(name):\(port)\r\n\r\n".utf8))
            return try socket.head().head
        }
        #expect(page.hasPrefix("HTTP/1.1 403 "), "\(page)")
        _ = (tools.proxy.end(), tools.server.end())
    }

    @Test(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)))
    func `the page shows lines, and a filter leaves only lines with its words`() async throws {
        let tools = try start()
        // A text that would be an element if it were read as HTML.
        try call("<img src=x onerror=document.title=1>", tools)
        try await ChromiumTool.visit(tools.page) { debugger in
            let page = try await BrowserDebugger(debugger)
            let rows = "[...document.querySelectorAll('#events > .line')]"
            func shows(_ expression: String, _ text: String) async throws -> Bool {
                try await eventually { try await page.text(expression) == text }
            }
            #expect(try await shows("\(rows).length > 2", "true"))
            #expect(try await page.text("document.title") == "Scene – wire proxy")
            let what =
                "\(rows).filter(row => !row.hidden).map(row => row.cells[2].textContent + row.cells[3].textContent.trim()).join('\\n')"
            let foreign = "unknown ID 7 (0x07), read as the clients' Cs_7"
            let text =
                #"\#(foreign) {length: 52, id: 7} user: "<img src=x onerror=document.title=1>", password: (hidden)"#
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
            let other = #"server \#(foreign) {length: 19, id: 7} user: "bob", password: (hidden)"#
            #expect(try await shows(what, "server \(text)\n\(other)"))
            // The line with the end of the connection may come later.
            _ = try await page.text("\(rows).forEach(row => row.className += ' seen')")
            _ = try await page.text("document.getElementById('clear').click()")
            #expect(try await page.text("\(rows).filter(row => row.matches('.seen')).length") == "0")
            // The proxy ends, and starts again at the same address.
            #expect(tools.proxy.end().status == 0)
            #expect(try await shows("document.getElementById('state').textContent", "the proxy has gone; trying again"))
        }
        _ = tools.server.end()
    }

    private static let game = """
        enum Phase : uint8 { login = 0; play = 2; }

        packet {
            state Phase phase;
            @length(rest) uint8 size;
            @if(phase == play) uint8 room;
            @id uint8 id;
        }

        @id(1) @from(client) @reply(Welcome)
        message Enter {}

        @id(2) @from(server) @sets(phase = play)
        message Welcome {}

        @id(3) @from(both)
        message Note { @rest string text; }

        """

    @Test(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)))
    func `a packet opens in the page with the states before it`() async throws {
        let script = """
            on Enter { reply Welcome {}; }
            on Note { send Note { text: "in" } header { room: 3 }; }
            """
        let server = try ScriptedServer(script, schema: Self.game, "--first-packet-timeout", "none")
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.tool.address, "--web", "0"],
            files: ["Protocols/Game/Game.wire": Self.game])
        let line = try #require(proxy.nextLine())
        let outcome = try server.tool.workspace.wire(
            "call", proxy.address, "Enter", "{}", "Note", #"{"text":"hi"}"#, "--expect", "Note")
        #expect(outcome.status == 0, "\(outcome)")
        try await ChromiumTool.visit(String(line.dropFirst("the traffic is shown at ".count))) { debugger in
            let page = try await BrowserDebugger(debugger)
            func shows(_ expression: String, _ text: String) async throws -> Bool {
                try await eventually { (try? await page.text(expression)) == text }
            }
            let packets = "lines.filter(line => line.event.link)"
            #expect(try await shows("\(packets).length", "4"))
            let links = try await page.text("\(packets).map(line => line.event.link).join(' ')")
            #expect(
                links == "#from=client&bytes=0101 #from=server&bytes=0102 #from=client&state.phase=2&bytes=0400036869 "
                    + "#from=server&state.phase=2&bytes=040303696e")
            _ = try await page.text("open(\(packets)[3])")
            try await page.leave("location.href = \(packets)[3].detail.querySelector('a').href")
            #expect(try await shows("document.querySelector('#packets b').textContent", "Note"))
            #expect(try await page.text("document.querySelector('#states select').value") == "play")
            #expect(try await page.text("document.getElementById('digits').textContent") == "040303696e")
        }
        _ = (proxy.end(), server.end())
    }

    private static let layeredGame = """
        packet {
            @length(packet) uint16 size;
            uint8 form;
            @if(form == 1) layer zlib;
            @if(form == 1) packets;
            @if(form == 2) layer xor(session);
            @id uint8 id;
        }

        @id(1) @from(client) message Ask { @rest string text; }
        @id(2) @from(server) message Line { @rest string text; }
        @id(3) @from(server) message Token { @sensitive @rest string text; }

        """

    @Test(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)))
    func `a packet with layers opens in the page as it was sent, if no value in it is hidden`() async throws {
        let script = """
            on Ask {
                send Line { text: "plain" };
                bundle { send Line { text: "a" }; send Line { text: "b" }; } header { id: 7, form: 1 };
                bundle { send Token { text: "t" }; } header { id: 7, form: 1 };
                send Line { text: "sealed" } header { form: 2 };
                send Token { text: "u" };
            }
            """
        let server = try ScriptedServer(script, schema: Self.layeredGame, "--key", "session=0102")
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", server.tool.address, "--web", "0", "--key", "session=0102",
            ],
            files: ["Protocols/Game/Game.wire": Self.layeredGame])
        let line = try #require(proxy.nextLine())
        let outcome = try server.tool.workspace.wire(
            "call", proxy.address, "Ask", #"{"text":"hi"}"#, "--expect", "Token", "--listen", "1s", "--key",
            "session=0102")
        #expect(outcome.status == 0, "\(outcome)")
        try await ChromiumTool.visit(String(line.dropFirst("the traffic is shown at ".count))) { debugger in
            let page = try await BrowserDebugger(debugger)
            func shows(_ expression: String, _ text: String) async throws -> Bool {
                try await eventually { (try? await page.text(expression)) == text }
            }
            let links = "lines.filter(line => line.event.link)"
            #expect(try await shows("lines.some(line => line.event.text.includes('Token'))", "true"))
            let texts = try await page.text("\(links).map(line => line.event.text.trim().replace(/ .*/, '')).join()")
            #expect(texts == "Ask,Line,packet,Line")
            _ = try await page.text("open(\(links)[2])")
            try await page.leave("location.href = \(links)[2].detail.querySelector('a').href")
            let names = "[...document.querySelectorAll('#packets b')].map(name => name.textContent).join()"
            #expect(try await shows(names, "2 packets in a packet,Line,Line"))
            // The link has no key: the user gives it.
            try await page.leave("history.back()")
            #expect(try await shows("typeof lines === 'undefined' ? 0 : \(links).length", "4"))
            _ = try await page.text("open(\(links)[3])")
            let address = try await page.text("\(links)[3].detail.querySelector('a').href")
            #expect(!address.contains("0102&") && !address.contains("session"))
            try await page.leave("location.href = '\(address)'")
            let fault = "document.querySelector('#packets .fault').textContent"
            #expect(try await shows(fault, "packet.session: layer unavailable: it needs the key session"))
            _ = try await page.text(
                "(box = document.querySelector('#keys input'), box.value = '0102', box.dispatchEvent(new Event('input')))"
            )
            #expect(try await shows(names, "Line"))
        }
        _ = (proxy.end(), server.end())
    }

    // MARK: Looking for a fault

    private static let shop = """
        message Cs_1 { String item; @sensitive String pin; }
        message Sc_1 { uint8 result; String text; }
        message Sc_2 { bool isOpen; uint16 count; }

        """

    /// A server that answers `Cs_1` with its reply, then with an unknown message, then with a message that has a fault.
    private func shop() async throws -> (peer: PacketListener, proxy: ServingTool, page: String) {
        let peer = try await peer(.standard) { connection in
            var answers: [[UInt8]] = [
                try standardPacket(id: 1, [1, 0, 6] + "茶 ok".utf8),
                try standardPacket(id: 700, Array("price=12;\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7} end".utf8)),
                try standardPacket(id: 2, [7, 0x12, 0x34]),
            ]
            while try await connection.next() != nil { await connection.sendRaw(answers.removeFirst()) }
        }
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", "\(peer.address)", "--web", "0"],
            files: ["Protocols/Shop/Shop.wire": Self.shop])
        let line = try #require(proxy.nextLine())
        return (peer, proxy, String(line.dropFirst("the traffic is shown at ".count)))
    }

    @Test(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)))
    func `the page shows what a packet means, byte by byte, and why one is wrong`() async throws {
        let tools = try await shop()
        let request = try standardPacket(id: 1, [0, 3] + "tea".utf8 + [0, 4] + "1234".utf8)
        let client = try await tools.proxy.connect()
        for _ in 0..<3 {
            try await client.send(packet: request)
            _ = try await client.next()
        }
        let other = try await tools.proxy.connect()
        try await other.send(packet: request)
        _ = try await other.next()
        try await ChromiumTool.visit(tools.page) { debugger in
            let page = try await BrowserDebugger(debugger)
            func shows(_ expression: String, _ text: String) async throws -> Bool {
                try await eventually { try await page.text(expression) == text }
            }
            #expect(try await shows("typeof lines === 'undefined' ? 0 : lines.length", "10"))
            let row = { (text: String) in "lines.find(line => line.event.text.startsWith('\(text)'))" }
            // The reply has a time, and the unknown message an ID in both notations.
            let reply = try await page.text("\(row("Sc_1")).cells[4].textContent.trim()")
            #expect(reply.wholeMatch(of: /\d+(\.\d+)? (µs|ms|s)/) != nil, "\(reply)")
            let future = try await page.text("\(row("unknown")).event.text")
            #expect(future.hasPrefix("unknown ID 700 (0x02BC) {length: 27, "), "\(future)")
            // A row opens into its fields, and closes again.
            let bytes = "[...\(row("Sc_1")).detail.querySelectorAll('.bytes tbody tr')]"
            let cells = "\(bytes).map(row => [...row.cells].map(cell => cell.textContent).join('|')).join('\\n')"
            _ = try await page.text("\(row("Sc_1")).click()")
            #expect(
                try await page.text(cells) == """
                    0|00 00 00 0f||length|15
                    4|00 01||id|1
                    6|01||result|1
                    7|00 06  e8 8c b6 20 6f 6b|茶 ok|text|"茶 ok"
                    """)
            _ = try await page.text("\(row("Sc_1")).querySelector('.open').click()")
            #expect(try await page.text("\(row("Sc_1")).detail") == "null")
            // The bytes of an unknown message are shown with their text.
            _ = try await page.text("open(\(row("unknown")))")
            let unknown = try await page.text("\(row("unknown")).detail.querySelector('tbody').textContent")
            #expect(unknown.contains("price=12;·······") && unknown.contains("· end"), "\(unknown)")
            // A sensitive value is neither text nor bytes.
            _ = try await page.text("open(\(row("Cs_1")))")
            let secret = try await page.text("\(row("Cs_1")).detail.textContent")
            #expect(secret.contains("pin(hidden)") && !secret.contains("31 32 33 34") && !secret.contains("1234"))
            #expect(try await page.text("\(row("Cs_1")).detail.querySelector('a')") == "null")
            try await checkFaults(page, row("Sc_2"))
            try await checkReference(page, row("Sc_1"), row("Sc_2"))
        }
        client.close()
        other.close()
        _ = tools.proxy.end()
        await tools.peer.shutDown(within: .seconds(500))
    }

    /// A packet opens in the page of the protocol, which reads it again, and writes what a user changes.
    private func checkReference(_ page: BrowserDebugger, _ reply: String, _ fault: String) async throws {
        func shows(_ expression: String, _ text: String) async throws -> Bool {
            try await eventually { (try? await page.text(expression)) == text }
        }
        _ = try await page.text("\(reply).detail || open(\(reply))")
        let address = try await page.text("\(reply).detail.querySelector('a').href")
        let other = try await page.text("\(fault).detail.querySelector('a').href")
        #expect(address.hasSuffix("/protocol#from=server&bytes=0000000f0001010006e88cb6206f6b"), "\(address)")
        try await page.leave("location.href = '\(address)'")
        let rows =
            "[...document.querySelectorAll('#packets tbody tr')].map(row => [...row.cells].map(cell => cell.textContent).join('|')).join('\\n')"
        #expect(
            try await shows(
                rows,
                """
                0|00 00 00 0f|length|15
                4|00 01|id|1
                6|01|Sc_1.result|1
                7|00 06 e8 8c b6 20 6f 6b|Sc_1.text|"茶 ok"
                """))
        _ = try await page.text("document.querySelector('#packets button').click()")
        let change = "json.value = json.value.replace('茶 ok', 'no'), json.dispatchEvent(new Event('input'))"
        _ = try await page.text("(json = document.getElementById('json'), \(change))")
        #expect(try await page.text("document.getElementById('digits').textContent") == "0000000b000101" + "00026e6f")
        try await page.leave("location.href = '\(other)'")
        let kind = "document.querySelector('#packets .fault').textContent"
        #expect(try await shows(kind, "Sc_2.isOpen: invalid boolean at offset 6"))
    }

    /// The fault stands out, can be chosen, and is exported with its bytes.
    private func checkFaults(_ page: BrowserDebugger, _ fault: String) async throws {
        let seen = "lines.filter(line => !line.hidden)"
        let colours = try await page.text(
            "[\(fault), lines[1]].map(line => getComputedStyle(line.cells[3]).color).join(' / ')")
        let two = colours.components(separatedBy: " / ")
        #expect(two.count == 2 && two[0] != two[1], "\(colours)")
        _ = try await page.text("faults.click()")
        #expect(try await page.text("\(seen).length") == "1")
        _ = try await page.text("open(\(fault))")
        let reason = "a bool is 0 or 1, the byte at offset 6 is 7"
        let cells = "[...\(fault).detail.querySelector('tr.fault').cells].map(cell => cell.textContent).join('|')"
        #expect(try await page.text(cells) == "6|07 12 34||Sc_2.isOpen|\(reason)")
        let line = try await page.text("exported()")
        let exported = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(exported["text"] as? String == "Sc_2 {length: 9, id: 2} Sc_2.isOpen: " + reason)
        #expect(exported["from"] as? String == "server" && exported["connection"] as? Int == 1)
        #expect((exported["parts"] as? [[String: Any]])?.last?["bytes"] as? String == "071234")
        _ = try await page.text("HTMLAnchorElement.prototype.click = function() { window.saved = this.download }")
        _ = try await page.text("document.getElementById('export').click()")
        #expect(try await page.text("saved").hasSuffix(".jsonl"))
        _ = try await page.text("faults.click()")
        // One connection at a click, and all of them again.
        _ = try await page.text("lines.find(line => line.event.connection === 2).cells[1].firstChild.click()")
        #expect(try await page.text("\(seen).map(line => line.event.connection).join()") == "2,2,2")
        #expect(try await page.text("one.textContent") == "Connection #2 ✕")
        _ = try await page.text("one.click()")
        #expect(try await page.text("\(seen).length") == "10")
    }
}
