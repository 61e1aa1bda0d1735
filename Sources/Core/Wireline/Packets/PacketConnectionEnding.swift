// SPDX-License-Identifier: Apache-2.0

/// The state of a packet connection's end, and its reason. Only the connection's loop uses this.
struct PacketConnectionEnding {
    /// The result that a reader gets after all packets that have arrived.
    enum InputEnd {
        case endOfStream
        /// A server that drains wants no more packets.
        case drained
        case failed(ConnectionError)
    }

    private enum State {
        /// Packets arrive. While the server drains, the input ends after this number of bytes; `UInt64.max`: it does
        /// not drain.
        case open(drainEnd: UInt64)
        /// No further packet is taken. Output continues.
        case inputEnded(InputEnd)
        /// The connection closes when the peer has received the output and has ended, too. Input is dropped.
        case leaving(InputEnd)
        case closed(InputEnd, wasLeaving: Bool)
    }

    private enum PeerEnd {
        case none
        /// The peer has ended its stream, but some of its bytes may be unread.
        case ended
        case read
    }

    private var state = State.open(drainEnd: .max)
    private var peerEnd = PeerEnd.none
    /// The error of the batch handler, or the error that has ended the stream, whichever came first.
    private(set) var failure: (any Error)?

    var input: InputEnd? {
        switch state {
        case .open: nil
        case .inputEnded(let end), .leaving(let end), .closed(let end, _): end
        }
    }

    /// The error that ended the input; nil if there is none, or if the peer ended its stream.
    var inputError: ConnectionError? { if case .failed(let error) = input { error } else { nil } }

    /// Whether the connection only waits until it can close, or has closed after such a wait.
    var isLeaving: Bool {
        switch state {
        case .open, .inputEnded: false
        case .leaving: true
        case .closed(_, let wasLeaving): wasLeaving
        }
    }

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether the peer has ended its stream. Some of its bytes may be unread.
    var hasPeerEnded: Bool { peerEnd != .none }

    var isPeerReadToEnd: Bool { peerEnd == .read }

    /// The count of the socket's bytes after which the input ends; nil if the server does not drain.
    var drainEnd: UInt64? { if case .open(let end) = state, end != .max { end } else { nil } }

    /// Whether the server drains. Some of the bytes that it still takes may be unread.
    var isDraining: Bool { if case .drained = input { true } else { drainEnd != nil } }

    /// The reason for the owner; nil if both sides have ended the connection in order.
    var reason: (any Error)? { failure ?? (isLeaving ? nil : inputError) }

    // MARK: Changes

    /// Ends the input after `byteCount` bytes of the socket.
    mutating func drain(after byteCount: UInt64) {
        if case .open(let end) = state { state = .open(drainEnd: min(end, byteCount)) }
    }

    /// Ends the input; the first end stays.
    mutating func endInput(_ end: InputEnd) {
        if case .open = state { state = .inputEnded(end) }
    }

    /// Ends the input with an error, which replaces an earlier end.
    mutating func failInput(_ error: ConnectionError) {
        switch state {
        case .open, .inputEnded: state = .inputEnded(.failed(error))
        case .leaving: state = .leaving(.failed(error))
        case .closed(_, let wasLeaving): state = .closed(.failed(error), wasLeaving: wasLeaving)
        }
    }

    /// Stores a failure; the first one stays.
    mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    mutating func notePeerEnd() {
        if peerEnd == .none { peerEnd = .ended }
    }

    mutating func notePeerReadToEnd() { peerEnd = .read }

    /// Begins to leave. If the input has not ended, it ends, too.
    mutating func leave() { state = .leaving(input ?? .failed(.transport(.closed))) }

    /// Closes. If the input has not ended, it ends, too.
    ///
    /// - Returns: Whether it was not closed before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        state = .closed(input ?? .failed(.transport(.closed)), wasLeaving: isLeaving)
        return true
    }
}
