// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// The state of a connection's end, and its reason. Only the connection's loop uses this.
///
/// The engine has the close frames of both sides, and knows how the WebSocket has ended (`WebSocketEnd`).
struct WebSocketConnectionEnding {
    private enum State {
        /// Bytes arrive, unless the peer has ended its stream. Output continues.
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
    /// The failure that came before the engine knew of an end.
    private var failure: Failure?
    /// The reason why output cannot reach the peer, although the peer's last bytes may still be read.
    private(set) var outputError: ConnectionError?
    private(set) var isAnnounced = false
    private var isCloseLogged = false

    /// Whether the peer has ended its stream. Some of its bytes may be unread.
    var hasInputEnded: Bool {
        switch state {
        case .open(let hasInputEnded), .finishing(let hasInputEnded, _): hasInputEnded
        case .closed: true
        }
    }

    var isFinishing: Bool { if case .finishing = state { true } else { false } }

    /// The time at which the connection closes in any case; nil if it is not finishing.
    var finishDeadline: MonotonicTime? { if case .finishing(_, let deadline) = state { deadline } else { nil } }

    /// The error that has ended the connection; nil if there is none, or if only the engine has it.
    var error: ConnectionError? {
        switch failure {
        case .error(let error): error
        case .silence: .transport(.timedOut)
        case nil: nil
        }
    }

    var isPeerSilent: Bool { if case .silence = failure { true } else { false } }

    var peerClose: WebSocketClose? { if case .closed(let close, _) = peer { close } else { nil } }

    var isPeerFaulty: Bool { if case .faulty = peer { true } else { false } }

    var isPeerOpen: Bool { if case .open = peer { true } else { false } }

    // MARK: Changes

    /// Stores an error; the first one stays.
    mutating func fail(_ error: ConnectionError?) {
        if failure == nil, let error { failure = .error(error) }
    }

    mutating func failForSilence() {
        if failure == nil { failure = .silence }
    }

    mutating func failOutput(_ error: ConnectionError) { outputError = error }

    mutating func peerClosed(_ close: WebSocketClose) { peer = .closed(close, isLogged: false) }

    mutating func peerFailed() { peer = .faulty }

    mutating func endInput() {
        switch state {
        case .open: state = .open(hasInputEnded: true)
        case .finishing(_, let deadline): state = .finishing(hasInputEnded: true, deadline: deadline)
        case .closed: break
        }
    }

    /// Begins to wait until the connection can close, or continues with another deadline.
    mutating func finish(by deadline: MonotonicTime) {
        switch state {
        case .open(let hasInputEnded), .finishing(let hasInputEnded, _):
            state = .finishing(hasInputEnded: hasInputEnded, deadline: deadline)
        case .closed: break
        }
    }

    /// - Returns: Whether it was not closed before.
    mutating func close() -> Bool {
        if case .closed = state { return false }
        state = .closed
        return true
    }

    /// - Returns: Whether the end was not announced before.
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

    /// - Returns: Whether the close frame was not logged before.
    mutating func markCloseAsLogged() -> Bool {
        defer { isCloseLogged = true }
        return !isCloseLogged
    }
}
