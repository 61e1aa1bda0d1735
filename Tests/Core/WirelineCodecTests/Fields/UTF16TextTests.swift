// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Text in UTF-16.
struct UTF16TextTests {
    static let texts = [
        "", "a", "é", "老", "\u{0}b", "\u{FFFF}", "\u{10000}", "😀a\u{10FFFF}", "\u{FEFF}x", "\u{7FF}\u{800}",
    ]

    @Test(arguments: texts, [ByteOrder.bigEndian, .littleEndian])
    func `a text is written in units and read back`(text: String, order: ByteOrder) throws {
        let units = Array(text.utf16)
        let bytes = units.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return order == .bigEndian ? [high, low] : [low, high]
        }
        #expect(text.utf16UnitCount == units.count)
        let written = [UInt8](byteCount: 2 * units.count) { $0.writeUTF16(text, order) }
        #expect(written == bytes)
        var reader = ByteReader(bytes.span.bytes)
        let (counted, left) = (try reader.readUTF16(unitCount: units.count, order), reader.remaining)
        #expect(counted == text && left == 0)
        var other = ByteReader(bytes.span.bytes)
        let rest = try other.readRestOfUTF16(order)
        #expect(rest == text)
    }

    @Test(arguments: [
        ("d800", 0), ("0061dc00", 2), ("d8000061", 0), ("d800d800dc00", 0), ("d83dde00dfff", 4), ("0061d83d", 2),
    ])
    func `half of a surrogate pair is refused where it stands`(text: String, offset: Int) throws {
        let bytes = try Hexadecimal.bytes(of: text)
        #expect(throws: CodecError(.invalidUTF16, offset: offset)) {
            var reader = ByteReader(bytes.span.bytes)
            _ = try reader.readUTF16(unitCount: bytes.count / 2, .bigEndian)
        }
    }

    @Test(arguments: [("0061", 2, 4, 2), ("", 1, 2, 0), ("006100", 2, 4, 3), ("00", 1, 2, 1)])
    func `units that have not arrived are truncated`(text: String, unitCount: Int, needed: Int, available: Int) throws {
        let bytes = try Hexadecimal.bytes(of: text)
        #expect(throws: CodecError(.truncated(needed: needed, available: available), offset: 0)) {
            var reader = ByteReader(bytes.span.bytes)
            _ = try reader.readUTF16(unitCount: unitCount, .bigEndian)
        }
    }

    @Test func `half of a unit at the end is truncated there`() {
        let bytes: [UInt8] = [0, 0x61, 0]
        #expect(throws: CodecError(.truncated(needed: 2, available: 1), offset: 2)) {
            var reader = ByteReader(bytes.span.bytes)
            _ = try reader.readRestOfUTF16(.bigEndian)
        }
    }

    @Test func `a unit of 0 ends a text, and two zeros in neighbouring units do not`() throws {
        let bytes: [UInt8] = [0x61, 0x00, 0x00, 0x01, 0x00, 0x00, 0x07]
        var reader = ByteReader(bytes.span.bytes)
        let (text, left) = (try reader.readTerminatedUTF16(.littleEndian), reader.remaining)
        #expect(text == "a\u{100}" && left == 1)
        #expect(throws: CodecError(.missingTerminator, offset: 0)) {
            let half: [UInt8] = [0x07]
            var short = ByteReader(half.span.bytes)
            _ = try short.readTerminatedUTF16(.littleEndian)
        }
    }

    @Test(arguments: [
        (UInt8(0), "006100000062", "a"), (0, "006100620063", "abc"), (0, "0000d8000061", ""),
        (0x20, "006100200020", "a"), (0x20, "002000200020", ""), (0xA9, "00a9006100a9", "©a"),
    ])
    func `text of fixed width ends at its padding`(padding: UInt8, bytes: String, text: String) throws {
        let bytes = try Hexadecimal.bytes(of: bytes)
        var reader = ByteReader(bytes.span.bytes)
        let found = try reader.readFixedUTF16(byteCount: 6, padding: padding, .bigEndian)
        #expect(found == text)
        let written = [UInt8](byteCount: 6) { writer in
            var run = writer.writeRun(byteCount: 6)
            run.setUTF16(text, at: 0, byteCount: 6, padding: padding, .bigEndian)
        }
        var again = ByteReader(written.span.bytes)
        let repeated = try again.readFixedUTF16(byteCount: 6, padding: padding, .bigEndian)
        #expect(repeated == text)
    }

    @Test(arguments: [
        ("abcd", UInt8(0), CodecError.Reason.tooLong(count: 4, limit: 3)), ("😀😀", 0, .tooLong(count: 4, limit: 3)),
        ("a\0", 0, .embeddedTerminator), ("a ", 0x20, .endsInPadding(0x20)), ("©", 0xA9, .endsInPadding(0xA9)),
    ])
    func `text that would be read as another is refused`(text: String, padding: UInt8, reason: CodecError.Reason) {
        #expect(throws: CodecError(reason)) { try FieldCheck.utf16(text, byteCount: 6, padding: padding) }
    }
}
