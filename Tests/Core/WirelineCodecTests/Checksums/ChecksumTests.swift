// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

struct ChecksumTests {
    /// The check values of the catalogue of parametrised CRC algorithms (RevEng), and of zlib.
    static let checkValues: [(ChecksumKind, UInt32)] = [
        (.crc32, 0xCBF4_3926), (.crc32c, 0xE306_9283), (.crc16ARC, 0xBB3D), (.crc16Modbus, 0x4B37),
        (.crc16CCITTFalse, 0x29B1), (.crc16XMODEM, 0x31C3), (.crc16KERMIT, 0x2189), (.crc16X25, 0x906E),
        (.adler32, 0x091E_01DE), (.sum8, 0xDD), (.xor8, 0x31),
    ]

    @Test(arguments: checkValues)
    func `the digits 1 to 9 have the catalogue's check value`(kind: ChecksumKind, value: UInt32) {
        #expect(kind.checksum(of: Array("123456789".utf8).span.bytes) == value)
    }

    @Test func `each kind has a check value`() {
        #expect(Self.checkValues.map(\.0) == ChecksumKind.allCases)
    }

    /// Computed with zlib, and bit by bit with RevEng's parameters.
    @Test(
        arguments: [
            (.crc32, 0), (.crc32c, 0), (.crc16ARC, 0), (.crc16Modbus, 0xFFFF), (.crc16CCITTFalse, 0xFFFF),
            (.crc16XMODEM, 0),
            (.crc16KERMIT, 0), (.crc16X25, 0), (.adler32, 1), (.sum8, 0), (.xor8, 0),
        ] as [(ChecksumKind, UInt32)])
    func `no bytes have the checksum that the algorithm starts with`(kind: ChecksumKind, value: UInt32) {
        #expect(kind.checksum(of: [UInt8]().span.bytes) == value)
        #expect(Checksum(kind).value == value)
    }

    @Test(arguments: [("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43)] as [(String, UInt32)])
    func `CRC-32 equals zlib's`(text: String, checksum: UInt32) {
        #expect(CRC32.checksum(of: Array(text.utf8).span.bytes) == checksum)
    }

    /// zlib.adler32(b"\\xff" * 100000) is 149A302C: sums of 32 bits would overflow without remainders in between.
    @Test func `Adler-32 of many large bytes equals zlib's`() {
        #expect(ChecksumKind.adler32.checksum(of: [UInt8](repeating: 0xFF, count: 100_000).span.bytes) == 0x149A_302C)
    }

    @Test(arguments: ChecksumKind.allCases)
    func `pieces and zeros have the checksum of the whole`(kind: ChecksumKind) {
        var random = SeededGenerator.forThisRun()
        let first = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
        let last = (0..<6000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let zeros = [UInt8](repeating: 0, count: 9)
        var checksum = Checksum(kind)
        checksum.append(first.span.bytes)
        checksum.append(zeros: 9)
        checksum.append(last.span.bytes)
        #expect(checksum.value == kind.checksum(of: (first + zeros + last).span.bytes), random.seedComment)
        #expect(UInt64(checksum.value) < 1 << UInt64(8 * kind.byteCount))
    }
}
