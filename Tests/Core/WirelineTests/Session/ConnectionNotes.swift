// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

extension TLSPinOutcome {
    /// The keys of a chain without a pinned key.
    var mismatchedKeys: [TLSKeyHash]? { if case .mismatched(let received) = self { received } else { nil } }
}

/// What is reported about a session's connections: a timeline of each attempt, and what the log says at an end.
final class ConnectionNotes: Sendable {
    let timelines = Seen<ConnectionTimeline>()
    let loggedEnds = Seen<String?>()

    /// Takes an entry of a log.
    @Sendable func record(_ entry: TrafficLog.Entry) {
        if case .ended(let cause) = entry.event { loggedEnds.add(cause) }
    }

    /// The events of each attempt, up to the first attempt with a given event.
    func events(upToOneWith event: ConnectionTimeline.Event) async -> [[ConnectionTimeline.Event]] {
        var events: [[ConnectionTimeline.Event]] = []
        repeat {
            events = await timelines.first(events.count + 1).map { $0.entries.map(\.event) }
        } while events.last?.contains(event) != true
        return events
    }
}
