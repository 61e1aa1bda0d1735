// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSchema

/// The two codecs of one protocol: the generated one, and the one that reads the description at run time.
public struct CodecPair: Sendable {
    public let generated: any PacketProtocol.Type
    public let translator: PacketTranslator

    public init(_ generated: any PacketProtocol.Type, _ translator: PacketTranslator) {
        self.generated = generated
        self.translator = translator
    }

    /// The payloads, in hexadecimal, about which the codecs differ, and how; at most three.
    public func disagreements(on payloads: [[UInt8]], id: UInt64, in context: PacketContext) -> [String] {
        Array(
            payloads.lazy.compactMap { payload in
                disagreement(on: payload, id: id, in: context).map { "\(Hexadecimal.text(of: payload)): \($0)" }
            }.prefix(3))
    }

    private func disagreement(on payload: [UInt8], id: UInt64, in context: PacketContext) -> String? {
        do throws(CodecError) {
            return disagreement(on: try packet(payload, id, in: context), in: context)
        } catch {
            // A payload that no packet can hold is not read at all.
            return error.reason.isOfLength ? nil : "there is no packet of it: \(error)"
        }
    }

    /// The schema-driven codec's result for a payload: the fields and the bytes after them, or the error.
    public func translatorVerdict(on payload: [UInt8], id: UInt64, in context: PacketContext) -> String {
        do throws(CodecError) {
            let bytes = try packet(payload, id, in: context)
            let line = try translator.decode(bytes.span.bytes, in: context)
            return "\(line["fields"] ?? .null) \(line["trailing"] ?? "")"
        } catch {
            return error.description
        }
    }

    /// The same for the generated code.
    public func generatedVerdict(on payload: [UInt8], id: UInt64, in context: PacketContext) -> String {
        do throws(CodecError) {
            guard let (message, _) = try generated.transcode(packet(payload, id, in: context), in: context) else {
                return "\(JSONValue.null) \(JSONValue.string(""))"
            }
            let json = GeneratedJSON(description: translator.description)
            return "\(json.fields(of: message)) \(json.trailing(of: message) ?? "")"
        } catch {
            return error.description
        }
    }

    // MARK: Writing

    /// The generated code's result of writing a message: the packet in hexadecimal, or the error.
    ///
    /// - Parameters:
    ///   - header: The header fields to set; nil for the function that sets none.
    ///   - context: Who sends it, and in which states; nil for the only sender.
    public func generatedPacket(
        of message: any PacketMessage, header: PacketHeader? = nil, in context: PacketContext? = nil
    ) -> String {
        do throws(CodecError) {
            if let context { return Hexadecimal.text(of: try message.encoded(header: header ?? [:], in: context)) }
            if let header { return Hexadecimal.text(of: try message.encoded(header: header)) }
            return Hexadecimal.text(of: try message.encoded())
        } catch {
            return error.description
        }
    }

    /// The same for the schema-driven codec.
    public func translatorPacket(of message: any PacketMessage) -> String {
        do throws(TranslationError) {
            return Hexadecimal.text(of: try translator.encode(line: line(of: message)))
        } catch {
            return error.description
        }
    }

    /// The line that `decode` prints, without a header.
    private func line(of message: any PacketMessage) -> JSONValue {
        let json = GeneratedJSON(description: translator.description)
        var members = [
            JSONValue.Member("message", .string(type(of: message).messageName)),
            JSONValue.Member("fields", json.fields(of: message)),
        ]
        if let trailing = json.trailing(of: message) { members.append(JSONValue.Member("trailing", trailing)) }
        return .object(members)
    }

    private func packet(_ payload: [UInt8], _ id: UInt64, in context: PacketContext) throws(CodecError) -> [UInt8] {
        try generated.layout.layout(in: context).encode(id: id, payload: payload.span.bytes)
    }
}
