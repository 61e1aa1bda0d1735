// SPDX-License-Identifier: Apache-2.0

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
/// A separate thread writes the file, because a slow disk would delay the loops. The queue is limited: if it is full,
/// the caller that adds to it waits. ``close()`` writes the queue. A process that ends without it loses the queue.
///
/// If a block cannot be written, for example on a full disk, the file is cut after the last whole block. Nothing more
/// is written.
final class CaptureFile: Sendable {
    private struct State {
        var descriptor: Int32?
        var failure: SystemError?
        /// The number of bytes written: whole blocks.
        var byteCount: Int
    }

    private struct Waiting {
        var bytes: [UInt8] = []
        /// Whether a writer runs, or is about to.
        var hasWriter = false
    }

    /// The largest size of the queue, in bytes.
    private static let mostWaitingBytes = 8 << 20

    let path: String
    /// Whoever holds this lock writes. It is never taken while the other lock is held.
    private let state: Lock<State>
    private let waiting = Lock(Waiting())
    /// Called once, when a write fails; nothing more is written then.
    private let failed: @Sendable (SystemError) -> Void

    /// Makes the file; see ``System/makeSecretFile(_:beginning:)``.
    init(_ path: String, failed: @escaping @Sendable (SystemError) -> Void) throws(SystemError) {
        self.path = path
        self.failed = failed
        let beginning = Self.beginning
        let descriptor = try System.makeSecretFile(path, beginning: beginning)
        state = Lock(State(descriptor: descriptor, byteCount: beginning.count))
    }

    /// The reason why not everything was written; nil if everything was.
    var failure: SystemError? { state.withLock { $0.failure } }

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

    /// Writes the queue, and closes the file.
    func close() {
        writeWaiting()
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return }
        System.close(descriptor)
    }

    private static var beginning: [UInt8] {
        var bytes = CaptureBytes()
        // Section header block (§4.1): version 1.0, of unknown length.
        bytes.add(little: 0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28)
        // Interface description block (§4.2): LINKTYPE_RAW, plain IP; packets of any length.
        bytes.add(little: 1, 20, 101, 0, 20)
        return bytes.bytes
    }

    private func write(_ bytes: [UInt8]) {
        let (isFirst, isTooMuch) = waiting.withLock { waiting in
            waiting.bytes += bytes
            defer { waiting.hasWriter = true }
            return (!waiting.hasWriter, waiting.bytes.count > Self.mostWaitingBytes)
        }
        // If no thread can start, or the queue is full, the caller writes.
        let isUnderWay = !isFirst || (try? BlockingCalls.shared.run { self.writeWaiting() }) != nil
        if !isUnderWay || isTooMuch { writeWaiting() }
    }

    /// Writes the queue, including what is added meanwhile.
    private func writeWaiting() {
        let failure = state.withLock { state -> SystemError? in
            let hadFailed = state.failure != nil
            while let bytes = takeWaiting() {
                guard let descriptor = state.descriptor, state.failure == nil else { continue }
                var writtenCount = 0
                do throws(SystemError) {
                    try System.write(descriptor, bytes, &writtenCount)
                } catch {
                    state.failure = error
                    writtenCount = Self.wholeBlocks(in: bytes, writtenCount)
                    System.cut(descriptor, behind: state.byteCount + writtenCount)
                }
                state.byteCount += writtenCount
            }
            return hadFailed ? nil : state.failure
        }
        if let failure { failed(failure) }
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

    /// Returns the queue in order. If it is empty, returns nil, and the next caller that adds starts a writer.
    private func takeWaiting() -> [UInt8]? {
        waiting.withLock { waiting in
            guard waiting.bytes.isEmpty else {
                defer { waiting.bytes = [] }
                return waiting.bytes
            }
            waiting.hasWriter = false
            return nil
        }
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
