// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// What has arrived on a WebSocket and was not taken: bytes, the part of a message, and whole messages.
///
/// The bytes lie in the block that was read last, from `position` to `end`. Only the connection's loop uses this.
@safe
struct WebSocketInput: ~Copyable {
    /// The cost of each message beside its bytes.
    private static let messageCost = 64
    /// How many bytes of a message are collected before memory and time are checked again.
    private static let gatheringStep = 64 << 10
    /// The fewest bytes that are offered to the reader: a few short messages are read sooner than they are offered.
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
    /// Whether the reader, when it waits, takes a message in pieces.
    private var wantsPieces = false
    /// Whether the reader has taken something, and does not wait for more yet: it may still send an answer.
    private(set) var isReaderBusy = false
    /// Whether messages are dropped, because there is no reader any more.
    private(set) var dropsMessages = false
    private var isBeingParsed = false
    /// Whether the reader may take messages from the block itself.
    private(set) var isOffered = false
    /// Whether the input waits until other connections had their turn on the loop.
    private(set) var awaitsTurn = false

    // MARK: Counters

    /// Whether there is no whole message.
    var hasNoMessage: Bool { inbox.isEmpty }

    /// Whether there is something for a reader that waits.
    var hasInputForReader: Bool { !inbox.isEmpty || wantsPieces && collector.heldByteCount > 0 }

    /// Whether the engine can go on with the block. It may also have more to say when all bytes were taken.
    var hasBlock: Bool { block != nil }

    /// The number of bytes that the engine has not taken.
    var restByteCount: Int { end - position }

    /// What messages and the part of one cost, for the limit of unread bytes.
    var unreadCost: Int { inboxCost + collector.heldByteCount }

    /// The number of unread bytes.
    var unreadByteCount: Int { unreadCost - inbox.count * Self.messageCost + restByteCount }

    /// How many bytes of a message are collected before the reader must take them: all if it waits for the whole
    /// message.
    func gatheringLimit(isReaderWaiting: Bool, unreadLimit: Int, readLimit: Int) -> Int {
        let isAwaited = isReaderWaiting && !wantsPieces && inbox.isEmpty
        let limit = isAwaited ? .max : max(1, unreadLimit - inboxCost)
        // Compressed content may become many times as long before memory is checked again.
        return min(limit, collector.heldByteCount + min(readLimit, Self.gatheringStep))
    }

    // MARK: Turns

    /// - Returns: False if the bytes are being parsed already.
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

    /// Takes over a block that begins with so many bytes.
    mutating func fill(_ filled: consuming Block, byteCount: Int) {
        block = consume filled
        (position, end) = (0, byteCount)
    }

    /// Passes the bytes to the handshake. Without a block it passes none.
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
    /// - Parameter limit: It stops when it holds so many bytes of content.
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

    /// Reads the next message, if the block begins with all of its only frame, as usual.
    ///
    /// - Parameter costLimit: The message is dropped if the waiting ones cost so much.
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

    /// Moves bytes that have to wait to memory of their size, if they fill less than half of the block: it may be for
    /// long.
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

    /// Drops the block with all its bytes.
    mutating func dropBlock(of stream: ByteStream) {
        if let block = block.take() { stream.giveBack(block) }
        (position, end, isOffered) = (0, 0, false)
    }

    /// Drops the block if all its bytes were taken.
    mutating func dropEmptyBlock(of stream: ByteStream) {
        if position == end { dropBlock(of: stream) }
    }

    // MARK: Messages

    /// Makes a message of the collected content, unless messages are dropped.
    ///
    /// - Parameter costLimit: The message is dropped if the waiting ones cost so much.
    mutating func endMessage(_ kind: WebSocketMessageKind, costLimit: Int) {
        add(WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: true), costLimit: costLimit)
    }

    private mutating func add(_ piece: WebSocketPiece, costLimit: Int) {
        guard inboxCost < costLimit, !dropsMessages else { return }
        inbox.append(piece)
        inboxCost += piece.content.count + Self.messageCost
    }

    /// Takes the oldest whole message, or the last piece of it; then ``leaveMessage()`` follows.
    mutating func popMessage() -> WebSocketPiece? {
        guard let piece = inbox.popFirst() else { return nil }
        inboxCost -= piece.content.count + Self.messageCost
        isReaderBusy = true
        return piece
    }

    /// Stores that the reader has taken the end of a message.
    mutating func leaveMessage() { isInsideMessage = false }

    /// Takes the collected part of a message, and stores that the reader is inside it; nil if there is none.
    mutating func takePart() -> WebSocketPiece? {
        guard let kind = collector.heldKind else { return nil }
        isInsideMessage = true
        isReaderBusy = true
        return WebSocketPiece(kind: kind, content: collector.takeContent(), isLast: false)
    }

    /// Drops the collected part of a message.
    mutating func dropPart() { _ = collector.takeContent() }

    /// Drops all messages, now and later.
    mutating func dropMessages() {
        (dropsMessages, isOffered) = (true, false)
        inbox = Queue()
        inboxCost = 0
        dropPart()
    }

    // MARK: The reader

    /// Reads one message for the reader that waits, and offers it the block, if there is much in the block.
    ///
    /// The reader then takes its next messages with ``takeOfferedMessage(from:)``: each one is made when it is wanted,
    /// in memory that the one before has just left. What it does not take must be parsed in the same turn of the loop,
    /// because there may be a ping in it.
    ///
    /// - Returns: Whether a message was read.
    mutating func offerBlock(of engine: inout WebSocketEngine) -> Bool {
        guard !wantsPieces, inbox.isEmpty, restByteCount >= Self.leastOffer,
            gatherWholeMessage(from: &engine, costLimit: .max)
        else { return false }
        isOffered = true
        return true
    }

    /// Takes the next message from the offered block, if the block begins with all of its only frame.
    mutating func takeOfferedMessage(from engine: inout WebSocketEngine) -> WebSocketMessage? {
        guard isOffered, inbox.isEmpty, let base = unsafe block?.base else { return nil }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: base + position, byteCount: restByteCount)
        guard let whole = engine.takeWholeMessage(from: bytes) else { return nil }
        position += whole.byteCount
        isReaderBusy = true
        return whole.content
    }

    /// Stores what the reader is about to wait for. It drops the remaining pieces of a message that it has begun.
    mutating func prepareWait(forPieces: Bool) { wantsPieces = forPieces || isInsideMessage }

    /// Stores that the reader waits for more.
    mutating func readerWaits() { isReaderBusy = false }
}
