// SPDX-License-Identifier: Apache-2.0

extension EventLoop {
    /// Calls a closure for each item on the loop's thread, and returns the results in the order of the items.
    ///
    /// If the closure has used up a share of work (``spend(_:)``), the other items wait for the next turn. So thousands
    /// of items delay no other connection for long.
    package func visit<Item: Sendable, Value: Sendable>(
        each items: [Item], _ body: @escaping @Sendable (Item) -> Value
    ) async -> [Value] {
        await visit {
            var values: [Value] = []
            values.reserveCapacity(items.count)
            for item in items {
                values.append(body(item))
                await self.giveWay()
            }
            return values
        }
    }

    /// Calls a closure for each item on the loop's thread, with the time limit of ``executeInTurn(_:)`` for each turn.
    package func executeInTurn<Item: Sendable>(for items: [Item], _ body: @escaping @Sendable (Item) -> Void) {
        // Inside the first closure, the others wait for their turn.
        executeInTurn {
            for item in items { self.executeInTurn { body(item) } }
        }
    }
}
