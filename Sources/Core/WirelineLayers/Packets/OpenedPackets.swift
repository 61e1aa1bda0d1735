// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// An opened packet of a stream, and the packets inside it.
package struct OpenedPackets: Sendable {
    /// The outermost packet first; each packet before those inside it.
    package fileprivate(set) var entries: [Entry] = []
    /// The bytes of the packets.
    package fileprivate(set) var buffers: [[UInt8]] = []
    /// The parts of a packet that needs no opening, if the caller asked for no copy of it; then there are no entries.
    package fileprivate(set) var plain: PacketBounds?
    /// Why the packet after the last entry cannot be read; its path begins with that of the broken packet.
    package fileprivate(set) var failure: CodecError?

    package init() {}

    package struct Entry: Sendable {
        /// The position of its bytes among the ``OpenedPackets/buffers``, and in them.
        package let buffer: Int
        package let start: Int
        package let bounds: PacketBounds
        package let kind: OpenedContent.Kind
        /// Nil for the outermost packet.
        package let parent: Int?
        /// Its number among the packets in its parent, from 0.
        package let position: Int
    }

    /// The packet is in the layout of opened packets.
    package func withPacket<Result, Failure: Error>(
        at index: Int, _ body: (borrowing Packet) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let entry = entries[index]
        let bytes = buffers[entry.buffer]
        return try body(Packet(bytes.rawSpan, entry.bounds, at: entry.start))
    }

    /// The path of a packet in errors: `packets[2]`; empty for the outermost one.
    package func path(of index: Int) -> String {
        guard let parent = entries[index].parent else { return "" }
        let step = "packets[\(entries[index].position)]"
        let outer = path(of: parent)
        return outer.isEmpty ? step : outer + "." + step
    }

    /// Takes the bytes of a buffer, and leaves it empty.
    package mutating func takeBuffer(_ index: Int) -> [UInt8] {
        defer { buffers[index] = [] }
        return buffers[index]
    }

    fileprivate mutating func add(_ bytes: [UInt8]) -> BufferPlace {
        buffers.append(bytes)
        return BufferPlace(buffer: buffers.count - 1, start: 0)
    }
}

private struct BufferPlace {
    var buffer: Int
    var start: Int
}

/// Opens the packets that one end sends, in their order.
///
/// A failure ends the connection, because the opener may have lost its place in a keystream.
package struct PacketOpener: ~Copyable {
    private let layout: PacketLayout
    private let packetLimit: Int
    private let sender: Sender
    private var layers: BudgetedStack
    /// The packets around the next one, the outermost first.
    private var levels: [Level] = []
    /// The number of packets opened since the outermost one began.
    private var openedCount = 0
    /// Keys for the next packet of the stream.
    private var waitingKeys: [(name: String, key: SecretMemory)] = []

    /// The most packets inside one packet, at all depths together.
    ///
    /// It is no option. `max_inflated` bounds their bytes, and a connection opens them over many turns, so that even
    /// this many packets delay no other connection. The bundles of a game have thousands.
    package static let innerPacketLimit = 65_536

    /// - Parameters:
    ///   - layout: The protocol's layout, with layers or another content.
    ///   - sender: The end that sends the packets.
    ///   - packetLimit: The most bytes of a packet inside another one: `max_packet`.
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

    /// The keystreams of the key's layers start anew with the next outermost packet.
    package mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        guard isOpening else { return try layers.setKey(name, bytes) }
        waitingKeys.append((name, SecretMemory(copying: bytes)))
    }

    /// Opens a packet of the layout `layout(from:)`, and all packets inside it.
    ///
    /// The result has the packets before a broken one; see ``OpenedPackets/failure``.
    ///
    /// - Parameter states: The connection's states where the packet begins, for the packets inside it (default: those
    ///   of a new connection).
    package mutating func open(
        _ packet: borrowing Packet, states: PacketStates = PacketStates()
    ) -> OpenedPackets {
        var result = begin(packet, states: states, copiesPlain: true)
        while isOpening { openNext(&result) }
        return result
    }

    /// Opens a packet, and leaves the packets inside it to ``openNext(_:)``.
    ///
    /// - Parameters:
    ///   - states: As for ``open(_:states:)``.
    ///   - copiesPlain: Whether a packet that needs no opening is copied; if not, the result has only
    ///     ``OpenedPackets/plain``.
    ///   - schedule: Decides when to stop (default: never). If ``isStopped`` is true then, the caller repeats the call
    ///     later.
    package mutating func begin(
        _ packet: borrowing Packet, states: PacketStates, copiesPlain: Bool, at schedule: (any OpeningSchedule)? = nil
    ) -> OpenedPackets {
        var result = OpenedPackets()
        if !isStopped { layers.beginPacket() }
        begin(at: schedule)
        defer { end() }
        openedCount = 0
        do throws(CodecError) {
            let content = try layout.layering(of: packet).open(packet, with: &layers)
            if !copiesPlain, content.bytes == nil, content.kind != .packets {
                result.plain = content.bounds
                return result
            }
            try add(content, of: packet, in: nil, PacketContext(from: sender, states: states), &result)
            endLevels()
        } catch {
            if !isStopped { result.failure = error }
        }
        return result
    }

    private mutating func begin(at schedule: (any OpeningSchedule)?) {
        layers.schedule = schedule
        layers.begin()
    }

    private mutating func end() {
        layers.schedule = nil
        layers.end()
    }

    /// Whether the packet that was begun, or a packet inside it, must still be opened.
    package var isOpening: Bool { !levels.isEmpty || isStopped }

    /// Whether the schedule has stopped the opening of a packet.
    package var isStopped: Bool { layers.isStopped }

    /// The bytes of the packets around the next one, and the partial content of a stopped packet.
    package var openingByteCount: Int { levels.reduce(layers.openingByteCount) { $0 + $1.bytes.count } }

    /// Drops the partial content of a stopped packet; the next call starts anew.
    package mutating func dropOpening() { layers.dropOpening() }

    /// Opens the next packet inside the one that was begun, and adds it to the result.
    ///
    /// - Parameter schedule: As for ``begin(_:states:copiesPlain:at:)``.
    package mutating func openNext(_ result: inout OpenedPackets, at schedule: (any OpeningSchedule)? = nil) {
        guard let level = levels.last else { return }
        // The count includes the outermost packet.
        guard openedCount <= Self.innerPacketLimit else {
            let error = CodecError(.tooLong(count: openedCount, limit: Self.innerPacketLimit), path: "packets")
            return fail(error, inside: levels.dropLast(), &result)
        }
        if !isStopped { level.position += 1 }
        begin(at: schedule)
        do throws(CodecError) {
            try openPacket(in: level, &result)
            end()
            endLevels()
        } catch {
            end()
            if !isStopped { fail(error, inside: levels[...], &result) }
        }
    }

    private mutating func fail(_ error: CodecError, inside levels: ArraySlice<Level>, _ result: inout OpenedPackets) {
        result.failure = levels.reversed().reduce(error) { $0.prefixed(by: "packets[\($1.position)]") }
        stop()
    }

    /// Drops the packets that were not opened yet, and sets the keys for the next packet of the stream.
    package mutating func stop() {
        levels = []
        layers.drop()
        // Each was checked when it was set.
        for (name, key) in waitingKeys { try? layers.setKey(name, key.rawSpan) }
        waitingKeys = []
    }

    /// Drops the packets of a result that are not around the next one.
    package func dropTaken(of result: inout OpenedPackets) {
        guard let level = levels.last else { return }
        result.entries.removeLast(result.entries.count - level.entry - 1)
        result.buffers.removeLast(result.buffers.count - level.bufferCount)
    }

    /// Returns the positions of the parts of a packet that needs no opening, and is a message or opaque.
    ///
    /// Nil for any other packet: it must be opened with ``open(_:states:)``.
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

    /// A packet whose inner packets are being opened.
    private final class Level {
        /// The packet's index among the entries, the index of its bytes among the buffers, and the number of buffers up
        /// to those bytes.
        let entry: Int
        let buffer: Int
        let bufferCount: Int
        /// The lasting keystreams of the packet, and of those around it.
        let keystreams: LayerSet
        /// The context of the packets inside.
        let context: PacketContext
        let bytes: [UInt8]
        var splitter: PacketSplitter
        /// The start of the next packet, and the end of the last one.
        var cursor: Int
        let end: Int
        /// The number of the last opened packet, from 0; -1 before the first one.
        var position = -1

        init(
            _ entry: Int, of result: OpenedPackets, _ keystreams: LayerSet, _ context: PacketContext,
            _ splitter: consuming PacketSplitter
        ) {
            let outer = result.entries[entry]
            self.entry = entry
            buffer = outer.buffer
            bufferCount = result.buffers.count
            self.keystreams = keystreams
            self.context = context
            cursor = outer.start + outer.bounds.payloadStart
            end = outer.start + outer.bounds.payloadEnd
            var bytes = result.buffers[outer.buffer]
            // The reader of frames reads to the end of its bytes.
            if splitter.layout.isFramed { bytes.removeLast(bytes.count - end) }
            self.bytes = bytes
            self.splitter = splitter
        }
    }

    /// Ends the packets that contain no further packet.
    private mutating func endLevels() {
        while let level = levels.last, level.cursor >= level.end { levels.removeLast() }
        if levels.isEmpty { stop() }
    }

    private mutating func openPacket(in level: Level, _ result: inout OpenedPackets) throws(CodecError) {
        guard !level.splitter.layout.isFramed else { return try openFramed(in: level, &result) }
        let bytes = level.bytes
        let rest = bytes.rawSpan.extracting(level.cursor..<level.end)
        guard let bounds = try level.splitter.packet(in: rest, at: 0) else {
            throw CodecError.cut(needed: level.splitter.neededByteCount, available: level.end - level.cursor)
        }
        let holder = BufferPlace(buffer: level.buffer, start: level.cursor)
        try open(Packet(rest, bounds, at: 0), in: holder, level, &result)
        level.cursor += bounds.packetByteCount
    }

    private mutating func openFramed(in level: Level, _ result: inout OpenedPackets) throws(CodecError) {
        let (start, bytes) = (level.cursor, level.bytes)
        guard let (content, bounds) = try level.splitter.nextPacket(in: bytes, from: &level.cursor) else {
            // Empty frames may end the content.
            guard !level.splitter.isBetweenFrames else {
                level.cursor = level.end
                return
            }
            throw CodecError.cut(needed: bytes.count - start + 1, available: bytes.count - start)
        }
        let place = result.add(content)
        do throws(CodecError) {
            try open(Packet(content.rawSpan, bounds), in: place, level, &result)
        } catch {
            if isStopped {
                result.buffers.removeLast()
                level.cursor = start
            }
            throw error
        }
    }

    private mutating func open(
        _ packet: borrowing Packet, in holder: BufferPlace, _ level: Level, _ result: inout OpenedPackets
    ) throws(CodecError) {
        let layering = layout.layering(in: level.context)
        let content = try layering.open(packet, inside: level.keystreams, with: &layers)
        try add(content, of: packet, in: holder, level.context, &result)
    }

    /// - Parameter holder: The place of the packet's bytes; nil if they are in no buffer.
    private mutating func add(
        _ content: OpenedContent, of packet: borrowing Packet, in holder: BufferPlace?, _ context: PacketContext,
        _ result: inout OpenedPackets
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
                parent: levels.last?.entry, position: levels.last?.position ?? 0))
        openedCount += 1
        guard content.kind == .packets else { return }
        let depthLimit = layout.content.maximumNestedDepth
        guard levels.count < depthLimit else { throw CodecError(.tooDeep(limit: depthLimit)) }
        var inner = context
        inner.isNested = true
        let splitter = PacketSplitter(layout: layout.layering(in: inner).outer, maximumPacketByteCount: packetLimit)
        levels.append(Level(index, of: result, content.keystreams, inner, splitter))
    }
}

/// Opens nothing, and records whether it was asked to.
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
    fileprivate static func cut(needed: Int, available: Int) -> CodecError {
        CodecError(.truncated(needed: max(1, needed - available), available: 0), offset: available)
    }
}
