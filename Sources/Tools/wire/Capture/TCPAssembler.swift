// SPDX-License-Identifier: Apache-2.0

/// Reassembles the bytes of one direction of a TCP connection.
///
/// Repeated bytes are dropped, and early bytes wait for those before them. Missing bytes are given up in three cases:
/// if too
/// much waits (``maximumWaitingByteCount``, ``maximumWaitingCount``), if the receiver has confirmed them several times
/// (``patience``), or at the end.
struct TCPAssembler {
    enum Output: Equatable {
        case bytes([UInt8])
        /// The number of bytes that were not captured.
        case missing(Int)
    }

    /// The most memory of waiting segments.
    static let maximumWaitingByteCount = 1 << 20
    /// The most waiting segments.
    static let maximumWaitingCount = 1024
    /// The largest window of TCP (RFC 7323 §2.3). A segment further away does not belong to the connection.
    private static let largestDistance = 1 << 30
    /// After this many further segments from a receiver that has confirmed missing bytes, they are given up. Before
    /// that, they
    /// may still follow in the file, if several network queues were captured.
    private static let patience = 16

    private struct Waiting {
        var position: Int
        var bytes: [UInt8]
        var lostByteCount: Int

        var end: Int { position + bytes.count + lostByteCount }
        /// The memory of a short segment is mostly its description.
        var memoryByteCount: Int { bytes.count + 128 }
    }

    /// The sequence number at ``position``; nil before the first segment.
    private var sequence: UInt32?
    /// The bytes that were returned or reported as missing.
    private var position = 0
    /// Sorted by position.
    private var waiting: [Waiting] = []
    /// The memory of waiting segments.
    private(set) var waitingByteCount = 0
    /// The position of the stream's end, once it is known.
    private var end: Int?
    private var confirmationCount = 0

    /// Whether everything up to the stream's end was returned.
    var isAtEnd: Bool { end.map { position >= $0 } ?? false }
    /// Whether a segment has arrived.
    var hasBegun: Bool { sequence != nil }

    /// Whether a segment with `SYN` begins another connection.
    func isOtherBeginning(_ segment: TCPSegment) -> Bool {
        guard let sequence else { return false }
        return position > 0 || sequence != segment.sequence &+ 1
    }

    /// Takes a segment, and returns the bytes that are now in order.
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

    /// The receiver has confirmed all bytes before this sequence number.
    mutating func confirm(_ acknowledgement: UInt32) -> [Output] {
        guard let sequence, !waiting.isEmpty else { return [] }
        guard Int32(bitPattern: acknowledgement &- sequence) > 0 else { return [] }
        confirmationCount += 1
        return confirmationCount > Self.patience ? skipGap() : []
    }

    /// There are no more segments. Returns all waiting bytes.
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
        // A repeated segment adds nothing.
        if index > 0, waiting[index - 1].position + waiting[index - 1].bytes.count >= arrived.end { return }
        waiting.insert(arrived, at: index)
        waitingByteCount += arrived.memoryByteCount
    }

    /// Returns the segments that begin at or before the position.
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
            // The next segment may contain the bytes that this one lacks.
            let isRepeated = count < waiting.count && waiting[count].position <= position
            if first.lostByteCount > 0, first.end > position, !isRepeated {
                output.append(.missing(first.end - position))
                advance(by: first.end - position)
            }
        }
        waiting.removeFirst(count)
        return output
    }

    /// Gives up the bytes before the first waiting segment.
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
