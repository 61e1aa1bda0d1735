// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineWebSocket

/// However a peer's bytes are cut, however little room there is for content, and whether messages are taken whole: the
/// same messages, events, answers and end; no message above the limit, and no more answers than are bounded.
///
///     +--------+-----------+------------------+-----------+-------------+-------- - - -
///     | 1 role | 2 deflate | 5 count of sizes | room      | piece sizes | stream
///     +--------+-----------+------------------+-----------+-------------+-------- - - -
///      bits of the first byte                  a byte      a byte each
struct WebSocketCheck {
    private static let messageLimit = 4_096

    private let role: WebSocketRole
    private let agreement: WebSocketAgreement?
    private let stream: [UInt8]

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let manner = input.byte()
        let room = Int(input.byte()) + 1
        let pieces = (0..<manner >> 3 & 7).map { _ in Int(input.byte()) }
        let check = WebSocketCheck(
            role: manner & 1 == 0 ? .client : .server, agreement: agreement(manner >> 1 & 3), stream: Array(input.rest))
        let whole = try check.read(in: [], room: 16_384)
        let cut = try check.read(in: pieces, room: room)
        try require(whole == cut, "whole \(whole), in pieces of \(pieces) with room for \(room) \(cut)")
        let taken = try check.read(in: pieces, room: room, takesWhole: true)
        try require(whole == taken, "whole \(whole), with messages taken whole \(taken)")
    }

    private static func agreement(_ choice: UInt8) -> WebSocketAgreement? {
        guard choice > 0 else { return nil }
        var deflate = DeflateAgreement()
        // Never with a smaller window: what looks back beyond it zlib refuses only where it has forgotten it.
        deflate.peerTakesContextOver = choice == 1
        return WebSocketAgreement(deflate: deflate)
    }

    private struct Outcome: Equatable {
        var messages: [[UInt8]] = []
        var events: [WebSocketEvent] = []
        var error: WebSocketError?
        var end: WebSocketEnd?
    }

    /// - Parameters:
    ///   - pieces: The byte counts of the pieces, over and over; none for one piece.
    ///   - takesWhole: Whether messages are taken whole as far as possible.
    private func read(in pieces: [Int], room: Int, takesWhole: Bool = false) throws(Finding) -> Outcome {
        var configuration = WebSocketEngine.Configuration()
        configuration.messageLimit = Self.messageLimit
        configuration.fragmentLimit = 100
        var engine = WebSocketEngine(role, agreement: agreement, configuration: configuration)
        var outcome = Outcome()
        var content: [UInt8] = []
        let pieces = pieces.contains { $0 > 0 } ? pieces : [max(1, stream.count)]
        var rest = stream[...]
        var index = 0
        while !rest.isEmpty, outcome.error == nil {
            let piece = Array(rest.prefix(pieces[index % pieces.count]))
            rest = rest.dropFirst(piece.count)
            index += 1
            try read(piece, room, takesWhole, &engine, &content, &outcome)
        }
        try require(engine.pendingByteCount < 20_000, "\(engine.pendingByteCount) bytes wait to be sent")
        engine.endOfInput()
        outcome.end = engine.end
        return outcome
    }

    private func read(
        _ piece: [UInt8], _ room: Int, _ takesWhole: Bool, _ engine: inout WebSocketEngine, _ content: inout [UInt8],
        _ outcome: inout Outcome
    ) throws(Finding) {
        var rest = piece
        while true {
            if takesWhole, let byteCount = takeWhole(rest, &engine, &outcome) {
                rest.removeFirst(byteCount)
                continue
            }
            let result = readOnce(rest, room, &engine, &content)
            try require(content.count <= Self.messageLimit, "a message of \(content.count) bytes")
            switch result {
            case .failure(let error):
                outcome.error = error
                return
            case .success(let reading):
                rest.removeFirst(reading.byteCount)
                switch reading.stop {
                case .needsBytes, .ended: return
                case .needsRoom: break
                case .event(let event):
                    outcome.events.append(event)
                    if case .messageEnded = event {
                        outcome.messages.append(content)
                        content = []
                    }
                }
            }
        }
    }

    /// - Returns: How many bytes were taken; nil if the bytes do not begin with a whole message.
    private func takeWhole(
        _ bytes: [UInt8], _ engine: inout WebSocketEngine, _ outcome: inout Outcome
    ) -> Int? {
        let span = bytes.span
        guard let whole = engine.takeWholeMessage(from: span.bytes) else { return nil }
        switch whole.content {
        case .binary(let content): outcome.messages.append(content)
        case .text(let text): outcome.messages.append(Array(text.utf8))
        }
        outcome.events.append(.messageEnded(whole.kind))
        return whole.byteCount
    }

    private func readOnce(
        _ bytes: [UInt8], _ room: Int, _ engine: inout WebSocketEngine, _ content: inout [UInt8]
    ) -> Result<WebSocketReading, WebSocketError> {
        var memory = [UInt8](repeating: 0, count: room)
        var count = 0
        let result = memory.withUnsafeMutableBytes { memory in
            var room = OutputRawSpan(buffer: memory, initializedCount: 0)
            let span = bytes.span
            let bytes = span.bytes
            let result = Result { () throws(WebSocketError) in try engine.read(bytes, into: &room, at: .zero) }
            count = room.finalize(for: memory)
            return result
        }
        content += memory[..<count]
        return result
    }
}
