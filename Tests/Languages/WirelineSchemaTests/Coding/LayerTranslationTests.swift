// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Bilibili's live comments in all versions: packets in compressed packets, in JSON.
struct LayerTranslationTests {
    static let schema = """
        option max_packet   = 262144;
        option max_inflated = 4194304;
        enum Form : uint16 { json = 0; plain = 1; zlib = 2; brotli = 3; }
        packet {
            @length(packet) uint32 PacketLength;
            @constant(16)   uint16 HeaderLength;
            @default(plain) Form   Version;
            @id             uint32 Operation;
            @sequence       uint32 Sequence;
            @if(Version == zlib)                      layer zlib;
            @if(Version == brotli)                    layer brotli;
            @if(Version == zlib or Version == brotli) packets;
        }
        @id(2) @from(client) @reply(HeartbeatReply) message Heartbeat { @rest string Body; }
        @id(3) @from(server) message HeartbeatReply { uint32 Popularity; }
        @id(5) @from(server) message Notification { @rest string Body; }
        """

    private let translator: PacketTranslator

    init() throws { translator = PacketTranslator(try describe(Self.schema)) }

    /// Returns the line of a server's packet.
    private func decode(_ hex: String) throws -> JSONValue {
        let bytes = try Hexadecimal.bytes(of: hex)
        return try translator.decode(bytes.span.bytes, from: .server)
    }

    /// Bytes of a server, published in SocialSisterYi/bilibili-API-collect, `docs/live/message_stream.md`.
    static let recorded = """
        000000860010000300000005000000008b3880000000720010000000000005000000007b22636d64223a22574154434845445f434841\
        4e4745222c2264617461223a7b226e756d223a32323039372c22746578745f736d616c6c223a22322e32e4b887222c22746578745f6c\
        61726765223a22322e32e4b887e4babae79c8be8bf87227d7d03
        """

    @Test func `a recorded packet is the packet inside of it`() throws {
        let data = #"{\"num\":22097,\"text_small\":\"2.2万\",\"text_large\":\"2.2万人看过\"}"#
        let body = #"{\"cmd\":\"WATCHED_CHANGE\",\"data\":"# + data + "}"
        #expect(
            try decode(Self.recorded).description
                == #"{"message":null,"id":5,"header":{"PacketLength":134,"HeaderLength":16,"Version":"brotli","Operation":5,"Sequence":0},"packets":[{"message":"Notification","id":5,"header":{"PacketLength":114,"HeaderLength":16,"Version":"json","Operation":5,"Sequence":0},"fields":{"Body":"\#(body)"}}]}"#
        )
    }

    /// Makes packets of Bilibili with Python, and prints each as `form sequence… hex`.
    private static let writer = """
        import brotli, struct, zlib
        def packet(version, operation, sequence, body):
            return struct.pack(">IHHII", 16 + len(body), 16, version, operation, sequence) + body
        def inner(count):
            return b"".join(packet(0, 5, i, b"x" * i) for i in range(count))
        for count in [0, 1, 2, 3, 300]:
            print(count, packet(2, 5, 7, zlib.compress(inner(count))).hex())
            print(count, packet(3, 5, 7, brotli.compress(inner(count))).hex())
        """

    @Test(.enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"))
    func `packets that Python has compressed are read one by one`() throws {
        for line in try PythonTool.run(Self.writer).split(separator: "\n") {
            let words = line.split(separator: " ")
            let count = try #require(Int(words[0]))
            let json = try decode(String(words[1]))
            guard case .array(let packets)? = json["packets"] else {
                Issue.record("no packets in \(json)")
                continue
            }
            let bodies = packets.map { $0["fields"]?["Body"] ?? .null }
            #expect(bodies == (0..<count).map { .string(String(repeating: "x", count: $0)) })
        }
    }

    /// Opens packets of Bilibili with Python, and prints the bodies in them.
    private static let reader = """
        import brotli, struct, sys, zlib
        def bodies(data):
            while data:
                length, header, version, operation, sequence = struct.unpack(">IHHII", data[:16])
                body, data = data[16:length], data[length:]
                if version == 2: yield from bodies(zlib.decompress(body))
                elif version == 3: yield from bodies(brotli.decompress(body))
                else: yield f"{operation}:{sequence}:{body.decode()}"
        for line in sys.stdin: print(" ".join(bodies(bytes.fromhex(line))))
        """

    @Test(.enabled(if: PythonTool.isWanted, "\(PythonTool.absence)"))
    func `Python opens what is sent in one packet`() throws {
        let inner = [
            #"{"message":"Notification","header":{"Sequence":1},"fields":{"Body":"one"}}"#,
            #"{"message":"Notification","header":{"Sequence":2,"Version":"json"},"fields":{"Body":"two"}}"#,
            #"{"message":null,"id":99,"payload":"616263"}"#,
        ]
        let packets = inner.joined(separator: ",")
        let nested = #"{"message":null,"id":5,"header":{"Version":"brotli"},"packets":[\#(packets)]}"#
        let lines = [
            #"{"message":null,"id":5,"header":{"Version":"zlib"},"packets":[\#(packets)]}"#, nested,
            #"{"message":null,"id":6,"header":{"Version":"zlib"},"packets":[\#(nested),\#(inner[0])]}"#,
            #"{"message":null,"id":6,"header":{"Version":"zlib"},"packets":[]}"#, inner[0],
        ]
        let input = try lines.map { line in
            Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line), from: .server)) + "\n"
        }
        let output = try PythonTool.run(Self.reader, input: input.joined())
        let all = "5:1:one 5:2:two 99:0:abc"
        #expect(output == [all, all, all + " 5:1:one", "", "5:1:one"].map { $0 + "\n" }.joined())
    }

    @Test func `a decoded line is encoded to what means the same`() throws {
        let line = try decode(Self.recorded)
        let again = try translator.encode(line: line, from: .server)
        let second = try decode(Hexadecimal.text(of: again))
        #expect(second["packets"] == line["packets"])
    }

    @Test func `a message alone cannot be what must be packets`() throws {
        let line = try JSONValue(
            parsing: #"{"message":"Notification","header":{"Version":"zlib"},"fields":{"Body":""}}"#)
        #expect(throws: TranslationError(.wrongPresence(isSet: false), path: "Notification.packets")) {
            try translator.encode(line: line, from: .server)
        }
        let bundle = try JSONValue(parsing: #"{"message":null,"id":5,"packets":[]}"#)
        #expect(throws: TranslationError(.wrongPresence(isSet: true), path: "packets")) {
            try translator.encode(line: bundle, from: .server)
        }
    }

    // MARK: Broken packets

    /// Returns a packet around a sealed content.
    private func packet(_ version: UInt8, _ content: [UInt8]) -> [UInt8] {
        let byteCount = 16 + content.count
        return [
            0, UInt8(byteCount >> 16), UInt8(byteCount >> 8 & 0xFF), UInt8(byteCount & 0xFF), 0, 16, 0, version,
            0, 0, 0, 5, 0, 0, 0, 0,
        ] + content
    }

    /// Returns what zlib makes of a content: a packet without its length.
    private func sealed(_ content: [UInt8]) throws -> [UInt8] {
        let zlib = PacketTranslator(
            try describe(
                """
                option max_packet = 16777216;
                packet { @length(packet) uint32 size; layer zlib; }
                @from(server) message All { @rest bytes content; }
                """))
        let fields = JSONValue.object([JSONValue.Member("content", .string(Base64.encode(content)))])
        return Array(try zlib.encode(message: "All", json: fields, from: .server).dropFirst(4))
    }

    private func error(of packet: [UInt8]) -> CodecError? {
        let result = Result { () throws(CodecError) in try translator.decode(packet.span.bytes, from: .server) }
        guard case .failure(let error) = result else { return nil }
        return error
    }

    @Test func `a broken layer is refused with its name`() throws {
        let whole = try sealed(packet(0, [0x61]))
        #expect(error(of: packet(2, whole)) == nil)
        #expect(error(of: packet(2, whole.dropLast())) == CodecError(.invalidLayer(.cut), path: "packet.zlib"))
        #expect(error(of: packet(3, [])) == CodecError(.invalidLayer(.cut), path: "packet.brotli"))
        #expect(error(of: packet(2, whole + [0])) == CodecError(.trailingBytes(count: 1), path: "packet.zlib"))
        #expect(error(of: packet(2, [1] + whole)) == CodecError(.invalidLayer(.damaged), path: "packet.zlib"))
    }

    @Test func `an error inside counts from the inner packet, and names it`() throws {
        let good = packet(0, [0x61])
        let bad = packet(0, [0x61, 0xFF])
        #expect(
            error(of: packet(2, try sealed(good + bad)))
                == CodecError(
                    .invalidUTF8(.unexpectedByte), offset: 17, path: "packets[1].Notification.Body"))
        #expect(
            error(of: packet(2, try sealed(good + good.dropLast())))
                == CodecError(.truncated(needed: 1, available: 0), offset: 16, path: "packets[1]"))
        let broken = packet(2, [0])
        #expect(
            error(of: packet(2, try sealed(good + broken)))
                == CodecError(.invalidLayer(.cut), path: "packets[1].packet.zlib"))
    }

    @Test func `packets stand four deep in packets, and not deeper`() throws {
        var bytes = packet(0, [0x61])
        for _ in 0..<4 { bytes = packet(2, try sealed(bytes)) }
        #expect(error(of: bytes) == nil)
        let deeper = packet(2, try sealed(bytes))
        #expect(
            error(of: deeper)
                == CodecError(.tooDeep(limit: 4), path: "packets[0].packets[0].packets[0].packets[0]"))
    }

    @Test func `one packet has at most 65,536 packets in it`() throws {
        let inner = [[UInt8]](repeating: packet(0, []), count: 65_536).flatMap { $0 }
        #expect(error(of: packet(2, try sealed(inner))) == nil)
        #expect(
            error(of: packet(2, try sealed(inner + packet(0, []))))
                == CodecError(.tooLong(count: 65_537, limit: 65_536), path: "packets"))
    }

    @Test func `all layers of a packet share one limit`() throws {
        let zeros = packet(0, [UInt8](repeating: 0, count: 200_000))
        let many = [[UInt8]](repeating: zeros, count: 20).flatMap { $0 }
        #expect(error(of: packet(2, try sealed(many))) == nil)
        let tooLong = [[UInt8]](repeating: zeros, count: 21).flatMap { $0 }
        #expect(
            error(of: packet(2, try sealed(tooLong)))
                == CodecError(.inflatedTooLong(limit: 4_194_304), path: "packet.zlib"))
        let half = packet(2, try sealed([[UInt8]](repeating: zeros, count: 11).flatMap { $0 }))
        #expect(
            error(of: packet(2, try sealed(half + half)))
                == CodecError(.inflatedTooLong(limit: 4_194_304), path: "packets[1].packet.zlib"))
    }
}
