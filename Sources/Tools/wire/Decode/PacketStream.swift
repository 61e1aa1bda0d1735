// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

enum PacketStreamEvent {
    /// A packet, as a line of JSON.
    case packet(JSONValue, time: CaptureTime?)
    case fault(String)
    /// Bytes that were skipped after a fault.
    ///
    /// `next` is nil if the bytes ended before another packet, or if the search has ended without a result.
    case skipped(byteCount: Int, next: PacketPlace?, isGivenUp: Bool)
}

/// The number of a packet, from 1, and the offset of its first byte in the stream.
struct PacketPlace: Equatable {
    var number = 1
    var offset = 0
}

/// Finds the packets in one direction of a byte stream, and continues after invalid ones.
///
/// If a packet's fields do not match the schema, the packet is reported, and the next one begins after it. If the
/// framing is invalid or bytes are missing, ``PacketSearch`` searches for the next packet.
///
/// The memory holds an incomplete packet and the last piece. During a search it holds up to two packets, which is at
/// most twice the schema's `max_packet`.
struct PacketStream: ~Copyable {
    /// The sides whose messages are tried: only the sender, or first the sender and then its peer.
    enum Direction {
        case from(Sender)
        case preferring(Sender)

        /// The sender, for packets that depend on it.
        var sender: Sender {
            switch self {
            case .from(let sender), .preferring(let sender): sender
            }
        }
    }

    private let translator: PacketTranslator
    private let direction: Direction
    private var splitter: PacketSplitter
    /// Opens packets with layers; nil if the protocol has no layers.
    private var opener: PacketOpener?
    /// The buffer. The unread bytes begin at ``start``.
    private var bytes: [UInt8] = []
    private var start = 0
    /// The number of unread bytes in which the splitter has already searched for the end mark of a frame.
    private var scannedByteCount = 0
    private var place = PacketPlace()
    /// The number of unread bytes from which reading can continue.
    private var needed = 1
    private var search: PacketSearch?
    private var work = SearchWork()
    /// The time of each piece, and the offset of its end in the stream.
    private var times: [(end: Int, time: CaptureTime)] = []

    /// - Parameter states: The states of the connection at the first packet.
    init(_ translator: PacketTranslator, _ direction: Direction, _ states: PacketStates = PacketStates()) {
        self.translator = translator
        self.direction = direction
        splitter = Self.splitter(translator, direction, states)
        opener = Self.opener(translator, direction)
    }

    /// The connection's states for the next packet.
    var states: PacketStates { splitter.states }

    /// Sets the states after the other direction has changed them.
    mutating func setStates(_ states: PacketStates) {
        guard states != splitter.states else { return }
        splitter.setStates(states)
        needed = 1
    }

    /// The number of bytes in memory, with the times of their pieces.
    var heldByteCount: Int { bytes.count + times.count * MemoryLayout<(end: Int, time: CaptureTime)>.stride }

    /// Consumes the next bytes, and returns the results so far.
    ///
    /// - Parameter time: The time at which they were captured.
    mutating func receive(_ piece: [UInt8], at time: CaptureTime? = nil) -> [PacketStreamEvent] {
        guard !piece.isEmpty else { return [] }
        bytes += piece
        work.allow(forReceived: piece.count)
        if let time { times.append((place.offset + bytes.count - start, time)) }
        return read(isAtEnd: false)
    }

    /// Continues after missing bytes.
    mutating func skipMissing(_ byteCount: Int) -> [PacketStreamEvent] {
        var events = search == nil ? [] : read(isAtEnd: true)
        let isInside = search == nil && start < bytes.count
        let end = place.offset + bytes.count - start
        let text = "\(byteCount.counted("byte")) \(byteCount == 1 ? "is" : "are") missing at byte \(end)"
        if search != nil {
            events += giveUpSearch(isGivenUp: false) + [.fault(text)]
        } else {
            events.append(.fault(isInside ? fault(text) : text))
        }
        if isInside { place.number += 1 }
        bytes = []
        start = 0
        scannedByteCount = 0
        times = []
        needed = 1
        splitter = Self.splitter(translator, direction, states)
        place.offset = end + byteCount
        search = PacketSearch(origin: place.offset, trustsFirst: true)
        return events
    }

    mutating func finish() -> [PacketStreamEvent] {
        var events = read(isAtEnd: true)
        if search != nil {
            events += giveUpSearch(isGivenUp: false)
        } else if start < bytes.count, !splitter.isBetweenFrames {
            let bytes = bytes
            let error = splitter.endOfStream(in: bytes.rawSpan.extracting(start..<bytes.count))
            events.append(.fault(fault(error.description)))
        }
        bytes = []
        start = 0
        times = []
        return events
    }

    /// Whether the bytes begin with a whole packet that the schema accepts.
    func accepts(_ bytes: [UInt8]) -> Bool {
        var work = 0
        let splitter = Self.splitter(translator, direction, states)
        return PacketSearch.judge(bytes, at: 0, wanted: 1, isAtEnd: true, translator, direction, splitter, &work)
            == .accepted
    }

    // MARK: Reading

    private mutating func read(isAtEnd: Bool) -> [PacketStreamEvent] {
        var events: [PacketStreamEvent] = []
        while start < bytes.count {
            if search != nil {
                guard continueSearch(isAtEnd: isAtEnd, &events) else { break }
            } else {
                guard bytes.count - start >= needed, readPacket(&events) else { break }
            }
        }
        dropRead()
        return events
    }

    /// Reads the packet at ``start``. Returns false if it is incomplete.
    private mutating func readPacket(_ events: inout [PacketStreamEvent]) -> Bool {
        let bytes = bytes
        do throws(CodecError) {
            var end = start + scannedByteCount
            guard let (content, bounds) = try splitter.nextPacket(in: bytes, from: &end) else {
                scannedByteCount = end - start
                needed = max(splitter.neededByteCount, bytes.count - start + 1)
                return false
            }
            let byteCount = end - start
            let time = time(upTo: place.offset + byteCount)
            do throws(CodecError) {
                let line = try Self.line(
                    of: Packet(content.rawSpan, bounds), translator, direction, &splitter, &opener)
                events.append(.packet(line, time: time))
            } catch {
                events.append(.fault(fault(error.description)))
            }
            start = end
            place.offset += byteCount
        } catch {
            events.append(.fault(fault(error.description)))
            search = PacketSearch(origin: place.offset, trustsFirst: false)
            splitter = Self.splitter(translator, direction, states)
            // The search starts after the first byte of the invalid packet.
            start += 1
            place.offset += 1
        }
        scannedByteCount = 0
        place.number += 1
        needed = 1
        return true
    }

    /// Continues the search, and returns whether it has ended at a packet.
    private mutating func continueSearch(isAtEnd: Bool, _ events: inout [PacketStreamEvent]) -> Bool {
        guard var search else { return true }
        let before = start
        let result = search.look(bytes, &start, isAtEnd: isAtEnd, translator, direction, states, &work)
        place.offset += start - before
        self.search = search
        switch result {
        case .accepted:
            self.search = nil
            let byteCount = place.offset - search.origin
            if byteCount > 0 { events.append(.skipped(byteCount: byteCount, next: place, isGivenUp: false)) }
            return true
        case .refused:
            events += giveUpSearch(isGivenUp: true)
            // After this point, bytes are only counted.
            self.search = PacketSearch(origin: place.offset, trustsFirst: false, isOver: true)
            return false
        case .needs: return false
        }
    }

    private mutating func giveUpSearch(isGivenUp: Bool) -> [PacketStreamEvent] {
        guard let search = search.take() else { return [] }
        let byteCount = place.offset + bytes.count - start - search.origin
        place.offset += bytes.count - start
        start = bytes.count
        guard byteCount > 0 else { return [] }
        return [.skipped(byteCount: byteCount, next: nil, isGivenUp: isGivenUp)]
    }

    /// Removes the bytes that were read if they take most of the buffer.
    private mutating func dropRead() {
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        guard let first = times.firstIndex(where: { $0.end > place.offset }) else {
            times = []
            return
        }
        times.removeFirst(first)
    }

    /// Returns the time at which the last byte before this offset was captured.
    private func time(upTo offset: Int) -> CaptureTime? { times.first { $0.end >= offset }?.time }

    private func fault(_ reason: String) -> String {
        "packet \(place.number), which begins at byte \(place.offset): \(reason)"
    }

    // MARK: Packets

    /// Returns the line of the stream's next packet.
    ///
    /// - Parameters:
    ///   - splitter: Updated with the states that the packet's messages set.
    ///   - opener: Opens the packets of the stream.
    static func line(
        of packet: borrowing Packet, _ translator: PacketTranslator, _ direction: Direction,
        _ splitter: inout PacketSplitter, _ opener: inout PacketOpener?
    ) throws(CodecError) -> JSONValue {
        guard let opened = opener?.open(packet, states: splitter.states) else {
            switch direction {
            case .from(let sender): return try translator.decode(packet, from: sender)
            case .preferring(let sender): return try translator.decode(packet, preferring: sender)
            }
        }
        for entry in opened.entries where entry.kind == .message { splitter.follow(entry.bounds.id) }
        switch direction {
        case .from(let sender): return try translator.line(of: opened, .from(sender))
        case .preferring(let sender): return try translator.line(of: opened, .preferring(sender))
        }
    }

    /// Returns nil if the protocol has no layers.
    static func opener(_ translator: PacketTranslator, _ direction: Direction) -> PacketOpener? {
        translator.hasContent ? translator.makeOpener(from: direction.sender) : nil
    }

    static func splitter(
        _ translator: PacketTranslator, _ direction: Direction, _ states: PacketStates
    ) -> PacketSplitter {
        let description = translator.description
        return PacketSplitter(
            layout: description.layout, context: PacketContext(from: direction.sender, states: states),
            maximumPacketByteCount: description.options.maximumPacketByteCount)
    }
}
