// SPDX-License-Identifier: Apache-2.0

import TestingSupport
public import WirelineWebSocket

/// A case about messages: many or large ones, in small fragments, in small pieces, or compressed. They come back as they
/// were.
public struct MessageCase: EchoCase {
    public let name: String
    public let sample: Sample
    /// How many bytes each message has.
    public let byteCount: Int
    public var messageCount = 1
    /// How many bytes a frame has; nil: as many as the message.
    public var fragmentByteCount: Int?
    /// How many bytes leave at once; nil: all that there are.
    public var pieceByteCount: Int?
    public var terms: DeflateTerms?

    public func pieces(from peer: WebSocketRole) -> [[UInt8]] {
        let deflater = terms.map { PeerDeflater($0, of: peer) }
        var bytes: [UInt8] = []
        for index in 0..<messageCount {
            let message = sample.bytes(byteCount, of: index)
            bytes += frames(deflater?.compress(message) ?? message).bytes(from: peer)
        }
        bytes += [Frame.close(1000)].bytes(from: peer)
        return bytes.pieces(of: pieceByteCount)
    }

    private func frames(_ payload: [UInt8]) -> [Frame] {
        let parts = payload.pieces(of: fragmentByteCount)
        return parts.enumerated().map { index, part in
            let (isFirst, isLast) = (index == 0, index == parts.count - 1)
            return Frame(
                isFinal: isLast, reservedBits: isFirst && terms != nil ? 4 : 0,
                opcode: !isFirst ? 0 : sample.isText ? 1 : 2, payload: part)
        }
    }

    public func fault(in frames: [Frame], to peer: WebSocketRole) -> String? {
        guard frames.count == messageCount + 1, frames.last == .close(1000) else {
            return "\(frames.count) frames came back, the last one \(frames.last.map(\.description) ?? "none")"
        }
        let inflater = terms.map { PeerInflater($0, of: peer == .client ? .server : .client) }
        for (index, frame) in frames.dropLast().enumerated() {
            // What is very short may be sent as it is.
            let isCompressed = inflater != nil && (byteCount >= 32 || frame.reservedBits == 4)
            guard frame.isFinal, frame.opcode == (sample.isText ? 1 : 2), frame.reservedBits == (isCompressed ? 4 : 0)
            else { return "\(frame) came back as message \(index)" }
            let message = isCompressed ? inflater?.decompress(frame.payload) : frame.payload
            guard message == sample.bytes(byteCount, of: index) else { return "message \(index) came back as another" }
        }
        return nil
    }
}

extension [UInt8] {
    /// The bytes in pieces of so many; at least one. nil: in one.
    public func pieces(of byteCount: Int?) -> [[UInt8]] {
        guard let byteCount, byteCount < count else { return [self] }
        return stride(from: 0, to: count, by: byteCount).map { Array(self[$0..<Swift.min($0 + byteCount, count)]) }
    }
}

extension MessageCase {
    /// All cases, with as many bytes as fit the depth of the run.
    public static let all = cases(of: Depth.rounds(16_384))

    /// The cases whose messages are not much larger than is told.
    ///
    /// - Parameter byteCount: How many bytes the messages of a case have together, at most. Where one of them has up to four
    ///   times as many, there are two of them, or one in fragments; what is longer is left out. The suite itself has 1,000
    ///   messages of 128 KiB: 131,072,000.
    public static func cases(of byteCount: Int) -> [MessageCase] {
        large(byteCount) + fragmented(byteCount) + inPieces(byteCount) + many(byteCount) + samples(byteCount)
            + agreements(byteCount)
    }

    private static func numbered<Value>(
        _ values: [Value], _ cases: (_ place: Int, _ value: Value) -> [MessageCase]
    ) -> [MessageCase] {
        values.enumerated().flatMap { cases($0 + 1, $1) }
    }

    // MARK: 9: limits

    /// A case with text, and one with bytes, whose number is one higher.
    private static func both(
        _ number: Int, _ place: Int, _ byteCount: Int, _ change: (inout MessageCase) -> Void = { _ in }
    ) -> [MessageCase] {
        [Sample.prose, .noise].enumerated().map { index, sample in
            var conformance = MessageCase(name: "9.\(number + index).\(place)", sample: sample, byteCount: byteCount)
            change(&conformance)
            return conformance
        }
    }

    private static func large(_ limit: Int) -> [MessageCase] {
        numbered([65_536, 262_144, 1_048_576, 4_194_304, 8_388_608, 16_777_216]) { place, byteCount in
            byteCount > 4 * limit ? [] : both(1, place, byteCount)
        }
    }

    private static func fragmented(_ limit: Int) -> [MessageCase] {
        numbered([64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]) { place, byteCount in
            byteCount > limit
                ? [] : both(3, place, min(4_194_304, limit)) { $0.fragmentByteCount = byteCount }
        }
    }

    private static func inPieces(_ limit: Int) -> [MessageCase] {
        numbered([64, 128, 256, 512, 1_024, 2_048]) { place, byteCount in
            both(5, place, min(1_048_576, limit)) { $0.pieceByteCount = byteCount }
        }
    }

    private static func many(_ limit: Int) -> [MessageCase] {
        numbered([0, 16, 64, 256, 1_024, 4_096]) { place, byteCount in
            both(7, place, byteCount) { $0.messageCount = min(1_000, limit / max(1, byteCount)) }
        }
    }

    // MARK: 12 and 13: compression

    /// How long messages are, and their fragments.
    private static let lengths: [(message: Int, fragment: Int?)] =
        [16, 64, 256, 1_024, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072].map { ($0, nil) } + [
            (8_192, 256), (16_384, 256), (32_768, 256), (65_536, 256), (131_072, 256), (131_072, 1_024),
            (131_072, 4_096), (131_072, 32_768),
        ]

    private static func compressed(
        _ name: String, _ sample: Sample, _ terms: DeflateTerms, _ limit: Int
    ) -> [MessageCase] {
        numbered(lengths) { place, length in
            guard length.message <= 4 * limit else { return [] }
            var conformance = MessageCase(name: "\(name).\(place)", sample: sample, byteCount: length.message)
            conformance.messageCount = min(1_000, max(length.fragment == nil ? 2 : 1, limit / length.message))
            (conformance.fragmentByteCount, conformance.terms) = (length.fragment, terms)
            return [conformance]
        }
    }

    private static func samples(_ limit: Int) -> [MessageCase] {
        numbered(Sample.allCases) { compressed("12.\($0)", $1, offers[0], limit) }
    }

    private static func agreements(_ limit: Int) -> [MessageCase] {
        numbered(offers) { compressed("13.\($0)", .records, $1, limit) }
    }

    private static let offers: [DeflateTerms] = [
        DeflateTerms(offer: "permessage-deflate; client_max_window_bits", answer: "permessage-deflate"),
        DeflateTerms(
            offer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover",
            answer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover"),
        DeflateTerms(
            offer: "permessage-deflate; client_max_window_bits=9; server_max_window_bits=9",
            answer: "permessage-deflate; client_max_window_bits=9; server_max_window_bits=9"),
        DeflateTerms(
            offer: "permessage-deflate; client_max_window_bits=15; server_max_window_bits=15",
            answer: "permessage-deflate; server_max_window_bits=15"),
        DeflateTerms(
            offer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover; "
                + "client_max_window_bits=9; server_max_window_bits=9",
            answer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover; "
                + "client_max_window_bits=9; server_max_window_bits=9"),
        DeflateTerms(
            offer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover; "
                + "client_max_window_bits; server_max_window_bits=15",
            answer: "permessage-deflate; client_no_context_takeover; server_no_context_takeover; "
                + "server_max_window_bits=15"),
        // Of several offers the first one that can be met.
        DeflateTerms(
            offer: "permessage-deflate; server_max_window_bits=7, x-other, "
                + "permessage-deflate; server_no_context_takeover; server_max_window_bits=10; client_max_window_bits, "
                + "permessage-deflate",
            answer: "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"),
    ]
}
