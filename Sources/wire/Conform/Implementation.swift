// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A question to an implementation.
enum ConformanceRequest {
    /// Decode the packet at the beginning of these bytes.
    case decode([UInt8], in: PacketContext, keys: [LayerKey])
    /// Encode this line.
    case encode(JSONValue, in: PacketContext, keys: [LayerKey])
}

/// An implementation's reply.
enum ConformanceReply {
    /// The bytes begin with a packet of this size, which decodes to this line.
    case packet(byteCount: Int, line: JSONValue)
    /// The line encodes to these bytes.
    case bytes([UInt8])
    /// More bytes are needed, at least this many if the number is known.
    case more(byteCount: Int?)
    /// The request is an error.
    case refused(Refusal, text: String)
    /// The implementation does not support the request.
    case skipped(String)
    /// There is no reply, or none that can be read.
    case lost(String)
    /// The implementation is no longer asked, with the reason.
    case notAsked(String)

    /// The reply in words, for a sentence about an unexpected reply.
    var text: String {
        switch self {
        case .packet(let byteCount, let line): "a packet of \(byteCount) bytes: \(line.description.shortened)"
        case .bytes(let bytes): "bytes: \(Hexadecimal.text(of: Array(bytes.prefix(48))))"
        case .more(let count): "that more bytes are needed" + (count.map { ": \($0)" } ?? "")
        case .refused(let refusal, let text): "an error: " + (text.isEmpty ? refusal.json.description : text).shortened
        case .skipped(let text): "that it skips this: " + text.shortened
        case .lost(let text), .notAsked(let text): text
        }
    }
}

/// An implementation that reads and writes a protocol's packets.
protocol ConformingImplementation: AnyObject {
    func reply(to request: ConformanceRequest) -> ConformanceReply
}

/// This project's own codec.
final class CodecImplementation: ConformingImplementation {
    private let translator: PacketTranslator

    init(_ translator: PacketTranslator) {
        self.translator = translator
    }

    private static let unknownKey = "no layer has such keys"

    func reply(to request: ConformanceRequest) -> ConformanceReply {
        switch request {
        case .decode(let bytes, let context, let keys):
            guard let translator = try? translator.withKeys(keys) else { return .skipped(Self.unknownKey) }
            switch translator.verdict(on: bytes[...], in: context) {
            case .packet(let byteCount, let line): return .packet(byteCount: byteCount, line: line)
            case .more(let byteCount): return .more(byteCount: byteCount)
            case .refused(let error): return .refused(Refusal(error), text: error.description)
            }
        case .encode(let line, let context, let keys):
            guard let translator = try? translator.withKeys(keys) else { return .skipped(Self.unknownKey) }
            do throws(TranslationError) {
                return .bytes(try translator.encode(line: line, from: context.sender, states: context.states))
            } catch {
                return .refused(Refusal(error), text: error.description)
            }
        }
    }
}

extension String {
    /// The text, shortened for a line that humans read.
    var shortened: String { count > 160 ? prefix(160) + "…" : self }
}
