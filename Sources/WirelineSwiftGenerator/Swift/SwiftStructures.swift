// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the types of messages and structures.
struct SwiftStructures {
    let types: SwiftTypes
    private var replies: SwiftReplies { SwiftReplies(types: types) }

    private static let members: Set<String> = ["customMirror", "payloadByteCount", "writePayload"]
    private static let structureMembers: Set<String> = ["bodyByteCount"]
    private static let messageMembers: Set<String> = [
        "encode", "encoded", "encodedInGeneral", "encodedPayload", "encodeInGeneral", "trailingBytes",
    ]

    /// Writes a message.
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
            source.blank()
            body.writeReading(to: &source)
            source.blank()
            body.writeSizing("payloadByteCount", to: &source)
            source.blank()
            body.writeWriting(to: &source)
        }
    }

    private func messageBody(at index: Int) -> SwiftBody {
        let plan = types.plan.messages[index]
        let fields = SwiftField.all(plan.fields, types, reserved: Self.members.union(Self.messageMembers))
        return SwiftBody(types: types, plan: plan, fields: fields, name: types.description.messages[index].name)
    }

    /// Writes a structure.
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
            if types.plan.structuresNeedingZero.contains(index), !body.fields.isEmpty {
                writeZero(body.fields, to: &source)
            }
            body.writeReading(to: &source)
            source.blank()
            body.writeSizing("payloadByteCount", to: &source)
            source.blank()
            body.writeWriting(to: &source)
        }
    }

    private func structureBody(at index: Int) -> SwiftBody {
        let plan = types.plan.structures[index]
        let fields = SwiftField.all(plan.fields, types, reserved: Self.members.union(Self.structureMembers))
        return SwiftBody(types: types, plan: plan, fields: fields, name: "")
    }

    /// Writes how a message prints.
    func writePrinting(ofMessageAt index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        messageBody(at: index).writePrinting(of: name.reference, to: &source)
    }

    /// Writes how a structure prints.
    func writePrinting(ofStructureAt index: Int, as name: SwiftTypeName, to source: inout SwiftSource) {
        structureBody(at: index).writePrinting(of: name.reference, to: &source)
    }

    /// Whether the structure's public part uses the codec.
    func structureUsesCodecInPublic(at index: Int) -> Bool { !structureBody(at: index).hasDescription }

    private func writeZero(_ fields: [SwiftField], to source: inout SwiftSource) {
        source.documentation("Makes a value of which each part is zero, false or empty, or its own default.")
        source.block("public init()") { source in
            for field in fields {
                source.line("\(field.access) = \(field.defaultValue ?? types.value(.zero, of: field.type))")
            }
        }
        source.blank()
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
