// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// How a connection knows its owner's task.
struct TaskIdentityTests {
    @Test func `a task is the same behind every wait, and another than its child`() async throws {
        let identity = try #require(TaskIdentity.current)
        await Task.yield()
        #expect(TaskIdentity.current == identity)
        async let child = TaskIdentity.current
        #expect(try #require(await child) != identity)
        #expect(TaskIdentity.current == identity)
    }

    @Test func `a thread without a task has none`() async throws {
        #expect(try await onThread { TaskIdentity.current == nil })
    }
}
