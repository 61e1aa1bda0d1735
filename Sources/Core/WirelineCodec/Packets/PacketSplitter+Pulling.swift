// SPDX-License-Identifier: Apache-2.0

extension PacketSplitter {
    /// Finds the packet that begins at `start`, in bytes that the caller keeps; the splitter keeps none.
    ///
    /// It is for layouts without a frame. Those with one have ``nextFramedPacket(in:from:)``.
    ///
    /// - Returns: The positions of the packet's parts, in bytes from its first; nil if the packet is incomplete.
    /// - Throws: ``CodecError`` for an invalid header; every later call throws it again.
    package mutating func packet(in bytes: RawSpan, at start: Int) throws(CodecError) -> PacketBounds? {
        if let bounds = quickBounds(in: bytes, at: start, fastByteCount, plan) { return bounds }
        try throwFailure()
        guard start < bytes.byteCount else { return nil }
        return try inspect(bytes, from: start)
    }

    /// Whether ``packetAtSight(in:at:)`` finds packets.
    ///
    /// If it does not, its callers continue with ``packet(in:at:)``. So work that only callers of ``packet(in:at:)``
    /// need costs the others nothing.
    package var findsPacketsAtSight: Bool {
        get { isSightWanted }
        set {
            isSightWanted = newValue
            sightByteCount = newValue ? fastByteCount : Int.max
        }
    }

    /// Returns the packet as ``packet(in:at:)`` if its header can be read at once; nil for all others.
    @inlinable @inline(__always)
    package func packetAtSight(in bytes: RawSpan, at start: Int) -> PacketBounds? {
        quickBounds(in: bytes, at: start, sightByteCount, plan)
    }

    /// Returns the same with the layout's plan as a constant; code that is compiled for one protocol knows it.
    ///
    /// A plan of another layout finds other packets, or none, but only inside the bytes.
    @inlinable @inline(__always)
    package func packetAtSight(in bytes: RawSpan, at start: Int, _ plan: PacketPlan) -> PacketBounds? {
        guard sightByteCount >= plan.fastByteCount,
            let bounds = quickBounds(in: bytes, at: start, sightByteCount, plan),
            bounds.packetByteCount >= plan.minimumPacketByteCount
        else { return nil }
        return bounds
    }

    @inlinable @inline(__always)
    func quickBounds(
        in bytes: RawSpan, at start: Int, _ leastByteCount: Int, _ plan: PacketPlan
    ) -> PacketBounds? {
        guard start <= bytes.byteCount &- leastByteCount else { return nil }
        let window = plan.window(in: bytes, packetAt: start)
        let length = plan.length.value(in: window)
        guard length &- lowestLength <= lengthSpan else { return nil }
        let byteCount = plan.lengthToPacket &+ Int(truncatingIfNeeded: length)
        guard byteCount <= bytes.byteCount &- start else { return nil }
        return PacketBounds(id: plan.messageID.value(in: window), packetByteCount: byteCount, plan.frame)
    }

    /// Whether the length at `start` alone refuses a packet there, without the error that ``packet(in:at:)`` makes.
    ///
    /// It is false if only the general path can tell.
    package func refusesLength(in bytes: RawSpan, at start: Int) -> Bool {
        // Only the general path takes lengths over half of Int.max, and negative ones.
        guard start <= bytes.byteCount &- fastByteCount, maximumPacketByteCount <= Int.max / 2,
            plan.leastPacketByteCount >= plan.lengthToPacket
        else { return false }
        return plan.length.value(in: plan.window(in: bytes, packetAt: start)) &- lowestLength > lengthSpan
    }

    /// Finds the next packet in bytes that the caller keeps, and copies it; for tools, and for any layout.
    ///
    /// The state that the packet's message sets (`@sets`) counts for the next packet. With layers, the caller knows the
    /// message, and calls ``follow(_:)``.
    ///
    /// In a layout with a frame, `position` moves past all bytes that were read, and later calls continue there. In
    /// another one it moves past the packet, or stays.
    ///
    /// - Returns: The packet without marks and escapes; nil if it is incomplete.
    /// - Throws: ``CodecError`` as ``packet(in:at:)`` and ``nextFramedPacket(in:from:)``.
    package mutating func nextPacket(
        in bytes: [UInt8], from position: inout Int
    ) throws(CodecError) -> (content: [UInt8], bounds: PacketBounds)? {
        guard layout.isFramed else {
            guard let bounds = try packet(in: bytes.rawSpan, at: position) else { return nil }
            let start = position
            position += bounds.packetByteCount
            if !followsOpenedPackets { follow(bounds.id) }
            return (Array(bytes[start..<position]), bounds)
        }
        guard let packet = try nextFramedPacket(in: bytes.rawSpan, from: &position) else { return nil }
        if !followsOpenedPackets { follow(packet.bounds.id) }
        guard let start = packet.start else { return (takeUnescaped(), packet.bounds) }
        return (Array(bytes[start..<start + packet.bounds.packetByteCount]), packet.bounds)
    }

    /// The number of bytes that the last incomplete packet needs.
    ///
    /// That is the whole packet, or its header if the header is incomplete too.
    package var neededByteCount: Int { needed }

    /// Returns the byte count of the packet that begins with these bytes; nil if its header is incomplete.
    package func byteCountOfPacket(beginning bytes: RawSpan) -> Int? {
        guard case .packet(let bounds)? = try? layout.scan(bytes, limit: maximumPacketByteCount) else { return nil }
        return bounds.packetByteCount
    }

    /// Returns the error of a stream that ended inside a packet, given the packet's first bytes.
    package mutating func endOfStream(in bytes: RawSpan) -> CodecError {
        if let error = endOfFrames() { return error }
        // Only the general path counts the needed bytes.
        if (try? inspect(bytes, from: 0)) == nil, let failure { return failure }
        return .endOfStream(in: bytes, neededByteCount: needed)
    }
}

extension PacketLayout {
    /// Passes the packets at the start of a stream's bytes to `body`, up to the first fault, without a limit of their
    /// size.
    ///
    /// - Returns: The end of the last one, in bytes.
    @discardableResult
    package func forEachPacket(atStartOf bytes: [UInt8], _ body: (borrowing Packet) -> Void) -> Int {
        var splitter = PacketSplitter(layout: self, maximumPacketByteCount: .max)
        return splitter.forEachPacket(atStartOf: bytes, body)
    }
}

extension PacketSplitter {
    /// Passes the packets at the start of a stream's bytes to `body`, up to the first fault.
    ///
    /// - Returns: The end of the last one, in bytes.
    @discardableResult
    package mutating func forEachPacket(atStartOf bytes: [UInt8], _ body: (borrowing Packet) -> Void) -> Int {
        var end = 0
        var position = 0
        while let (content, bounds) = try? nextPacket(in: bytes, from: &position) {
            body(Packet(content.rawSpan, bounds))
            end = position
        }
        return end
    }
}

extension CodecError {
    /// Returns the error of a stream that ended inside a packet, given the packet's first bytes.
    ///
    /// The first bytes of another protocol may form a valid length of a packet that never comes. So they are checked
    /// here, just as when a length is refused.
    static func endOfStream(in bytes: RawSpan, neededByteCount: Int) -> CodecError {
        let received = bytes.byteCount
        return CodecError(
            .endOfStream(received: received, needed: max(1, neededByteCount - received)), offset: received,
            bytes: [UInt8](copying: bytes.extracting(first: 16)),
            misdirectedProtocol: MisdirectedProtocol(recognising: bytes))
    }
}
