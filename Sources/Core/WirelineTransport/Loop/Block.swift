// SPDX-License-Identifier: Apache-2.0

/// Memory for bytes that were read or will be written.
///
/// Large blocks come from the system in pages, so unwritten pages take no memory. A block that is no longer used
/// returns to the system, except for the few that each loop's ``BlockPool`` keeps.
@safe
package struct Block: ~Copyable {
    /// The size from which a block comes from the system: 16 of its pages.
    private static let pagedByteCount = 64 << 10

    package let base: UnsafeMutableRawPointer
    package let capacity: Int

    package init(capacity: Int) {
        // SAFETY: the memory is this value's own until `deinit` or `takeBase`.
        unsafe base =
            capacity < Self.pagedByteCount
            ? .allocate(byteCount: capacity, alignment: 64) : SystemCall.allocatePages(capacity)
        self.capacity = capacity
    }

    init(reusing base: UnsafeMutableRawPointer, capacity: Int = BlockPool.blockByteCount) {
        // SAFETY: the caller gives the memory away, which was allocated as a block of this capacity.
        unsafe self.base = base
        self.capacity = capacity
    }

    consuming func takeBase() -> UnsafeMutableRawPointer {
        // SAFETY: the caller takes over the memory, because `deinit` does not run for this value any more.
        let base = unsafe base
        discard self
        return unsafe base
    }

    deinit {
        if capacity < Self.pagedByteCount {
            // SAFETY: the memory was allocated in the way that its capacity says, and the value cannot be copied.
            unsafe base.deallocate()
        } else {
            unsafe SystemCall.freePages(base, capacity)
        }
    }
}

/// The unused blocks of a loop, the last used on top: it is still in the cache.
///
/// A connection has a block only while it has bytes in it. So memory grows with the connections that are busy at the
/// same time, not with the open ones.
@safe
struct BlockPool: ~Copyable {
    /// The size of a block: the most that is read at once.
    /// With 64 KiB, the largest read of a loopback socket on Linux would be split in two.
    static let blockByteCount = 128 * 1024
    /// The most unused blocks that the pool keeps (4 MiB); a block from the system takes as long as reading 10 KiB.
    private static let limit = 32

    // INVARIANT: each address is that of a block of `blockByteCount` bytes, which only the pool owns.
    private var spare: [UnsafeMutableRawPointer] = unsafe []

    init() {}

    deinit {
        // SAFETY: the pool owns the blocks, and no other code has the pool any more.
        for index in unsafe spare.indices { _ = unsafe Block(reusing: spare[index]) }
    }

    mutating func take() -> Block {
        // SAFETY: the pool gives up the block that it takes from the list.
        guard let base = unsafe spare.popLast() else { return Block(capacity: Self.blockByteCount) }
        return unsafe Block(reusing: base)
    }

    mutating func giveBack(_ block: consuming Block) {
        // SAFETY: the block is of the pool's size, and its owner gives it away.
        guard block.capacity == Self.blockByteCount, unsafe spare.count < Self.limit else { return }
        unsafe spare.append(block.takeBase())
    }
}
