// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Testing

/// Gives tests that wait for others their own threads, runs a few of them at a time, and ends those that hang.
///
/// All tests of a run begin at once, and take turns on as many threads as there are processors, for each priority. In
/// one queue, each step of an exchange would wait for hundreds of tests that compute, or for one that blocks its thread
/// until a program has ended. That takes a minute and more, and no test could tell a timeout from a busy machine. A low
/// priority would not help: such a test would wait until all others have ended.
public struct Turn: SuiteTrait, TestTrait, TestScoping {
    /// How long a test may run. Swift Testing's `.timeLimit` also counts the time in which a test waits for its turn,
    /// which is most of a run.
    private static let timeLimit = Duration.seconds(600)
    /// How long a cancelled test may take to end, before the whole run ends.
    private static let timeToEnd = Duration.seconds(60)

    fileprivate var priority: TaskPriority?
    /// nil: the threads of all tasks of the priority.
    fileprivate var threads: TestThreads?
    /// nil: any number of tests may run at a time.
    fileprivate var places: Places?

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await places?.take()
        defer { places?.giveBack() }
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask(executorPreference: threads, priority: priority) {
                    try await function()
                    return true
                }
                group.addTask {
                    try await Task.sleep(for: Self.timeLimit)
                    return false
                }
                guard try await group.next() == false else { return group.cancelAll() }
                Issue.record("it has run for \(Self.timeLimit)")
                group.cancelAll()
                // A test that waits for something that never comes does not notice that it is cancelled.
                let end = Task {
                    try await Task.sleep(for: Self.timeToEnd)
                    fatalError("\(test.name) did not end after \(Self.timeLimit + Self.timeToEnd)")
                }
                defer { end.cancel() }
                _ = try await group.next()
            }
        }
    }
}

extension Trait where Self == Turn {
    /// For tests that exchange data with peers: they run before those that only compute, and block no thread for long.
    public static var ahead: Self { Turn(priority: .high, places: .ahead) }

    /// For tests that only compute, and may take very long if something is wrong.
    public static var amongAll: Self { Turn() }

    /// For tests that block their threads until programs have ended: they delay no other tests.
    public static var aside: Self { Turn(threads: .aside, places: .aside) }

    /// For tests that block their threads until a time has passed: they delay no other tests, and need no processor.
    public static var waiting: Self { Turn(threads: .waiting, places: .waiting) }
}

/// How many tests may run at a time; the others wait in the order of their arrival.
private final class Places: @unchecked Sendable {
    static let ahead = Places(8)
    static let aside = Places(TestThreads.asideCount)
    static let waiting = Places(TestThreads.waitingCount)

    // The lock for `@unchecked Sendable`.
    private let lock = NSLock()
    private var free: Int
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                guard free > 0 else {
                    waiters.append(continuation)
                    return false
                }
                free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = lock.withLock {
            if waiters.isEmpty { free += 1 }
            return waiters.isEmpty ? nil : waiters.removeFirst()
        }
        next?.resume()
    }
}
