// SPDX-License-Identifier: Apache-2.0

/// What the code has of a connection.
extension CSharpInterface {
    /// Returns the class, with the members for states.
    static func connectionClass(_ states: [String]) -> String {
        #"""
        /// <summary>The states of a connection, which both directions share. A new one has all at 0. Messages set them, and so may the program.</summary>
        public sealed class Connection {
        \#(BraceText.indented(states.joined(separator: "\n")))
        }
        """#
    }

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

    static let reshaping = #"""
            // How much is needed depends on the packet's shape, which packets of the other side may change.
            int now = Packets.ShapeOf(sender, connection);
            if (now != shape) {
                shape = now;
                wanted = 1;
            }

        """#

    static func connecting(_ isFramed: Bool) -> String {
        #"""
            private readonly Connection connection;
        \#(isFramed ? "" : "    private int shape = -1;\n")\#

            /// <summary>Finds the packets that one side sends on a connection; without one, on a new connection.</summary>
            public PacketSplitter(Sender sender, Connection connection = null) {
                this.sender = sender;
                this.connection = connection ?? new Connection();
            }
        """#
    }
}
