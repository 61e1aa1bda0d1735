// SPDX-License-Identifier: Apache-2.0

public import Testing

/// Lets tests that wait for their peers go ahead of those that only compute.
///
/// All tests of a run begin at once: in one queue, each step of a conversation would wait until hundreds of tests that
/// compute have had their turn, a minute and more, and no deadline could be told from a busy machine.
public struct Ahead: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(priority: .high) { try await function() }
                try await group.waitForAll()
            }
        }
    }
}

extension Trait where Self == Ahead {
    /// The suite's tests go ahead of those that only compute.
    public static var ahead: Self { Ahead() }
}
