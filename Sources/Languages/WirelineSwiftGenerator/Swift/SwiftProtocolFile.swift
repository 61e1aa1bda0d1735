// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the protocol's type, with its layout, its limits and its list of messages.
struct SwiftProtocolFile {
    let types: SwiftTypes
    private var description: ProtocolDescription { types.description }
    private var naming: SwiftNaming { types.naming }

    init(_ types: SwiftTypes) {
        self.types = types
    }

    func write(to source: inout SwiftSource) {
        let fallback = "The protocol `\(description.name)`."
        source.documentation(description.documentation.isEmpty ? fallback : description.documentation)
        source.block("public enum \(naming.protocolName): WirelineCodec::PacketProtocol") { source in
            source.line("public static var protocolName: Swift::String { \(SwiftText.literal(description.name)) }")
            source.blank()
            writeLayout(to: &source)
            let limit = SwiftText.number(description.options.maximumPacketByteCount)
            source.blank()
            source.line("@inlinable public static var maximumPacketByteCount: Swift::Int { \(limit) }")
            let depth = SwiftText.number(description.options.maximumDepth)
            source.line("@inlinable public static var maximumDepth: Swift::Int { \(depth) }")
            writeConstants(to: &source)
        }
        source.blank()
        SwiftStates(types).write(to: &source)
        SwiftIncomingMessages(types).write(to: &source)
        source.blank()
        source.exceptInEmbedded { writeRegistry(to: &$0) }
    }

    // MARK: Layout

    private func writeLayout(to source: inout SwiftSource) {
        let layout = description.layout
        let presets: [(PacketLayout, String)] = [
            (.standard, "standard"), (.qsiop, "qsiop"), (.erlangPacket1, "erlangPacket1"),
            (.erlangPacket2, "erlangPacket2"), (.erlangPacket4, "erlangPacket4"),
        ]
        if let (_, name) = presets.first(where: { $0.0 == layout }) {
            source.line("public static var layout: WirelineCodec::PacketLayout { WirelineCodec::PacketLayout.\(name) }")
        } else {
            source.open("public static let layout = WirelineCodec::PacketLayout(")
            if let framing = layout.framing { source.line("generatedFraming: \(text(framing)),") }
            if layout.hasStates {
                source.line("states: [\(layout.states.map(text).joined(separator: ", "))],")
                let changes = layout.stateChanges.map(text).joined(separator: ", ")
                if !changes.isEmpty { source.line("stateChanges: [\(changes)],") }
            }
            source.line("generatedHeader: [\(layout.header.map(text).joined(separator: ", "))],")
            if !layout.content.isPlain {
                source.line("content: \(SwiftContent(layout.content, condition: text).text),")
            }
            source.line("trailer: [\(layout.trailer.map(text).joined(separator: ", "))])")
            source.close()
        }
        let plan = layout.plan
        guard plan.canReadAtOnce || plan.canWriteAtOnce else { return }
        source.blank()
        source.block("@inlinable public static var plan: WirelineCodec::PacketPlan") { source in
            source.open("WirelineCodec::PacketPlan(")
            for line in lines(of: plan) { source.line(line) }
            source.close()
        }
    }

    private func text(_ framing: PacketFraming) -> String {
        let escapes = framing.escapes.map { ".init(\($0.byte), as: \($0.first), \($0.second))" }
        return "WirelineCodec::PacketFraming(start: \(framing.start), end: \(framing.end), "
            + "escapes: [\(escapes.joined(separator: ", "))])"
    }

    private func text(_ state: PacketState) -> String {
        "WirelineCodec::PacketState(\(SwiftText.literal(state.name)), \(text(state.format)))"
    }

    private func text(_ change: PacketStateChange) -> String {
        "WirelineCodec::PacketStateChange(messageID: \(change.messageID), from: .\(change.sender), "
            + "sets: \(SwiftText.literal(change.state)), to: \(change.value))"
    }

    private func lines(of plan: PacketPlan) -> [String] {
        [
            "headerByteCount: \(plan.headerByteCount), trailerByteCount: \(plan.trailerByteCount),",
            "leastPacketByteCount: \(plan.leastPacketByteCount), mostPacketByteCount: \(SwiftText.int(plan.mostPacketByteCount)),",
            "canReadAtOnce: \(plan.canReadAtOnce), windowOffset: \(plan.windowOffset),",
            "windowByteOrder: \(plan.windowByteOrder.swiftCase), length: \(text(plan.length)),",
            "lengthToPacket: \(plan.lengthToPacket), messageID: \(text(plan.messageID)),",
            "canWriteAtOnce: \(plan.canWriteAtOnce), template: \(plan.template),",
            "firstLength: \(text(plan.firstLength)), secondLength: \(text(plan.secondLength)),",
            "messageIDShift: \(plan.messageIDShift), mostMessageID: \(plan.mostMessageID))",
        ]
    }

    private func text(_ plan: NumberPlan) -> String { ".init(shift: \(plan.shift), mask: \(plan.mask))" }

    private func text(_ plan: PatchPlan) -> String {
        ".init(shift: \(plan.shift), packetToLength: \(plan.packetToLength))"
    }

    private func text(_ field: PacketField) -> String {
        let format =
            switch field.format {
            case .integer(let format, let order): ".integer(\(text(format)), \(order.swiftCase))"
            case .boolean: ".boolean"
            case .bit: ".bit"
            case .varint(let format): ".\(format.swiftText)"
            case .text(let byteCount, let padding): ".text(byteCount: \(byteCount), padding: \(padding))"
            case .digits(let format): ".\(format.notation.word)(byteCount: \(format.byteCount))"
            case .bytes(let byteCount): ".bytes(byteCount: \(byteCount))"
            }
        let role =
            switch field.role {
            case .value(let value): ".value(default: \(SwiftText.literal(value)))"
            case .length(let base, let constant): ".length(of: .\(base), plus: \(constant))"
            case .contentLength(let constant): ".contentLength(plus: \(constant))"
            case .messageID: ".messageID"
            case .constant(let value): ".constant(\(SwiftText.literal(value)))"
            case .sequence: ".sequence"
            case .padding: ".padding"
            case .fitting(let values): ".fitting([\(values.map(String.init).joined(separator: ", "))])"
            case .checksum(let checksum): text(checksum)
            }
        let condition = field.condition.map { ", if: \(text($0))" } ?? ""
        let failure = field.failure.map { ", failure: \($0)" } ?? ""
        return "WirelineCodec::PacketField(\(SwiftText.literal(field.name)), \(format), \(role)\(failure)\(condition))"
    }

    private func text(_ condition: WireCondition) -> String {
        func text(_ operand: WireCondition.Operand) -> String {
            switch operand {
            case .field(let name): ".field(\(SwiftText.literal(name)))"
            case .header(let name): ".header(\(SwiftText.literal(name)))"
            case .sender: ".sender"
            case .nested: ".nested"
            case .state(let name): ".state(\(SwiftText.literal(name)))"
            }
        }
        switch condition {
        case .isSet(let operand): return ".isSet(\(text(operand)))"
        case .compares(let operand, let comparison, let number):
            return ".compares(\(text(operand)), .\(comparison), \(number))"
        case .not(let inner): return ".not(\(self.text(inner)))"
        case .and(let left, let right): return ".and(\(self.text(left)), \(self.text(right)))"
        case .or(let left, let right): return ".or(\(self.text(left)), \(self.text(right)))"
        }
    }

    private func text(_ format: IntegerFormat) -> String {
        IntegerFormat.allCases.contains(format)
            ? ".\(format.name)" : ".init(bitWidth: \(format.bitWidth), isSigned: \(format.isSigned))"
    }

    private func text(_ checksum: PacketChecksum) -> String {
        let kind = ".\(checksum.kind)"
        func text(_ part: PacketChecksum.Part) -> String {
            switch part {
            case .payload: ".payload"
            case .field(let name): ".field(\(SwiftText.literal(name)))"
            }
        }
        switch checksum.range {
        case .payload where checksum.kind == .crc32: return ".checksum"
        case .payload: return ".checksum(.init(\(kind)))"
        case .rest: return ".checksum(.init(\(kind), of: .rest))"
        case .parts(let first, let last):
            return ".checksum(.init(\(kind), of: .parts(\(text(first)), through: \(text(last)))))"
        }
    }

    // MARK: Constants

    private func writeConstants(to source: inout SwiftSource) {
        let nested = (naming.messages + naming.structures + naming.unions + naming.enumerations + naming.flagSets)
            .compactMap { $0.scope == nil ? nil : $0.declared }
        let names = SwiftIdentifier.members(
            description.constants.map { SwiftWords.lowerCamel($0.name, fallback: "value") },
            reserved: SwiftNaming.protocolMembers.union(nested))
        for (constant, name) in zip(description.constants, names) {
            source.blank()
            source.documentation(constant.documentation)
            let value = SwiftText.number(constant.value)
            source.line(
                "@inlinable public static var \(SwiftIdentifier.quoted(name)): \(constant.format.swiftType) { \(value) }"
            )
        }
    }

    // MARK: Registry

    /// Writes the list of messages as a function outside the type.
    ///
    /// Inside the type, the name of a message called `layout` would mean the member.
    private func writeRegistry(to source: inout SwiftSource) {
        let (name, sender) = naming.registry
        let result = "[any WirelineCodec::PacketMessage.Type]"
        source.block("extension \(naming.protocolName)") { source in
            source.block("public static func messageTypes(from sender: WirelineCodec::Sender) -> \(result)") {
                $0.line("\(name)(\(sender): sender)")
            }
        }
        source.blank()
        source.block("private func \(name)(\(sender): WirelineCodec::Sender) -> \(result)") { source in
            source.line("switch \(sender) {")
            for side in Sender.allCases {
                source.line("case .\(side.rawValue):")
                source.open("    [")
                for (_, name) in naming.messages(of: description, from: side) {
                    source.line("    \(name.reference).self,")
                }
                source.close("    ]")
            }
            source.line("}")
        }
    }
}
