// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Java: what every file has, and pieces of which those stay that the printed code calls.
enum JavaRuntime {
    /// The names of classes that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "Splitter", "Steps", "Reader",
        "Writer",
        "Checksum", "Frame", "Maker",
    ]

    /// What keeps the names that a reader or a writer is in.
    static let steps = #"""
        /** The names of the values that a reader or a writer is in. */
        abstract static class Steps {
            private static final String[] NO_NAMES = {};
            private static final int[] NO_INDICES = {};
            /** The outermost name; the others have arrays only if there are any. */
            private String base;
            private String[] names = NO_NAMES;
            private int[] indices = NO_INDICES;
            private int count;
            private int depth;

            /** Begins anew, in a value with a name; null for none. */
            final void begin(String name) {
                base = name == null ? "" : name;
                count = 0;
                depth = MAXIMUM_DEPTH;
            }

            final void enter(String f) {
                if (count == names.length) {
                    names = java.util.Arrays.copyOf(names, 2 * count + 4);
                    indices = java.util.Arrays.copyOf(indices, 2 * count + 4);
                }
                names[count] = f;
                indices[count++] = -1;
            }

            final void leave() { count--; }

            final void index(int i) { indices[count - 1] = i; }

            /** Goes into a value; deeper than the limit is an error. */
            final void deeper(String f) throws WireException {
                if (depth == 0) throw error("too_deep", f);
                depth--;
            }

            final void shallower() { depth++; }

            abstract WireException error(String kind, String f);

            final String path(String f) {
                StringBuilder text = new StringBuilder(base);
                for (int i = 0; i <= count; i++) {
                    String name = i == count ? f : names[i];
                    if (text.length() > 0 && !name.isEmpty()) text.append('.');
                    text.append(name);
                    if (i < count && indices[i] >= 0) text.append('[').append(indices[i]).append(']');
                }
                return text.toString();
            }
        }
        """#

    /// What each reader has.
    static let reader = #"""
        final byte[] b;
        final int start;
        /** How many bytes the packet must have before it is worth another try. */
        int wanted;
        private final int size;
        private int p;
        private int end;
        private int last;
        /** Where the packet ends, as far as that is known. */
        private int bound = Integer.MAX_VALUE;

        Reader(byte[] bytes, int start, int count) {
            b = bytes;
            this.start = start;
            size = count;
            p = start;
            end = start + count;
            begin("packet");
        }

        int position() { return p - start; }

        void seek(int place) { p = start + place; }

        int size() { return size; }

        boolean more() { return p < end; }

        @Override WireException error(String kind, String f) { return error(kind, f, p); }

        private WireException error(String kind, String f, int at) { return new WireException(kind, path(f), at - start); }

        void require(boolean good, String kind, String f) throws WireException { if (!good) throw error(kind, f, last); }

        void verify(boolean good, String kind, String f, int place) throws WireException { if (!good) throw error(kind, f, start + place); }

        private int go(long n, String f) throws WireException {
            if (end - p < n) throw error("truncated", f, p);
            last = p;
            p += (int) n;
            return last;
        }

        int take(int n, String f) throws WireException { return go(n, f) - start; }

        /** Whether fewer bytes are left. */
        boolean lacks(int n) { return end - p < n; }

        /** Goes over numbers that are there, of which the last one has so many bytes; returns their index in the bytes. */
        int run(int n, int width) {
            int q = p;
            p = q + n;
            last = p - width;
            return q;
        }

        /** Goes to a part of the packet. */
        void bound(int from, int to) {
            p = start + from;
            end = start + to;
        }

        byte[] blob(long n, String f) throws WireException {
            int q = go(n, f);
            return java.util.Arrays.copyOfRange(b, q, p);
        }

        long rest(long most, String f) throws WireException { return atMost(p, end - p, most, f); }

        private long atMost(int at, long n, long most, String f) throws WireException {
            if (most >= 0 && n > most) throw error("too_long", f, at);
            return n;
        }
        """#

    /// What reads numbers.
    static func numbers(isShortest: Bool) -> String {
        let shortest = isShortest ? "\n        if (x == 0 && i > 0) throw error(\"varint_not_shortest\", f, p);" : ""
        return #"""
            int u8At(int q) { return b[q] & 255; }

            int i8At(int q) { return b[q]; }

            int u16At(int q) { return (b[q] & 255) << 8 | b[q + 1] & 255; }

            int u16LittleAt(int q) { return b[q] & 255 | (b[q + 1] & 255) << 8; }

            int i16At(int q) { return (short) u16At(q); }

            int i16LittleAt(int q) { return (short) u16LittleAt(q); }

            int u24At(int q) { return (int) uintAt(q, 3, false); }

            int u24LittleAt(int q) { return (int) uintAt(q, 3, true); }

            int i24At(int q) { return (int) sintAt(q, 3, false); }

            int i24LittleAt(int q) { return (int) sintAt(q, 3, true); }

            int i32At(int q) { return b[q] << 24 | (b[q + 1] & 255) << 16 | (b[q + 2] & 255) << 8 | b[q + 3] & 255; }

            int i32LittleAt(int q) { return Integer.reverseBytes(i32At(q)); }

            long u32At(int q) { return i32At(q) & 0xFFFFFFFFL; }

            long u32LittleAt(int q) { return i32LittleAt(q) & 0xFFFFFFFFL; }

            long i64At(int q) { return (long) i32At(q) << 32 | u32At(q + 4); }

            long i64LittleAt(int q) { return Long.reverseBytes(i64At(q)); }

            long u64At(int q) { return i64At(q); }

            long u64LittleAt(int q) { return i64LittleAt(q); }

            long uintAt(int q, int n, boolean little) {
                long v = 0;
                for (int i = 0; i < n; i++) v = v << 8 | b[little ? q + n - 1 - i : q + i] & 255;
                return v;
            }

            long sintAt(int q, int n, boolean little) { return uintAt(q, n, little) << 64 - 8 * n >> 64 - 8 * n; }

            float f32At(int q) { return Float.intBitsToFloat(i32At(q)); }

            float f32LittleAt(int q) { return Float.intBitsToFloat(i32LittleAt(q)); }

            double f64At(int q) { return Double.longBitsToDouble(i64At(q)); }

            double f64LittleAt(int q) { return Double.longBitsToDouble(i64LittleAt(q)); }

            int u8(String f) throws WireException { return u8At(go(1, f)); }

            int i8(String f) throws WireException { return i8At(go(1, f)); }

            int u16(String f) throws WireException { return u16At(go(2, f)); }

            int u16Little(String f) throws WireException { return u16LittleAt(go(2, f)); }

            int i16(String f) throws WireException { return i16At(go(2, f)); }

            int i16Little(String f) throws WireException { return i16LittleAt(go(2, f)); }

            int u24(String f) throws WireException { return u24At(go(3, f)); }

            int u24Little(String f) throws WireException { return u24LittleAt(go(3, f)); }

            int i24(String f) throws WireException { return i24At(go(3, f)); }

            int i24Little(String f) throws WireException { return i24LittleAt(go(3, f)); }

            int i32(String f) throws WireException { return i32At(go(4, f)); }

            int i32Little(String f) throws WireException { return i32LittleAt(go(4, f)); }

            long u32(String f) throws WireException { return u32At(go(4, f)); }

            long u32Little(String f) throws WireException { return u32LittleAt(go(4, f)); }

            long i64(String f) throws WireException { return i64At(go(8, f)); }

            long i64Little(String f) throws WireException { return i64LittleAt(go(8, f)); }

            long u64(String f) throws WireException { return u64At(go(8, f)); }

            long u64Little(String f) throws WireException { return u64LittleAt(go(8, f)); }

            /** A number of up to 8 bytes without a sign. */
            long uint(int n, boolean little, String f) throws WireException { return uintAt(go(n, f), n, little); }

            /** A number of up to 8 bytes with a sign. */
            long sint(int n, boolean little, String f) throws WireException { return sintAt(go(n, f), n, little); }

            float f32(String f) throws WireException { return f32At(go(4, f)); }

            float f32Little(String f) throws WireException { return f32LittleAt(go(4, f)); }

            double f64(String f) throws WireException { return f64At(go(8, f)); }

            double f64Little(String f) throws WireException { return f64LittleAt(go(8, f)); }

            boolean bool(String f) throws WireException { return boolAt(go(1, f), f); }

            boolean boolAt(int q, String f) throws WireException {
                if (b[q] != 0 && b[q] != 1) throw error("invalid_boolean", f, q);
                return b[q] == 1;
            }

            /** Unsigned LEB128 of at most so many bytes and 64 bits. */
            long varint(int most, String f) throws WireException {
                long v = 0;
                last = p;
                for (int i = 0; i < most; i++) {
                    if (p + i >= end) throw error("truncated", f, p);
                    int x = b[p + i] & 255;
                    if (i == 9 && x > 1) break;\#(shortest.replacing("\n    ", with: "\n        "))
                    v |= (x & 127L) << 7 * i;
                    if (x < 128) {
                        p += i + 1;
                        return v;
                    }
                }
                throw error("varint_too_long", f, p);
            }

            long zigzag(int most, String f) throws WireException {
                long v = varint(most, f);
                return v >>> 1 ^ -(v & 1);
            }

            long varint32(int most, String f) throws WireException {
                int at = p;
                long v = varint(most, f);
                if (v < 0 || v > 0xFFFFFFFFL) throw error("varint_too_long", f, at);
                return (int) v;
            }

            /** A number without a sign as one that may have one; no length is so large. */
            long saturated(long v) { return v < 0 || v > 1L << 62 ? 1L << 62 : v; }
            """#
    }

    /// What reads counts and goes into values.
    static let counts = #"""
        /** A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 is a varint. */
        long count(int prefix, long most, String f) throws WireException {
            int at = p;
            if (prefix > 0) return atMost(at, uint(prefix & 15, prefix > 16, f), most, f);
            long n = varint(5, f);
            if (n > 0xFFFFFFFFL) throw error("varint_too_long", f, at);
            return atMost(at, n, most, f);
        }

        /** A count by a prefix with a sign; -1 for what is absent. 32 is a zigzag varint. */
        long countOrAbsent(int prefix, long most, String f) throws WireException {
            int at = p;
            long n;
            if (prefix == 32) {
                n = varint(5, f);
                if (n > 0xFFFFFFFFL) throw error("varint_too_long", f, at);
                n = n >>> 1 ^ -(n & 1);
            } else {
                n = sint(prefix & 15, prefix > 16, f);
            }
            if (n < -1) throw error("out_of_range", f, at);
            return atMost(at, n, most, f);
        }

        /** A count by an earlier field. */
        long counted(long n, long most, String f) throws WireException {
            if (n < 0) throw error("length_too_small", f, p);
            return atMost(p, n, most, f);
        }

        /** How many bytes there are up to a byte of 0. */
        long terminated(long most, String f) throws WireException {
            int i = p;
            while (i < end && b[i] != 0) i++;
            if (i == end) throw error("missing_terminator", f, p);
            return atMost(p, i - p, most, f);
        }

        long terminatedUnits(long most, String f) throws WireException {
            for (int i = p; i + 1 < end; i += 2) if (b[i] == 0 && b[i + 1] == 0) return atMost(p, (i - p) / 2, most, f);
            throw error("missing_terminator", f, p);
        }

        long restUnits(long most, String f) throws WireException {
            int n = end - p;
            atMost(p, n / 2, most, f);
            if (n % 2 == 1) throw error("truncated", f, end - 1);
            return n / 2;
        }

        /** Goes into so many bytes; returns where those around them end. */
        int inside(long n, String f) throws WireException {
            int outer = end;
            p = go(n, f);
            end = p + (int) n;
            return outer;
        }

        /** Leaves such bytes; what is left of them is skipped. */
        void outside(int outer) {
            p = end;
            end = outer;
        }

        /** How many items there can be, whatever a count announces. */
        int capacity(long n, int least) { return (int) Math.min(n, (end - p) / least); }

        boolean hasItem(int i, long n) { return i < n; }

        /** Whether an item follows in a list to the end. */
        boolean another(int i, long most) throws WireException {
            if (p == end) return false;
            index(-1);
            atMost(p, i + 1, most, "");
            return true;
        }

        /** Whether an item follows in a list that a byte ends. */
        boolean anotherUntil(int i, long most, int stop) throws WireException {
            index(-1);
            if (p == end) throw error("truncated", "", p);
            if ((b[p] & 255) == stop) {
                p++;
                return false;
            }
            atMost(p, i + 1, most, "");
            return true;
        }

        byte[] trailing() { return p < end ? java.util.Arrays.copyOfRange(b, p, end) : null; }

        void ended() throws WireException { if (p < end) throw error("trailing_bytes", "", p); }
        """#
}
