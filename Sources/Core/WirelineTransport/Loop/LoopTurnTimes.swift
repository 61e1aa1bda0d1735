// SPDX-License-Identifier: Apache-2.0

/// The durations of a loop's turns, and the closures that get reports of slow ones. Only the loop's thread uses this.
struct LoopTurnTimes {
    private struct Watch {
        let number: UInt64
        let limit: Int64
        let report: (Duration) -> Void
        /// The time before which nothing is reported.
        var silentUntil = MonotonicTime(nanoseconds: .min)
        /// The longest turn that the watch has not reported.
        var longest: Int64 = 0
    }

    /// The shortest time between two reports of slow turns to the same watch.
    static let reportInterval = Duration.seconds(1)

    private(set) var turns = Histogram()
    private var watches: [Watch] = []
    private var lastNumber: UInt64 = 0
    /// The shortest time, in nanoseconds, of a turn that is slow for one of the watches.
    private var limit = Int64.max

    /// - Returns: Whether the turn was slow for one of the watches.
    mutating func count(nanoseconds: Int64) -> Bool {
        turns.record(nanoseconds: nanoseconds)
        return nanoseconds >= limit
    }

    /// Returns the watch's number.
    mutating func add(limit: Duration, _ report: @escaping (Duration) -> Void) -> UInt64 {
        lastNumber += 1
        watches.append(Watch(number: lastNumber, limit: limit.wholeNanoseconds, report: report))
        setLimit()
        return lastNumber
    }

    mutating func remove(_ number: UInt64) {
        watches.removeAll { $0.number == number }
        setLimit()
    }

    private mutating func setLimit() { limit = watches.map(\.limit).min() ?? .max }

    /// Returns the reports that are due after a slow turn.
    mutating func takeReports(nanoseconds: Int64, at now: MonotonicTime) -> [() -> Void] {
        var reports: [() -> Void] = []
        for index in watches.indices where nanoseconds >= watches[index].limit {
            let longest = max(watches[index].longest, nanoseconds)
            guard watches[index].silentUntil <= now else {
                watches[index].longest = longest
                continue
            }
            watches[index].silentUntil = now + Self.reportInterval
            watches[index].longest = 0
            let report = watches[index].report
            reports.append { report(.nanoseconds(longest)) }
        }
        return reports
    }
}

extension EventLoop {
    package struct SlowTurnWatch: Sendable {
        let number: UInt64
    }
}
