// SPDX-License-Identifier: Apache-2.0

extension JavaRuntime {
    /// What each writer has.
    static let writer = #"""
        byte[] b = new byte[256];
        private int p;

        Writer() { super(MAXIMUM_DEPTH); }

        int position() { return p; }

        void seek(int place) { p = place; }

        @Override WireException error(String kind, String f) { return new WireException(kind, path(f), -1); }

        void require(boolean good, String kind, String f) throws WireException { if (!good) throw error(kind, f); }

        void verify(boolean good, String kind) throws WireException { if (!good) throw new WireException(kind, "", -1); }

        int room(int n) {
            int q = p;
            if (q + n > b.length) b = java.util.Arrays.copyOf(b, Math.max(q + n, 2 * b.length));
            p = q + n;
            return q;
        }

        byte[] packet(int from, int count) { return java.util.Arrays.copyOfRange(b, from, from + count); }

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
        private void put(long v, int n, boolean little, long low, long high, String f) throws WireException {
            require(v >= low && v <= high, "out_of_range", f);
            putUint(v, n, little);
        }

        void putU8(int v, String f) throws WireException {
            require(v >= 0 && v <= 255, "out_of_range", f);
            int q = room(1);
            b[q] = (byte) v;
        }

        void putI8(int v, String f) throws WireException { put(v, 1, false, -128, 127, f); }

        void putU16(int v, String f) throws WireException {
            require(v >= 0 && v <= 65535, "out_of_range", f);
            int q = room(2);
            b[q] = (byte) (v >> 8);
            b[q + 1] = (byte) v;
        }

        void putU16Little(int v, String f) throws WireException { put(v, 2, true, 0, 65535, f); }

        void putI16(int v, String f) throws WireException { put(v, 2, false, -32768, 32767, f); }

        void putI16Little(int v, String f) throws WireException { put(v, 2, true, -32768, 32767, f); }

        void putU24(int v, String f) throws WireException { put(v, 3, false, 0, 0xFFFFFF, f); }

        void putU24Little(int v, String f) throws WireException { put(v, 3, true, 0, 0xFFFFFF, f); }

        void putI24(int v, String f) throws WireException { put(v, 3, false, -0x800000, 0x7FFFFF, f); }

        void putI24Little(int v, String f) throws WireException { put(v, 3, true, -0x800000, 0x7FFFFF, f); }

        void putU32(long v, String f) throws WireException {
            require(v >= 0 && v <= 0xFFFFFFFFL, "out_of_range", f);
            putI32((int) v, f);
        }

        void putU32Little(long v, String f) throws WireException { put(v, 4, true, 0, 0xFFFFFFFFL, f); }

        void putI32(int v, String f) {
            int q = room(4);
            b[q] = (byte) (v >> 24);
            b[q + 1] = (byte) (v >> 16);
            b[q + 2] = (byte) (v >> 8);
            b[q + 3] = (byte) v;
        }

        void putI32Little(int v, String f) { putUint(v, 4, true); }

        void putU64(long v, String f) { putUint(v, 8, false); }

        void putU64Little(long v, String f) { putUint(v, 8, true); }

        void putI64(long v, String f) { putUint(v, 8, false); }

        void putI64Little(long v, String f) { putUint(v, 8, true); }

        void putF32(float v, String f) { putUint(Float.floatToIntBits(v), 4, false); }

        void putF32Little(float v, String f) { putUint(Float.floatToIntBits(v), 4, true); }

        void putF64(double v, String f) { putUint(Double.doubleToLongBits(v), 8, false); }

        void putF64Little(double v, String f) { putUint(Double.doubleToLongBits(v), 8, true); }

        void putBool(boolean v) { putUint(bit(v), 1, false); }

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
            require(v != null, "wrong_type", f);
            surrogates(v, "invalid_utf8", f);
            return v.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }

        /** Refuses half of a surrogate pair. */
        private void surrogates(String v, String kind, String f) throws WireException {
            for (int i = 0; i < v.length(); i++) {
                char c = v.charAt(i);
                if (c < 0xD800 || c > 0xDFFF) continue;
                require(c < 0xDC00 && ++i < v.length() && v.charAt(i) >= 0xDC00 && v.charAt(i) <= 0xDFFF, kind, f);
            }
        }

        void putText(String v, int prefix, long most, String f) throws WireException { putBlob(utf8(v, f), prefix, most, f); }

        void putBlob(byte[] v, int prefix, long most, String f) throws WireException {
            require(v != null, "wrong_type", f);
            putCount(v.length, prefix, most, f);
            appendBlob(v, f);
        }

        int appendText(String v, String f) throws WireException { return appendBlob(utf8(v, f), f); }

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
        int agreed(int before, int n, String f) throws WireException {
            require(before < 0 || before == n, "wrong_item_count", f);
            return n;
        }

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
