// SPDX-License-Identifier: Apache-2.0

/// Puts the bytes of one direction of a TCP connection together again.
///
/// Bytes that came before are dropped. Bytes that come too early wait for those before them. The wait ends, and the
/// bytes count as missing, if too much waits (``maximumWaitingByteCount``, ``maximumWaitingCount``), if the receiver
/// confirms them again and again (``patience``), or at the end.
struct TCPAssembler {
    enum Output: Equatable {
        case bytes([UInt8])
        /// So many bytes were not captured.
        case missing(Int)
    }

    /// The most memory of what waits.
    static let maximumWaitingByteCount = 1 << 20
    /// The most segments that wait.
    static let maximumWaitingCount = 1024
    /// The largest window of TCP (RFC 7323 §2.3). A segment further away does not belong to the connection.
    private static let largestDistance = 1 << 30
    /// The number of further segments from a receiver that has confirmed missing bytes. The bytes may follow in the
    /// file if several network queues were captured.
    private static let patience = 16

    private struct Waiting {
        var position: Int
        var bytes: [UInt8]
        var lostByteCount: Int

        var end: Int { position + bytes.count + lostByteCount }
        /// The memory that it takes: a short segment is mostly what describes it.
        var memoryByteCount: Int { bytes.count + 128 }
    }

    /// The sequence number at ``position``; nil before the first segment.
    private var sequence: UInt32?
    /// The number of bytes that were put out or are missing.
    private var position = 0
    /// In the order of their positions.
    private var waiting: [Waiting] = []
    /// The memory of what waits.
    private(set) var waitingByteCount = 0
    /// The position of the end of the stream, if it is known.
    private var end: Int?
    private var confirmationCount = 0

    /// Whether everything up to the end of the stream was put out.
    var isAtEnd: Bool { end.map { position >= $0 } ?? false }
    /// Whether a segment has come.
    var hasBegun: Bool { sequence != nil }

    /// Returns whether a segment with `SYN` begins another connection than the one at hand.
    func isOtherBeginning(_ segment: TCPSegment) -> Bool {
        guard let sequence else { return false }
        return position > 0 || sequence != segment.sequence &+ 1
    }

    /// Takes a segment, and returns what is now in order.
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

    /// Takes the sequence number that the receiver expects next.
    mutating func confirm(_ acknowledgement: UInt32) -> [Output] {
        guard let sequence, !waiting.isEmpty else { return [] }
        guard Int32(bitPattern: acknowledgement &- sequence) > 0 else { return [] }
        confirmationCount += 1
        return confirmationCount > Self.patience ? skipGap() : []
    }

    /// Returns what still waits, after the last segment.
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

    /// Puts out what begins at or before the position.
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
            // The next segment can have what was not captured of this one.
            let isRepeated = count < waiting.count && waiting[count].position <= position
            if first.lostByteCount > 0, first.end > position, !isRepeated {
                output.append(.missing(first.end - position))
                advance(by: first.end - position)
            }
        }
        waiting.removeFirst(count)
        return output
    }

    /// Gives up the bytes before the first segment that waits.
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
