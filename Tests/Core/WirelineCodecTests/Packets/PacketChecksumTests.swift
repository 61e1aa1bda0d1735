// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

struct PacketChecksumTests {
    private static func field(
        _ name: String, _ format: IntegerFormat, _ kind: ChecksumKind, _ range: PacketChecksum.Range = .payload,
        _ byteOrder: ByteOrder = .bigEndian
    ) -> PacketField {
        PacketField(name, .integer(format, byteOrder), .checksum(PacketChecksum(kind, of: range)))
    }

    private static let length = PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0))
    private static let varint = PacketField("length", .varint(maximumByteCount: 2), .length(of: .rest, plus: 0))
    private static let id = PacketField("id", .integer(.uint8, .bigEndian), .messageID)

    private static func layout(_ header: [PacketField], _ trailer: [PacketField] = []) -> PacketLayout {
        PacketLayout(generatedHeader: header, trailer: trailer)
    }

    /// Layouts, and the packet with ID 1 and the payload 31 32 33; checksums were added up by hand.
    static let golden: [(PacketLayout, String)] = [
        // 31 ^ 32 ^ 33
        (layout([length, id, field("sum", .uint8, .xor8)]), "06" + "01" + "30" + "313233"),
        // A wider field has zeros in front, in either byte order.
        (layout([length, id, field("sum", .uint32, .sum8)]), "09" + "01" + "00000096" + "313233"),
        (
            layout([length, id, field("sum", .uint24, .sum8, .payload, .littleEndian)]),
            "08" + "01" + "960000" + "313233"
        ),
        // 05 + 01 + 00 + 31 + 32 + 33: its own byte counts as 0.
        (
            layout([length, id, field("sum", .uint8, .sum8, .parts(.field("length"), through: .payload))]),
            "06" + "01" + "9d" + "313233"
        ),
        // All that follows, and nothing.
        (layout([length, field("sum", .uint8, .sum8, .rest), id]), "06" + "97" + "01" + "313233"),
        (layout([length, id], [field("sum", .uint8, .sum8, .rest)]), "06" + "01" + "313233" + "00"),
        // The first covers the second as 0; the second covers the first.
        (
            layout([
                length, field("first", .uint8, .sum8, .rest), id,
                field("second", .uint8, .sum8, .parts(.field("first"), through: .field("second"))),
            ]), "07" + "97" + "01" + "98" + "313233"
        ),
        // A trailer, and a header of varying width.
        (
            layout([varint, id], [field("sum", .uint8, .xor8, .parts(.field("length"), through: .field("sum")))]),
            "05" + "01" + "313233" + "34"
        ),
        // Only its own bytes.
        (
            layout([length, id, field("sum", .uint8, .sum8, .parts(.field("sum"), through: .field("sum")))]),
            "060100313233"
        ),
    ]

    @Test(arguments: golden)
    func `a checksum covers its range`(layout: PacketLayout, hex: String) throws {
        let bytes = try layout.encode(id: 1, payload: Array("123".utf8).span.bytes)
        #expect(Hexadecimal.text(of: bytes) == hex)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect([UInt8](copying: packet.payload) == Array("123".utf8))
    }

    @Test(arguments: golden)
    func `a checksum that is off by one bit is found`(layout: PacketLayout, hex: String) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        for checksum in layout.checksums {
            let whole = try Packet(bytes.span.bytes, layout: layout)
            let ranges = try layout.fieldRanges(of: whole)
            let place = ranges[layout.fieldIndex(of: checksum)]
            var changed = bytes
            changed[place.lowerBound] ^= 0x40
            let reason = refusal(of: changed, layout)
            guard case .wrongChecksum? = reason else {
                Issue.record("\(String(describing: reason))")
                continue
            }
        }
    }

    private func refusal(of bytes: [UInt8], _ layout: PacketLayout) -> CodecError.Reason? {
        do throws(CodecError) {
            _ = try Packet(bytes.span.bytes, layout: layout)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            (.payload, "packet.sum: CRC-16/MODBUS 0x01 at offset 1, but the payload's is 0xFFFF"),
            (.rest, "packet.sum: CRC-16/MODBUS 0x01 at offset 1, but that of the rest is 0xFFFF"),
            (
                .parts(.payload, through: .payload),
                "packet.sum: CRC-16/MODBUS 0x01 at offset 1, but that of payload..payload is 0xFFFF"
            ),
        ] as [(PacketChecksum.Range, String)])
    func `the error tells kind, range and both values`(range: PacketChecksum.Range, text: String) {
        let layout = Self.layout([Self.length, Self.field("sum", .uint16, .crc16Modbus, range)])
        do throws(CodecError) {
            let bytes: [UInt8] = [3, 0, 1]
            _ = try Packet(bytes.span.bytes, layout: layout)
            Issue.record("a wrong checksum is accepted")
        } catch {
            #expect(error.description == text)
        }
    }

    @Test(
        arguments: [
            // The checksum is judged first, also where it covers the flawed text.
            ([5, 1, 0xFF, 0xC3, 0x28], "packet.sum: sum 0x01 at offset 1, but that of the rest is 0xEA"),
            ([5, 0xEA, 0xFF, 0xC3, 0x28], "packet.tail: not UTF-8 at offset 3: a character that breaks off"),
        ] as [([UInt8], String)])
    func `a flaw of a later field is not said of the checksum`(bytes: [UInt8], text: String) throws {
        let layout = try PacketLayout(
            header: [Self.length, Self.field("sum", .uint8, .sum8, .rest)],
            trailer: [PacketField("tail", .text(byteCount: 2, padding: 0))])
        do throws(CodecError) {
            _ = try Packet(bytes.span.bytes, layout: layout)
            Issue.record("a flawed packet is accepted")
        } catch {
            #expect(error.description == text)
        }
    }

    @Test func `a value wider than the checksum is wrong, even if its low bits are right`() {
        let layout = Self.layout([Self.length, Self.field("sum", .uint64, .sum8)])
        let bytes: [UInt8] = [10, 1, 0, 0, 0, 0, 0, 0, 0x07, 0x07]
        #expect(
            refusal(of: bytes, layout)
                == .wrongChecksum(value: 0x0100_0000_0000_0007, computed: 7, of: PacketChecksum(.sum8)))
    }

    @Test func `a checksum is written and found at any cut of a stream`() throws {
        for (layout, hex) in Self.golden {
            let bytes = try Hexadecimal.bytes(of: hex)
            let different = everyCut(of: bytes + bytes).filter { pieces in
                let splitting = Splitting(pieces, layout: layout, isFinished: true)
                return splitting.error != nil || splitting.packets.count != 2
            }
            #expect(different.isEmpty)
        }
    }
}
