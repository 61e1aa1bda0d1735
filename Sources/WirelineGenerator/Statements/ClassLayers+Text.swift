// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The text of what opens and seals packets.
///
/// It is written as Java, with the modifiers of C#. A name in `‹›` is one that programs see; `~` stands before a generated function.
extension ClassLayers {
    private var server: String { dialect.sender(.server) }
    private var kindCount: Int { layers.kinds.count }
    /// The most bytes that compression makes: an array has no more items.
    private var limit: Int { min(layers.maximumByteCount, Int(Int32.max) - 64) }

    var part: String {
        let members = [
            "ID_TYPE id", "Header header", "int body", "int end", "int after", "int first", "boolean hasCount",
            "long count", "int place", "boolean[] rules", "int[] at",
        ]
        let sets = members.compactMap { $0.split(separator: " ").last }.map { "this.\($0) = \($0);" }
        return """
            /** Some fields of a packet: where its content, the packet and these fields are, the count of the content, and which rules hold. */
            internal sealed class Part {
            \(members.map { "    internal readonly \($0);" }.joined(separator: "\n"))

                internal Part(\(members.joined(separator: ", "))) {
            \(sets.map { "        " + $0 }.joined(separator: "\n"))
                }
            }
            """
    }

    /// A keystream that goes on.
    static let keystream = #"""
        /** Where a keystream goes on: how many bytes it gave, or the state of RC4. */
        internal sealed class Keystream {
            internal readonly long used;
            internal readonly int[] s;
            internal readonly int i;
            internal readonly int j;

            internal Keystream(long used, int[] s, int i, int j) {
                this.used = used;
                this.s = s;
                this.i = i;
                this.j = j;
            }
        }
        """#

    var head: String {
        let streams = """
                streams = new Keystream[c.streams.length];
                for (int i = 0; i < streams.length; i++) streams[i] = c.streams[i];

            """
        let lasting = #"""


            /** Adds a keystream that goes on. Inner packets are sealed first and opened last, so none may use it again. */
            private static int withStream(int n, int used) throws WireException {
                if (lasts[n] && (used >> n & 1) != 0) throw refused("invalid_layer", n);
                return lasts[n] ? used | 1 << n : used;
            }
            """#
        return #"""
            private readonly Connection c;
            private readonly Sender sender;
            \#(hasStreams ? "private readonly Keystream[] streams;\n" : "")\#
            /** How many bytes compression may still make. */
            private int left = \#(limit);
            \#(layers.hasPackets ? "private int packetCount = 0;\n" : "")\#
            /** The messages that change states. */
            private ID_TYPE[] ids = new ID_TYPE[4];
            private int idCount = 0;
            \#(hasStreams ? "/** The layers whose keystream goes on that the packet to seal uses, as bits. */\nprivate int lasting = 0;\n" : "")\#

            internal Work(Sender sender, Connection c) {
                this.sender = sender;
                this.c = c;
            \#(hasStreams ? streams : "")\#
            }

            internal void commit() throws WireException {
                for (int i = 0; i < idCount; i++) ~change(c, sender, ids[i]);
            \#(hasStreams ? "    c.streams = streams;\n" : "")\#
            }

            private void note(ID_TYPE id) {
                if (idCount == ids.length) {
                    ID_TYPE[] more = new ID_TYPE[2 * idCount];
                    for (int i = 0; i < idCount; i++) more[i] = ids[i];
                    ids = more;
                }
                ids[idCount++] = id;
            }

            private static WireException refused(String kind, int n) { return new WireException(kind, layerNames[n], -1); }

            internal static byte[] cut(byte[] b, int from, int to) {
                byte[] part = new byte[to - from];
                COPY(b, from, part, 0, to - from);
                return part;
            }

            private static byte[] joined(byte[] first, byte[] second) {
                byte[] all = new byte[first.length + second.length];
                COPY(first, 0, all, 0, first.length);
                COPY(second, 0, all, first.length, second.length);
                return all;
            }

            internal static int indexOf(String name, String[] names) {
                for (int i = 0; i < names.length; i++) if (names[i].equals(name)) return i;
                return -1;
            }

            internal static boolean isFor(Sender side, Sender[] senders) {
                for (int i = 0; i < senders.length; i++) if (senders[i] == side) return true;
                return senders.length == 0;
            }

            /** An error whose offset counts from another place. */
            private static WireException moved(WireException error, int origin) {
                return error.‹offset› < 0 ? error : new WireException(error.‹kind›, error.‹path›, error.‹offset› - origin);
            }

            /** Counts what compression has made against the limit. */
            private void takeInflated(int n, int count) throws WireException {
                if (!inflates[n]) return;
                if (count > left) throw refused("inflated_too_long", n);
                left -= count;
            }\#(hasStreams ? lasting : "")

            /** The fields of an opened packet; offsets count from the first byte inside the innermost layer. */
            private static Part readWhole(int part, byte[] b, int origin) throws WireException {
                Reader r = new Reader(b, 0, b.length);
                r.limit = \#(Int32.max);
                try {
                    Part p = ~unwrap(part, r);
                    if (p == null) throw new WireException("truncated", "", b.length);
                    return p;
                } catch (WireException error) {
                    throw moved(error, origin);
                }
            }
            """#
    }

    var opening: String {
        let tooLong = #"""
                        if (hasCount && counterNames[shape] != null && count - counterConstants[shape] > \#(limit)) throw refused("inflated_too_long", n);

            """#
        let counting = #"""
                if (hasCount && counterNames[shape] != null && count != (inside < 0 ? 0 : inside + counterConstants[shape])) {
                    throw new WireException("length_mismatch", counterNames[shape], place);
                }

            """#
        let packets = #"""
                if (p.rules[\#(kindCount)]) {
                    InnerPackets group = new InnerPackets();
                    group.‹id› = p.id;
                    group.‹packets› = openPackets(cut(flat, p.body, p.end), depth + 1, used);
                    return new Packet(group, p.header, found.after);
                }

            """#
        // Its errors are not moved: they are about the packet's header, and have the place from the packet's first byte.
        let verifying = plan.fixedHeaderFields.isEmpty ? "" : "    message.verify(own, p.header, p.at);\n"
        return #"""
            /** The packet that bytes begin with, out of its layers; null if it has not arrived whole. */
            internal Packet open(Reader r, int depth, int used) throws WireException {
                int shape = ~shapeOf(sender, c, depth > 0);
                Part found = ~unwrap(outers[shape], r);
                if (found == null) return null;
                byte[] data = cut(r.b, r.start, r.start + found.body);
                byte[] content = cut(r.b, r.start + found.body, r.start + found.end);
                byte[] trailer = cut(r.b, r.start + found.end, r.start + found.after);
                Part p = found;
                int origin = 0;
            \#(hasCounter ? "    boolean hasCount = p.hasCount;\n    long count = p.count;\n    int place = p.place;\n    int inside = -1;\n" : "")\#
                for (int i = 0; i < sections[shape].length; i++) {
                    int[] section = sections[shape][i];
                    for (int j = 1; j < section.length; j++) {
                        int n = section[j];
                        if (!p.rules[n]) continue;
            \#(hasCounter ? tooLong : "")\#
            \#(hasStreams ? "            used = withStream(n, used);\n" : "")\#
                        content = ~openLayer(this, n, p.header, content);
                        takeInflated(n, content.length);
                        origin = data.length;
            \#(hasCounter ? "            if (n >= counterFirsts[shape]) inside = content.length;\n" : "")\#
                    }
                    if (section[0] < 0) continue;
                    byte[] whole = joined(data, content);
                    p = readWhole(section[0], whole, origin);
                    data = cut(whole, 0, p.body);
                    content = cut(whole, p.body, p.end);
            \#(hasCounter ? "        if (!hasCount && p.hasCount) {\n            hasCount = true;\n            count = p.count;\n            place = p.place - origin;\n        }\n" : "")\#
                }
            \#(hasCounter ? counting : "")\#
                byte[] flat = joined(joined(data, content), trailer);
                p = readWhole(outers[shape] + 1, flat, origin);
            \#(layers.hasPackets ? packets : "")\#
                // A part of a message sets no state.
                if (p.rules[\#(kindCount + 1)]) {
                    UnknownMessage opaque = new UnknownMessage();
                    opaque.‹id› = p.id;
                    opaque.‹payload› = cut(flat, p.body, p.end);
                    return new Packet(opaque, p.header, found.after);
                }
                note(p.id);
                Reader own = new Reader(flat, 0, flat.length);
                own.bound(p.body, p.end);
                Message message = ~make(p.id, sender);
            \#(verifying)\#
                try {
                    own.begin(message.messageName());
                    message.read(own, p.header);
                } catch (WireException error) {
                    throw moved(error, origin);
                }
                return new Packet(message, p.header, found.after);
            }
            """#
    }

    // MARK: Packets in packets

    var innerPackets: String {
        #"""
        /** Whole packets in a packet, each with its header. A splitter gives them one by one in its place. */
        public sealed class InnerPackets extends Message {
            public ID_TYPE ‹id›;
            public Packet[] ‹packets› = {};

            \#(dialect.innerPacketsFacts(maximumDepth: layers.maximumDepth).joined(separator: "\n\n    "))

            internal override void read(Reader r, Header h) throws WireException { r.require(false, "wrong_type", ""); }

            internal override void write(Writer w, Header h) throws WireException { w.require(false, "wrong_type", ""); }
        }
        """#
    }

    var packetsInside: String {
        let isAtEnd: String
        let one: String
        if let framing {
            let marks = framing.hasSameMarks ? [framing.start] : [framing.start, framing.end]
            let tests = marks.enumerated().map { "(content[p + \($0)] & 255) == \($1)" }.joined(separator: " && ")
            isAtEnd = """
                // Marks with nothing between them may follow the last packet.
                    while (p + \(marks.count) <= content.length && \(tests)) p += \(marks.count);
                    return p >= content.length;
                """
            one = #"""
                Frame frame = new Frame();
                    if (!frame.take(content, p, content.length)) throw new WireException("truncated", "", content.length - p);
                    Packet packet = open(new Reader(frame.b, 0, frame.n), depth, used);
                    if (packet == null) throw new WireException("truncated", "", frame.n);
                    return new Packet(packet.‹message›, packet.‹header›, frame.count);
                """#
        } else {
            isAtEnd = "return p >= content.length;"
            one = #"""
                Packet packet = open(new Reader(content, p, content.length - p), depth, used);
                    if (packet == null) throw new WireException("truncated", "", content.length - p);
                    return packet;
                """#
        }
        return #"""
            private void countPacket() throws WireException { if (packetCount++ >= 65536) throw new WireException("too_long", "packets", -1); }

            /** An error in a packet inside another one. */
            private static WireException inPacket(WireException error, int i) {
                String path = "packets[" + i + "]";
                return new WireException(error.‹kind›, error.‹path›.equals("") ? path : path + "." + error.‹path›, error.‹offset›);
            }

            private static boolean isAtEnd(byte[] content, int p) {
                \#(isAtEnd)
            }

            private Packet openPacket(byte[] content, int p, int depth, int used) throws WireException {
                \#(one)
            }

            private static Packet[] first(int count, Packet[] packets, int room) {
                Packet[] some = new Packet[room];
                for (int i = 0; i < count; i++) some[i] = packets[i];
                return some;
            }

            private Packet[] openPackets(byte[] content, int depth, int used) throws WireException {
                if (depth > \#(layers.maximumDepth)) throw new WireException("too_deep", "", -1);
                Packet[] packets = new Packet[4];
                int count = 0;
                for (int p = 0; !isAtEnd(content, p); p += packets[count - 1].‹byteCount›) {
                    countPacket();
                    if (count == packets.length) packets = first(count, packets, 2 * count);
                    try {
                        packets[count] = openPacket(content, p, depth, used);
                    } catch (WireException error) {
                        throw inPacket(error, count);
                    }
                    count++;
                }
                return first(count, packets, count);
            }

            private byte[] sealPackets(InnerPackets group, Header header, int depth) throws WireException {
                if (depth >= \#(layers.maximumDepth)) throw new WireException("too_deep", "", -1);
                if (group.‹packets› == null) throw new WireException("wrong_type", "packets", -1);
                Writer content = new Writer(false);
                content.begin("", 0);
            \#(hasStreams ? "    int all = lasting;\n" : "")\#
                for (int i = 0; i < group.‹packets›.length; i++) {
                    countPacket();
                    Packet packet = group.‹packets›[i];
            \#(hasStreams ? "        lasting = 0;\n" : "")\#
                    try {
                        if (packet == null) throw new WireException("wrong_type", "", -1);
                        content.appendBlob(seal(packet.‹message›, packet.‹header›, depth + 1), "");
                    } catch (WireException error) {
                        throw inPacket(error, i);
                    }
            \#(hasStreams ? "        all |= lasting;\n" : "")\#
                }
            \#(hasStreams ? "    lasting = all;\n" : "")\#
                return around(cut(content.b, 0, content.position()), group.‹id›, header, "packets", depth);
            }
            """#
    }
}
