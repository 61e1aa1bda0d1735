// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Fields with conditions in JSON.
struct ConditionTranslationTests {
    private static let translator = PayloadTranslator(
        .init("kind", .integer(.uint8, .bigEndian)),
        .init("a", .integer(.uint16, .bigEndian), .when(.compares(.field("kind"), .sharesBit, 6))),
        .init("b", .string(.counted(.uint8, .bigEndian)), .when(.not(.isSet(.field("a"))))),
        .init("last", .integer(.uint8, .bigEndian)))

    @Test(arguments: [
        ("00 00 07", #"{"kind":0,"b":"","last":7}"#), ("02 0100 07", #"{"kind":2,"a":256,"last":7}"#),
        ("04 0000 0178 07", #"{"kind":4,"a":0,"b":"x","last":7}"#), ("09 00 07", #"{"kind":9,"b":"","last":7}"#),
    ])
    func `a field is there exactly when its condition holds`(payload: String, json: String) throws {
        let payload = payload.filter { $0 != " " }
        #expect(try Self.translator.decode(payload) == json)
        #expect(try Self.translator.encode(json) == payload)
    }

    @Test func `null stands for a field that is not there`() throws {
        #expect(try Self.translator.encode(#"{"kind":2,"a":1,"b":null,"last":7}"#) == "02000107")
    }

    @Test(arguments: [
        (#"{"kind":0,"a":1,"b":"","last":7}"#, "a", true), (#"{"kind":2,"last":7}"#, "a", false),
        (#"{"kind":2,"a":null,"last":7}"#, "a", false), (#"{"kind":2,"a":1,"b":"","last":7}"#, "b", true),
        (#"{"last":7,"b":"","a":0,"kind":1}"#, "a", true),
    ])
    func `a field that is set or not set against its condition is refused`(json: String, field: String, isSet: Bool) {
        #expect(throws: TranslationError(.wrongPresence(isSet: isSet), path: "M." + field)) {
            try Self.translator.encode(json)
        }
    }

    @Test(arguments: [
        ("02 01", CodecError(.truncated(needed: 2, available: 1), offset: 1, path: "M.a")),
        ("00 05 61", CodecError(.truncated(needed: 5, available: 1), offset: 2, path: "M.b")),
        ("00 00", CodecError(.truncated(needed: 1, available: 0), offset: 2, path: "M.last")),
    ])
    func `bytes that end before a field whose condition holds are refused`(payload: String, error: CodecError) {
        #expect(throws: error) { try Self.translator.decode(payload.filter { $0 != " " }) }
    }

    @Test func `operands of every type have their numbers`() throws {
        let description = try describe(
            """
            enum Kind : uint16 { plain = 0; zlib = 2; }
            flags Rights : uint8 { mute = 1; ban = 2; }
            struct S {
                Kind kind; Rights rights; zigzag z; uint64 wide; bool yes;
                @if(kind == zlib) uint8 a; @if(rights & ban) uint8 b; @if(z < -1) uint8 c;
                @if(wide > 0xFFFFFFFFFFFFFFFE) uint8 d; @if(yes and b == 8) uint8 e;
            }
            message Cs_1 { S[] list; }
            """)
        let translator = PacketTranslator(description)
        let json: JSONValue = try JSONValue(
            parsing: #"""
                {"list":[
                    {"kind":"zlib","rights":["ban",64],"z":-2,"wide":"18446744073709551615","yes":true,
                     "a":7,"b":8,"c":9,"d":10,"e":11},
                    {"kind":7,"rights":["mute"],"z":-1,"wide":0,"yes":true}
                ]}
                """#)
        let payload = try translator.encodePayload(message: "Cs_1", fields: json)
        #expect(
            Hexadecimal.text(of: payload)
                == "0002" + "0002" + "42" + "03" + "ffffffffffffffff" + "01" + "0708090a0b" + "0007" + "01" + "01"
                + "0000000000000000" + "01")
        #expect(try translator.decodePayload(payload.span.bytes, asMessage: "Cs_1")?["fields"] == json)
    }

    // MARK: The header

    /// Messages of which the header decides what is there.
    private static func mqtt() throws -> PacketTranslator {
        PacketTranslator(
            try describe(
                """
                option trailing = reject;
                enum QoS : uint2 { at_most_once = 0; at_least_once = 1; exactly_once = 2; }
                packet { @id uint4 type; bit dup; QoS qos; bit retain; @length(rest) @max_bytes(4) varint remaining; }
                @id(3) @from(both) message Publish {
                    string topic; @if(header.qos > 0) @range(1..65535) uint16 packetID; @rest bytes payload;
                }
                @id(4) @from(both) message Flags { @if(not header.dup) uint8 a; @if(header.dup and a != 1) uint8 b; }
                """))
    }

    @Test(arguments: [
        ("30 05 000161 6869", #"{"topic":"a","payload":"aGk="}"#, "at_most_once"),
        ("32 07 000161 0102 6869", #"{"topic":"a","packetID":258,"payload":"aGk="}"#, "at_least_once"),
        ("3c 05 000161 0102", #"{"topic":"a","packetID":258,"payload":""}"#, "exactly_once"),
    ])
    func `the header decides which fields are there`(packet: String, fields: String, qos: String) throws {
        let translator = try Self.mqtt()
        let packet = bytes(packet.filter { $0 != " " })
        let line = try translator.decode(packet.span.bytes, from: .client)
        #expect(line["fields"] == (try JSONValue(parsing: fields)))
        #expect(line["header"]?["qos"] == .string(qos))
        #expect(try translator.encode(line: line) == packet)
        #expect(
            try translator.encode(
                message: "Publish", json: JSONValue(parsing: fields), header: line["header"]?.settable)
                == packet)
        let annotation = try translator.annotate(packet.span.bytes, preferring: .client)
        #expect(annotation.fault == nil)
        #expect(annotation.parts.contains { $0.path == "packetID" } == (line["fields"]?["packetID"] != nil))
    }

    @Test func `a header that sets nothing has its defaults`() throws {
        let translator = try Self.mqtt()
        #expect(try translator.encode(message: "Flags", json: ["a": 7]) == [0x40, 1, 7])
        #expect(throws: TranslationError(.wrongPresence(isSet: false), path: "Flags.a")) {
            try translator.encode(message: "Flags", json: [:])
        }
        #expect(throws: TranslationError(.wrongPresence(isSet: true), path: "Publish.packetID")) {
            try translator.encode(message: "Publish", json: ["topic": "", "packetID": 1, "payload": ""])
        }
    }

    @Test func `a field that is set or not set against the header is refused`() throws {
        let translator = try Self.mqtt()
        #expect(throws: TranslationError(.wrongPresence(isSet: true), path: "Flags.a")) {
            try translator.encode(message: "Flags", json: ["a": 7], header: ["dup": true])
        }
        #expect(throws: TranslationError(.wrongPresence(isSet: false), path: "Flags.b")) {
            try translator.encode(message: "Flags", json: [:], header: ["dup": true])
        }
        #expect(throws: TranslationError(.wrongPresence(isSet: false), path: "Publish.packetID")) {
            let fields: JSONValue = ["topic": "", "payload": ""]
            return try translator.encode(line: ["message": "Publish", "header": ["qos": 2], "fields": fields])
        }
    }

    @Test func `a packet that ends before a field which its header asks for is refused`() throws {
        let packet: [UInt8] = [0x32, 4, 0, 1, 0x61, 1]
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 5, path: "Publish.packetID")) {
            try Self.mqtt().decode(packet.span.bytes, from: .client)
        }
    }

    @Test func `a payload alone is read and written with a header`() throws {
        let translator = try Self.mqtt()
        let fields: JSONValue = ["b": 9]
        let payload = try translator.encodePayload(message: "Flags", fields: fields, header: ["dup": 1])
        #expect(payload == [9])
        #expect(
            try translator.decodePayload(payload.span.bytes, asMessage: "Flags", header: ["dup": 1])?["fields"]
                == fields)
        #expect(try translator.decodePayload(payload.span.bytes, asMessage: "Flags")?["fields"] == ["a": 9])
    }

    @Test func `a message that may go to the end keeps no bytes when it does not`() throws {
        let description = try describe("message Cs_1 { uint8 a; @if(a) @rest bytes b; }")
        let translator = PacketTranslator(description)
        let payload: [UInt8] = [0, 1]
        #expect(throws: CodecError(.trailingBytes(count: 1), offset: 1, path: "Cs_1")) {
            try translator.decodePayload(payload.span.bytes, asMessage: "Cs_1")
        }
        #expect(throws: TranslationError(.trailingBytes(count: 1), path: "Cs_1.trailing")) {
            try translator.encodePayload(message: "Cs_1", fields: ["a": 0], trailing: [1])
        }
    }
}

extension JSONValue {
    /// The fields of a header of MQTT that can be set.
    fileprivate var settable: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { ["dup", "qos", "retain"].contains($0.name) })
    }
}
