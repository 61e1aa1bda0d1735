// SPDX-License-Identifier: Apache-2.0

import WebSocketSupport
import WirelineWebSocket

/// One end of a WebSocket in memory: an engine, and what it has produced.
final class Side {
    /// What an engine has reported, in a form that does not depend on how its input is split.
    enum Told: Equatable {
        case message(WebSocketMessageKind, [UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketClose)
        case ended
        case failed(WebSocketError)
    }

    /// Whether a message is taken as the program gets it, or as bytes that wait for it.
    enum WholeForm: CaseIterable { case message, content }

    var engine: WebSocketEngine
    private(set) var told: [Told] = []
    /// The content so far of a message that is not complete.
    private(set) var content: [UInt8] = []
    /// Whether messages are sent back unchanged.
    var echoes = false
    /// How many bytes of content are read at once.
    var room = 300
    /// How messages are taken that have arrived whole, in one frame; nil: as all others are.
    var takesWhole: WholeForm?
    /// The number of messages that were taken so.
    private(set) var wholeCount = 0
    var now = Duration.zero
    private(set) var sent: [UInt8] = []

    init(
        _ role: WebSocketRole, agreement: WebSocketAgreement? = nil,
        configuration: WebSocketEngine.Configuration = WebSocketEngine.Configuration()
    ) {
        engine = WebSocketEngine(role, agreement: agreement, configuration: configuration)
    }

    // The macros of Swift Testing would copy an engine.
    var isOpen: Bool { engine.isOpen }
    var holdsStreams: Bool { engine.holdsStreams }
    var end: WebSocketEnd? { engine.end }
    var deadline: Duration? { engine.deadline }
    var wantsConnectionClosed: Bool { engine.wantsConnectionClosed }
    var pendingByteCount: Int { engine.pendingByteCount }

    /// All output that waits to be sent.
    func output() -> [UInt8] {
        var bytes: [UInt8] = []
        engine.takeOutput { waiting in
            bytes += [UInt8](copying: waiting)
            return waiting.byteCount
        }
        sent += bytes
        return bytes
    }

    /// The frames that have been sent, as the other side sees them.
    var frames: [Frame]? {
        _ = output()
        return Frame.frames(sent, areMasked: engine.role == .client)
    }

    /// Passes bytes to the engine until it has taken everything, has ended or has failed.
    func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while true {
            if let byteCount = takeWhole(Array(rest)) {
                rest = rest.dropFirst(byteCount)
                continue
            }
            let reading: WebSocketReading
            do throws(WebSocketError) {
                reading = try readOnce(Array(rest))
            } catch {
                if told.last != .failed(error) { told.append(.failed(error)) }
                return
            }
            rest = rest.dropFirst(reading.byteCount)
            switch reading.stop {
            case .needsBytes: return
            case .needsRoom: continue
            case .event(let event): note(event)
            case .ended:
                if told.last != .ended { told.append(.ended) }
                return
            }
        }
    }

    private func note(_ event: WebSocketEvent) {
        switch event {
        case .messageEnded(let kind):
            note(kind, content)
            content = []
        case .ping(let payload): told.append(.ping(payload))
        case .pong(let payload): told.append(.pong(payload))
        case .close(let close): told.append(.close(close))
        }
    }

    private func note(_ kind: WebSocketMessageKind, _ content: [UInt8]) {
        told.append(.message(kind, content))
        if echoes { send(content, kind) }
    }

    /// - Returns: How many bytes were taken; nil: none.
    private func takeWhole(_ bytes: [UInt8]) -> Int? {
        let span = bytes.span
        let bytes = span.bytes
        switch takesWhole {
        case nil: return nil
        case .message:
            guard let whole = engine.takeWholeMessage(from: bytes) else { return nil }
            switch whole.content {
            case .text(let text): note(.text, text.bytes)
            case .binary(let content): note(.binary, content)
            }
            wholeCount += 1
            return whole.byteCount
        case .content:
            guard let whole = engine.takeWholeContent(from: bytes) else { return nil }
            note(whole.kind, whole.content)
            wholeCount += 1
            return whole.byteCount
        }
    }

    private func send(_ bytes: [UInt8], _ kind: WebSocketMessageKind) {
        let span = bytes.span
        let content = span.bytes
        _ = try? engine.send(content, as: kind)
    }

    func readOnce(_ bytes: [UInt8]) throws(WebSocketError) -> WebSocketReading {
        var memory = [UInt8](repeating: 0, count: room)
        var count = 0
        let result = memory.withUnsafeMutableBytes { memory in
            var room = OutputRawSpan(buffer: memory, initializedCount: 0)
            let span = bytes.span
            let bytes = span.bytes
            let result = Result { () throws(WebSocketError) in try engine.read(bytes, into: &room, at: now) }
            count = room.finalize(for: memory)
            return result
        }
        content += memory[..<count]
        let reading = try result.get()
        precondition((reading.content != nil) == (count > 0), "content without a kind, or the other way round")
        return reading
    }

    // MARK: Sending

    @discardableResult
    func send(binary bytes: [UInt8]) throws(WebSocketError) -> Bool {
        let span = bytes.span
        let content = span.bytes
        return try engine.send(content, as: .binary)
    }

    /// The frame of a message that may leave before anything else; nil if it must be queued.
    func frameAtOnce(_ content: [UInt8], _ kind: WebSocketMessageKind) -> [UInt8]? {
        guard let byteCount = engine.byteCountAtOnce(ofMessageWith: content.count) else { return nil }
        var frame = [UInt8](repeating: 0, count: byteCount)
        let span = content.span
        let bytes = span.bytes
        frame.withUnsafeMutableBytes { engine.writeAtOnce(bytes, as: kind, to: $0) }
        return frame
    }

    @discardableResult
    func send(part bytes: [UInt8], _ kind: WebSocketMessageKind, isLast: Bool) throws(WebSocketError) -> Bool {
        let span = bytes.span
        let content = span.bytes
        return try engine.sendFragment(content, as: kind, isLast: isLast)
    }

    @discardableResult
    func ping(_ text: String) throws(WebSocketError) -> Bool {
        let bytes = text.bytes
        let span = bytes.span
        let payload = span.bytes
        return try engine.ping(payload)
    }
}
