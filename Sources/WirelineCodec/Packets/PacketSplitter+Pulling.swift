// SPDX-License-Identifier: Apache-2.0

extension PacketSplitter {
    /// Looks for the packet that begins at `start`, in bytes that the caller keeps: nothing is kept here.
    ///
    /// - Returns: Where the packet's parts are, in bytes from its first one; nil when it has not arrived whole.
    /// - Throws: ``CodecError`` for a header that begins no packet; every later call throws it again.
    package mutating func packet(in bytes: RawSpan, at start: Int) throws(CodecError) -> PacketBounds? {
        if let bounds = quickBounds(in: bytes, at: start, fastByteCount) { return bounds }
        try throwFailure()
        guard start < bytes.byteCount else { return nil }
        return try inspect(bytes, from: start)
    }

    /// Whether ``packetAtSight(in:at:)`` finds packets. Where it does not, whoever calls it first goes on with
    /// ``packet(in:at:)``: what only that one's caller does costs nobody else anything.
    package var findsPacketsAtSight: Bool {
        get { sightByteCount == fastByteCount }
        set { sightByteCount = newValue ? fastByteCount : Int.max }
    }

    /// The same for a packet that has arrived whole and whose header can be read at once; nil for all others.
    @inlinable @inline(__always)
    package func packetAtSight(in bytes: RawSpan, at start: Int) -> PacketBounds? {
        quickBounds(in: bytes, at: start, sightByteCount)
    }

    @inlinable @inline(__always)
    func quickBounds(in bytes: RawSpan, at start: Int, _ leastByteCount: Int) -> PacketBounds? {
        guard start <= bytes.byteCount &- leastByteCount else { return nil }
        let window = plan.window(in: bytes, packetAt: start)
        let length = plan.length.value(in: window)
        guard length &- lowestLength <= lengthSpan else { return nil }
        let byteCount = plan.lengthToPacket &+ Int(truncatingIfNeeded: length)
        guard byteCount <= bytes.byteCount &- start else { return nil }
        return PacketBounds(
            id: plan.messageID.value(in: window), payloadStart: plan.headerByteCount,
            payloadEnd: byteCount &- plan.trailerByteCount, packetByteCount: byteCount)
    }

    /// How many bytes the packet has that was looked for last and is not whole: all of its bytes, or those of its header
    /// while that is not whole either.
    package var neededByteCount: Int { needed }

    /// How many bytes the packet has that begins so; nil where its header is not whole.
    package func byteCountOfPacket(beginning bytes: RawSpan) -> Int? {
        guard case .packet(let bounds)? = try? layout.scan(bytes, limit: maximumPacketByteCount) else { return nil }
        return bounds.packetByteCount
    }

    /// The error of a stream that has ended inside a packet, whose first bytes these are.
    package mutating func endOfStream(in bytes: RawSpan) -> CodecError {
        // How much was needed is found out where the header is looked at in every detail.
        if (try? inspect(bytes, from: 0)) == nil, let failure { return failure }
        return .endOfStream(in: bytes, neededByteCount: needed)
    }
}

extension CodecError {
    /// The error of a stream that has ended inside a packet, whose first bytes these are.
    ///
    /// A stranger's first bytes may be a length, too, that is good and never comes: so they are looked at here as they are
    /// where a length is refused.
    static func endOfStream(in bytes: RawSpan, neededByteCount: Int) -> CodecError {
        let received = bytes.byteCount
        return CodecError(
            .endOfStream(received: received, needed: max(1, neededByteCount - received)), offset: received,
            bytes: [UInt8](copying: bytes.extracting(first: 16)), lookalike: Lookalike(recognising: bytes))
    }
}
