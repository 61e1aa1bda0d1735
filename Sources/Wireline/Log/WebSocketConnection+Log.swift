// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport
import WirelineWebSocket

/// What a WebSocket tells its log, if it has one.
extension WebSocketConnection {
    /// Logs what somebody has taken of what has come; before it is known that pieces of its message are.
    func logReceived(_ piece: WebSocketPiece) {
        guard let log = supervision?.log else { return }
        let bytes = unsafe piece.content.span.bytes
        let isPart = isInsidePieces || !piece.isLast
        log.record(.received(log.message(bytes, piece.kind, isPart: isPart, isLast: piece.isLast)), of: peerAddress)
    }

    /// Logs what the peer has said when it closed, once all that came before is logged.
    func logPeerClose() {
        guard let log = supervision?.log, !hasLoggedPeerClose, let close = peerClose else { return }
        hasLoggedPeerClose = true
        log.record(.received(log.message(close)), of: peerAddress)
    }

    func logSent(_ outgoing: Outgoing) {
        guard supervision?.log != nil else { return }
        switch outgoing {
        case .beginning: break
        case .text(var text): text.withUTF8 { unsafe logSent($0.span.bytes, as: .text) }
        case .content(let content, let kind): unsafe logSent(content.span.bytes, as: kind)
        case .part(let content, let writer, let isLast):
            unsafe logSent(content.span.bytes, as: writer.kind, isPart: true, isLast: isLast)
        }
    }

    func logSent(_ content: RawSpan, as kind: WebSocketMessageKind, isPart: Bool = false, isLast: Bool = true) {
        guard let log = supervision?.log else { return }
        log.record(.sent(log.message(content, kind, isPart: isPart, isLast: isLast)), of: peerAddress)
    }

    /// Logs what this side has said when it closed.
    func logClose() {
        guard let log = supervision?.log, !hasLoggedClose, let close = engine.sentClose else { return }
        hasLoggedClose = true
        log.record(.sent(log.message(close)), of: peerAddress)
    }

    func logEnd() {
        guard let log = supervision?.log, !hasLoggedEnd else { return }
        logPeerClose()
        hasLoggedEnd = true
        log.record(.ended(endingError?.shownText), of: peerAddress)
    }
}

extension TrafficLog {
    /// What may be shown of a message, or of a part of one.
    fileprivate func message(
        _ content: RawSpan, _ kind: WebSocketMessageKind, isPart: Bool, isLast: Bool
    ) -> Message {
        let kindName = kind == .text ? "text" : "binary"
        let name = isPart ? (isLast ? "last part of \(kindName)" : "part of \(kindName)") : kindName
        let text = FieldText(ofUnknown: content, isText: kind == .text, showsBytes: showsUnknownBytes).text
        return Message(name: name, id: 0, byteCount: content.byteCount, header: PacketHeader()) { text }
    }

    /// What a close frame says.
    fileprivate func message(_ close: WebSocketClose) -> Message {
        let words = [close.code.map { "\($0)" }, close.reason.isEmpty ? nil : String(reflecting: close.reason)]
        let text = words.compactMap { $0 }.joined(separator: " ")
        let byteCount = close.code == nil ? 0 : 2 + close.reason.utf8.count
        return Message(name: "close", id: 0, byteCount: byteCount, header: PacketHeader()) { text }
    }
}
