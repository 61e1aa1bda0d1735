// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TestingSupport
import WirelineTransport

@Suite(.ahead)
struct EventLoopTests {
    let loop: EventLoop

    init() throws {
        loop = try StreamPair.group.get().nextLoop()
    }

    @Test func `a task that prefers a loop runs on its thread, also after every suspension`() async {
        let loop = loop
        let task = Task(executorPreference: loop) {
            var isAlwaysThere = loop.isCurrent
            for _ in 0..<100 {
                await Task.yield()
                isAlwaysThere = isAlwaysThere && loop.isCurrent
            }
            // The clock resumes a sleeper from a thread of its own.
            try? await Task.sleep(for: .milliseconds(1))
            return isAlwaysThere && loop.isCurrent
        }
        #expect(await task.value)
        #expect(!loop.isCurrent)
    }

    @Test func `child tasks run on the loop too`() async {
        let loop = loop
        let task = Task(executorPreference: loop) {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 { group.addTask { loop.isCurrent } }
                return await group.allSatisfy { $0 }
            }
        }
        #expect(await task.value)
    }

    @Test func `closures from other threads run on the loop's thread, in order`() async {
        let loop = loop
        let order = Lock<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<10_000 {
                loop.execute {
                    order.withLock { $0.append(loop.isCurrent ? number : -1) }
                    if number == 9_999 { continuation.resume() }
                }
            }
        }
        #expect(order.withLock { $0 } == Array(0..<10_000))
    }

    @Test func `closures in turn never run inside one another, however many lead to more`() async {
        let loop = loop
        let depth = Lock(0)
        let order = Lock<[Int]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            @Sendable func run(_ number: Int) {
                depth.withLock { $0 += 1 }
                order.withLock { $0.append(depth.withLock { $0 } == 1 ? number : -1) }
                if number < 10_000 { loop.executeInTurn { run(number + 1) } } else { continuation.resume() }
                depth.withLock { $0 -= 1 }
            }
            loop.executeInTurn { run(0) }
        }
        #expect(order.withLock { $0 } == Array(0...10_000))
    }

    @Test func `closures that other threads post leave time for sockets and timers in each turn`() async throws {
        let loop = try EventLoop()
        let turns = Lock<[MonotonicTime: Int]>([:])
        await withCheckedContinuation { continuation in
            let isPosted = Lock(false)
            // The loop is busy until all of them wait.
            loop.execute { while !isPosted.withLock({ $0 }) {} }
            for number in 1...200 {
                loop.execute {
                    self.work()
                    turns.withLock { $0[loop.turnTime, default: 0] += 1 }
                    if number == 200 { continuation.resume() }
                }
            }
            isPosted.withLock { $0 = true }
        }
        #expect(turns.withLock { $0.values.reduce(0, +) } == 200)
        #expect(turns.withLock { $0.values.allSatisfy { $0 <= 50 } })
        loop.execute { loop.stop() }
    }

    @Test func `tasks that go on at once leave time for sockets and timers in each turn`() async throws {
        // After each socket of a turn some tasks run, so it has no sockets.
        let loop = try EventLoop()
        let turns = Lock<[MonotonicTime: Int]>([:])
        let workOnce: @Sendable () async -> Void = {
            self.work()
            turns.withLock { $0[loop.turnTime, default: 0] += 1 }
        }
        let tasks = await loop.run { (1...200).map { _ in Task(executorPreference: loop, operation: workOnce) } }
        for task in tasks { await task.value }
        #expect(turns.withLock { $0.values.reduce(0, +) } == 200)
        #expect(turns.withLock { $0.values.allSatisfy { $0 <= 50 } })
        loop.execute { loop.stop() }
    }

    @Test func `timers that are due at once leave time for sockets in each turn`() async throws {
        let loop = try EventLoop()
        let turns = Lock<[MonotonicTime: [Int]]>([:])
        await withCheckedContinuation { continuation in
            loop.execute {
                let now = loop.now
                for number in 1...200 {
                    loop.schedule(at: now) {
                        self.work()
                        turns.withLock { $0[loop.turnTime, default: []].append(number) }
                        if number == 200 { continuation.resume() }
                    }
                }
            }
        }
        let inOrder = turns.withLock { $0.sorted { $0.key < $1.key }.flatMap(\.value) }
        #expect(inOrder == Array(1...200))
        #expect(turns.withLock { $0.values.allSatisfy { $0.count <= 50 } })
        loop.execute { loop.stop() }
    }

    /// Keeps the loop busy for 100 µs, so that few calls fit into a turn.
    private func work() {
        let end = MonotonicTime.now + .microseconds(100)
        while MonotonicTime.now < end {}
    }

    @Test func `many threads may submit closures at once`() async {
        let loop = loop
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<2_000 {
                        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
                        count += 1
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(total == 16_000)
    }

    @Test func `timers fire in the order of their deadlines, and a cancelled timer does not fire`() async {
        let (loop, fired) = (loop, Seen<Int>())
        loop.execute {
            let now = MonotonicTime.now
            loop.schedule(at: now + .milliseconds(20)) { fired.add(2) }
            loop.schedule(at: now + .milliseconds(5)) { fired.add(1) }
            loop.cancel(loop.schedule(at: now + .milliseconds(10)) { fired.add(3) })
        }
        #expect(await fired.first(2) == [1, 2])
    }

    @Test func `a timer that sets itself again at once does not block other work`() async {
        let loop = loop
        await withCheckedContinuation { continuation in
            loop.execute {
                let again = Again(loop)
                again.fire()
                // From another thread, so that only a later wait of the loop can report it.
                Task.detached { loop.execute { again.isOver = true } }
                again.whenOver = { continuation.resume() }
            }
        }
    }

    /// Only the loop's own thread uses it, so `@unchecked Sendable` needs no lock.
    private final class Again: @unchecked Sendable {
        private let loop: EventLoop
        var isOver = false
        var whenOver: () -> Void = {}

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        func fire() {
            guard !isOver else { return whenOver() }
            loop.schedule(at: loop.now) { self.fire() }
        }
    }

    @Test func `a task that yields for ever leaves time for timers and other tasks`() async {
        let loop = loop
        let isOver = Flag()
        async let busy: Void = Self.yieldOn(loop, until: isOver)
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.schedule(at: .now + .milliseconds(5)) { continuation.resume() }
            }
        }
        isOver.isSet.store(true, ordering: .relaxed)
        await busy
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private static func yieldOn(_ loop: EventLoop, until flag: Flag) async {
        let task = Task(executorPreference: loop) {
            while !flag.isSet.load(ordering: .relaxed) { await Task.yield() }
        }
        await task.value
    }

    @Test func `an actor with a loop's executor runs on the loop's thread`() async {
        let counter = LoopCounter(loop)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.count == 1_000)
        #expect(await counter.isOnLoop)
    }

    private actor LoopCounter {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor.asUnownedSerialExecutor() }
        var count = 0

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        var isOnLoop: Bool { loop.isCurrent }

        func increment() {
            preconditionIsolated()
            count += 1
        }
    }
}
