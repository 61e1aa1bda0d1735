// SPDX-License-Identifier: Apache-2.0

/// Whether a stream's output takes bytes, and how it ended.
struct OutputState {
    private enum State {
        case open
        /// No more bytes are taken; the end of stream follows those that are queued.
        case ending
        case ended
        /// The connection is over, before or after the end of stream was sent; `code` is the `errno`.
        case failed(code: Int32, hasEnded: Bool)
    }

    private var state = State.open

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    var hasEnded: Bool {
        switch state {
        case .open, .ending: false
        case .ended: true
        case .failed(_, let hasEnded): hasEnded
        }
    }

    /// The connection is over, but there may be data to read.
    var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// The error that ended the connection; reading reports it after the data before it.
    var failure: SystemCallError? {
        if case .failed(let code, _) = state { SystemCallError("recv", code) } else { nil }
    }

    mutating func beginEnd() {
        if isOpen { state = .ending }
    }

    mutating func end() {
        switch state {
        case .open, .ending, .ended: state = .ended
        case .failed(let code, _): state = .failed(code: code, hasEnded: true)
        }
    }

    mutating func fail(_ error: SystemCallError) {
        state = .failed(code: error.code, hasEnded: hasEnded)
    }
}
