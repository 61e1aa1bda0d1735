// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the enums of the messages that each side of a protocol receives, with a case for each message.
struct SwiftIncomingMessages {
    private let types: SwiftTypes

    private static let members: Set<String> = ["unknown", "unknownID"]

    init(_ types: SwiftTypes) {
        self.types = types
    }

    func write(to source: inout SwiftSource) {
        source.block("extension \(types.naming.protocolName)") { source in
            for side in Sender.allCases {
                if side != Sender.allCases.first { source.blank() }
                write(side, to: &source)
            }
        }
    }

    private func write(_ side: Sender, to source: inout SwiftSource) {
        let messages = types.naming.messages(of: types.description, from: side)
        let names = SwiftIdentifier.members(
            messages.map { SwiftWords.lowerCamel($0.name.declared, fallback: "message") }, reserved: Self.members)
        source.documentation("A message from a \(side.rawValue).")
        source.block("public enum From\(side.typeSuffix): WirelineCodec::IncomingMessage") { source in
            source.line("public typealias Definition = \(types.naming.protocolName)")
            source.blank()
            for (message, name) in zip(messages, names) {
                source.documentation(Self.firstLine(of: message.message.documentation))
                source.line("case \(SwiftIdentifier.quoted(name))(\(message.name.reference))")
            }
            source.documentation("A packet whose ID the schema does not know.")
            source.line("case unknown(id: Swift::UInt64)")
            source.blank()
            source.block("public init(in packet: borrowing WirelineCodec::Packet) throws(WirelineCodec::CodecError)") {
                source in
                if types.description.layout.content.opaque != nil {
                    source.line("guard !packet.isOpaque else { self = .unknown(id: packet.id); return }")
                }
                // One reader for all cases: `init(payloadOf:)` would be compiled once more for each message.
                if !messages.isEmpty {
                    source.line("var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)")
                }
                source.line("switch packet.id {")
                for (message, name) in zip(messages, names) {
                    source.readingBranch(
                        "case \(message.message.id)", message.message, message.name.reference,
                        as: SwiftIdentifier.quoted(name))
                }
                source.line("default: self = .unknown(id: packet.id)")
                source.line("}")
            }
            source.blank()
            source.block("public var unknownID: Swift::UInt64?") { source in
                source.line("if case .unknown(let id) = self { id } else { nil }")
            }
        }
    }

    /// The first line of a comment. It suffices for a case, because the message's type has the whole comment.
    private static func firstLine(of documentation: String) -> String {
        CommentText.lines(of: documentation).first ?? ""
    }
}

extension SwiftNaming {
    func messages(
        of description: ProtocolDescription, from side: Sender
    ) -> [(message: MessageDescription, name: SwiftTypeName)] {
        zip(description.messages, messages).filter { $0.0.senders.contains(side) }.map { ($0, $1) }
    }
}

extension SwiftSource {
    /// Writes a branch of a `switch` that reads a message of `packet` from `reader`.
    ///
    /// - Parameters:
    ///   - label: The branch's `case` or `default`.
    ///   - type: The name of the message's type.
    ///   - name: The case of the enum that gets the value.
    mutating func readingBranch(_ label: String, _ message: MessageDescription, _ type: String, as name: String) {
        let header = message.looksAtHeader ? ", header: Definition.layout.header(of: packet)" : ""
        let value = "self = .\(name)(try .init(from: &reader\(header)))"
        guard !message.headerValues.isEmpty else { return line("\(label): \(value)") }
        line("\(label):")
        line("    try \(type).verifyHeader(of: packet)")
        line("    \(value)")
    }
}

extension Sender {
    /// The suffix of the enum's name: `Client` in `FromClient`.
    fileprivate var typeSuffix: String {
        switch self {
        case .client: "Client"
        case .server: "Server"
        }
    }
}
