// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into packets, however the bytes arrive.
///
/// Packets that lie whole in what was received are lent as slices of it and not copied. Of a packet that is torn, the
/// part that has come is kept until the rest arrives; that buffer grows with the bytes that come, never by what a length
/// announces, and is given back when the packet is whole. The work is linear in the bytes, whatever the cuts.
///
/// A packet is refused at its header: when a length is smaller than the header (an error, not a wait), when the packet
/// would be longer than the limit, when a constant is wrong. A splitter that has refused something stays failed: where
/// the next packet would begin cannot be known any more.
public struct PacketSplitter: ~Copyable, Sendable {
    /// What stands around each payload.
    public let layout: PacketLayout
    /// The most bytes that a whole packet may have.
    public let maximumPacketByteCount: Int
    /// Read where it stands: a copy for each of many connections would be the largest part of them.
    @inlinable @inline(__always)
    var plan: PacketPlan { layout.storage.plan }
    /// The lengths that the fast path accepts begin here; it accepts `lengthSpan` more.
    @usableFromInline let lowestLength: UInt64
    @usableFromInline let lengthSpan: UInt64
    /// How many bytes must be at hand for the fast path; `Int.max` where it cannot be taken.
    @usableFromInline let fastByteCount: Int
    /// The same for ``packetAtSight(in:at:)``; `Int.max` also where every packet is to be looked for in another way.
    @usableFromInline var sightByteCount: Int

    /// The beginning of a torn packet. Only after a receiver has thrown can it hold whole packets too.
    @usableFromInline var pending: [UInt8] = []
    /// Where in ``pending`` the first packet begins that was not handed over; 0 unless a receiver has thrown.
    private var pendingStart = 0
    /// How many bytes of the packet at ``pendingStart`` are needed to go on.
    @usableFromInline var needed = 1
    var failure: CodecError?

    /// Makes a splitter of a new stream.
    ///
    /// - Parameters:
    ///   - layout: What stands around each payload.
    ///   - maximumPacketByteCount: Exactly so many bytes pass, one more is refused (default 1 MiB, the schema
    ///     language's `max_packet`). 0 and less let nothing pass; with `Int.max` a peer decides how much is kept.
    public init(layout: PacketLayout, maximumPacketByteCount: Int = 1 << 20) {
        self.layout = layout
        self.maximumPacketByteCount = max(0, maximumPacketByteCount)
        let plan = layout.plan
        let lowest = plan.leastPacketByteCount - plan.lengthToPacket
        // No more than half of what an Int can say: the fast path adds it to where a packet begins.
        let most = min(self.maximumPacketByteCount, plan.mostPacketByteCount, Int.max / 2)
        let highest = most - plan.lengthToPacket
        lowestLength = UInt64(max(0, lowest))
        let isPossible = highest >= max(0, lowest)
        lengthSpan = isPossible ? UInt64(highest - max(0, lowest)) : 0
        fastByteCount = isPossible ? plan.fastByteCount : Int.max
        sightByteCount = fastByteCount
    }

    /// How many bytes of a torn packet are being kept.
    public var pendingByteCount: Int { pending.count - pendingStart }

    /// Takes the next bytes of the stream and hands each packet that is now whole to `receiver`, in order.
    ///
    /// - Parameters:
    ///   - bytes: What arrived, cut anywhere.
    ///   - receiver: Is lent each packet. What it throws ends the call, but nothing is lost: the packets behind
    ///     the one it was handed come with the next call, which may bring no bytes.
    /// - Throws: ``CodecError`` at the first packet that is refused, after all packets before it were handed over, and
    ///   again at every later call.
    @inlinable
    public mutating func receive(
        _ bytes: RawSpan, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        try throwFailure()
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

    /// Says that the stream has ended.
    ///
    /// - Throws: ``CodecError/Reason/endOfStream(received:needed:)`` when that is inside a packet.
    public func finish() throws(CodecError) {
        try throwFailure()
        guard pending.isEmpty else {
            throw unsafe .endOfStream(
                in: pending.span.bytes.extracting(pendingStart..<pending.count), neededByteCount: needed)
        }
    }

    // MARK: The fast path

    /// Hands over the packets that lie whole in `bytes` from `position` on, and leaves `position` behind them.
    @inlinable @inline(__always)
    mutating func split(
        _ bytes: RawSpan, from position: inout Int, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        while true {
            // Asked once and not for every packet: each packet waits for the length of the one before it, and where
            // that is a shift less, splitting takes an eighth less time.
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

    /// Hands over packets for as long as the plan's two numbers tell all there is to know of them.
    ///
    /// - Parameter isLengthInFront: The plan's, as a constant.
    /// - Returns: Whether it ended at a packet that is not whole; ``needed`` is then set.
    @inlinable @inline(__always)
    mutating func splitAtSight(
        _ bytes: RawSpan, from position: inout Int, isLengthInFront: Bool,
        _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) -> Bool {
        // Copies: what the receiver writes to memory cannot change them, so they need not be read again.
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
            // In this order: the next packet cannot be looked at before the length is there.
            let next = (start &+ plan.lengthToPacket) &+ Int(truncatingIfNeeded: length)
            guard next <= end else {
                needed = next &- start
                return true
            }
            position = next
            let packet = Packet(
                bytes, start: start, end: next, id: plan.messageID.value(in: window),
                payloadStart: start &+ plan.headerByteCount, payloadEnd: next &- plan.trailerByteCount)
            start = next
            try receiver(packet)
        }
        return false
    }

    // MARK: The general path

    /// Looks at the packet that begins at `start`; nil when it is not whole, and then ``needed`` is set.
    @usableFromInline @inline(never)
    mutating func inspect(_ bytes: RawSpan, from start: Int) throws(CodecError) -> PacketBounds? {
        if let bounds = layout.quickHeader?.bounds(in: bytes, at: start, limit: maximumPacketByteCount) {
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

    /// Completes the torn packet from the front of `bytes`.
    ///
    /// - Returns: Whether nothing is pending any more, so that the rest of `bytes` can be split where it lies.
    @usableFromInline
    mutating func receivePending(
        _ bytes: RawSpan, _ position: inout Int, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) -> Bool {
        while !pending.isEmpty {
            let taken = max(0, min(needed - pendingByteCount, bytes.byteCount - position))
            append(bytes.extracting(position..<position + taken))
            position += taken
            guard pendingByteCount >= needed else { return false }
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
        let held = pending
        var position = pendingStart
        pending = []
        pendingStart = 0
        do throws(CodecError) {
            // SAFETY: the span of an array of bytes; `bytes` is marked unsafe for the padding other types have.
            unsafe try split(held.span.bytes, from: &position, receiver)
        } catch {
            keep(held, from: position)
            throw error
        }
        keep(held, from: position)
    }

    /// Keeps the rest of what was pending; copied only where that is less than what is given back, so that a receiver
    /// which throws at every packet does not make the work more than linear.
    private mutating func keep(_ held: [UInt8], from position: Int) {
        guard position < held.count, failure == nil else { return }
        let isCopied = position > held.count / 2
        pending = isCopied ? Array(held[position...]) : held
        pendingStart = isCopied ? 0 : position
    }

    /// Keeps what was not handed over until more arrives.
    @usableFromInline @inline(never)
    mutating func keep(_ bytes: RawSpan, from position: Int) {
        guard position < bytes.byteCount, failure == nil else { return }
        append(bytes.extracting(position..<bytes.byteCount))
    }

    private mutating func append(_ bytes: RawSpan) {
        // SAFETY: the buffer is copied before it ends.
        unsafe bytes.withUnsafeBytes { buffer in unsafe pending.append(contentsOf: buffer) }
    }

    @usableFromInline
    func throwFailure() throws(CodecError) {
        if let failure { throw failure }
    }
}
