// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// The unread bytes of a connection, and the packets in them.
///
/// They lie in the block that was read last, from `position` to `end`. A short partial packet is copied to memory of
/// its own size, so that an idle connection holds no block. Only the connection's loop uses this.
///
/// Treat `@usableFromInline` members as private. They cannot be, because ``PacketConnection/next()`` is inlined.
@safe
@usableFromInline
struct PacketInput: ~Copyable {
    /// A partial packet up to this size is copied to memory of its own while the rest is awaited. It is a quarter of
    /// the block that the packet was read into.
    private static let mostHeldByteCount = 32 << 10
    private static let leastGrowth = 4 << 10

    @usableFromInline var block: SharedBlock?
    @usableFromInline var position = 0
    @usableFromInline var end = 0
    @usableFromInline var splitter: PacketSplitter
    /// Whether every packet must go through ``take()``, because it may be a reply or is logged.
    ///
    /// It stands right after the splitter, whose last bytes are flags, so it takes no memory.
    private var inspectsEach = false
    @usableFromInline var packetCount = 0
    /// A short partial packet; empty if there is a block.
    private var held: [UInt8] = []
    /// Checks the first packets that a server receives.
    private var requestLineWatch: RequestLineWatch?
    /// The further state of a layout with a frame or with layers; nil for others, so that it takes no memory.
    private let framedOrLayered: FramedOrLayeredInput?

    /// - Parameter judgesRequestLine: Whether the first packets may turn out to be an HTTP request.
    init(_ splitter: consuming PacketSplitter, judgesRequestLine: Bool, layers: LayeredInput? = nil) {
        framedOrLayered = splitter.layout.isFramed || layers != nil ? FramedOrLayeredInput(layers) : nil
        self.splitter = splitter
        if judgesRequestLine { requestLineWatch = RequestLineWatch() }
        updateFastPath()
    }

    /// In a layout with a frame, the packet that was found and not taken.
    var foundPacket: ReceivedPacket? {
        get { framedOrLayered?.foundPacket }
        set { framedOrLayered?.foundPacket = newValue }
    }

    var layers: LayeredInput? { framedOrLayered?.layers }

    private mutating func updateFastPath() {
        // A message may set a state, on which the next packet depends.
        splitter.findsPacketsAtSight =
            !inspectsEach && requestLineWatch == nil && !splitter.followsStates && layers == nil
    }

    /// Sets the states for packets that were not taken.
    mutating func setStates(_ states: PacketStates) {
        splitter.setStates(states)
        foundPacket = foundPacket.map { $0.read(in: splitter.layout) }
    }

    mutating func setInspectsEach(_ isWanted: Bool) {
        inspectsEach = isWanted
        updateFastPath()
    }

    // MARK: What is there

    var currentBlock: SharedBlock? { framedOrLayered?.block ?? block }

    /// Whether packets that were opened wait to be taken, or an error after them.
    var hasOpened: Bool { layers?.hasMore ?? false }

    /// Whether a packet of the stream has packets inside that were not taken, or not opened.
    var isUnfinished: Bool { layers?.isUnfinished ?? false }

    var hasLayers: Bool { layers != nil }

    private var restByteCount: Int { end - position }

    /// The memory of unread input, in bytes.
    var capacity: Int {
        guard let layers else { return streamCapacity }
        return streamCapacity + layers.byteCount + layers.sourceByteCount(besides: block)
    }

    private var streamCapacity: Int { (block?.capacity ?? held.count) + splitter.framedByteCount }

    var byteCount: Int { unreadByteCount + splitter.framedByteCount + (foundPacket?.byteCount ?? 0) }

    var unreadByteCount: Int { block == nil ? held.count : restByteCount }

    /// The memory that the partial packet still needs, in bytes; 0 or less: none.
    var missingByteCount: Int { splitter.neededByteCount - streamCapacity }

    /// The received bytes of a partial packet, and its byte count if its header is whole.
    /// Nil if no packet has begun, or if whole packets before it were not taken.
    var partialPacket: (receivedByteCount: Int, byteCount: Int?)? {
        guard !hasOpened else { return nil }
        if isFramed { return partialFramedByteCount.map { ($0, nil) } }
        guard byteCount > 0 else { return nil }
        let whole = withBytes { splitter.byteCountOfPacket(beginning: $0) }
        if let whole, byteCount >= whole { return nil }
        return (byteCount, whole)
    }

    private func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        guard let block else { return unsafe body(held.span.bytes) }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        return unsafe body(RawSpan(_unsafeStart: block.base + position, byteCount: restByteCount))
    }

    // MARK: Packets

    /// Takes the next packet if the splitter's fast path finds it; nil otherwise.
    @inlinable @inline(__always)
    mutating func takeOnFastPath() -> ReceivedPacket? {
        guard let block else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        guard let bounds = splitter.packetAtSight(in: bytes, at: position) else { return nil }
        return take(bounds, in: block)
    }

    /// Code that is compiled for one protocol passes a constant `plan`.
    @inlinable @inline(__always)
    mutating func takeOnFastPath(_ plan: PacketPlan) -> ReceivedPacket? {
        guard let block else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        guard let bounds = splitter.packetAtSight(in: bytes, at: position, plan) else { return nil }
        return take(bounds, in: block)
    }

    @inlinable @inline(__always)
    mutating func take(_ bounds: PacketBounds, in block: SharedBlock) -> ReceivedPacket {
        let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
        position &+= bounds.packetByteCount
        packetCount &+= 1
        return packet
    }

    /// Takes the next packet as ``takeOnFastPath()`` does, for a caller that holds the block.
    ///
    /// - Parameter base: The address of the block's first byte.
    /// - Returns: The packet's position; nil if it is in another block, or the fast path does not find it.
    @inlinable @inline(__always)
    mutating func takeOnFastPath(
        in block: SharedBlock, _ base: UnsafeRawPointer
    ) -> (bounds: PacketBounds, start: Int)? {
        guard self.block === block else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which the caller holds.
        let bytes = unsafe RawSpan(_unsafeStart: base, byteCount: end)
        let start = position
        guard let bounds = splitter.packetAtSight(in: bytes, at: start) else { return nil }
        position = start &+ bounds.packetByteCount
        packetCount &+= 1
        return (bounds, start)
    }

    /// Takes the next whole packet of the stream without opening its layers; nil if there is none.
    ///
    /// - Throws: ``ConnectionError/codec(_:)``, ``ConnectionError/httpRequest``; the next call throws it again.
    mutating func takeFromStream() throws(ConnectionError) -> ReceivedPacket? {
        if isFramed { return try takeFramedPacket() }
        guard let block, let bounds = try nextBounds(in: block) else { return nil }
        // SAFETY: the packet lies inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base + position, byteCount: bounds.packetByteCount)
        try judge(bytes)
        return take(bounds, in: block)
    }

    /// Looks for a whole packet.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` if the bytes cannot be a packet.
    mutating func lookForPacket() throws(ConnectionError) -> Bool {
        if hasOpened { return true }
        if isFramed { return try lookForFramedPacket() }
        guard let block else { return false }
        return try nextBounds(in: block) != nil
    }

    /// Whether the next packet of the stream is whole, and has something to open.
    mutating func hasNextToOpen(with traffic: LayeredTraffic) -> Bool {
        if isFramed {
            guard (try? lookForFramedPacket()) == true, let foundPacket else { return false }
            return !traffic.isPlain(foundPacket.lent)
        }
        guard let block, let bounds = try? nextBounds(in: block) else { return false }
        // SAFETY: the packet lies inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base + position, byteCount: bounds.packetByteCount)
        return !traffic.isPlain(Packet(bytes, bounds))
    }

    private mutating func nextBounds(in block: SharedBlock) throws(ConnectionError) -> PacketBounds? {
        guard position < end else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        if let bounds = splitter.packetAtSight(in: bytes, at: position) { return bounds }
        do throws(CodecError) {
            return try splitter.packet(in: bytes, at: position)
        } catch {
            throw .codec(error)
        }
    }

    private mutating func judge(_ packet: RawSpan) throws(ConnectionError) {
        guard let verdict = requestLineWatch?.judge(packet) else { return }
        switch verdict {
        case .undecided: break
        case .request: throw .httpRequest
        case .otherProtocol:
            requestLineWatch = nil
            updateFastPath()
        }
    }

    /// Returns the error of a stream that ends here; nil if it ends after a whole packet.
    mutating func errorAtEndOfStream() -> CodecError? {
        if isFramed { return splitter.endOfFrames() }
        guard byteCount > 0 else { return nil }
        guard let block else {
            let held = held
            return unsafe splitter.endOfStream(in: held.span.bytes)
        }
        // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
        return unsafe splitter.endOfStream(
            in: RawSpan(_unsafeStart: block.base + position, byteCount: restByteCount))
    }

    // MARK: Memory

    /// Frees the bytes before a partial packet, and keeps the partial packet in memory that is not much larger than it.
    ///
    /// Memory that grew for a partial packet stays. So a packet that arrives byte by byte is not copied for each byte.
    mutating func keepRest(on loop: EventLoop) {
        guard let block else { return }
        let count = restByteCount
        guard count <= Self.mostHeldByteCount else {
            if block.capacity > 4 * count { moveRest(to: Block(capacity: count), on: loop) }
            return
        }
        if count > 0 {
            // SAFETY: the bytes from `position` to `end` lie inside the block, which is held here.
            held = unsafe Array(UnsafeRawBufferPointer(start: block.base + position, count: count))
        }
        self.block = nil
        (position, end) = (0, 0)
    }

    private mutating func moveRest(to smaller: consuming Block, on loop: EventLoop) {
        let count = restByteCount
        // SAFETY: the caller makes the new block at least as large as the rest, which lies inside the old one.
        if let block { unsafe smaller.base.copyMemory(from: block.base + position, byteCount: count) }
        loop.note(.byteMoved, count: count)
        block = SharedBlock(smaller, of: loop)
        (position, end) = (0, count)
    }

    /// Moves unread packets to a smaller block if they fill only a small part of theirs. Call it when output stalls:
    /// the packets may stay unread until the peer reads.
    mutating func shrink(on loop: EventLoop) {
        guard let block, block.capacity > max(Self.mostHeldByteCount, 4 * restByteCount) else { return }
        if let packet = foundPacket, packet.block === block { foundPacket = packet.copied(for: loop) }
        guard restByteCount > 0 else { return dropUnread() }
        moveRest(to: Block(capacity: restByteCount), on: loop)
    }

    mutating func drop() {
        foundPacket = nil
        layers?.drop()
        if isFramed { _ = splitter.takeUnescaped() }
        dropUnread()
    }

    private mutating func dropUnread() {
        block = nil
        held = []
        (position, end) = (0, 0)
    }

    // MARK: Reading

    /// Lends memory that begins with the partial packet; ``fill(_:byteCount:of:)`` takes it back.
    ///
    /// - Parameter limit: The most bytes that may be read.
    mutating func lendReadBuffer(in stream: ByteStream, limit: Int) -> ReadBuffer {
        guard block == nil else { return ReadBuffer(growBlock(in: stream, limit: limit), offset: restByteCount) }
        // If little memory is left, the rest of a large block would be memory that was not granted.
        let mostByteCount = ByteStream.usualBlockByteCount
        let block =
            limit < mostByteCount - held.count ? Block(capacity: held.count + limit) : stream.takeBlock()
        // SAFETY: fewer bytes are held than a block has.
        unsafe held.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: block.base, count: bytes.count).copyMemory(from: bytes)
        }
        return ReadBuffer(block, offset: held.count, limit: limit)
    }

    /// Returns a block that begins with the bytes of a long packet and has free bytes after them.
    ///
    /// It doubles when it is full. So it grows only as bytes arrive, and each byte is copied twice at most, on average.
    /// It grows no further than the packet needs, and no further than the memory budget of all connections allows.
    private mutating func growBlock(in stream: ByteStream, limit: Int) -> Block {
        let count = restByteCount
        let capacity = block?.capacity ?? 0
        if position == 0, count < capacity, let same = SharedBlock.takeBlock(&block) { return same }
        let most = min(max(2 * count, capacity), max(splitter.neededByteCount, count + Self.leastGrowth))
        let bigger =
            if limit < most - count {
                Block(capacity: count + limit)
            } else if most <= ByteStream.usualBlockByteCount {
                stream.takeBlock()
            } else {
                Block(capacity: most)
            }
        if let block {
            // SAFETY: each of the three blocks has at least `count` bytes, and the rest lies inside the old one, which
            // is held here.
            unsafe bigger.base.copyMemory(from: block.base + position, byteCount: count)
            stream.loop.note(.byteMoved, count: count)
        }
        block = nil
        (position, end) = (0, count)
        return bigger
    }

    /// Takes back memory from ``lendReadBuffer(in:limit:)``; the stream read `byteCount` bytes after the partial
    /// packet.
    mutating func fill(_ filled: consuming Block, byteCount: Int, of loop: EventLoop) {
        let count = (held.isEmpty ? restByteCount : held.count) + byteCount
        if !held.isEmpty { held = [] }
        block = SharedBlock(filled, of: loop)
        (position, end) = (0, count)
    }

    /// Whether memory from ``lendReadBuffer(in:limit:)`` must come back even if nothing was read: it holds a long
    /// partial packet.
    var isRoomLent: Bool { held.isEmpty && restByteCount > 0 }
}
