// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketProtocol {
    /// The message that a packet carries, of the other end's where this one has none with its ID.
    public static func message(
        in packet: borrowing Packet, preferring sender: Sender
    ) throws(CodecError) -> (any PacketMessage)? {
        if let message = try message(in: packet, from: sender) { return message }
        return try message(in: packet, from: sender.peer)
    }

    /// Reads a packet into its message's type, and writes it again.
    ///
    /// - Returns: The message and the bytes that it is encoded to; nil for an unknown ID.
    public static func transcode(
        _ bytes: [UInt8], from sender: Sender
    ) throws(CodecError) -> (message: any PacketMessage, bytes: [UInt8])? {
        let packet = try Packet(bytes.span.bytes, layout: layout, limit: maximumPacketByteCount)
        guard let message = try message(in: packet, from: sender) else { return nil }
        return (message, try message.encoded(header: layout.settableHeader(of: packet)))
    }
}

extension PacketLayout {
    /// What a caller could have set in a packet's header and trailer.
    public func settableHeader(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var header = try header(of: packet)
        for field in fields where !field.isSettable { header[field.name] = nil }
        return header
    }
}

extension PacketField {
    /// Whether a caller may choose the field's value.
    public var isSettable: Bool {
        switch role {
        case .value, .sequence: true
        default: false
        }
    }
}
