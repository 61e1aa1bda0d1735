// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

@testable import wire

/// `wire probe`, against servers of all kinds, and the parts that it decides with.
@Suite(.waiting)
struct ProbeTests {
    /// Probes a peer. A busy machine answers late, which may lead to any verdict. Until the verdict is the expected
    /// one, this probes again with longer timeouts.
    func probe(
        _ endpoint: String, packet: [UInt8]? = nil, for expected: Probe.Verdict
    ) async throws -> Probe.Verdict {
        let patience = [Duration.milliseconds(300), .seconds(5), .seconds(20)]
        return try await probe(endpoint, packet: packet, patience) { $0 == expected }
    }

    private func probe(
        _ endpoint: String, packet: [UInt8]? = nil, _ patience: [Duration], until isSettled: (Probe.Verdict) -> Bool
    ) async throws -> Probe.Verdict {
        let endpoint = try HostAndPort(endpoint)
        let address = try SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
        var verdict = Probe.Verdict.unknown(.silent)
        for silence in patience {
            let probe = Probe(
                addresses: [address], loop: try EventLoopGroup.shared.nextLoop(), silence: silence,
                connectTimeout: .seconds(500), deadline: .distantFuture, packet: packet, progress: { _ in })
            verdict = try await probe.run()
            if isSettled(verdict) { break }
        }
        return verdict
    }

    private static let anyMessage = "\n@id(1) @from(both) message Any { @rest bytes all; }\n"

    // MARK: Framings

    @Test(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), arguments: [1, 2, 4])
    func `an Erlang listener is recognised by its {packet, N}`(_ size: Int) async throws {
        let erlang = try ErlangEnd(["packet", "\(size)"])
        defer { erlang.stop() }
        let framing = Framing(offset: 0, width: size, order: .bigEndian, excess: size)
        let verdict = Probe.Verdict.packets(framing, name: "as of Erlang's {packet, \(size)}")
        #expect(try await probe("127.0.0.1:\(erlang.port())", for: verdict) == verdict)
    }

    @Test(arguments: [
        ("", Framing(offset: 0, width: 4, order: .bigEndian, excess: 0), "what a schema without a header declares"),
        (
            "option byte_order = little; packet { @length(packet) uint16 length; @id uint16 id; }",
            Framing(offset: 0, width: 2, order: .littleEndian, excess: 0), ""
        ),
        (
            "packet { @length(payload) uint16 length; @id uint16 id; }",
            Framing(offset: 0, width: 2, order: .bigEndian, excess: 4), ""
        ),
        (
            "option byte_order = little; packet { @length(rest) uint32 length; @id uint32 id; }",
            Framing(offset: 0, width: 4, order: .littleEndian, excess: 4), ""
        ),
        (
            "packet { @default(1) uint16 ver; @id uint16 op; @length(payload) uint16 propl; }",
            Framing(offset: 4, width: 2, order: .bigEndian, excess: 6), "such as QSIOP's"
        ),
        (
            "packet { @id uint8 type; @length(payload) uint24 length; }",
            Framing(offset: 1, width: 3, order: .bigEndian, excess: 4), "such as pomelo's"
        ),
        (
            "packet { @id uint32 id; @length(payload) uint32 length; }",
            Framing(offset: 4, width: 4, order: .bigEndian, excess: 8), "an ID of 4 bytes first"
        ),
    ])
    func `an echo server for a schema is recognised by its header`(
        _ header: String, _ framing: Framing, _ name: String
    ) async throws {
        let server = try ServingTool([], files: ["Protocols/Peer/Peer.wire": header + Self.anyMessage])
        let verdict = Probe.Verdict.packets(framing, name: name)
        #expect(try await probe(server.address, for: verdict) == verdict)
        #expect(server.end().status == 0)
    }

    @Test func `a server that pushes packets is recognised by them`() async throws {
        let peer = try await peer { connection in
            for number in 0..<12 as Range<UInt8> {
                await connection.sendRaw([0, 3 + number] + [UInt8](repeating: 0xEE, count: Int(number) + 3))
            }
            while try await connection.next() != nil {}
        }
        let framing = Framing(offset: 0, width: 2, order: .bigEndian, excess: 2)
        let verdict = Probe.Verdict.packets(framing, name: "")
        #expect(try await probe(peer.address.description, for: verdict) == verdict)
        await peer.shutDown(within: .seconds(500))
    }

    @Test(.enabled(if: Peers.isWanted("python3"), "python3 is not on the PATH: install python3"))
    func `a Python server that packs lengths with struct is recognised`() async throws {
        let folder = try Workspace(["server.py": Self.pythonServer])
        let server = try PeerProcess("python3 -u server.py", in: folder)
        let framing = Framing(offset: 0, width: 4, order: .bigEndian, excess: 4)
        let verdict = Probe.Verdict.packets(framing, name: "as of Erlang's {packet, 4}")
        #expect(try await probe("127.0.0.1:\(server.port)", for: verdict) == verdict)
    }

    /// Returns packets. For one that is too large it returns an error packet, and closes.
    private static let pythonServer = """
        import socketserver, struct

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                while header := self.rfile.read(4):
                    count, = struct.unpack(">I", header)
                    if count > 1 << 16:
                        self.wfile.write(struct.pack(">I", 9) + b"too large")
                        return
                    self.wfile.write(header + self.rfile.read(count))

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        with Server(("127.0.0.1", 0), Handler) as server:
            print("port", server.server_address[1])
            server.serve_forever()

        """

    @Test func `a known request helps with a server that answers no other packet`() async throws {
        let peer = try await peer { connection in
            while let packet = try await connection.next() {
                guard packet.id == 20_001 else { continue }
                await connection.sendRaw([0, 0, 0, 11, 0x4E, 0x21, 1, 0, 0, 0, 7])
            }
        }
        let packet: [UInt8] = [0, 0, 0, 8, 0x4E, 0x21, 0, 0]
        let framing = Framing(offset: 0, width: 4, order: .bigEndian, excess: 0)
        let verdict = Probe.Verdict.packets(framing, name: "")
        #expect(try await probe(peer.address.description, packet: packet, for: verdict) == verdict)
        await peer.shutDown(within: .seconds(500))
    }

    // MARK: Other protocols

    @Test(
        .enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)),
        arguments: ["-tls1_2", "-tls1_3", "-tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384"])
    func `a TLS server is recognised, whether the handshake would succeed or not`(_ options: String) async throws {
        let folder = try Workspace()
        let made = try folder.shell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out certificate -subj /CN=a"
        )
        #expect(made.status == 0)
        let line = "openssl s_server -accept 127.0.0.1:0 -key key -cert certificate \(options)"
        let server = try PeerProcess(line, in: folder)
        #expect(try await probe("127.0.0.1:\(server.port)", for: .other("TLS")) == .other("TLS"))
    }

    @Test(.enabled(if: Peers.isWanted("python3"), "python3 is not on the PATH: install python3"))
    func `a web server is recognised`() async throws {
        let server = try PeerProcess("python3 -u -m http.server 0 --bind 127.0.0.1", in: Workspace())
        #expect(try await probe("127.0.0.1:\(server.port)", for: .other("HTTP")) == .other("HTTP"))
    }

    @Test(.enabled(if: Peers.isWanted("redis-server"), "redis-server is not on the PATH: install redis-server"))
    func `a Redis server is recognised`() async throws {
        let server = try await PeerProcess.onFreePort { port in
            try PeerProcess("redis-server --port \(port) --bind 127.0.0.1 --save ''", in: Workspace(), port: port)
        }
        #expect(try await probe("127.0.0.1:\(server.port)", for: .other("Redis")) == .other("Redis"))
    }

    @Test func `a peer that returns every byte, or every line, has no packets`() async throws {
        let bytes = try await rawPeer { _, new in new }
        #expect(try await probe(bytes.address, for: .unframed) == .unframed)
        let lines = try await rawPeer { all, _ in all.last == UInt8(ascii: "\n") ? [0x01] : [] }
        #expect(try await probe(lines.address, for: .other("lines of text")) == .other("lines of text"))
    }

    @Test func `a server with a banner is recognised by it`() async throws {
        let banner = Array("SSH-2.0-OpenSSH_9.6\r\n".utf8)
        let pushing = try await peer { connection in
            await connection.sendRaw(banner)
            while try await connection.next() != nil {}
        }
        #expect(try await probe(pushing.address.description, for: .other("SSH")) == .other("SSH"))
        await pushing.shutDown(within: .seconds(500))
    }

    // MARK: Answers without meaning

    /// The verdict is that the answer says nothing. Late answers must not turn that into a framing or an echo: such a
    /// verdict would be wrong, however busy the machine is.
    private func expectUnclear(_ peer: RawPeer, _ comment: Comment) async throws {
        let verdict = try await probe(peer.address, [.milliseconds(50), .seconds(2), .seconds(20)]) {
            switch $0 {
            // It was not patient enough: nothing has come, or a part has come in the middle of its work.
            case .unknown(.silent), .unknown(.restless): false
            default: true
            }
        }
        guard case .unknown(.unclear) = verdict else {
            Issue.record("\(comment): \(verdict)")
            return
        }
    }

    @Test func `random bytes are no framing, whenever they arrive`() async throws {
        try await expectUnclear(rawPeer(greeting: Self.noise(37)) { _, _ in [] }, "first")
        try await expectUnclear(rawPeer { all, _ in all.count > 20 ? Self.noise(40) : [] }, "after 20 bytes")
        for count in [4, 37, 200] {
            try await expectUnclear(rawPeer { _, _ in Self.noise(count) }, "\(count) to any data")
            try await expectUnclear(
                rawPeer { all, new in all.count == new.count ? Self.noise(count) : [] }, "\(count), once")
        }
    }

    /// Bytes that are not lines, and not the beginning of another protocol.
    private static func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 128...255) } }

    @Test func `one packet as the answer to any data is neither an echo nor an answer`() async throws {
        let packet: [UInt8] = [0, 5, 1, 2, 3, 4, 5]
        try await expectUnclear(rawPeer { _, _ in packet }, "and more are taken")
        try await expectUnclear(rawPeer(endsBehindAnswer: true) { _, _ in packet }, "and the end follows")
    }

    @Test func `many different packets as answers to any data show their framing`() async throws {
        let peer = try await rawPeer { all, _ in
            let count = UInt8(3 + all.count % 50)
            return [0, 0, 0, count] + [UInt8](repeating: 0xEE, count: Int(count))
        }
        let framing = Framing(offset: 0, width: 4, order: .bigEndian, excess: 4)
        let verdict = Probe.Verdict.packets(framing, name: "")
        #expect(try await probe(peer.address, for: verdict) == verdict)
    }

    @Test func `a server that closes after an error packet is recognised by the packets it accepts`() async throws {
        let peer = try await rawPeer(endsBehindAnswer: true) { all, _ in
            guard all.count >= 2 else { return [] }
            let count = Int(all[0]) << 8 | Int(all[1])
            guard count <= 1_000 else { return [0, 1, 0xFF] }
            return all.count >= 2 + count ? Array(all.prefix(2 + count)) : []
        }
        let framing = Framing(offset: 0, width: 2, order: .bigEndian, excess: 2)
        let verdict = Probe.Verdict.packets(framing, name: "as of Erlang's {packet, 2}")
        #expect(try await probe(peer.address, for: verdict) == verdict)
    }

    // MARK: The command

    @Test(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"))
    func `the output has a sentence, and a header that can be declared`() throws {
        let erlang = try ErlangEnd(["packet", "1"])
        defer { erlang.stop() }
        let endpoint = "127.0.0.1:\(try erlang.port())"
        let line = "uint8 length, that counts all that follows it: as of Erlang's {packet, 1}"
        let expected = Outcome.success(
            "\(endpoint) speaks packets with a \(line)\npacket {\n    @length(rest) uint8 length;\n}\n")
        var outcome = try Workspace().shell("wire probe \(endpoint) --silence 2s --timeout 20m")
        // A busy machine answers late.
        if outcome != expected { outcome = try Workspace().shell("wire probe \(endpoint) --silence 20s --timeout 20m") }
        #expect(outcome == expected)
    }

    @Test func `a peer that cannot be recognised is a failure, and the output says what would help`() async throws {
        let silent = try await rawPeer { _, _ in [] }
        let outcome = try Workspace().shell("wire probe \(silent.address) --silence 20ms --timeout 20m")
        #expect(
            outcome
                == Outcome(
                    status: 1, output: "",
                    errors: "error: cannot tell: \(silent.address) takes connections and answers nothing\n"
                        + "help: with --send HEX, a packet that it answers, more can be told\n"))
        #expect(
            try Workspace().shell("wire probe 127.0.0.1:1 --timeout 20m")
                == Outcome(
                    status: 1, output: "",
                    errors: "error: cannot connect to 127.0.0.1:1: nobody listens at this address\n"))
    }

    @Test func `the whole probe ends in time, even with a peer whose answers never end`() async throws {
        let peer = try await rawPeer(isTrickling: true) { _, new in new.last == 0x0A ? [0x80] : [] }
        let endpoint = try HostAndPort(peer.address)
        let probe = Probe(
            addresses: [try SocketAddress(ipAddress: endpoint.host, port: endpoint.port)],
            loop: try EventLoopGroup.shared.nextLoop(), silence: .seconds(1), connectTimeout: .seconds(500),
            deadline: .now + .seconds(4), packet: nil, progress: { _ in })
        let verdict = try await probe.run()
        guard case .unknown(.late) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        let outcome = try Workspace().shell("wire probe \(peer.address) --silence 1s --timeout 1500ms")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("error: cannot tell within the time: \(peer.address) has "))
        #expect(outcome.errors.hasSuffix("help: with a longer --timeout, more can be told\n"))
    }

    @Test func `a peer that sends without a pause shows no end of a packet`() async throws {
        let peer = try await rawPeer(greeting: [0x80], isTrickling: true) { _, _ in [] }
        let isRestless = { (verdict: Probe.Verdict) in
            guard case .unknown(.restless(let bytes)) = verdict else { return false }
            return bytes.starts(with: [0x80, 0])
        }
        let patience = [Duration.milliseconds(100), .seconds(5), .seconds(20)]
        let verdict = try await probe(peer.address, packet: nil, patience, until: isRestless)
        #expect(isRestless(verdict), "\(verdict)")
    }

    // MARK: The decision

    @Test func `packets of any framing are recognised as that framing, or as one that fits as well`() {
        var random = SeededGenerator.forThisRun()
        for framing in FramingGuess.all where framing.width > 1 {
            var guess = FramingGuess()
            for _ in 0..<6 {
                let sizes = (0..<3).map { _ in Int.random(in: 4...40, using: &random) }
                guess.add(sizes.flatMap { framing.packet(restByteCount: $0) })
            }
            let found = guess.framing
            #expect(found != nil, "\(framing), \(random.seedComment)")
            guard let found else { continue }
            #expect(found.width >= framing.width, "\(framing), \(random.seedComment)")
            #expect(guess.bursts.allSatisfy { found.fits($0) })
        }
    }

    @Test func `random bytes are not recognised as any framing`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<5_000 {
            var guess = FramingGuess()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let count = Int.random(in: 1...200, using: &random)
                // Small numbers are more likely to be lengths.
                let most = [0xFF, 0x3F, 0x07].randomElement(using: &random) ?? 0xFF
                guess.add((0..<count).map { _ in UInt8(Int.random(in: 0...255, using: &random) & most) })
            }
            #expect(guess.framing == nil, "\(guess.bursts), \(random.seedComment)")
        }
    }

    @Test func `every framing is a header that the schema language accepts`() {
        let known = [
            KnownPackets.mySQL, .modbus, .memcached, .postgreSQL, .amqp, .amqp1, .http2,
        ]
        for framing in FramingGuess.all + known.map(\.framing) {
            let schema = framing.schema + "\n@from(both) message Any { @rest bytes all; }\n"
            let file = SourceFile(path: "a.wire", bytes: Array(schema.utf8))
            let result = ProtocolDescription.check(name: "Peer", files: [file])
            #expect(result.description != nil, "\(schema) \(result.diagnostics)")
        }
    }
}
