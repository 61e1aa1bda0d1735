// SPDX-License-Identifier: Apache-2.0

/// A block that several hold at once, which goes back to its loop when the last of them lets go. What is in it does not
/// change any more.
///
/// `@unchecked Sendable` needs no lock: nobody writes. The pool is the loop's, so a block that is let go of on another
/// thread is freed.
@safe
@usableFromInline
package final class SharedBlock: @unchecked Sendable {
    /// Where the block begins.
    @usableFromInline package let base: UnsafeRawPointer
    package let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private let loop: EventLoop
    @safe @exclusivity(unchecked) private var isTaken = false

    package init(_ block: consuming Block, of loop: EventLoop) {
        self.loop = loop
        capacity = block.capacity
        unsafe memory = block.takeBase()
        unsafe base = UnsafeRawPointer(memory)
    }

    /// Takes the block back from the only one who still holds it; nil where others do.
    package static func takeBlock(_ shared: inout SharedBlock?) -> Block? {
        guard isKnownUniquelyReferenced(&shared), let only = shared else { return nil }
        only.isTaken = true
        shared = nil
        return unsafe Block(reusing: only.memory, capacity: only.capacity)
    }

    deinit {
        guard !isTaken else { return }
        let block = unsafe Block(reusing: memory, capacity: capacity)
        if loop.isCurrent { loop.blocks.giveBack(block) }
    }
}
