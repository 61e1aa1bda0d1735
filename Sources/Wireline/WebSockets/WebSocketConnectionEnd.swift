// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// How far a WebSocket's connection is from its end, and why. Only the connection's loop uses this.
///
/// The close frames of both sides are the engine's: it says how the WebSocket has ended (`WebSocketEnd`).
struct WebSocketConnectionEnd {
    private enum State {
        /// Bytes arrive, unless the peer has ended its stream. Output goes on.
        case open(hasInputEnded: Bool)
        /// All output was written, and input is dropped. The connection closes when the peer has taken the output and
        /// has ended, too, or at the deadline.
        case finishing(hasInputEnded: Bool, deadline: MonotonicTime)
        case closed
    }

    private enum PeerState {
        case open
        case closed(WebSocketClose, isLogged: Bool)
        /// The peer's bytes were invalid. The engine has the error.
        case faulty
    }

    private enum Failure {
        case error(ConnectionError)
        /// The peer answered no heartbeat.
        case silence
    }

    private var state = State.open(hasInputEnded: false)
    private var peer = PeerState.open
    /// What has ended the connection before the engine knew of an end.
    private var failure: Failure?
    /// Why output reaches the peer no more, although the peer's last bytes may still be read.
    private(set) var outputError: ConnectionError?
    /// Whether the waiting tasks know that the WebSocket has ended.
    private(set) var isAnnounced = false
    private var isCloseLogged = false

    /// Whether the peer sends no more, although what it has sent may be unread.
    var hasInputEnded: Bool {
        switch state {
        case .open(let hasInputEnded), .finishing(let hasInputEnded, _): hasInputEnded
        case .closed: true
        }
    }

    /// Whether the connection only waits until it can close.
    var isFinishing: Bool { if case .finishing = state { true } else { false } }

    /// The time at which it closes in any case; nil if it is not finishing.
    var finishDeadline: MonotonicTime? { if case .finishing(_, let deadline) = state { deadline } else { nil } }

    /// The error that has ended the connection; nil if there is none, or if only the engine knows it.
    var error: ConnectionError? {
        switch failure {
        case .error(let error): error
        case .silence: .transport(.timedOut)
        case nil: nil
        }
    }

    /// Whether the connection was given up because the peer answered no heartbeat.
    var isPeerSilent: Bool { if case .silence = failure { true } else { false } }

    /// The content of the peer's close frame; nil before it has arrived.
    var peerClose: WebSocketClose? { if case .closed(let close, _) = peer { close } else { nil } }

    /// Whether the peer's bytes were invalid.
    var isPeerFaulty: Bool { if case .faulty = peer { true } else { false } }

    /// Whether the peer may send messages: it has not closed the WebSocket, and its bytes were valid.
    var isPeerOpen: Bool { if case .open = peer { true } else { false } }

    // MARK: Changes

    /// Keeps the first error.
    mutating func fail(_ error: ConnectionError?) {
        if failure == nil, let error { failure = .error(error) }
    }

    /// Fails because the peer answered no heartbeat.
    mutating func failForSilence() {
        if failure == nil { failure = .silence }
    }

    mutating func failOutput(_ error: ConnectionError) { outputError = error }

    /// Stores the peer's close frame, which comes once at most.
    mutating func peerClosed(_ close: WebSocketClose) { peer = .closed(close, isLogged: false) }

    /// Stores that the peer's bytes were invalid.
    mutating func peerFailed() { peer = .faulty }

    mutating func endInput() {
        switch state {
        case .open: state = .open(hasInputEnded: true)
        case .finishing(_, let deadline): state = .finishing(hasInputEnded: true, deadline: deadline)
        case .closed: break
        }
    }

    /// Begins to wait until the connection can close, at most until a deadline. A later call moves the deadline.
    mutating func finish(by deadline: MonotonicTime) {
        switch state {
        case .open(let hasInputEnded), .finishing(let hasInputEnded, _):
            state = .finishing(hasInputEnded: hasInputEnded, deadline: deadline)
        case .closed: break
        }
    }

    /// Closes.
    ///
    /// - Returns: Whether it was not closed before.
    mutating func close() -> Bool {
        if case .closed = state { return false }
        state = .closed
        return true
    }

    /// Marks the end as known to the waiting tasks.
    ///
    /// - Returns: Whether it was not before.
    mutating func announce() -> Bool {
        defer { isAnnounced = true }
        return !isAnnounced
    }

    // MARK: The log

    /// Takes the peer's close frame for the log; nil if there is none, or if it was taken before.
    mutating func takePeerCloseToLog() -> WebSocketClose? {
        guard case .closed(let close, isLogged: false) = peer else { return nil }
        peer = .closed(close, isLogged: true)
        return close
    }

    /// Marks this side's close frame as logged.
    ///
    /// - Returns: Whether it was not before.
    mutating func markCloseAsLogged() -> Bool {
        defer { isCloseLogged = true }
        return !isCloseLogged
    }
}
