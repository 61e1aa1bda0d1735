// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The text of what seals packets, and of connections with layers.
extension ClassLayers {
    private var lead: Int { plan.longestHeader }

    var sealing: String {
        let threshold = #"""
                if (isSettable[shape] && !~isCountGiven(shape, header)) {
                    // Whether there is a layer depends on how much there is without one.
                    Header bare = known(shape, id, settable).header;
                    if (~hasCount(shape, bare)) ~setCount(shape, settable, 0);
                    if (~hasCount(shape, bare) && c.‹threshold› != null) {
                        Header tried = settable.copy();
                        ~copyIdentifiers(tried, bare);
                        int count = written(sections[shape][sections[shape].length - 1][0], tried, payload).length;
                        if (count >= c.‹threshold›) ~setCount(shape, settable, 1);
                    }
                }

            """#
        let presence = #"""
                boolean hasPackets = p.rules[\#(layers.kinds.count)];
                if (!holds.equals("") && holds.equals("packets") != hasPackets) throw new WireException("presence", "packets", -1);

            """#
        let counting = #"""
                        if (counts) count(shape, id, content.length + counterConstants[shape], settable, given, p);
                        counts = false;

            """#
        let around = #"""
                    // From here on the layers are around the field.
                    if (counts && section[1] < counterFirsts[shape]) {
                        count(shape, id, 0, settable, given, p);
                        counts = false;
                    }

            """#
        let packets =
            "    if (message instanceof InnerPackets) return sealPackets((InnerPackets) message, given, depth);\n"
        return #"""
            /** A whole packet of a message. */
            internal byte[] seal(Message message, Header header, int depth) throws WireException {
                if (message == null) throw new WireException("wrong_type", "", -1);
                Header given = header == null ? new Header() : header;
            \#(layers.hasPackets ? packets : "")\#
                Writer w = new Writer(false);
                w.begin(message.messageName(), \#(lead));
            \#(plan.fixedHeaderFields.isEmpty ? "" : "    given = message.fix(w, given);\n")\#
                message.write(w, given);
                String holds = message.messageName() == null ? "" : "message";
                return around(cut(w.b, \#(lead), w.position()), message.messageId(), given, holds, depth);
            }

            /** Some fields around a content. */
            private static byte[] wrapped(int part, ID_TYPE id, byte[] content, Header h) throws WireException {
                Writer w = new Writer(false);
                w.begin("packet", \#(lead));
                w.appendBlob(content, "");
                return ~wrap(part, w, id, h);
            }

            /** The fields of a packet that are known before its layers are sealed, and which rules hold. */
            private static Part known(int shape, ID_TYPE id, Header h) throws WireException {
                return readWhole(outers[shape] + 1, wrapped(outers[shape] + 1, id, new byte[0], h), 0);
            }

            /** The fields of a section and what is after them. Fields before are written for their conditions only. */
            private static byte[] written(int part, Header h, byte[] content) throws WireException {
                if (part < 0) return content;
                byte[] b = wrapped(part, 0, content, h);
                return cut(b, readWhole(part, b, 0).first, b.length);
            }

            /** A whole packet of a content, of which holds says what it must be, if that is known. */
            private byte[] around(byte[] payload, ID_TYPE id, Header header, String holds, int depth) throws WireException {
                int shape = ~shapeOf(sender, c, depth > 0);
                Header settable = header.copy();
            \#(layers.hasThreshold ? threshold : "")\#
                Part p = known(shape, id, settable);
            \#(layers.hasPackets ? presence : "")\#
                boolean isOpaque = \#(layers.hasPackets ? "!hasPackets && " : "")p.rules[\#(layers.kinds.count + 1)];
                if (holds.equals("message") && isOpaque) throw new WireException("presence", "opaque", -1);
                // Neither packets nor a part of a message set a state.
                if (\#(layers.hasPackets ? "!hasPackets && " : "")!isOpaque) note(id);
                Header given = settable.copy();
                ~copyIdentifiers(given, p.header);
                byte[] content = payload;
            \#(hasCounter ? "    boolean counts = counterNames[shape] != null;\n" : "")\#
                for (int i = sections[shape].length - 1; i >= 0; i--) {
                    int[] section = sections[shape][i];
            \#(hasCounter ? around : "")\#
                    content = written(section[0], given, content);
                    for (int j = section.length - 1; j > 0; j--) {
                        int n = section[j];
                        if (!p.rules[n]) continue;
            \#(hasStreams ? "            lasting = withStream(n, lasting);\n" : "")\#
            \#(hasCounter ? counting : "")\#
                        takeInflated(n, content.length);
                        content = ~sealLayer(this, n, p.header, content);
                    }
                }
            \#(hasCounter ? "    if (counts) count(shape, id, 0, settable, given, p);\n" : "")\#
                byte[] packet = wrapped(outers[shape], 0, content, given);
                return \#(framing == nil ? "packet" : "Frame.framed(packet)");
            }
            """#
    }

    var counting: String {
        #"""
        /** Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader. */
        private static void count(int shape, ID_TYPE id, int n, Header settable, Header given, Part p) throws WireException {
            if (!~hasCount(shape, p.header)) return;
            if (n > counterLimits[shape]) throw new WireException("out_of_range", counterNames[shape], -1);
            Header tried = settable.copy();
            ~setCount(shape, tried, n);
            boolean[] rules = known(shape, id, tried).rules;
            for (int i = 0; i < rules.length; i++) {
                if (rules[i] != p.rules[i]) throw new WireException("length_too_small", counterNames[shape], -1);
            }
            ~setCount(shape, p.header, n);
            ~setCount(shape, given, n);
        }
        """#
    }

    // MARK: Keys and layers of the program

    var key: String {
        #"""
        internal byte[] key(int k, int n) throws WireException {
            byte[] key = c.keys[sender == \#(dialect.sender(.server)) ? k + \#(layers.keys.count) : k];
            if (key == null) throw new WireException("layer_unavailable", layerNames[n], "give its key with \#(dialect.spelled("setKey"))");
            return key;
        }
        """#
    }

    var setKey: String {
        let forgetting = #"""
                    for (int j = 0; j < Work.keyLayers[k].length; j++) streams[Work.keyLayers[k][j] + \#(layers.kinds.count) * i] = null;

            """#
        return #"""
            /** Sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew. */
            public void setKey(String name, byte[] key, VARIADIC senders) throws WireException {
                int k = Work.indexOf(name, Work.keyNames);
                if (k < 0) throw new WireException("unknown_key", "key." + name, -1);
                boolean fits = false;
                for (int i = 0; i < Work.keySizes[k].length && key != null; i += 2) {
                    if (key.length >= Work.keySizes[k][i] && key.length <= Work.keySizes[k][i + 1]) fits = true;
                }
                if (!fits) throw new WireException("wrong_key", "key." + name, -1);
                for (int i = 0; i < 2; i++) {
                    if (!Work.isFor(i == 0 ? \#(dialect.sender(.client)) : \#(dialect.sender(.server)), senders)) continue;
                    keys[k + \#(layers.keys.count) * i] = Work.cut(key, 0, key.length);
            \#(hasStreams ? forgetting : "")\#
                }
            }
            """#
    }

    var setLayer: String {
        let names = layers.programLayers.joined(separator: ", ")
        return #"""
            /** Gives a layer of the program for the packets of both sides, or of those that are given: \#(names). */
            public void setLayer(String name, Layer layer, VARIADIC senders) throws WireException {
                int n = Work.indexOf(name, Work.programLayers);
                if (n < 0) throw new WireException("unknown_layer", "layer." + name, -1);
                for (int i = 0; i < 2; i++) {
                    if (Work.isFor(i == 0 ? \#(dialect.sender(.client)) : \#(dialect.sender(.server)), senders)) layers[n + \#(layers.programLayers.count) * i] = layer;
                }
            }
            """#
    }

    var byProgram: String {
        #"""
        private Layer own(int place, int n) throws WireException {
            Layer layer = c.layers[sender == \#(dialect.sender(.server)) ? place + \#(layers.programLayers.count) : place];
            if (layer == null) throw new WireException("layer_unavailable", layerNames[n], "give it with \#(dialect.spelled("setLayer"))");
            return layer;
        }

        /** Any exception of a layer says that the bytes are damaged; one of this class says how. */
        internal byte[] openOwn(byte[] b, Header h, int place, int n) throws WireException {
            Layer layer = own(place, n);
            byte[] content;
            try {
                content = layer.open(b, h, left);
            } catch (WireException error) {
                throw refused(error.‹kind›, n);
            } catch (EXCEPTION) {
                throw refused("invalid_layer", n);
            }
            if (content == null) throw refused("inflated_too_long", n);
            return content;
        }

        internal byte[] sealOwn(byte[] b, Header h, int place, int n) throws WireException {
            Layer layer = own(place, n);
            byte[] bytes;
            try {
                bytes = layer.seal(b, h);
            } catch (WireException error) {
                throw refused(error.‹kind›, n);
            } catch (EXCEPTION) {
                throw refused("invalid_layer", n);
            }
            if (bytes == null) throw refused("invalid_layer", n);
            return bytes;
        }
        """#
    }

    // MARK: Transforms that are the same everywhere

    static let xor = #"""
        internal byte[] xor(byte[] b, byte[] key) {
            byte[] made = new byte[b.length];
            for (int i = 0; i < b.length; i++) made[i] = (byte) (b[i] ^ key[i % key.length]);
            return made;
        }
        """#

    static let rc4 = #"""
        /** Goes on with the keystream from packet to packet. */
        internal byte[] rc4(byte[] b, byte[] key, int n) {
            Keystream before = streams[place(n)];
            int[] s = new int[256];
            int i = 0;
            int j = 0;
            for (int k = 0; k < 256; k++) s[k] = before == null ? k : before.s[k];
            for (int k = 0; before == null && k < 256; k++) {
                j = j + s[k] + key[k % key.length] & 255;
                int x = s[k];
                s[k] = s[j];
                s[j] = x;
            }
            i = before == null ? 0 : before.i;
            j = before == null ? 0 : before.j;
            byte[] made = new byte[b.length];
            for (int k = 0; k < b.length; k++) {
                i = i + 1 & 255;
                j = j + s[i] & 255;
                int x = s[i];
                s[i] = s[j];
                s[j] = x;
                made[k] = (byte) (b[k] ^ s[s[i] + s[j] & 255]);
            }
            streams[place(n)] = new Keystream(0, s, i, j);
            return made;
        }
        """#

    var place: String {
        #"""
        private int place(int n) { return sender == \#(dialect.sender(.server)) ? n + \#(layers.kinds.count) : n; }
        """#
    }

    static let aesCTR = #"""
        /** The keystream of counters from start on, of which some bytes were used before. */
        internal byte[] aesCTR(byte[] b, byte[] key, byte[] start, long used, int n) throws WireException {
            byte[] count = new byte[16];
            long carry = used / 16;
            for (int i = 15; i >= 0; i--) {
                carry += vector(start, n)[i] & 255;
                count[i] = (byte) (carry & 255);
                carry >>= 8;
            }
            int skipped = (int) (used % 16);
            byte[] made = new byte[skipped + b.length];
            COPY(b, 0, made, skipped, b.length);
            return cut(counted(key, count, made, n), skipped, made.length);
        }
        """#

    static let aesCTRLasting = #"""
        /** Goes on with the keystream from packet to packet. */
        internal byte[] aesCTRLasting(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            Keystream before = streams[place(n)];
            long used = before == null ? 0 : before.used;
            byte[] made = aesCTR(b, key, start, used, n);
            streams[place(n)] = new Keystream(used + b.length, null, 0, 0);
            return made;
        }
        """#

    static let vector = #"""
        private static byte[] vector(byte[] start, int n) throws WireException {
            if (start == null || start.length != 16) throw refused("layer_unavailable", n);
            return start;
        }
        """#

    static let aesCBC = #"""
        internal byte[] openAESCBC(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            if (b.length == 0 || b.length % 16 != 0) throw refused("invalid_layer", n);
            byte[] made = chained(false, key, vector(start, n), b, n);
            int count = made[made.length - 1];
            boolean isPadded = count >= 1 && count <= 16;
            for (int i = 1; isPadded && i <= count; i++) isPadded = made[made.length - i] == count;
            if (!isPadded) throw refused("invalid_layer", n);
            return cut(made, 0, made.length - count);
        }

        internal byte[] sealAESCBC(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            int count = 16 - b.length % 16;
            byte[] padded = new byte[b.length + count];
            COPY(b, 0, padded, 0, b.length);
            for (int i = b.length; i < padded.length; i++) padded[i] = (byte) count;
            return chained(true, key, vector(start, n), padded, n);
        }
        """#

    static let gzip = #"""
        private static int u16(byte[] b, int p) { return b[p] & 255 | (b[p + 1] & 255) << 8; }

        /** Where the stream of deflate begins after a head; of one that is damaged, after the last byte. */
        private static int gzipHead(byte[] b) {
            boolean isGood = b.length >= 10 && u16(b, 0) == 0x8B1F && b[2] == 8 && (b[3] & 0xE0) == 0;
            if (!isGood) return b.length + 1;
            int p = 10;
            if ((b[3] & 4) != 0) p += b.length < 12 ? 2 : 2 + u16(b, 10);
            for (int flag = 8; flag <= 16; flag *= 2) {
                if ((b[3] & flag) == 0) continue;
                while (p < b.length && b[p] != 0) p++;
                p++;
            }
            if ((b[3] & 2) == 0) return p;
            isGood = p + 2 <= b.length && u16(b, p) == (int) (Checksum.crc32(b, 0, p) & 0xFFFF);
            return isGood ? p + 2 : b.length + 1;
        }

        internal byte[] openGzip(byte[] b, int n) throws WireException {
            int head = gzipHead(b);
            if (head > b.length) throw refused("invalid_layer", n);
            byte[] content = inflate(b, head, n);
            int crc = (int) Checksum.crc32(content, 0, content.length);
            boolean isGood = after + 8 <= b.length;
            for (int i = 0; isGood && i < 4; i++) {
                isGood = (b[after + i] & 255) == (crc >> 8 * i & 255) && (b[after + 4 + i] & 255) == (content.length >> 8 * i & 255);
            }
            if (!isGood) throw refused("invalid_layer", n);
            if (after + 8 < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        internal byte[] sealGzip(byte[] b, int n) throws WireException {
            byte[] stream = deflate(b, n);
            byte[] made = new byte[stream.length + 18];
            made[0] = 0x1F;
            made[1] = (byte) 0x8B;
            made[2] = 8;
            made[9] = (byte) 0xFF;
            COPY(stream, 0, made, 10, stream.length);
            int crc = (int) Checksum.crc32(b, 0, b.length);
            for (int i = 0; i < 4; i++) {
                made[stream.length + 10 + i] = (byte) (crc >> 8 * i);
                made[stream.length + 14 + i] = (byte) (b.length >> 8 * i);
            }
            return made;
        }
        """#

    static let zlib = #"""
        internal byte[] openZlib(byte[] b, int n) throws WireException {
            int head = b.length < 2 ? 0 : (b[0] & 255) << 8 | b[1] & 255;
            boolean isGood = head > 0 && head % 31 == 0 && (head >> 8 & 15) == 8 && head >> 12 < 8 && (head & 0x20) == 0;
            if (!isGood) throw refused("invalid_layer", n);
            byte[] content = inflate(b, 2, n);
            int sum = (int) Checksum.adler32(content, 0, content.length);
            isGood = after + 4 <= b.length;
            for (int i = 0; isGood && i < 4; i++) isGood = (b[after + i] & 255) == (sum >> 24 - 8 * i & 255);
            if (!isGood) throw refused("invalid_layer", n);
            if (after + 4 < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        internal byte[] sealZlib(byte[] b, int n) throws WireException {
            byte[] stream = deflate(b, n);
            byte[] made = new byte[stream.length + 6];
            made[0] = 0x78;
            made[1] = (byte) 0x9C;
            COPY(stream, 0, made, 2, stream.length);
            int sum = (int) Checksum.adler32(b, 0, b.length);
            for (int i = 0; i < 4; i++) made[stream.length + 2 + i] = (byte) (sum >> 24 - 8 * i);
            return made;
        }
        """#

    static let rawDeflate = #"""
        internal byte[] openDeflate(byte[] b, int n) throws WireException {
            byte[] content = inflate(b, 0, n);
            if (after < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        internal byte[] sealDeflate(byte[] b, int n) throws WireException { return deflate(b, n); }
        """#
}
