// SPDX-License-Identifier: Apache-2.0

extension JavaRuntime {
    /// What reads text and bytes of fixed width.
    static let texts = #"""
        String text(long n, String f) throws WireException {
            int q = go(n, f);
            return utf8(q, p, f);
        }

        private String utf8(int q, int stop, String f) throws WireException {
            String text = new String(b, q, stop - q, java.nio.charset.StandardCharsets.UTF_8);
            // What is no UTF-8 has become U+FFFD.
            if (text.indexOf(0xFFFD) >= 0) {
                int i = flaw(q, stop);
                if (i < stop) throw error("invalid_utf8", f, i);
            }
            return text;
        }

        /** Where the first byte is that cannot be UTF-8 (Unicode 16, table 3-7), or where the bytes end. */
        private int flaw(int i, int stop) {
            while (i < stop) {
                int x = b[i] & 255;
                if (x < 128) {
                    i++;
                    continue;
                }
                int n = x >= 0xC2 && x < 0xE0 ? 2 : x >= 0xE0 && x < 0xF0 ? 3 : x >= 0xF0 && x < 0xF5 ? 4 : 0;
                if (n == 0 || i + n > stop) return i;
                int y = b[i + 1] & 255;
                if (y < (x == 0xE0 ? 0xA0 : x == 0xF0 ? 0x90 : 0x80) || y > (x == 0xED ? 0x9F : x == 0xF4 ? 0x8F : 0xBF)) return i;
                for (int k = 2; k < n; k++) if ((b[i + k] & 0xC0) != 0x80) return i;
                i += n;
            }
            return i;
        }

        /** Text in so many bytes, which the byte {@code pad} fills. */
        String fixedText(int n, int pad, String f) throws WireException {
            int q = go(n, f), stop = q;
            if (pad == 0) while (stop < p && b[stop] != 0) stop++;
            else for (stop = p; stop > q && (b[stop - 1] & 255) == pad;) stop--;
            return utf8(q, stop, f);
        }

        /** Two digits in each of so many bytes. */
        String digits(int n, String f) throws WireException {
            int q = go(n, f);
            StringBuilder text = new StringBuilder(2 * n);
            for (int i = q; i < p; i++) {
                int x = b[i] & 255;
                if (x >> 4 > 9 || (x & 15) > 9) throw error("invalid_digit", f, i);
                text.append(x >> 4).append(x & 15);
            }
            return text.toString();
        }

        void constantText(int n, byte[] expected, String f) throws WireException { sameBytes(take(n, f), expected, f); }

        /** Verifies bytes at a place, of which only the first ones count. */
        void sameBytes(int place, byte[] expected, String f) throws WireException {
            for (int i = 0; i < expected.length; i++) {
                if (b[start + place + i] != expected[i]) throw error("wrong_constant", f, start + place + i);
            }
        }

        String utf16(long n, boolean little, String f) throws WireException {
            int q = go(2 * n, f);
            return units(q, (int) n, little, f);
        }

        private int unit(int q, boolean little) { return little ? (b[q + 1] & 255) << 8 | b[q] & 255 : (b[q] & 255) << 8 | b[q + 1] & 255; }

        /** Text of units of 16 bits; half of a surrogate pair is refused where it stands. */
        private String units(int q, int n, boolean little, String f) throws WireException {
            char[] text = new char[n];
            for (int i = 0; i < n; i++) {
                text[i] = (char) unit(q + 2 * i, little);
                boolean follows = i > 0 && text[i - 1] >= 0xD800 && text[i - 1] < 0xDC00;
                boolean isLow = text[i] >= 0xDC00 && text[i] < 0xE000;
                if (follows != isLow) throw error("invalid_utf16", f, q + 2 * (follows ? i - 1 : i));
            }
            if (n > 0 && text[n - 1] >= 0xD800 && text[n - 1] < 0xDC00) throw error("invalid_utf16", f, q + 2 * n - 2);
            return new String(text);
        }

        String fixedUTF16(int bytes, int pad, boolean little, String f) throws WireException {
            int q = go(bytes, f), n = 0;
            if (pad == 0) while (2 * n < bytes && unit(q + 2 * n, little) != 0) n++;
            else for (n = bytes / 2; n > 0 && unit(q + 2 * n - 2, little) == pad;) n--;
            return units(q, n, little, f);
        }

        /** Lines of {@code key:value} up to the end. */
        java.util.Map<String, String> properties(boolean strict, String f) throws WireException {
            java.util.Map<String, String> found = new java.util.LinkedHashMap<>();
            rest(65535, f);
            while (p < end) {
                int at = p, stop = at, colon = -1;
                for (; stop < end && b[stop] != 10; stop++) if (colon < 0 && b[stop] == 58) colon = stop;
                p = Math.min(stop + 1, end);
                String line = utf8(at, stop, f);
                if (colon <= at) {
                    if (strict) throw error("invalid_property", f, at);
                    if (colon < 0 && stop > at) found.put(line, "");
                    continue;
                }
                String key = utf8(at, colon, f);
                if (strict && found.containsKey(key)) throw error("duplicate_key", f, at);
                found.put(key, line.substring(key.length() + 1));
            }
            return found;
        }
        """#

    /// What takes packets apart.
    static func packets(limit: String) -> String {
        #"""
        /** The bytes of the whole packet, by one of its lengths. */
        int packetSize(long length, int difference, int least, int place) throws WireException {
            long size = Math.min(length, 1L << 62) + difference;
            if (size < least) throw new WireException("length_too_small", "", place);
            if (size > \#(limit)) throw new WireException("packet_too_long", "", place);
            return (int) size;
        }

        int packetSizeSigned(long length, int difference, int least, int place) throws WireException {
            return packetSize(Math.max(length, -(1L << 62)), difference, Math.max(least, difference), place);
        }

        int sameSize(int size, int other, String f, int place) throws WireException {
            verify(size == other, "length_mismatch", f, place);
            return size;
        }

        int atLeast(int n) { return Math.max(n, size); }

        /** Whether bytes of the header are there; if the packet is known to end before them, they are missing. */
        boolean arrived(int n, String f) throws WireException {
            if (end - p >= n) return true;
            if (end >= bound) throw error("truncated", f, p);
            return false;
        }

        /** Whether a varint of the header is there, or cannot be one. */
        boolean varintArrived(int most) {
            for (int i = 0; i < most; i++) {
                if (p + i >= end) return end >= bound;
                if (b[p + i] >= 0) return true;
            }
            return true;
        }

        /** Lets nothing be read after the packet's end. */
        void last(int size) {
            bound = Math.min(bound, start + size);
            end = Math.min(end, bound);
        }

        void wants(int size) { wanted = size; }

        void onlyPacket(int total) throws WireException { if (total < size) throw new WireException("trailing_bytes", "", total); }

        /** A copy of bytes in which some are zeros. */
        byte[] zeroed(int from, int to, int... zeros) {
            byte[] copy = java.util.Arrays.copyOfRange(b, start + from, start + to);
            for (int i = 0; i < zeros.length; i += 2) java.util.Arrays.fill(copy, zeros[i] - from, zeros[i] - from + zeros[i + 1], (byte) 0);
            return copy;
        }
        """#
    }

    /// The checksums of bytes.
    static let checksums = #"""
        static long reflected(byte[] b, int from, int to, int polynomial, int start) {
            int x = start;
            for (int i = from; i < to; i++) {
                x ^= b[i] & 255;
                for (int k = 0; k < 8; k++) x = (x & 1) != 0 ? x >>> 1 ^ polynomial : x >>> 1;
            }
            return x & 0xFFFFFFFFL;
        }

        static long ccitt(byte[] b, int from, int to, int start) {
            int x = start;
            for (int i = from; i < to; i++) {
                x ^= (b[i] & 255) << 8;
                for (int k = 0; k < 8; k++) x = ((x & 0x8000) != 0 ? x << 1 ^ 0x1021 : x << 1) & 0xFFFF;
            }
            return x;
        }

        static long crc32(byte[] b, int from, int to) {
            java.util.zip.CRC32 crc = new java.util.zip.CRC32();
            crc.update(b, from, to - from);
            return crc.getValue();
        }

        static long crc32c(byte[] b, int from, int to) { return ~reflected(b, from, to, 0x82F63B78, -1) & 0xFFFFFFFFL; }

        static long crc16_arc(byte[] b, int from, int to) { return reflected(b, from, to, 0xA001, 0); }

        static long crc16_modbus(byte[] b, int from, int to) { return reflected(b, from, to, 0xA001, 0xFFFF); }

        static long crc16_kermit(byte[] b, int from, int to) { return reflected(b, from, to, 0x8408, 0); }

        static long crc16_x25(byte[] b, int from, int to) { return reflected(b, from, to, 0x8408, 0xFFFF) ^ 0xFFFF; }

        static long crc16_ccitt_false(byte[] b, int from, int to) { return ccitt(b, from, to, 0xFFFF); }

        static long crc16_xmodem(byte[] b, int from, int to) { return ccitt(b, from, to, 0); }

        static long adler32(byte[] b, int from, int to) {
            java.util.zip.Adler32 sum = new java.util.zip.Adler32();
            sum.update(b, from, to - from);
            return sum.getValue();
        }

        static long sum8(byte[] b, int from, int to) {
            int x = 0;
            for (int i = from; i < to; i++) x += b[i];
            return x & 255;
        }

        static long xor8(byte[] b, int from, int to) {
            int x = 0;
            for (int i = from; i < to; i++) x ^= b[i];
            return x & 255;
        }
        """#
}
