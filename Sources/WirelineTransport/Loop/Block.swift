// SPDX-License-Identifier: Apache-2.0

/// Memory for bytes that are read or will be written.
@safe
package struct Block: ~Copyable {
    package let base: UnsafeMutableRawPointer
    package let capacity: Int

    package init(capacity: Int) {
        unsafe base = .allocate(byteCount: capacity, alignment: 64)
        self.capacity = capacity
    }

    init(reusing base: UnsafeMutableRawPointer, capacity: Int = BlockPool.blockByteCount) {
        unsafe self.base = base
        self.capacity = capacity
    }

    consuming func takeBase() -> UnsafeMutableRawPointer {
        let base = unsafe base
        discard self
        return unsafe base
    }

    deinit {
        unsafe base.deallocate()
    }
}

/// The blocks of a loop that nobody uses at the moment, the one used last on top: it is still in the cache.
///
/// A connection has a block only while it has bytes in it. So memory grows with the connections that are busy at one
/// time and not with those that are open.
@safe
struct BlockPool: ~Copyable {
    /// How much is read at once: with 64 KiB, the most that Linux hands over in one read of a socket on loopback is
    /// split in two.
    static let blockByteCount = 128 * 1024
    /// How many unused blocks are kept.
    private static let limit = 16

    private var spare: [UnsafeMutableRawPointer] = unsafe []

    init() {}

    deinit {
        for index in unsafe spare.indices { unsafe spare[index].deallocate() }
    }

    mutating func take() -> Block {
        guard let base = unsafe spare.popLast() else { return Block(capacity: Self.blockByteCount) }
        return unsafe Block(reusing: base)
    }

    mutating func giveBack(_ block: consuming Block) {
        guard block.capacity == Self.blockByteCount, unsafe spare.count < Self.limit else { return }
        unsafe spare.append(block.takeBase())
    }
}
