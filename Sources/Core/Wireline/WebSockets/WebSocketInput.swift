// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// The unread input of a WebSocket: bytes, the part of a message, and whole messages.
///
/// The bytes lie in the block that was read last, from `position` to `end`. Only the connection's loop uses this.
@safe
struct WebSocketInput: ~Copyable {
    /// The cost of each message beside its bytes.
    private static let messageCost = 64
    /// The bytes of a message that are collected before memory and time are checked again.
    private static let gatheringStep = 64 << 10
    /// The fewest bytes that are offered to the reader. Parsing a few short messages is faster than offering them.
    private static let leastOffer = 4 << 10

    private var block: Block?
    private var position = 0
    private var end = 0
    private var collector = WebSocketMessageCollector()
    /// Whole messages, or their last pieces.
    private var inbox = Queue<WebSocketPiece>()
    private var inboxCost = 0
    /// Whether the reader has taken the beginning of a message, but not its end.
    private(set) var isInsideMessage = false
    /// Whether the waiting reader takes messages in pieces.
    private var wantsPieces = false
    /// Whether the reader has taken something and does not wait for more yet. It may still send an answer.
    private(set) var isReaderBusy = false
    /// Whether messages are dropped, because there is no reader any more.
    private(set) var dropsMessages = false
    private var isBeingParsed = false
    /// Whether the reader may take messages from the block directly.
    private(set) var isOffered = false
    /// Whether the input waits for the turns of other connections.
    private(set) var awaitsTurn = false

    // MARK: Counters

    var hasNoMessage: Bool { inbox.isEmpty }

    /// Whether a waiting reader can take something.
    var hasInputForReader: Bool { !inbox.isEmpty || wantsPieces && collector.heldByteCount > 0 }

    /// Whether the engine can continue with the block. It may also have events left when it has taken all bytes.
    var hasBlock: Bool { block != nil }

    /// The bytes that the engine has not taken.
    var restByteCount: Int { end - position }

    /// The cost of messages and of the part of one, for the limit of unread bytes.
    var unreadCost: Int { inboxCost + collector.heldByteCount }

    var unreadByteCount: Int { unreadCost - inbox.count * Self.messageCost + restByteCount }

    /// The bytes of a message that are collected before the reader must take them; no limit while it waits for the
    /// whole message.
    func gatheringLimit(isReaderWaiting: Bool, unreadLimit: Int, readLimit: Int) -> Int {
        let isAwaited = isReaderWaiting && !wantsPieces && inbox.isEmpty
        let limit = isAwaited ? .max : max(1, unreadLimit - inboxCost)
        // Compressed content may become many times as long before memory is checked again.
        return min(limit, collector.heldByteCount + min(readLimit, Self.gatheringStep))
    }

    // MARK: Turns

    /// - Returns: False if the bytes are already being parsed.
    mutating func beginParsing() -> Bool {
        guard !isBeingParsed else { return false }
        (isBeingParsed, isOffered) = (true, false)
        return true
    }

    mutating func endParsing() { isBeingParsed = false }

    /// - Returns: False if the input already waits for a later turn.
    mutating func awaitTurn() -> Bool {
        defer { awaitsTurn = true }
        return !awaitsTurn
    }

    mutating func turnCame() { awaitsTurn = false }

    // MARK: Bytes

    /// Takes over a block that begins with `byteCount` bytes.
    mutating func fill(_ filled: consuming Block, byteCount: Int) {
        block = consume filled
        (position, end) = (0, byteCount)
    }

    /// Passes the bytes to the handshake; none without a block.
    mutating func pass(to handshake: inout WebSocketHandshake) throws(WebSocketError) -> WebSocketHandshake.Event {
        guard let base = unsafe block?.base else { return try handshake.receive(RawSpan()).event }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: restByteCount)
        let reading = try handshake.receive(bytes)
        position += reading.byteCount
        return reading.event
    }

    /// Passes the bytes to the engine up to the next event, and collects content.
    ///
    /// - Parameter limit: The content bytes at which it stops.
    mutating func gather(
        from engine: inout WebSocketEngine, limit: Int, at now: Duration
    ) throws(WebSocketError) -> WebSocketReading.Stop {
        guard let base = unsafe block?.base else {
            return try collector.gather(RawSpan(), from: &engine, limit: limit, at: now).stop
        }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: restByteCount)
        let reading = try collector.gather(bytes, from: &engine, limit: limit, at: now)
        position += reading.byteCount
        return reading.stop
    }

    /// Reads the next message, if the block begins with its only frame, as usual.
    ///
    /// - Parameter costLimit: At this cost of the waiting messages, the message is dropped.
    /// - Returns: Whether there was such a message.
    mutating func gatherWholeMessage(from engine: inout WebSocketEngine, costLimit: Int) -> Bool {
        guard let base = unsafe block?.base else { return false }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: restByteCount)
        guard let whole = engine.takeWholeContent(from: bytes) else { return false }
        position += whole.byteCount
        add(WebSocketPiece(kind: whole.kind, content: whole.content, isLast: true), costLimit: costLimit)
        return true
    }

    /// Moves waiting bytes to memory of their size, if they fill less than half of the block: they may wait for long.
    mutating func shrinkBlock(of stream: ByteStream) {
        let count = restByteCount
        guard !isOffered, let large = block.take() else { return }
        guard count > 0, large.capacity > 2 * count else {
            block = consume large
            return
        }
        let smaller = Block(capacity: count)
        // SAFETY: the bytes from `position` to `end` lie inside the block.
        unsafe smaller.base.copyMemory(from: large.base + position, byteCount: count)
        stream.loop.note(.byteMoved, count: count)
        stream.giveBack(large)
        block = consume smaller
        (position, end) = (0, count)
    }

    mutating func dropBlock(of stream: ByteStream) {
        if let block = block.take() { stream.giveBack(block) }
        (position, end, isOffered) = (0, 0, false)
    }

    mutating func dropEmptyBlock(of stream: ByteStream) {
        if position == end { dropBlock(of: stream) }
    }

    // MARK: Messages

    /// Makes a message of the collected content, unless messages are dropped.
    ///
    /// - Parameter costLimit: At this cost of the waiting messages, the message is dropped.
    mutating func endMessage(_ kind: WebSocketMessageKind, costLimit: Int) {
        add(WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: true), costLimit: costLimit)
    }

    private mutating func add(_ piece: WebSocketPiece, costLimit: Int) {
        guard inboxCost < costLimit, !dropsMessages else { return }
        inbox.append(piece)
        inboxCost += piece.content.count + Self.messageCost
    }

    /// Takes the oldest whole message, or its last piece. Call ``leaveMessage()`` after a last piece.
    mutating func popMessage() -> WebSocketPiece? {
        guard let piece = inbox.popFirst() else { return nil }
        inboxCost -= piece.content.count + Self.messageCost
        isReaderBusy = true
        return piece
    }

    mutating func leaveMessage() { isInsideMessage = false }

    /// Takes the collected part of a message, and marks the reader as inside the message; nil if there is none.
    mutating func takePart() -> WebSocketPiece? {
        guard let kind = collector.heldKind else { return nil }
        isInsideMessage = true
        isReaderBusy = true
        return WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: false)
    }

    mutating func dropPart() { _ = collector.takeContent() }

    mutating func dropMessages() {
        (dropsMessages, isOffered) = (true, false)
        inbox = Queue()
        inboxCost = 0
        dropPart()
    }

    // MARK: The reader

    /// Reads one message for the waiting reader, and offers it the block if the block holds much.
    ///
    /// The reader then takes its next messages with ``takeOfferedMessage(from:)``. Each one is made when the reader
    /// takes it, in memory that the previous one has just left. The same turn of the loop must parse the rest, because
    /// there may be a ping in it.
    ///
    /// - Returns: Whether a message was read.
    mutating func offerBlock(of engine: inout WebSocketEngine) -> Bool {
        guard !wantsPieces, inbox.isEmpty, restByteCount >= Self.leastOffer,
            gatherWholeMessage(from: &engine, costLimit: .max)
        else { return false }
        isOffered = true
        return true
    }

    /// Takes the next message from the offered block, if the block begins with its only frame.
    mutating func takeOfferedMessage(from engine: inout WebSocketEngine) -> WebSocketMessage? {
        guard isOffered, inbox.isEmpty, let base = unsafe block?.base else { return nil }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: restByteCount)
        guard let whole = engine.takeWholeMessage(from: bytes) else { return nil }
        position += whole.byteCount
        isReaderBusy = true
        return whole.content
    }

    /// Call it before a wait. The reader drops the remaining pieces of a message that it has begun.
    mutating func prepareWait(forPieces: Bool) { wantsPieces = forPieces || isInsideMessage }

    mutating func readerWaits() { isReaderBusy = false }
}
