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
        guard let header = writtenHeader(payloadByteCount: try payloadByteCount()) else {
            return try encodedInGeneral()
        }
        return [UInt8](byteCount: header.packetByteCount) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writePayload(to: &writer)
        }
    }

    /// Returns the whole packet with the given header fields, in an array of exactly its bytes.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``, and if `header` names a field that is computed or does not exist, or
    ///   has a value that does not fit.
    public func encoded(header: PacketHeader) throws(CodecError) -> [UInt8] {
        guard !Definition.plan.hasLayers else {
            guard let sender = Self.packetSender ?? (Definition.layout.dependsOnSender ? nil : .client) else {
                throw CodecError(.invalidLayout(.needsContext))
            }
            return try encoded(header: header, in: PacketContext(from: sender))
        }
        return try encoded(header, in: Definition.layout.layout(from: Self.packetSender))
    }

    /// Returns the whole packet as a client or a server sends it, in an array of exactly its bytes.
    ///
    /// Only a message that both ends may send needs it, in a protocol whose packets depend on the sender.
    ///
    /// - Parameters:
    ///   - header: The header fields to set (default: none).
    ///   - sender: Who sends it.
    /// - Throws: ``CodecError`` as ``encoded(header:)``.
    public func encoded(header: PacketHeader = [:], from sender: Sender) throws(CodecError) -> [UInt8] {
        try encoded(header: header, in: PacketContext(from: sender))
    }

    /// Returns the whole packet as it is sent in a context, in an array of exactly its bytes.
    ///
    /// It is for protocols whose packets depend on states of the connection. A connection of the module Wireline does
    /// it by itself.
    ///
    /// - Parameters:
    ///   - header: The header fields to set (default: none).
    ///   - context: Who sends it, and the states of the connection.
    /// - Throws: ``CodecError`` as ``encoded(header:)``.
    public func encoded(header: PacketHeader = [:], in context: PacketContext) throws(CodecError) -> [UInt8] {
        try encoded(header, in: Definition.layout.layout(in: context))
    }

    package func encoded(_ header: PacketHeader, in layout: PacketLayout) throws(CodecError) -> [UInt8] {
        guard !Definition.plan.hasLayers else {
            return try encodedWithoutLayers(header, Definition.layout.layering(ofPacketsIn: layout))
        }
        let payloadByteCount = try payloadByteCount(besideHeader: header)
        do throws(CodecError) {
            var header = header
            if let fixed = Self.fixedHeader { try layout.fix(fixed.values, in: &header) }
            let limit = Definition.maximumPacketByteCount
            let written = layout.header(
                setting: header, id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
            guard written.isNone else {
                return [UInt8](byteCount: written.packetByteCount) { writer in
                    writer.writeStart(of: written.bits, byteCount: written.byteCount)
                    writePayload(to: &writer)
                }
            }
            return try layout.encode(
                id: Self.messageID, header: header, payloadByteCount: payloadByteCount, limit: limit,
                writingPayload: writePayload)
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
        guard let header = writtenHeader(payloadByteCount: try payloadByteCount()) else {
            output += try encodedInGeneral()
            return
        }
        output.append(byteCount: header.packetByteCount) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writePayload(to: &writer)
        }
    }

    /// Appends the whole packet to a buffer; nothing is appended if an error is thrown.
    ///
    /// - Throws: ``CodecError`` as ``encoded()``, and ``CodecError/Reason/bufferTooSmall(needed:available:)``.
    @inlinable
    public func encode(into output: inout OutputRawSpan) throws(CodecError) {
        guard let header = writtenHeader(payloadByteCount: try payloadByteCount()) else {
            return try encodeInGeneral(into: &output)
        }
        let byteCount = header.packetByteCount
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

    /// Nil if only the general path can make the header, or its error.
    @inlinable @inline(__always)
    func writtenHeader(payloadByteCount: Int) -> WrittenHeader? {
        let limit = Definition.maximumPacketByteCount
        if let fixed = Self.fixedHeader {
            guard !Self.looksAtHeader else { return nil }
            let header = fixed.header(payloadByteCount: payloadByteCount, limit: limit)
            return header.isNone ? nil : header
        }
        let plan = Definition.plan
        guard plan.canWriteAtOnce else {
            guard !plan.hasLayers else { return nil }
            let header = Definition.layout.layout(from: Self.packetSender).headerFromTemplate(
                id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
            return header.isNone ? nil : header
        }
        let byteCount = plan.byteCountAtOnce(id: Self.messageID, payloadByteCount: payloadByteCount, limit: limit)
        guard let byteCount else { return nil }
        let header = plan.headerAtOnce(id: Self.messageID, packetByteCount: byteCount)
        return WrittenHeader(bits: header.bits, byteCount: header.byteCount, packetByteCount: byteCount)
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
        let payloadByteCount = try payloadByteCount()
        guard Self.fixedHeader == nil else { return nil }
        return Definition.plan.byteCountAtOnce(
            id: Self.messageID, payloadByteCount: payloadByteCount, limit: Definition.maximumPacketByteCount)
    }

    /// The buffer has exactly as many bytes as ``byteCountAtOnce()`` returned.
    @inlinable @inline(__always)
    @unsafe
    package func encodeAtOnce(into buffer: UnsafeMutableRawBufferPointer) {
        // SAFETY: the caller lends the buffer for the call, and the writer ends before the call returns.
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

    /// Returns only the fields, as they are in a packet with the given header fields.
    ///
    /// - Throws: ``CodecError`` if a value does not fit its field.
    public func encodedPayload(header: PacketHeader) throws(CodecError) -> [UInt8] {
        [UInt8](byteCount: try payloadByteCount(besideHeader: header), writing: writePayload)
    }

    /// - Parameter header: The header fields that differ from their defaults.
    private func payloadByteCount(besideHeader header: PacketHeader) throws(CodecError) -> Int {
        guard Self.looksAtHeader else { return try payloadByteCount() }
        return try payloadByteCount(header: Definition.layout.completed(header))
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
        let (measure, header) = try fit(payloadByteCount: payloadByteCount, id: id, header: header, limit: limit)
        return framed(
            [UInt8](byteCount: measure.packetByteCount) { writer in
                writeHeader(measure, id: id, values: header, to: &writer)
                writePayload(&writer)
                writeTrailer(measure, id: id, values: header, to: &writer)
                fillChecksums(measure, &writer)
            })
    }

    /// Encodes a packet around an existing payload.
    ///
    /// - Throws: ``CodecError`` as ``encode(id:header:payloadByteCount:limit:writingPayload:)``.
    public func encode(
        id: UInt64, header: PacketHeader = [:], payload: RawSpan, limit: Int = 1 << 20
    ) throws(CodecError) -> [UInt8] {
        if header.fields.isEmpty,
            let byteCount = plan.byteCountAtOnce(id: id, payloadByteCount: payload.byteCount, limit: limit)
        {
            let header = plan.headerAtOnce(id: id, packetByteCount: byteCount)
            return [UInt8](byteCount: byteCount) { writer in
                writer.writeStart(of: header.bits, byteCount: header.byteCount)
                writer.writeBytes(payload)
            }
        }
        return try encode(id: id, header: header, payloadByteCount: payload.byteCount, limit: limit) { writer in
            writer.writeBytes(payload)
        }
    }
}

// MARK: - Decoding

extension PacketMessage {
    /// Decodes the message from bytes that must be exactly one whole packet of it, with its marks if there is a frame.
    ///
    /// - Throws: ``CodecError`` if they are not; its offset counts from the packet's first byte.
    @inlinable @inline(__always)
    public init(packet bytes: RawSpan) throws(CodecError) {
        let plan = Definition.plan
        if plan.hasLayers {
            try self.init(packet: bytes, from: Self.packetSender ?? .client)
        } else if plan.isFramed {
            try self.init(framedPacket: bytes)
        } else {
            try self.init(unframedPacket: bytes, plan)
        }
    }

    /// Not inlined: few protocols have a frame, and unescaping allocates.
    @usableFromInline
    init(framedPacket bytes: RawSpan) throws(CodecError) {
        let packet = try Definition.layout.unframed(bytes, limit: Definition.maximumPacketByteCount)
        try self.init(unframedPacket: packet.rawSpan, Definition.plan)
    }

    @inlinable @inline(__always)
    init(unframedPacket bytes: RawSpan, _ plan: PacketPlan) throws(CodecError) {
        let packet = try Packet(
            bytes, plan: plan, limit: Definition.maximumPacketByteCount,
            layout: Definition.layout.layout(from: Self.packetSender))
        guard packet.id == Self.messageID else {
            throw CodecError(.wrongMessage(id: packet.id, expected: Self.messageID))
        }
        try self.init(fieldsOf: packet)
    }

    /// Decodes the message from bytes that must be exactly one whole packet of it, sent by a client or a server.
    ///
    /// - Throws: ``CodecError`` as ``init(packet:)``.
    public init(packet bytes: RawSpan, from sender: Sender) throws(CodecError) {
        try self.init(packet: bytes, in: PacketContext(from: sender))
    }

    /// Decodes the message from bytes that must be exactly one whole packet of it, sent in a context.
    ///
    /// - Throws: ``CodecError`` as ``init(packet:)``.
    public init(packet bytes: RawSpan, in context: PacketContext) throws(CodecError) {
        let (layout, limit) = (Definition.layout.layout(in: context), Definition.maximumPacketByteCount)
        guard !layout.isFramed else {
            let content = try layout.unframed(bytes, limit: limit)
            try self.init(onlyPacket: Packet(content.rawSpan, layout: layout, limit: limit), in: context)
            return
        }
        try self.init(onlyPacket: Packet(bytes, layout: layout, limit: limit), in: context)
    }

    private init(onlyPacket packet: borrowing Packet, in context: PacketContext) throws(CodecError) {
        guard !Definition.layout.hasContent || !Definition.layout.isSealed(packet) else {
            try self.init(withoutLayers: packet, in: context)
            return
        }
        guard packet.id == Self.messageID else {
            throw CodecError(.wrongMessage(id: packet.id, expected: Self.messageID))
        }
        try self.init(fieldsOf: packet)
    }

    /// Decodes the message from a packet whose ID the caller has checked.
    ///
    /// - Throws: ``CodecError``; its offset counts from the packet's first byte.
    @inlinable
    public init(payloadOf packet: borrowing Packet) throws(CodecError) {
        try self.init(fieldsOf: packet)
    }

    @inlinable @inline(__always)
    init(fieldsOf packet: borrowing Packet) throws(CodecError) {
        try Self.verifyHeader(of: packet)
        var reader = packet.makeReader(maximumDepth: Definition.maximumDepth)
        if Self.looksAtHeader {
            try self.init(from: &reader, inPacket: packet)
        } else {
            try self.init(from: &reader)
        }
    }

    /// Not inlined: few messages look at the header, and reading it allocates.
    @inlinable @inline(never)
    init(from reader: inout ByteReader, inPacket packet: borrowing Packet) throws(CodecError) {
        let header = try Definition.layout.header(of: packet)
        try self.init(from: &reader, header: header)
    }

    /// Decodes the message from its payload alone.
    ///
    /// - Throws: ``CodecError``; its offset counts from the payload's first byte.
    @inlinable
    public init(payload: RawSpan) throws(CodecError) {
        var reader = ByteReader(payload, maximumDepth: Definition.maximumDepth)
        try self.init(from: &reader)
    }

    /// Decodes the message from its payload and the header of its packet.
    ///
    /// - Parameters:
    ///   - payload: The message's fields.
    ///   - header: The header fields that differ from their defaults.
    /// - Throws: ``CodecError``; its offset counts from the payload's first byte.
    public init(payload: RawSpan, header: PacketHeader) throws(CodecError) {
        var reader = ByteReader(payload, maximumDepth: Definition.maximumDepth)
        try self.init(from: &reader, header: Definition.layout.completed(header))
    }
}
