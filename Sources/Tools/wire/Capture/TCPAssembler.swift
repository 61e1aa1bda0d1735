// SPDX-License-Identifier: Apache-2.0

/// Reassembles the bytes of one direction of a TCP connection.
///
/// Repeated bytes are dropped. Bytes that arrive early wait for those before them.
///
/// The stream continues without missing bytes in three cases: too much waits (``maximumWaitingByteCount``,
/// ``maximumWaitingCount``), the receiver has acknowledged the bytes several times (``patience``), or the capture ends.
struct TCPAssembler {
    enum Output: Equatable {
        case bytes([UInt8])
        /// The number of bytes that were not captured.
        case missing(Int)
    }

    /// The limit for the memory of waiting segments, in bytes.
    static let maximumWaitingByteCount = 1 << 20
    /// The limit for the number of waiting segments.
    static let maximumWaitingCount = 1024
    /// The largest window of TCP, in bytes (RFC 7323 §2.3). A segment beyond it is not of this connection.
    private static let largestDistance = 1 << 30
    /// The number of further segments from a receiver that has acknowledged missing bytes. After them, the stream
    /// continues without the bytes. Until then they can still follow in the file, if several network queues were
    /// captured.
    private static let patience = 16

    private struct Waiting {
        var position: Int
        var bytes: [UInt8]
        var lostByteCount: Int

        var end: Int { position + bytes.count + lostByteCount }
        /// The estimated memory, in bytes. For a short segment, most of it is the description.
        var memoryByteCount: Int { bytes.count + 128 }
    }

    /// The sequence number of the byte at ``position``; nil before the first segment.
    private var sequence: UInt32?
    /// The number of bytes that were returned or reported as missing.
    private var position = 0
    /// The segments that arrived early, sorted by position.
    private var waiting: [Waiting] = []
    private(set) var waitingByteCount = 0
    /// The position of the stream's end; nil until it is known.
    private var end: Int?
    private var confirmationCount = 0

    var isAtEnd: Bool { end.map { position >= $0 } ?? false }
    var hasBegun: Bool { sequence != nil }

    /// Whether the segment has `SYN` and begins another connection.
    func isOtherBeginning(_ segment: TCPSegment) -> Bool {
        guard let sequence else { return false }
        return position > 0 || sequence != segment.sequence &+ 1
    }

    /// Takes a segment, and returns the bytes that are in order now.
    mutating func receive(_ segment: TCPSegment) -> [Output] {
        let isFirst = segment.flags.contains(.synchronize)
        let begins = segment.sequence &+ (isFirst ? 1 : 0)
        let next = sequence ?? begins
        sequence = next
        let distance = Int(Int32(bitPattern: begins &- next))
        guard abs(distance) <= Self.largestDistance else { return [] }
        let arrived = Waiting(
            position: position + distance, bytes: segment.payload, lostByteCount: segment.lostByteCount)
        if segment.flags.contains(.finish), end == nil { end = arrived.end }
        if arrived.end > arrived.position { insert(arrived) }
        var output = takeReady()
        while waitingByteCount > Self.maximumWaitingByteCount || waiting.count > Self.maximumWaitingCount {
            output += skipGap()
        }
        return output
    }

    /// Takes an acknowledgement: the receiver has all bytes before this sequence number.
    mutating func confirm(_ acknowledgement: UInt32) -> [Output] {
        guard let sequence, !waiting.isEmpty else { return [] }
        guard Int32(bitPattern: acknowledgement &- sequence) > 0 else { return [] }
        confirmationCount += 1
        return confirmationCount > Self.patience ? skipGap() : []
    }

    /// Ends the stream, and returns all waiting bytes.
    mutating func finish() -> [Output] {
        var output: [Output] = []
        while !waiting.isEmpty { output += skipGap() }
        if let end, end > position {
            output.append(.missing(end - position))
            advance(by: end - position)
        }
        return output
    }

    // MARK: Order

    private mutating func insert(_ arrived: Waiting) {
        guard arrived.end > position else { return }
        var index = waiting.count
        while index > 0, waiting[index - 1].position > arrived.position { index -= 1 }
        // A segment that an earlier one covers adds nothing.
        if index > 0, waiting[index - 1].position + waiting[index - 1].bytes.count >= arrived.end { return }
        waiting.insert(arrived, at: index)
        waitingByteCount += arrived.memoryByteCount
    }

    private mutating func takeReady() -> [Output] {
        var output: [Output] = []
        var count = 0
        while count < waiting.count, waiting[count].position <= position {
            let first = waiting[count]
            count += 1
            waitingByteCount -= first.memoryByteCount
            let bytes = first.bytes.dropFirst(position - first.position)
            if !bytes.isEmpty {
                output.append(.bytes(Array(bytes)))
                advance(by: bytes.count)
            }
            // The next segment may contain the bytes that were not captured from this one.
            let isRepeated = count < waiting.count && waiting[count].position <= position
            if first.lostByteCount > 0, first.end > position, !isRepeated {
                output.append(.missing(first.end - position))
                advance(by: first.end - position)
            }
        }
        waiting.removeFirst(count)
        return output
    }

    /// Continues at the first waiting segment, without the bytes before it.
    private mutating func skipGap() -> [Output] {
        guard let first = waiting.first, first.position > position else { return takeReady() }
        let missing = first.position - position
        advance(by: missing)
        return [.missing(missing)] + takeReady()
    }

    private mutating func advance(by count: Int) {
        position += count
        sequence = sequence.map { $0 &+ UInt32(truncatingIfNeeded: count) }
        confirmationCount = 0
    }
}
