// SPDX-License-Identifier: Apache-2.0

extension JavaRuntime {
    /// What each writer has.
    static let writer = #"""
        /** The header of a packet without one; nothing sets its members. */
        static final Header DEFAULTS = new Header();
        private static final byte[] NO_BYTES = {};
        byte[] b = NO_BYTES;
        /** Where the packet begins in the bytes, and how many it has. */
        int from;
        int size;
        private final boolean isKept;
        private int p;

        /** Makes a writer; one that is kept for the next packet gives its own bytes, of which the packet is a part. */
        Writer(boolean isKept) { this.isKept = isKept; }

        /** Begins the packet of a message; its payload comes after so many bytes. */
        void begin(String name, int lead) {
            begin(name);
            p = lead;
            size = 0;
            if (b.length > 65536) b = NO_BYTES;
        }

        /** Makes room for as many bytes as will probably follow. */
        void reserve(int n) {
            n = Math.min(n, MAXIMUM_SIZE);
            if (p + n > b.length) b = java.util.Arrays.copyOf(b, p + n);
        }

        int position() { return p; }

        void seek(int place) { p = place; }

        @Override WireException error(String kind, String f) { return new WireException(kind, path(f), -1); }

        void require(boolean good, String kind, String f) throws WireException { if (!good) throw error(kind, f); }

        void verify(boolean good, String kind) throws WireException { if (!good) throw new WireException(kind, "", -1); }

        int room(int n) {
            int q = p;
            if (q + n > b.length) b = java.util.Arrays.copyOf(b, Math.max(q + n, 2 * b.length + 64));
            p = q + n;
            return q;
        }

        byte[] packet(int start, int count) {
            from = start;
            size = count;
            return isKept || start == 0 && count == b.length ? b : java.util.Arrays.copyOfRange(b, start, start + count);
        }

        int textLength(String v) { return v == null ? 0 : v.length(); }

        int blobLength(byte[] v) { return v == null ? 0 : v.length; }

        int appendBlob(byte[] v, String f) throws WireException {
            require(v != null, "wrong_type", f);
            int q = room(v.length);
            System.arraycopy(v, 0, b, q, v.length);
            return v.length;
        }

        void putUint(long v, int n, boolean little) {
            int q = room(n);
            for (int i = 0; i < n; i++) b[little ? q + i : q + n - 1 - i] = (byte) (v >>> 8 * i);
        }
        """#

    /// What writes numbers.
    static let writingNumbers = #"""
        void setUint(int q, long v, int n, boolean little) {
            for (int i = 0; i < n; i++) b[little ? q + i : q + n - 1 - i] = (byte) (v >>> 8 * i);
        }

        private void set(int q, long v, int n, boolean little, long low, long high, String f) throws WireException {
            require(v >= low && v <= high, "out_of_range", f);
            setUint(q, v, n, little);
        }

        void setU8(int q, int v, String f) throws WireException {
            require(v >= 0 && v <= 255, "out_of_range", f);
            b[q] = (byte) v;
        }

        void setI8(int q, int v, String f) throws WireException { set(q, v, 1, false, -128, 127, f); }

        void setU16(int q, int v, String f) throws WireException {
            require(v >= 0 && v <= 65535, "out_of_range", f);
            b[q] = (byte) (v >> 8);
            b[q + 1] = (byte) v;
        }

        void setU16Little(int q, int v, String f) throws WireException {
            require(v >= 0 && v <= 65535, "out_of_range", f);
            b[q] = (byte) v;
            b[q + 1] = (byte) (v >> 8);
        }

        void setI16(int q, int v, String f) throws WireException { set(q, v, 2, false, -32768, 32767, f); }

        void setI16Little(int q, int v, String f) throws WireException { set(q, v, 2, true, -32768, 32767, f); }

        void setU24(int q, int v, String f) throws WireException { set(q, v, 3, false, 0, 0xFFFFFF, f); }

        void setU24Little(int q, int v, String f) throws WireException { set(q, v, 3, true, 0, 0xFFFFFF, f); }

        void setI24(int q, int v, String f) throws WireException { set(q, v, 3, false, -0x800000, 0x7FFFFF, f); }

        void setI24Little(int q, int v, String f) throws WireException { set(q, v, 3, true, -0x800000, 0x7FFFFF, f); }

        void setU32(int q, long v, String f) throws WireException {
            require(v >= 0 && v <= 0xFFFFFFFFL, "out_of_range", f);
            setI32(q, (int) v, f);
        }

        void setU32Little(int q, long v, String f) throws WireException {
            require(v >= 0 && v <= 0xFFFFFFFFL, "out_of_range", f);
            setI32Little(q, (int) v, f);
        }

        void setI32(int q, int v, String f) {
            b[q] = (byte) (v >> 24);
            b[q + 1] = (byte) (v >> 16);
            b[q + 2] = (byte) (v >> 8);
            b[q + 3] = (byte) v;
        }

        void setI32Little(int q, int v, String f) { setI32(q, Integer.reverseBytes(v), f); }

        void setI64(int q, long v, String f) {
            setI32(q, (int) (v >> 32), f);
            setI32(q + 4, (int) v, f);
        }

        void setI64Little(int q, long v, String f) { setI64(q, Long.reverseBytes(v), f); }

        void setU64(int q, long v, String f) { setI64(q, v, f); }

        void setU64Little(int q, long v, String f) { setI64Little(q, v, f); }

        void setF32(int q, float v, String f) { setI32(q, Float.floatToIntBits(v), f); }

        void setF32Little(int q, float v, String f) { setI32Little(q, Float.floatToIntBits(v), f); }

        void setF64(int q, double v, String f) { setI64(q, Double.doubleToLongBits(v), f); }

        void setF64Little(int q, double v, String f) { setI64Little(q, Double.doubleToLongBits(v), f); }

        void putU8(int v, String f) throws WireException { setU8(room(1), v, f); }

        void putI8(int v, String f) throws WireException { setI8(room(1), v, f); }

        void putU16(int v, String f) throws WireException { setU16(room(2), v, f); }

        void putU16Little(int v, String f) throws WireException { setU16Little(room(2), v, f); }

        void putI16(int v, String f) throws WireException { setI16(room(2), v, f); }

        void putI16Little(int v, String f) throws WireException { setI16Little(room(2), v, f); }

        void putU24(int v, String f) throws WireException { setU24(room(3), v, f); }

        void putU24Little(int v, String f) throws WireException { setU24Little(room(3), v, f); }

        void putI24(int v, String f) throws WireException { setI24(room(3), v, f); }

        void putI24Little(int v, String f) throws WireException { setI24Little(room(3), v, f); }

        void putU32(long v, String f) throws WireException { setU32(room(4), v, f); }

        void putU32Little(long v, String f) throws WireException { setU32Little(room(4), v, f); }

        void putI32(int v, String f) { setI32(room(4), v, f); }

        void putI32Little(int v, String f) { setI32Little(room(4), v, f); }

        void putU64(long v, String f) { setU64(room(8), v, f); }

        void putU64Little(long v, String f) { setU64Little(room(8), v, f); }

        void putI64(long v, String f) { setI64(room(8), v, f); }

        void putI64Little(long v, String f) { setI64Little(room(8), v, f); }

        void putF32(float v, String f) { setF32(room(4), v, f); }

        void putF32Little(float v, String f) { setF32Little(room(4), v, f); }

        void putF64(double v, String f) { setF64(room(8), v, f); }

        void putF64Little(double v, String f) { setF64Little(room(8), v, f); }

        void putBool(boolean v) { putUint(bit(v), 1, false); }

        void setBool(int q, boolean v) { b[q] = (byte) (v ? 1 : 0); }

        long bit(boolean v) { return v ? 1 : 0; }

        void putVarint(long v) {
            for (; (v & ~127L) != 0; v >>>= 7) putUint(v & 127 | 128, 1, false);
            putUint(v, 1, false);
        }

        int varintSize(long v) {
            int n = 1;
            for (; (v & ~127L) != 0; v >>>= 7) n++;
            return n;
        }

        long zigzagBits(long v) { return v << 1 ^ v >> 63; }

        void insertVarint(int place, long v) {
            int n = varintSize(v), q = room(n), after = p;
            System.arraycopy(b, place, b, place + n, q - place);
            p = place;
            putVarint(v);
            p = after;
        }
        """#

    /// What writes text, bytes and counts.
    static let writingTexts = #"""
        int limit(int n, long most, String f) throws WireException {
            require(n <= most, "too_long", f);
            return n;
        }

        int notLess(int n, int least, String f) throws WireException {
            require(n >= least, "length_too_small", f);
            return n;
        }

        int exactly(int n, int count, String f) throws WireException {
            require(n == count, "wrong_item_count", f);
            return n;
        }

        /** A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 and 32 are varints. */
        void putCount(int n, int prefix, long most, String f) throws WireException {
            limit(n, most, f);
            if ((prefix & 15) == 0) putVarint(prefix == 32 ? 2L * n : n);
            else putUint(n, prefix & 15, prefix > 16);
        }

        /** A count of the last bytes, in the room before them or moving them. */
        void putPrefix(int n, int byteCount, int prefix, long most, String f) throws WireException {
            limit(n, most, f);
            int after = p, width = prefix & 15;
            if (width == 0) {
                insertVarint(after - byteCount, prefix == 32 ? 2L * n : n);
                return;
            }
            p = after - byteCount - width;
            putUint(n, width, prefix > 16);
            p = after;
        }

        /** The prefix of what is absent: -1. */
        void putAbsent(int prefix) { putUint(prefix == 32 ? 1 : -1, prefix == 32 ? 1 : prefix & 15, false); }

        private byte[] utf8(String v, String f) throws WireException {
            surrogates(v, "invalid_utf8", f);
            return v.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }

        /** Refuses half of a surrogate pair. */
        private void surrogates(String v, String kind, String f) throws WireException {
            if (!hasSurrogate(v)) return;
            for (int i = 0; i < v.length(); i++) {
                char c = v.charAt(i);
                if (c < 0xD800 || c > 0xDFFF) continue;
                require(c < 0xDC00 && ++i < v.length() && v.charAt(i) >= 0xDC00 && v.charAt(i) <= 0xDFFF, kind, f);
            }
        }

        /** Compilers leave this loop out for strings of one byte a character. */
        private static boolean hasSurrogate(String v) {
            for (int i = 0; i < v.length(); i++) {
                char c = v.charAt(i);
                if (c >= 0xD800 && c <= 0xDFFF) return true;
            }
            return false;
        }

        /** Writes a short text of ASCII; returns false, and writes nothing, for another one. */
        private boolean putASCII(String v) {
            int n = v.length(), q = p;
            if (n > 64) return false;
            room(n);
            byte[] b = this.b;
            for (int i = 0; i < n; i++) {
                char c = v.charAt(i);
                if (c > 127) {
                    p = q;
                    return false;
                }
                b[q + i] = (byte) c;
            }
            return true;
        }

        void putText(String v, int prefix, long most, String f) throws WireException {
            require(v != null, "wrong_type", f);
            int before = p, n = v.length();
            if (n <= 64 && n <= most) {
                putCount(n, prefix, most, f);
                if (putASCII(v)) return;
                p = before;
            }
            putBlob(utf8(v, f), prefix, most, f);
        }

        void putBlob(byte[] v, int prefix, long most, String f) throws WireException {
            require(v != null, "wrong_type", f);
            putCount(v.length, prefix, most, f);
            appendBlob(v, f);
        }

        int appendText(String v, String f) throws WireException {
            require(v != null, "wrong_type", f);
            return putASCII(v) ? v.length() : appendBlob(utf8(v, f), f);
        }

        int appendUTF16(String v, boolean little, String f) throws WireException {
            require(v != null, "wrong_type", f);
            surrogates(v, "invalid_utf16", f);
            for (int i = 0; i < v.length(); i++) putUint(v.charAt(i), 2, little);
            return v.length();
        }

        private int unit(int q, int width, boolean little) {
            if (width == 1) return b[q] & 255;
            return little ? (b[q + 1] & 255) << 8 | b[q] & 255 : (b[q] & 255) << 8 | b[q + 1] & 255;
        }

        /** Ends text, in which there must be no unit of 0. */
        void terminate(int n, int width, String f) throws WireException {
            for (int i = 1; i <= n; i++) require(unit(p - width * i, width, false) != 0, "embedded_terminator", f);
            putUint(0, width, false);
        }

        /** Fills text with a unit that must not end it; up to a NUL it must not have one. */
        void padText(int n, int count, int filler, int width, boolean little, String f) throws WireException {
            limit(n, count, f);
            for (int i = 1; i <= (filler == 0 ? n : Math.min(n, 1)); i++) {
                require(unit(p - width * i, width, little) != filler, "embedded_terminator", f);
            }
            for (int i = n; i < count; i++) putUint(filler, width, little);
        }

        /** Fills what was written with zeros, up to so many bytes. */
        void fillUp(int n, int count, String f) throws WireException {
            limit(n, count, f);
            putZeros(count - n);
        }

        void putZeros(int n) {
            int q = room(n);
            java.util.Arrays.fill(b, q, p, (byte) 0);
        }

        void putBytes(byte[] v) {
            int q = room(v.length);
            System.arraycopy(v, 0, b, q, v.length);
        }

        void putDigits(String v, int n, String f) throws WireException {
            require(v != null, "wrong_type", f);
            for (int i = 0; i < v.length(); i++) require(v.charAt(i) >= '0' && v.charAt(i) <= '9', "invalid_digit", f);
            exactly(v.length(), 2 * n, f);
            for (int i = 0; i < 2 * n; i += 2) putUint((v.charAt(i) - '0') << 4 | v.charAt(i + 1) - '0', 1, false);
        }

        void putProperties(java.util.Map<String, String> v, String f) throws WireException {
            require(v != null, "wrong_type", f);
            int from = p;
            for (java.util.Map.Entry<String, String> item : v.entrySet()) {
                String key = item.getKey(), value = item.getValue();
                require(key != null && value != null, "wrong_type", f);
                boolean isLine = !key.isEmpty() && key.indexOf(':') < 0 && key.indexOf('\n') < 0 && value.indexOf('\n') < 0;
                require(isLine, "invalid_property", f);
                if (p > from) putUint(10, 1, false);
                appendText(key, f);
                putUint(58, 1, false);
                appendText(value, f);
            }
            limit(p - from, 65535, f);
        }

        void notStop(int place, int stop) throws WireException { require((b[place] & 255) != stop, "embedded_terminator", ""); }

        /** The first field of several that is not set, where nothing that is set may follow. */
        String gap(String before, boolean isSet, String f) throws WireException {
            if (!isSet) return before.isEmpty() ? f : before;
            require(before.isEmpty(), "gap_before_optional", before);
            return before;
        }

        void putTrailing(byte[] v, String gap) throws WireException {
            if (v != null && appendBlob(v, "trailing") > 0) require(gap.isEmpty(), "gap_before_optional", gap);
        }

        /** Whether a condition holds; a value is set exactly then. */
        boolean isPresent(boolean isSet, boolean holds, String f) throws WireException {
            require(isSet == holds, "presence", f);
            return isSet;
        }

        /** The count of several fields, which must be the same. */
        long agreed(long before, int count, int more, String f) throws WireException {
            long n = (long) count + more;
            require(before == -2147483648L || before == n, "wrong_item_count", f);
            return n;
        }

        long orZero(long n) { return n == -2147483648L ? 0 : n; }

        int nonNegative(int n) { return Math.max(n, 0); }

        void checkLength(long v, long low, long high, String f) throws WireException {
            require(v <= high, "packet_too_long", f);
            require(v >= low, "length_too_small", f);
        }

        void verifyHeader(boolean good, String kind, String f) throws WireException {
            enter("packet");
            require(good, kind, f);
            leave();
        }
        """#
}
