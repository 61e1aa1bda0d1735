// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The random layouts of tests are packets that a schema can declare.
struct RandomLayoutTests {
    @Test func `the language accepts every random layout`() throws {
        var random = SeededGenerator.forThisRun()
        let refused = (0..<Depth.rounds(150)).compactMap { number -> String? in
            let layout: PacketLayout =
                switch number % 3 {
                case 0: .random(using: &random)
                case 1: .randomBySender(using: &random)
                default: .randomInStates(using: &random)
                }
            let text = "option max_packet = 16777216;\n" + layout.schema
            let file = SourceFile(path: "Random/a.wire", bytes: Array(text.utf8))
            let result = ProtocolDescription.check(name: "Random", files: [file])
            return result.description == nil ? result.renderedDiagnostics() + text : nil
        }
        #expect(refused.prefix(2) == [], random.seedComment)
    }
}

extension PacketLayout {
    /// The `packet` of a schema with this layout. A field whose number is chosen to fit the packet is a number here, because a schema
    /// says that with an enum.
    fileprivate var schema: String {
        let states = states.map { "state \($0.format.name) \($0.name);" }
        let lines = states + header.map(\.schema) + ["payload;"] + trailer.map(\.schema)
        return "packet {\n" + lines.map { "    \($0)\n" }.joined() + "}\n"
    }
}

extension PacketField {
    fileprivate var schema: String {
        if role == .padding { return "padding \(format.byteCount ?? 0);" }
        let test = condition.map { "@if(\($0.schema)) " } ?? ""
        return "\(test)\(attribute)\(type) \(name);"
    }

    private var attribute: String {
        switch role {
        case .length(let base, let constant):
            let difference = constant == 0 ? "" : constant < 0 ? " - \(-constant)" : " + \(constant)"
            return "@length(\(base)\(difference)) "
        case .messageID: return "@id "
        case .sequence: return "@sequence "
        case .constant(let value): return "@constant(\(text(of: value))) "
        case .value(.text(let text)): return "@default(\"\(text)\") "
        case .value(let value) where format.isNumber: return "@default(\(text(of: value))) "
        case .checksum(let checksum): return "@checksum(\(checksum.schema)) "
        case .value, .fitting, .contentLength, .padding: return ""
        }
    }

    private func text(of value: PacketHeader.FieldValue) -> String {
        switch value {
        case .integer(let number):
            switch format {
            case .bit, .boolean: number == 0 ? "false" : "true"
            default: "\(number)"
            }
        case .text(let text): "\"\(text)\""
        case .bytes: ""
        }
    }

    private var type: String {
        switch format {
        case .integer(let format, .bigEndian): "@big \(format.name)"
        case .integer(let format, .littleEndian): "@little \(format.name)"
        case .bit: "bit"
        case .boolean: "bool"
        case .varint(let format): "@max_bytes(\(format.maximumByteCount)) \(format.encoding.name)"
        case .text(let byteCount, 0): "char[\(byteCount)]"
        case .text(let byteCount, let padding): "@pad(\(padding)) char[\(byteCount)]"
        case .digits(let format): format.name
        case .bytes(let byteCount): "@size(\(byteCount)) bytes"
        }
    }
}

extension PacketChecksum {
    fileprivate var schema: String {
        func name(_ part: Part) -> String {
            switch part {
            case .payload: "payload"
            case .field(let name): name
            }
        }
        let covered =
            switch range {
            case .payload: "payload"
            case .rest: "rest"
            case .parts(let first, let last): "\(name(first))..\(name(last))"
            }
        return "\(kind.rawValue), \(covered)"
    }
}

extension WireCondition {
    fileprivate var schema: String {
        switch self {
        case .isSet(let operand): operand.text
        case .compares(.sender, let comparison, let number):
            "sender \(comparison.rawValue) \(number == Sender.client.conditionNumber ? "client" : "server")"
        case .compares(let operand, let comparison, let number): "\(operand.text) \(comparison.rawValue) \(number)"
        case .not(let inner): "not (\(inner.schema))"
        case .and(let left, let right): "(\(left.schema)) and (\(right.schema))"
        case .or(let left, let right): "(\(left.schema)) or (\(right.schema))"
        }
    }
}
