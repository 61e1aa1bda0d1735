// SPDX-License-Identifier: Apache-2.0

/// A socket that a loop watches, listening or connected.
@usableFromInline
package class PollTarget {
    func becameReady(_ readiness: Poller.Readiness) {}

    /// Continues with what it asked the loop to call later.
    func goOn() {}

    /// Sends what was written in this turn.
    func endTurn() {}

    /// Makes the next writer reserve memory again.
    package func endFreeWriting() {}

    /// Its turn took this many nanoseconds, including the tasks that it woke.
    func tookTime(_ nanoseconds: Int64, until now: MonotonicTime) {}
}
