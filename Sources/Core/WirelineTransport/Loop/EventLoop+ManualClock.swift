// SPDX-License-Identifier: Apache-2.0

/// Loops with a clock that a test moves.
extension EventLoop {
    /// Moves the clock, and fires each due timer, in the order of the deadlines.
    ///
    /// Before the clock moves on, the loop does all work that a timer begins. The call returns when the loop is idle.
    package func advance(by duration: Duration) async {
        await withCheckedContinuation { continuation in
            whenIdle { self.advance(to: self.clockTime + duration) { continuation.resume() } }
        }
    }

    /// Moves the clock to the next timer, or to `end` if that comes first.
    ///
    /// - Returns: Whether a timer is due at that time.
    package func advanceToNextTimer(before end: MonotonicTime) -> Bool {
        let next = nextDeadline.map { $0 <= end } ?? false
        manualClock?.move(to: next ? nextDeadline ?? end : end)
        return next
    }

    private func advance(to end: MonotonicTime, _ completion: @escaping @Sendable () -> Void) {
        guard advanceToNextTimer(before: end) else { return completion() }
        whenIdle { self.advance(to: end, completion) }
    }

    /// Waits until nothing is left to do before the clock moves.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in whenIdle { continuation.resume() } }
    }

    /// Calls an action on the loop's thread when nothing is left to do before the clock moves.
    ///
    /// The loop calls actions in order, each after the work that the one before has begun. May be called on any thread.
    package func whenIdle(_ action: @escaping @Sendable () -> Void) {
        precondition(manualClock != nil, "a loop with the system's clock is never known to be idle")
        if isCurrent { idleActions.append(action) } else { post(.whenIdle(action)) }
    }

    /// Zero if the moment has passed.
    package func timeLeft(until moment: MonotonicTime) -> Duration { max(.zero, clockTime.duration(to: moment)) }

    /// Nil: there is none. Use it on the loop's thread.
    package var nextDeadline: MonotonicTime? { timers.nextDeadline }

    /// Whether a timer is due: at the clock's time, or in the turn after this one.
    var hasDueTimer: Bool {
        guard let deadline = timers.nextDeadline, let manualClock else { return false }
        return deadline <= manualClock.now + .nanoseconds(1)
    }

    /// Calls the next idle action, if nothing is left to do. A timer for the next turn moves the clock by a nanosecond.
    func beIdle() {
        guard jobs.isEmpty, unfinished.isEmpty, unsent.isEmpty else { return }
        if hasDueTimer {
            if let deadline = timers.nextDeadline { manualClock?.move(to: deadline) }
        } else if let action = idleActions.popFirst() {
            action()
        }
        passTurn()
        turnStart = clockTime
    }
}
