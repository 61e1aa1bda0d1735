// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport
import WirelineWebSocket

extension WebSocketConnection {
    /// Logs a message, or a piece, that the reader takes. Call it before ``WebSocketInput/leaveMessage()``.
    func logReceived(_ piece: WebSocketPiece) {
        guard let log = sharedLimits?.log else { return }
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe piece.content.span.bytes
        let isPart = input.isInsideMessage || !piece.isLast
        log.record(.received(log.message(bytes, piece.kind, isPart: isPart, isLast: piece.isLast)), of: peerAddress, id)
    }

    /// Logs the peer's close frame, once. All messages before it must have been logged.
    func logPeerClose() {
        guard let log = sharedLimits?.log, let close = ending.takePeerCloseToLog() else { return }
        log.record(.received(log.message(close)), of: peerAddress, id)
    }

    func logSent(_ outgoing: Outgoing) {
        guard sharedLimits?.log != nil else { return }
        // SAFETY: texts and arrays of bytes have neither padding nor uninitialised bytes.
        switch outgoing {
        case .beginning: break
        case .text(var text): text.withUTF8 { unsafe logSent($0.span.bytes, as: .text) }
        case .content(let content, let kind): unsafe logSent(content.span.bytes, as: kind)
        case .part(let content, let writer, let isLast):
            unsafe logSent(content.span.bytes, as: writer.kind, isPart: true, isLast: isLast)
        }
    }

    func logSent(_ content: RawSpan, as kind: WebSocketMessageKind, isPart: Bool = false, isLast: Bool = true) {
        guard let log = sharedLimits?.log else { return }
        log.record(.sent(log.message(content, kind, isPart: isPart, isLast: isLast)), of: peerAddress, id)
    }

    /// Logs this side's close frame, once.
    func logClose() {
        guard let log = sharedLimits?.log, let close = engine.sentClose, ending.markCloseAsLogged() else { return }
        log.record(.sent(log.message(close)), of: peerAddress, id)
    }

    func logEnd() {
        guard let log = sharedLimits?.log else { return }
        logPeerClose()
        log.record(.ended(endingError?.shownText), of: peerAddress, id)
    }
}

extension TrafficLog {
    fileprivate func message(
        _ content: RawSpan, _ kind: WebSocketMessageKind, isPart: Bool, isLast: Bool
    ) -> Message {
        let kindName = kind == .text ? "text" : "binary"
        let name = isPart ? (isLast ? "last part of \(kindName)" : "part of \(kindName)") : kindName
        let text = FieldText(ofUnknown: content, isText: kind == .text, showsBytes: showsUnknownBytes).text
        return Message(name: name, id: 0, byteCount: content.byteCount, header: PacketHeader()) { text }
    }

    fileprivate func message(_ close: WebSocketClose) -> Message {
        let words = [close.code.map { "\($0)" }, close.reason.isEmpty ? nil : close.reason.inQuotes(limit: 123)]
        let text = words.compactMap { $0 }.joined(separator: " ")
        let byteCount = close.code == nil ? 0 : 2 + close.reason.utf8.count
        return Message(name: "close", id: 0, byteCount: byteCount, header: PacketHeader()) { text }
    }
}
