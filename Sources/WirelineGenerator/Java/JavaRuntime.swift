// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Java: what every file has, and pieces of which those stay that the printed code calls.
enum JavaRuntime {
    /// The names of classes that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "Splitter", "Steps", "Reader", "Writer",
        "Checksum", "Frame", "Maker",
    ]

    /// What keeps the names that a reader or a writer is in.
    static let steps = #"""
        /** The names of the values that a reader or a writer is in. */
        abstract static class Steps {
            private String[] names = new String[8];
            private int[] indices = new int[8];
            private int count;
            private int depth;

            Steps(int depth) { this.depth = depth; }

            final void enter(String f) {
                if (count == names.length) {
                    names = java.util.Arrays.copyOf(names, 2 * count);
                    indices = java.util.Arrays.copyOf(indices, 2 * count);
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
                StringBuilder text = new StringBuilder();
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
            super(MAXIMUM_DEPTH);
            b = bytes;
            this.start = start;
            size = count;
            p = start;
            end = start + count;
            enter("packet");
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
            int u8(String f) throws WireException { return b[go(1, f)] & 255; }

            int i8(String f) throws WireException { return b[go(1, f)]; }

            int u16(String f) throws WireException { int q = go(2, f); return (b[q] & 255) << 8 | b[q + 1] & 255; }

            int u16Little(String f) throws WireException { int q = go(2, f); return b[q] & 255 | (b[q + 1] & 255) << 8; }

            int i16(String f) throws WireException { return (short) u16(f); }

            int i16Little(String f) throws WireException { return (short) u16Little(f); }

            int u24(String f) throws WireException { return (int) uint(3, false, f); }

            int u24Little(String f) throws WireException { return (int) uint(3, true, f); }

            int i24(String f) throws WireException { return (int) sint(3, false, f); }

            int i24Little(String f) throws WireException { return (int) sint(3, true, f); }

            int i32(String f) throws WireException { int q = go(4, f); return b[q] << 24 | (b[q + 1] & 255) << 16 | (b[q + 2] & 255) << 8 | b[q + 3] & 255; }

            int i32Little(String f) throws WireException { return Integer.reverseBytes(i32(f)); }

            long u32(String f) throws WireException { return i32(f) & 0xFFFFFFFFL; }

            long u32Little(String f) throws WireException { return i32Little(f) & 0xFFFFFFFFL; }

            long i64(String f) throws WireException { return uint(8, false, f); }

            long i64Little(String f) throws WireException { return uint(8, true, f); }

            long u64(String f) throws WireException { return uint(8, false, f); }

            long u64Little(String f) throws WireException { return uint(8, true, f); }

            /** A number of up to 8 bytes without a sign. */
            long uint(int n, boolean little, String f) throws WireException {
                int q = go(n, f);
                long v = 0;
                for (int i = 0; i < n; i++) v = v << 8 | b[little ? q + n - 1 - i : q + i] & 255;
                return v;
            }

            /** A number of up to 8 bytes with a sign. */
            long sint(int n, boolean little, String f) throws WireException { return uint(n, little, f) << 64 - 8 * n >> 64 - 8 * n; }

            float f32(String f) throws WireException { return Float.intBitsToFloat(i32(f)); }

            float f32Little(String f) throws WireException { return Float.intBitsToFloat(i32Little(f)); }

            double f64(String f) throws WireException { return Double.longBitsToDouble(i64(f)); }

            double f64Little(String f) throws WireException { return Double.longBitsToDouble(i64Little(f)); }

            boolean bool(String f) throws WireException {
                int x = u8(f);
                if (x > 1) throw error("invalid_boolean", f, last);
                return x == 1;
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
