// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// What an implementation is asked.
enum ConformanceRequest {
    /// What do these bytes begin with?
    case decode([UInt8], from: Sender)
    /// Which bytes is this line?
    case encode(JSONValue, from: Sender)
}

/// What it answers.
enum ConformanceReply {
    /// The bytes begin with a packet of so many bytes, which is this line.
    case packet(byteCount: Int, line: JSONValue)
    /// The line is these bytes.
    case bytes([UInt8])
    /// More bytes are needed, at least so many where that is said.
    case more(byteCount: Int?)
    /// It is an error.
    case refused(Refusal, text: String)
    /// It cannot be asked this.
    case skipped(String)
    /// There is no answer, or none that can be understood.
    case lost(String)
    /// It is not asked any more, for a reason.
    case notAsked(String)

    /// In words, for a sentence that says what came instead.
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

/// Something that reads and writes a protocol's packets.
protocol ConformingImplementation: AnyObject {
    func reply(to request: ConformanceRequest) -> ConformanceReply
}

/// This project's own codec.
final class CodecImplementation: ConformingImplementation {
    private let translator: PacketTranslator

    init(_ translator: PacketTranslator) {
        self.translator = translator
    }

    func reply(to request: ConformanceRequest) -> ConformanceReply {
        switch request {
        case .decode(let bytes, let sender):
            switch translator.verdict(on: bytes[...], from: sender) {
            case .packet(let byteCount, let line): return .packet(byteCount: byteCount, line: line)
            case .more(let byteCount): return .more(byteCount: byteCount)
            case .refused(let error): return .refused(Refusal(error), text: error.description)
            }
        case .encode(let line, _):
            do throws(TranslationError) {
                return .bytes(try translator.encode(line: line))
            } catch {
                return .refused(Refusal(error), text: error.description)
            }
        }
    }
}

extension String {
    /// As much of it as a line for people can hold.
    var shortened: String { count > 160 ? prefix(160) + "…" : self }
}
