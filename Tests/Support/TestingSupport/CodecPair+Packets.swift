// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSchema

/// A packet is given to both codecs, which must agree.
///
/// If two programs disagree about a packet's content, packets can be smuggled past the one that checks them.
extension CodecPair {
    /// How the two codecs differ about bytes that should be one packet, or how one of them differs about its own
    /// packet; nil if they agree.
    public func disagreement(on bytes: [UInt8], in context: PacketContext) -> String? {
        let line = line(of: bytes, in: context)
        let message: (any PacketMessage)?
        let header: PacketHeader
        do throws(CodecError) {
            let limit = generated.maximumPacketByteCount
            let layout = generated.layout.layout(in: context)
            let content = try layout.unframed(bytes, limit: limit)
            let packet = try Packet(content.rawSpan, layout: layout, limit: limit)
            header = try generated.layout.settableHeader(of: packet)
            message = try generated.message(in: packet, from: context.sender)
        } catch {
            if let other = line.error, error.isOfCutRun(where: other) { return nil }
            return difference("reading", line.text, error.description)
        }
        guard let message else { return difference("reading", line.message, "null") }
        if let difference = difference("reading", line.text, text(of: message)) { return difference }
        return disagreement(onWriting: message, header, line.json, in: context)
    }

    private func disagreement(
        onWriting message: any PacketMessage, _ header: PacketHeader, _ line: JSONValue, in context: PacketContext
    ) -> String? {
        let written = Result { () throws(CodecError) in try message.encoded(header: header, in: context) }
        let translated = Result { () throws(TranslationError) in
            try translator.encode(
                line: translator.settable(line), from: context.sender, states: context.states)
        }
        switch (written, translated) {
        case (.failure(let error), .failure(let other)):
            // A packet that was read can be written, but it may have grown: by fields that the reader added, or by
            // colons that a lenient reader did not require.
            guard error.reason.isOfLength else { return "\(type(of: message)) was read, but is not written: \(error)" }
            return difference("writing", other.description, error.description)
        case (.failure(let error), .success):
            return "\(type(of: message)) is written by the description, by generated code: \(error)"
        case (.success, .failure(let error)):
            return "\(type(of: message)) is written by generated code, by the description: \(error)"
        case (.success(let bytes), .success(let other)):
            // The two differ on purpose only here: JSON cannot hold the other bits of a NaN.
            let hasNaN = line.description.contains("\"NaN\"")
            if !hasNaN, let difference = difference("writing", Hexadecimal.text(of: other), Hexadecimal.text(of: bytes))
            {
                return difference
            }
            return disagreement(onReadingAgain: message, bytes, in: context)
        }
    }

    /// A written packet is read as the same message, and written as the same bytes.
    private func disagreement(
        onReadingAgain message: any PacketMessage, _ bytes: [UInt8], in context: PacketContext
    ) -> String? {
        do throws(CodecError) {
            guard let again = try generated.transcode(bytes, in: context) else { return "written with another ID" }
            // Without the packet's header, a field whose condition looks at it may be refused.
            // Only a message that both ends may send needs to know its sender.
            let dependsOnContext =
                generated.layout.hasStates
                || generated.layout.dependsOnContext && type(of: message).packetSender == nil
            let general = generatedPacket(of: message, header: [:], in: context)
            let atOnce = generatedPacket(of: message, in: dependsOnContext ? context : nil)
            return change("reading again", text(of: message), text(of: again.message))
                ?? change("writing again", Hexadecimal.text(of: bytes), Hexadecimal.text(of: again.bytes))
                ?? change("writing at once", general, atOnce)
        } catch {
            return "\(type(of: message)) was written, but is not read: \(error)"
        }
    }

    private func difference(_ step: String, _ translated: String, _ generated: String) -> String? {
        translated == generated ? nil : "\(step): by the description \(translated), by generated code \(generated)"
    }

    private func change(_ step: String, _ first: String, _ second: String) -> String? {
        first == second ? nil : "\(step): first \(first), then \(second)"
    }

    private func text(of message: any PacketMessage) -> String {
        let json = GeneratedJSON(description: translator.description)
        return "\(json.fields(of: message)) \(json.trailing(of: message) ?? "")"
    }

    private func line(of bytes: [UInt8], in context: PacketContext) -> TranslatedLine {
        do throws(CodecError) {
            return TranslatedLine(json: try translator.decode(bytes.span.bytes, in: context))
        } catch {
            return TranslatedLine(error: error)
        }
    }
}

/// The schema-driven codec's result for a packet.
private struct TranslatedLine {
    var json = JSONValue.null
    var error: CodecError?

    var message: String { error?.description ?? "\(json["message"] ?? .null)" }
    var text: String { error?.description ?? "\(json["fields"] ?? .null) \(json["trailing"] ?? "")" }
}

extension CodecError {
    /// Whether this error may differ from `other` for the same bytes.
    ///
    /// Generated code checks a run of fields of fixed width as a whole. It finds that the run is cut off before it
    /// checks the fields before the cut, of which `other` is the first wrong one.
    fileprivate func isOfCutRun(where other: CodecError) -> Bool {
        guard case .truncated = reason, let offset, let place = other.offset else { return false }
        if case .truncated = other.reason { return false }
        return place < offset
    }
}

extension PacketTranslator {
    /// A line with only the header fields that a caller can set, as the translator needs it for bytes of another
    /// length.
    public func settable(_ line: JSONValue) -> JSONValue {
        guard case .object(let members) = line, case .object(let header)? = line["header"] else { return line }
        let names = description.layout.fields.filter(\.isSettable).map(\.name)
        let kept = JSONValue.object(header.filter { names.contains($0.name) })
        return .object(members.map { $0.name == "header" ? JSONValue.Member("header", kept) : $0 })
    }
}

extension CodecError.Reason {
    /// Whether something is longer than its limit.
    public var isOfLength: Bool {
        switch self {
        case .tooLong, .packetTooLong: true
        default: false
        }
    }
}

extension Result {
    /// Like `init(catching:)`, which needs explicit types in a closure with typed throws.
    fileprivate init(_ body: () throws(Failure) -> Success) {
        do throws(Failure) {
            self = .success(try body())
        } catch {
            self = .failure(error)
        }
    }
}
