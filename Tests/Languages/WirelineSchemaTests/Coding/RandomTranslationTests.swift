// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Random protocols with random messages: written messages are read back, and broken packets are refused.
struct RandomTranslationTests {
    @Test func `random messages are read back unchanged`() {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        var lost: [JSONValue] = []
        for _ in 0..<Depth.rounds(20) {
            var maker = RandomProtocol(random: random)
            let translator = PacketTranslator(maker.description)
            for _ in 0..<5 {
                let fields = maker.fields()
                if !translator.keeps(fields, header: maker.headerLine) { lost.append(fields) }
            }
            random = maker.random
        }
        #expect(lost == [], seed)
    }

    @Test func `random faults are refused, or read and written back unchanged`() {
        var random = SeededGenerator.forThisRun()
        let seed = random.seedComment
        var changed: [String] = []
        for _ in 0..<Depth.rounds(20) {
            var maker = RandomProtocol(random: random)
            let translator = PayloadTranslator(maker.description)
            let (fields, header) = (maker.fields(), maker.header)
            random = maker.random
            guard let payload = try? translator.translator.encodePayload(message: "M", fields: fields, header: header)
            else {
                changed.append(fields.description)
                continue
            }
            for _ in 0..<20 {
                let broken = payload.broken(using: &random)
                guard let line = try? translator.decodeLine(broken, header: header) else { continue }
                guard case .object(let members)? = line["fields"] else { continue }
                let trailing = line["trailing"].map { bytes("\($0)".filter { $0 != "\"" }) } ?? []
                let written = try? translator.translator.encodePayload(
                    message: "M", fields: .object(members), trailing: trailing, header: header)
                // Absent `@since` fields are written with their defaults, so that the result can be longer; it must
                // then read as the same fields.
                guard let written, let again = try? translator.decodeLine(written, header: header),
                    again["fields"] == line["fields"]
                else {
                    changed.append(Hexadecimal.text(of: broken))
                    continue
                }
            }
        }
        #expect(changed == [], seed)
    }
}

extension PacketTranslator {
    /// Whether fields come back from a packet and from the text of its line, and the packet from its line.
    fileprivate func keeps(_ fields: JSONValue, header: JSONValue) -> Bool {
        guard let packet = try? encode(message: "M", json: fields, header: header),
            let line = try? decode(packet.span.bytes, from: .client)
        else { return false }
        let again = try? JSONValue(parsing: line.description, maximumDepth: maximumJSONDepth)
        return line["fields"] == fields && again == line && (try? encode(line: line)) == packet
    }
}

extension [UInt8] {
    /// The bytes with one of them changed, or truncated, or with more bytes after them.
    fileprivate func broken(using random: inout SeededGenerator) -> [UInt8] {
        var result = self
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            result.removeLast(Int.random(in: 0...count, using: &random))
        case 1:
            result += (0..<Int.random(in: 1...8, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        default:
            guard let index = indices.randomElement(using: &random) else { break }
            result[index] = .random(in: 0...255, using: &random)
        }
        return result
    }
}
