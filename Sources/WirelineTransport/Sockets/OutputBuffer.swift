// SPDX-License-Identifier: Apache-2.0

/// Bytes that have been written to a stream and have not left.
///
/// It has memory only while there are any.
struct OutputBuffer: ~Copyable {
    private var block: Block?
    private var start = 0
    private var end = 0

    var count: Int { end - start }
    var isEmpty: Bool { start == end }

    /// Appends `byteCount` bytes, which `body` fills in.
    mutating func append(byteCount: Int, from pool: inout BlockPool, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        let room = takeBlock(withRoomFor: byteCount, from: &pool)
        // SAFETY: the block has room for byteCount bytes behind `end`.
        unsafe body(UnsafeMutableRawBufferPointer(start: room.base + end, count: byteCount))
        end += byteCount
        block = consume room
    }

    private mutating func takeBlock(withRoomFor byteCount: Int, from pool: inout BlockPool) -> Block {
        guard let old = block.take() else {
            return byteCount <= BlockPool.blockByteCount ? pool.take() : Block(capacity: byteCount)
        }
        guard old.capacity - end < byteCount else { return old }
        let count = count
        defer {
            start = 0
            end = count
        }
        // To the front of the block where half of it is free afterwards, so that bytes are not moved again and again.
        if count + byteCount <= old.capacity / 2 {
            unsafe old.base.copyMemory(from: old.base + start, byteCount: count)
            return old
        }
        let bigger = Block(capacity: max(old.capacity * 2, count + byteCount))
        unsafe bigger.base.copyMemory(from: old.base + start, byteCount: count)
        pool.giveBack(old)
        return bigger
    }

    /// Hands the bytes to `send`, which says how many it has taken.
    mutating func drain(into pool: inout BlockPool, _ send: (UnsafeRawPointer, Int) -> TransferResult) -> TransferResult
    {
        guard let block = block.take() else { return .bytes(0) }
        // SAFETY: the bytes from `start` to `end` lie in the block and have been written.
        let result = unsafe send(UnsafeRawPointer(block.base + start), count)
        if case .bytes(let sent) = result { start += sent }
        if isEmpty {
            (start, end) = (0, 0)
            pool.giveBack(block)
        } else {
            self.block = consume block
        }
        return result
    }

    /// Gives up what is there.
    mutating func removeAll(into pool: inout BlockPool) {
        (start, end) = (0, 0)
        if let block = block.take() { pool.giveBack(block) }
    }
}
