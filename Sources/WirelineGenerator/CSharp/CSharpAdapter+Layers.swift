// SPDX-License-Identifier: Apache-2.0

/// What an adapter has of connections, and of packets in packets.
extension CSharpAdapter {
    /// The connection of a question, whose states and keystreams begin anew.
    var connection: String {
        let names = plan.layers?.programLayers ?? []
        return #"""
            \#(names.isEmpty ? "" : Self.absent + "\n\n")\#
            private static Connection connection;

            private static Connection MakeConnection(MAP request) {
                var made = new Connection();
            \#(plan.layers?.keys.isEmpty == false ? Self.keys : "")\#
            \#(names.map { "    made.SetLayer(\(TypeScriptText.string($0)), new Absent());\n" }.joined())\#
                object states = Member(request, "state", null);
                if (states == null) return made;
                foreach (object item in List(Tables["states"])) {
                    object v = Member(Map(states), (string)Map(item)["name"], null);
                    System.Reflection.FieldInfo member = Field(made, Map(item)["own"]);
                    if (v == null) continue;
                    System.Type type = member.FieldType;
                    if (type == typeof(bool)) member.SetValue(made, v.Equals(true) || v.Equals(1m));
                    else if (type.IsEnum) member.SetValue(made, System.Enum.ToObject(type, Integer(v, System.Enum.GetUnderlyingType(type), "not_an_integer", "state")));
                    else member.SetValue(made, Integer(v, type, "not_an_integer", "state"));
                }
                return made;
            }
            """#
    }

    private static let keys = #"""
            foreach (System.Collections.Generic.KeyValuePair<string, object> key in Map(Member(request, "keys", new MAP()))) {
                bool isOfServer = key.Key.StartsWith("server.", System.StringComparison.Ordinal);
                bool isOfOne = isOfServer || key.Key.StartsWith("client.", System.StringComparison.Ordinal);
                Sender[] senders = isOfOne ? new[] {isOfServer ? Sender.Server : Sender.Client} : new Sender[0];
                made.SetKey(key.Key.Substring(isOfOne ? 7 : 0), Unhexed(key.Value, ""), senders);
            }

        """#

    private static let absent = #"""
        /// <summary>A layer that this program does not have.</summary>
        private sealed class Absent : Layer {
            public override byte[] Open(byte[] bytes, Header header, int limit) { throw new WireException("absent", "", -1); }

            public override byte[] Seal(byte[] content, Header header) { throw new WireException("absent", "", -1); }
        }
        """#

    static let writingPackets = #"""
            object inner = Member(line, "packets", null);
            if (name == null && inner != null) {
                var group = new InnerPackets();
                group.Id = (ulong)Integer(Member(line, "id", 0m), typeof(ulong), "not_an_integer", "id");
                LIST items = List(inner);
                group.Packets = new Packet[items.Count];
                for (int i = 0; i < items.Count; i++) group.Packets[i] = new Packet(Written(Map(items[i])), SetHeader(Map(items[i])));
                return group;
            }

        """#

    static let namingPackets = #"""
            var group = message as InnerPackets;
            if (group != null && path.StartsWith("packets[", System.StringComparison.Ordinal)) {
                int end = path.IndexOf(']') + 1;
                int index = int.Parse(path.Substring(8, end - 9), System.Globalization.CultureInfo.InvariantCulture);
                string rest = Named(path.Substring(System.Math.Min(end + 1, path.Length)), group.Packets[index].Message);
                return path.Substring(0, end) + (rest == "" ? "" : "." + rest);
            }

        """#

    static let showingPackets = #"""
            var group = packet.Message as InnerPackets;
            if (group != null) {
                var packets = new LIST();
                foreach (Packet inner in group.Packets) packets.Add(Line(inner));
                line["packets"] = packets;
                return line;
            }

        """#
}
