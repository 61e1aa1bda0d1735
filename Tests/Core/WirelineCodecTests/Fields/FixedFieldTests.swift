// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct FixedFieldTests {
    static let integers: [(IntegerFormat, Int128, String, String)] = [
        (.uint8, 0xFE, "fe", "fe"),
        (.uint16, 0x0102, "0102", "0201"),
        (.uint16, 256, "0100", "0001"),
        (.uint24, 0x010203, "010203", "030201"),
        (.uint24, 0xFFFFFF, "ffffff", "ffffff"),
        (.uint32, 0x0102_0304, "01020304", "04030201"),
        (.uint32, 0xFFFF_FFFF, "ffffffff", "ffffffff"),
        (.uint64, 0x0102_0304_0506_0708, "0102030405060708", "0807060504030201"),
        (.uint64, 0xFFFF_FFFF_FFFF_FFFF, "ffffffffffffffff", "ffffffffffffffff"),
        (.int8, -128, "80", "80"),
        (.int16, -2, "fffe", "feff"),
        (.int24, -2, "fffffe", "feffff"),
        (.int24, -8_388_608, "800000", "000080"),
        (.int24, 8_388_607, "7fffff", "ffff7f"),
        (.int32, -2_147_483_648, "80000000", "00000080"),
        (.int64, -9_223_372_036_854_775_808, "8000000000000000", "0000000000000080"),
        (IntegerFormat(bitWidth: 40, isSigned: false), 0x01_0203_0405, "0102030405", "0504030201"),
        (IntegerFormat(bitWidth: 48, isSigned: false), 0x0102_0304_0506, "010203040506", "060504030201"),
        (IntegerFormat(bitWidth: 56, isSigned: false), 0xFF_0203_0405_0607, "ff020304050607", "070605040302ff"),
        (IntegerFormat(bitWidth: 40, isSigned: true), -0x80_0000_0000, "8000000000", "0000000080"),
        (IntegerFormat(bitWidth: 48, isSigned: true), -2, "fffffffffffe", "feffffffffff"),
        (IntegerFormat(bitWidth: 56, isSigned: true), 0x7F_FFFF_FFFF_FFFF, "7fffffffffffff", "ffffffffffff7f"),
    ]

    @Test(arguments: integers)
    func `an integer has the right bytes in both byte orders`(
        format: IntegerFormat, value: Int128, bigEndian: String, littleEndian: String
    ) throws {
        #expect(Hexadecimal.text(of: write(value, format, .bigEndian)) == bigEndian)
        #expect(Hexadecimal.text(of: write(value, format, .littleEndian)) == littleEndian)
        #expect(try read(Hexadecimal.bytes(of: bigEndian), format, .bigEndian) == value)
        #expect(try read(Hexadecimal.bytes(of: littleEndian), format, .littleEndian) == value)
    }

    @Test(arguments: IntegerFormat.allCases)
    func `reading a truncated integer reports the missing bytes and does not move the position`(format: IntegerFormat) {
        let bytes = [UInt8](repeating: 0, count: format.byteCount - 1)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readNumber(format, .bigEndian) }
        #expect(reading.error?.reason == .truncated(needed: format.byteCount, available: bytes.count))
        #expect(reading.error?.offset == 0)
        #expect(reading.offset == 0)
    }

    static let floats: [UInt32] = [
        0x7F80_0001, 0x7FC0_0000, 0xFFC0_0001, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x0000_0001, 0x3F80_0000,
    ]

    @Test(arguments: floats, [ByteOrder.bigEndian, .littleEndian])
    func `a 32-bit float keeps every bit`(bits: UInt32, byteOrder: ByteOrder) throws {
        let bytes = [UInt8](byteCount: 4) { writer in
            var run = writer.writeRun(byteCount: 4)
            run.setFloat32(Float(bitPattern: bits), at: 0, byteOrder)
        }
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readFloat32(byteOrder) }
        #expect(try reading.value.bitPattern == bits)
    }

    static let doubles: [UInt64] = [
        0x7FF0_0000_0000_0001, 0x7FF8_0000_0000_0000, 0x8000_0000_0000_0000, 0xFFF0_0000_0000_0000, 1,
    ]

    @Test(arguments: doubles, [ByteOrder.bigEndian, .littleEndian])
    func `a 64-bit float keeps every bit`(bits: UInt64, byteOrder: ByteOrder) throws {
        let bytes = [UInt8](byteCount: 8) { writer in
            var run = writer.writeRun(byteCount: 8)
            run.setFloat64(Double(bitPattern: bits), at: 0, byteOrder)
        }
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readFloat64(byteOrder) }
        #expect(try reading.value.bitPattern == bits)
    }

    @Test func `the bytes of a run that are not set are 0, whatever the memory held before`() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5, alignment: 1)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 0xAA)
        var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
        try output.append(byteCount: 4) { writer in
            var run = writer.writeRun(byteCount: 4)
            run.setInteger(7 as UInt8, at: 1, .bigEndian)
        }
        _ = output.finalize(for: buffer)
        #expect([UInt8](buffer) == [0, 7, 0, 0, 0xAA])
    }

    @Test(arguments: 0...50)
    func `a run of any length that is not set is 0, and the bytes after it are unchanged`(byteCount: Int) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount + 9, alignment: 1)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 0xAA)
        var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
        try output.append(byteCount: byteCount + 8) { writer in
            writer.writeInteger(1 as UInt8, .bigEndian)
            _ = writer.writeRun(byteCount: byteCount)
            writer.writeBytes([UInt8](repeating: 2, count: 7))
        }
        _ = output.finalize(for: buffer)
        let zeros = [UInt8](repeating: 0, count: byteCount)
        #expect([UInt8](buffer) == [1] + zeros + [UInt8](repeating: 2, count: 7) + [0xAA])
    }

    @Test(arguments: [(0, false), (1, true)] as [(UInt8, Bool)])
    func `a bool is 0 or 1`(byte: UInt8, value: Bool) throws {
        let reading = Reading([byte]) { reader throws(CodecError) in try reader.readBoolean() }
        #expect(try reading.value == value)
    }

    @Test(arguments: [2, 0x80, 0xFF] as [UInt8])
    func `a bool of any other value is refused`(byte: UInt8) {
        let reading = Reading([0, byte], range: 1..<2) { reader throws(CodecError) in try reader.readBoolean() }
        #expect(reading.error == CodecError(.invalidBoolean(byte), offset: 1))
        #expect(reading.offset == 1)
    }

    @Test func `single fields are written with the same bytes as in runs`() {
        let bytes = [UInt8](byteCount: 19) { writer in
            writer.writeBoolean(true)
            writer.writeUnsigned24(0x010203, .bigEndian)
            writer.writeSigned24(-2, .littleEndian)
            writer.writeFloat32(1, .bigEndian)
            writer.writeFloat64(-2, .littleEndian)
        }
        #expect(Hexadecimal.text(of: bytes) == "01010203feffff3f80000000000000000000c0")
    }

    @Test func `fields are read at odd addresses`() throws {
        let bytes = try Hexadecimal.bytes(of: "ff 0102030405060708")
        let reading = Reading(bytes, range: 1..<9) { reader throws(CodecError) in
            try reader.readInteger(as: UInt64.self, .bigEndian)
        }
        #expect(try reading.value == 0x0102_0304_0506_0708)
        #expect(reading.offset == 9)
    }

    @Test(arguments: [ByteOrder.bigEndian, .littleEndian])
    func `integers are read and written in bulk`(byteOrder: ByteOrder) throws {
        let values: [UInt32] = [0, 1, 0xFFFF_FFFF, 0x0102_0304]
        let bytes = [UInt8](byteCount: 16) { $0.writeIntegers(values, byteOrder) }
        var item = -1
        let reading = Reading(bytes) { reader throws(CodecError) in
            try reader.readIntegers(count: 4, as: UInt32.self, byteOrder, item: &item)
        }
        #expect(try reading.value == values)
        #expect(item == -1)
    }

    @Test(arguments: [3, 0xFFFF, Int.max])
    func `a list whose count exceeds its bytes is refused with the index of the truncated item`(count: Int) {
        var item = -1
        let reading = Reading([UInt8](repeating: 7, count: 10)) { reader throws(CodecError) in
            try reader.readIntegers(count: count, as: UInt32.self, .bigEndian, item: &item)
        }
        #expect(reading.error == CodecError(.truncated(needed: 4, available: 2), offset: 8))
        #expect(item == 2)
        #expect(reading.offset == 0)
    }

    @Test func `the error for a truncated run names the field`() {
        let reading = Reading([UInt8](repeating: 0, count: 6)) { reader throws(CodecError) in
            try reader.readRun(byteCount: 7).integer(at: 0, as: UInt8.self, .bigEndian)
        }
        let error = reading.error?.located(in: "Cs_20001", fields: "SceneId 1 Line 4 message 2", at: 0)
        #expect(error == CodecError(.truncated(needed: 2, available: 1), offset: 5, path: "Cs_20001.message"))
    }

    @Test func `structures nest only as deeply as the limit allows`() {
        let reading = Reading([], maximumDepth: 2) { reader throws(CodecError) in
            try reader.enterStructure()
            try reader.enterStructure()
            reader.leaveStructure()
            try reader.enterStructure()
            try reader.enterStructure()
        }
        #expect(reading.error == CodecError(.tooDeep(limit: 2), offset: 0))
    }

    @Test func `a sized structure ends where its size says, and leaving it skips what was not read`() throws {
        let reading = Reading([1, 2, 3, 4, 5]) { reader throws(CodecError) in
            let body = try reader.enterSizedBody(byteCount: 3)
            let first = try reader.readInteger(as: UInt8.self, .bigEndian)
            let left = reader.remaining
            reader.leaveSizedBody(body)
            return [Int(first), left, reader.offset, reader.remaining]
        }
        #expect(try reading.value == [1, 2, 3, 2])
    }

    @Test(arguments: [3, .max, -1, .min])
    func `a body size that is negative, or larger than the bytes left, is refused`(byteCount: Int) {
        let reading = Reading([1, 2]) { reader throws(CodecError) in
            _ = try reader.enterSizedBody(byteCount: byteCount)
        }
        #expect(reading.error == CodecError(.truncated(needed: byteCount, available: 2), offset: 0))
    }

    @Test func `reading or writing far outside a run stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let bytes: [UInt8] = [1, 2, 3, 4]
            var reader = ByteReader(bytes.span.bytes)
            _ = try reader.readRun(byteCount: 4).integer(at: .max - 3, as: UInt64.self, .bigEndian)
        }
        await #expect(processExitsWith: .failure) {
            _ = [UInt8](byteCount: 4) { writer in
                var run = writer.writeRun(byteCount: 4)
                run.setInteger(0 as UInt64, at: .max - 3, .bigEndian)
            }
        }
    }

    private func write(_ value: Int128, _ format: IntegerFormat, _ byteOrder: ByteOrder) -> [UInt8] {
        [UInt8](byteCount: format.byteCount) { $0.writeNumber(value, format, byteOrder) }
    }

    private func read(_ bytes: [UInt8], _ format: IntegerFormat, _ byteOrder: ByteOrder) throws -> Int128 {
        try Reading(bytes) { reader throws(CodecError) in try reader.readNumber(format, byteOrder) }.value
    }
}
