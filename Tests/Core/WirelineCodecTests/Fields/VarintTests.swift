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

    // MARK: Forms

    @Test(arguments: [
        ("8000", 10, 0), ("ff00", 10, 127), ("80808000", 10, 0), ("ac8280808000", 10, 300), ("ac828000", 4, 300),
        ("ffffffffffffffffff00", 10, UInt64(Int64.max)), ("80808080808080808000", 10, 0),
    ])
    func `any form is read if that is asked for`(hex: String, maximum: Int, value: UInt64) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        let reading = Reading(bytes) { reader throws(CodecError) in
            try reader.readVarint(maximumByteCount: maximum, .any)
        }
        #expect(try reading.value == value)
        #expect(reading.offset == bytes.count)
    }

    @Test func `a form longer than the maximum is refused, however small its number is`() throws {
        let bytes = try Hexadecimal.bytes(of: "80808000")
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readVarint(maximumByteCount: 3, .any) }
        #expect(reading.error == CodecError(.varintTooLong(maximumByteCount: 3), offset: 0))
    }

    @Test func `a count in any form is read if that is asked for`() throws {
        let bytes = try Hexadecimal.bytes(of: "8200")
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readCount(.varint, .bigEndian, .any) }
        #expect(try reading.value == 2)
        let signed = Reading(bytes) { reader throws(CodecError) in
            Int(try reader.readZigzag(maximumByteCount: 2, .any))
        }
        #expect(try signed.value == 1)
    }

    // MARK: Signed integers

    static let signed: [(VarintFormat.Encoding, Int64, String)] = [
        (.zigzag, 0, "00"), (.zigzag, -1, "01"), (.zigzag, 1, "02"), (.zigzag, -2, "03"), (.zigzag, 63, "7e"),
        (.zigzag, -64, "7f"), (.zigzag, 64, "8001"), (.zigzag, .max, "feffffffffffffffff01"),
        (.zigzag, .min, "ffffffffffffffffff01"), (.signed32, 0, "00"), (.signed32, 127, "7f"), (.signed32, 128, "8001"),
        (.signed32, Int64(Int32.max), "ffffffff07"), (.signed32, -1, "ffffffff0f"),
        (.signed32, Int64(Int32.min), "8080808008"), (.signed64, 1, "01"), (.signed64, .max, "ffffffffffffffff7f"),
        (.signed64, -1, "ffffffffffffffffff01"), (.signed64, .min, "80808080808080808001"),
    ]

    @Test(arguments: signed)
    func `a signed integer is written and read back`(
        encoding: VarintFormat.Encoding, value: Int64, hex: String
    ) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        let written: [UInt8]
        let byteCount: Int
        switch encoding {
        case .unsigned: (written, byteCount) = ([], 0)
        case .zigzag:
            written = [UInt8](byteCount: bytes.count) { $0.writeZigzag(value) }
            byteCount = value.zigzagByteCount
        case .signed32:
            let value = try #require(Int32(exactly: value))
            written = [UInt8](byteCount: bytes.count) { $0.writeVarint32(value) }
            byteCount = value.varintByteCount
        case .signed64:
            written = [UInt8](byteCount: bytes.count) { $0.writeVarint64(value) }
            byteCount = value.varintByteCount
        }
        #expect(written == bytes)
        #expect(byteCount == bytes.count)
        let reading = Reading(bytes) { reader throws(CodecError) in
            switch encoding {
            case .unsigned: Int64(bitPattern: try reader.readVarint())
            case .zigzag: try reader.readZigzag()
            case .signed32: Int64(try reader.readVarint32())
            case .signed64: try reader.readVarint64()
            }
        }
        #expect(try reading.value == value)
        #expect(reading.offset == bytes.count)
        let format = VarintFormat(encoding)
        #expect(format.range.contains(Int128(value)))
        #expect(format.value(ofBits: format.bits(of: Int128(value))) == Int128(value))
    }

    @Test(arguments: ["ffffffff10", "8080808080", "ffffffff7f", "808080808001"])
    func `a varint32 of more than 32 bits is refused`(hex: String) throws {
        let reading = Reading(try Hexadecimal.bytes(of: hex)) { reader throws(CodecError) in try reader.readVarint32() }
        #expect(reading.error == CodecError(.varintTooLong(maximumByteCount: 5), offset: 0))
        #expect(reading.offset == 0)
    }

    @Test(arguments: [
        (VarintFormat.Encoding.unsigned, 2, 0, 16_383), (.zigzag, 2, -8_192, 8_191), (.zigzag, 1, -64, 63),
        (.zigzag, 10, .min, .max), (.signed32, 5, -2_147_483_648, 2_147_483_647), (.signed32, 4, 0, 0xFFF_FFFF),
        (.signed64, 9, 0, .max), (.signed64, 10, .min, .max),
    ])
    func `fewer bytes hold fewer values`(
        encoding: VarintFormat.Encoding, maximumByteCount: Int, least: Int64, most: Int64
    ) {
        let format = VarintFormat(encoding, maximumByteCount: maximumByteCount)
        let range = Int128(least)...Int128(most)
        #expect(format.range == range)
        for value in [range.lowerBound, range.upperBound] {
            #expect(format.bits(of: value).varintByteCount <= format.maximumByteCount)
            #expect(format.value(ofBits: format.bits(of: value)) == value)
        }
        let byteCounts = [range.lowerBound, range.upperBound].map { format.bits(of: $0).varintByteCount }
        #expect(byteCounts.max() == maximumByteCount)
    }

    private func expect(_ hex: String, _ error: CodecError, maximum: Int = 10) throws {
        let reading = Reading(try Hexadecimal.bytes(of: hex)) { reader throws(CodecError) in
            try reader.readVarint(maximumByteCount: maximum)
        }
        #expect(reading.error == error)
        #expect(reading.offset == 0)
    }
}
