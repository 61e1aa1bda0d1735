// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineTransport

/// Opened packets of a connection that were not taken.
///
/// The input opens a packet of the stream only when the program takes a packet from it. So the program can set a key
/// before that. The packets inside are opened one by one: a few bytes can hold thousands, and the connection has only a
/// share of each turn. Only the connection's loop uses this.
final class LayeredInput {
    enum Reservation {
        /// None is needed, or much memory is left.
        case none
        /// It was requested, and the packet waits for it.
        case awaited
        case granted
    }

    let traffic: LayeredTraffic
    /// Whether a later turn continues with the packets.
    var waitsForTurn = false
    /// The memory for the content of the next packet of the stream, while it is not completely opened.
    var reservation = Reservation.none
    private var opened = OpenedPackets()
    private var next = 0
    /// The block of the packet of the stream, while it is needed; nil if nothing was opened.
    private var source: SharedBlock?
    /// The packet of the stream that is being opened, and the connection's states where it begins.
    private var unopened: (packet: ReceivedPacket, states: PacketStates)?
    /// The packet of the stream, if it has no layers to open and was not taken.
    private var plain: ReceivedPacket?
    /// The memory of opened packets, by the index of the buffer that it replaces.
    private var blocks: [SharedBlock?] = []
    /// The time at which the last packet was taken, while others follow.
    private var takenAt: MonotonicTime?

    init(_ traffic: LayeredTraffic) { self.traffic = traffic }

    /// Whether a packet or an error can be taken.
    var hasMore: Bool { isUnfinished || opened.failure != nil }

    /// Whether a packet can be taken, or opened in the packet of the stream.
    var isUnfinished: Bool { plain != nil || isNextOpened || traffic.isOpening }

    /// Whether taking the next packet continues to open the packet of the stream, or opens one inside it.
    var isOpening: Bool { unopened != nil || plain == nil && !isNextOpened && traffic.isOpening }

    private var isNextOpened: Bool { next < opened.entries.count && opened.entries[next].kind != .packets }

    /// The block of the next packet, or of the packet around it; nil if nothing was opened.
    var block: SharedBlock? {
        if let plain { return plain.block }
        return isNextOpened ? block(ofBuffer: opened.entries[next].buffer) : source
    }

    var byteCount: Int {
        zip(opened.buffers, blocks).reduce(traffic.openingByteCount) { $0 + $1.0.count + ($1.1?.capacity ?? 0) }
    }

    /// Returns the most memory for the content of a packet, with the copy that packets inside share.
    ///
    /// - Parameter byteCount: The bytes that have arrived and were not taken.
    func mostContentByteCount(of byteCount: Int) -> Int { 2 * (traffic.mostInflatedByteCount ?? byteCount) }

    /// The memory of the packet of the stream, unless it is `block`.
    func sourceByteCount(besides block: SharedBlock?) -> Int { source === block ? 0 : source?.capacity ?? 0 }

    private func endReservation() {
        if !traffic.isOpening { reservation = .none }
    }

    /// Opens a packet of the stream. All packets before it must have been taken.
    ///
    /// - Parameter states: The connection's states where it begins.
    func open(_ packet: ReceivedPacket, _ states: PacketStates) {
        source = packet.block
        open((packet, states))
    }

    private func open(_ stream: (packet: ReceivedPacket, states: PacketStates)) {
        let packet = stream.packet
        opened = traffic.open(packet.lent, stream.states)
        unopened = traffic.isStopped ? stream : nil
        if let bounds = opened.plain {
            plain = ReceivedPacket(block: packet.block, start: packet.start, bounds: bounds)
        }
        if unopened == nil, plain == nil { source = traffic.noBlock }
        endReservation()
        blocks = Array(repeating: nil, count: opened.buffers.count)
        next = 0
    }

    /// Takes the next packet; nil after the last one, or if a later turn must open the next one.
    ///
    /// - Throws: The error of the packet that follows; later calls throw it again.
    func take() throws(CodecError) -> ReceivedPacket? {
        countWork()
        while plain == nil, !isNextOpened {
            guard traffic.isOpening else {
                if let failure = opened.failure { throw failure }
                drop()
                return nil
            }
            guard !traffic.hasSpentShare else { return nil }
            openNext()
        }
        if let packet = plain.take() { return packet }
        let entry = opened.entries[next]
        let block = block(ofBuffer: entry.buffer)
        next += 1
        if traffic.isOpening { takenAt = .now }
        return ReceivedPacket(block: block, start: entry.start, bounds: entry.bounds)
    }

    /// Counts the program's work with the last packet.
    private func countWork() {
        guard let start = takenAt.take() else { return }
        traffic.spend(since: start)
    }

    private func openNext() {
        if let unopened { return open(unopened) }
        traffic.dropTaken(of: &opened)
        blocks.removeLast(blocks.count - opened.buffers.count)
        next = opened.entries.count
        traffic.openNext(&opened)
        while blocks.count < opened.buffers.count { blocks.append(nil) }
        endReservation()
    }

    func drop() {
        reservation = .none
        guard source != nil else { return }
        traffic.stopOpening()
        opened = OpenedPackets()
        (source, unopened, plain, takenAt, blocks, next) = (nil, nil, nil, nil, [], 0)
    }

    /// Returns the block with a buffer's bytes, which the buffer's packets share.
    private func block(ofBuffer index: Int) -> SharedBlock {
        if let block = blocks[index] { return block }
        let block = SharedBlock(Block(copying: opened.takeBuffer(index)), of: nil)
        blocks[index] = block
        return block
    }
}
