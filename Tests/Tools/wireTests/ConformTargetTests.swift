// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire conform --target`: live servers, correct ones and others.
@Suite(.aside)
struct ConformTargetTests {
    @Test(arguments: ConformTests.samples)
    func `our echo server conforms`(name: String) throws {
        let path = ConformTests.path(of: name)
        let options = ["--protocol", path] + ConformTests.keys(of: name)
        let server = try ServingTool(options, files: [:])
        let outcome = try server.wire(
            ["conform", "--target", server.address, "--timeout", "20m", "--generate", "30"] + options)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.wholeMatch(of: /\w+: (\d+) checks: \1 passed\n/) != nil, "\(outcome)")
        #expect(server.end().status == 0)
    }

    @Test func `an echo server over a WebSocket conforms`() throws {
        let path = ConformTests.path(of: "Scene")
        let server = try ServingTool("--protocol", path, "--websocket", "/sub")
        let outcome = try server.wire(
            "conform", "--target", server.address, "--protocol", path, "--timeout", "20m", "--websocket", "/sub")
        #expect(outcome.output.wholeMatch(of: /Scene: (\d+) checks: \1 passed\n/) != nil, "\(outcome)")
        #expect(server.end().status == 0)
    }

    @Test(
        .enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"),
        arguments: ["Scene", "Telemetry", "Goim"])
    func `an echo server in Erlang that decodes and encodes each message conforms`(name: String) throws {
        let path = ConformTests.path(of: name)
        let workspace = try Workspace()
        let generated = try workspace.shell(
            "wire generate erlang --out out --protocol \(path) && "
                + "wire generate erlang-adapter --out out --protocol \(path)")
        #expect(generated.status == 0)
        let server = try PeerProcess("escript out/*.escript echo 0", in: workspace)
        let outcome = try workspace.wire(
            "conform", "--target", "127.0.0.1:\(server.port)", "--protocol", path, "--timeout", "20m",
            "--generate", "30", "--from", "client")
        #expect(outcome.output.wholeMatch(of: /\w+: (\d+) checks: \1 passed\n/) != nil, "\(outcome)")
    }

    // MARK: Servers with deliberate faults

    private static let files: KeyValuePairs<String, String> = [
        "Protocols/Scene/Scene.wire": sceneSchema, "Protocols/Scene/Vectors/hi.hex": packetHex,
        "Protocols/Scene/Vectors/hi.json": packetLine,
        "Protocols/Scene/Vectors/Invalid/long.hex": "ffffffff 4e21",
        "Protocols/Scene/Vectors/Invalid/cut.hex": "0000000f 4e",
        "Protocols/Scene/Vectors/Invalid/text.hex": "0000000e 4e21 01 00000002 0001 ff",
    ]

    private func conform(_ peer: RawPeer, _ words: String) throws -> Outcome {
        try Workspace(Self.files).shell("wire conform --target \(peer.address) " + words)
    }

    @Test func `a server that returns all bytes does not count as a packet server`() async throws {
        let peer = try await rawPeer { _, new in new }
        let outcome = try conform(peer, "--timeout 20m")
        #expect(
            outcome
                == Outcome(
                    status: 1,
                    output: """
                        FAIL Invalid/cut/refuse: the server has returned what is no packet: the stream ended inside a \
                        packet: 5 bytes came, 10 more were needed
                        FAIL Invalid/long/refuse: the server has returned what is no packet: length 0xFFFFFFFF is over \
                        the limit of 1048576
                        Scene: 6 checks: 4 passed, 2 failed

                        """, errors: ""))
    }

    /// Makes a check that a server fails by its silence, with this message.
    private func expectFailure(
        of peer: RawPeer, _ filter: String, at sourceLocation: SourceLocation = #_sourceLocation,
        _ text: (_ time: String) -> String
    ) throws {
        // The timeout includes connecting and everything before the silence, so a busy machine gets a longer one.
        for time in ["5s", "60s"] {
            let outcome = try conform(peer, "--timeout \(time) --filter \(filter)")
            let expected = Outcome(
                status: 1, output: "FAIL \(text(time))\nScene: 1 check: 1 failed\n", errors: "")
            if outcome != expected, time != "60s" { continue }
            #expect(outcome == expected, sourceLocation: sourceLocation)
            break
        }
    }

    @Test func `a server that only waits after an invalid packet has not refused it`() async throws {
        let peer = try await rawPeer { _, _ in [] }
        try expectFailure(of: peer, "Invalid/long") {
            "Invalid/long/refuse: the server waits: it has not ended the connection within \($0)"
        }
    }

    @Test func `a server that changes a byte is detected`() async throws {
        let peer = try await rawPeer { _, new in new.map { $0 == 0x68 ? 0x69 : $0 } }
        let outcome = try conform(peer, "--timeout 20m --filter hi/whole")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("FAIL hi/whole: byte 13 differs: expected …"), "\(outcome)")
    }

    @Test func `a silent server is detected`() async throws {
        let peer = try await rawPeer { _, _ in [] }
        try expectFailure(of: peer, "hi/whole") { "hi/whole: it has not come back within \($0)" }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interruption works while a server is silent`(signal: Int32) async throws {
        let packets = Seen<Int>()
        let peer = try await rawPeer { all, _ in
            packets.add(all.count)
            return []
        }
        let workspace = try Workspace(Self.files)
        let process = workspace.process(["conform", "--target", peer.address, "--timeout", "20m"])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.terminationHandler = { _ in packets.add(0) }
        try process.runWatched()
        _ = await packets.first(1)
        kill(process.processIdentifier, signal)
        try await onThread { process.waitUntilExit() }
        #expect(process.terminationReason == .exit && process.terminationStatus == 1)
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        #expect(texts == ["Scene: no check was made\n", "error: interrupted: 6 checks were not made\n"])
        await peer.close()
    }

    @Test func `a server that answers only the first of merged packets is detected`() async throws {
        let peer = try await rawPeer { _, new in Array(new.prefix(15)) }
        try expectFailure(of: peer, "hi/glued") { "hi/glued: packet 2 of 3: it has not come back within \($0)" }
    }

    @Test func `a server that stops serving after a bad packet is detected`() async throws {
        let bad = Seen<Void>()
        let peer = try await rawPeer { all, new in
            if all.last == 0xFF { bad.add(()) }
            return all.last == 0xFF || bad.count == 0 ? new : []
        }
        try expectFailure(of: peer, "Invalid/text") {
            "Invalid/text/refuse: after it, on the next connection: it has not come back within \($0)"
        }
    }

    @Test func `a server that cannot be reached is reported once`() throws {
        let outcome = try Workspace(Self.files).wire("conform", "--target", "127.0.0.1:1", "--timeout", "20m")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: cannot connect to 127.0.0.1:1: "))
    }

    @Test(arguments: [
        ("--target localhost", 2, "error: --target is a name or an IP address"),
        ("--target 127.0.0.1:1 --command x", 2, "error: --command and --target do not go together\n"),
        ("--adapter --command x", 2, "error: --command and --adapter do not go together\n"),
        ("--tls", 2, "error: --tls goes with --target HOST:PORT\n"),
        ("--websocket /sub", 2, "error: --websocket goes with --target HOST:PORT\n"),
        ("--target 127.0.0.1:1 --websocket sub", 2, "error: --websocket is a path that begins with a slash"),
        ("--timeout 5", 2, "error: --timeout is a number above 0 with ms, s or m after it"),
    ])
    func `a call that cannot work gives the reason`(words: String, status: Int32, error: String) throws {
        let outcome = try Workspace(Self.files).shell("wire conform " + words)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix(error), "\(outcome)")
    }
}
