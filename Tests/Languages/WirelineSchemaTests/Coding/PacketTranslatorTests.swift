// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct PacketTranslatorTests {
    static let scene = PacketTranslator(.scene)
    static let enter = "00000013" + "4e21" + "07" + "00000002" + "0006" + "e4bda0e5a5bd"
    static let enterLine =
        #"{"message":"Cs_20001","id":20001,"header":{"length":19,"id":20001},"#
        + #""fields":{"SceneId":7,"Line":2,"message":"你好"}}"#

    /// A header with a field for each role, and a trailer.
    static let everything: ProtocolDescription = {
        var result = ProtocolDescription(name: "Everything")
        result.layout =
            (try? PacketLayout(
                header: [
                    PacketField("magic", .integer(.uint16, .bigEndian), .constant(0xCAFE)),
                    PacketField("length", .integer(.uint16, .littleEndian), .length(of: .rest, plus: 0)),
                    PacketField("urgent", .boolean),
                    PacketField("version", .integer(.int8, .bigEndian), .value(default: -1)),
                    PacketField("service", .integer(.uint8, .bigEndian), .messageID),
                    PacketField("command", .integer(.uint8, .bigEndian), .messageID),
                    PacketField("sequence", .integer(.uint64, .bigEndian), .sequence),
                ],
                trailer: [
                    PacketField("crc", .integer(.uint32, .bigEndian), .checksum),
                    PacketField("end", .integer(.uint8, .bigEndian), .constant(0x7E)),
                ])) ?? .standard
        result.messages = [MessageDescription("Ping", id: 0x0102, [.init("n", .uint8)])]
        return result
    }()
    static let ping = "cafe 1200 00 ff 01 02 0000000000000000 31 83dcefb7 7e".filter { $0 != " " }
    static let pingLine =
        #"{"message":"Ping","id":258,"header":{"magic":51966,"length":18,"urgent":false,"version":-1,"service":1,"#
        + #""command":2,"sequence":0,"crc":2212294583,"end":126},"fields":{"n":49}}"#

    // MARK: Whole packets

    @Test(arguments: [(scene, enter, enterLine), (PacketTranslator(everything), ping, pingLine)])
    func `a packet becomes a line of JSON, and the line becomes the packet`(
        translator: PacketTranslator, packet: String, line: String
    ) throws {
        let decoded = try translator.decode(bytes(packet).span.bytes, from: .client)
        #expect(decoded.description == line)
        #expect(Hexadecimal.text(of: try translator.encode(line: decoded)) == packet)
        guard case .string(let name)? = decoded["message"] else {
            Issue.record("no name")
            return
        }
        #expect(Hexadecimal.text(of: try translator.encode(message: name, json: decoded)) == packet)
        #expect(Hexadecimal.text(of: try translator.encode(message: name, json: decoded["fields"] ?? .null)) == packet)
    }

    @Test func `a message can be called by either of its two names`() throws {
        let fields = try JSONValue(parsing: #"{"SceneId":7,"Line":2,"message":"你好"}"#)
        #expect(Hexadecimal.text(of: try Self.scene.encode(message: "EnterScene", json: fields)) == Self.enter)
        let line = #"{"message":"EnterScene","fields":{"SceneId":7,"Line":2,"message":"你好"}}"#
        #expect(Hexadecimal.text(of: try Self.scene.encode(line: JSONValue(parsing: line))) == Self.enter)
    }

    @Test func `a message without fields is an empty object`() throws {
        let packet = try Self.scene.encode(message: "Cs_20002", json: [:])
        #expect(Hexadecimal.text(of: packet) == "000000064e22")
        #expect(
            try Self.scene.decode(packet.span.bytes, from: .client).description
                == #"{"message":"Cs_20002","id":20002,"header":{"length":6,"id":20002},"fields":{}}"#)
    }

    @Test func `the sender decides which message an ID means`() throws {
        let packet = bytes("000000094e21 01 0000")
        let line = try Self.scene.decode(packet.span.bytes, from: .server)
        #expect(line["message"] == "Sc_20001")
        #expect(throws: CodecError.self) { try Self.scene.decode(packet.span.bytes, from: .client) }

        let onlyClients = bytes("000000064e22")
        #expect(try Self.scene.decode(onlyClients.span.bytes, from: .server)["message"] == .null)
        let whole = try Packet(onlyClients.span.bytes, layout: .standard)
        #expect(try Self.scene.decode(whole, preferring: .server)["message"] == "Cs_20002")
        #expect(try Self.scene.decode(whole, preferring: .client)["message"] == "Cs_20002")
        #expect(try Self.scene.decode(whole, asMessage: "Nothing") == nil)
        #expect(throws: CodecError(.wrongMessage(id: 20_002, expected: 20_001))) {
            try Self.scene.decode(Packet(onlyClients.span.bytes, layout: .standard), asMessage: "Cs_20001")
        }
    }

    @Test func `the line of a packet with an unknown ID has its payload`() throws {
        let packet = bytes("00000008ffff abcd")
        let line = try Self.scene.decode(packet.span.bytes, from: .client)
        #expect(
            line.description == #"{"message":null,"id":65535,"header":{"length":8,"id":65535},"payload":"abcd"}"#)
        #expect(try Self.scene.encode(line: line) == packet)
    }

    @Test func `trailing bytes are shown beside the fields`() throws {
        let packet = bytes("000000084e22 abcd")
        let line = try Self.scene.decode(packet.span.bytes, from: .client)
        #expect(
            line.description
                == #"{"message":"Cs_20002","id":20002,"header":{"length":8,"id":20002},"fields":{},"trailing":"abcd"}"#)
        #expect(try Self.scene.encode(line: line) == packet)
        #expect(try Self.scene.encode(message: "Cs_20002", json: ["fields": [:], "trailing": "ABCD"]) == packet)
    }

    // MARK: Lines or fields

    @Test func `a message may have fields with the same names as the keys of a line`() throws {
        let names = ["fields", "message", "id"]
        let translator = PacketTranslator(.only(names.map { FieldDescription($0, .uint8) }))
        let fields: JSONValue = ["fields": 1, "message": 2, "id": 3]
        let packet = bytes("00000009 0001 010203")
        #expect(try translator.encode(message: "M", json: fields) == packet)
        #expect(try translator.encode(message: "M", json: ["fields": fields, "header": [:]]) == packet)
        #expect(try translator.encode(line: ["message": "M", "fields": fields]) == packet)
        #expect(throws: TranslationError(.wrongKind(expected: .integer, found: "an object"), path: "M.fields")) {
            try translator.encode(message: "M", json: ["fields": fields, "message": 1, "id": 1])
        }
    }

    @Test(arguments: [
        (#"{"message":"Sc_20001","fields":{}}"#, #"Cs_20002.message: "Sc_20001", but this packet has Cs_20002"#),
        (#"{"message":7,"fields":{}}"#, "Cs_20002.message: a string is needed, not a number"),
        (#"{"id":7,"fields":{}}"#, "Cs_20002.id: 7, but this packet has 20002"),
        (#"{"id":-1,"fields":{}}"#, "Cs_20002.id: -1 is not in 0...18446744073709551615"),
        (
            #"{"id":20002,"fields":{},"heder":{}}"#,
            #"Cs_20002: no field is named "heder"; there is message, id, header, fields, trailing"#
        ),
        (#"{"fields":{},"header":{"length":7}}"#, "Cs_20002.header.length: 7, but this packet has 6"),
        (#"{"fields":{},"header":{"id":1}}"#, "Cs_20002.header.id: 1, but this packet has 20002"),
        (#"{"fields":{},"header":[]}"#, "Cs_20002.header: an object is needed, not an array"),
        (#"{"fields":{},"header":{"len":7}}"#, #"Cs_20002.header: no field is named "len"; there is length, id"#),
        (#"{"fields":{},"trailing":"abc"}"#, "Cs_20002.trailing: not pairs of hexadecimal digits"),
        (#"{"fields":{},"trailing":"zz"}"#, "Cs_20002.trailing: not pairs of hexadecimal digits"),
        (#"{"fields":{},"trailing":[]}"#, "Cs_20002.trailing: a string of hexadecimal digits is needed, not an array"),
        (#"{"fields":[]}"#, "Cs_20002: an object is needed, not an array"),
        ("[]", "Cs_20002: an object is needed, not an array"),
    ])
    func `a line with keys that do not match its packet is refused`(json: String, message: String) throws {
        let error = try #require(throws: TranslationError.self) {
            try Self.scene.encode(message: "Cs_20002", json: JSONValue(parsing: json))
        }
        #expect(error.description == message)
    }

    @Test(arguments: [
        ("{}", "message: is missing"), ("[]", "message: is missing"),
        (#"{"message":1}"#, "message: a string is needed, not a number"),
        (#"{"message":"Cs_1","fields":{}}"#, #"no message is named "Cs_1""#),
        (#"{"message":"Cs_20002"}"#, "Cs_20002.fields: is missing"),
        (#"{"message":null,"payload":""}"#, "id: is missing"), (#"{"message":null,"id":1}"#, "payload: is missing"),
        (#"{"message":null,"id":65536,"payload":""}"#, "no message can have ID 65536 here"),
        (
            #"{"message":null,"id":1,"payload":"","fields":{}}"#,
            #"no field is named "fields"; there is message, id, header, payload"#
        ),
    ])
    func `a line with missing parts is refused`(json: String, message: String) throws {
        let error = try #require(throws: TranslationError.self) {
            try Self.scene.encode(line: JSONValue(parsing: json))
        }
        #expect(error.description == message)
    }

    @Test func `the error names a message that does not exist`() throws {
        let error = try #require(throws: TranslationError.self) {
            try Self.scene.encode(message: "\u{1B}[2J", json: [:])
        }
        #expect(error.description == #"no message is named "\u001b[2J""#)
    }

    // MARK: Headers

    @Test func `header fields can be set`() throws {
        let translator = PacketTranslator(Self.everything)
        let header: JSONValue = ["urgent": true, "version": 5, "sequence": "18446744073709551615"]
        let packet = try translator.encode(message: "Ping", json: ["n": 49], header: header)
        let line = try translator.decode(packet.span.bytes, from: .client)
        #expect(line["header"]?["urgent"] == true)
        #expect(line["header"]?["version"] == 5)
        #expect(line["header"]?["sequence"] == "18446744073709551615")
        #expect(try translator.encode(line: line) == packet)
        let other = try translator.encode(line: line, header: ["version": 6])
        #expect(try translator.decode(other.span.bytes, from: .client)["header"]?["version"] == 6)
    }

    @Test(arguments: [
        (#"{"length":18}"#, #"Ping.header.length: "length" is not a header field that can be set"#),
        (#"{"magic":51966}"#, #"Ping.header.magic: "magic" is not a header field that can be set"#),
        (#"{"service":1}"#, #"Ping.header.service: "service" is not a header field that can be set"#),
        (#"{"crc":1}"#, #"Ping.header.crc: "crc" is not a header field that can be set"#),
        (#"{"version":128}"#, "Ping.header.version: 128 is not in -128...127"),
        (
            #"{"version":1.5}"#,
            "Ping.header.version: 1.5 is not written as an integer: no fraction and no exponent may stand there"
        ),
        (#"{"urgent":1}"#, "Ping.header.urgent: true or false is needed, not a number"),
        (#"{"sequence":-1}"#, "Ping.header.sequence: -1 is not in 0...18446744073709551615"),
        ("3", "Ping.header: an object is needed, not a number"),
    ])
    func `header values that cannot be set are refused`(header: String, message: String) throws {
        let translator = PacketTranslator(Self.everything)
        let error = try #require(throws: TranslationError.self) {
            try translator.encode(message: "Ping", json: ["n": 49], header: JSONValue(parsing: header))
        }
        #expect(error.description == message)
    }

    @Test func `a packet over the limit is refused`() throws {
        var description = ProtocolDescription.scene
        description.options.maximumPacketByteCount = 20
        let translator = PacketTranslator(description)
        let fields: JSONValue = ["SceneId": 1, "Line": 2, "message": "1234567"]
        #expect(try translator.encode(message: "Cs_20001", json: fields).count == 20)
        let error = try #require(throws: TranslationError.self) {
            try translator.encode(message: "Cs_20001", json: ["SceneId": 1, "Line": 2, "message": "12345678"])
        }
        #expect(error.description == "Cs_20001: length 0x15 is over the limit of 20")
    }

    // MARK: Faults name the field

    @Test(arguments: [
        (#"{"SceneId":7,"Line":2}"#, "Cs_20001.message: is missing"),
        (#"{"SceneId":7,"Line":4294967296,"message":""}"#, "Cs_20001.Line: 4294967296 is not in 0...4294967295"),
        (
            #"{"SceneId":7,"line":2,"message":""}"#,
            #"Cs_20001: no field is named "line"; there is SceneId, Line, message"#
        ),
        (
            #"{"SceneId":7,"Line":2,"message":"","\u001b":1}"#,
            #"Cs_20001: no field is named "\u001b"; there is SceneId, Line, message"#
        ),
        (#"{"SceneId":7,"Line":2,"message":null}"#, "Cs_20001.message: a string is needed, not null"),
        (#"{"SceneId":7,"Line":2,"message":1}"#, "Cs_20001.message: a string is needed, not a number"),
    ])
    func `the error names a faulty field`(json: String, message: String) throws {
        let error = try #require(throws: TranslationError.self) {
            try Self.scene.encode(message: "Cs_20001", json: JSONValue(parsing: json))
        }
        #expect(error.description == message)
    }

    @Test(arguments: [
        (
            #"{"SceneId":7,"Line":2,"Line":2}"#,
            #"Cs_20001.Line: the key "Line" stands twice, again at byte 22 of the JSON"#
        ),
        (
            #"{"SceneId":7,"message":"\ud83d"}"#,
            #"Cs_20001.message: \uD83D is half of a pair without the other at byte 24 of the JSON"#
        ),
        (#"{"SceneId":07}"#, "Cs_20001.SceneId: a number that begins with a superfluous 0 at byte 11 of the JSON"),
        ("", "Cs_20001: the text ends where a value was expected at byte 0 of the JSON"),
        ("\u{FEFF}{}", "Cs_20001: a byte order mark at byte 0 of the JSON"),
    ])
    func `the error for invalid JSON text names the field`(text: String, message: String) throws {
        let error = try #require(throws: TranslationError.self) {
            try Self.scene.encode(message: "Cs_20001", parsing: Array(text.utf8))
        }
        #expect(error.description == message)
        let other = try #require(throws: TranslationError.self) {
            try Self.scene.encode(message: "Cs_20002", parsing: Array("{}".utf8), header: Array(text.utf8))
        }
        #expect(other.path == "Cs_20002.header")
    }

    @Test(arguments: [
        ("0000000d 4e21 01 0002 00000001", "Sc_20001.items[0].count: needs 4 bytes at offset 13, 0 are left"),
        (
            "00000017 4e21 01 0002 00000001 00000002 00000003 0000",
            "Sc_20001.items[1].count: needs 4 bytes at offset 21, 2 are left"
        ),
        ("00000006 4e21", "Sc_20001.res: needs 1 byte at offset 6, 0 are left"),
    ])
    func `the error for a truncated packet names the place`(packet: String, message: String) throws {
        var packet = bytes(packet)
        packet[3] = UInt8(packet.count)
        let error = try #require(throws: CodecError.self) { try Self.scene.decode(packet.span.bytes, from: .server) }
        #expect(error.description == message)
    }

    @Test func `a packet is refused if it is truncated anywhere`() throws {
        let packet = bytes(Self.enter)
        let accepted = packet.indices.filter { length in
            (try? Self.scene.decode(Array(packet.prefix(length)).span.bytes, from: .client)) != nil
        }
        #expect(accepted == [])
    }

    @Test func `an error is small`() {
        #expect(MemoryLayout<TranslationError>.size <= 32)
    }
}
