// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A packet of a stream, opened, and the packets inside of it.
package struct OpenedPackets: Sendable {
    /// The packet itself, and after each packet those inside of it.
    package fileprivate(set) var entries: [Entry] = []
    /// The bytes in which the packets lie.
    package fileprivate(set) var buffers: [[UInt8]] = []
    /// The positions of the packet's parts if it is one whose bytes need no opening, and only that was asked for.
    package fileprivate(set) var plain: PacketBounds?
    /// Why what follows the last entry cannot be read; its path begins with that of the broken packet.
    package fileprivate(set) var failure: CodecError?

    /// Makes the result of opening nothing.
    package init() {}

    /// One opened packet.
    package struct Entry: Sendable {
        /// The position of its bytes among the ``OpenedPackets/buffers``, and in them.
        package let buffer: Int
        package let start: Int
        package let bounds: PacketBounds
        package let kind: OpenedContent.Kind
        /// The index of the packet around it; nil for the outermost one.
        package let parent: Int?
        /// Its number among the packets in that one, from 0.
        package let position: Int
    }

    /// Calls `body` with one of the packets, in the layout of opened packets.
    package func withPacket<Result, Failure: Error>(
        at index: Int, _ body: (borrowing Packet) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let entry = entries[index]
        let bytes = buffers[entry.buffer]
        return try body(Packet(bytes.rawSpan, entry.bounds, at: entry.start))
    }

    /// Returns what stands before the path of an error in one of the packets: `packets[2]`; empty for the outermost one.
    package func path(of index: Int) -> String {
        guard let parent = entries[index].parent else { return "" }
        let step = "packets[\(entries[index].position)]"
        let outer = path(of: parent)
        return outer.isEmpty ? step : outer + "." + step
    }

    /// Takes the bytes of a buffer, which are then not there any more.
    package mutating func takeBuffer(_ index: Int) -> [UInt8] {
        defer { buffers[index] = [] }
        return buffers[index]
    }

    /// Returns a place for bytes.
    fileprivate mutating func add(_ bytes: [UInt8]) -> BufferPlace {
        buffers.append(bytes)
        return BufferPlace(buffer: buffers.count - 1, start: 0)
    }
}

/// Where a packet begins in the buffers of opened packets.
private struct BufferPlace {
    var buffer: Int
    var start: Int
}

/// Opens the packets that one end sends, in their order.
///
/// After a failure the connection ends: an opener that goes on may have lost its place in a keystream.
package struct PacketOpener: ~Copyable {
    private let layout: PacketLayout
    private let packetLimit: Int
    private let sender: Sender
    private var layers: BudgetedStack

    /// The most packets inside of one packet, at all depths together.
    package static let innerPacketLimit = 65_536

    /// - Parameters:
    ///   - layout: The protocol's layout, which has layers or another content.
    ///   - sender: Whose packets these are.
    ///   - packetLimit: The most bytes of a packet inside of another one: `max_packet`.
    package init(
        _ layout: PacketLayout, from sender: Sender, packetLimit: Int, settings: LayerSettings = LayerSettings(),
        states: CompressionStates = CompressionStates()
    ) {
        self.layout = layout
        self.packetLimit = packetLimit
        self.sender = sender
        layers = BudgetedStack(
            settings.stack(of: layout, from: sender, states: states), limit: layout.content.maximumInflatedByteCount,
            threshold: nil)
    }

    /// Sets a key. The keystreams of its layers start anew with the next packet.
    package mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        try layers.setKey(name, bytes)
    }

    /// Opens a packet of the layout `layout(from:)`, and all packets inside of it.
    ///
    /// The packets before a broken one are there; see ``OpenedPackets/failure``.
    ///
    /// - Parameters:
    ///   - states: The connection's states where the packet begins, for the packets inside of it (default: those of
    ///   a new connection).
    ///   - copiesPlain: Whether a packet whose bytes need no opening is copied (default); if not, it is only
    ///     ``OpenedPackets/plain``.
    package mutating func open(
        _ packet: borrowing Packet, states: PacketStates = PacketStates(), copiesPlain: Bool = true
    ) -> OpenedPackets {
        var result = OpenedPackets()
        layers.beginPacket()
        do throws(CodecError) {
            let content = try layout.layering(of: packet).open(packet, with: &layers)
            if !copiesPlain, content.bytes == nil, content.kind != .packets {
                result.plain = content.bounds
                return result
            }
            try add(content, of: packet, in: nil, PacketContext(from: sender, states: states), Place(), &result)
        } catch {
            result.failure = error
        }
        return result
    }

    /// Returns the positions of the parts of a packet whose bytes need no opening, and that is a message or opaque; nil for
    /// another one, which must then be opened with ``open(_:states:)``.
    ///
    /// - Throws: ``CodecError`` as the failure of ``open(_:states:)``.
    package func openPlain(_ packet: borrowing Packet) throws(CodecError) -> PacketBounds? {
        var none = NoLayers()
        let layering = layout.layering(of: packet)
        do throws(CodecError) {
            let content = try layering.open(packet, with: &none)
            return content.bytes == nil && content.kind != .packets ? content.bounds : nil
        } catch {
            guard !none.wasAsked else { return nil }
            throw error
        }
    }

    /// Where a packet stands.
    private struct Place {
        var parent: Int?
        var position = 0
        /// How many packets are around it.
        var depth = 0
        /// The lasting keystreams of those packets.
        var keystreams = LayerSet()
    }

    /// - Parameter holder: Where the packet's bytes are; nil if they are in no buffer.
    private mutating func open(
        _ packet: borrowing Packet, in holder: BufferPlace?, _ context: PacketContext, _ place: Place,
        _ result: inout OpenedPackets
    ) throws(CodecError) {
        let content = try layout.layering(in: context).open(packet, inside: place.keystreams, with: &layers)
        try add(content, of: packet, in: holder, context, place, &result)
    }

    private mutating func add(
        _ content: OpenedContent, of packet: borrowing Packet, in holder: BufferPlace?, _ context: PacketContext,
        _ place: Place, _ result: inout OpenedPackets
    ) throws(CodecError) {
        let bytes: BufferPlace
        if let opened = content.bytes {
            bytes = result.add(opened)
        } else {
            bytes = holder ?? result.add([UInt8](copying: packet.bytes))
        }
        let index = result.entries.count
        result.entries.append(
            OpenedPackets.Entry(
                buffer: bytes.buffer, start: bytes.start, bounds: content.bounds, kind: content.kind,
                parent: place.parent, position: place.position))
        guard content.kind == .packets else { return }
        let depthLimit = layout.content.maximumNestedDepth
        guard place.depth < depthLimit else { throw CodecError(.tooDeep(limit: depthLimit)) }
        var inner = context
        inner.isNested = true
        try split(
            index, inner, Place(parent: index, depth: place.depth + 1, keystreams: content.keystreams), &result)
    }

    /// Opens the packets that are the payload of an opened packet.
    ///
    /// - Parameter place: That of the first one.
    private mutating func split(
        _ index: Int, _ context: PacketContext, _ place: Place, _ result: inout OpenedPackets
    ) throws(CodecError) {
        let outer = result.entries[index]
        let layout = layout.layering(in: context).outer
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: packetLimit)
        var bytes = result.buffers[outer.buffer]
        var cursor = outer.start + outer.bounds.payloadStart
        let end = outer.start + outer.bounds.payloadEnd
        if layout.isFramed {
            // The reader of frames reads to the end of its bytes.
            bytes.removeLast(bytes.count - end)
        }
        var place = place
        while cursor < end {
            // The outermost packet is among the entries.
            guard result.entries.count <= Self.innerPacketLimit else {
                throw CodecError(
                    .tooLong(count: result.entries.count, limit: Self.innerPacketLimit), path: "packets")
            }
            do throws(CodecError) {
                if layout.isFramed {
                    try openFramed(bytes, &cursor, &splitter, context, place, &result)
                } else {
                    let rest = bytes.rawSpan.extracting(cursor..<end)
                    guard let bounds = try splitter.packet(in: rest, at: 0) else {
                        throw CodecError.cut(needed: splitter.neededByteCount, available: end - cursor)
                    }
                    let holder = BufferPlace(buffer: outer.buffer, start: cursor)
                    try open(Packet(rest, bounds, at: 0), in: holder, context, place, &result)
                    cursor += bounds.packetByteCount
                }
            } catch {
                throw error.prefixed(by: "packets[\(place.position)]")
            }
            place.position += 1
        }
    }

    private mutating func openFramed(
        _ bytes: [UInt8], _ cursor: inout Int, _ splitter: inout PacketSplitter, _ context: PacketContext,
        _ place: Place, _ result: inout OpenedPackets
    ) throws(CodecError) {
        let start = cursor
        guard let (content, bounds) = try splitter.nextPacket(in: bytes, from: &cursor) else {
            // Marks with nothing between them may end the content.
            guard !splitter.isBetweenFrames else { return }
            throw CodecError.cut(needed: bytes.count - start + 1, available: bytes.count - start)
        }
        let holder = result.add(content)
        try open(Packet(content.rawSpan, bounds), in: holder, context, place, &result)
    }
}

/// Opens nothing, and knows whether it should have.
private struct NoLayers: LayerOpener {
    private(set) var wasAsked = false
    var contentLimit: Int { .max }

    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        wasAsked = true
        throw CodecError(.invalidLayer(.damaged))
    }
}

extension CodecError {
    /// Makes the error of an inner packet whose bytes end before it does.
    fileprivate static func cut(needed: Int, available: Int) -> CodecError {
        CodecError(.truncated(needed: max(1, needed - available), available: 0), offset: available)
    }
}
