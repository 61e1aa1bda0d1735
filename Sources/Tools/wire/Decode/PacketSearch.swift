// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The work of all searches in a stream. At the limit, the search ends without a result.
struct SearchWork {
    /// The number of bytes that were decoded.
    var byteCount = 0
    /// The limit: 1 MiB, and 64 times the bytes of the stream.
    private(set) var limit = 1 << 20

    mutating func allow(forReceived byteCount: Int) { limit += 64 * byteCount }
}

/// Searches for the next packet in bytes without known packet boundaries.
///
/// The search tries each offset in order. It accepts the first offset at which two whole packets follow each other, or
/// at which packets end exactly where the bytes end. The schema must know the packets' IDs and accept their contents.
/// The search decides about an offset only after enough bytes have arrived. So the result does not depend on how the
/// bytes were split.
///
/// The work is limited by ``SearchWork``.
struct PacketSearch {
    enum Verdict: Equatable {
        case accepted, refused
        /// The decision needs this number of bytes from the offset.
        case needs(Int)
    }

    /// The first skipped offset in the stream.
    let origin: Int
    /// Whether one packet is enough at the first offset, because a packet usually begins there.
    let trustsFirst: Bool
    private var isFirst = true
    private var needed = 1
    private var isOver: Bool

    /// - Parameter isOver: Whether all bytes are skipped without a search.
    init(origin: Int, trustsFirst: Bool, isOver: Bool = false) {
        self.origin = origin
        self.trustsFirst = trustsFirst
        self.isOver = isOver
    }

    /// Continues the search.
    ///
    /// - Parameters:
    ///   - start: The offset in `bytes` at which the search continues. It moves to the packet that was found.
    ///   - states: The states of the connection, as far as they are known.
    /// - Returns: Whether a packet was found, more bytes are needed, or the search has ended without a result.
    mutating func look(
        _ bytes: [UInt8], _ start: inout Int, isAtEnd: Bool, _ translator: PacketTranslator,
        _ direction: PacketStream.Direction, _ states: PacketStates, _ work: inout SearchWork
    ) -> Verdict {
        if isOver { start = bytes.count }
        // Each judgement takes a splitter and an error, so most offsets of bytes that are no packets get none.
        let lengths = PacketStream.splitter(translator, direction, states)
        while start < bytes.count {
            guard isAtEnd || bytes.count - start >= needed else { return .needs(needed) }
            let wanted = isFirst && trustsFirst ? 1 : 2
            let verdict =
                lengths.refusesLength(in: bytes.rawSpan, at: start)
                ? .refused
                : Self.judge(
                    bytes, at: start, wanted: wanted, isAtEnd: isAtEnd, translator, direction,
                    PacketStream.splitter(translator, direction, states), &work.byteCount)
            switch verdict {
            case .accepted: return .accepted
            case .needs(let count):
                needed = max(count, bytes.count - start + 1)
                return .needs(needed)
            case .refused:
                start += 1
                needed = 1
                isFirst = false
                guard work.byteCount <= work.limit else { return .refused }
            }
        }
        return .needs(1)
    }

    /// Checks whether packets begin at an offset.
    ///
    /// - Parameters:
    ///   - wanted: The number of packets that are enough.
    ///   - splitter: A new splitter for these packets.
    ///   - work: Increased by the number of decoded bytes.
    static func judge(
        _ bytes: [UInt8], at start: Int, wanted: Int, isAtEnd: Bool, _ translator: PacketTranslator,
        _ direction: PacketStream.Direction, _ splitter: consuming PacketSplitter, _ work: inout Int
    ) -> Verdict {
        var position = start
        var opener = PacketStream.opener(translator, direction)
        for count in 0..<wanted {
            if position == bytes.count {
                guard isAtEnd else { return .needs(bytes.count - start + 1) }
                return count > 0 ? .accepted : .refused
            }
            do throws(CodecError) {
                let before = position
                guard let (content, bounds) = try splitter.nextPacket(in: bytes, from: &position) else {
                    guard isAtEnd else { return .needs(position - start + splitter.neededByteCount) }
                    // A packet can be followed by further marks between frames.
                    return count > 0 && splitter.isBetweenFrames ? .accepted : .refused
                }
                work += position - before
                let line = try PacketStream.line(
                    of: Packet(content.rawSpan, bounds), translator, direction, &splitter, &opener)
                guard line["message"]?.isNull == false || line["packets"] != nil else { return .refused }
            } catch {
                return .refused
            }
        }
        return .accepted
    }
}
