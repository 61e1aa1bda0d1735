// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// The faults of the code printed in seeds 003 and 004, and each conversion of 003.
struct SeedFaultTests {
    @Test(arguments: [256, 257, 65_536, 16_843_008, 0xFFFF_FFFE, 255] as [UInt32])
    func `003: a uint32 over 255 is read from all four of its bytes`(value: UInt32) throws {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        let reading = Reading(bytes) { reader throws(CodecError) in
            try reader.readInteger(as: UInt32.self, .bigEndian)
        }
        #expect(try reading.value == value)
    }

    @Test(arguments: 0..<4)
    func `003: a uint32 is not read from fewer bytes than it has`(byteCount: Int) {
        let reading = Reading([UInt8](repeating: 1, count: byteCount)) { reader throws(CodecError) in
            try reader.readInteger(as: UInt32.self, .bigEndian)
        }
        #expect(reading.error == CodecError(.truncated(needed: 4, available: byteCount), offset: 0))
    }

    @Test func `003: a string's length of 65,536 is refused and does not wrap around`() {
        #expect(throws: CodecError(.tooLong(count: 65_536, limit: 65_535))) {
            try FieldCheck.count(65_536, limit: CountFormat.uint16.maximum)
        }
    }

    @Test func `003: a failed assertion of bytesFromValue is an error here`() {
        let range = IntegerFormat.uint24.range
        #expect(throws: CodecError(.outOfRange(value: 16_777_216, minimum: 0, maximum: 16_777_215))) {
            try FieldCheck.range(UInt32(16_777_216), UInt32(range.lowerBound), UInt32(range.upperBound))
        }
    }

    /// `byteFromUInt8:`, `bytesFromUInt16:`, `bytesFromUInt32:`, `bytesFromUInt64:` and their inverses.
    @Test(
        arguments: [
            (.uint8, 0xA5, "a5"), (.uint16, 0x4E21, "4e21"), (.uint32, 0x0001_1170, "00011170"),
            (.uint64, 0x0102_0304_0506_0708, "0102030405060708"),
        ] as [(IntegerFormat, Int128, String)])
    func `003: integers are written as big-endian bytes and read back`(
        format: IntegerFormat, value: Int128, hex: String
    ) throws {
        let bytes = [UInt8](byteCount: format.byteCount) { $0.writeNumber(value, format, .bigEndian) }
        #expect(Hexadecimal.text(of: bytes) == hex)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readNumber(format, .bigEndian) }
        #expect(try reading.value == value)
    }

    /// `bytesFromValue:byteCount:reverse:` and `valueFromBytes:reverse:`: 1 to 4 bytes in either order.
    @Test(
        arguments: [
            (.uint24, .bigEndian, "010203"), (.uint24, .littleEndian, "030201"), (.uint16, .littleEndian, "0302"),
        ] as [(IntegerFormat, ByteOrder, String)])
    func `003: a value has the chosen number of bytes in either byte order`(
        format: IntegerFormat, byteOrder: ByteOrder, hex: String
    ) throws {
        let value: Int128 = 0x010203
        let bytes = [UInt8](byteCount: format.byteCount) { $0.writeNumber(value, format, byteOrder) }
        #expect(Hexadecimal.text(of: bytes) == hex)
        let reading = Reading(bytes) { reader throws(CodecError) in try reader.readNumber(format, byteOrder) }
        #expect(try reading.value == value & (1 << (8 * Int128(format.byteCount)) - 1))
    }

    /// 003 made big-endian bytes with `dataWithReverse:`. Here each call names the byte order.
    @Test func `003: reading in the other byte order replaces reversing the bytes`() throws {
        let bytes: [UInt8] = [1, 2, 3, 4]
        let reading = Reading(bytes) { reader throws(CodecError) in
            try reader.readInteger(as: UInt32.self, .littleEndian)
        }
        #expect(try reading.value == 0x0403_0201)
    }

    /// `dataFromHexString:`, `hexStringFromData:`, and the two conversions of ASCII to hex and back.
    @Test func `003: hexadecimal text is written and read, and invalid text is refused`() throws {
        #expect(Hexadecimal.text(of: Array("hi".utf8)) == "6869")
        #expect(try Hexadecimal.bytes(of: "6869") == Array("hi".utf8))
        #expect(throws: CodecError(.invalidHex, offset: 0)) { try Hexadecimal.bytes(of: "xy") }
        #expect(throws: CodecError(.invalidHex, offset: 3)) { try Hexadecimal.bytes(of: "686") }
        #expect(Hexadecimal.text(of: []).isEmpty)
    }

    @Test func `004: version and operation are big-endian and the version is the integer 1`() throws {
        let payload: [UInt8] = []
        let bytes = try PacketLayout.qsiop.encode(id: 2, payload: payload.span.bytes)
        #expect(Hexadecimal.text(of: bytes) == "000100020000")
        let packet = try Packet(bytes.span.bytes, layout: .qsiop)
        let header = try PacketLayout.qsiop.header(of: packet)
        #expect(header == ["ver": 1, "op": 2, "propl": 0])
    }

    @Test func `004: a prop of 65,536 bytes is refused and does not wrap around`() {
        let payload = [UInt8](repeating: 0x61, count: 65_536)
        #expect(throws: CodecError.self) { try PacketLayout.qsiop.encode(id: 2, payload: payload.span.bytes) }
        let most = [UInt8](repeating: 0x61, count: 65_535)
        #expect(throws: Never.self) { try PacketLayout.qsiop.encode(id: 2, payload: most.span.bytes) }
    }

    // PropertiesTests has the faults of splitting a prop, the WebSocket tests have those of masking and handshakes.
}
