// SPDX-License-Identifier: Apache-2.0

/// The queued output of a stream, with counts of written and sent bytes.
///
/// The queue is the bytes from `start` to `end` of one block, if there are any. A message may fill in its bytes later:
/// the block is *lent* to it, and stays where it is until the message is complete.
///
/// INVARIANT: 0 ≤ `start` ≤ `end` ≤ `capacity`. If `limit` is positive, `end` ≤ `limit` ≤ `capacity`. The bytes
/// before `end` are written, or lent to a message that writes them.
@safe
@usableFromInline
package struct OutputBuffer: ~Copyable {
    @usableFromInline private(set) var base: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    @usableFromInline private(set) var start = 0

    // Only this type changes these three; its inlined methods do so in other modules, so they cannot be private.
    @usableFromInline var end = 0
    /// The end of the bytes that may be written at once.
    /// It is the block's end while the loop knows that there is something to send, else 0.
    @usableFromInline var limit = 0
    @usableFromInline var writeCount = 0

    /// Outputs put aside, because something else was written while their block was lent to a message.
    // SAFETY: an output leaves the list once, when its message is complete; see takeLentOutput(after:).
    private var lentOutputs: [LentOutput] = unsafe []
    /// The total number of bytes that the system has taken.
    private(set) var sentByteCount: UInt64 = 0
    /// Whether the handler receives a copy of everything that is written.
    private(set) var isShown = false
    /// The offset up to which the handler has received it.
    private var shownEnd = 0
    /// Whether the peer reads more slowly than this side writes.
    private(set) var isStalled = false
    /// Whether writers must check regularly whether they may continue, even if the peer reads everything.
    private var isWrittenInSteps = false

    /// The bytes that may be written at once, besides those of the current write, while the peer reads nothing or
    /// writers write in steps.
    private static let step = 16 << 10

    /// The memory that stalled output may take, per queued byte, and the bytes that it may always take.
    private static let (mostSlack, leastFittedCapacity) = (4, 16 << 10)

    init() {}

    // MARK: Writing

    @inlinable @inline(__always)
    var pendingByteCount: Int { end &- start }

    /// Negative if something must be done first.
    @inlinable @inline(__always)
    var freeByteCount: Int { limit &- end }

    /// Counts bytes as written, and returns their memory; nil if there is no block.
    ///
    /// - Parameter byteCount: At most ``freeByteCount``, or the count of the last call of ``reserve(_:from:)``.
    @inlinable @inline(__always) @unsafe
    mutating func write(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        // SAFETY: `byteCount` bytes after `end` are free, as the caller has checked.
        guard let base = unsafe base else { return nil }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base + end, count: byteCount)
        end &+= byteCount
        writeCount &+= 1
        return unsafe room
    }

    /// Reserves memory for bytes, and decides how many may be written at once.
    mutating func reserve(_ byteCount: Int, from pool: inout BlockPool) {
        if capacity - end < byteCount { enlarge(for: byteCount, from: &pool) }
        shownEnd = end
        if isShown {
            limit = 0
        } else {
            // While the peer reads nothing, writers check regularly whether they may continue.
            limit = isStalled || isWrittenInSteps ? min(capacity, end + Self.step) : capacity
        }
    }

    /// Makes the next writer call ``reserve(_:from:)``.
    mutating func endFreeWriting() { limit = 0 }

    /// Adds bytes that a call has accepted before.
    mutating func append(_ bytes: [UInt8], from pool: inout BlockPool) {
        if capacity - end < bytes.count { enlarge(for: bytes.count, from: &pool) }
        // SAFETY: the check above has reserved memory for these bytes.
        guard let base = unsafe base else { return }
        unsafe (base + end).copyMemory(from: bytes, byteCount: bytes.count)
        end += bytes.count
    }

    /// Adds bytes that were counted as a write before; the next writer must call ``reserve(_:from:)``.
    mutating func appendRest(_ bytes: RawSpan, from pool: inout BlockPool) {
        let count = bytes.byteCount
        if capacity - end < count { enlarge(for: count, from: &pool) }
        // SAFETY: the check above has reserved memory for these bytes.
        guard let base = unsafe base else { return }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base + end, count: count)
        unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        end += count
        endFreeWriting()
    }

    mutating func writeInSteps(_ isAsked: Bool) { isWrittenInSteps = isAsked }

    // MARK: Lending

    /// The value of ``limit`` while a message is being filled in; it makes other writers call ``reserve(_:from:)``.
    @inlinable static var lentLimit: Int { -1 }

    var isLent: Bool {
        // SAFETY: only the number of outputs is read.
        unsafe limit == Self.lentLimit || !lentOutputs.isEmpty
    }

    /// As ``write(_:)``, for a message that may do anything while it fills in its bytes.
    ///
    /// While the limit is ``lentLimit``, no code moves, sends or returns the block: it checks ``isLent`` first, or puts
    /// the block aside.
    @inlinable @inline(__always) @unsafe
    mutating func lend(_ byteCount: Int) -> Loan? {
        // SAFETY: the caller has checked that `byteCount` bytes are free. The block stays until the loan ends.
        guard let base = unsafe base, let room = unsafe write(byteCount) else { return nil }
        let loan = unsafe Loan(room: room, base: base, limit: limit)
        limit = Self.lentLimit
        return unsafe loan
    }

    /// - Returns: False if something else happened to the output meanwhile: call ``takeLentOutput(after:)`` next.
    @inlinable @inline(__always)
    mutating func endLoan(_ loan: Loan) -> Bool {
        guard limit == Self.lentLimit else { return false }
        // SAFETY: no pointer of the loan is used.
        unsafe limit = loan.limit
        return true
    }

    /// Puts a lent block aside, so that other output can be written or the stream can be closed.
    mutating func putLentOutputAside() {
        // SAFETY: reset() forgets the block, so that the list is its only owner.
        guard limit == Self.lentLimit, let base = unsafe base else { return }
        unsafe lentOutputs.append(
            LentOutput(base: base, capacity: capacity, start: start, end: end, shownEnd: shownEnd))
        reset()
    }

    /// Removes the output that was put aside, for a message that is complete.
    ///
    /// - Returns: Nil if the message's block was not put aside: no more output is accepted.
    mutating func takeLentOutput(after loan: Loan) -> LentOutput? {
        // SAFETY: loans end in the reverse order of their beginning, so the last output is this message's.
        guard unsafe base != loan.base else { return nil }
        return unsafe lentOutputs.popLast()
    }

    /// Continues output that was put aside; later output follows it.
    mutating func restore(_ lent: LentOutput, from pool: inout BlockPool) {
        var later: [UInt8] = []
        // SAFETY: the bytes lie inside the block and have been written.
        if let base = unsafe base {
            later = unsafe [UInt8](UnsafeRawBufferPointer(start: base + start, count: pendingByteCount))
        }
        drop(to: &pool)
        // SAFETY: the output was put aside once, and is taken over once; its offsets lie inside its block.
        take(unsafe lent.takeBlock(), count: 0)
        (start, end, shownEnd) = unsafe (lent.start, lent.end, lent.shownEnd)
        if !later.isEmpty { append(later, from: &pool) }
    }

    // MARK: Showing

    mutating func show(_ isShown: Bool) { self.isShown = isShown }

    /// Returns the bytes written since the last call; nil if there are none, or if output is not shown.
    mutating func takeUnshown() -> [UInt8]? {
        // SAFETY: the bytes lie inside the block and have been written; none is lent.
        guard isShown, !isLent, let base = unsafe base, shownEnd < end else { return nil }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: base + shownEnd, count: end - shownEnd))
        shownEnd = end
        return bytes
    }

    // MARK: Sending

    /// ``pendingByteCount`` bytes; nil if there is no block.
    @unsafe var pendingBytes: UnsafeRawPointer? {
        // SAFETY: `start` lies inside the block.
        guard let base = unsafe base else { return nil }
        return unsafe UnsafeRawPointer(base + start)
    }

    mutating func removeFirst(_ byteCount: Int) { start += byteCount }

    mutating func countSent(_ byteCount: Int) { sentByteCount &+= UInt64(byteCount) }

    /// Counts more writes than calls: some bytes are of several packets, or did not pass through this queue.
    mutating func countWrites(_ count: Int) { writeCount &+= count }

    mutating func stall() { isStalled = true }

    /// The peer has read everything, or nothing more is sent.
    mutating func endStall() { isStalled = false }

    // MARK: Memory

    private mutating func enlarge(for byteCount: Int, from pool: inout BlockPool) {
        let count = pendingByteCount
        // SAFETY: the pointer is used only while the block stays.
        guard let base = unsafe base else {
            let isUsual = byteCount <= BlockPool.blockByteCount
            return take(isUsual ? pool.take() : Block(capacity: byteCount), count: 0)
        }
        // Moves the bytes to the front only if half of the block is free then, so that they are not moved often.
        guard count + byteCount > capacity / 2 else {
            // SAFETY: both ranges lie inside the block; they may overlap.
            unsafe base.copyMemory(from: base + start, byteCount: count)
            (start, end, shownEnd) = (0, count, max(0, shownEnd - start))
            return
        }
        // SAFETY: the new block has more bytes than the queue.
        unsafe move(to: Block(capacity: max(capacity * 2, count + byteCount)), from: base, &pool)
    }

    /// Moves the queue to a smaller block, if it fills less than a quarter of its own.
    ///
    /// A peer that slowly reads a large output must not hold the memory of all of it. For each sent byte, this moves
    /// less than half a byte.
    ///
    /// - Returns: Whether it moved the queue.
    mutating func shrink(_ pool: inout BlockPool) -> Bool {
        let count = pendingByteCount
        // SAFETY: the pointer is used only while the block stays.
        guard capacity > max(Self.leastFittedCapacity, Self.mostSlack * count), let base = unsafe base
        else { return false }
        if count > 0 {
            // SAFETY: the new block has as many bytes as the queue.
            unsafe move(to: Block(capacity: count), from: base, &pool)
        } else {
            drop(to: &pool)
        }
        return true
    }

    /// The block must be large enough for the queue.
    @unsafe
    private mutating func move(to block: consuming Block, from base: UnsafeMutableRawPointer, _ pool: inout BlockPool) {
        let count = pendingByteCount
        let shownByteCount = max(0, shownEnd - start)
        // SAFETY: the queue lies inside the old block, and the callers ensure that it fits the new one.
        unsafe block.base.copyMemory(from: base + start, byteCount: count)
        drop(to: &pool)
        take(block, count: count)
        shownEnd = shownByteCount
    }

    /// Returns the block to the pool, and drops its bytes. Puts a lent block aside.
    mutating func drop(to pool: inout BlockPool) {
        putLentOutputAside()
        // SAFETY: take(_:count:) took the block over, and reset() forgets it here.
        guard let base = unsafe base else { return }
        pool.giveBack(unsafe Block(reusing: base, capacity: capacity))
        reset()
    }

    private mutating func take(_ block: consuming Block, count: Int) {
        capacity = block.capacity
        // SAFETY: drop(to:) or LentOutput.takeBlock() makes a block of it again.
        unsafe base = block.takeBase()
        (start, end) = (0, count)
    }

    private mutating func reset() {
        // SAFETY: the callers have given the block to another owner.
        unsafe base = nil
        (start, end, limit, capacity, shownEnd) = (0, 0, 0, 0, 0)
    }

    @unsafe
    @usableFromInline
    package struct Loan {
        @usableFromInline package let room: UnsafeMutableRawBufferPointer
        @usableFromInline let base: UnsafeMutableRawPointer
        /// The limit before the loan.
        @usableFromInline let limit: Int

        @inlinable @inline(__always)
        init(room: UnsafeMutableRawBufferPointer, base: UnsafeMutableRawPointer, limit: Int) {
            // SAFETY: the pointers are only stored; lend(_:) says how long they are valid.
            unsafe self.room = unsafe room
            unsafe self.base = unsafe base
            unsafe self.limit = limit
        }
    }
}

@unsafe
struct LentOutput {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    let start: Int
    let end: Int
    let shownEnd: Int

    init(base: UnsafeMutableRawPointer, capacity: Int, start: Int, end: Int, shownEnd: Int) {
        // SAFETY: the pointer is only stored; the caller gives up the block.
        unsafe self.base = unsafe base
        unsafe (self.capacity, self.start, self.end, self.shownEnd) = (capacity, start, end, shownEnd)
    }

    /// Call it once.
    func takeBlock() -> Block {
        // SAFETY: the memory came from a block of this capacity, and has no other owner after the only call.
        unsafe Block(reusing: base, capacity: capacity)
    }
}
