// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// `char[n]` and `bcd[n]` in JSON.
struct FixedTextTranslationTests {
    private static func translator(padding: UInt8) -> PayloadTranslator {
        PayloadTranslator(.init("v", .string(.fixed(byteCount: 4, padding: padding))))
    }

    @Test(arguments: [
        (UInt8(0), "61000000", "a"), (0, "00000000", ""), (0, "61626364", "abcd"), (0, "c3a92000", "é "),
        (0x20, "61202020", "a"), (0x20, "20202020", ""), (0x20, "20612062", " a b"),
        (0x20, "61006200", "a\\u0000b\\u0000"),
        (0xFF, "61ffffff", "a"), (0xA9, "61a9a9a9", "a"),
    ])
    func `text of fixed width is encoded and decoded`(padding: UInt8, payload: String, text: String) throws {
        let translator = Self.translator(padding: padding)
        #expect(try translator.encode(#"{"v":"\#(text)"}"#) == payload)
        #expect(try translator.decode(payload) == #"{"v":"\#(text)"}"#)
    }

    @Test(arguments: ["610062ff", "6100ffff"])
    func `what follows the first NUL is not looked at`(payload: String) throws {
        #expect(try Self.translator(padding: 0).decode(payload) == #"{"v":"a"}"#)
    }

    @Test(arguments: [
        (UInt8(0), "abcde", CodecError.Reason.tooLong(count: 5, limit: 4)), (0, "a\\u0000", .embeddedTerminator),
        (0, "ééé", .tooLong(count: 6, limit: 4)), (0x20, "a ", .endsInPadding(0x20)), (0x20, " ", .endsInPadding(0x20)),
        (0xA9, "é", .endsInPadding(0xA9)),
    ])
    func `text that would be read as another is refused`(padding: UInt8, text: String, reason: CodecError.Reason) {
        #expect(throws: TranslationError(reason, path: "M.v")) {
            try Self.translator(padding: padding).encode(#"{"v":"\#(text)"}"#)
        }
    }

    @Test(arguments: [
        ("610000", CodecError(.truncated(needed: 4, available: 3), offset: 0, path: "M.v")),
        ("61c3ff00", CodecError(.invalidUTF8(.truncated), offset: 1, path: "M.v")),
    ])
    func `bytes that are no text of the width are refused`(payload: String, error: CodecError) {
        #expect(throws: error) { try Self.translator(padding: 0).decode(payload) }
    }

    @Test func `digits are two in a byte, the high half first`() throws {
        let translator = PayloadTranslator(.init("v", .digits(DigitFormat(.bcd, byteCount: 3))))
        #expect(try translator.encode(#"{"v":"012399"}"#) == "012399")
        #expect(try translator.decode("012399") == #"{"v":"012399"}"#)
    }

    @Test(arguments: [("0a0000", UInt8(0x0A), 0), ("00a000", 0xA0, 1), ("9999ff", 0xFF, 2)])
    func `a half over 9 is refused at its byte`(payload: String, byte: UInt8, offset: Int) {
        let translator = PayloadTranslator(.init("v", .digits(DigitFormat(.bcd, byteCount: 3))))
        #expect(throws: CodecError(.invalidDigit(byte), offset: offset, path: "M.v")) {
            try translator.decode(payload)
        }
    }

    @Test(arguments: [
        ("", CodecError.Reason.wrongDigitCount(count: 0, expected: 6)),
        ("12345", .wrongDigitCount(count: 5, expected: 6)),
        ("1234567", .wrongDigitCount(count: 7, expected: 6)), ("12345:", .invalidDigit(0x3A)),
        ("/23456", .invalidDigit(0x2F)), ("12 456", .invalidDigit(0x20)),
    ])
    func `a text of other digits is refused`(text: String, reason: CodecError.Reason) {
        let translator = PayloadTranslator(.init("v", .digits(DigitFormat(.bcd, byteCount: 3))))
        #expect(throws: TranslationError(reason, path: "M.v")) { try translator.encode(#"{"v":"\#(text)"}"#) }
    }
}
