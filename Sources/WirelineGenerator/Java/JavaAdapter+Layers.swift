// SPDX-License-Identifier: Apache-2.0

/// What an adapter has of connections, and of packets in packets.
extension JavaAdapter {
    /// The connection of a question, whose states and keystreams begin anew.
    var connection: String {
        #"""
        private static WIRE.Connection connection;

        private static WIRE.Connection connection(Map<String, Object> request) throws Exception {
            WIRE.Connection made = new WIRE.Connection();
        \#(keys)\#
        \#(layers)\#
            if (request.get("state") == null) return made;
            for (Object item : list(TABLES.get("states"))) {
                Object v = map(request.get("state")).get(map(item).get("name"));
                java.lang.reflect.Field member = made.getClass().getField((String) map(item).get("own"));
                if (v == null) continue;
                if (member.getType() == boolean.class) member.set(made, v.equals(true) || v.equals(BigInteger.ONE));
                else member.set(made, integer(v, member.getType(), !v.toString().startsWith("-"), "not_an_integer", "state"));
            }
            return made;
        }
        """#
    }

    private var keys: String {
        guard plan.layers?.keys.isEmpty == false else { return "" }
        return #"""
                for (Map.Entry<String, Object> key : map(request.getOrDefault("keys", new LinkedHashMap<>())).entrySet()) {
                    boolean isOfServer = key.getKey().startsWith("server."), isOfOne = isOfServer || key.getKey().startsWith("client.");
                    WIRE.Sender[] senders = isOfOne ? new WIRE.Sender[] {isOfServer ? WIRE.Sender.SERVER : WIRE.Sender.CLIENT} : new WIRE.Sender[0];
                    made.setKey(key.getKey().substring(isOfOne ? 7 : 0), unhexed(key.getValue(), ""), senders);
                }

            """#
    }

    /// The layers that this program does not have.
    private var layers: String {
        (plan.layers?.programLayers ?? []).map { name in
            """
                made.setLayer(\(JavaText.string(name)), new WIRE.Layer() {
                    public byte[] open(byte[] bytes, WIRE.Header header, int limit) throws Exception { throw new WIRE.WireException("absent", "", -1); }

                    public byte[] seal(byte[] content, WIRE.Header header) throws Exception { throw new WIRE.WireException("absent", "", -1); }
                });

            """
        }.joined()
    }

    static let writingPackets = #"""
            if (name == null && line.get("packets") != null) {
                WIRE.InnerPackets group = new WIRE.InnerPackets();
                group.id = (Long) integer(line.getOrDefault("id", BigInteger.ZERO), long.class, true, "not_an_integer", "id");
                List<Object> items = list(line.get("packets"));
                group.packets = new WIRE.Packet[items.size()];
                for (int i = 0; i < group.packets.length; i++) group.packets[i] = new WIRE.Packet(written(map(items.get(i))), header(map(items.get(i))));
                return group;
            }

        """#

    static let namingPackets = #"""
            if (message instanceof WIRE.InnerPackets && path.startsWith("packets[")) {
                int end = path.indexOf(']') + 1;
                int index = Integer.parseInt(path.substring(8, end - 1));
                String rest = named(path.substring(Math.min(end + 1, path.length())), ((WIRE.InnerPackets) message).packets[index].message);
                return path.substring(0, end) + (rest.isEmpty() ? "" : "." + rest);
            }

        """#

    static let showingPackets = #"""
            if (packet.message instanceof WIRE.InnerPackets) {
                List<Object> packets = new ArrayList<>();
                for (WIRE.Packet inner : ((WIRE.InnerPackets) packet.message).packets) packets.add(line(inner));
                line.put("packets", packets);
                return line;
            }

        """#
}
