// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A file of what has passed, as Wireshark reads it: pcapng with packets of IP and TCP, which are made up around the bytes.
///
///     section header   interface description   one block a packet
///     +------------+   +-----------------+     +------------+ +------------+
///     | 0A0D0D0A … |   | 00000001 …      |     | 00000006 … | | 00000006 … |  …
///     +------------+   +-----------------+     +------------+ +------------+
///
/// Numbers of the blocks are little-endian, those inside of packets big-endian. Source: draft-ietf-opsawg-pcapng.
///
/// It is written away from the loops, which a slow disk would hold up otherwise. What waits for it is bounded: when there is
/// more, whoever adds to it waits too. ``close()`` writes what waits; a process that is ended without it loses that.
final class CaptureFile: Sendable {
    private struct State {
        var descriptor: Int32?
        var failure: SystemError?
    }

    private struct Waiting {
        var bytes: [UInt8] = []
        /// Whether somebody writes, or is about to.
        var hasWriter = false
    }

    /// How many bytes may wait to be written.
    private static let mostWaitingBytes = 8 << 20

    let path: String
    /// Whoever holds it writes; never taken by who holds the other lock.
    private let state: Lock<State>
    private let waiting = Lock(Waiting())
    /// Is told once, when something cannot be written; nothing more is, then.
    private let failed: @Sendable (SystemError) -> Void

    /// Makes the file, in place of one that may be there; only its owner can read it.
    init(_ path: String, failed: @escaping @Sendable (SystemError) -> Void) throws(SystemError) {
        self.path = path
        self.failed = failed
        let descriptor = try System.makeFile(path)
        try System.write(descriptor, Self.beginning)
        state = Lock(State(descriptor: descriptor))
    }

    /// Why not everything has been written; nil where all has.
    var failure: SystemError? { state.withLock { $0.failure } }

    /// Adds a packet, with the time that it is.
    func add(_ packet: [UInt8]) {
        let microseconds = System.microsecondsSince1970
        var block = CaptureBytes()
        // Enhanced packet block (§4.3): interface, time in two halves, and how long the packet is, here and on the wire.
        block.add(little: 6, 32 + UInt32(packet.count.roundedUpToFour), 0)
        block.add(little: UInt32(truncatingIfNeeded: microseconds >> 32), UInt32(truncatingIfNeeded: microseconds))
        block.add(little: UInt32(packet.count), UInt32(packet.count))
        block.bytes += packet
        block.bytes += Array(repeating: 0, count: packet.count.roundedUpToFour - packet.count)
        block.add(little: 32 + UInt32(packet.count.roundedUpToFour))
        write(block.bytes)
    }

    /// Writes what waits, and closes the file.
    func close() {
        writeWaiting()
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return }
        System.close(descriptor)
    }

    private static var beginning: [UInt8] {
        var bytes = CaptureBytes()
        // Section header block (§4.1): version 1.0, of unknown length.
        bytes.add(little: 0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28)
        // Interface description block (§4.2): LINKTYPE_RAW, IP without anything in front; packets of any length.
        bytes.add(little: 1, 20, 101, 0, 20)
        return bytes.bytes
    }

    private func write(_ bytes: [UInt8]) {
        let (isFirst, isTooMuch) = waiting.withLock { waiting in
            waiting.bytes += bytes
            defer { waiting.hasWriter = true }
            return (!waiting.hasWriter, waiting.bytes.count > Self.mostWaitingBytes)
        }
        // Where there is no thread for it, or too much to write, who adds to it does it.
        let isUnderWay = !isFirst || (try? BlockingCalls.shared.run { self.writeWaiting() }) != nil
        if !isUnderWay || isTooMuch { writeWaiting() }
    }

    /// Writes what waits, and what comes to it meanwhile.
    private func writeWaiting() {
        let failure = state.withLock { state -> SystemError? in
            let hadFailed = state.failure != nil
            while let bytes = takeWaiting() {
                guard let descriptor = state.descriptor, state.failure == nil else { continue }
                do throws(SystemError) {
                    try System.write(descriptor, bytes)
                } catch {
                    state.failure = error
                }
            }
            return hadFailed ? nil : state.failure
        }
        if let failure { failed(failure) }
    }

    /// What waits, in order; nil where nothing does, and then whoever adds to it sees to its being written.
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

/// Bytes, and numbers put to them.
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
