// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// Texts around the length up to which the standard library stores a string in the string value itself: 15 bytes.
struct ShortTextTests {
    /// Texts of 0 to 20 bytes: of ASCII, and with one character of two bytes at the beginning or at the end.
    static let texts: [String] = (0...20).flatMap { count in
        let ascii = String("abcdefghijklmnopqrst".prefix(count))
        guard count >= 2 else { return [ascii] }
        let rest = String(ascii.prefix(count - 2))
        return [ascii, "é" + rest, rest + "é"]
    }

    @Test(arguments: texts)
    func `a text is read from the middle of a payload, and from its end`(text: String) throws {
        let bytes = Array("<".utf8) + Array(text.utf8) + Array(">".utf8)
        var middle = ByteReader(bytes.span.bytes, range: 1..<bytes.count)
        let (inside, offset) = (try middle.readString(byteCount: text.utf8.count), middle.offset)
        #expect(inside == text)
        #expect(offset == bytes.count - 1)
        var end = ByteReader(bytes.span.bytes, range: 1..<bytes.count - 1)
        let (last, isAtEnd) = (try end.readString(byteCount: text.utf8.count), end.isAtEnd)
        #expect(last == text)
        #expect(isAtEnd)
    }

    @Test(arguments: texts)
    func `a text that was read is the standard library's string in all respects`(text: String) throws {
        let bytes = Array(text.utf8)
        var reader = ByteReader(bytes.span.bytes)
        let read = try reader.readString(byteCount: bytes.count)
        #expect(read.hashValue == String(decoding: bytes, as: UTF8.self).hashValue)
        #expect(Array(read.utf8) == bytes)
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
        #expect(read + "!" == text + "!")
    }

    @Test(arguments: 0..<16)
    func `an invalid byte is found at every position of a short text`(position: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 16)
        bytes[position] = 0xFF
        #expect(throws: CodecError.self) {
            var reader = ByteReader(bytes.span.bytes)
            _ = try reader.readString(byteCount: position + 1)
        }
    }

    @Test(arguments: texts)
    func `a text is written alone, between other fields, and where 16 bytes or more follow`(text: String) {
        let utf8 = Array(text.utf8)
        #expect([UInt8](byteCount: utf8.count) { $0.writeText(text) } == utf8)
        let between = [UInt8](byteCount: utf8.count + 2) { writer in
            writer.writeBoolean(true)
            writer.writeText(text)
            writer.writeBoolean(true)
        }
        #expect(between == [1] + utf8 + [1])
        let before = [UInt8](byteCount: 2 * utf8.count + 16) { writer in
            writer.writeText(text)
            writer.writeText(text)
            writer.writeInteger(UInt64.max, .bigEndian)
            writer.writeInteger(UInt64.max, .bigEndian)
        }
        #expect(before == utf8 + utf8 + [UInt8](repeating: 0xFF, count: 16))
    }

    @Test(arguments: texts)
    func `a short text in memory of its own is written like any other`(text: String) {
        var stored = ""
        stored.reserveCapacity(64)
        stored += text
        #expect([UInt8](byteCount: text.utf8.count) { $0.writeText(stored) } == Array(text.utf8))
    }

    @Test func `a text that is longer than measured stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = [UInt8](byteCount: 4) { $0.writeText("12345") }
        }
        await #expect(processExitsWith: .failure) {
            _ = [UInt8](byteCount: 15) { $0.writeText("1234567890123456") }
        }
    }
}
