// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// Preferences of dissectors: keys, and states of connections that began before the capture.
@Suite(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"), .aside)
struct WiresharkPreferenceTests {
    /// Returns the texts of fields in a capture with one packet.
    private func fields(
        _ names: [String], of bytes: [UInt8], from sender: Sender, _ judge: SharkJudge, _ preferences: [String] = []
    ) throws -> String {
        var capture = CaptureFile()
        capture.add(bytes, at: 0, from: sender)
        let all = ["server_ports:\(CaptureFile.serverPort)"] + preferences
        return try SharkTool.read(
            capture.bytes, script: judge.script,
            all.flatMap { ["-o", "\(judge.name).\($0)"] } + ["-T", "fields"] + names.flatMap { ["-e", $0] })
    }

    private func judge(_ name: String, _ schema: String) throws -> SharkJudge {
        SharkJudge(try LayeredProtocol(name: name, schema: schema, packets: []).translator())
    }

    // MARK: Keys

    private static let twoSides = """
        packet { @length(rest) uint16 size; layer xor(Session); @id uint8 id; }
        @id(1) @from(both) message Say { @rest string text; }
        """

    @Test(
        arguments: [
            (["key_session:0f", "server_key_session:f0"], "1\n", "1\n"), (["client_key_session:0F"], "1\n", "\n"),
            (["server_key_session: f 0"], "\n", "1\n"), ([], "\n", "\n"),
        ] as [([String], String, String)])
    func `a key is for the packets of both sides, or of one`(
        _ preferences: [String], _ client: String, _ server: String
    ) throws {
        let judge = try judge("Sides", Self.twoSides)
        #expect(try fields(["sides.id"], of: [0, 2, 0x0E, 0x6E], from: .client, judge, preferences) == client)
        #expect(try fields(["sides.id"], of: [0, 2, 0xF1, 0x91], from: .server, judge, preferences) == server)
    }

    @Test(arguments: [("xor", "0", 65_536), ("xor", "0g", 65_536), ("rc4", String(repeating: "00", count: 257), 256)])
    func `a preference that is no key is told, and not shown`(cipher: String, digits: String, most: Int) throws {
        let judge = try judge("Sides", Self.twoSides.replacing("xor", with: cipher))
        let found = try fields(
            ["_ws.expert.message"], of: [0, 2, 1, 1], from: .client, judge, ["key_session:" + digits])
        let note = "key_session: no key of at most \(most) bytes in hexadecimal digits"
        let text = #"packet.Session: the layer is not available: there is no key "Session" for packets of the client"#
        #expect(found == "\(text),\(note)\n" || found == "\(note),\(text)\n")
    }

    @Test func `no key is in the generated file`() throws {
        let sample = LayeredProtocol.ciphers
        let text = WiresharkGenerator(try sample.translator().description).files()[0].text
        #expect(sample.keys.values.allSatisfy { !text.contains($0) })
    }

    // MARK: What is not opened

    @Test(
        arguments: [
            ("layer brotli;", "packet.brotli: the layer is not available: this dissector does not inflate brotli"),
            (
                "layer aes_cbc(key, start);",
                "packet.key: the layer is not available: this dissector does not decipher AES"
            ),
            (
                "layer aes_ctr(key, start);",
                "packet.key: the layer is not available: this dissector does not decipher AES"
            ),
            ("layer custom(rot);", #"packet.rot: the layer is not available: only a program has the transform "rot""#),
            (
                "layer rc4(key);",
                #"packet.key: the layer is not available: there is no key "key" for packets of the client"#
            ),
        ])
    func `a layer that the dissector does not have is shown sealed, and says why`(layer: String, text: String) throws {
        let judge = try judge(
            "Sealed",
            """
            packet { @length(rest) uint16 size; \(layer) @id uint8 id; }
            @id(1) @from(client) message Say { @rest string text; }
            """)
        let names = ["sealed.sealed", "sealed.id", "_ws.expert.message", "_ws.col.Info"]
        let found = try fields(names, of: [0, 3, 1, 2, 3], from: .client, judge)
        #expect(found == "010203\t\t\(text)\tsealed packet\n")
    }

    @Test func `a keystream whose place is not known stays sealed`() throws {
        let sample = LayeredProtocol(
            name: "Lost",
            schema: """
                packet {
                    @length(rest) uint16 size;
                    uint8 kind;
                    @if(kind == 1) layer brotli;
                    layer rc4(key);
                    @id uint8 id;
                }
                @id(1) @from(client) message Say { @rest string text; }
                """,
            keys: ["key": "010203"], packets: [])
        let translator = try sample.translator()
        let draft = try translator.draft(of: ["message": "Say", "fields": ["text": "hello"]])
        var sealer = translator.makeSealer(from: .client)
        let packets = [
            try translator.encode(draft, with: &sealer), try translator.encode(draft, with: &sealer), [0, 3, 1, 9, 9],
            try translator.encode(draft, with: &sealer),
        ]
        var capture = CaptureFile()
        for (index, packet) in packets.enumerated() {
            capture.add(packet, at: packets[..<index].joined().count, from: .client)
        }
        let judge = SharkJudge(translator)
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            judge.arguments(keys: sample.keys) + ["-T", "fields", "-e", "_ws.col.Info", "-e", "lost.say.text"])
        #expect(found == "Say\thello\nSay\thello\nsealed packet\t\nsealed packet\t\n")
    }

    // MARK: States

    @Test(arguments: [("play", "1"), ("2", "1"), ("0", ""), ("", ""), ("login", "")])
    func `a preference sets a state of a connection that began earlier`(value: String, extra: String) throws {
        let judge = try judge("Phases", Self.phases)
        let bytes: [UInt8] = value == "play" || value == "2" ? [0, 2, 1, 1] : [0, 1, 1]
        let preferences = value.isEmpty ? [] : ["state_game_phase:" + value]
        let found = try fields(["phases.message", "phases.packet.extra"], of: bytes, from: .client, judge, preferences)
        #expect(found == "Say\t\(extra)\n")
    }

    @Test(arguments: ["3000", "-1", "none"])
    func `a preference that is no value of a state is told, and not taken`(value: String) throws {
        let judge = try judge("Phases", Self.phases)
        let found = try fields(
            ["phases.message", "_ws.expert.message"], of: [0, 1, 1], from: .client, judge, ["state_game_phase:" + value]
        )
        #expect(found == "Say\tstate_game_phase: the state \"gamePhase\" is never \"\(value)\"; it begins with 0\n")
    }

    /// `nested` has no state, and never holds here.
    private static let phases = """
        enum Phase : uint8 { login = 0; play = 2; }
        packet {
            state Phase gamePhase;
            state int64 level;
            @length(rest) uint16 size;
            @if(nested) uint16 never;
            @if(gamePhase == play and not nested) uint8 extra;
            @if(level < -3) uint8 low;
            @id uint8 id;
        }
        @id(1) @from(client) message Say {}
        @id(2) @from(client) @sets(gamePhase = play) message Play {}
        """

    @Test(arguments: [("-4", "7"), ("-9223372036854775808", "7"), ("-3", ""), ("9223372036854775807", "")])
    func `a state may be negative and have 64 bits`(value: String, low: String) throws {
        let judge = try judge("Phases", Self.phases)
        let bytes: [UInt8] = low.isEmpty ? [0, 1, 1] : [0, 2, 7, 1]
        let found = try fields(
            ["phases.message", "phases.packet.low"], of: bytes, from: .client, judge, ["state_level:" + value])
        #expect(found == "Say\t\(low)\n")
    }

    @Test func `packets that no other one holds are never nested, whatever the states are`() throws {
        let judge = try judge("Phases", Self.phases)
        var capture = CaptureFile()
        capture.add([0, 1, 2, 0, 2, 9, 1, 0, 2, 8, 2], at: 0, from: .client)
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            ["-o", "phases.server_ports:9001", "-T", "fields", "-e", "_ws.col.Info", "-e", "phases.packet.extra"])
        #expect(found == "Play, Say, Play\t9,8\n")
    }

    /// Fixed-size packets in segments that are cut anywhere: two packets of a frame can lie at one place in two pieces.
    @Test(arguments: [[], ["-2", "-R", "tcp"]])
    func `packets of one frame keep their own states when it is dissected again`(passes: [String]) throws {
        let judge = try judge(
            "Turns",
            """
            packet { state bit on; @length(rest) uint16 size; @if(on) uint8 a; @if(not on) uint8 b; @id uint8 id; }
            @id(1) @from(client) @sets(on) message On {}
            @id(2) @from(client) @sets(on = false) message Off {}
            """)
        var capture = CaptureFile()
        let packets: [[UInt8]] = [[0, 2, 5, 1], [0, 2, 6, 2], [0, 2, 7, 1], [0, 2, 8, 2]]
        capture.add(packets.flatMap { $0 }, cutAt: [2, 8, 10], from: .client)
        let found = try SharkTool.read(
            capture.bytes, script: judge.script,
            passes + ["-o", "turns.server_ports:9001", "-T", "fields", "-e", "turns.packet.b", "-e", "turns.packet.a"])
        #expect(found == "\t\n5\t6\n\t\n7\t8\n")
    }
}
