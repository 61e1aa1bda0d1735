// SPDX-License-Identifier: Apache-2.0

public import CWirelineSystem

/// A thread that waits for sockets and timers, and runs the tasks that deal with them.
///
/// What belongs to a connection — its state, the task that reads from it, what that task awaits — runs on the thread of
/// one loop: there is no lock to take and no thread to wake for a packet. So code that runs there must not block or
/// compute for long: every connection of the loop would wait. Put such work into a task of its own (`Task.detached`, or
/// a function marked `@concurrent`).
///
/// A turn of the loop is one wait, everything that had become ready, and the tasks that this woke. What is sent during
/// a turn leaves at its end at the latest.
///
/// A loop's thread runs until the process ends. Make few of them: one a core is the most that helps.
///
/// The lock behind `@unchecked Sendable`: every property but `inbox` is touched on the loop's own thread alone, which
/// `preconditionIsCurrent()` checks where others could call; `inbox` is guarded by its `Lock`. What changes with every
/// event is `@exclusivity(unchecked)`: no access to it calls out to others while it lasts.
public final class EventLoop: @unchecked Sendable {
    /// What other threads have asked for.
    private struct Inbox {
        var work: [Work] = []
        /// Whether the loop has been told that something is here.
        var isSignalled = false
    }

    private enum Work {
        case job(LoopJob)
        case closure(@Sendable () -> Void)
    }

    private let inbox = Lock(Inbox())
    private let wakeUp: Poller.WakeUp

    private var poller: Poller
    /// How many sockets are watched.
    private var watchedCount = 0
    /// How many sockets were ready in the turns since timers last had theirs.
    private var crowd = 0
    private var timers = TimerQueue()
    @safe @exclusivity(unchecked) private var jobs = Queue<LoopJob>()
    /// Memory that no connection needs at the moment.
    @safe @exclusivity(unchecked) var blocks = BlockPool()

    /// What is watched no longer since the last wait: events of that wait may still name it.
    private var closed: [PollTarget] = []
    /// Who has something to send when the turn ends.
    @safe @exclusivity(unchecked) private var unsent: [ByteStream] = []
    /// Who can go on reading without being told again.
    @safe @exclusivity(unchecked) private var unread: [ByteStream] = []

    /// When the present turn began. Every socket that was ready then is heard before timers fire, as much of it as one turn
    /// reads; so deadlines are judged by this time, and what has come since is still to be heard.
    @safe @exclusivity(unchecked) package private(set) var turnTime = MonotonicTime.now
    /// What ``now`` is, where somebody has asked.
    @safe @exclusivity(unchecked) private var time: MonotonicTime?

    /// What a socket, job or timer may have sent in its turn before the loop's turn ends, in bytes: whoever has more to
    /// send waits for the loop's next turn. 1 MiB takes a third of a millisecond on loopback, and the wait a hundredth of
    /// that.
    private static let outputShare = 1 << 20
    /// What a system call counts for at least.
    private static let leastOutput = 16 << 10
    /// How much of that has been sent.
    @safe @exclusivity(unchecked) private var earlyByteCount = 0
    /// Whether nobody is held to it.
    @safe @exclusivity(unchecked) private(set) var isGenerous = false

    /// What runs actors on this loop: an actor gives it out, `asUnownedSerialExecutor()`, as its `unownedExecutor`.
    package let actorExecutor = LoopActorExecutor()

    /// Starts a thread with a loop.
    ///
    /// - Throws: ``TransportError/system(_:)`` when the system has no descriptor or no thread left.
    public convenience init() throws(TransportError) {
        try self.init(eventLimit: 512)
    }

    /// - Parameter eventLimit: Of how many sockets at most it hears in one turn.
    init(eventLimit: Int) throws(TransportError) {
        wakeUp = try Poller.WakeUp()
        poller = try Poller(capacity: eventLimit, wakeUp: wakeUp)
        // The thread holds the loop for as long as it runs.
        try SystemThread.start { self.run() }
        // The two hold each other from here on; a loop that has no thread is let go of.
        actorExecutor.attach(to: self)
    }

    /// Whether this is the loop's thread.
    @inlinable @inline(__always)
    package var isCurrent: Bool {
        // Numbers, for a branch in between has the loop retained for the comparison.
        unsafe UInt(bitPattern: wireline_current_loop()) == UInt(bitPattern: ObjectIdentifier(self))
    }

    /// The time, from which new deadlines are counted: read once for each socket, job or timer that has its turn, for one of
    /// them may take long.
    package var now: MonotonicTime {
        if let time { return time }
        let time = MonotonicTime.now
        self.time = time
        return time
    }

    /// Has the clock read anew when the time is next asked for: what has just been called may have taken long.
    package func forgetTime() { time = nil }

    /// Whoever has its turn is not the one that had it before.
    private func passTurn() {
        time = nil
        earlyByteCount = 0
    }

    /// Stops the program on any other thread.
    @inlinable @inline(__always)
    package func preconditionIsCurrent() {
        precondition(isCurrent, "only the loop's own thread may do this")
    }

    // MARK: From any thread

    /// Runs a closure on the loop's thread: at once when this is it, else in the loop's next turn.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        if isCurrent { body() } else { post(.closure(body)) }
    }

    /// Runs a closure on the loop's thread, and waits for what it returns.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await visit { Result { () throws(Failure) in try body() } }.get()
    }

    /// Takes a task to the loop's thread for a part of its way; behind it the task goes on where it was.
    ///
    /// Tasks that wait for what the loop gets to know do so there. A continuation that the loop resumes before its task,
    /// on another thread, has begun to wait hands its value over in a way that the thread sanitizer cannot see (Swift
    /// 6.3), and what hangs on the value is then reported as a race.
    package func visit<Value: Sendable>(_ body: @concurrent @escaping @Sendable () async -> Value) async -> Value {
        await withTaskExecutorPreference(self) { await body() }
    }

    /// Runs a job of a task or an actor on the loop's thread.
    func add(_ job: LoopJob) {
        if isCurrent { jobs.append(job) } else { post(.job(job)) }
    }

    private func post(_ work: Work) {
        let mustSignal = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        if mustSignal { wakeUp.signal() }
    }

    // MARK: The thread

    private func run() {
        unsafe wireline_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        while true { turn() }
    }

    private func turn() {
        let eventCount = poller.wait(nanoseconds: timeToWait())
        turnTime = .now
        time = turnTime
        for index in 0..<eventCount {
            let (tag, readiness) = unsafe poller.event(index)
            if let tag = unsafe tag {
                // SAFETY: a watched target is retained until the turn has ended in which it was unwatched.
                unsafe Unmanaged<PollTarget>.fromOpaque(tag).takeUnretainedValue().becameReady(readiness)
            } else {
                openInbox()
            }
            passTurn()
            runJobs()
        }
        readOn()
        if haveAllBeenHeard(eventCount) { fireTimers() }
        runJobs()
        flush()
        closed.removeAll(keepingCapacity: true)
    }

    /// Whether every socket that was ready has had its turn: what has come before a deadline counts, however late a loop
    /// that was held up gets to it. Timers do not wait for sockets that are ready again and again.
    private func haveAllBeenHeard(_ eventCount: Int) -> Bool {
        crowd += eventCount
        // The system names those first that it has not named for longest.
        guard eventCount < poller.capacity || crowd > 2 * watchedCount else { return false }
        crowd = 0
        return true
    }

    private func fireTimers() {
        while let action = timers.popDue(at: turnTime) {
            action()
            passTurn()
            runJobs()
        }
    }

    /// How long nothing needs to be done, in nanoseconds; negative: until something happens.
    private func timeToWait() -> Int64 {
        guard jobs.isEmpty, unread.isEmpty, unsent.isEmpty else { return 0 }
        guard let deadline = timers.nextDeadline else { return -1 }
        return max(0, deadline.nanoseconds - MonotonicTime.now.nanoseconds)
    }

    private func openInbox() {
        wakeUp.clear()
        let work = inbox.withLock { inbox in
            inbox.isSignalled = false
            let work = inbox.work
            inbox.work = []
            return work
        }
        for item in work {
            switch item {
            case .job(let job): jobs.append(job)
            case .closure(let body):
                body()
                passTurn()
            }
        }
    }

    /// Runs what is there to be run. A task that always has more to do gets its share and no more: the sockets and
    /// timers come in between.
    private func runJobs() {
        var remaining = 1_000
        while remaining > 0, let job = jobs.popFirst() {
            job.run(on: self)
            passTurn()
            remaining -= 1
        }
    }

    private func readOn() {
        guard !unread.isEmpty else { return }
        let streams = unread
        unread.removeAll()
        for stream in streams {
            stream.readOn()
            passTurn()
            runJobs()
        }
    }

    private func flush() {
        guard !unsent.isEmpty else { return }
        let streams = unsent
        unsent.removeAll(keepingCapacity: true)
        for stream in streams {
            stream.endTurn()
            passTurn()
        }
    }

    // MARK: For sockets, on the loop's thread

    /// Watches a target's socket, and holds the target until ``unwatch(_:_:)``.
    func watch(_ target: PollTarget, _ descriptor: Int32) throws(TransportError) {
        preconditionIsCurrent()
        let tag = unsafe Unmanaged.passRetained(target).toOpaque()
        do throws(TransportError) {
            try unsafe poller.watch(descriptor, tag: tag)
        } catch {
            unsafe Unmanaged<PollTarget>.fromOpaque(tag).release()
            throw error
        }
        watchedCount += 1
    }

    /// Watches a target's socket no longer, and lets go of the target once no event can name it any more.
    ///
    /// Closing the socket is not enough: while another process is being started it has a copy, and as long as there is one
    /// the system goes on to tell of it.
    func unwatch(_ target: PollTarget, _ descriptor: Int32) {
        poller.unwatch(descriptor)
        watchedCount -= 1
        closed.append(target)
        unsafe Unmanaged.passUnretained(target).release()
    }

    func sendAtEndOfTurn(_ stream: ByteStream) { unsent.append(stream) }

    /// Whether whoever has its turn may send bytes before the loop's turn ends; they count then.
    func mayFlush(_ byteCount: Int) -> Bool {
        guard isGenerous || !hasSpentOutput else { return false }
        earlyByteCount += max(byteCount, Self.leastOutput)
        return true
    }

    /// Whether whoever has its turn has sent as much of late as it may.
    private var hasSpentOutput: Bool { earlyByteCount >= Self.outputShare }

    /// Has whoever sends without waiting, and may go on and on with that, wait for the loop's next turn where it has sent as
    /// much as it may. Away from the loop's thread each call waits for its turn anyway.
    package nonisolated(nonsending) func giveWay() async {
        if isCurrent, hasSpentOutput { await waitForNextTurn() }
    }

    private func waitForNextTurn() async {
        await visit {
            await unsafe withUnsafeContinuation { continuation in
                self.schedule(at: self.turnTime) { unsafe continuation.resume() }
            }
        }
    }

    /// Sends something to many, none of whom is to go without because so much has been sent to those before; it counts.
    package func beGenerous<Value>(_ body: () -> Value) -> Value {
        isGenerous = true
        defer { isGenerous = false }
        return body()
    }

    func readInNextTurn(_ stream: ByteStream) { unread.append(stream) }

    // MARK: Timers, on the loop's thread

    /// Calls `action` on the loop's thread when the time has come, in a later turn than this one: an action that sets
    /// itself again does not keep the loop from its sockets.
    @discardableResult
    package func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> Timer {
        preconditionIsCurrent()
        return Timer(token: timers.set(max(deadline, turnTime + .nanoseconds(1)), action))
    }

    /// Takes a timer back; one that has fired is left alone.
    package func cancel(_ timer: Timer) {
        preconditionIsCurrent()
        timers.cancel(timer.token)
    }

    /// Takes back the timer that a place holds, if it holds one.
    package func cancel(_ timer: inout Timer?) {
        if let timer = timer.take() { cancel(timer) }
    }

    /// A timer of one loop.
    package struct Timer: Sendable {
        fileprivate let token: TimerQueue.Token
    }
}

/// What a loop watches: a listening or a connected socket.
@usableFromInline
package class PollTarget {
    func becameReady(_ readiness: Poller.Readiness) {}
}
