// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads that tests may block; other tests run on the threads that Swift has for all tasks.
final class TestThreads: TaskExecutor, @unchecked Sendable {
    /// How many tests may wait for programs at a time. Two would leave processors idle, many would let them be late.
    static let asideCount = 4
    static let aside = TestThreads(count: asideCount)
    /// How many tests may wait for clocks at a time: they need hardly any processor.
    static let waitingCount = 12
    static let waiting = TestThreads(count: waitingCount)

    // The lock for `@unchecked Sendable`.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    init(count: Int) {
        for _ in 0..<count {
            let thread = Thread { self.runJobs() }
            // As much as the main thread has.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func runJobs() {
        while true {
            let job = condition.withLock {
                while jobs.isEmpty { condition.wait() }
                return jobs.removeFirst()
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
