// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
    extension PacketProtocol {
        /// Decodes the message in a packet.
        ///
        /// - Returns: The message; nil if this sender has no message with its ID.
        /// - Throws: ``CodecError`` if the payload does not match the schema.
        public static func message(
            in packet: borrowing Packet, from sender: Sender
        ) throws(CodecError) -> (any PacketMessage)? {
            guard let type = messageType(id: packet.id, from: sender) else { return nil }
            return try type.init(payloadOf: packet)
        }
    }
#endif
