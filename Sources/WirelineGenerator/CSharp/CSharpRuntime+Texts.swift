// SPDX-License-Identifier: Apache-2.0

extension CSharpRuntime {
    /// What reads text and bytes of fixed width.
    static let texts = #"""
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal string Text(long n, string f) {
            int q = Go(n, f);
            return Utf8(q, p, f);
        }

        private string Utf8(int q, int stop, string f) {
            try {
                return Strict.GetString(b, q, stop - q);
            } catch (System.Text.DecoderFallbackException) {
                throw Error("invalid_utf8", f, Flaw(q, stop));
            }
        }
        private static readonly System.Text.UTF8Encoding Strict = new System.Text.UTF8Encoding(false, true);

        /// <summary>Where the first byte is that cannot be UTF-8 (Unicode 16, table 3-7), or where the bytes end.</summary>
        private int Flaw(int i, int stop) {
            while (i < stop) {
                int x = b[i];
                if (x < 128) {
                    i++;
                    continue;
                }
                int n = x >= 0xC2 && x < 0xE0 ? 2 : x >= 0xE0 && x < 0xF0 ? 3 : x >= 0xF0 && x < 0xF5 ? 4 : 0;
                if (n == 0 || i + n > stop) return i;
                int y = b[i + 1];
                if (y < (x == 0xE0 ? 0xA0 : x == 0xF0 ? 0x90 : 0x80) || y > (x == 0xED ? 0x9F : x == 0xF4 ? 0x8F : 0xBF)) return i;
                for (int k = 2; k < n; k++) if ((b[i + k] & 0xC0) != 0x80) return i;
                i += n;
            }
            return i;
        }

        /// <summary>Text in so many bytes, which the byte <c>pad</c> fills.</summary>
        internal string FixedText(int n, int pad, string f) {
            int q = Go(n, f), stop = q;
            if (pad == 0) while (stop < p && b[stop] != 0) stop++;
            else for (stop = p; stop > q && b[stop - 1] == pad;) stop--;
            return Utf8(q, stop, f);
        }

        /// <summary>Two digits in each of so many bytes.</summary>
        internal string Digits(int n, string f) {
            int q = Go(n, f);
            var text = new char[2 * n];
            for (int i = 0; i < n; i++) {
                int x = b[q + i];
                if (x >> 4 > 9 || (x & 15) > 9) throw Error("invalid_digit", f, q + i);
                text[2 * i] = (char)('0' + (x >> 4));
                text[2 * i + 1] = (char)('0' + (x & 15));
            }
            return new string(text);
        }

        internal void ConstantText(int n, byte[] expected, string f) { SameBytes(Take(n, f), expected, f); }

        /// <summary>Verifies bytes at a place, of which only the first ones count.</summary>
        internal void SameBytes(int place, byte[] expected, string f) {
            for (int i = 0; i < expected.Length; i++) {
                if (b[start + place + i] != expected[i]) throw Error("wrong_constant", f, start + place + i);
            }
        }

        internal string Utf16(long n, bool little, string f) {
            int q = Go(2 * n, f);
            return Units(q, (int)n, little, f);
        }

        private int Unit(int q, bool little) { return little ? b[q + 1] << 8 | b[q] : b[q] << 8 | b[q + 1]; }

        /// <summary>Text of units of 16 bits; half of a surrogate pair is refused where it stands.</summary>
        private string Units(int q, int n, bool little, string f) {
            var text = new char[n];
            for (int i = 0; i < n; i++) {
                text[i] = (char)Unit(q + 2 * i, little);
                bool follows = i > 0 && char.IsHighSurrogate(text[i - 1]);
                if (follows != char.IsLowSurrogate(text[i])) throw Error("invalid_utf16", f, q + 2 * (follows ? i - 1 : i));
            }
            if (n > 0 && char.IsHighSurrogate(text[n - 1])) throw Error("invalid_utf16", f, q + 2 * n - 2);
            return new string(text);
        }

        internal string FixedUTF16(int bytes, int pad, bool little, string f) {
            int q = Go(bytes, f), n = 0;
            if (pad == 0) while (2 * n < bytes && Unit(q + 2 * n, little) != 0) n++;
            else for (n = bytes / 2; n > 0 && Unit(q + 2 * n - 2, little) == pad;) n--;
            return Units(q, n, little, f);
        }

        /// <summary>Lines of <c>key:value</c> up to the end.</summary>
        internal System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>> Properties(bool strict, string f) {
            var found = new System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>>();
            var indices = new System.Collections.Generic.Dictionary<string, int>(System.StringComparer.Ordinal);
            Rest(65535, f);
            while (p < end) {
                int at = p, stop = at, colon = -1, index;
                for (; stop < end && b[stop] != 10; stop++) if (colon < 0 && b[stop] == 58) colon = stop;
                p = System.Math.Min(stop + 1, end);
                string line = Utf8(at, stop, f);
                if (colon <= at && strict) throw Error("invalid_property", f, at);
                if (colon == at || stop == at) continue;
                string key = colon < 0 ? line : Utf8(at, colon, f);
                if (strict && indices.ContainsKey(key)) throw Error("duplicate_key", f, at);
                var pair = new System.Collections.Generic.KeyValuePair<string, string>(key, colon < 0 ? "" : line.Substring(key.Length + 1));
                if (indices.TryGetValue(key, out index)) {
                    found[index] = pair;
                } else {
                    indices[key] = found.Count;
                    found.Add(pair);
                }
            }
            return found;
        }
        """#

    /// What takes packets apart.
    static func packets(limit: String) -> String {
        #"""
        /// <summary>The bytes of the whole packet, by one of its lengths.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal int PacketSize(long length, int difference, int least, int place) {
            long size = System.Math.Min(length, 1L << 62) + difference;
            if (size < least) throw new WireException("length_too_small", "", place);
            if (size > \#(limit)) throw new WireException("packet_too_long", "", place);
            return (int)size;
        }

        internal int PacketSizeSigned(long length, int difference, int least, int place) {
            return PacketSize(System.Math.Max(length, -(1L << 62)), difference, System.Math.Max(least, difference), place);
        }

        internal int SameSize(int size, int other, string f, int place) {
            Verify(size == other, "length_mismatch", f, place);
            return size;
        }

        internal int AtLeast(int n) { return System.Math.Max(n, size); }

        /// <summary>Whether bytes of the header are there; if the packet is known to end before them, they are missing.</summary>
        internal bool Arrived(int n, string f) {
            if (end - p >= n) return true;
            if (end >= bound) throw Error("truncated", f, p);
            return false;
        }

        /// <summary>Whether a varint of the header is there, or cannot be one.</summary>
        internal bool VarintArrived(int most) {
            for (int i = 0; i < most; i++) {
                if (p + i >= end) return end >= bound;
                if (b[p + i] < 128) return true;
            }
            return true;
        }

        /// <summary>Lets nothing be read after the packet's end.</summary>
        internal void Last(int size) {
            bound = System.Math.Min(bound, start + size);
            end = System.Math.Min(end, bound);
        }

        internal void Wants(int size) { wanted = size; }

        internal void OnlyPacket(int total) { if (total < size) throw new WireException("trailing_bytes", "", total); }

        /// <summary>A copy of bytes in which some are zeros.</summary>
        internal byte[] Zeroed(int from, int to, params int[] zeros) {
            byte[] copy = Part(start + from, start + to);
            for (int i = 0; i < zeros.Length; i += 2) System.Array.Clear(copy, zeros[i] - from, zeros[i + 1]);
            return copy;
        }
        """#
    }

    /// The checksums of bytes.
    static let checksums = #"""
        private static ulong Reflected(byte[] b, int from, int to, uint polynomial, uint first) {
            uint x = first;
            for (int i = from; i < to; i++) {
                x ^= b[i];
                for (int k = 0; k < 8; k++) x = (x & 1) != 0 ? x >> 1 ^ polynomial : x >> 1;
            }
            return x;
        }

        private static ulong Ccitt(byte[] b, int from, int to, uint first) {
            uint x = first;
            for (int i = from; i < to; i++) {
                x ^= (uint)b[i] << 8;
                for (int k = 0; k < 8; k++) x = ((x & 0x8000) != 0 ? x << 1 ^ 0x1021 : x << 1) & 0xFFFF;
            }
            return x;
        }

        internal static ulong Crc32(byte[] b, int from, int to) { return Reflected(b, from, to, 0xEDB88320, uint.MaxValue) ^ uint.MaxValue; }

        internal static ulong Crc32c(byte[] b, int from, int to) { return Reflected(b, from, to, 0x82F63B78, uint.MaxValue) ^ uint.MaxValue; }

        internal static ulong Crc16Arc(byte[] b, int from, int to) { return Reflected(b, from, to, 0xA001, 0); }

        internal static ulong Crc16Modbus(byte[] b, int from, int to) { return Reflected(b, from, to, 0xA001, 0xFFFF); }

        internal static ulong Crc16Kermit(byte[] b, int from, int to) { return Reflected(b, from, to, 0x8408, 0); }

        internal static ulong Crc16X25(byte[] b, int from, int to) { return Reflected(b, from, to, 0x8408, 0xFFFF) ^ 0xFFFF; }

        internal static ulong Crc16CcittFalse(byte[] b, int from, int to) { return Ccitt(b, from, to, 0xFFFF); }

        internal static ulong Crc16Xmodem(byte[] b, int from, int to) { return Ccitt(b, from, to, 0); }

        internal static ulong Adler32(byte[] b, int from, int to) {
            uint x = 1, y = 0;
            for (int i = from; i < to; i++) {
                x = (x + b[i]) % 65521;
                y = (y + x) % 65521;
            }
            return y << 16 | x;
        }

        internal static ulong Sum8(byte[] b, int from, int to) {
            uint x = 0;
            for (int i = from; i < to; i++) x = (x + b[i]) & 255;
            return x;
        }

        internal static ulong Xor8(byte[] b, int from, int to) {
            uint x = 0;
            for (int i = from; i < to; i++) x ^= b[i];
            return x;
        }
        """#
}
