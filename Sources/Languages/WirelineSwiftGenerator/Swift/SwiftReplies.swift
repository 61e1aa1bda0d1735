// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// Makes the `Reply` of a request: the name of the message that answers it, or an enum of several.
struct SwiftReplies {
    let types: SwiftTypes

    private static let members: Set<String> = ["message", "messageIDs"]

    private struct Case {
        let message: MessageDescription
        let type: String
        let name: String
    }

    /// Writes nothing if no message answers it.
    func write(for request: MessageDescription, to source: inout SwiftSource) {
        let cases = cases(of: request)
        guard let first = cases.first else { return }
        guard cases.count > 1 else { return source.line("public typealias Reply = \(first.type)") }
        source.blank()
        source.documentation("A message that answers `\(request.name)`.")
        source.block("public enum Reply: WirelineCodec::ReplyChoice") { source in
            source.line("public typealias Definition = \(types.naming.protocolName)")
            source.blank()
            for item in cases {
                source.documentation(CommentText.lines(of: item.message.documentation).first ?? "")
                source.line("case \(item.name)(\(item.type))")
            }
            source.blank()
            let ids = cases.map { "\($0.message.id)" }.joined(separator: ", ")
            source.line("public static var messageIDs: [Swift::UInt64] { [\(ids)] }")
            source.blank()
            writeReading(cases, to: &source)
            source.blank()
            source.exceptInEmbedded { source in
                source.block("public var message: any WirelineCodec::PacketMessage") { source in
                    source.line("switch self {")
                    for item in cases { source.line("case .\(item.name)(let message): message") }
                    source.line("}")
                }
            }
        }
    }

    private func cases(of request: MessageDescription) -> [Case] {
        let indices = request.replies.compactMap { types.messageIndices[$0] }
        let typeNames = indices.map { types.naming.messages[$0] }
        let names = SwiftIdentifier.members(
            typeNames.map { SwiftWords.lowerCamel($0.declared, fallback: "message") }, reserved: Self.members)
        return indices.indices.map { place in
            Case(
                message: types.description.messages[indices[place]], type: typeNames[place].reference,
                name: SwiftIdentifier.quoted(names[place]))
        }
    }

    private func writeReading(_ cases: [Case], to source: inout SwiftSource) {
        source.block("public init(in packet: borrowing WirelineCodec::Packet) throws(WirelineCodec::CodecError)") {
            source in
            source.line("var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)")
            source.line("switch packet.id {")
            for item in cases.dropFirst() {
                source.readingBranch("case \(item.message.id)", item.message, item.type, as: item.name)
            }
            source.readingBranch("default", cases[0].message, cases[0].type, as: cases[0].name)
            source.line("}")
        }
    }
}
