// SPDX-License-Identifier: Apache-2.0

/// What the code has of a connection.
extension CSharpInterface {
    static let wrapInConnection = #"""
        internal static byte[] WrapFrom(Sender sender, Writer w, ulong id, Header h, Connection connection) {
            byte[] packet = Wrap(ShapeOf(sender, connection), w, id, h);
            Change(connection, sender, id);
            return packet;
        }
        """#

    static let unwrapping = #"""
            Packet packet = Unwrap(ShapeOf(sender, connection), r, sender);
            if (packet != null) Change(connection, sender, packet.Message.MessageId);
            return packet;
        """#

    /// How a packet is opened.
    static let opening = #"""
            var work = new Work(sender, connection);
            Packet packet = work.Open(r, 0, 0);
            if (packet != null) work.Commit();
            return packet;
        """#
}
