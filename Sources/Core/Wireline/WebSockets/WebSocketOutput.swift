// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The messages that wait to be sent on a WebSocket, and their turns. Only the connection's loop uses this.
///
/// A message in parts keeps its turn until its last part is sent. Its parts have a queue of their own. Other messages
/// wait until it is complete.
struct WebSocketOutput {
    typealias Outgoing = WebSocketConnection.Outgoing

    var messages = SendQueue<Outgoing>()
    /// The waiting parts of the message whose turn it is.
    var parts = SendQueue<Outgoing>()
    /// The sender of the message in parts whose turn it is.
    private var writer: WebSocketWriter?
    /// The sender whose message is partly compressed.
    private var compressing: WaitTicket?
    private var isPumping = false
    /// Whether the senders wait for the turns of other connections.
    private(set) var continuesLater = false
    private var onRoom: (() -> Void)?

    // MARK: What waits

    var waitingCount: Int { messages.count + parts.count }

    /// Whether a message could be sent now: no other one waits, and none is sent in parts.
    var isFree: Bool { messages.isEmpty && writer == nil }

    var isInParts: Bool { writer != nil }

    func isNext(_ outgoing: Outgoing) -> Bool { outgoing.isPart ? parts.isEmpty : messages.isEmpty }

    // MARK: Messages in parts

    func isTurn(of writer: WebSocketWriter) -> Bool { self.writer === writer }

    mutating func beginParts(of writer: WebSocketWriter) { self.writer = writer }

    mutating func endParts() { writer = nil }

    // MARK: Compression

    /// Begins or continues to compress a sender's message.
    ///
    /// - Returns: Whether an earlier result belongs to another sender, and must be dropped.
    mutating func compress(for sender: WaitTicket?) -> Bool {
        defer { compressing = sender }
        return compressing !== sender || sender == nil
    }

    /// Ends the compression for a cancelled sender.
    ///
    /// - Returns: Whether there is a partial result, which must be dropped.
    mutating func endCompression(for sender: WaitTicket) -> Bool {
        guard compressing === sender else { return false }
        compressing = nil
        return true
    }

    // MARK: Turns

    /// - Returns: False if the output is already being passed on.
    mutating func beginPumping() -> Bool {
        defer { isPumping = true }
        return !isPumping
    }

    mutating func endPumping() { isPumping = false }

    /// - Returns: False if the senders already wait for a later turn.
    mutating func continueLater() -> Bool {
        defer { continuesLater = true }
        return !continuesLater
    }

    mutating func turnCame() { continuesLater = false }

    // MARK: Room

    var isRoomAwaited: Bool { onRoom != nil }

    /// Stores a closure that is called once, when there is room again, or when nothing can be sent any more.
    mutating func awaitRoom(_ action: @escaping () -> Void) { onRoom = action }

    mutating func takeRoomAction() -> (() -> Void)? { onRoom.take() }
}

/// Identifies the sender of a message in parts.
final class WebSocketWriter: Sendable {
    let kind: WebSocketMessageKind

    init(_ kind: WebSocketMessageKind) {
        self.kind = kind
    }
}
