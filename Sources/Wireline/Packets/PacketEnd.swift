// SPDX-License-Identifier: Apache-2.0

/// How far a packet connection is from its end, and why. Only the connection's loop uses this.
struct PacketEnd {
    /// What a reader gets after the packets that have arrived.
    enum InputEnd {
        /// The peer has ended its stream.
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
        /// The connection closes when the peer has taken the output and has ended, too. Input is dropped.
        case leaving(InputEnd)
        case closed(InputEnd, wasLeaving: Bool)
    }

    private enum PeerEnd {
        case none
        /// The peer sends no more. What it has sent may be unread.
        case heard
        /// Everything that the peer has sent was read.
        case read
    }

    private var state = State.open(drainEnd: .max)
    private var peerEnd = PeerEnd.none
    /// What the batch handler has thrown, or the error that has ended the stream, whichever came first.
    private(set) var failure: (any Error)?

    /// The end of the input; nil while packets arrive.
    var input: InputEnd? {
        switch state {
        case .open: nil
        case .inputEnded(let end), .leaving(let end), .closed(let end, _): end
        }
    }

    /// The error that has ended the input; nil if there is none, or if the peer has ended its stream.
    var inputError: ConnectionError? { if case .failed(let error) = input { error } else { nil } }

    /// Whether the connection only waits until it can close, or has closed after that.
    var isLeaving: Bool {
        switch state {
        case .open, .inputEnded: false
        case .leaving: true
        case .closed(_, let wasLeaving): wasLeaving
        }
    }

    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether the peer sends no more, although what it has sent may be unread.
    var hasPeerEnded: Bool { peerEnd != .none }

    /// Whether everything that the peer has sent was read.
    var isPeerReadToEnd: Bool { peerEnd == .read }

    /// The number of the socket's bytes after which the input ends; nil if the server does not drain.
    var drainEnd: UInt64? { if case .open(let end) = state, end != .max { end } else { nil } }

    /// Whether the server drains, although some of what it still takes may be unread.
    var isDraining: Bool { if case .drained = input { true } else { drainEnd != nil } }

    /// Why the connection ends, for its owner: nil if both sides have ended it in order.
    var reason: (any Error)? { failure ?? (isLeaving ? nil : inputError) }

    // MARK: Changes

    /// Ends the input after a number of bytes of the socket.
    mutating func drain(after byteCount: UInt64) {
        if case .open(let end) = state { state = .open(drainEnd: min(end, byteCount)) }
    }

    /// Ends the input, unless it has ended.
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

    /// Keeps the first failure.
    mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    mutating func hearPeerEnd() {
        if peerEnd == .none { peerEnd = .heard }
    }

    mutating func readPeerEnd() { peerEnd = .read }

    /// Begins to leave. The input ends, unless it has ended.
    mutating func leave() { state = .leaving(input ?? .failed(.transport(.closed))) }

    /// Closes. The input ends, unless it has ended.
    ///
    /// - Returns: Whether it was not closed before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        state = .closed(input ?? .failed(.transport(.closed)), wasLeaving: isLeaving)
        return true
    }
}
