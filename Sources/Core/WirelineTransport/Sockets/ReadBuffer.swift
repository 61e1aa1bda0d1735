// SPDX-License-Identifier: Apache-2.0

/// The memory for the next read.
package struct ReadBuffer: ~Copyable {
    let block: Block
    let offset: Int
    /// The number of bytes that may be read.
    let byteCount: Int

    /// - Parameters:
    ///   - block: A block with at least one free byte.
    ///   - offset: The number of its bytes in use.
    ///   - limit: The largest number of bytes to read, at least one (default: all free bytes).
    package init(_ block: consuming Block, offset: Int, limit: Int = .max) {
        precondition(offset >= 0 && offset < block.capacity && limit > 0, "no room in the block")
        byteCount = min(block.capacity - offset, limit)
        self.block = block
        self.offset = offset
    }

    consuming func takeBlock() -> Block { block }
}
