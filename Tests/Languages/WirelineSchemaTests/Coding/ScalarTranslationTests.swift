// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct ScalarTranslationTests {
    // MARK: Integers

    @Test(arguments: [
        (IntegerFormat.uint8, "255", "ff", "ff"), (.uint8, "0", "00", "00"), (.int8, "-128", "80", "80"),
        (.int8, "127", "7f", "7f"), (.uint16, "258", "0102", "0201"), (.uint16, "65535", "ffff", "ffff"),
        (.int16, "-2", "fffe", "feff"), (.int16, "-32768", "8000", "0080"), (.uint24, "66051", "010203", "030201"),
        (.uint24, "16777215", "ffffff", "ffffff"), (.int24, "-8388608", "800000", "000080"),
        (.int24, "-2", "fffffe", "feffff"), (.uint32, "16909060", "01020304", "04030201"),
        (.uint32, "4294967295", "ffffffff", "ffffffff"), (.int32, "-2147483648", "80000000", "00000080"),
        (.uint64, "72623859790382856", "0102030405060708", "0807060504030201"),
        (.uint64, "9007199254740991", "001fffffffffffff", "ffffffffffff1f00"),
        (.int64, "-9007199254740991", "ffe0000000000001", "010000000000e0ff"),
    ])
    func `an integer is encoded in its width and byte order`(
        format: IntegerFormat, value: String, bigEndian: String, littleEndian: String
    ) throws {
        let isExact = try #require(Int128(value)).magnitude <= 9_007_199_254_740_991
        let json = #"{"v":\#(isExact ? value : "\"\(value)\"")}"#
        let big = PayloadTranslator(.init("v", .integer(format, .bigEndian)))
        let little = PayloadTranslator(.init("v", .integer(format, .littleEndian)))
        #expect(try big.encode(json) == bigEndian)
        #expect(try little.encode(json) == littleEndian)
        #expect(try big.decode(bigEndian) == json)
        #expect(try little.decode(littleEndian) == json)
    }

    @Test(arguments: [
        ("18446744073709551615", "ffffffffffffffff"), ("9007199254740992", "0020000000000000"),
        ("9007199254740993", "0020000000000001"),
    ])
    func `a 64-bit integer beyond a double is exact in both forms`(value: String, payload: String) throws {
        let translator = PayloadTranslator(.init("v", .uint64))
        #expect(try translator.encode(#"{"v":"\#(value)"}"#) == payload)
        #expect(try translator.encode(#"{"v":\#(value)}"#) == payload)
        #expect(try translator.decode(payload) == #"{"v":"\#(value)"}"#)
    }

    @Test func `a small 64-bit integer may be a string, and negative zero is zero`() throws {
        let translator = PayloadTranslator(.init("v", .integer(.int64, .bigEndian)))
        #expect(try translator.encode(#"{"v":"-7"}"#) == "fffffffffffffff9")
        #expect(try translator.encode(#"{"v":-0}"#) == "0000000000000000")
    }

    @Test(arguments: [
        (IntegerFormat.uint8, "256", "M.v: 256 is not in 0...255"),
        (.uint8, "-1", "M.v: -1 is not in 0...255"),
        (.int8, "-129", "M.v: -129 is not in -128...127"),
        (.uint24, "16777216", "M.v: 16777216 is not in 0...16777215"),
        (.uint32, "4294967296", "M.v: 4294967296 is not in 0...4294967295"),
        (.uint64, "18446744073709551616", "M.v: 18446744073709551616 is not in 0...18446744073709551615"),
        (
            .int64, #""-9223372036854775809""#,
            "M.v: -9223372036854775809 is not in -9223372036854775808...9223372036854775807"
        ),
        (.uint8, "1.0", "M.v: 1.0 is not written as an integer: no fraction and no exponent may stand there"),
        (.uint8, "1e1", "M.v: 1e1 is not written as an integer: no fraction and no exponent may stand there"),
        (
            .uint64, #""0x10""#,
            #"M.v: "0x10"\#(Self.noIntegerText)"#
        ),
        (.uint64, #""+1""#, #"M.v: "+1"\#(Self.noIntegerText)"#),
        (.uint64, #""01""#, #"M.v: "01"\#(Self.noIntegerText)"#),
        (.uint64, #""""#, #"M.v: ""\#(Self.noIntegerText)"#),
        (.uint32, #""1""#, "M.v: an integer is needed, not a string"),
        (.uint64, "true", "M.v: an integer, or one in a string, is needed, not a boolean"),
        (.uint8, "null", "M.v: an integer is needed, not null"),
        (.uint8, "[1]", "M.v: an integer is needed, not an array"),
        (
            .int64, "1000000000000000000000000000000000000000",
            "M.v: 1000000000000000000000000000000000000000 is too large for any field of its kind"
        ),
    ])
    func `an integer of any other form is refused`(format: IntegerFormat, json: String, message: String) throws {
        let translator = PayloadTranslator(.init("v", .integer(format, .bigEndian)))
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"v":\#(json)}"#) }
        #expect(error.description == message)
    }

    static let noIntegerText =
        #" is not an integer: in a string stand its digits, no zeros in front, and "-" if it is negative"#

    @Test(arguments: [TypeDescription.uint16, .varint(maximumByteCount: 10)])
    func `a range is checked when encoding and decoding`(type: TypeDescription) throws {
        let translator = PayloadTranslator(.init("v", type, range: 1...100))
        let prefix = type == .uint16 ? "00" : ""
        #expect(try translator.encode(#"{"v":1}"#) == prefix + "01")
        #expect(try translator.decode(prefix + "64") == #"{"v":100}"#)
        #expect(throws: TranslationError(.outOfRange(value: 101, minimum: 1, maximum: 100), path: "M.v")) {
            try translator.encode(#"{"v":101}"#)
        }
        #expect(throws: CodecError(.outOfRange(value: 0, minimum: 1, maximum: 100), offset: 0, path: "M.v")) {
            try translator.decode(prefix + "00")
        }
    }

    // MARK: Varints

    @Test(arguments: [
        (10, "0", "00"), (10, "127", "7f"), (10, "128", "8001"), (10, "300", "ac02"), (2, "16383", "ff7f"),
        (10, #""18446744073709551615""#, "ffffffffffffffffff01"), (4, "268435455", "ffffff7f"),
    ])
    func `a varint is encoded in its shortest form`(maximumByteCount: Int, value: String, payload: String) throws {
        let translator = PayloadTranslator(.init("v", .varint(maximumByteCount: maximumByteCount)))
        #expect(try translator.encode(#"{"v":\#(value)}"#) == payload)
        #expect(try translator.decode(payload) == #"{"v":\#(value)}"#)
    }

    @Test func `a varint that does not fit is refused`() throws {
        let translator = PayloadTranslator(.init("v", .varint(maximumByteCount: 2)))
        #expect(throws: TranslationError(.outOfRange(value: 16_384, minimum: 0, maximum: 16_383), path: "M.v")) {
            try translator.encode(#"{"v":16384}"#)
        }
        #expect(throws: CodecError(.varintTooLong(maximumByteCount: 2), offset: 0, path: "M.v")) {
            try translator.decode("808001")
        }
        #expect(throws: CodecError(.varintNotShortest, offset: 0, path: "M.v")) { try translator.decode("8000") }
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 0, path: "M.v")) {
            try translator.decode("80")
        }
    }

    @Test(arguments: [
        (VarintFormat(.zigzag), "-1", "01"), (VarintFormat(.zigzag), "1", "02"),
        (VarintFormat(.zigzag), #""-9223372036854775808""#, "ffffffffffffffffff01"),
        (VarintFormat(.signed32), "-1", "ffffffff0f"), (VarintFormat(.signed32), "2147483647", "ffffffff07"),
        (VarintFormat(.signed64), "-1", "ffffffffffffffffff01"), (VarintFormat(.signed64), "300", "ac02"),
    ])
    func `a signed varint is encoded and decoded`(format: VarintFormat, value: String, payload: String) throws {
        let translator = PayloadTranslator(.init("v", .varint(format)))
        #expect(try translator.encode(#"{"v":\#(value)}"#) == payload)
        #expect(try translator.decode(payload) == #"{"v":\#(value)}"#)
    }

    @Test func `a signed varint that does not fit is refused`() throws {
        let narrow = PayloadTranslator(.init("v", .varint(VarintFormat(.zigzag, maximumByteCount: 1))))
        #expect(throws: TranslationError(.outOfRange(value: 64, minimum: -64, maximum: 63), path: "M.v")) {
            try narrow.encode(#"{"v":64}"#)
        }
        let short = PayloadTranslator(.init("v", .varint(VarintFormat(.signed32, maximumByteCount: 4))))
        #expect(throws: TranslationError(.outOfRange(value: -1, minimum: 0, maximum: 0xFFF_FFFF), path: "M.v")) {
            try short.encode(#"{"v":-1}"#)
        }
        let limited = PayloadTranslator(.init("v", .varint(VarintFormat(.signed64)), range: -2...2))
        #expect(throws: CodecError(.outOfRange(value: -3, minimum: -2, maximum: 2), offset: 0, path: "M.v")) {
            try limited.decode("fdffffffffffffffff01")
        }
    }

    // MARK: Floats and booleans

    @Test(arguments: [
        ("0.1", "3dcccccd", "3fb999999999999a"), ("-0.0", "80000000", "8000000000000000"),
        ("1.5", "3fc00000", "3ff8000000000000"), (#""Infinity""#, "7f800000", "7ff0000000000000"),
        (#""-Infinity""#, "ff800000", "fff0000000000000"), (#""NaN""#, "7fc00000", "7ff8000000000000"),
    ])
    func `a float is shown with its shortest digits`(value: String, single: String, double: String) throws {
        let json = #"{"v":\#(value)}"#
        #expect(try PayloadTranslator(.init("v", .float(.binary32, .bigEndian))).encode(json) == single)
        #expect(try PayloadTranslator(.init("v", .float(.binary32, .bigEndian))).decode(single) == json)
        #expect(try PayloadTranslator(.init("v", .float(.binary64, .bigEndian))).encode(json) == double)
        #expect(try PayloadTranslator(.init("v", .float(.binary64, .bigEndian))).decode(double) == json)
        #expect(try PayloadTranslator(.init("v", .float(.binary32, .littleEndian))).encode(json) == reversed(single))
        #expect(try PayloadTranslator(.init("v", .float(.binary32, .littleEndian))).decode(reversed(single)) == json)
        #expect(try PayloadTranslator(.init("v", .float(.binary64, .littleEndian))).encode(json) == reversed(double))
        #expect(try PayloadTranslator(.init("v", .float(.binary64, .littleEndian))).decode(reversed(double)) == json)
    }

    @Test(arguments: [
        ("16777217", "4b800000"), ("9007199254740993", "5a000000"), ("1e-400", "00000000"), ("-0", "80000000"),
        ("1E2", "42c80000"), ("1.40129846e-45", "00000001"), ("3.40282356e38", "7f7fffff"),
    ])
    func `a number that a float cannot represent is rounded`(value: String, payload: String) throws {
        #expect(try PayloadTranslator(.init("v", .float(.binary32, .bigEndian))).encode(#"{"v":\#(value)}"#) == payload)
    }

    @Test(arguments: [
        ("0.1", "2e66"), ("-0.0", "8000"), ("1.5", "3e00"), ("65504.0", "7bff"), ("-65472.0", "fbfe"),
        ("6e-08", "0001"),
        ("6.104e-05", "0400"), ("0.3333", "3555"), (#""Infinity""#, "7c00"), (#""-Infinity""#, "fc00"),
        (#""NaN""#, "7e00"),
    ])
    func `a float of 16 bits is shown with its shortest digits`(value: String, payload: String) throws {
        let json = #"{"v":\#(value)}"#
        let translator = PayloadTranslator(.init("v", .float(.binary16, .bigEndian)))
        let little = PayloadTranslator(.init("v", .float(.binary16, .littleEndian)))
        #expect(try translator.encode(json) == payload)
        #expect(try translator.decode(payload) == json)
        #expect(try little.encode(json) == reversed(payload))
        #expect(try little.decode(reversed(payload)) == json)
    }

    @Test(arguments: [
        ("65519.99", "7bff"), ("-65519.99", "fbff"), ("2049", "6800"), ("2051", "6802"), ("1e-400", "0000"),
        ("-0", "8000"),
        ("2.98023223876953125e-8", "0000"), ("2.9802322387695317e-8", "0001"), ("1.00048828125", "3c00"),
        ("1.0004882812500002", "3c01"), ("1.0014648437499998", "3c01"), ("1.00146484375", "3c02"),
    ])
    func `a number that a float of 16 bits cannot represent is rounded once`(value: String, payload: String) throws {
        #expect(try PayloadTranslator(.init("v", .float(.binary16, .bigEndian))).encode(#"{"v":\#(value)}"#) == payload)
    }

    @Test(arguments: ["65520", "-65520", "1e5", "3.5e38"])
    func `a number beyond the floats of 16 bits is refused`(value: String) throws {
        let translator = PayloadTranslator(.init("v", .float(.binary16, .bigEndian)))
        #expect(throws: TranslationError(.numberTooLarge(value), path: "M.v")) {
            try translator.encode(#"{"v":\#(value)}"#)
        }
    }

    @Test func `the range of a float of 16 bits is that of what is written`() throws {
        let translator = PayloadTranslator(
            .init("v", .float(.binary16, .bigEndian), floatRange: 0...FloatFormat.binary16.nearest(to: 0.1)))
        #expect(try translator.encode(#"{"v":0.1}"#) == "2e66")
        #expect(try translator.encode(#"{"v":0.10000001}"#) == "2e66")
        #expect(throws: TranslationError.self) { try translator.encode(#"{"v":0.1001}"#) }
        #expect(throws: CodecError.self) { try translator.decode("2e67") }
        #expect(throws: CodecError.self) { try translator.decode("7e00") }
    }

    @Test(arguments: [
        ("3.5e38", "M.v: 3.5e38 is too large for any field of its kind"),
        ("-1e400", "M.v: -1e400 is too large for any field of its kind"),
        (#""nan""#, #"M.v: a number, "NaN", "Infinity" or "-Infinity" is needed, not a string"#),
        (#""1""#, #"M.v: a number, "NaN", "Infinity" or "-Infinity" is needed, not a string"#),
        ("null", #"M.v: a number, "NaN", "Infinity" or "-Infinity" is needed, not null"#),
    ])
    func `a value that is no float is refused`(value: String, message: String) throws {
        let translator = PayloadTranslator(.init("v", .float(.binary32, .bigEndian)))
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"v":\#(value)}"#) }
        #expect(error.description == message)
    }

    @Test(arguments: ["1.25", #""NaN""#, #""Infinity""#, "-0.5"])
    func `a float outside its range is refused when encoding`(value: String) {
        let translator = PayloadTranslator(.init("v", .float(.binary64, .bigEndian), floatRange: 0...1))
        let error = #expect(throws: TranslationError.self) { try translator.encode(#"{"v":\#(value)}"#) }
        #expect(error?.path == "M.v")
    }

    @Test func `a float outside its range is refused when decoding`() {
        let translator = PayloadTranslator(.init("v", .float(.binary32, .bigEndian), floatRange: 0...1))
        #expect(throws: CodecError(.floatOutOfRange(value: 2, minimum: 0, maximum: 1), offset: 0, path: "M.v")) {
            try translator.decode("40000000")
        }
        #expect(throws: CodecError.self) { try translator.decode("7fc00000") }
        #expect(throws: Never.self) { try translator.decode("3f800000") }
    }

    @Test func `a bool is 0 or 1`() throws {
        let translator = PayloadTranslator(.init("v", .boolean))
        #expect(try translator.encode(#"{"v":true}"#) == "01")
        #expect(try translator.decode("00") == #"{"v":false}"#)
        #expect(throws: CodecError(.invalidBoolean(2), offset: 0, path: "M.v")) { try translator.decode("02") }
        #expect(throws: TranslationError(.wrongKind(expected: .boolean, found: "a number"), path: "M.v")) {
            try translator.encode(#"{"v":1}"#)
        }
    }

    // MARK: Enums and flags

    @Test func `an enum is shown as its name, or as its number if it has no name`() throws {
        let translator = PayloadTranslator(.init("v", .fixedList(.enumeration(0, .bigEndian), count: 3)))
        #expect(try translator.decode("000107") == #"{"v":["failed","ok",7]}"#)
        #expect(try translator.encode(#"{"v":["failed",1,7]}"#) == "000107")
        #expect(throws: TranslationError(.unknownName("OK", known: ["failed", "ok"]), path: "M.v[1]")) {
            try translator.encode(#"{"v":[0,"OK",0]}"#)
        }
        #expect(throws: TranslationError(.outOfRange(value: 256, minimum: 0, maximum: 255), path: "M.v[2]")) {
            try translator.encode(#"{"v":[0,1,256]}"#)
        }
    }

    @Test func `an enum keeps its byte order and all 64 bits`() throws {
        let translator = PayloadTranslator(.init("v", .enumeration(1, .littleEndian)))
        #expect(try translator.encode(#"{"v":"least"}"#) == "0000000000000080")
        #expect(try translator.decode("0000000000000080") == #"{"v":"least"}"#)
        #expect(try translator.decode("0100000000000080") == #"{"v":"-9223372036854775807"}"#)
        #expect(try translator.encode(#"{"v":"-9223372036854775807"}"#) == "0100000000000080")
    }

    @Test(arguments: [
        ("gild", #"M.v: there is no "gild"; did you mean "gold"?"#),
        ("zzz", #"M.v: there is no "zzz"; there is rank0, rank1, rank2, rank3, rank4, rank5, rank6, rank7, …"#),
    ])
    func `if there are many names, the error shows the nearest one`(name: String, message: String) throws {
        let names = (0..<10).map { "rank\($0)" } + ["gold"]
        let translator = PayloadTranslator(.init("v", .enumeration(0, .bigEndian))) {
            $0.enumerations[0].cases = names.enumerated().map { .init(name: $1, value: Int128($0)) }
        }
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"v":"\#(name)"}"#) }
        #expect(error.description == message)
    }

    @Test func `a closed enum accepts only its cases`() throws {
        let translator = PayloadTranslator(.init("v", .enumeration(2, .bigEndian)))
        #expect(try translator.decode("ffff") == #"{"v":"minus"}"#)
        #expect(try translator.encode(#"{"v":-1}"#) == "ffff")
        #expect(throws: CodecError(.unknownCase(1), offset: 0, path: "M.v")) { try translator.decode("0001") }
        #expect(throws: TranslationError(.unknownCase(1), path: "M.v")) { try translator.encode(#"{"v":1}"#) }
    }

    @Test(arguments: [
        ("0000", "[]"), ("0001", #"["mute"]"#), ("0002", #"["ban"]"#), ("0003", #"["mute","ban"]"#),
        ("000c", #"["owner"]"#), ("0004", "[4]"), ("000f", #"["mute","ban","owner"]"#), ("8005", #"["mute",32772]"#),
        ("ffff", #"["mute","ban","owner",65520]"#),
    ])
    func `flags are shown as their names and one number for the other bits`(payload: String, names: String) throws {
        let translator = PayloadTranslator(.init("v", .flags(0, .bigEndian)))
        #expect(try translator.decode(payload) == #"{"v":\#(names)}"#)
        #expect(try translator.encode(#"{"v":\#(names)}"#) == payload)
    }

    @Test func `a reserved number of an open enum is kept like any unknown number`() throws {
        let translator = PacketTranslator(
            try describe("enum E : uint8 { a = 0; reserved 5; } message Cs_1 { E e; }"))
        let packet = bytes("00000007 0001 05")
        let line = try translator.decode(packet.span.bytes, from: .client)
        #expect(line["fields"]?["e"] == 5)
        #expect(try translator.encode(line: line) == packet)
    }

    @Test func `flags may be given in any order, and may overlap`() throws {
        let translator = PayloadTranslator(.init("v", .flags(0, .littleEndian)))
        #expect(try translator.encode(#"{"v":[32768,"staff","mute","none"]}"#) == "0380")
    }

    @Test(arguments: [
        (#"["mute","mute"]"#, #"M.v: "mute" stands twice"#), ("[1,2]", #"M.v: "2" stands twice"#),
        (#"["mut"]"#, #"M.v: there is no "mut"; there is mute, ban, staff, owner, none"#),
        ("[65536]", "M.v: 65536 is not in 0...65535"),
        ("[-1]", "M.v: -1 is not in 0...65535"), ("[null]", "M.v: a name of a flag, or a number, is needed, not null"),
        ("3", "M.v: an array of names is needed, not a number"),
        (#""mute""#, "M.v: an array of names is needed, not a string"),
    ])
    func `invalid flags are refused`(json: String, message: String) throws {
        let translator = PayloadTranslator(.init("v", .flags(0, .bigEndian)))
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"v":\#(json)}"#) }
        #expect(error.description == message)
    }

    @Test func `flags can have 64 bits`() throws {
        let translator = PayloadTranslator(.init("v", .flags(1, .bigEndian)))
        #expect(try translator.decode("c000000000000001") == #"{"v":["top","4611686018427387905"]}"#)
        #expect(try translator.encode(#"{"v":["top","4611686018427387905"]}"#) == "c000000000000001")
    }
}

/// The same bytes in the other order.
private func reversed(_ hexadecimal: String) -> String { Hexadecimal.text(of: bytes(hexadecimal).reversed()) }
