// SPDX-License-Identifier: Apache-2.0

/// How busy an event loop is.
public struct EventLoopCounters: Equatable, Sendable {
    /// How long the loop's turns took, from the end of a wait to the beginning of the next one.
    ///
    /// A socket that becomes ready during a turn waits until its end. So these are the delays of all connections of the
    /// loop. ``Histogram/longest`` is the longest turn since the loop started.
    public var turns = Histogram()
    /// The number of sockets that the loop watches: connections and listeners.
    public var socketCount = 0
    /// The number of timers that are set.
    public var timerCount = 0
    /// The number of connections and jobs that had more to do than one turn allows, and continue in the next turn.
    public var unfinishedCount = 0

    /// Makes counters that are all 0.
    public init() {}
}

extension EventLoopGroup {
    /// The counters of each loop, in the order of ``loops``.
    ///
    /// A loop answers at the end of its turn. So this waits for a handler that blocks a loop.
    public func counters() async -> [EventLoopCounters] {
        var counters: [EventLoopCounters] = []
        for loop in loops { counters.append(await loop.counters()) }
        return counters
    }
}
