// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// Opens this end's packets for the connection's log. Only the connection's loop uses this.
///
/// Packets are shown later than they are sealed. So each key has the count of packets that were sealed before it.
/// Packets that take long are opened over many turns, and later ones wait to be shown.
final class SentPackets {
    private final class Written {
        let bytes: [UInt8]
        /// The start of the packets that are not shown yet, and the connection's states there.
        var offset = 0
        var states: PacketStates
        /// The opened and shown part of the next packet, if more packets are inside it.
        var opened: OpenedPackets?

        init(_ bytes: [UInt8], _ states: PacketStates) {
            self.bytes = bytes
            self.states = states
        }

        var restByteCount: Int { bytes.count - offset }
    }

    /// The most bytes that wait to be shown.
    private static let waitingLimit = 4 << 20
    /// The longest time that packets are opened in one turn; other connections hardly notice it.
    private static let timePerTurn = Duration.milliseconds(2)
    /// The fewest packets that are opened in one turn. So a busy machine does not change the order of a log.
    private static let leastPerTurn = 200

    private let layout: PacketLayout
    private let side: Sender
    private let loop: EventLoop
    private var opener: PacketOpener
    private var keys: [(sealedCount: Int, name: String, bytes: [UInt8])] = []
    private var sealedCount = 0
    private var shownCount = 0
    /// Whether a packet could not be opened. Then none of the later ones can be.
    private var isLost = false
    private var waiting = Queue<Written>()
    private(set) var waitingByteCount = 0
    private var turnEnd = MonotonicTime(nanoseconds: 0)
    private var countOfTurn = 0

    init(_ layout: PacketLayout, from side: Sender, packetLimit: Int, settings: LayerSettings, on loop: EventLoop) {
        self.layout = layout
        self.side = side
        self.loop = loop
        opener = PacketOpener(layout, from: side, packetLimit: packetLimit, settings: settings)
    }

    var isWaiting: Bool { !waiting.isEmpty }

    func noteSealed() { sealedCount += 1 }

    /// Notes a key for the packets that are sealed from now on.
    func setKey(_ name: String, _ bytes: [UInt8]) { keys.append((sealedCount, name, bytes)) }

    /// - Parameter states: The connection's states where the bytes begin.
    func add(_ bytes: [UInt8], _ states: PacketStates) {
        if isWaiting, waitingByteCount + bytes.count > Self.waitingLimit { isLost = true }
        waiting.append(Written(bytes, states))
        waitingByteCount += bytes.count
    }

    /// Shows waiting bytes, for a few milliseconds. Call it again in a later turn if some still wait.
    ///
    /// - Parameters:
    ///   - show: Receives the opened packets in their order, but not packets that contain others.
    ///   - other: Receives the number of bytes that could not be opened.
    func show(_ show: (borrowing Packet) -> Void, other: (_ byteCount: Int) -> Void) {
        let start = MonotonicTime.now
        defer { loop.spend(Int(clamping: MonotonicTime.now.nanoseconds - start.nanoseconds)) }
        (turnEnd, countOfTurn) = (start + Self.timePerTurn, 0)
        while let written = waiting.first {
            guard showPackets(of: written, show) else { return }
            if written.restByteCount > 0 { other(written.restByteCount) }
            waitingByteCount -= written.bytes.count
            _ = waiting.popFirst()
        }
    }

    /// - Returns: Whether all packets that can be opened were shown; false if the time is over.
    private func showPackets(of written: Written, _ show: (borrowing Packet) -> Void) -> Bool {
        while written.restByteCount > 0, !isLost {
            let layout = layout.layout(in: PacketContext(from: side, states: written.states))
            var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: .max)
            var next = written.offset
            guard let (content, bounds) = try? splitter.nextPacket(in: written.bytes, from: &next) else { return true }
            guard open(Packet(content.rawSpan, bounds), of: written, show) else { return false }
            guard !isLost else { return true }
            written.offset = next
        }
        return true
    }

    /// Opens and shows a packet and the packets inside it, or continues with that.
    ///
    /// - Returns: Whether all of them were shown; false if the time is over.
    private func open(
        _ packet: borrowing Packet, of written: Written, _ show: (borrowing Packet) -> Void
    ) -> Bool {
        var opened: OpenedPackets
        var openedCount = 0
        if let begun = written.opened.take() {
            opened = begun
            openedCount = begun.entries.count
        } else {
            setKeys()
            opened = opener.begin(packet, states: written.states, copiesPlain: true, at: self)
            guard !opener.isStopped else { return false }
        }
        var hasStopped = false
        while true {
            for index in openedCount..<opened.entries.count where opened.entries[index].kind != .packets {
                opened.withPacket(at: index) { show($0) }
            }
            countOfTurn += opened.entries.count - openedCount
            loop.note(.layerPassed, count: opened.entries.count - openedCount)
            openedCount = opened.entries.count
            guard opener.isOpening else { break }
            if hasStopped || countOfTurn >= Self.leastPerTurn && mustStop {
                written.opened = opened
                return false
            }
            opener.openNext(&opened, at: self)
            hasStopped = opener.isStopped
        }
        if layout.hasStates {
            for entry in opened.entries where entry.kind == .message {
                layout.apply(entry.bounds.id, from: side, to: &written.states)
            }
        }
        shownCount += 1
        isLost = opened.failure != nil
        return true
    }

    /// Sets the keys with which the next packet was sealed.
    private func setKeys() {
        while let key = keys.first, key.sealedCount <= shownCount {
            keys.removeFirst()
            // The connection accepted the key, so it fits.
            try? opener.setKey(key.name, key.bytes.rawSpan)
        }
    }
}

extension SentPackets: OpeningSchedule {
    var mustStop: Bool { MonotonicTime.now >= turnEnd }

    func mayKeepUnfinished() -> Bool { true }
}
