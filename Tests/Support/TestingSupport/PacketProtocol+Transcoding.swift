// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketProtocol {
    /// The message that a packet carries, as the enum of its sender's messages decodes it; nil for an unknown ID.
    public static func message(
        in packet: borrowing Packet, from sender: Sender
    ) throws(CodecError) -> (any PacketMessage)? {
        let incoming: any IncomingMessage =
            switch sender {
            case .client: try FromClient(in: packet)
            case .server: try FromServer(in: packet)
            }
        guard incoming.unknownID == nil else { return nil }
        return Mirror(reflecting: incoming).children.first?.value as? any PacketMessage
    }

    /// The message that a packet carries. If this end has no message with its ID, it is one of the other end.
    public static func message(
        in packet: borrowing Packet, preferring sender: Sender
    ) throws(CodecError) -> (any PacketMessage)? {
        if let message = try message(in: packet, from: sender) { return message }
        return layout.dependsOnSender ? nil : try message(in: packet, from: sender.peer)
    }

    /// Reads a packet as its message's type, and writes it again.
    ///
    /// - Returns: The message and its encoded bytes; nil for an unknown ID.
    public static func transcode(
        _ bytes: [UInt8], in context: PacketContext
    ) throws(CodecError) -> (message: any PacketMessage, bytes: [UInt8])? {
        let content = try layout.unframed(bytes, limit: maximumPacketByteCount)
        let sentLayout = layout.layout(in: context)
        let packet = try Packet(content.rawSpan, layout: sentLayout, limit: maximumPacketByteCount)
        guard let message = try message(in: packet, from: context.sender) else { return nil }
        return (message, try message.encoded(header: layout.settableHeader(of: packet), in: context))
    }
}

extension PacketLayout {
    /// The fields of a packet's header and trailer that a caller could have set.
    public func settableHeader(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var header = try header(of: packet)
        for field in fields where !field.isSettable { header[field.name] = nil }
        return header
    }
}
