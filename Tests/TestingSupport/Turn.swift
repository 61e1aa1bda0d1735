// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Testing

/// Gives tests that wait for others threads of their own, and lets a few of them run at a time.
///
/// All tests of a run begin at once, and take turns on as many threads as there are processors, for each priority: in one
/// queue, each step of a conversation would wait until hundreds of tests that compute have had their turn, or one that
/// blocks its thread until a program has ended: a minute and more, and no deadline could be told from a busy machine.
public struct Turn: SuiteTrait, TestTrait, TestScoping {
    fileprivate let priority: TaskPriority
    fileprivate let places: Places

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let priority = priority
        await places.take()
        defer { places.giveBack() }
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(priority: priority) { try await function() }
                try await group.waitForAll()
            }
        }
    }
}

extension Trait where Self == Turn {
    /// For tests that converse with peers: they go ahead of those that only compute, and block no thread for long.
    public static var ahead: Self { Turn(priority: .high, places: .ahead) }

    /// For tests that block their threads until programs have ended: they keep nobody else from going on.
    public static var aside: Self { Turn(priority: .low, places: .aside) }
}

/// How many tests may run at a time; the others wait in the order in which they came.
private final class Places: @unchecked Sendable {
    static let ahead = Places(8)
    static let aside = Places(2)

    // The lock behind `@unchecked Sendable`.
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
