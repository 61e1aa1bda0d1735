// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct VarintTests {
    static let vectors: [(UInt64, String)] = [
        (0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (16_383, "ff7f"), (16_384, "808001"),
        (2_097_151, "ffff7f"), (2_097_152, "80808001"), (268_435_455, "ffffff7f"),
        (UInt64(UInt32.max), "ffffffff0f"), (UInt64.max, "ffffffffffffffffff01"),
    ]

    @Test(arguments: vectors)
    func `a varint is written in its shortest form and read back`(value: UInt64, hex: String) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        #expect(value.varintByteCount == bytes.count)
        #expect([UInt8](byteCount: bytes.count) { $0.writeVarint(value) } == bytes)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readVarint() }
        #expect(try reading.value == value)
        #expect(reading.offset == bytes.count)
    }

    @Test(arguments: ["8000", "ff00", "80808000", "ffffffffffffffffff00"])
    func `a varint that is longer than needed is refused`(hex: String) throws {
        try expect(hex, CodecError(.varintNotShortest, offset: 0))
    }

    @Test(arguments: [
        ("ffffffffffffffffff02", 10), ("8080808080808080808001", 10), ("ffffffffffffffffffff01", 10), ("8080808001", 4),
        ("8001", 1),
    ])
    func `a varint with too many bytes, or more than 64 bits, is refused`(hex: String, maximum: Int) throws {
        try expect(hex, CodecError(.varintTooLong(maximumByteCount: maximum), offset: 0), maximum: maximum)
    }

    @Test(arguments: [("", 1), ("80", 2), ("ffffff", 4)])
    func `a varint without its last byte is truncated`(hex: String, needed: Int) throws {
        let available = try Hexadecimal.bytes(of: hex).count
        try expect(hex, CodecError(.truncated(needed: needed, available: available), offset: 0))
    }

    @Test func `a count of more than 32 bits is refused`() throws {
        let bytes = try Hexadecimal.bytes(of: "8080808010")
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readCount(.varint, .bigEndian) }
        #expect(reading.error == CodecError(.varintTooLong(maximumByteCount: 5), offset: 0))
        #expect(reading.offset == 0)
    }

    private func expect(_ hex: String, _ error: CodecError, maximum: Int = 10) throws {
        let reading = Reading(try Hexadecimal.bytes(of: hex)) { reader throws(CodecError) in
            try reader.readVarint(maximumByteCount: maximum)
        }
        #expect(reading.error == error)
        #expect(reading.offset == 0)
    }
}
