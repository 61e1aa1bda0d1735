// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// A capture file for Wireshark: pcapng, with IP and TCP packets constructed around the bytes.
///
///     section header   interface description   one block a packet
///     +------------+   +-----------------+     +------------+ +------------+
///     | 0A0D0D0A … |   | 00000001 …      |     | 00000006 … | | 00000006 … |  …
///     +------------+   +-----------------+     +------------+ +------------+
///
/// Numbers of the blocks are little-endian, those inside packets big-endian. Source: draft-ietf-opsawg-pcapng.
///
/// A separate thread writes the file, because a slow disk would delay the loops. Connections read nothing more while
/// ``backlog`` is full. ``finish(within:)`` waits for what is not written yet; a process that ends without it loses that.
///
/// If a block cannot be written, for example on a full disk, the file is cut after the last whole block. Nothing more
/// is written.
final class CaptureFile: Sendable {
    private struct State {
        /// Whole blocks that no writer has taken.
        var waiting: [UInt8] = []
        /// Whether a writer runs, or is about to.
        var hasWriter = false
        /// The number of bytes written: whole blocks.
        var byteCount: Int
        var failure: SystemError?
        /// Called when the writer ends.
        var whenIdle: (@Sendable () -> Void)?
    }

    let path: String
    /// The bytes that are not written yet.
    let backlog = Backlog(limit: 8 << 20)
    private let descriptor: Int32
    private let state = Lock(State(byteCount: CaptureFile.beginning.count))
    /// Called once, when a write fails; nothing more is written then.
    private let failed: @Sendable (SystemError) -> Void

    /// Makes the file; see ``System/makeSecretFile(_:beginning:replacing:)``.
    init(
        _ path: String, replacing isReplacing: Bool, failed: @escaping @Sendable (SystemError) -> Void
    ) throws(SystemError) {
        self.path = path
        self.failed = failed
        descriptor = try System.makeSecretFile(path, beginning: Self.beginning, replacing: isReplacing)
    }

    /// Whether everything was written up to now.
    var isComplete: Bool { state.withLock { $0.failure == nil } && backlog.byteCount == 0 }

    /// Adds a packet with the current time.
    func add(_ packet: [UInt8]) {
        let microseconds = WallClock.microsecondsSince1970
        var block = CaptureBytes()
        // Enhanced packet block (§4.3): interface, time in two halves, and the packet's length, captured and original.
        block.add(little: 6, 32 + UInt32(packet.count.roundedUpToFour), 0)
        block.add(little: UInt32(truncatingIfNeeded: microseconds >> 32), UInt32(truncatingIfNeeded: microseconds))
        block.add(little: UInt32(packet.count), UInt32(packet.count))
        block.bytes += packet
        block.bytes += Array(repeating: 0, count: packet.count.roundedUpToFour - packet.count)
        block.add(little: 32 + UInt32(packet.count.roundedUpToFour))
        write(block.bytes)
    }

    /// Waits until everything is written, but no longer than this time. Nothing may be added any more.
    ///
    /// The process ends next, which closes the file: a writer may still use it.
    func finish(within time: Duration) async {
        let (end, feed) = AsyncStream<Never>.makeStream()
        let isIdle = state.withLock { state in
            state.whenIdle = { feed.finish() }
            return !state.hasWriter
        }
        guard !isIdle else { return }
        await wait(atMost: time) { for await _ in end {} }
    }

    private static var beginning: [UInt8] {
        var bytes = CaptureBytes()
        // Section header block (§4.1): version 1.0, of unknown length.
        bytes.add(little: 0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28)
        // Interface description block (§4.2): LINKTYPE_RAW, plain IP; packets of any length.
        bytes.add(little: 1, 20, 101, 0, 20)
        return bytes.bytes
    }

    private func write(_ block: [UInt8]) {
        backlog.add(block.count)
        let isFirst = state.withLock { state in
            state.waiting += block
            defer { state.hasWriter = true }
            return !state.hasWriter
        }
        guard isFirst else { return }
        // If no thread can start, the caller writes.
        do { try BlockingCalls.shared.run { self.writeWaiting() } } catch { writeWaiting() }
    }

    /// Writes the queue, including what is added meanwhile; there is one writer at a time.
    private func writeWaiting() {
        while let blocks = takeWaiting() {
            let (byteCount, failure) = state.withLock { ($0.byteCount, $0.failure) }
            var writtenCount = 0
            do throws(SystemError) {
                if failure == nil { try System.write(descriptor, blocks, &writtenCount) }
            } catch {
                writtenCount = Self.wholeBlocks(in: blocks, writtenCount)
                System.cut(descriptor, behind: byteCount + writtenCount)
                state.withLock { $0.failure = error }
                failed(error)
            }
            state.withLock { $0.byteCount += writtenCount }
            backlog.remove(blocks.count)
        }
    }

    /// Returns the size of the whole blocks within the first bytes.
    private static func wholeBlocks(in blocks: [UInt8], _ byteCount: Int) -> Int {
        var end = 0
        while end + 8 <= byteCount {
            // The second number of a block is its length.
            let length = (0..<4).reduce(0) { $0 | Int(blocks[end + 4 + $1]) << (8 * $1) }
            guard end + length <= byteCount else { break }
            end += length
        }
        return end
    }

    /// Returns the queue in order. If it is empty, returns nil, and the next block starts a writer.
    private func takeWaiting() -> [UInt8]? {
        let (blocks, whenIdle) = state.withLock { state -> ([UInt8]?, (@Sendable () -> Void)?) in
            defer { state.waiting = [] }
            state.hasWriter = !state.waiting.isEmpty
            return state.hasWriter ? (state.waiting, nil) : (nil, state.whenIdle)
        }
        whenIdle?()
        return blocks
    }
}

/// Bytes to which numbers can be appended.
struct CaptureBytes {
    var bytes: [UInt8] = []

    mutating func add(little numbers: UInt32...) {
        for number in numbers { for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) } }
    }

    mutating func add(big numbers: UInt16...) {
        for number in numbers { bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
    }

    mutating func add(big numbers: UInt32...) {
        for number in numbers { add(big: UInt16(number >> 16), UInt16(truncatingIfNeeded: number)) }
    }
}

extension Int {
    fileprivate var roundedUpToFour: Int { (self + 3) & ~3 }
}
