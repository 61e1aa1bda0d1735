// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Takes note of what happens to a connection that is being made, and later to the connection.
package final class TimelineRecorder: Sendable {
    private struct State {
        var timeline = ConnectionTimeline()
        var start = MonotonicTime.now
        var handler: (@Sendable (ConnectionTimeline) -> Void)?
        var hasEnded = false
    }

    private let state = Lock(State())

    package init() {}

    /// What has been noted.
    package var timeline: ConnectionTimeline { state.withLock(\.timeline) }

    /// Begins to count the time.
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

    /// Notes that the TLS handshake is complete, and what has become of the pins, where there are any.
    func noteHandshakeEnd(of tls: TLSTransform?) {
        note(.handshakeEnded)
        guard let outcome = tls?.engine.pinOutcome, outcome != .notChecked else { return }
        note(.pinsChecked(outcome))
    }

    /// Notes the end, unless it has been noted: nothing follows, and whoever is to be told is told.
    func close(_ error: ConnectionError?) {
        note(.closed(error))
        let (handler, timeline) = state.withLock { state in
            state.hasEnded = true
            return (state.handler.take(), state.timeline)
        }
        handler?(timeline)
    }
}
