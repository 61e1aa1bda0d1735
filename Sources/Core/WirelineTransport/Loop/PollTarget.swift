// SPDX-License-Identifier: Apache-2.0

/// A socket that a loop watches, listening or connected.
@usableFromInline
package class PollTarget {
    func becameReady(_ readiness: Poller.Readiness) {}

    /// Continues the work for which the target has asked the loop.
    func continueWork() {}

    func endTurn() {}

    /// Makes the next writer reserve memory again.
    package func endFreeWriting() {}

    /// The time includes the tasks that the target woke.
    func tookTime(_ nanoseconds: Int64, until now: MonotonicTime) {}
}
