// SPDX-License-Identifier: Apache-2.0

/// Gathers the content that a ``WebSocketEngine`` reads to whole messages.
///
///     var rest = received
///     repeat {
///         let reading = try collector.read(rest, from: &engine, at: now)
///         rest = rest.extracting(droppingFirst: reading.byteCount)
///         switch reading.stop { case .message(let message): … }
///     } while …
///
/// It holds one message, as far as it has come: memory grows with bytes that are there, never with lengths that are
/// announced.
public struct WebSocketMessageCollector: Sendable {
    /// What has come.
    public struct Reading: Equatable, Sendable {
        /// How many bytes have been taken; the others are to be given again.
        public let byteCount: Int
        /// Why it has stopped.
        public let stop: Stop
    }

    /// Why reading has stopped.
    public enum Stop: Equatable, Sendable {
        /// All bytes have been taken; more are needed.
        case needsBytes
        /// A message is whole; reading goes on with the next call.
        case message(WebSocketMessage)
        /// Something else has come; reading goes on with the next call. It is never ``WebSocketEvent/messageEnded(_:)``.
        case event(WebSocketEvent)
        /// The WebSocket has ended; what follows is not looked at.
        case ended
    }

    private var content: [UInt8] = []
    /// Of what kind the content is that came last.
    private var kind: WebSocketMessageKind?

    /// Holds nothing.
    public init() {}

    /// Takes bytes of the peer's, up to the end of a message.
    ///
    /// - Parameters:
    ///   - bytes: What the peer has sent, cut anywhere, without what was taken before. There may be none.
    ///   - engine: What reads them; always the same one.
    ///   - now: The time.
    /// - Returns: How much was taken, and what came.
    /// - Throws: What ``WebSocketEngine/read(_:into:at:)`` throws.
    public mutating func read(
        _ bytes: RawSpan, from engine: inout WebSocketEngine, at now: Duration
    ) throws(WebSocketError) -> Reading {
        let reading = try gather(bytes, from: &engine, at: now)
        let stop: Stop =
            switch reading.stop {
            case .needsBytes, .needsRoom: .needsBytes
            case .ended: .ended
            case .event(.messageEnded(let kind)): .message(takeMessage(kind))
            case .event(let event): .event(event)
            }
        return Reading(byteCount: reading.byteCount, stop: stop)
    }

    /// Takes bytes of the peer's as ``read(_:from:at:)`` does, and leaves what it gathers to ``takeContent()``.
    ///
    /// - Parameter limit: So many bytes of content may be held before it stops; what is handed over at once may go beyond it.
    /// - Returns: How much was taken, and why not more: there is no room where the limit is reached.
    package mutating func gather(
        _ bytes: RawSpan, from engine: inout WebSocketEngine, limit: Int = .max, at now: Duration
    ) throws(WebSocketError) -> WebSocketReading {
        var byteCount = 0
        while true {
            let rest = bytes.extracting(droppingFirst: byteCount)
            let reading = try readOnce(rest, from: &engine, at: now)
            byteCount += reading.byteCount
            if reading.content != nil { kind = reading.content }
            guard reading.stop == .needsRoom, content.count < limit else {
                return WebSocketReading(byteCount: byteCount, content: reading.content, stop: reading.stop)
            }
        }
    }

    /// Of what kind the content is that is held; nil where none is.
    package var heldKind: WebSocketMessageKind? { content.isEmpty ? nil : kind }

    /// How many bytes of content are held.
    package var heldByteCount: Int { content.count }

    /// Takes the content that is held: what has come of a message, or what is left of it when it has ended.
    package mutating func takeContent() -> [UInt8] {
        defer { content = [] }
        return content
    }

    private mutating func readOnce(
        _ bytes: RawSpan, from engine: inout WebSocketEngine, at now: Duration
    ) throws(WebSocketError) -> WebSocketReading {
        let room = engine.contentByteCount(of: bytes.byteCount, behind: content.count)
        guard room > 0 else {
            // An array that is empty is left alone: the standard library would write its count, 0, into memory that all
            // empty arrays share, which the thread sanitizer takes for a race.
            var nothing = OutputRawSpan()
            return try engine.read(bytes, into: &nothing, at: now)
        }
        let needed = content.count + room
        // At least twice what there was, for asking for a little more each time would move everything each time.
        if needed > content.capacity { content.reserveCapacity(max(needed, 2 * content.count)) }
        var result: Result<WebSocketReading, WebSocketError>?
        content.append(addingCapacity: room) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, filledByteCount in
                let memory = UnsafeMutableRawBufferPointer(buffer)
                // SAFETY: the room is the new part of the array, and its count is what was put into it.
                var room = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
                result = Result { () throws(WebSocketError) in try engine.read(bytes, into: &room, at: now) }
                filledByteCount = unsafe room.finalize(for: memory)
            }
        }
        guard let result else { preconditionFailure("the room was never lent") }
        return try result.get()
    }

    private mutating func takeMessage(_ kind: WebSocketMessageKind) -> WebSocketMessage {
        // SAFETY: the engine has put it there.
        unsafe WebSocketMessage(kind, takeContent())
    }
}
