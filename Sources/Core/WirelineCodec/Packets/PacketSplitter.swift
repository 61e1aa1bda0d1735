// SPDX-License-Identifier: Apache-2.0

/// Splits a stream of bytes into packets, however the bytes arrive.
///
/// Whole packets in the received bytes are lent as slices, without copying. If a packet is incomplete, the splitter
/// keeps the part that has arrived. That buffer grows with the bytes that arrive, never by what a length announces, and
/// is freed when the packet is whole. The work is linear in the bytes, wherever they are cut.
///
/// It is for programs that have a stream of their own. A connection of the module Wireline reads into blocks of its
/// own, splits them in place, and lets a block grow until its packet is whole.
///
/// A packet is refused at its header if a length is smaller than the header (an error, not a wait). It is also refused
/// if it would exceed the limit, or if a constant is wrong. After a refusal the splitter stays failed, because the
/// start of the next packet is unknown.
///
/// In a layout with a frame (``PacketFraming``), a packet with escapes is lent from a copy without them, and the limit
/// is checked as bytes arrive, because no length announces them.
public struct PacketSplitter: ~Copyable, Sendable {
    /// The fields around each payload; of packets that depend on states, those of the next packet.
    public private(set) var layout: PacketLayout
    /// The most bytes that a whole packet may have.
    public let maximumPacketByteCount: Int
    /// Read in place: a copy for each of many connections would be their largest part.
    @inlinable @inline(__always)
    var plan: PacketPlan { layout.storage.plan }
    /// The smallest length that the fast path accepts; the largest is `lengthSpan` more.
    @usableFromInline private(set) var lowestLength: UInt64
    @usableFromInline private(set) var lengthSpan: UInt64
    /// The bytes that the fast path needs; `Int.max` if it cannot be used.
    @usableFromInline private(set) var fastByteCount: Int
    /// The bytes that ``packetAtSight(in:at:)`` needs; `Int.max` also if every packet must be found in another way.
    @usableFromInline var sightByteCount: Int

    /// The beginning of an incomplete packet. Only after a receiver has thrown can it also contain whole packets.
    @usableFromInline var pending: [UInt8] = []
    /// The offset in ``pending`` of the first packet that was not delivered; 0 unless a receiver has thrown.
    private var pendingStart = 0
    /// The number of bytes of the packet at ``pendingStart`` that the splitter needs to continue.
    @usableFromInline var needed = 1
    var failure: CodecError?
    /// One element if the layout has a frame or states; otherwise empty, so that a connection stays small.
    var details: [Details] = []
    // The flags stand together: elsewhere, each would take eight bytes of every connection.
    /// Whether packets may be found at sight, if the layout allows that.
    var isSightWanted = true
    /// Whether the last call of ``receive(_:_:)`` ended after a packet that sets a state (`@sets`).
    ///
    /// So the program can prepare for what follows. Packets may already have arrived: call it again, with no bytes.
    public internal(set) var endedAtStateChange = false

    /// Makes a splitter of a new stream.
    ///
    /// - Parameters:
    ///   - layout: The fields around each payload. If they depend on the sender, this is its own layout
    ///     (``PacketLayout/layout(from:)``); with another one, all calls throw
    ///     ``CodecError/Reason/invalidLayout(_:)``.
    ///   - maximumPacketByteCount: The largest packet that is accepted, in bytes (default 1 MiB, the schema language's
    ///     `max_packet`). 0 or less refuses everything. With `Int.max` a peer decides how much memory is used.
    public init(layout: PacketLayout, maximumPacketByteCount: Int = 1 << 20) {
        self.layout = layout
        self.maximumPacketByteCount = max(0, maximumPacketByteCount)
        let fast = FastLengths(layout.plan, limit: self.maximumPacketByteCount)
        (lowestLength, lengthSpan, fastByteCount) = (fast.lowest, fast.span, fast.neededByteCount)
        sightByteCount = fast.neededByteCount
        if layout.isFramed { details = [Details()] }
        do throws(CodecError) { try layout.requireContext() } catch { failure = error }
    }

    /// Reads further packets in another layout of the same packets.
    mutating func use(_ layout: PacketLayout) {
        let fast = FastLengths(layout.plan, limit: maximumPacketByteCount)
        self.layout = layout
        (lowestLength, lengthSpan, fastByteCount) = (fast.lowest, fast.span, fast.neededByteCount)
        sightByteCount = isSightWanted ? fast.neededByteCount : Int.max
        // The new layout may need fewer bytes of a partial packet than the old one.
        needed = 1
    }

    /// State that only layouts with a frame or with states need.
    struct Details: Sendable {
        var frames = FrameReader()
        var follower: StateFollower?
    }

    /// Only a layout with a frame has it.
    var frames: FrameReader {
        _read { yield details[0].frames }
        _modify { yield &details[0].frames }
    }

    /// The number of bytes kept of an incomplete packet.
    public var pendingByteCount: Int { undeliveredByteCount + framedByteCount }

    private var undeliveredByteCount: Int { pending.count - pendingStart }

    /// Takes the next bytes of the stream and passes each packet that is now whole to `receiver`, in order.
    ///
    /// If packets depend on states, a call ends after a packet that sets one: see ``endedAtStateChange``.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that arrived, cut anywhere.
    ///   - receiver: Borrows each packet. If it throws, the call ends, but no packet is lost: the next call, which may
    ///     bring no bytes, continues with the packet after the one that threw.
    /// - Throws: ``CodecError`` at the first packet that is refused, after all packets before it were delivered, and
    ///   again at every later call.
    @inlinable
    public mutating func receive(
        _ bytes: RawSpan, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        try throwFailure()
        if followsStates { return try receiveFollowingStates(bytes, receiver) }
        try receiveInLayout(bytes, receiver)
    }

    /// Passes packets to `receiver` while the layout stays the same.
    @inlinable @inline(__always)
    mutating func receiveInLayout(
        _ bytes: RawSpan, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        if layout.isFramed { return try receiveFrames(bytes, receiver) }
        var position = 0
        if !pending.isEmpty {
            guard try receivePending(bytes, &position, receiver) else { return }
        }
        do throws(CodecError) {
            try split(bytes, from: &position, receiver)
        } catch {
            keep(bytes, from: position)
            needed = 1
            throw error
        }
        keep(bytes, from: position)
    }

    /// Tells the splitter that the stream has ended.
    ///
    /// - Throws: ``CodecError/Reason/endOfStream(received:needed:)`` if the stream ended inside a packet.
    public func finish() throws(CodecError) {
        try throwFailure()
        if let error = endOfFrames() { throw error }
        guard pending.isEmpty else {
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes, and `extracting` checks its range.
            throw unsafe .endOfStream(
                in: pending.span.bytes.extracting(pendingStart..<pending.count), neededByteCount: needed)
        }
    }

    // MARK: The fast path

    /// Delivers the packets that are whole in `bytes` from `position` on, and moves `position` past them.
    @inlinable @inline(__always)
    mutating func split(
        _ bytes: RawSpan, from position: inout Int, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        while true {
            // Tested once, not for every packet: each packet waits for the length of the one before it. One shift less
            // there makes splitting an eighth faster.
            let isTorn =
                plan.isLengthInFront
                ? try splitAtSight(bytes, from: &position, isLengthInFront: true, receiver)
                : try splitAtSight(bytes, from: &position, isLengthInFront: false, receiver)
            guard !isTorn else { return }
            guard position < bytes.byteCount else { break }
            guard let bounds = try inspect(bytes, from: position) else { return }
            let packet = Packet(bytes, bounds, at: position)
            position &+= bounds.packetByteCount
            try receiver(packet)
        }
        needed = 1
    }

    /// Delivers packets for as long as the plan's two numbers are enough.
    ///
    /// - Parameter isLengthInFront: The plan's value, as a constant.
    /// - Returns: Whether it ended at an incomplete packet; ``needed`` is then set.
    @inlinable @inline(__always)
    mutating func splitAtSight(
        _ bytes: RawSpan, from position: inout Int, isLengthInFront: Bool,
        _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) -> Bool {
        // Copies: the receiver's writes to memory cannot change them, so they need not be read again.
        let (plan, lowestLength, lengthSpan) = (plan, lowestLength, lengthSpan)
        let end = bytes.byteCount
        let lastStart = end &- fastByteCount
        var start = position
        while start <= lastStart {
            let window: UInt64
            let length: UInt64
            if isLengthInFront {
                window = plan.bigEndianWindow(in: bytes, packetAt: start)
                length = plan.length.valueInFront(of: window)
            } else {
                window = plan.window(in: bytes, packetAt: start)
                length = plan.length.value(in: window)
            }
            guard length &- lowestLength <= lengthSpan else { break }
            // The order of the additions matters: the next packet cannot be read before the length is known. The length
            // is at most half of Int.max, so the sum may overflow an Int of 32 bits, but not a UInt.
            let next = (start &+ plan.lengthToPacket) &+ Int(truncatingIfNeeded: length)
            guard UInt(bitPattern: next) <= UInt(bitPattern: end) else {
                needed = next &- start
                return true
            }
            position = next
            // SAFETY: `start` is not negative, and `next` lies after it, at most at the end of the bytes.
            let whole = unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (start, next)))
            let packet = Packet(whole, id: plan.messageID.value(in: window), plan.frame)
            start = next
            try receiver(packet)
        }
        return false
    }

    // MARK: The general path

    /// Reads the packet that begins at `start`; returns nil and sets ``needed`` if it is incomplete.
    @usableFromInline @inline(never)
    mutating func inspect(_ bytes: RawSpan, from start: Int) throws(CodecError) -> PacketBounds? {
        if let bounds = layout.quickBounds(in: bytes, at: start, limit: maximumPacketByteCount) {
            needed = bounds.packetByteCount
            return bounds.packetByteCount <= bytes.byteCount &- start ? bounds : nil
        }
        let bytes = bytes.extracting(start..<bytes.byteCount)
        do throws(CodecError) {
            switch try layout.scan(bytes, limit: maximumPacketByteCount) {
            case .needs(let byteCount):
                needed = byteCount
                return nil
            case .packet(let bounds):
                needed = bounds.packetByteCount
                return bounds.packetByteCount <= bytes.byteCount ? bounds : nil
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Completes the incomplete packet with the first bytes of `bytes`.
    ///
    /// - Returns: Whether nothing is pending any more, so that the remaining `bytes` can be split in place.
    @usableFromInline
    mutating func receivePending(
        _ bytes: RawSpan, _ position: inout Int, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) -> Bool {
        while !pending.isEmpty {
            let taken = max(0, min(needed - undeliveredByteCount, bytes.byteCount - position))
            pending.append(bytes.extracting(position..<position + taken))
            position += taken
            guard undeliveredByteCount >= needed else { return false }
            do throws(CodecError) {
                try splitPending(receiver)
            } catch {
                keep(bytes, from: position)
                needed = 1
                throw error
            }
        }
        return true
    }

    private mutating func splitPending(
        _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard let (held, start) = takeUndelivered() else { return }
        var position = start
        do throws(CodecError) {
            // SAFETY: the span of an array of bytes; `bytes` is marked unsafe for the padding other types have.
            unsafe try split(held.span.bytes, from: &position, receiver)
        } catch {
            keep(held, from: position)
            throw error
        }
        keep(held, from: position)
    }

    mutating func takeUndelivered() -> (bytes: [UInt8], start: Int)? {
        guard !pending.isEmpty else { return nil }
        defer {
            pending = []
            pendingStart = 0
        }
        return (pending, pendingStart)
    }

    /// Keeps the pending bytes from `position` on.
    ///
    /// It copies them only if that frees more memory than the copy takes. So the work stays linear even if a receiver
    /// throws at every packet.
    mutating func keep(_ held: [UInt8], from position: Int) {
        guard position < held.count, failure == nil else { return }
        let isCopied = position > held.count / 2
        pending = isCopied ? Array(held[position...]) : held
        pendingStart = isCopied ? 0 : position
    }

    @usableFromInline @inline(never)
    mutating func keep(_ bytes: RawSpan, from position: Int) {
        guard position < bytes.byteCount, failure == nil else { return }
        pending.append(bytes.extracting(position..<bytes.byteCount))
    }

    @usableFromInline
    func throwFailure() throws(CodecError) {
        if let failure { throw failure }
    }
}

private struct FastLengths {
    let lowest: UInt64
    /// The largest length minus the lowest.
    let span: UInt64
    /// The bytes of a packet that the fast path reads; `Int.max` if it cannot be used.
    let neededByteCount: Int

    init(_ plan: PacketPlan, limit: Int) {
        let lowest = plan.leastPacketByteCount - plan.lengthToPacket
        // At most half of Int.max: the fast path adds it to the offset of a packet.
        let most = min(limit, plan.mostPacketByteCount, Int.max / 2)
        let highest = most - plan.lengthToPacket
        self.lowest = UInt64(max(0, lowest))
        let isPossible = highest >= max(0, lowest)
        span = isPossible ? UInt64(highest - max(0, lowest)) : 0
        neededByteCount = isPossible ? plan.fastByteCount : Int.max
    }
}
