// SPDX-License-Identifier: Apache-2.0

public import CWirelineSystem

/// A thread that waits for sockets and timers, and runs the tasks that handle them.
///
/// All work of a connection runs on the thread of one loop: its state, the task that reads from it, and what that task
/// awaits. So a packet needs no lock and no wake-up. Code on the loop must not block or compute for long, because every
/// connection of the loop would wait. Move such work to a task of its own (`Task.detached`, or a function marked
/// `@concurrent`).
///
/// A turn of the loop consists of one wait, the handling of everything that became ready, and the tasks that this
/// resumes. Output of a turn is sent at its end at the latest.
///
/// No connection delays the others for long. The loop measures how long each one keeps it busy. One that needs more
/// than its share continues in a later turn, after those that need little.
///
/// A loop's thread runs until the process ends. Make few of them: more than one per core does not help.
///
/// Why `@unchecked Sendable` is right: `inbox` is `Sendable`, and all other properties are used only on the loop's
/// own thread. `preconditionIsCurrent()` checks this where other threads could call. State that changes with every
/// event is `@exclusivity(unchecked)`: no access to it calls other code while it lasts.
public final class EventLoop: @unchecked Sendable {
    private let inbox: LoopInbox
    /// Work from the inbox that was not done yet. If there is any, ``workOff()`` runs, or is in ``unfinished``.
    @safe @exclusivity(unchecked) private var arrived = Queue<LoopInbox.Work>()

    private var poller: Poller
    private var watchedCount = 0
    private var memoryReturn = MemoryReturn()
    /// The number of ready sockets in the turns since timers last fired.
    private var readySocketCount = 0
    private(set) var timers = TimerQueue()
    @safe @exclusivity(unchecked) private(set) var jobs = Queue<LoopJob>()
    @safe @exclusivity(unchecked) var blocks = BlockPool()

    /// Targets unwatched since the last wait: events of that wait may still name them.
    private var closed: [PollTarget] = []
    /// Targets that have something to send when the turn ends.
    @safe @exclusivity(unchecked) private(set) var unsent: [PollTarget] = []
    /// Work that continues without a new event.
    @safe @exclusivity(unchecked) private(set) var unfinished = UnfinishedWork()

    /// The time that the loop compares with deadlines.
    ///
    /// When timers fire, every socket that was ready at this time has been read, up to the limit of one turn. It is the
    /// start of the current turn, or an earlier time while sockets wait that became ready in an earlier turn.
    @safe @exclusivity(unchecked) package private(set) var turnTime = MonotonicTime.now
    @safe @exclusivity(unchecked) var turnStart = MonotonicTime.now
    /// The value of ``now``, if it has been asked for.
    @safe @exclusivity(unchecked) private var time: MonotonicTime?

    /// The share of work that each socket, job or timer may do at once. Only the loop and its inlined methods change
    /// it.
    @safe @exclusivity(unchecked) @usableFromInline var share = LoopShare()
    @safe @exclusivity(unchecked) private var sliceStart = MonotonicTime.now
    #if DEBUG
        @safe @exclusivity(unchecked) var steps = LoopSteps()
    #endif
    /// Whether the limit on bytes sent at once is lifted.
    @safe @exclusivity(unchecked) private(set) var ignoresShare = false
    @safe @exclusivity(unchecked) private var turnTimes = LoopTurnTimes()
    /// The clock that a test moves; nil: the system's.
    package let manualClock: ManualClock?
    /// The network that its sockets belong to; nil: the system's.
    package let network: LoopNetwork?
    /// Actions for the time when the loop has nothing left to do before the clock moves; the loop calls one at a time.
    var idleActions = Queue<@Sendable () -> Void>()
    private var isStopped = false
    /// The number of closures of ``execute(_:)`` that run, each inside the one before.
    @safe @exclusivity(unchecked) private var executeDepth = 0
    /// A limit that only endless work reaches.
    private static let mostExecuteDepth = 32
    /// Closures of ``executeInTurn(_:)`` that have not ended; the first one runs, or waits for the next turn.
    @safe @exclusivity(unchecked) private var inTurn = Queue<@Sendable () -> Void>()

    /// Runs actors on this loop: their `unownedExecutor` is its `asUnownedSerialExecutor()`.
    package let actorExecutor = LoopActorExecutor()

    /// Starts a thread with a loop.
    ///
    /// - Throws: ``TransportError/system(_:)`` if the system has no descriptor or no thread left.
    public convenience init() throws(TransportError) {
        try self.init(eventLimit: 512)
    }

    /// - Parameters:
    ///   - eventLimit: The largest number of sockets that it handles in one turn.
    ///   - manualClock: The clock that a test moves; nil: the system's.
    ///   - network: The network that its sockets belong to; nil: the system's.
    package init(
        eventLimit: Int, manualClock: ManualClock? = nil, network: LoopNetwork? = nil
    ) throws(TransportError) {
        self.manualClock = manualClock
        self.network = network
        let wakeUp = try Poller.WakeUp()
        poller = try Poller(capacity: eventLimit, wakeUp: wakeUp)
        inbox = LoopInbox(wakeUp)
        // The thread retains the loop for as long as it runs.
        try SystemThread.start { self.run() }
        // From here on the two retain each other; a loop without a thread is released.
        actorExecutor.attach(to: self)
    }

    @inlinable @inline(__always)
    package var isCurrent: Bool {
        // Compares numbers, because a branch in between would retain the loop for the comparison.
        // SAFETY: the addresses are only compared, and no other loop gets this one's address while a thread runs it.
        unsafe UInt(bitPattern: wireline_current_loop()) == UInt(bitPattern: ObjectIdentifier(self))
    }

    /// The current time, from which new deadlines count.
    /// It is read once for each socket, job or timer, because one of them may take long.
    package var now: MonotonicTime {
        if let time { return time }
        let time = clockTime
        self.time = time
        return time
    }

    /// The current time of the loop's clock, on any thread.
    package var clockTime: MonotonicTime { manualClock?.now ?? .now }

    /// Makes ``now`` read the clock again: the last call may have taken long.
    package func forgetTime() { time = nil }

    /// Starts a new share for the next socket, job or timer.
    func passTurn() {
        time = nil
        share.begin()
        beginSteps()
    }

    /// The turn includes the tasks that the socket woke.
    private func endSlice(of target: PollTarget) {
        let end = now
        target.tookTime(end.nanoseconds - sliceStart.nanoseconds, until: end)
        sliceStart = end
    }

    @inlinable @inline(__always)
    package func preconditionIsCurrent() {
        precondition(isCurrent, "only the loop's own thread may do this")
    }

    /// An object that all users of the loop share, such as large working memory; only the loop's thread uses it.
    @safe @exclusivity(unchecked) package var sharedState: AnyObject?

    // MARK: From any thread

    /// Runs a closure on the loop's thread: at once if this is it, else in the loop's next turn.
    ///
    /// A closure that reaches itself again and again would end the program when the stack is full: a debug build stops
    /// early, and a release build runs the rest in the next turn.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        guard isCurrent else { return post(.closure(body)) }
        guard executeDepth < Self.mostExecuteDepth else {
            assertionFailure("closures of a loop run inside one another without end")
            return post(.closure(body))
        }
        executeDepth += 1
        body()
        executeDepth -= 1
    }

    /// Runs a closure on the loop's thread: at once, or after the current one and those that wait already.
    ///
    /// So work that leads to more of its kind, for thousands of connections, fills no stack, and delays others only for
    /// a moment.
    package func executeInTurn(_ body: @escaping @Sendable () -> Void) {
        guard isCurrent else { return post(.closure { self.executeInTurn(body) }) }
        inTurn.append(body)
        if inTurn.count == 1 { runInTurn() }
    }

    private func runInTurn() {
        let end = clockTime.nanoseconds + LoopShare.unfinishedTime
        while let body = inTurn.first {
            body()
            _ = inTurn.popFirst()
            beginSteps()
            // The rest follows in the next turn.
            if clockTime.nanoseconds >= end, !inTurn.isEmpty { return continueLater { self.runInTurn() } }
        }
    }

    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await visit { Result { () throws(Failure) in try body() } }.get()
    }

    /// Runs a part of a task on the loop's thread; afterwards the task continues where it was.
    ///
    /// Tasks that wait for an event of the loop do so there. If the loop resumes a continuation before its task, on
    /// another thread, has begun to wait, the thread sanitizer cannot see the hand-over (Swift 6.3). It then reports
    /// the value as a race.
    package func visit<Value: Sendable>(_ body: @concurrent @escaping @Sendable () async -> Value) async -> Value {
        await withTaskExecutorPreference(self) { await body() }
    }

    func add(_ job: LoopJob) {
        if isCurrent { jobs.append(job) } else { post(.job(job)) }
    }

    func post(_ work: LoopInbox.Work) { inbox.post(work) }

    // MARK: The thread

    private func run() {
        // SAFETY: the thread retains the loop for as long as it runs, which is forever.
        unsafe wireline_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        while !isStopped { turn() }
    }

    private func turn() {
        let eventCount = poller.wait(nanoseconds: timeToWait())
        turnStart = clockTime
        if eventCount == 0, manualClock != nil { beIdle() }
        (turnTime, sliceStart, time) = (turnStart, turnStart, turnStart)
        // If the system reports as many as it may, there may be more.
        let readyCount = eventCount < poller.capacity ? eventCount : watchedCount
        share.divide(among: unfinished.count + readyCount)
        for index in 0..<eventCount {
            let (tag, readiness) = unsafe poller.event(index)
            if let tag = unsafe tag {
                // SAFETY: a watched target is retained until the end of the turn in which it was unwatched.
                let target = unsafe Unmanaged<PollTarget>.fromOpaque(tag).takeUnretainedValue()
                target.becameReady(readiness)
                passTurn()
                runJobs()
                endSlice(of: target)
            } else {
                openInbox()
                passTurn()
                runJobs()
                sliceStart = now
            }
        }
        continueUnfinishedWork()
        if countReadySockets(eventCount) { fireTimers() }
        runJobs()
        flush()
        closed.removeAll(keepingCapacity: true)
        endTurn()
    }

    /// This takes no additional call of the clock: the next wait needs ``now``, too.
    private func endTurn() {
        let time = now.nanoseconds - turnStart.nanoseconds
        guard turnTimes.count(nanoseconds: time) else { return }
        for report in turnTimes.takeReports(nanoseconds: time, at: now) { report() }
        passTurn()
    }

    /// Whether every ready socket has had its turn.
    /// Data that arrives before a deadline counts, however late a busy loop reads it. Timers do not wait for sockets
    /// that are ready again and again.
    private func countReadySockets(_ eventCount: Int) -> Bool {
        readySocketCount += eventCount
        // The system first reports the sockets that it has not reported for longest.
        guard eventCount < poller.capacity || readySocketCount > 2 * watchedCount else { return false }
        readySocketCount = 0
        return true
    }

    /// Fires the timers that are due, for a limited time, because those of thousands of connections may be due at once.
    ///
    /// If some are left, the next wait returns at once.
    private func fireTimers() {
        if let oldest = unfinished.oldestTime { turnTime = oldest }
        let end = now.nanoseconds + LoopShare.unfinishedTime
        while let action = timers.popDue(at: turnTime) {
            action()
            passTurn()
            runJobs()
            if now.nanoseconds >= end { return }
        }
    }

    /// In nanoseconds; negative: until something happens.
    private func timeToWait() -> Int64 {
        guard jobs.isEmpty, unfinished.isEmpty, unsent.isEmpty else { return 0 }
        guard manualClock == nil else { return idleActions.isEmpty && !hasDueTimer ? -1 : 0 }
        guard let deadline = timers.nextDeadline else { return -1 }
        return max(0, deadline.nanoseconds - now.nanoseconds)
    }

    private func openInbox() {
        let isWorking = !arrived.isEmpty
        for item in inbox.takeAll() { arrived.append(item) }
        if !isWorking { workOff() }
    }

    /// Does the work of other threads, in order, for a limited time.
    ///
    /// The rest follows in the next turn, because there may be work for each of thousands of connections.
    private func workOff() {
        let end = now.nanoseconds + LoopShare.unfinishedTime
        while let item = arrived.popFirst() {
            switch item {
            case .job(let job): jobs.append(job)
            case .closure(let body):
                body()
                passTurn()
            case .whenIdle(let action):
                idleActions.append(action)
                continue
            }
            manualClock?.noteWork()
            if now.nanoseconds >= end, !arrived.isEmpty { return continueLater { self.workOff() } }
        }
    }

    /// Runs the queued jobs for a limited time, and at most 1,000.
    ///
    /// Thousands of tasks may continue at once, and one may always have more to do. The rest follows after the next
    /// socket, or in the next turn.
    private func runJobs() {
        guard let first = jobs.popFirst() else { return }
        first.run(on: self)
        passTurn()
        // Most sockets wake one task, and then the loop need not read the clock.
        guard !jobs.isEmpty else { return }
        let end = now.nanoseconds + share.time
        var remaining = 999
        while remaining > 0, now.nanoseconds < end, let job = jobs.popFirst() {
            job.run(on: self)
            passTurn()
            remaining -= 1
        }
    }

    /// Continues unfinished work for a limited time: first work that is usually brief, then the rest.
    ///
    /// Sockets that have become ready meanwhile come next.
    private func continueUnfinishedWork() {
        // Work that is added now runs in the next turn.
        let (briefCount, longCount) = (unfinished.brief.count, unfinished.long.count)
        continueUnfinishedWork(briefCount) { unfinished.popBrief() }
        continueUnfinishedWork(longCount) { unfinished.popLong() }
    }

    private func continueUnfinishedWork(_ count: Int, with next: () -> UnfinishedWork.Item?) {
        guard count > 0 else { return }
        let end = sliceStart.nanoseconds + LoopShare.unfinishedTime
        for _ in 0..<count {
            guard let item = next() else { return }
            switch item.kind {
            case .target(let target):
                target.continueWork()
                passTurn()
                runJobs()
                endSlice(of: target)
            case .action(let action):
                action()
                passTurn()
                runJobs()
                sliceStart = now
            }
            if sliceStart.nanoseconds >= end { return }
        }
    }

    private func flush() {
        guard !unsent.isEmpty else { return }
        let targets = unsent
        unsent.removeAll(keepingCapacity: true)
        for target in targets {
            target.endTurn()
            passTurn()
        }
    }

    /// Ends the loop's thread, without its timers. The loop never does work that it gets later.
    package func stop() {
        preconditionIsCurrent()
        isStopped = true
        inbox.close()
        arrived = Queue()
        timers = TimerQueue()
        idleActions = Queue()
        actorExecutor.detach()
    }

    // MARK: For sockets, on the loop's thread

    /// Watches a target's socket, and retains the target until ``unwatch(_:_:)``.
    func watch(_ target: PollTarget, _ descriptor: Int32) throws(TransportError) {
        preconditionIsCurrent()
        // SAFETY: the reference belongs to the poller until ``unwatch(_:_:)``, or is released here if it does not watch
        // the socket.
        let tag = unsafe Unmanaged.passRetained(target).toOpaque()
        do throws(TransportError) {
            try unsafe poller.watch(descriptor, tag: tag)
        } catch {
            unsafe Unmanaged<PollTarget>.fromOpaque(tag).release()
            throw error
        }
        watchedCount += 1
        memoryReturn.began(count: watchedCount)
    }

    /// Stops watching a target's socket, and releases the target once no event can name it.
    ///
    /// Closing the socket is not enough. A process that is being started has a copy of it, and the system reports
    /// events as long as there is a copy.
    func unwatch(_ target: PollTarget, _ descriptor: Int32) {
        poller.unwatch(descriptor)
        watchedCount -= 1
        if memoryReturn.ended(count: watchedCount) {
            schedule(at: now + MemoryReturn.delay) { self.memoryReturn.giveBack() }
        }
        closed.append(target)
        // SAFETY: this is the reference of ``watch(_:_:)``; `closed` retains the target until no event of this turn can
        // name it.
        unsafe Unmanaged.passUnretained(target).release()
    }

    func sendAtEndOfTurn(_ target: PollTarget) {
        note(.streamWritten)
        unsent.append(target)
    }

    /// Whether the current socket, job or timer may send bytes before the turn ends; if so, counts them.
    func mayFlush(_ byteCount: Int) -> Bool {
        guard ignoresShare || !share.isSpent else { return false }
        share.spend(max(byteCount, LoopShare.systemCall))
        return true
    }

    /// Whether the current socket, job or timer has used up its share.
    ///
    /// Inlined, as ``spend(_:)``: a call in between would retain the loop for its duration.
    @inlinable
    package var hasSpentShare: Bool { share.isSpent }

    @inlinable
    package func spend(_ work: Int) { share.spend(work) }

    /// Waits for the loop's next turn if the caller's share is used up.
    ///
    /// Use it in code that never waits and may run for long. On other threads it does nothing, because each call to the
    /// loop waits for its turn anyway.
    package nonisolated(nonsending) func giveWay() async {
        if isCurrent, hasSpentShare { await waitForNextTurn() }
    }

    private func waitForNextTurn() async {
        await visit {
            // SAFETY: the timer is never cancelled, so it resumes the task once.
            await unsafe withUnsafeContinuation { continuation in
                self.schedule(at: self.turnTime) { unsafe continuation.resume() }
            }
        }
    }

    /// Sends to many receivers, without a limit that would leave out the last ones; the bytes count.
    package func ignoringShare<Value>(_ body: () -> Value) -> Value {
        let ignoredShare = ignoresShare
        ignoresShare = true
        defer { ignoresShare = ignoredShare }
        return body()
    }

    package func atEndOfTurn(_ action: EndOfTurnAction) { unsent.append(action) }

    package func spendSending(_ byteCount: Int) { share.spend(max(byteCount, LoopShare.systemCall)) }

    package var unsentCount: Int { unsent.count }

    /// Makes the next writer of each stream reserve memory again, so that its handler learns of the write.
    package func endFreeWriting() {
        for target in unsent { target.endFreeWriting() }
    }

    /// Continues a target after the work queued before it, in this turn at the earliest.
    ///
    /// - Parameter isBrief: Whether it usually takes little time. Then it waits only for others that do.
    func continueLater(_ target: PollTarget, isBrief: Bool = false) {
        unfinished.append(UnfinishedWork.Item(time: turnStart, kind: .target(target)), isBrief: isBrief)
    }

    /// Runs an action after the work queued before it, in this turn at the earliest.
    ///
    /// Use it for the part of work that exceeds a share.
    package func continueLater(_ action: @escaping () -> Void) {
        preconditionIsCurrent()
        unfinished.append(UnfinishedWork.Item(time: turnStart, kind: .action(action)), isBrief: false)
    }

    // MARK: How busy it is

    /// The loop's counters up to now. It answers at the end of a turn, so it waits for a handler that blocks the loop.
    public func counters() async -> EventLoopCounters {
        await run {
            var counters = EventLoopCounters()
            counters.turns = self.turnTimes.turns
            counters.socketCount = self.watchedCount
            counters.timerCount = self.timers.count
            counters.unfinishedCount = self.unfinished.count
            return counters
        }
    }

    /// Calls a closure on the loop's thread after each turn that takes this long, at most once a second, with the
    /// longest time since the last call.
    package func watchSlowTurns(
        over limit: Duration, _ report: @escaping @Sendable (Duration) -> Void
    ) async -> SlowTurnWatch {
        await run { SlowTurnWatch(number: self.turnTimes.add(limit: limit, report)) }
    }

    /// Ends a watch; may be called on any thread.
    package func endWatch(_ watch: SlowTurnWatch) {
        execute { self.turnTimes.remove(watch.number) }
    }

    // MARK: Timers, on the loop's thread

    /// Calls `action` on the loop's thread at the deadline, in a later turn than this one.
    /// An action that schedules itself again does not keep the loop from its sockets.
    @discardableResult
    package func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> Timer {
        preconditionIsCurrent()
        note(.timerSet)
        return Timer(token: timers.set(max(deadline, turnTime + .nanoseconds(1)), action))
    }

    /// No effect if the timer has fired.
    package func cancel(_ timer: Timer) {
        preconditionIsCurrent()
        timers.cancel(timer.token)
    }

    package func cancel(_ timer: inout Timer?) {
        if let timer = timer.take() { cancel(timer) }
    }

    package struct Timer: Sendable {
        fileprivate let token: TimerQueue.Token
    }
}
