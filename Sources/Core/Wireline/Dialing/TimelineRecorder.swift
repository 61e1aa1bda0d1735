// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

package final class TimelineRecorder: Sendable {
    private struct State {
        var timeline = ConnectionTimeline()
        var start = MonotonicTime.now
        var handler: (@Sendable (ConnectionTimeline) -> Void)?
        var hasEnded = false
    }

    private let state = Lock(State())

    package init() {}

    package var timeline: ConnectionTimeline { state.withLock(\.timeline) }

    func begin(_ host: String, _ port: UInt16, handler: (@Sendable (ConnectionTimeline) -> Void)?) {
        state.withLock { state in
            state.start = .now
            state.timeline.host = host
            state.timeline.port = port
            state.handler = handler
        }
    }

    func note(_ event: ConnectionTimeline.Event) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.timeline.entries.append(.init(time: state.start.duration(to: .now), event: event))
        }
    }

    /// Records that the TLS handshake is complete, and the result of the pins, if there are any.
    func noteHandshakeEnd(of tls: TLSTransform?) {
        note(.handshakeEnded)
        guard let outcome = tls?.engine.pinOutcome, outcome != .notChecked else { return }
        note(.pinsChecked(outcome))
    }

    /// Records the end once, and calls the handler. Later events are not recorded.
    func close(_ error: ConnectionError?) {
        note(.closed(error))
        let (handler, timeline) = state.withLock { state in
            state.hasEnded = true
            return (state.handler.take(), state.timeline)
        }
        handler?(timeline)
    }
}
