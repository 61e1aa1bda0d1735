// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// How a connection recognizes its owner's task.
struct TaskIdentityTests {
    @Test func `a task keeps its identity after every wait, and its child has another one`() async throws {
        let identity = try #require(TaskIdentity.current)
        await Task.yield()
        #expect(TaskIdentity.current == identity)
        async let child = TaskIdentity.current
        #expect(try #require(await child) != identity)
        #expect(TaskIdentity.current == identity)
    }

    @Test func `a thread without a task has no identity`() async throws {
        #expect(try await onThread { TaskIdentity.current == nil })
    }
}
