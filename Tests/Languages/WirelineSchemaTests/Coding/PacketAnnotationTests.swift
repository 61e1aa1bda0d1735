// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

struct PacketAnnotationTests {
    /// One line for each part: range, prefix, path, value.
    static func lines(_ annotation: PacketAnnotation) -> [String] {
        annotation.parts.map { part in
            let prefix = part.prefixByteCount > 0 ? "(\(part.prefixByteCount))" : ""
            let hidden = part.isSensitive ? " sensitive" : ""
            return "\(part.range)\(prefix) \(part.path) = \(part.text)\(hidden)"
        }
    }

    static func annotate(
        _ description: ProtocolDescription, _ hexadecimal: String, limit: Int = 10_000
    ) throws -> PacketAnnotation {
        let packet = try Hexadecimal.bytes(of: hexadecimal)
        return try PacketTranslator(description)
            .annotate(packet.span.bytes, preferring: .client, maximumPartCount: limit)
    }

    @Test func `the parts of a packet are its header and its fields`() throws {
        let annotation = try Self.annotate(.scene, PacketTranslatorTests.enter)
        #expect(annotation.message == "Cs_20001")
        #expect(annotation.fault == nil && annotation.omittedPartCount == 0)
        #expect(
            Self.lines(annotation) == [
                "0..<4 length = 19", "4..<6 id = 20001", "6..<7 SceneId = 7", "7..<11 Line = 2",
                #"11..<19(2) message = "你好""#,
            ])
        #expect(annotation.parts.map(\.kind) == [.header, .header, .field, .field, .field])
    }

    @Test func `a trailer comes after the fields`() throws {
        let annotation = try Self.annotate(PacketTranslatorTests.everything, PacketTranslatorTests.ping)
        #expect(
            Self.lines(annotation) == [
                "0..<2 magic = 51966", "2..<4 length = 18", "4..<5 urgent = false", "5..<6 version = -1",
                "6..<7 service = 1", "7..<8 command = 2", "8..<16 sequence = 0", "16..<17 n = 49",
                "17..<21 crc = 2212294583", "21..<22 end = 126",
            ])
    }

    static let nested: ProtocolDescription = {
        var result = ProtocolDescription.only([
            .init("items", .list(.structure(0))),
            .init("name", .string(.counted(.varint, .bigEndian))),
            .init("secret", .structure(1)),
        ]) { result in
            result.structures = [
                StructureDescription("Item", sized: .uint8, [.init("id", .uint16)]),
                StructureDescription("Secret", [.init("keys", .fixedList(.uint8, count: 2))]),
            ]
        }
        result.messages[0].fields[2].isSensitive = true
        return result
    }()

    @Test func `lists, sized structures, unknown bytes and sensitive fields have parts of their own`() throws {
        let packet = "00000016 0001 0002 02 0005 03 0006 ff 02 6869 01 02 dead"
        let annotation = try Self.annotate(Self.nested, packet)
        #expect(
            Self.lines(annotation).dropFirst(2) == [
                "6..<8 items = 2 items", "8..<9 items[0] = 2 bytes", "9..<11 items[0].id = 5",
                "11..<12 items[1] = 3 bytes", "12..<14 items[1].id = 6", "14..<15 items[1] = 1 byte",
                #"15..<18(1) name = "hi""#, "18..<19 secret.keys[0] = 1 sensitive",
                "19..<20 secret.keys[1] = 2 sensitive", "20..<22 trailing = 2 bytes",
            ])
    }

    @Test func `the part of an unknown message is its payload`() throws {
        let annotation = try Self.annotate(.scene, "00000008 0009 beef")
        #expect(annotation.message == nil)
        #expect(Self.lines(annotation).last == "6..<8 payload = 2 bytes")
        #expect(try Self.annotate(.scene, "00000006 0009").parts.count == 2)
    }

    @Test func `the parts before a fault are kept`() throws {
        let annotation = try Self.annotate(.scene, "0000000a 4e21 07 000000")
        #expect(Self.lines(annotation).last == "6..<7 SceneId = 7")
        #expect(annotation.fault?.description == "Cs_20001.Line: needs 4 bytes at offset 7, 3 are left")
    }

    @Test(arguments: 0...6)
    func `the number of parts stays within the limit`(_ limit: Int) throws {
        let annotation = try Self.annotate(.scene, PacketTranslatorTests.enter, limit: limit)
        #expect(annotation.parts.count == min(5, limit))
        #expect(annotation.omittedPartCount == 5 - min(5, limit))
    }

    @Test func `bytes that are not a packet are refused`() {
        #expect(throws: CodecError.self) { try Self.annotate(.scene, "00000005 4e21") }
    }

    @Test func `the parts of random packets cover every byte, and faults equal those of decoding`() {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        var wrong: [String] = []
        for _ in 0..<Depth.rounds(15) {
            var maker = RandomProtocol(random: random)
            let translator = PacketTranslator(maker.description)
            let (fields, header) = (maker.fields(), maker.headerLine)
            random = maker.random
            guard let whole = try? translator.encode(message: "M", json: fields, header: header),
                var packet = try? maker.description.layout.unframed(whole)
            else {
                wrong.append(fields.description)
                continue
            }
            if !translator.annotatesAll(packet) { wrong.append(Hexadecimal.text(of: packet)) }
            guard packet.count > 6 else { continue }
            packet[Int.random(in: 6..<packet.count, using: &random)] = .random(in: 0...255, using: &random)
            if !translator.annotatesAll(packet) { wrong.append(Hexadecimal.text(of: packet)) }
        }
        #expect(wrong == [], seed)
    }
}

extension PacketTranslator {
    /// Whether the parts follow one another without a gap, up to the end or to a fault that decoding reports, too.
    fileprivate func annotatesAll(_ packet: [UInt8]) -> Bool {
        let whole = description.layout.framed(packet)
        guard let annotation = try? annotate(whole.span.bytes, preferring: .client) else { return false }
        var fault: CodecError?
        do throws(CodecError) { _ = try decode(whole.span.bytes, from: .client) } catch { fault = error }
        var end = 0
        var run = 0..<0
        for part in annotation.parts {
            // Fields that share bytes have the same ones.
            if let bits = part.bits, !bits.beginsRun {
                guard part.range == run else { return false }
                continue
            }
            guard part.range.lowerBound == end else { return false }
            (run, end) = (part.range, part.range.upperBound)
        }
        return annotation.fault == fault && (fault != nil || end == packet.count)
    }
}
