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

    static func reshaping(hasLayers: Bool) -> String {
        #"""
            // How much is needed depends on the packet's shape, which packets of the other side may change.
            int now = Packets.ShapeOf(sender, connection\#(hasLayers ? ", false" : ""));
            if (now != shape) {
                shape = now;
                wanted = 1;
            }

        """#
    }

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

    /// How a packet is opened.
    static let opening = #"""
            var work = new Work(sender, connection);
            Packet packet = work.Open(r, 0, 0);
            if (packet != null) work.Commit();
            return packet;
        """#

    static let innerQueue = #"""
            private readonly System.Collections.Generic.Queue<Packet> inner = new System.Collections.Generic.Queue<Packet>();

        """#

    static let flattening = #"""
            /// <summary>The next packet that holds no others.</summary>
            private Packet TakeInner() {
                while (inner.Count == 0) {
                    Packet packet = Take();
                    if (packet == null) return null;
                    Flatten(packet);
                }
                return inner.Dequeue();
            }

            private void Flatten(Packet packet) {
                var group = packet.Message as InnerPackets;
                if (group == null) inner.Enqueue(packet);
                else foreach (Packet own in group.Packets) Flatten(own);
            }


        """#
}
