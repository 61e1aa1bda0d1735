// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct ExtentTranslationTests {
    typealias Extent = TypeDescription.Extent

    /// "hi" or two numbers, after each kind of prefix or before each kind of end.
    static let extents: [(Extent, String, String)] = [
        (.counted(.uint8, .bigEndian), "02", ""), (.counted(.uint16, .bigEndian), "0002", ""),
        (.counted(.uint16, .littleEndian), "0200", ""), (.counted(.uint32, .bigEndian), "00000002", ""),
        (.counted(.uint32, .littleEndian), "02000000", ""), (.counted(.varint, .bigEndian), "02", ""),
        (.terminated, "", "00"), (.rest, "", ""),
    ]

    // MARK: Each extent, encoded and decoded

    @Test(arguments: extents)
    func `a string is encoded and decoded in each extent`(extent: Extent, prefix: String, suffix: String) throws {
        let translator = PayloadTranslator(.init("v", .string(extent)))
        #expect(try translator.encode(#"{"v":"hi"}"#) == prefix + "6869" + suffix)
        #expect(try translator.decode(prefix + "6869" + suffix) == #"{"v":"hi"}"#)
    }

    @Test(arguments: extents)
    func `bytes are encoded and decoded in each extent`(extent: Extent, prefix: String, suffix: String) throws {
        let translator = PayloadTranslator(.init("v", .bytes(extent)))
        #expect(try translator.encode(#"{"v":"//4="}"#) == prefix + "fffe" + suffix)
        #expect(try translator.decode(prefix + "fffe" + suffix) == #"{"v":"//4="}"#)
    }

    @Test(arguments: extents.filter { $0.0 != .terminated })
    func `a list is encoded and decoded in each extent`(extent: Extent, prefix: String, suffix: String) throws {
        let element = TypeDescription.integer(.int16, .littleEndian)
        let translator = PayloadTranslator(.init("v", .list(element, extent)))
        #expect(try translator.encode(#"{"v":[258,-1]}"#) == prefix + "0201ffff")
        #expect(try translator.decode(prefix + "0201ffff") == #"{"v":[258,-1]}"#)
    }

    @Test(arguments: [
        (TypeDescription.string(.terminated), "61 00 00 6263 00", #"["a","","bc"]"#),
        (.string(.counted(.uint8, .bigEndian)), "01 61 00 02 6263", #"["a","","bc"]"#),
        (.bytes(.counted(.varint, .bigEndian)), "01 61 00 02 6263", #"["YQ==","","YmM="]"#),
    ])
    func `a list to the end can hold strings`(element: TypeDescription, payload: String, json: String) throws {
        let translator = PayloadTranslator(.init("v", .list(element, .rest)))
        #expect(try translator.decode(payload) == #"{"v":\#(json)}"#)
        #expect(try translator.encode(#"{"v":\#(json)}"#) == payload.filter { $0 != " " })
        #expect(try translator.decode("") == #"{"v":[]}"#)
    }

    @Test(arguments: [
        ("000a00efbbbfefbfbee280ae", "\"\\u0000\\ufeff\u{FFFE}\\u202e\""),
        ("000365cc81", "\"e\u{301}\""), ("0004f09f9880", "\"😀\""), ("0000", "\"\""),
    ])
    func `text is kept unchanged`(payload: String, json: String) throws {
        let translator = PayloadTranslator(.init("v", .text))
        #expect(try translator.decode(payload) == #"{"v":\#(json)}"#)
        #expect(try translator.encode(#"{"v":\#(json)}"#) == payload)
    }

    @Test func `a fixed list has exactly its count of items`() throws {
        let translator = PayloadTranslator(.init("v", .fixedList(.uint16, count: 2)))
        #expect(try translator.encode(#"{"v":[1,2]}"#) == "00010002")
        #expect(try translator.decode("00010002") == #"{"v":[1,2]}"#)
        #expect(throws: TranslationError(.wrongItemCount(count: 1, expected: 2), path: "M.v")) {
            try translator.encode(#"{"v":[1]}"#)
        }
        #expect(throws: TranslationError(.wrongItemCount(count: 3, expected: 2), path: "M.v")) {
            try translator.encode(#"{"v":[1,2,3]}"#)
        }
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 2, path: "M.v[1]")) {
            try translator.decode("000100")
        }
    }

    // MARK: Limits when writing

    @Test(arguments: [
        (CountFormat.uint8, 255, true), (.uint8, 256, false), (.uint16, 65_535, true), (.uint16, 65_536, false),
        (.uint32, 65_536, true), (.varint, 65_536, true),
    ])
    func `a count that does not fit its prefix is refused`(format: CountFormat, count: Int, isPossible: Bool) throws {
        let extent = Extent.counted(format, .bigEndian)
        let reason = CodecError.Reason.tooLong(count: count, limit: format.maximum)
        let text = #"{"v":"\#(String(repeating: "a", count: count))"}"#
        let list = #"{"v":[\#(String(repeating: "1,", count: count - 1))1]}"#
        let strings = PayloadTranslator(.init("v", .string(extent)))
        let lists = PayloadTranslator(.init("v", .list(.uint8, extent)))
        if isPossible {
            #expect(try strings.decode(strings.encode(text)) == text)
            #expect(try lists.decode(lists.encode(list)) == list)
        } else {
            #expect(throws: TranslationError(reason, path: "M.v")) { try strings.encode(text) }
            #expect(throws: TranslationError(reason, path: "M.v")) { try lists.encode(list) }
        }
    }

    @Test(arguments: extents)
    func `a maximum counts bytes, and is checked both ways`(extent: Extent, prefix: String, suffix: String) throws {
        let long = prefix.replacingTwo + "c3a9c3a9" + suffix
        let limited = PayloadTranslator(.init("v", .string(extent), max: 3))
        let wide = PayloadTranslator(.init("v", .string(extent), max: 4))
        #expect(try wide.encode(#"{"v":"éé"}"#) == long)
        #expect(try wide.decode(long) == #"{"v":"éé"}"#)
        #expect(throws: TranslationError(.tooLong(count: 4, limit: 3), path: "M.v")) {
            try limited.encode(#"{"v":"éé"}"#)
        }
        #expect(throws: CodecError(.tooLong(count: 4, limit: 3), offset: 0, path: "M.v")) { try limited.decode(long) }
    }

    @Test(arguments: extents.filter { $0.0 != .terminated })
    func `a maximum counts items, not the bytes of each`(extent: Extent, prefix: String, suffix: String) throws {
        let element = TypeDescription.string(.counted(.uint8, .bigEndian))
        let translator = PayloadTranslator(.init("v", .list(element, extent), max: 2))
        #expect(try translator.encode(#"{"v":["abc","d"]}"#) == prefix + "036162630164")
        #expect(try translator.decode(prefix + "036162630164") == #"{"v":["abc","d"]}"#)
        #expect(throws: TranslationError(.tooLong(count: 3, limit: 2), path: "M.v")) {
            try translator.encode(#"{"v":["","",""]}"#)
        }
        #expect(throws: CodecError.self) { try translator.decode(prefix.replacingTwo + "00000000") }
    }

    @Test(arguments: [TypeDescription.string(.terminated), .bytes(.terminated)])
    func `a NUL is refused in a value that ends with a NUL`(type: TypeDescription) {
        let translator = PayloadTranslator(.init("v", type))
        let value = type == .string(.terminated) ? #"a\u0000"# : "YQA="
        #expect(throws: TranslationError(.embeddedTerminator, path: "M.v")) {
            try translator.encode(#"{"v":"\#(value)"}"#)
        }
    }

    @Test(arguments: [
        ("Zg", "M.v: not Base64: 2 characters are not a multiple of 4; padding is required"),
        ("Zh==", "M.v: not Base64: the bits after the last byte are not zero"),
        ("Zm9-", "M.v: not Base64: the byte at offset 3 of the text is not a Base64 digit"),
    ])
    func `bytes are strict Base64`(text: String, message: String) throws {
        let translator = PayloadTranslator(.init("v", .bytes(.rest)))
        let error = try #require(throws: TranslationError.self) { try translator.encode(#"{"v":"\#(text)"}"#) }
        #expect(error.description == message)
    }

    // MARK: Limits when reading

    @Test(arguments: [
        ("", CodecError.Reason.truncated(needed: 2, available: 0), 0), ("00", .truncated(needed: 2, available: 1), 0),
        ("0001", .truncated(needed: 1, available: 0), 2), ("ffff", .truncated(needed: 65_535, available: 0), 2),
        ("0003 6162", .truncated(needed: 3, available: 2), 2), ("0002 c080", .invalidUTF8(.overlong), 2),
        ("0003 e080af", .invalidUTF8(.overlong), 2), ("0004 61eda080", .invalidUTF8(.surrogate), 3),
        ("0006 eda0bdedb880", .invalidUTF8(.surrogate), 2), ("0004 f4908080", .invalidUTF8(.aboveUnicode), 2),
        ("0001 f5", .invalidUTF8(.aboveUnicode), 2), ("0001 ff", .invalidUTF8(.unexpectedByte), 2),
        ("0002 e4bd", .invalidUTF8(.truncated), 2), ("0001 80", .invalidUTF8(.unexpectedByte), 2),
        ("0002 c4e3", .invalidUTF8(.truncated), 2),
    ])
    func `an invalid string is refused`(payload: String, reason: CodecError.Reason, offset: Int) {
        let translator = PayloadTranslator(.init("v", .text))
        #expect(throws: CodecError(reason, offset: offset, path: "M.v")) { try translator.decode(payload) }
    }

    @Test(arguments: [
        ("ffffffff", 4_294_967_295), ("7fffffff", 2_147_483_647), ("20000001", 536_870_913),
    ])
    func `a huge count is refused before anything is allocated`(payload: String, count: Int) {
        let extent = Extent.counted(.uint32, .bigEndian)
        #expect(throws: CodecError(.truncated(needed: count, available: 1), offset: 4, path: "M.v")) {
            try PayloadTranslator(.init("v", .bytes(extent))).decode(payload + "00")
        }
        #expect(throws: CodecError(.truncated(needed: 8, available: 1), offset: 4, path: "M.v[0]")) {
            try PayloadTranslator(.init("v", .list(.uint64, extent))).decode(payload + "00")
        }
    }

    @Test func `the error for a truncated list names the truncated item`() {
        let translator = PayloadTranslator(.init("v", .list(.text)))
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 8, path: "M.v[1]")) {
            try translator.decode("0002 0002 6161 0002 61")
        }
    }

    @Test func `65,535 empty strings are read, and refused if the last one is missing`() throws {
        let translator = PayloadTranslator(.init("v", .list(.text)))
        let payload = "ffff" + String(repeating: "0000", count: 65_535)
        let isSame = try translator.encode(translator.decode(payload)) == payload
        #expect(isSame)
        #expect(throws: CodecError(.truncated(needed: 2, available: 0), offset: 131_070, path: "M.v[65534]")) {
            try translator.decode(String(payload.dropLast(4)))
        }
    }

    @Test func `a string without its NUL is refused`() {
        let translator = PayloadTranslator(.init("a", .uint8), .init("v", .string(.terminated)))
        #expect(throws: CodecError(.missingTerminator, offset: 1, path: "M.v")) { try translator.decode("006162") }
        #expect(throws: CodecError(.missingTerminator, offset: 1, path: "M.v")) { try translator.decode("00") }
    }
}

extension String {
    /// The same prefix with 4 in place of 2.
    fileprivate var replacingTwo: String { String(map { $0 == "2" ? "4" : $0 }) }
}
