// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct PackedBitsTests {
    @Test func `the first field of a run has the most significant bits`() throws {
        var bits = PackedBits()
        bits.add(3 as UInt8, bitWidth: 4, shift: 4)
        bits.add(true, shift: 3)
        bits.add(1 as UInt8, bitWidth: 2, shift: 1)
        bits.add(false, shift: 0)
        #expect(bits.integer == 0x3A)
        #expect(bits.unsigned(bitWidth: 4, shift: 4, as: UInt8.self) == 3)
        #expect(bits.bit(shift: 3))
        #expect(bits.unsigned(bitWidth: 2, shift: 1, as: UInt8.self) == 1)
        #expect(!bits.bit(shift: 0))
    }

    @Test func `a signed field is in two's complement of its own width`() throws {
        var bits = PackedBits()
        bits.add(-33_554_432 as Int32, bitWidth: 26, shift: 38)
        bits.add(-1 as Int32, bitWidth: 26, shift: 12)
        bits.add(-2 as Int16, bitWidth: 12, shift: 0)
        #expect(bits.integer == 0x8000_003F_FFFF_FFFE)
        #expect(bits.signed(bitWidth: 26, shift: 38, as: Int32.self) == -33_554_432)
        #expect(bits.signed(bitWidth: 26, shift: 12, as: Int32.self) == -1)
        #expect(bits.signed(bitWidth: 12, shift: 0, as: Int16.self) == -2)
    }

    @Test func `a field of 64 bits is the whole run`() throws {
        var bits = PackedBits()
        bits.add(-2 as Int64, bitWidth: 64, shift: 0)
        #expect(bits.integer == UInt64.max - 1)
        #expect(bits.signed(bitWidth: 64, shift: 0, as: Int64.self) == -2)
        #expect(bits.unsigned(bitWidth: 64, shift: 0, as: UInt64.self) == UInt64.max - 1)
    }

    @Test(arguments: 1...8, [ByteOrder.bigEndian, .littleEndian])
    func `a run of any width is written and read in both byte orders`(byteCount: Int, byteOrder: ByteOrder) throws {
        let integer = 0x0102_0304_0506_0708 & (UInt64.max >> UInt64(64 - 8 * byteCount))
        let bytes = [UInt8](byteCount: byteCount) { writer in
            var run = writer.writeRun(byteCount: byteCount)
            run.setPackedBits(PackedBits(integer), at: 0, byteCount: byteCount, byteOrder)
        }
        let number = (1...8).suffix(byteCount).map { UInt8($0) }
        #expect(bytes == (byteOrder == .bigEndian ? number : number.reversed()))
        let reading = Reading(bytes) { reader throws(CodecError) in
            try reader.readRun(byteCount: byteCount).packedBits(at: 0, byteCount: byteCount, byteOrder)
        }
        #expect(try reading.value == PackedBits(integer))
    }
}
