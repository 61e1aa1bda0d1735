// SPDX-License-Identifier: Apache-2.0

// MARK: - Encoding

extension PacketMessage {
    /// Returns the whole packet, in an array of exactly its bytes.
    ///
    /// This takes one allocation if ``PacketPlan/canWriteAtOnce`` is true.
    ///
    /// - Throws: ``CodecError`` if a value does not fit its field, the packet its limit, or the ID its fields.
    @inlinable
    public func encoded() throws(CodecError) -> [UInt8] {
        let payloadByteCount = try payloadByteCount()
        let plan = Definition.plan
        let limit = Definition.maximumPacketByteCount
        guard let byteCount = plan.byteCountAtOnce(id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
        else { return try encodedInGeneral() }
        let header = plan.headerAtOnce(id: Self.messageID, packetByteCount: byteCount)
        return [UInt8](byteCount: byteCount) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writePayload(to: &writer)
        }
    }

    /// Returns the whole packet with the given header fields, in an array of exactly its bytes.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``, and if `header` names a field that is computed or does not exist, or
    ///   has a value that does not fit.
    public func encoded(header: PacketHeader) throws(CodecError) -> [UInt8] {
        let payloadByteCount = try payloadByteCount()
        do throws(CodecError) {
            return try Definition.layout.encode(
                id: Self.messageID, header: header, payloadByteCount: payloadByteCount,
                limit: Definition.maximumPacketByteCount, writingPayload: writePayload)
        } catch {
            throw error.prefixed(by: Self.messageName)
        }
    }

    /// Appends the whole packet to an array, such as one that collects outgoing bytes.
    ///
    /// Allocates at most once, and only if the array lacks the capacity. Nothing is appended if an error is thrown.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``.
    @inlinable
    public func encode(appendingTo output: inout [UInt8]) throws(CodecError) {
        let payloadByteCount = try payloadByteCount()
        let plan = Definition.plan
        let limit = Definition.maximumPacketByteCount
        guard let byteCount = plan.byteCountAtOnce(id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
        else {
            output += try encodedInGeneral()
            return
        }
        let header = plan.headerAtOnce(id: Self.messageID, packetByteCount: byteCount)
        output.append(byteCount: byteCount) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writePayload(to: &writer)
        }
    }

    /// Appends the whole packet to a buffer; nothing is appended if an error is thrown.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``, and ``CodecError/Reason/bufferTooSmall(needed:available:)``.
    @inlinable
    public func encode(into output: inout OutputRawSpan) throws(CodecError) {
        let payloadByteCount = try payloadByteCount()
        let plan = Definition.plan
        let limit = Definition.maximumPacketByteCount
        guard let byteCount = plan.byteCountAtOnce(id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
        else { return try encodeInGeneral(into: &output) }
        let header = plan.headerAtOnce(id: Self.messageID, packetByteCount: byteCount)
        guard byteCount <= output.freeCapacity else { throw output.bufferTooSmall(byteCount) }
        // SAFETY: the writer ends with the closure, and `requireFull` has checked that all counted bytes are written.
        unsafe output.withUnsafeMutableBytes { buffer, initializedCount in
            guard var writer = unsafe ByteWriter(buffer, behind: initializedCount, byteCount: byteCount) else { return }
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writePayload(to: &writer)
            writer.requireFull()
            initializedCount &+= byteCount
        }
    }

    // The fallbacks are cold but inlinable. A function that is not specialised for the message's type needs the message
    // in memory, and the compiler would copy it there before the branch.

    @inlinable @inline(never)
    func encodedInGeneral() throws(CodecError) -> [UInt8] { try encoded(header: [:]) }

    @inlinable @inline(never)
    func encodeInGeneral(into output: inout OutputRawSpan) throws(CodecError) {
        let packet = try encoded(header: [:])
        try output.append(byteCount: packet.count) { $0.writeBytes(packet) }
    }

    /// Returns the byte count of the packet if ``encodeAtOnce(into:)`` can write it; nil if only ``encoded()`` can.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``.
    @inlinable @inline(__always)
    package func byteCountAtOnce() throws(CodecError) -> Int? {
        Definition.plan.byteCountAtOnce(
            id: Self.messageID, payloadByteCount: try payloadByteCount(), limit: Definition.maximumPacketByteCount)
    }

    /// Writes the whole packet into a buffer of exactly as many bytes as ``byteCountAtOnce()`` returned.
    @inlinable @inline(__always)
    @unsafe
    package func encodeAtOnce(into buffer: UnsafeMutableRawBufferPointer) {
        // SAFETY: the caller lends the buffer for the call, in which the writer ends.
        guard var writer = unsafe ByteWriter(buffer, behind: 0, byteCount: buffer.count) else { return }
        let header = Definition.plan.headerAtOnce(id: Self.messageID, packetByteCount: buffer.count)
        writer.writeStart(of: header.bits, byteCount: header.byteCount)
        writePayload(to: &writer)
        writer.requireFull()
    }

    /// Returns only the fields, without header and trailer.
    ///
    /// - Throws: ``CodecError`` if a value does not fit its field.
    public func encodedPayload() throws(CodecError) -> [UInt8] {
        [UInt8](byteCount: try payloadByteCount(), writing: writePayload)
    }
}

extension PacketLayout {
    /// Encodes a packet of any message, such as one that is forwarded without being decoded.
    ///
    /// - Parameters:
    ///   - id: The message's ID; 0 in a layout without one.
    ///   - header: The header fields that differ from their defaults.
    ///   - payloadByteCount: The number of bytes that `writePayload` writes.
    ///   - limit: The most bytes that the packet may have (default 1 MiB).
    ///   - writePayload: Writes the message's fields, once.
    /// - Throws: ``CodecError`` if the packet exceeds the limit or what its lengths can say, the ID does not fit, or
    ///   `header` has a field that cannot be set.
    public func encode(
        id: UInt64, header: PacketHeader = [:], payloadByteCount: Int, limit: Int = 1 << 20,
        writingPayload writePayload: (inout ByteWriter) -> Void
    ) throws(CodecError) -> [UInt8] {
        let measure = try measure(payloadByteCount: payloadByteCount, id: id, header: header, limit: limit)
        return [UInt8](byteCount: measure.packetByteCount) { writer in
            writeHeader(measure, id: id, values: header, to: &writer)
            writePayload(&writer)
            writeTrailer(measure, id: id, values: header, to: &writer)
            fillChecksums(measure, &writer)
        }
    }

    /// Encodes a packet around an existing payload.
    ///
    /// - Throws: ``CodecError`` as ``encode(id:header:payloadByteCount:limit:writingPayload:)``.
    public func encode(
        id: UInt64, header: PacketHeader = [:], payload: RawSpan, limit: Int = 1 << 20
    ) throws(CodecError) -> [UInt8] {
        try encode(id: id, header: header, payloadByteCount: payload.byteCount, limit: limit) { writer in
            writer.writeBytes(payload)
        }
    }
}

// MARK: - Decoding

extension PacketMessage {
    /// Decodes the message from bytes that must be exactly one whole packet of it.
    ///
    /// - Throws: ``CodecError`` if they are not; its offset counts from the packet's first byte.
    @inlinable @inline(__always)
    public init(packet bytes: RawSpan) throws(CodecError) {
        let packet = try Packet(
            bytes, plan: Definition.plan, limit: Definition.maximumPacketByteCount, layout: Definition.layout)
        guard packet.id == Self.messageID else {
            throw CodecError(.wrongMessage(id: packet.id, expected: Self.messageID))
        }
        var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)
        try self.init(from: &reader)
    }

    /// Decodes the message from a packet whose ID the caller has checked.
    ///
    /// - Throws: ``CodecError``; its offset counts from the packet's first byte.
    @inlinable
    public init(payloadOf packet: borrowing Packet) throws(CodecError) {
        var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)
        try self.init(from: &reader)
    }

    /// Decodes the message from its payload alone.
    ///
    /// - Throws: ``CodecError``; its offset counts from the payload's first byte.
    @inlinable
    public init(payload: RawSpan) throws(CodecError) {
        var reader = ByteReader(payload, maximumDepth: Definition.maximumDepth)
        try self.init(from: &reader)
    }
}
