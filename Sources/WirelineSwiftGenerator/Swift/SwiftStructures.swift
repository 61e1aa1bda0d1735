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
    func write(_ message: MessageDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        let body = body(of: message)
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

    private func body(of message: MessageDescription) -> SwiftBody {
        let fields = SwiftField.all(message.fields, types, reserved: Self.members.union(Self.messageMembers))
        let keeps = types.description.options.keepsTrailingBytes && message.fields.last?.type.goesToEnd != true
        var body = SwiftBody(types: types, fields: fields, name: message.name, keepsTrailingBytes: keeps)
        body.requiresEnd = !types.description.options.keepsTrailingBytes && message.fields.last?.type.goesToEnd != true
        return body
    }

    /// Writes a structure.
    func write(
        _ structure: StructureDescription, at index: Int, as name: SwiftTypeName, to source: inout SwiftSource
    ) {
        var body = body(of: structure)
        body.sizePrefix = structure.sizePrefix.map { ($0, structure.byteOrder) }
        body.countsDepth = types.depthCounting.contains(index)
        body.access = "internal"
        source.documentation(structure.documentation)
        source.block("public struct \(SwiftIdentifier.quoted(name.declared)): Swift::Equatable, Swift::Sendable") {
            source in
            body.writeProperties(to: &source)
            body.writeInitializer(to: &source)
            if types.zeroNeeding.contains(index), !body.fields.isEmpty { writeZero(body.fields, to: &source) }
            body.writeReading(to: &source)
            source.blank()
            body.writeSizing("payloadByteCount", to: &source)
            source.blank()
            body.writeWriting(to: &source)
        }
    }

    private func body(of structure: StructureDescription) -> SwiftBody {
        let fields = SwiftField.all(structure.fields, types, reserved: Self.members.union(Self.structureMembers))
        return SwiftBody(types: types, fields: fields, name: "", keepsTrailingBytes: false)
    }

    /// Writes how a message prints.
    func writePrinting(of message: MessageDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        body(of: message).writePrinting(of: name.reference, to: &source)
    }

    /// Writes how a structure prints.
    func writePrinting(of structure: StructureDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        body(of: structure).writePrinting(of: name.reference, to: &source)
    }

    /// Whether the structure's public part uses the codec.
    func usesCodecInPublic(_ structure: StructureDescription) -> Bool { !body(of: structure).hasDescription }

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
