// SPDX-License-Identifier: Apache-2.0

extension EventLoop {
    /// What a system call counts at least.
    package static var systemCallWork: Int { LoopShare.systemCall }

    /// Calls a closure for each item on the loop's thread, and returns the results in the order of the items.
    ///
    /// After each share of work it waits for the next turn. So thousands of items delay no other connection for long.
    ///
    /// - Parameter work: What each item counts; see ``LoopShare``.
    package func visit<Item: Sendable, Value: Sendable>(
        each items: [Item], work: Int, _ body: @escaping @Sendable (Item) -> Value
    ) async -> [Value] {
        await visit {
            var values: [Value] = []
            values.reserveCapacity(items.count)
            for item in items {
                values.append(body(item))
                self.spend(work)
                await self.giveWay()
            }
            return values
        }
    }
}
