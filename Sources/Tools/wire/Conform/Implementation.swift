// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

enum ConformanceRequest {
    /// Decode the packet at the beginning of the bytes.
    case decode([UInt8], in: PacketContext, keys: [LayerKey])
    case encode(JSONValue, in: PacketContext, keys: [LayerKey])
}

enum ConformanceReply {
    /// The bytes begin with a packet of this size. It decodes to this line.
    case packet(byteCount: Int, line: JSONValue)
    case bytes([UInt8])
    /// More bytes are needed: at least this number, if it is known.
    case more(byteCount: Int?)
    /// The bytes or the line are invalid.
    case refused(Refusal, text: String)
    /// The implementation does not support the request.
    case skipped(String)
    /// The reply is missing or invalid.
    case lost(String)
    /// The program gets no more requests. The value is the reason.
    case notAsked(String)

    /// The reply in words, for the report of an unexpected one.
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

protocol ConformingImplementation: AnyObject {
    func reply(to request: ConformanceRequest) -> ConformanceReply
}

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
    /// The text, cut off for a line that people read.
    var shortened: String { count > 160 ? prefix(160) + "…" : self }
}
