// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineLanguage
package import WirelineLayers

/// Translates packets of a protocol to Erlang's records and back, as the generated Erlang of the schema does.
///
/// A packet becomes the bytes of a term in one step, and back: there are no values in between. Names and positions are
/// looked
/// up once, when this is made.
///
/// ```swift
/// let records = ErlangRecords(description)
/// let term = try records.term(of: packet, from: .client)          // {#{id => 20001, …}, #cs_20001{scene_id = 7, …}}
/// let answer = try records.packet(of: "{sc_20001, 1, 7, 1, 0, 0, 100, <<\"hi\">>, <<>>}", from: .server)
/// ```
///
/// What always holds:
///
/// - It accepts and refuses the same packets and terms as the generated Erlang, for the same reason at the same field.
/// - Atoms come from the schema alone. Nothing that a peer sends becomes one.
/// - A NaN is `{nan, Bits}`: a float that Erlang does not have would end the connection between nodes.
/// - No input stops the program. Terms and packets have limits; see ``limits``.
public struct ErlangRecords: Sendable {
    let plan: RecordPlan
    /// The limits of terms, in both directions.
    public var limits = ErlangTermLimits()
    /// The keys of layers, and the program's decisions about them (default: none).
    package var layers = LayerSettings()

    /// Makes a translation. All names and positions are looked up here.
    public init(_ description: ProtocolDescription) { plan = RecordPlan(description) }

    /// The protocol whose packets are translated.
    public var description: ProtocolDescription { plan.description }

    // MARK: Terms as values

    /// Returns a packet as `{Header, Message}`, where `Header` is a map of all its fields.
    ///
    /// - Parameters:
    ///   - packet: Bytes that must be exactly one packet, with the marks of a frame.
    ///   - sender: Who has sent it.
    /// - Throws: `CodecError` with the field's path; its offset counts from the packet's first byte.
    public func term(of packet: [UInt8], from sender: Sender) throws(CodecError) -> ErlangTerm {
        var writer = ErlangTermWriter()
        writer.writeVersion()
        try write(packet, in: PacketContext(from: sender), to: &writer)
        do throws(ErlangError) {
            return try ErlangTerm(externalFormat: writer.bytes.rawSpan, limits: limits)
        } catch {
            throw CodecError(.tooLong(count: writer.count, limit: limits.byteCount))
        }
    }

    /// Returns the packet of `Message` or `{Header, Message}`, where `Header` is a map of the fields that differ from their
    /// defaults.
    ///
    /// - Parameters:
    ///   - term: The message.
    ///   - sender: Who sends it; it must be one of this end's messages, or `{unknown, Id, Payload}`.
    /// - Throws: `ErlangRecordError` as `encode/2` of the generated Erlang gives it.
    public func packet(of term: ErlangTerm, from sender: Sender) throws(ErlangRecordError) -> [UInt8] {
        var writer = ErlangTermWriter()
        do throws(ErlangError) {
            try writer.write(term, limits: limits)
        } catch {
            throw ErlangRecordError("not_a_message")
        }
        return try packet(ofTerm: writer.bytes.rawSpan, from: sender)
    }
}

// MARK: - Packets to terms

extension ErlangRecords {
    /// Writes one packet as `{Header, Message}`. The bytes must be exactly that packet, sent in this context.
    package func write(
        _ packet: [UInt8], in context: PacketContext, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        let layout = description.layout.layout(in: context)
        let limit = description.options.maximumPacketByteCount
        let content = layout.isFramed ? try layout.unframed(packet, limit: limit) : packet
        let packet = try Packet(content.rawSpan, layout: layout, limit: limit)
        if description.layout.hasContent, description.layout.isSealed(packet) {
            var opener = PacketOpener(description.layout, from: context.sender, packetLimit: limit, settings: layers)
            return try write(opener.open(packet, states: context.states), from: context.sender, to: &writer)
        }
        writer.writeTuple(count: 2)
        try writeHeader(of: packet, to: &writer)
        try writeMessage(of: packet, from: context.sender, to: &writer)
    }

    /// Writes the message of a packet without layers: a record, or `{unknown, Id, Payload}`.
    ///
    /// - Throws: `CodecError`; the bytes written so far are then no term.
    package func writeMessage(
        of packet: borrowing Packet, from sender: Sender, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        guard !packet.isOpaque, let message = plan.message(id: packet.id, from: sender) else {
            writer.writeTuple(count: 3)
            writer.writeEncoded(Atoms.unknown)
            writer.writeUnsigned(packet.id)
            return writer.writeBinary(packet.payload)
        }
        let layout = description.layout
        if let fixed = plan.fixedHeaders[message] { try layout.verify(fixed, in: packet) }
        var fields = packet.makeReader(maximumDepth: plan.maximumDepth)
        var reader = RecordReader(plan: plan, byteLimit: writer.count + limits.byteCount)
        if plan.looksAtHeader[message] { reader.header = try layout.header(of: packet) }
        try reader.readMessage(plan.messages[message], from: &fields, to: &writer)
    }

    /// Writes the header of a packet as a map.
    ///
    /// - Parameter onlySettable: Whether to leave out fields that cannot be set in another packet, as `settable/1`
    ///   does.
    /// - Returns: The number of keys.
    @discardableResult
    package func writeHeader(
        of packet: borrowing Packet, onlySettable: Bool = false, to writer: inout ErlangTermWriter
    ) throws(CodecError) -> Int {
        let header = try description.layout.header(of: packet)
        let reader = RecordReader(plan: plan, byteLimit: .max)
        return reader.write(header, onlySettable: onlySettable, to: &writer)
    }

    /// Whether packets have header fields that a sender can set, as returned by `settable/1`.
    package var hasSettableFields: Bool { plan.header.fields.contains(where: \.isSettable) }

    /// The term is that of ``writeMessage(of:from:to:)``.
    package func encodedMessage(of packet: borrowing Packet, from sender: Sender) throws(CodecError) -> [UInt8] {
        var writer = ErlangTermWriter()
        writer.reserve(packet.payload.byteCount + 64)
        try writeMessage(of: packet, from: sender, to: &writer)
        return writer.bytes
    }

    /// The term is that of ``writeHeader(of:onlySettable:to:)``.
    package func encodedHeader(of packet: borrowing Packet, onlySettable: Bool) throws(CodecError) -> [UInt8] {
        var writer = ErlangTermWriter()
        try writeHeader(of: packet, onlySettable: onlySettable, to: &writer)
        return writer.bytes
    }

    /// Writes an opened packet as `{Header, Message}`. For one with packets inside, the message is
    /// `{packets, Id, [{Header, Message}]}`.
    ///
    /// - Throws: The failure of the packets, or the error of a message with the path of its packet.
    package func write(
        _ packets: OpenedPackets, from sender: Sender, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        if let failure = packets.failure, packets.entries.isEmpty { throw failure }
        var counts = [Int](repeating: 0, count: packets.entries.count)
        for entry in packets.entries { if let parent = entry.parent { counts[parent] += 1 } }
        /// The missing packets of each open list, the outermost first.
        var missing: [Int] = []
        for index in packets.entries.indices {
            let kind = packets.entries[index].kind
            do throws(CodecError) {
                try packets.withPacket(at: index) { (packet: borrowing Packet) throws(CodecError) in
                    writer.writeTuple(count: 2)
                    try writeHeader(of: packet, to: &writer)
                    guard kind == .packets else { return try writeMessage(of: packet, from: sender, to: &writer) }
                    writer.writeTuple(count: 3)
                    writer.writeEncoded(Atoms.packets)
                    writer.writeUnsigned(packet.id)
                    if counts[index] > 0 { writer.beginList(count: counts[index]) }
                }
            } catch {
                let path = packets.path(of: index)
                throw path.isEmpty ? error : error.prefixed(by: path)
            }
            if !missing.isEmpty { missing[missing.count - 1] -= 1 }
            if kind == .packets { missing.append(counts[index]) }
            while missing.last == 0 {
                writer.endList()
                missing.removeLast()
            }
        }
        if let failure = packets.failure { throw failure }
    }
}
