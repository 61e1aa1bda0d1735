// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

enum ConformanceOutcome: Equatable {
    case passed
    /// The reason, on one line.
    case failed(String)
    /// The reason why the check was not possible.
    case skipped(String)
    /// The reason why the implementation no longer answers. All later checks get the same outcome.
    case notMade(String)
}

struct ConformanceCase {
    /// The name of the check, such as `hello/decode` or `Invalid/http/refuse`.
    let name: String
    let vector: String
    let run: () async throws(CommandError) -> ConformanceOutcome

    init(
        _ vector: ConformanceVector, _ check: String,
        _ run: @escaping () async throws(CommandError) -> ConformanceOutcome
    ) {
        name = vector.name + "/" + check
        self.vector = vector.name
        self.run = run
    }
}

/// Checks an implementation with requests that are about one packet each.
struct ConformanceChecks {
    let translator: PacketTranslator
    let implementation: any ConformingImplementation
    /// Whether errors must have the same kind, field and offset.
    let isStrict: Bool
    /// Whether the implementation is this project's codec. Then the texts of errors must be the same, too.
    let isOwn: Bool

    func cases(of vector: ConformanceVector) -> [ConformanceCase] {
        func check(_ name: String, _ body: @escaping () -> ConformanceOutcome) -> ConformanceCase {
            ConformanceCase(vector, name) { () async throws(CommandError) in body() }
        }
        let decoding = [
            check("decode") { decode(vector, behind: []) }, check("glued") { decode(vector, behind: vector.bytes) },
            check("cuts") { cuts(vector) },
        ]
        switch vector.kind {
        case .exact: return decoding + [check("encode") { encode(vector) }]
        case .decodeOnly: return decoding + [check("encode") { encodeAlike(vector) }]
        case .invalid: return [check("refuse") { refuse(vector) }]
        case .refused: return [check("refuse") { refuseLine(vector) }]
        }
    }

    // MARK: Valid packets

    private func decode(_ vector: ConformanceVector, behind: [UInt8]) -> ConformanceOutcome {
        let line = vector.line ?? .null
        let reply = implementation.reply(to: .decode(vector.bytes + behind, in: vector.context, keys: vector.keys))
        guard case .packet(let byteCount, let found) = reply else { return unexpected(reply, "a packet") }
        guard byteCount == vector.bytes.count else {
            return .failed("\(byteCount) bytes were taken where the packet has \(vector.bytes.count)")
        }
        return outcome(LineComparison(translator).difference(line, found))
    }

    private func outcome(_ difference: LineComparison.Difference?) -> ConformanceOutcome {
        guard let difference else { return .passed }
        let place = difference.path.isEmpty ? "the line" : difference.path
        let (expected, found) = (difference.expected, difference.found)
        let words = [
            expected.map { "expected \($0.description.shortened)" } ?? "nothing was expected",
            found.map { "got \($0.description.shortened)" } ?? "it is missing",
        ]
        return .failed(place + ": " + words.joined(separator: ", "))
    }

    private func cuts(_ vector: ConformanceVector) -> ConformanceOutcome {
        let count = vector.bytes.count
        for offset in Self.cuts(of: count) {
            let bytes = Array(vector.bytes[..<offset])
            let reply = implementation.reply(to: .decode(bytes, in: vector.context, keys: vector.keys))
            guard case .more(let needed) = reply else {
                let outcome = unexpected(reply, "that more bytes are needed")
                guard case .failed(let text) = outcome else { return outcome }
                return .failed("of the first \(offset) bytes of \(count): " + text)
            }
            if let needed, !(1...count - offset).contains(needed) {
                return .failed(
                    "of the first \(offset) bytes of \(count): needs \(needed) more, which is not 1 to \(count - offset)"
                )
            }
        }
        return .passed
    }

    /// Returns the offsets at which a packet is cut: every one near its ends, and at most 256 in the middle of a long
    /// packet.
    static func cuts(of byteCount: Int) -> [Int] {
        let step = max(64, byteCount / 256)
        return (0..<byteCount).filter { $0 < 256 || $0 >= byteCount - 64 || $0 % step == 0 }
    }

    private func encode(_ vector: ConformanceVector) -> ConformanceOutcome {
        let reply = implementation.reply(to: .encode(vector.line ?? .null, in: vector.context, keys: vector.keys))
        guard case .bytes(let bytes) = reply else { return unexpected(reply, "bytes") }
        if bytes != vector.bytes, translator.description.layout.content.isCompressed {
            // The same data has many compressed forms, so only the contents are compared.
            return alike(bytes, vector)
        }
        return BytesDifference(expected: vector.bytes, found: bytes).map { .failed($0.text) } ?? .passed
    }

    /// Checks an encoding that may have other bytes, but must have the same meaning.
    private func encodeAlike(_ vector: ConformanceVector) -> ConformanceOutcome {
        let whole = vector.line ?? .null
        // In a protocol with layers, the header says which layers a packet has.
        let line =
            translator.description.layout.hasContent ? whole : whole.withDecidingHeader(translator)
        let reply = implementation.reply(to: .encode(line, in: vector.context, keys: vector.keys))
        guard case .bytes(let bytes) = reply else { return unexpected(reply, "bytes") }
        return alike(bytes, vector)
    }

    private func alike(_ bytes: [UInt8], _ vector: ConformanceVector) -> ConformanceOutcome {
        switch keyed(vector).verdict(on: bytes[...], in: vector.context) {
        case .packet(bytes.count, let found):
            return outcome(
                LineComparison(translator).difference(vector.line ?? .null, found.withoutHeader))
        case .packet(let byteCount, _): return .failed("\(bytes.count) bytes hold a packet of \(byteCount)")
        case .more(let count):
            return .failed("the packet lacks \(count) bytes: \(Hexadecimal.text(of: bytes).shortened)")
        case .refused(let error):
            return .failed("the packet is none: \(error): \(Hexadecimal.text(of: bytes).shortened)")
        }
    }

    // MARK: Invalid packets

    private func refuse(_ vector: ConformanceVector) -> ConformanceOutcome {
        let translator = keyed(vector)
        let own = translator.streamError(of: vector.bytes, in: vector.context)
        if let text = vector.errorText, own?.description != text, isOwn || vector.refusal == nil {
            return .failed("expected the error `\(text)`, got " + (own.map { "`\($0)`" } ?? "none"))
        }
        let expected = vector.refusal ?? own.map(Refusal.init) ?? Refusal()
        let isCut = expected.kind == "end_of_stream"
        var rest = vector.bytes[...]
        var context = vector.context
        while true {
            let reply = implementation.reply(to: .decode(Array(rest), in: context, keys: vector.keys))
            switch reply {
            case .packet(let byteCount, _):
                guard case .packet(byteCount, _) = translator.verdict(on: rest, in: context) else {
                    return unexpected(reply, isCut ? "that more bytes are needed" : "an error")
                }
                context = translator.context(after: Array(rest), in: context)
                rest = rest.dropFirst(byteCount)
            case .more where isCut: return .passed
            case .refused(let refusal, _) where !isCut:
                return expected.fault(of: refusal, isStrict: isStrict).map { .failed($0) } ?? .passed
            default: return unexpected(reply, isCut ? "that more bytes are needed" : "an error")
            }
        }
    }

    /// The codec with the keys of the vector.
    private func keyed(_ vector: ConformanceVector) -> PacketTranslator {
        (try? translator.withKeys(vector.keys)) ?? translator
    }

    private func refuseLine(_ vector: ConformanceVector) -> ConformanceOutcome {
        let line = vector.line ?? .null
        let reply = implementation.reply(to: .encode(line, in: vector.context, keys: vector.keys))
        guard case .refused(let refusal, let text) = reply else { return unexpected(reply, "an error") }
        if isOwn, let expected = vector.errorText, text != expected {
            return .failed("expected the error `\(expected)`, got `\(text)`")
        }
        do throws(TranslationError) {
            let bytes = try keyed(vector).encode(
                line: line, from: vector.sender, states: vector.context.states)
            return .failed("the vector is wrong: the line can be encoded, as \(Hexadecimal.text(of: bytes).shortened)")
        } catch {
            // The kind is not compared, because an implementation may find another fault of the value first.
            var expected = Refusal(error)
            expected.kind = isOwn ? expected.kind : refusal.kind
            return expected.fault(of: refusal, isStrict: isStrict).map { .failed($0) } ?? .passed
        }
    }

    private func unexpected(_ reply: ConformanceReply, _ expected: String) -> ConformanceOutcome {
        switch reply {
        case .skipped(let text): .skipped(text)
        case .lost(let text): .failed(text)
        case .notAsked(let text): .notMade(text)
        default: .failed("expected \(expected), got \(reply.text)")
        }
    }
}

struct BytesDifference {
    let text: String
    /// The largest number of bytes to show on each side of the first difference.
    private static let shownByteCount = 8

    init?(expected: [UInt8], found: [UInt8]) {
        guard expected != found else { return nil }
        let offset = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = offset ?? min(expected.count, found.count)
        let what =
            offset != nil
            ? "byte \(place) differs" : "\(found.count) bytes came where \(expected.count) were expected"
        text = what + ": expected \(Self.excerpt(expected, place)), got \(Self.excerpt(found, place))"
    }

    /// Returns the bytes around an offset, such as `…0000014e21[07]00000002…`.
    private static func excerpt(_ bytes: [UInt8], _ place: Int) -> String {
        let start = max(0, place - shownByteCount)
        let end = min(bytes.count, place + 1 + shownByteCount)
        let before = Hexadecimal.text(of: Array(bytes[min(start, bytes.count)..<min(place, bytes.count)]))
        guard place < bytes.count else { return (start > 0 ? "…" : "") + before + "[]" }
        let after = Hexadecimal.text(of: Array(bytes[place + 1..<end]))
        return (start > 0 ? "…" : "") + before + "[" + Hexadecimal.text(of: [bytes[place]]) + "]" + after
            + (end < bytes.count ? "…" : "")
    }
}
