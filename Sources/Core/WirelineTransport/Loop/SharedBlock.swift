// SPDX-License-Identifier: Apache-2.0

/// An immutable block with several owners; it returns to its loop's pool when the last one releases it.
///
/// `@unchecked Sendable` needs no lock, because the block is only read. The pool is the loop's, so a block released on
/// another thread is freed.
@safe
@usableFromInline
package final class SharedBlock: @unchecked Sendable {
    @usableFromInline package let base: UnsafeRawPointer
    package let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private let loop: EventLoop?
    @safe @exclusivity(unchecked) private var isTaken = false

    /// - Parameter loop: The loop whose pool the block came from; nil: the block is freed.
    package init(_ block: consuming Block, of loop: EventLoop?) {
        self.loop = loop
        capacity = block.capacity
        // SAFETY: `init` takes the memory out of the block, so no other code frees or changes it.
        unsafe memory = block.takeBase()
        unsafe base = UnsafeRawPointer(memory)
    }

    /// Takes the block back if the caller is its only owner; nil otherwise.
    package static func takeBlock(_ shared: inout SharedBlock?) -> Block? {
        guard isKnownUniquelyReferenced(&shared), let only = shared else { return nil }
        only.isTaken = true
        shared = nil
        // SAFETY: `isTaken` keeps `deinit` from freeing the memory that the new block owns.
        return unsafe Block(reusing: only.memory, capacity: only.capacity)
    }

    deinit {
        guard !isTaken else { return }
        // SAFETY: this was the last owner, and the memory was not taken.
        let block = unsafe Block(reusing: memory, capacity: capacity)
        if let loop, loop.isCurrent { loop.blocks.giveBack(block) }
    }
}
