// SPDX-License-Identifier: Apache-2.0

/// Makes the class for a connection.
struct JavaConnection {
    let plan: CodePlan

    /// Returns the class, with the members for states.
    func text(_ states: [String]) -> String {
        let module = JavaDialect(plan).className
        return #"""
            /**
             * \#(plan.context?.documentation(hasLayers: plan.layers != nil) ?? "")
             */
            public static final class Connection {
            \#(BraceText.indented(states.joined(separator: "\n")))

                /** A whole packet of a message that only one side sends, with the header's defaults. */
                public byte[] encode(Message message) throws WireException { return encode(message, null, null); }

                /** A whole packet of a message that only one side sends. */
                public byte[] encode(Message message, Header header) throws WireException { return encode(message, header, null); }

                /** A whole packet of a message. \#(plan.dependsOnSender ? "One that both sides send needs the sender." : "The sender may be null.") */
                public byte[] encode(Message message, Header header, Sender sender) throws WireException {
                    return \#(module).encode(message, header, sender, this);
                }

                /** Puts a whole packet of a message into a writer, in place of what it has; the header and the sender may be null. */
                public void encode(Message message, Header header, Sender sender, PacketWriter writer) throws WireException {
                    \#(module).encode(message, header, sender, this, writer);
                }

                /** The packet that bytes begin with; null if it has not arrived whole. */
                public Packet decode(byte[] bytes, int offset, int count, Sender sender) throws WireException {
                    return \#(module).decode(bytes, offset, count, sender, this);
                }

                /** The packet that bytes begin with; null if it has not arrived whole. */
                public Packet decode(byte[] bytes, Sender sender) throws WireException { return decode(bytes, 0, bytes.length, sender); }
            }
            """#
    }
}

/// What the functions of the class do with a connection.
extension JavaInterface {
    static let encodingFirst = #"""
        public static byte[] encode(Message message, Header header, Sender sender) throws WireException {
            return encode(message, header, sender, new Connection());
        }


        """#

    static let decodingFirst = #"""
            return decode(bytes, offset, count, sender, new Connection());
        }

        private static Packet decode(byte[] bytes, int offset, int count, Sender sender, Connection connection) throws WireException {

        """#

    static let unwrapping = #"""
            Packet packet = unwrap(shapeOf(sender, connection), r, sender);
            if (packet != null) change(connection, sender, packet.message.messageId());
            return packet;
        """#

    /// How a packet is opened.
    static let opening = #"""
            Work work = new Work(sender, connection);
            Packet packet = work.open(r, 0, 0);
            if (packet != null) work.commit();
            return packet;
        """#
}
