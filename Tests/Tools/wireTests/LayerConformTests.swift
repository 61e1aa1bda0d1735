// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `wire conform` with protocols whose packets have layers.
@Suite(.aside)
struct LayerConformTests {
    private static let cipher = """
        option byte_order = little;
        packet { @length(packet) uint16 size; layer rc4(session); @id uint16 opcode; @sequence uint8 number; }
        @id(1) @from(client) message Ask { @rest string text; }
        @id(2) @from(server) message Answer { uint16 a; @rest string text; }

        """
    private static let bundles = """
        option max_packet = 4096;
        option max_inflated = 65536;
        enum Form : uint8 { plain = 0; zlib = 2; brotli = 3; }
        packet {
            @length(packet) uint32 size;
            @default(plain) Form form;
            @id uint16 id;
            @if(form == zlib) layer zlib;
            @if(form == brotli) layer brotli;
            @if(form == zlib or form == brotli) packets;
        }
        @id(1) @from(client) message Ask { uint8 a; @rest string text; }
        @id(2) @from(server) message Line { @rest string text; }

        """
    private static let counted = """
        packet {
            state bit compressed;
            @length(rest) uint16 length;
            @if(compressed) @length(content) uint16 dataLength;
            @if(dataLength != 0) layer deflate;
            @id uint8 id;
        }
        @id(1) @from(both) message Note { @rest string text; }
        @id(3) @from(server) @sets(compressed) message SetCompression { uint16 threshold; }

        """
    private static let aes = """
        packet {
            @length(rest) uint16 length;
            @size(16) bytes vector;
            layer aes_cbc(session, vector);
            @id uint8 id;
        }
        @id(1) @from(both) message Note { @rest string text; }

        """
    private static let schemas = [cipher, bundles, counted, aes]

    private static func workspace(_ schema: String) throws -> Workspace {
        try Workspace(["Protocols/Game/Game.wire": schema])
    }

    @Test(arguments: schemas.indices)
    func `vectors that are made from the schema hold for the tool's own codec`(index: Int) throws {
        let workspace = try Self.workspace(Self.schemas[index])
        let outcome = try workspace.wire("conform", "--generate", "\(Depth.count(100, deep: 400))", "--write", "V")
        #expect(outcome.status == 0 && outcome.output.contains("passed"), "\(outcome)")
        // Written and read again, they are the same.
        let again = try workspace.wire("conform", "V")
        #expect(again.status == 0 && again.output.contains("passed"), "\(again)")
    }

    @Test(arguments: schemas.indices)
    func `an adapter gets the keys with each question`(index: Int) throws {
        let workspace = try Self.workspace(Self.schemas[index])
        let count = Depth.count(20, deep: 60)
        let outcome = try workspace.shell("wire conform --generate \(count) --command 'wire conform --adapter'")
        #expect(
            outcome.status == 0 && outcome.output.contains("passed") && !outcome.output.contains("skip"), "\(outcome)")
    }

    @Test func `an adapter answers with the key of the question, and begins anew with each`() throws {
        let workspace = try Self.workspace(Self.cipher)
        let question =
            #"{"id":1,"ask":"encode","from":"client","keys":{"session":"0102"},"line":"#
            + #"{"message":"Ask","fields":{"text":"hi"}}}"#
        let outcome = try workspace.wire("conform", "--adapter", input: Data("\(question)\n\(question)\n".utf8))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1], "\(outcome)")
        let encoded = try workspace.wire("encode", "Ask", #"{"text":"hi"}"#, "--key", "session=0102")
        #expect(
            lines.first?.contains(encoded.output.trimmingCharacters(in: .newlines)) == true, "\(outcome) \(encoded)")
        let wrong = #"{"id":1,"ask":"encode","keys":{"other":"01"},"line":{}}"#
        let refused = try workspace.wire("conform", "--adapter", input: Data((wrong + "\n").utf8))
        #expect(refused.output.contains(#""reply":"skip""#) && refused.output.contains("other"), "\(refused)")
    }

    @Test func `a vector names its key`() throws {
        let workspace = try Self.workspace(Self.cipher)
        let encoded = try workspace.wire("encode", "Ask", #"{"text":"hi"}"#, "--key", "client.session=0102")
        try workspace.write("# key client.session=0102\n" + encoded.output, to: "Protocols/Game/Vectors/ask.hex")
        try workspace.write(
            #"{"message":"Ask","fields":{"text":"hi"}}"# + "\n", to: "Protocols/Game/Vectors/ask.json")
        let outcome = try workspace.wire("conform")
        #expect(outcome.status == 0 && outcome.output.contains("4 passed"), "\(outcome)")
        try workspace.write("# key session\n" + encoded.output, to: "Protocols/Game/Vectors/ask.hex")
        let broken = try workspace.wire("conform")
        #expect(broken.status != 0 && broken.errors.contains("a key is written as in"), "\(broken)")
    }

    @Test func `vectors show each way to break layers and packets in packets`() throws {
        let workspace = try Self.workspace(Self.bundles)
        let made = try workspace.wire("conform", "--generate", "2000", "--write", "V")
        #expect(made.status == 0, "\(made)")
        let errors = try workspace.shell("cat V/Invalid/*.json").output
        let kinds = [
            "invalid_layer", "trailing_bytes", "inflated_too_long", "too_deep", "truncated",
        ]
        #expect(kinds.filter { !errors.contains(#""error":"\#($0)""#) } == [], "\(errors)")
        let names = try workspace.shell("ls V/Invalid").output
        let labels = [
            "-layer-cut", "-layer-flipped", "-layer-trailing", "-layer-empty", "-layer-inner-packet-cut",
            "-layer-too-deep", "-bomb",
        ]
        #expect(labels.filter { !names.contains($0) } == [], "\(names)")
    }

    // MARK: Live servers

    private static let key = ["--key", "session=000102030405060708090a0b0c0d0e0f"]

    @Test(arguments: schemas.indices)
    func `our echo server conforms`(index: Int) throws {
        let schema = Self.schemas[index]
        let key = schema.contains("session") ? Self.key : []
        let server = try ServingTool(
            running: ["serve", "127.0.0.1:0", "--echo"] + key, files: ["Protocols/Game/Game.wire": schema])
        let outcome = try server.wire(
            ["conform", "--target", server.address, "--timeout", "20m", "--generate", "\(Depth.count(40, deep: 150))"]
                + key)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.wholeMatch(of: /Game: (\d+) checks: \1 passed\n/) != nil, "\(outcome)")
        #expect(server.end().status == 0)
    }

    @Test(arguments: [
        ("send Answer { a: 1, text: request.text };", "the ID is 2 where 1 was expected"),
        // The middle one of its five bytes.
        ("echo damaged;", "number is 1 where 0 was expected"),
    ])
    func `a server that returns something else is detected`(statement: String, fault: String) throws {
        let server = try ScriptedServer("on Ask { \(statement) }", schema: Self.cipher, Self.key[0], Self.key[1])
        let words = ["--timeout", "20m", "--generate", "2", "--filter", "Ask*/whole"]
        let outcome = try server.tool.wire(["conform", "--target", server.tool.address] + words + Self.key)
        #expect(outcome.status == 1 && outcome.output.contains(fault), "\(outcome)")
        _ = server.end()
    }

    @Test func `a live server's key for one side is not enough`() throws {
        let words = ["conform", "--generate", "5", "--target", "127.0.0.1:1", "--key", "client.session=00"]
        let outcome = try Self.workspace(Self.cipher).wire(words)
        let text = "error: --target needs the server's key `server.session`\nhelp: --key server.session=HEX\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: text))
    }

    @Test func `a live server's keys must be known`() throws {
        let workspace = try Self.workspace(Self.cipher)
        let outcome = try workspace.wire("conform", "--target", "127.0.0.1:1", "--generate", "1")
        #expect(outcome.status == 1 && outcome.errors.contains("needs the server's key `session`"), "\(outcome)")
        let custom = try Self.workspace(Self.cipher.replacing("rc4(session)", with: "custom(session)"))
            .wire("conform", "--target", "127.0.0.1:1", "--generate", "1")
        #expect(custom.status == 1 && custom.errors.contains("does not have the transform `session`"), "\(custom)")
    }
}
