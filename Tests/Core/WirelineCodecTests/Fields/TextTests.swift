// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

struct TextTests {
    static let good = [
        "", "a", "hi", "fifteen bytes !", "sixteen bytes !!", "进入场景", "🎮", "e\u{301}", "\u{0}", "\u{FEFF}x", "\u{FFFE}",
        "\u{202E}abc", "\u{10FFFF}", "\u{7FF}\u{800}\u{FFFF}\u{10000}", String(repeating: "协议 ok ", count: 300),
    ]

    @Test(arguments: good)
    func `text is read and written byte for byte`(text: String) throws {
        let bytes = Array(text.utf8)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readString(byteCount: bytes.count) }
        #expect(try reading.value.utf8.elementsEqual(bytes))
        #expect([UInt8](byteCount: bytes.count) { $0.writeText(text) } == bytes)
    }

    @Test(arguments: 0...40)
    func `ASCII of every length is the string that the standard library makes`(byteCount: Int) throws {
        var random = SeededGenerator.forThisRun()
        for highest: UInt8 in [0, 0x7F] {
            let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...highest, using: &random) }
            let reading = Reading(bytes) { reader throws(CodecError) in try reader.readString(byteCount: byteCount) }
            let text = try reading.value
            let standard = String(decoding: bytes, as: UTF8.self)
            #expect(text == standard)
            #expect(text.hashValue == standard.hashValue)
            #expect(Array(text.utf8) == bytes)
            #expect(Array((text + "é" + text).utf8) == bytes + Array("é".utf8) + bytes)
            #expect(text.unicodeScalars.map(\.value) == bytes.map(UInt32.init))
            // Short strings have no memory of their own, so their bits are their value.
            if byteCount <= 15 { #expect(words(of: text) == words(of: standard)) }
        }
    }

    private func words(of text: String) -> [UInt64] {
        withUnsafeBytes(of: text) { Array($0.bindMemory(to: UInt64.self)) }
    }

    static let bad: [(String, CodecError.UTF8Fault, Int)] = [
        ("80", .unexpectedByte, 0), ("61bf", .unexpectedByte, 1), ("c080", .overlong, 0), ("c1bf", .overlong, 0),
        ("e08080", .overlong, 0), ("e09fbf", .overlong, 0), ("e080af", .overlong, 0), ("f0808080", .overlong, 0),
        ("f08fbfbf", .overlong, 0), ("eda080", .surrogate, 0), ("6162edbfbf", .surrogate, 2),
        ("eda0bdedb880", .surrogate, 0), ("f4908080", .aboveUnicode, 0), ("f5808080", .aboveUnicode, 0),
        ("fe", .unexpectedByte, 0), ("ff", .unexpectedByte, 0), ("e4bd", .truncated, 0), ("c3", .truncated, 0),
        ("f09f8e", .truncated, 0), ("e4bd41", .truncated, 0), ("f09f4180", .truncated, 0), ("c441", .truncated, 0),
        ("61c4e3", .truncated, 1), ("3132333435363738393031323334353637c3", .truncated, 17),
        ("313233343536373839303132333435363738393031323334353637383930313233ff34", .unexpectedByte, 33),
    ]

    @Test(arguments: bad)
    func `text that is not UTF-8 is refused at its first invalid byte`(
        hex: String, fault: CodecError.UTF8Fault, offset: Int
    ) throws {
        let bytes = [0xAA] + (try Hexadecimal.bytes(of: hex))
        let reading = Reading(bytes, range: 1..<bytes.count) { reader throws(CodecError) in
            try reader.readString(byteCount: bytes.count - 1)
        }
        #expect(reading.error == CodecError(.invalidUTF8(fault), offset: offset + 1))
        #expect(reading.offset == 1)
    }

    @Test func `the UTF-8 check agrees with the standard library on every pair and on random bytes`() throws {
        var random = SeededGenerator.forThisRun()
        var disagreements: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where verdictDiffers([first, second, 0x80, 0x80]) {
                disagreements.append([first, second, 0x80, 0x80])
            }
        }
        // Longer text is read in larger steps.
        let text = Array(String(repeating: "协议 ok 🎮é", count: 6).utf8)
        for start in text.indices {
            for end in start...text.count where verdictDiffers(Array(text[start..<end])) {
                disagreements.append(Array(text[start..<end]))
            }
        }
        for _ in 0..<20_000 {
            var bytes = text[..<Int.random(in: 32...text.count, using: &random)]
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            if verdictDiffers(Array(bytes)) { disagreements.append(Array(bytes)) }
        }
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0x20...0x7E, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            if verdictDiffers(bytes) { disagreements.append(bytes) }
        }
        #expect(disagreements.isEmpty)
    }

    private func verdictDiffers(_ bytes: [UInt8]) -> Bool {
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readString(byteCount: bytes.count) }
        return (try? reading.value) != String(validating: bytes, as: UTF8.self)
    }

    @Test(arguments: [3, 65_535, Int.max, -1])
    func `a string length that exceeds the bytes left is refused before the string is made`(byteCount: Int) {
        let reading = Reading(Array("hi".utf8)) { reader throws(CodecError) in
            try reader.readString(byteCount: byteCount)
        }
        #expect(reading.error == CodecError(.truncated(needed: byteCount, available: 2), offset: 0))
    }

    @Test func `a terminated string ends at its NUL`() throws {
        let reading = Reading(Array("hi\0there\0".utf8)) { reader throws(CodecError) in
            let first = try reader.readTerminatedString()
            return [Array(first.utf8), try reader.readTerminatedBytes()]
        }
        #expect(try reading.value == [Array("hi".utf8), Array("there".utf8)])
        #expect(reading.offset == 9)
    }

    @Test func `a terminated string without its NUL is refused`() {
        let reading = Reading(Array("hi".utf8)) { reader throws(CodecError) in try reader.readTerminatedString() }
        #expect(reading.error == CodecError(.missingTerminator, offset: 0))
    }
}
