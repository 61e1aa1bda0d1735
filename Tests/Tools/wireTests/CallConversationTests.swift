// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire call` with several messages on one connection, against `wire serve --script`.
@Suite(.waiting)
struct CallConversationTests {
    private static let schema = """
        packet {
            @length(packet) uint16 length;
            @id             uint16 id;
            @sequence       uint8  seq;
        }
        message Cs_1 { String user; }
        message Sc_1 { uint8 ok; }
        message Cs_2 { uint32 number; }
        message Sc_2 { uint32 number; }
        message Cs_3 {}
        message Cs_4 {}
        message Sc_4 {}
        @id(9) @from(server) message Tick { uint32 number; }

        """
    /// It closes connections of clients that ask before they have logged in.
    private static let script = """
        state user = "";
        on Cs_1 { user = request.user; reply Sc_1 { ok: 1 }; }
        on any when user == "" { close; }
        on Cs_2 when request.number == 13 { silence; }
        on Cs_2 when request.number == 14 { close; }
        on Cs_2 when request.number >= 1000 { reply Sc_2 { number: request.number }; }
        on Cs_2 {
            send Tick { number: 0 };
            reply Sc_2 { number: request.number };
            send Tick { number: 1 };
        }
        on Cs_3 {}
        on Cs_4 {
            reply Sc_4 {};
            after 50ms { send Tick { number: 7 }; send Tick { number: 8 }; close; }
        }

        """
    private static let login = ["Cs_1", #"{"user":"ann"}"#]
    private static let loginLine = #"{"message":"Cs_1","fields":{"user":"ann"}}"# + "\n"

    private static func server() throws -> ScriptedServer { try ScriptedServer(script, schema: schema) }

    private static func call(_ server: ScriptedServer, _ words: [String], input: String = "") throws -> Outcome {
        var outcome = try server.tool.wire(["call", server.tool.address] + words, input: Data(input.utf8))
        outcome.errors.replace(server.tool.address, with: "PEER")
        return outcome
    }

    private static func loginReply(_ sequence: Int = 1) -> String {
        #"{"message":"Sc_1","id":1,"header":{"length":6,"id":1,"seq":\#(sequence)},"fields":{"ok":1}}"# + "\n"
    }
    private static func reply(_ number: Int, _ sequence: Int) -> String {
        #"{"message":"Sc_2","id":2,"header":{"length":9,"id":2,"seq":\#(sequence)},"fields":{"number":\#(number)}}"#
            + "\n"
    }
    private static func tick(_ number: Int) -> String {
        #"{"message":"Tick","id":9,"header":{"length":9,"id":9,"seq":0},"fields":{"number":\#(number)}}"# + "\n"
    }
    private static func emptyReply(_ sequence: Int) -> String {
        #"{"message":"Sc_4","id":4,"header":{"length":5,"id":4,"seq":\#(sequence)},"fields":{}}"# + "\n"
    }

    // MARK: Messages of the call

    @Test func `a login and two requests share a connection, and the server's other messages are printed in order`()
        throws
    {
        let server = try Self.server()
        let outcome = try Self.call(server, Self.login + ["Cs_2", #"{"number":5}"#, "Cs_2", #" {"number":6}"#])
        let between = [Self.tick(0), Self.reply(5, 2), Self.tick(1), Self.tick(0), Self.reply(6, 3)]
        #expect(outcome == .success(Self.loginReply() + between.joined()))
        #expect(server.end() == .success(""))
    }

    @Test func `without a login, the request is refused`() throws {
        let server = try Self.server()
        let alone = try Self.call(server, ["Cs_2", #"{"number":5}"#])
        let error = "error: PEER has ended the connection before it replied"
        #expect(alone == Outcome(status: 1, output: "", errors: error + "\n"))
        let several = try Self.call(server, ["Cs_2", #"{"number":5}"#] + Self.login)
        #expect(several == Outcome(status: 1, output: "", errors: error + " to Cs_2\n"))
    }

    @Test func `a message without fields needs no JSON, and one without a reply does not wait`() throws {
        let server = try Self.server()
        let outcome = try Self.call(server, Self.login + ["Cs_3", "Cs_4"])
        #expect(outcome == .success(Self.loginReply() + Self.emptyReply(3)))
    }

    @Test func `the last message may expect another reply`() throws {
        let server = try Self.server()
        let outcome = try Self.call(server, Self.login + ["Cs_2", #"{"number":5}"#, "--expect", "Tick"])
        #expect(outcome == .success(Self.loginReply() + Self.tick(0)))
    }

    @Test func `header fields are set in every message`() throws {
        let server = try Self.server()
        let outcome = try Self.call(
            server, Self.login + ["Cs_2", #"{"number":1000}"#, "--header", #"{"seq":200}"#])
        #expect(outcome == .success(Self.loginReply(200) + Self.reply(1000, 200)))
    }

    @Test func `a wrong message is found before anything is sent`() throws {
        // No server listens there.
        let workspace = try Workspace(["P/a.wire": Self.schema])
        let words = ["call", "127.0.0.1:1"] + Self.login + ["--protocol", "P"]
        let outcome = try workspace.shell(
            (["wire"] + words + ["Cs_2", #"{"number":-1}"#]).map { "'\($0)'" }.joined(separator: " "))
        let errors = "error: Cs_2.number: -1 is not in 0...4294967295\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
    }

    // MARK: Lines of standard input

    @Test(arguments: [[], ["-"]])
    func `lines of standard input are sent in order, with the header fields that they set`(_ words: [String]) throws {
        let server = try Self.server()
        let line = #"{"message":"Cs_2","id":2,"header":{"length":9,"id":2,"seq":77},"fields":{"number":1000}}"# + "\n"
        let last = #"{"message":"Cs_4","fields":{}}"#
        let outcome = try Self.call(server, words, input: Self.loginLine + "\n  \r\n" + line + last)
        #expect(outcome == .success(Self.loginReply() + Self.reply(1000, 77) + Self.emptyReply(2)))
    }

    @Test func `input longer than a piece is sent whole, and sequence numbers begin again after the largest`() throws {
        let server = try Self.server()
        let numbers = 1_000..<2_500
        let lines = numbers.map { #"{"message":"Cs_2","fields":{"number":\#($0)}}"# + "\n" }
        let outcome = try Self.call(server, ["-"], input: Self.loginLine + lines.joined())
        let replies = numbers.map { Self.reply($0, ($0 - 1_000 + 1) % 255 + 1) }
        #expect(outcome == .success(Self.loginReply() + replies.joined()))
    }

    @Test(.amongAll)
    func `a line is sent as soon as it comes, also while the input stays open`() throws {
        let server = try Self.server()
        let line = """
            mkfifo in out
            wire call \(server.tool.address) --timeout 20m < in > out &
            exec 3> in 4< out
            echo '\(Self.loginLine.dropLast())' >&3
            read -r first <&4
            echo '{"message":"Cs_2","fields":{"number":1000}}' >&3
            read -r second <&4
            exec 3>&-
            wait $!
            echo "$first"
            echo "$second"
            echo $?
            """
        let workspace = try Workspace(["Protocols/Game/Game.wire": Self.schema])
        let outcome = try workspace.shell(line)
        #expect(outcome == .success(Self.loginReply() + Self.reply(1000, 2) + "0\n"))
    }

    @Test(arguments: [
        (#"{"message":"Cs_2","fields":{"number":-1}}"#, "Cs_2.number: -1 is not in 0...4294967295\n"),
        (#"{"message":"Cs_8","fields":{}}"#, "no message is named \"Cs_8\"\nhelp: did you mean `Cs_1`?\n"),
        (#"{"message":"Cs_4","id":5,"fields":{}}"#, "Cs_4.id: 5, but this packet has 4\n"),
        (#"{"fields":{}}"#, "message: is missing\n"),
        ("Cs_4", "`C` where a value was expected at byte 0 of the JSON\n"),
    ])
    func `a wrong line ends the call after the lines before it`(_ line: String, _ error: String) throws {
        let server = try Self.server()
        let outcome = try Self.call(server, ["-"], input: Self.loginLine + line + "\n" + Self.loginLine)
        #expect(outcome.status == 1 && outcome.output == Self.loginReply())
        #expect(outcome.errors == "error: line 2 of standard input: " + error)
    }

    @Test func `input without a message is an error, unless the call listens`() throws {
        let server = try Self.server()
        let errors = "error: standard input has no message\n"
        #expect(try Self.call(server, ["-"], input: "\n") == Outcome(status: 1, output: "", errors: errors))
        #expect(try Self.call(server, ["--listen", "1ms"]) == .success(""))
    }

    // MARK: The end

    @Test func `a call that listens prints what comes until the server ends`() throws {
        let server = try Self.server()
        let outcome = try Self.call(server, Self.login + ["Cs_4", "--listen", "forever"])
        #expect(outcome == .success(Self.loginReply() + Self.emptyReply(2) + Self.tick(7) + Self.tick(8)))
    }

    @Test func `a call that listens ends after its time`() throws {
        let server = try Self.server()
        let start = ContinuousClock.now
        #expect(try Self.call(server, Self.login + ["--listen", "200ms"]) == .success(Self.loginReply()))
        #expect(start.duration(to: .now) >= .milliseconds(200))
    }

    @Test(arguments: [
        (["Cs_2", #"{"number":1000}"#], 0, reply(1000, 2), ""),
        (["Cs_2", #"{"number":13}"#], 1, "", "error: interrupted before PEER replied to Cs_2\n"),
    ])
    func `an interrupt ends listening, and is an error before the last reply`(
        _ words: [String], _ status: Int32, _ output: String, _ errors: String
    ) throws {
        let server = try Self.server()
        let workspace = try Workspace(["Protocols/Game/Game.wire": Self.schema])
        let wanted = [server.tool.address] + Self.login + words + ["--listen", "forever", "--timeout", "20m"]
        let process = workspace.process(["call"] + wanted)
        let (out, err) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (out, err)
        process.standardInput = FileHandle.nullDevice
        try process.runWatched()
        var text = ""
        while text.count < (Self.loginReply() + output).count {
            let data = out.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
        }
        process.interrupt()
        process.waitUntilExit()
        let found = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.terminationReason == .exit && process.terminationStatus == status)
        #expect(text == Self.loginReply() + output)
        #expect(found.replacing(server.tool.address, with: "PEER").hasPrefix(errors.prefix(18)), "\(found)")
    }

    @Test func `a server that ends between two messages is an error that names the next one`() throws {
        let server = try Self.server()
        let outcome = try Self.call(server, Self.login + ["Cs_2", #"{"number":14}"#] + Self.login)
        let errors = "error: PEER has ended the connection before it replied to Cs_2\n"
        #expect(outcome == Outcome(status: 1, output: Self.loginReply(), errors: errors))
    }

    @Test func `a server that ends while the input is open ends the call`() throws {
        let server = try Self.server()
        let workspace = try Workspace(["Protocols/Game/Game.wire": Self.schema])
        let line = """
            mkfifo in
            wire call \(server.tool.address) --timeout 20m < in &
            exec 3> in
            echo '\(Self.loginLine.dropLast())' >&3
            echo '{"message":"Cs_4","fields":{}}' >&3
            wait $!
            """
        var outcome = try workspace.shell(line)
        outcome.errors.replace(server.tool.address, with: "PEER")
        let output = Self.loginReply() + Self.emptyReply(2) + Self.tick(7) + Self.tick(8)
        let errors = "error: PEER has ended the connection before standard input ended\n"
        #expect(outcome == Outcome(status: 1, output: output, errors: errors))
    }

    // MARK: Wrong calls

    @Test(arguments: [
        ("'{}'", "JSON has no MESSAGE before it"),
        ("Cs_1 '{}' '{}'", "Cs_1 has JSON twice"),
        ("Cs_1 - Cs_3", "Cs_1: standard input is the JSON of one MESSAGE alone"),
        ("- Cs_1", "`-` has no MESSAGE before it"),
        ("Cs_3 --expect Sc_1 --no-reply", "--expect and --no-reply do not go together"),
        ("- --expect Sc_1", "--expect goes with a MESSAGE, not with lines of standard input"),
        (
            "Cs_3 --listen 5",
            "--listen is a number above 0 with ms, s or m after it, such as 500ms, or `forever`; `5` is not"
        ),
        ("Cs_3 --listen", "option `--listen` needs a value: TIME"),
        ("Cs_3 --no-reply=1", "option `--no-reply` takes no value"),
        ("Cs_3 --subprotocol mqtt", "--subprotocol goes with --websocket"),
        ("Cs_3 --websocket-header 'a: b'", "--websocket-header goes with --websocket"),
        (
            "Cs_3 --websocket / --websocket-header secret",
            "--websocket-header is a name, a colon and a value, such as 'X-Room: 7'"
        ),
    ])
    func `a wrong call exits with 2`(_ words: String, _ error: String) throws {
        let workspace = try Workspace(["Protocols/Game/Game.wire": Self.schema])
        let outcome = try workspace.shell("wire call 127.0.0.1:1 " + words)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: \(error)\n"), "\(outcome)")
    }
}
