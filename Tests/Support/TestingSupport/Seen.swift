// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values that one task records for another that waits for them.
public final class Seen<Element: Sendable>: @unchecked Sendable {
    // The condition is the lock for `@unchecked Sendable`.
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    public init() {}

    public var count: Int { condition.withLock { elements.count } }

    public func add(_ element: Element) {
        let ready = condition.withLock {
            elements.append(element)
            condition.broadcast()
            let ready = waiters.filter { $0.count <= elements.count }
            waiters.removeAll { $0.count <= elements.count }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// The first elements, once there are so many.
    public func first(_ count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            let isReady = condition.withLock {
                if elements.count < count { waiters.append((count, continuation)) }
                return elements.count >= count
            }
            if isReady { continuation.resume() }
        }
        return condition.withLock { Array(elements.prefix(count)) }
    }

    /// Blocks the thread until there are so many elements.
    public func block(until count: Int) {
        condition.withLock { while elements.count < count { condition.wait() } }
    }
}

/// Makes tasks wait until it is opened.
public final class Gate: Sendable {
    private let opening = Seen<Void>()

    public init() {}

    public var isOpen: Bool { opening.count > 0 }

    public func open() { opening.add(()) }

    public func wait() async { _ = await opening.first(1) }
}
