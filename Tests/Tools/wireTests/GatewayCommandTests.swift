// SPDX-License-Identifier: Apache-2.0

import Ciphers
import ErlangSupport
import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline

/// `wire gateway`, as a program, between clients and a real Erlang node.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct GatewayCommandTests {
    private static let goodbye =
        #"{"Res":1,"SceneId":1,"Pos":1,"Status":0,"Type":0,"DefaultCombat":100,"message":"elsewhere"}"#

    /// Starts a gateway, and returns it with the lines that it has printed after the first one.
    private func start(
        _ program: ErlangProgram, _ words: [String] = [], protocol path: String = "Protocols/Scene",
        cookie: String = ErlangProgram.cookie, files: KeyValuePairs<String, String> = [:]
    ) throws -> GatewayTool {
        try GatewayTool(
            [
                "--name", "gw@127.0.0.1", "--epmd", "127.0.0.1:\(program.epmdPort)", "--node", ErlangProgram.name,
                "--cookie-file", "cookie", "--first", "0s", "--protocol", Checkout.url(path).path,
            ] + words, cookie: cookie, files: files)
    }

    /// Asks the listener at a URL such as `http://127.0.0.1:9100/metrics` for a page.
    private func get(_ path: String, _ url: String) throws -> (status: Int, body: String) {
        let port = try #require(url.split(whereSeparator: { ":/".contains($0) }).dropLast().last.flatMap { UInt16($0) })
        let socket = try RawSocket.connect(to: port)
        try socket.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while case let more = try socket.receive(), !more.isEmpty { bytes += more }
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.firstRange(of: "\r\n\r\n"))
        return (Int(text.dropFirst(9).prefix(3)) ?? 0, String(text[end.upperBound...]))
    }

    @Test func `a gateway says where it is, serves, and ends after SIGTERM when its clients have gone`() async throws {
        let program = try ErlangProgram()
        #expect(try program.evaluate("pg:join(scene, self())") == "ok")
        let tool = try start(
            program,
            [
                "--listen", "tcp://127.0.0.1:0", "--listen", "ws://127.0.0.1:0/play", "--group", "scene",
                "--metrics", "127.0.0.1:0", "--goodbye", "Sc_20001 \(Self.goodbye)",
                "--drain", "500s", "--threads", "2",
            ])
        #expect(tool.lines[0].hasPrefix("node gw@127.0.0.1 on port ") == true)
        #expect(tool.lines[2].hasPrefix("listening on ws://127.0.0.1:") && tool.lines[2].hasSuffix("/play"))
        let metrics = String(tool.lines[3].dropFirst("metrics on ".count))
        #expect(tool.lines.last == "ready")
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: tool.port, protocol: SceneProtocol.self,
            configuration: ClientConfiguration(requestTimeout: .seconds(500)))
        let accept = "receive {wireline, open, C, _} -> C ! {wireline, {owner, self()}} end, ok"
        #expect(try program.evaluate(accept) == "ok")
        #expect(try get("/health", metrics) == (200, "ready\n"))
        #expect(try get("/ready", metrics) == (200, "ready\n"))
        #expect(try get("/metrics", metrics).body.contains("\nwireline_gateway_clients 1\n"))
        try await client.send(Cs_20001(sceneID: 7, line: 2, message: "hi"))
        #expect(try program.evaluate("receive {wireline, C, R} -> R end") == "{cs_20001,7,2,<<\"hi\">>,<<>>}")
        tool.signal(SIGTERM)
        #expect(try program.evaluate("receive {wireline, drain, N, _} -> N end") == "'gw@127.0.0.1'")
        guard case .sc20001(let goodbye)? = try await client.nextMessage()?.message else { throw NoGoodbye() }
        #expect(goodbye.message == "elsewhere")
        #expect(try get("/ready", metrics) == (503, "draining\n"))
        client.close()
        #expect(tool.waitForEnd() == 0)
    }

    private struct NoGoodbye: Error {}

    @Test func `the goodbye has the key of the options, or the one that a backend has set`() async throws {
        let program = try ErlangProgram()
        #expect(try program.evaluate("pg:join(scene, self())") == "ok")
        let tool = try start(
            program,
            [
                "--listen", "tcp://127.0.0.1:0", "--group", "scene", "--key", "session=0102", "--goodbye",
                #"Note {"text":"elsewhere"}"#, "--drain", "500s",
            ], protocol: "Tests/Conformance/GeneratedTypes/Ciphers")
        var clients: [PacketClient<CiphersProtocol>] = []
        for (index, key) in [[1, 2], [3, 4, 5]].enumerated() as EnumeratedSequence<[[UInt8]]> {
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: tool.port, protocol: CiphersProtocol.self)
            try client.layers.setKey("session", key)
            clients.append(client)
            let setKey = index == 1 ? "{key, session, <<3, 4, 5>>}" : "{leave, none}"
            // When the call is answered, the step is done.
            let step = "[{owner, self()}, \(setKey)]"
            let accept = """
                receive {wireline, open, C\(index), _} -> C\(index) ! {wireline, \(step)}, \
                gen_server:call(C\(index), info) end, ok
                """
            #expect(try program.evaluate(accept) == "ok")
        }
        tool.signal(SIGTERM)
        for client in clients {
            guard case .note(let goodbye)? = try await client.nextMessage()?.message else { throw NoGoodbye() }
            #expect(goodbye.text == "elsewhere")
            client.close()
        }
        #expect(tool.waitForEnd() == 0)
    }

    @Test func `a second signal ends a gateway at once`() async throws {
        let program = try ErlangProgram()
        let tool = try start(program, ["--listen", "tcp://127.0.0.1:0", "--backend", "a@127.0.0.1/main"])
        let client = try await PacketClient.connect(to: "127.0.0.1", port: tool.port, protocol: SceneProtocol.self)
        let accept = "receive {wireline, open, C, _} -> C ! {wireline, {owner, self()}} end, ok"
        #expect(try program.evaluate(accept) == "ok")
        tool.signal(SIGTERM)
        #expect(try program.evaluate("receive {wireline, drain, N, _} -> N end") == "'gw@127.0.0.1'")
        tool.signal(SIGTERM)
        #expect(tool.waitForEnd() == 1)
        client.close()
    }

    @Test func `a signal shortens a drain that a process has asked for`() async throws {
        let program = try ErlangProgram()
        let words = ["--listen", "tcp://127.0.0.1:0", "--backend", "a@127.0.0.1/main", "--drain", "0s"]
        let tool = try start(program, words)
        let client = try await PacketClient.connect(to: "127.0.0.1", port: tool.port, protocol: SceneProtocol.self)
        let accept = "receive {wireline, open, C, _} -> C ! {wireline, {owner, self()}} end, ok"
        #expect(try program.evaluate(accept) == "ok")
        #expect(try program.evaluate("gen_server:call({wireline, node(C)}, {drain, 86400000})") == "ok")
        #expect(try program.evaluate("receive {wireline, drain, N, Time} -> Time > 86000000 end") == "true")
        tool.signal(SIGTERM)
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,drain}")
        #expect(tool.waitForEnd() == 0)
        client.close()
    }

    @Test func `a signal during the start drains a gateway as soon as it has started`() async throws {
        let program = try ErlangProgram()
        // A node that says nothing: the start waits for it.
        let listen = "{ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]), {ok, P} = inet:port(L), P"
        let port = try program.evaluate(listen)
        let workspace = try Workspace()
        try workspace.write(ErlangProgram.cookie, to: "cookie")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o400], ofItemAtPath: workspace.folder.appending(path: "cookie").path)
        let process = workspace.process([
            "gateway", "--name", "gw@127.0.0.1", "--epmd", "127.0.0.1:\(program.epmdPort)", "--cookie-file", "cookie",
            "--protocol", Checkout.url("Protocols/Scene").path, "--listen", "tcp://127.0.0.1:0", "--group", "scene",
            "--node", "silent@127.0.0.1=\(port)",
        ])
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
        process.standardError = FileHandle.nullDevice
        try process.runWatched()
        #expect(try program.evaluate("element(1, gen_tcp:accept(L))") == "ok")
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test(arguments: [
        (["--listen", "tcp://127.0.0.1:PORT"], "cannot listen on 127.0.0.1:PORT: bind: Address already in use"),
        (["--dist", "127.0.0.1:PORT"], "cannot listen for nodes on 127.0.0.1:PORT: bind: Address already in use"),
        (["--epmd", "127.0.0.1:1"], "no epmd at 127.0.0.1:1: nobody listens at this address"),
        (["--cookie-file", "missing"], "the cookie cannot be read from missing (errno 2)"),
    ])
    func `an error at the start names the place`(words: [String], text: String) throws {
        let program = try ErlangProgram()
        let withPort = { (text: String) in text.replacing("PORT", with: "\(program.epmdPort)") }
        let error = #expect(throws: GatewayTool.DidNotStart.self) {
            _ = try start(program, ["--listen", "tcp://127.0.0.1:0", "--group", "scene"] + words.map(withPort))
        }
        #expect(
            error?.status == 1 && error?.errors.contains("error: \(withPort(text))\n") == true, "\(error?.errors ?? "")"
        )
    }

    @Test func `options come from a file, too`() throws {
        let program = try ErlangProgram()
        let file = """
            # A gateway.
            --listen   tcp://127.0.0.1:0
            --group scene

            --goodbye 'Sc_20001 \(Self.goodbye)'
            """
        let tool = try start(program, ["@gateway.args"], files: ["gateway.args": file])
        #expect(tool.lines.count == 3)
        tool.signal(SIGTERM)
        #expect(tool.waitForEnd() == 0)
    }

    @Test func `a gateway that every node refuses, or whose name is taken, does not start`() throws {
        let program = try ErlangProgram()
        let words = ["--listen", "tcp://127.0.0.1:0", "--group", "scene"]
        let refused = #expect(throws: GatewayTool.DidNotStart.self) { _ = try start(program, words, cookie: "wrong") }
        #expect(refused?.status == 1)
        let text = "error: a@127.0.0.1 closed after our challenge reply: the cookie in cookie is not its cookie\n"
        #expect(refused?.errors.contains(text) == true)
        let first = try start(program, words)
        let taken = #expect(throws: GatewayTool.DidNotStart.self) { _ = try start(program, words) }
        #expect(taken?.status == 1 && taken?.errors.contains("epmd has a node gw already") == true)
        first.signal(SIGTERM)
        #expect(first.waitForEnd() == 0)
    }

    @Test(arguments: [
        ("Nope {}", "--goodbye: no message is named \"Nope\""), ("Sc_20001 {}", "--goodbye: Sc_20001.Res: is missing"),
        (#"Cs_20001 {"SceneId":1,"Line":1,"message":""}"#, "--goodbye: Cs_20001 is no message from the server"),
    ])
    func `a goodbye that is no message of a server is an error that names the option`(
        goodbye: String, text: String
    ) throws {
        let outcome = try Workspace().wire([
            "gateway", "--name", "gw@127.0.0.1", "--protocol", Checkout.url("Protocols/Scene").path, "--group", "scene",
            "--listen", "tcp://127.0.0.1:0", "--goodbye", goodbye,
        ])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(text)\n"), "\(outcome)")
    }

    @Test(arguments: [["--group", "scene", "--node", "gw@127.0.0.1=4370"], ["--backend", "gw@127.0.0.1/scene"]])
    func `the gateway's own name is no node and no backend`(words: [String]) throws {
        let outcome = try Workspace().wire(
            ["gateway", "--name", "gw@127.0.0.1", "--protocol", Checkout.url("Protocols/Scene").path]
                + ["--listen", "tcp://127.0.0.1:0"] + words)
        let text = "error: gw@127.0.0.1 is the gateway's own name: nodes and backends have other names\n"
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.hasPrefix(text), "\(outcome)")
    }

    @Test(arguments: [
        (["--listen", "tcp://127.0.0.1:0"], "--group or --backend is missing"),
        (["--group", "scene"], "--listen is missing"),
        (["--group", "scene", "--listen", "udp://127.0.0.1:0"], "--listen is tcp://HOST:PORT"),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0/play"], "--listen is tcp://HOST:PORT"),
        (["--group", "scene", "--listen", "tls://127.0.0.1:0"], "need --tls-certificate and --tls-key"),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0?proxy=x"], "is no IP address and no network"),
        (["--group", "scene", "--backend", "a@b/c", "--listen", "tcp://127.0.0.1:0"], "exclude each other"),
        (["--backend", "a@b", "--listen", "tcp://127.0.0.1:0"], "--backend is NODE/NAME"),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--rate", "50"], "such as 50/s:100"),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--memory", "1TB"], "perhaps with KiB, MiB or GiB"),
        (
            ["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--dist", "unix:/tmp/x"],
            "--dist is a host and a port"
        ),
        (
            ["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--epmd", "unix:/tmp/x"],
            "--epmd is a host and a port"
        ),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--node", "a"], "--node is a node's full name"),
        (["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--node", "a*@b=1"], "--node is a node's full name"),
        (
            ["--group", "scene", "--listen", "tcp://127.0.0.1:0", "--epmd", "none", "--node", "c@d"],
            "without epmd nobody knows the port of c@d: say --node c@d=PORT",
        ),
        (["--backend", "a@b/c", "--listen", "tcp://127.0.0.1:0", "--epmd", "none"], "say --node a@b=PORT"),
        (["--group", "", "--listen", "tcp://127.0.0.1:0"], "--group is a name of 1 to 255 characters"),
        (
            ["--group", String(repeating: "é", count: 256), "--listen", "tcp://127.0.0.1:0"],
            "--group is a name of 1 to 255 characters"
        ),
        (
            ["--group", "scene", "--scope", "", "--listen", "tcp://127.0.0.1:0"],
            "--scope is a name of 1 to 255 characters"
        ),
        (
            ["--backend", "a@b/\(String(repeating: "n", count: 256))", "--listen", "tcp://127.0.0.1:0"],
            "--backend is a name of 1 to 255 characters"
        ),
    ])
    func `a wrong call is refused with what is right`(words: [String], text: String) throws {
        let outcome = try Workspace().wire(["gateway", "--name", "gw@127.0.0.1"] + words)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(text), "\(outcome)")
    }
}

/// A running gateway. It ends with the value, if not before.
final class GatewayTool {
    /// The tool has ended, or has printed no line `ready`.
    struct DidNotStart: Error {
        let status: Int32
        let errors: String
    }

    private let workspace: Workspace
    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()
    /// What it has printed, up to `ready`.
    private(set) var lines: [String] = []

    init(_ words: [String], cookie: String, files: KeyValuePairs<String, String>) throws {
        workspace = try Workspace()
        for (path, text) in files { try workspace.write(text, to: path) }
        try workspace.write(cookie + "\n", to: "cookie")
        let path = workspace.folder.appending(path: "cookie").path
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        process = workspace.process(["gateway"] + words)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.runWatched()
        var text = ""
        while !text.hasSuffix("ready\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                throw DidNotStart(status: process.terminationStatus, errors: text)
            }
            text += String(decoding: data, as: UTF8.self)
        }
        lines = text.split(separator: "\n").map(String.init)
    }

    /// The port of the first address.
    var port: UInt16 { lines[1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    var processID: Int32 { process.processIdentifier }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The exit status, when it has ended.
    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Asks it to end, and returns what it has printed on standard error.
    func end() -> String {
        signal(SIGTERM)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
