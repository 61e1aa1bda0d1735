// SPDX-License-Identifier: Apache-2.0

/// Collects the content that a ``WebSocketEngine`` reads into whole messages.
///
///     var rest = received
///     repeat {
///         let reading = try collector.read(rest, from: &engine, at: now)
///         rest = rest.extracting(droppingFirst: reading.byteCount)
///         switch reading.stop { case .message(let message): … }
///     } while …
///
/// It holds one message, as far as it has arrived. Memory grows with the bytes received, never with announced lengths.
public struct WebSocketMessageCollector: Sendable {
    /// The result of a read.
    public struct Reading: Equatable, Sendable {
        /// The number of bytes taken; pass the others again.
        public let byteCount: Int
        /// Why reading stopped.
        public let stop: Stop
    }

    /// Why reading has stopped.
    public enum Stop: Equatable, Sendable {
        /// All bytes were taken; more are needed.
        case needsBytes
        /// A message is complete; the next call continues.
        case message(WebSocketMessage)
        /// An event came, never ``WebSocketEvent/messageEnded(_:)``; the next call continues.
        case event(WebSocketEvent)
        /// The WebSocket has ended; later bytes are ignored.
        case ended
    }

    private var content: [UInt8] = []
    /// The kind of the content that came last.
    private var kind: WebSocketMessageKind?

    /// Makes an empty collector.
    public init() {}

    /// Takes bytes from the peer, up to the end of a message.
    ///
    /// - Parameters:
    ///   - bytes: The peer's bytes, split anywhere, without those taken before. May be empty.
    ///   - engine: The engine that reads them; always the same one.
    ///   - now: The current time.
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

    /// Takes bytes from the peer as ``read(_:from:at:)`` does, and keeps the content for ``takeContent()``.
    ///
    /// - Parameter limit: It stops when it holds this many bytes of content. Bytes that arrive in one piece may exceed
    ///   it.
    /// - Returns: How much was taken, and why it stopped: `needsRoom` if the limit is reached.
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

    /// The kind of the content that is held; nil if none is.
    package var heldKind: WebSocketMessageKind? { content.isEmpty ? nil : kind }

    package var heldByteCount: Int { content.count }

    /// Takes the held content: the arrived part of a message, or the last part of one that has ended.
    package mutating func takeContent() -> [UInt8] {
        defer { content = [] }
        return content
    }

    private mutating func readOnce(
        _ bytes: RawSpan, from engine: inout WebSocketEngine, at now: Duration
    ) throws(WebSocketError) -> WebSocketReading {
        let room = engine.contentByteCount(of: bytes.byteCount, behind: content.count)
        guard room > 0 else {
            // An empty array is not touched. The standard library would write its count, 0, into memory shared by all
            // empty arrays, which the thread sanitizer reports as a race.
            var nothing = OutputRawSpan()
            return try engine.read(bytes, into: &nothing, at: now)
        }
        let needed = content.count + room
        // At least double the size: growing by a little each time would copy everything each time.
        if needed > content.capacity { content.reserveCapacity(max(needed, 2 * content.count)) }
        var result: Result<WebSocketReading, WebSocketError>?
        content.append(addingCapacity: room) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, filledByteCount in
                let memory = UnsafeMutableRawBufferPointer(buffer)
                // SAFETY: the buffer is the new part of the array, and its count is the number of bytes put into it.
                var room = unsafe OutputRawSpan(buffer: memory, initializedCount: 0)
                result = Result { () throws(WebSocketError) in try engine.read(bytes, into: &room, at: now) }
                filledByteCount = unsafe room.finalize(for: memory)
            }
        }
        guard let result else { preconditionFailure("the room was never lent") }
        return try result.get()
    }

    private mutating func takeMessage(_ kind: WebSocketMessageKind) -> WebSocketMessage {
        // SAFETY: the engine has put the content there.
        unsafe WebSocketMessage(kind, takeContent())
    }
}
