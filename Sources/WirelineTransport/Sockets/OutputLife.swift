// SPDX-License-Identifier: Apache-2.0

/// The life of a stream's output: whether it takes bytes, and how it ended.
struct OutputLife {
    private enum State {
        case open
        /// No more bytes are taken; the end of stream follows those that are queued.
        case ending
        /// The end of stream was sent.
        case ended
        /// The connection is over, before or after the end of stream was sent; `code` is the `errno`.
        case failed(code: Int32, hasEnded: Bool)
    }

    private var state = State.open

    /// Whether more bytes are taken.
    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether the end of stream was sent.
    var hasEnded: Bool {
        switch state {
        case .open, .ending: false
        case .ended: true
        case .failed(_, let hasEnded): hasEnded
        }
    }

    /// Whether the connection is over, although there may be data to read.
    var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// The error that ended the connection; reading reports it after the data before it.
    var failure: SystemCallError? {
        if case .failed(let code, _) = state { SystemCallError("recv", code) } else { nil }
    }

    /// Takes no more bytes.
    mutating func beginEnd() {
        if isOpen { state = .ending }
    }

    /// Notes that the end of stream was sent.
    mutating func end() {
        switch state {
        case .open, .ending, .ended: state = .ended
        case .failed(let code, _): state = .failed(code: code, hasEnded: true)
        }
    }

    /// Notes that the connection is over.
    mutating func fail(_ error: SystemCallError) {
        state = .failed(code: error.code, hasEnded: hasEnded)
    }
}
