// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// A capture file for Wireshark (pcapng). The bytes of a connection are put into artificial IP and TCP packets.
///
///     section header   interface description   one block a packet
///     +------------+   +-----------------+     +------------+ +------------+
///     | 0A0D0D0A … |   | 00000001 …      |     | 00000006 … | | 00000006 … |  …
///     +------------+   +-----------------+     +------------+ +------------+
///
/// The blocks have little-endian numbers, and the packets inside big-endian ones. Source: draft-ietf-opsawg-pcapng.
///
/// A separate thread writes the file, because a slow disk would delay the loops. Connections stop reading while
/// ``backlog`` is full. ``finish(within:)`` waits until all blocks are written. A process that ends without it loses
/// the blocks that are not.
///
/// If a block cannot be written, for example on a full disk, the file is cut after the last whole block, and nothing
/// more is written.
final class CaptureFile: Sendable {
    private struct State {
        /// The blocks that wait for the writer.
        var waiting: [UInt8] = []
        /// Whether a writer runs or is about to start.
        var hasWriter = false
        /// The number of bytes written, all in whole blocks.
        var byteCount: Int
        var failure: SystemError?
        var whenIdle: (@Sendable () -> Void)?
    }

    let path: String
    /// The bytes that are not written yet.
    let backlog = Backlog(limit: 8 << 20)
    private let descriptor: Int32
    private let state = Lock(State(byteCount: CaptureFile.beginning.count))
    /// Called once, when a write has failed. Nothing is written after that.
    private let failed: @Sendable (SystemError) -> Void

    /// See ``System/makeSecretFile(_:beginning:replacing:)``.
    init(
        _ path: String, replacing isReplacing: Bool, failed: @escaping @Sendable (SystemError) -> Void
    ) throws(SystemError) {
        self.path = path
        self.failed = failed
        descriptor = try System.makeSecretFile(path, beginning: Self.beginning, replacing: isReplacing)
    }

    /// Whether all blocks so far are written.
    var isComplete: Bool { state.withLock { $0.failure == nil } && backlog.byteCount == 0 }

    /// Adds a packet with the current time.
    func add(_ packet: [UInt8]) {
        let microseconds = WallClock.microsecondsSince1970
        var block = CaptureBytes()
        // Enhanced packet block (§4.3): the interface, the time in two halves, and the captured and original lengths.
        block.add(little: 6, 32 + UInt32(packet.count.roundedUpToFour), 0)
        block.add(little: UInt32(truncatingIfNeeded: microseconds >> 32), UInt32(truncatingIfNeeded: microseconds))
        block.add(little: UInt32(packet.count), UInt32(packet.count))
        block.bytes += packet
        block.bytes += Array(repeating: 0, count: packet.count.roundedUpToFour - packet.count)
        block.add(little: 32 + UInt32(packet.count.roundedUpToFour))
        write(block.bytes)
    }

    /// Waits a limited time until all blocks are written. Nothing may be added after this call.
    ///
    /// The process must end next: its end closes the file, which a writer can still use until then.
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
        // Section header block (§4.1): version 1.0, and a section of unknown length.
        bytes.add(little: 0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28)
        // Interface description block (§4.2): LINKTYPE_RAW, which is plain IP, and packets of any length.
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

    /// Writes the queue, and blocks that are added in the meantime. There is one writer at a time.
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

    /// Returns the size of the whole blocks within the first `byteCount` bytes.
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

    /// Returns nil if the queue is empty. The next block then starts a writer.
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
