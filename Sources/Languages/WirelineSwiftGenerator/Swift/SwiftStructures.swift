// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct SwiftStructures {
    let types: SwiftTypes
    private var replies: SwiftReplies { SwiftReplies(types: types) }

    private static let members: Set<String> = ["customMirror", "payloadByteCount", "writePayload"]
    private static let structureMembers: Set<String> = ["bodyByteCount"]
    private static let messageMembers: Set<String> = [
        "encode", "encoded", "encodedInGeneral", "encodedPayload", "encodeInGeneral", "fixedHeader", "trailingBytes",
        "writtenHeader",
    ]

    func write(_ message: MessageDescription, at index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        let body = messageBody(at: index)
        source.documentation(documentation(of: message))
        let conformances = conformances(of: message).map { "WirelineCodec::" + $0 }.joined(separator: ", ")
        source.block("public struct \(SwiftIdentifier.quoted(name.declared)): \(conformances)") { source in
            source.line("public typealias Definition = \(types.naming.protocolName)")
            replies.write(for: message, to: &source)
            source.blank()
            body.writeProperties(to: &source)
            body.writeInitializer(to: &source)
            source.line("public static var messageName: Swift::String { \(SwiftText.literal(message.name)) }")
            source.line("@inlinable public static var messageID: Swift::UInt64 { \(message.id) }")
            if types.description.layout.dependsOnContext, message.senders.count == 1, let sender = message.senders.first
            {
                source.line(
                    "@inlinable public static var packetSender: WirelineCodec::Sender? { .\(sender.rawValue) }")
            }
            if !message.headerValues.isEmpty {
                source.line("public static let fixedHeader: WirelineCodec::FixedHeader? = WirelineCodec::FixedHeader(")
                source.line("    \(fixedHeader(of: message)), of: messageID, in: Definition.layout)")
            }
            if message.looksAtHeader {
                source.line("@inlinable public static var looksAtHeader: Swift::Bool { true }")
            }
            source.blank()
            body.writeReading(to: &source)
            source.blank()
            body.writeSizing("payloadByteCount", to: &source)
            source.blank()
            body.writeWriting(to: &source)
        }
    }

    /// Returns the literal of the header fields that a message fixes.
    private func fixedHeader(of message: MessageDescription) -> String {
        let values = message.headerValues.map { item in
            let name = types.description.layout.fields[item.field].name
            return "\(SwiftText.literal(name)): \(SwiftText.literal(item.value))"
        }
        let literal = "[\(values.joined(separator: ", "))]"
        let hasOnlyNumbers = message.headerValues.allSatisfy { $0.value.text == nil }
        return hasOnlyNumbers ? literal : "WirelineCodec::PacketHeader(values: \(literal))"
    }

    private func messageBody(at index: Int) -> SwiftBody {
        let plan = types.plan.messages[index]
        let fields = SwiftField.all(plan.fields, types, reserved: Self.members.union(Self.messageMembers))
        return SwiftBody(types: types, plan: plan, fields: fields, name: types.description.messages[index].name)
    }

    func write(
        _ structure: StructureDescription, at index: Int, as name: SwiftTypeName, to source: inout SwiftSource
    ) {
        var body = structureBody(at: index)
        body.access = "internal"
        source.documentation(structure.documentation)
        source.block("public struct \(SwiftIdentifier.quoted(name.declared)): Swift::Equatable, Swift::Sendable") {
            source in
            body.writeProperties(to: &source)
            body.writeInitializer(to: &source)
            if types.plan.structuresNeedingZero.contains(index), !body.properties.isEmpty {
                writeZero(body.properties, to: &source)
            }
            body.writeReading(to: &source)
            source.blank()
            body.writeSizing("payloadByteCount", to: &source)
            source.blank()
            body.writeWriting(to: &source)
        }
    }

    private func structureBody(at index: Int) -> SwiftBody {
        let fields = Self.fields(ofStructure: index, types)
        return SwiftBody(types: types, plan: types.plan.structures[index], fields: fields, name: "")
    }

    static func fields(ofStructure index: Int, _ types: SwiftTypes) -> [SwiftField] {
        SwiftField.all(types.plan.structures[index].fields, types, reserved: members.union(structureMembers))
    }

    func writePrinting(ofMessageAt index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        messageBody(at: index).writePrinting(of: name.reference, to: &source)
    }

    func writePrinting(ofStructureAt index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        structureBody(at: index).writePrinting(of: name.reference, to: &source)
    }

    /// Whether the structure's public part uses the codec.
    func structureUsesCodecInPublic(at index: Int) -> Bool { !structureBody(at: index).hasDescription }

    private func writeZero(_ fields: [SwiftField], to source: inout SwiftSource) {
        source.documentation("Makes a value of which each part is zero, false or empty, or its own default.")
        source.block("public init()") { source in
            for field in fields {
                source.line("\(field.access) = \(zero(of: field))")
            }
        }
        source.blank()
    }

    private func zero(of field: SwiftField) -> String {
        let zero = types.value(.zero, of: field.type)
        guard field.plan.condition != nil else { return field.defaultValue ?? zero }
        return field.description.presence.isInZero ? "\(zero) as \(field.valueType)" : "nil"
    }

    private func conformances(of message: MessageDescription) -> [String] {
        var names: [String] = []
        if !message.replies.isEmpty { names.append("RequestMessage") }
        if message.senders.contains(.client) { names.append("ClientMessage") }
        if message.senders.contains(.server) { names.append("ServerMessage") }
        return names.isEmpty ? ["PacketMessage"] : names
    }

    private func documentation(of message: MessageDescription) -> String {
        let senders = Sender.allCases.filter(message.senders.contains).map { "the \($0.rawValue)" }
        var facts = "`\(message.name)`"
        if types.description.layout.hasMessageID { facts += ", ID \(message.id)" }
        if !senders.isEmpty { facts += ", sent by " + senders.joined(separator: " and ") }
        return message.documentation + (message.documentation.isEmpty ? "" : "\n\n") + facts + "."
    }
}
