// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

struct StructureTranslationTests {
    // MARK: Structures

    static let node = StructureDescription(
        "Node", [.init("n", .uint8), .init("children", .list(.structure(0), .counted(.uint8, .bigEndian)))])

    @Test func `structures can contain one another`() throws {
        let translator = PayloadTranslator(.init("root", .structure(0))) { $0.structures = [Self.node] }
        let json = #"{"root":{"n":1,"children":[{"n":2,"children":[]},{"n":3,"children":[]}]}}"#
        #expect(try translator.encode(json) == "010202000300")
        #expect(try translator.decode("010202000300") == json)
        let cut = "M.root.children[1].children"
        #expect(throws: CodecError(.truncated(needed: 1, available: 0), offset: 5, path: cut)) {
            try translator.decode("0102020003")
        }
        let path = "M.root.children[0].children[0].n"
        #expect(throws: CodecError(.truncated(needed: 1, available: 0), offset: 4, path: path)) {
            try translator.decode("01010301")
        }
        #expect(
            throws: TranslationError(.outOfRange(value: 300, minimum: 0, maximum: 255), path: "M.root.children[0].n")
        ) {
            try translator.encode(#"{"root":{"n":1,"children":[{"n":300,"children":[]}]}}"#)
        }
        #expect(throws: TranslationError(.wrongKind(expected: .object, found: "an array"), path: "M.root")) {
            try translator.encode(#"{"root":[]}"#)
        }
    }

    @Test func `structures nest only as deeply as the limit allows`() throws {
        let translator = PayloadTranslator(.init("root", .structure(0))) {
            $0.structures = [Self.node]
            $0.options.maximumDepth = 3
        }
        let three = #"{"root":{"n":1,"children":[{"n":1,"children":[{"n":1,"children":[]}]}]}}"#
        #expect(try translator.encode(three) == "010101010100")
        #expect(try translator.decode("010101010100") == three)
        let path = "M.root.children[0].children[0].children[0]"
        #expect(throws: CodecError(.tooDeep(limit: 3), offset: 6, path: path)) {
            try translator.decode("0101010101010100")
        }
        #expect(throws: TranslationError(.tooDeep(limit: 3), path: path)) {
            try translator.encode(
                #"{"root":{"n":1,"children":[{"n":1,"children":[{"n":1,"children":[{"n":1,"children":[]}]}]}]}}"#)
        }
    }

    @Test func `ten thousand nested structures are refused`() {
        let translator = PayloadTranslator(.init("root", .structure(0))) { $0.structures = [Self.node] }
        let error = #expect(throws: CodecError.self) { try translator.decode(String(repeating: "0101", count: 10_000)) }
        #expect(error?.reason == .tooDeep(limit: 32))
    }

    @Test func `a thousand nested structures are read back, the deepest that a schema may allow`() throws {
        let translator = PayloadTranslator(.init("root", .structure(0))) {
            $0.structures = [Self.node]
            $0.options.maximumDepth = 1000
        }
        let payload = bytes(String(repeating: "0101", count: 999) + "0100")
        let text = Array(try translator.decodeLine(payload).description.utf8)
        let packet = try translator.translator.encode(message: "M", parsing: text)
        #expect(Array(packet.dropFirst(6)) == payload)
    }

    // MARK: Sized structures

    static let item = StructureDescription(
        "Item", sized: .uint16,
        [
            .init("id", .uint8), .init("level", .uint8, .since(2, default: .integer(7))),
            .init("count", .uint16, .optional),
        ])

    @Test(arguments: [
        ("0004 05 09 0001", #"{"id":5,"level":9,"count":1}"#), ("0002 05 09", #"{"id":5,"level":9}"#),
        ("0001 05", #"{"id":5,"level":7}"#), ("0007 05 09 0001 aabbcc", #"{"id":5,"level":9,"count":1}"#),
    ])
    func `a sized structure may be shorter or longer`(payload: String, json: String) throws {
        let translator = PayloadTranslator(.init("v", .structure(0)), .init("after", .uint8)) {
            $0.structures = [Self.item]
        }
        #expect(try translator.decode(payload + "ee") == #"{"v":\#(json),"after":238}"#)
    }

    @Test func `a sized structure is written with its byte count`() throws {
        let translator = PayloadTranslator(.init("v", .list(.structure(0)))) { $0.structures = [Self.item] }
        #expect(
            try translator.encode(#"{"v":[{"id":5,"count":1},{"id":6},{"id":6,"count":null,"level":8}]}"#)
                == "0003 0004 05070001 0002 0607 0002 0608".filter { $0 != " " })
    }

    @Test(arguments: [
        ("", CodecError.Reason.truncated(needed: 2, available: 0), 0, "M.v"),
        ("0002 05", .truncated(needed: 2, available: 1), 2, "M.v"),
        ("0000", .truncated(needed: 1, available: 0), 2, "M.v.id"),
        ("0003 0500 01", .truncated(needed: 2, available: 1), 4, "M.v.count"),
        ("ffff 05", .truncated(needed: 65_535, available: 1), 2, "M.v"),
    ])
    func `a sized structure that ends inside a field is an error`(
        payload: String, reason: CodecError.Reason, offset: Int, path: String
    ) {
        let translator = PayloadTranslator(.init("v", .structure(0))) { $0.structures = [Self.item] }
        #expect(throws: CodecError(reason, offset: offset, path: path)) { try translator.decode(payload) }
    }

    @Test(arguments: [
        (CountFormat.uint8, 255, "ff"), (.uint16, 300, "012c"), (.uint32, 300, "0000012c"), (.varint, 300, "ac02"),
    ])
    func `a size prefix can have each format`(format: CountFormat, count: Int, prefix: String) throws {
        let translator = PayloadTranslator(.init("v", .structure(0))) {
            $0.structures = [StructureDescription("S", sized: format, [.init("b", .fixedList(.uint8, count: count))])]
        }
        let json = #"{"v":{"b":[\#(String(repeating: "0,", count: count - 1))0]}}"#
        let payload = prefix + String(repeating: "00", count: count)
        #expect(try translator.encode(json) == payload)
        #expect(try translator.decode(payload) == json)
    }

    @Test func `a body that is too long for its size prefix is refused`() {
        let translator = PayloadTranslator(.init("v", .structure(0))) {
            $0.structures = [StructureDescription("S", sized: .uint8, [.init("b", .fixedList(.uint8, count: 256))])]
        }
        #expect(throws: TranslationError(.tooLong(count: 256, limit: 255), path: "M.v")) {
            try translator.encode(#"{"v":{"b":[\#(String(repeating: "0,", count: 255))0]}}"#)
        }
    }

    @Test(.amongAll) func `many sized structures take linear time`() throws {
        let translator = PayloadTranslator(.init("v", .list(.structure(0), .counted(.uint32, .bigEndian)))) {
            $0.structures = [Self.item]
        }
        let json = #"{"v":[\#(String(repeating: #"{"id":5,"level":9,"count":1},"#, count: 10_000)){"id":6,"level":7}]}"#
        #expect(try translator.decode(translator.encode(json)) == json)
    }

    // MARK: Growing a message

    static let grown: [FieldDescription] = [
        .init("a", .uint8), .init("b", .uint32, .optional), .init("c", .text, .optional),
    ]

    @Test(arguments: [
        ("01", #"{"a":1}"#), ("01 00000002", #"{"a":1,"b":2}"#), ("01 00000002 000178", #"{"a":1,"b":2,"c":"x"}"#),
        ("01 00000002 000178 aabb", #"{"a":1,"b":2,"c":"x"} + "aabb""#),
    ])
    func `a packet may end before an optional field`(payload: String, json: String) throws {
        #expect(try PayloadTranslator(.only(Self.grown)).decode(payload) == json)
    }

    @Test(arguments: [
        ("01 000000", CodecError.Reason.truncated(needed: 4, available: 3), 1, "M.b"),
        ("01 00000002 00", .truncated(needed: 2, available: 1), 5, "M.c"),
        ("01 00000002 0001", .truncated(needed: 1, available: 0), 7, "M.c"),
    ])
    func `a packet that ends inside an optional field is refused`(
        payload: String, reason: CodecError.Reason, offset: Int, path: String
    ) {
        #expect(throws: CodecError(reason, offset: offset, path: path)) {
            try PayloadTranslator(.only(Self.grown)).decode(payload)
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, "01"), (#"{"a":1,"b":null,"c":null}"#, "01"), (#"{"b":2,"a":1}"#, "0100000002"),
        (#"{"a":1,"b":2,"c":""}"#, "01000000020000"),
    ])
    func `an optional field may be absent or null`(json: String, payload: String) throws {
        #expect(try PayloadTranslator(.only(Self.grown)).encode(json) == payload)
    }

    @Test func `an optional field after an unset one is refused`() throws {
        let translator = PayloadTranslator(.only(Self.grown))
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"a":1,"c":"x"}"#) }
        #expect(error == TranslationError(.gapBeforeOptional, path: "M.b"))
        #expect(throws: TranslationError(.gapBeforeOptional, path: "M.b")) {
            try translator.translator.encodePayload(message: "M", fields: ["a": 1], trailing: [1])
        }
    }

    @Test func `a field added with @since has its default, and is always written`() throws {
        let translator = PayloadTranslator(
            .init("a", .uint8), .init("i", .uint16, .since(2, default: .integer(9))),
            .init("s", .text, .since(2, default: .string("x"))),
            .init("f", .float(.binary32, .bigEndian), .since(3, default: .float(0.1))),
            .init("b", .boolean, .since(3, default: .integer(1))),
            .init("e", .enumeration(0, .bigEndian), .since(3, default: .integer(1))),
            .init("g", .flags(0, .bigEndian), .since(3, default: .integer(0x8001))))
        let rest = #""f":0.1,"b":true,"e":"ok","g":["mute",32768]}"#
        #expect(try translator.decode("01") == #"{"a":1,"i":9,"s":"x",\#(rest)"#)
        #expect(try translator.decode("01 0002 0000") == #"{"a":1,"i":2,"s":"",\#(rest)"#)
        #expect(try translator.encode(#"{"a":1}"#) == "010009 000178 3dcccccd 01 01 8001".filter { $0 != " " })
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 1, path: "M.i")) {
            try translator.decode("0100")
        }
        #expect(throws: TranslationError(.wrongKind(expected: .integer, found: "null"), path: "M.i")) {
            try translator.encode(#"{"a":1,"i":null}"#)
        }
    }

    @Test func `the default of a field added with @since is zero in all its parts`() throws {
        let types: [TypeDescription] = [
            .integer(.int64, .bigEndian), .float(.binary64, .bigEndian), .boolean, .varint(maximumByteCount: 10), .text,
            .bytes(.counted(.uint8, .bigEndian)), .enumeration(0, .bigEndian), .flags(0, .bigEndian), .structure(0),
            .fixedList(.structure(0), count: 2), .list(.uint8),
        ]
        let fields = types.enumerated().map { FieldDescription("f\($0)", $1, .since(2, default: .zero)) }
        let translator = PayloadTranslator(
            .only([.init("a", .uint8)] + fields) {
                $0.structures = [StructureDescription("S", [.init("x", .uint8), .init("y", .text)])]
            })
        let json =
            #"{"a":1,"f0":0,"f1":0.0,"f2":false,"f3":0,"f4":"","f5":"","f6":"failed","f7":[],"f8":{"x":0,"y":""},"#
            + #""f9":[{"x":0,"y":""},{"x":0,"y":""}],"f10":[]}"#
        #expect(try translator.decode("01") == json)
        #expect(try translator.encode(json) == translator.encode(#"{"a":1}"#))
        #expect(try translator.decode(translator.encode(json)) == json)
    }

    // MARK: Trailing bytes

    @Test func `trailing bytes are kept or refused`() throws {
        let keeping = PayloadTranslator(.init("a", .uint8))
        #expect(try keeping.decode("01 ff00") == #"{"a":1} + "ff00""#)
        #expect(
            try keeping.translator.encodePayload(message: "M", fields: ["a": 1], trailing: [255, 0]) == [1, 255, 0])
        let refusing = PayloadTranslator(.init("a", .uint8)) { $0.options.keepsTrailingBytes = false }
        #expect(throws: CodecError(.trailingBytes(count: 2), offset: 1, path: "M")) { try refusing.decode("01ff00") }
        #expect(throws: TranslationError(.trailingBytes(count: 1), path: "M.trailing")) {
            try refusing.translator.encodePayload(message: "M", fields: ["a": 1], trailing: [0])
        }
    }

    @Test(arguments: [TypeDescription.string(.rest), .bytes(.rest), .list(.uint8, .rest), .structure(0)])
    func `nothing may follow a field that goes to the end`(type: TypeDescription) {
        let translator = PayloadTranslator(.init("a", type)) {
            $0.structures = [StructureDescription("S", [.init("x", .string(.rest))])]
        }
        let value: JSONValue =
            switch type {
            case .list: []
            case .structure: ["x": ""]
            default: ""
            }
        #expect(throws: TranslationError(.trailingBytes(count: 1), path: "M.trailing")) {
            try translator.translator.encodePayload(message: "M", fields: ["a": value], trailing: [0])
        }
    }
}
