// SPDX-License-Identifier: Apache-2.0

extension CSharpRuntime {
    /// What each writer has.
    static let writer = #"""
        internal byte[] b = new byte[256];
        private int p = 0;

        internal Writer() : base(MAXIMUM_DEPTH) {}

        internal int Position() { return p; }

        internal void Seek(int place) { p = place; }

        internal override WireException Error(string kind, string f) { return new WireException(kind, Path(f), -1); }

        internal void Require(bool good, string kind, string f) { if (!good) throw Error(kind, f); }

        internal void Verify(bool good, string kind) { if (!good) throw new WireException(kind, "", -1); }

        internal int Room(int n) {
            int q = p;
            if (q + n > b.Length) System.Array.Resize(ref b, System.Math.Max(q + n, 2 * b.Length));
            p = q + n;
            return q;
        }

        internal byte[] Packet(int from, int count) {
            var packet = new byte[count];
            System.Buffer.BlockCopy(b, from, packet, 0, count);
            return packet;
        }

        internal int AppendBlob(byte[] v, string f) {
            Require(v != null, "wrong_type", f);
            PutBytes(v);
            return v.Length;
        }

        internal void PutBytes(byte[] v) {
            int q = Room(v.Length);
            System.Buffer.BlockCopy(v, 0, b, q, v.Length);
        }

        internal void PutUint(ulong v, int n, bool little) {
            int q = Room(n);
            for (int i = 0; i < n; i++) b[little ? q + i : q + n - 1 - i] = (byte)(v >> 8 * i);
        }
        """#

    /// What writes numbers.
    static let writingNumbers = #"""
        internal void PutU8(byte v, string f) { int q = Room(1); b[q] = v; }

        internal void PutI8(sbyte v, string f) { PutU8((byte)v, f); }

        internal void PutU16(ushort v, string f) { int q = Room(2); b[q] = (byte)(v >> 8); b[q + 1] = (byte)v; }

        internal void PutU16Little(ushort v, string f) { PutUint(v, 2, true); }

        internal void PutI16(short v, string f) { PutU16((ushort)v, f); }

        internal void PutI16Little(short v, string f) { PutUint((ushort)v, 2, true); }

        private void Put24(ulong v, bool good, bool little, string f) {
            Require(good, "out_of_range", f);
            PutUint(v, 3, little);
        }

        internal void PutU24(uint v, string f) { Put24(v, v <= 0xFFFFFF, false, f); }

        internal void PutU24Little(uint v, string f) { Put24(v, v <= 0xFFFFFF, true, f); }

        internal void PutI24(int v, string f) { Put24((ulong)v, v >= -0x800000 && v < 0x800000, false, f); }

        internal void PutI24Little(int v, string f) { Put24((ulong)v, v >= -0x800000 && v < 0x800000, true, f); }

        internal void PutU32(uint v, string f) {
            int q = Room(4);
            b[q] = (byte)(v >> 24);
            b[q + 1] = (byte)(v >> 16);
            b[q + 2] = (byte)(v >> 8);
            b[q + 3] = (byte)v;
        }

        internal void PutU32Little(uint v, string f) { PutUint(v, 4, true); }

        internal void PutI32(int v, string f) { PutU32((uint)v, f); }

        internal void PutI32Little(int v, string f) { PutUint((uint)v, 4, true); }

        internal void PutU64(ulong v, string f) { PutUint(v, 8, false); }

        internal void PutU64Little(ulong v, string f) { PutUint(v, 8, true); }

        internal void PutI64(long v, string f) { PutUint((ulong)v, 8, false); }

        internal void PutI64Little(long v, string f) { PutUint((ulong)v, 8, true); }

        private static uint FloatOf(float v) { return float.IsNaN(v) ? 0x7FC00000 : (uint)new FloatBits { Value = v }.Bits; }

        private static ulong DoubleOf(double v) { return double.IsNaN(v) ? 0x7FF8000000000000 : (ulong)System.BitConverter.DoubleToInt64Bits(v); }

        internal void PutF32(float v, string f) { PutUint(FloatOf(v), 4, false); }

        internal void PutF32Little(float v, string f) { PutUint(FloatOf(v), 4, true); }

        internal void PutF64(double v, string f) { PutUint(DoubleOf(v), 8, false); }

        internal void PutF64Little(double v, string f) { PutUint(DoubleOf(v), 8, true); }

        internal void PutBool(bool v) { PutUint(Bit(v), 1, false); }

        internal ulong Bit(bool v) { return v ? 1UL : 0UL; }

        internal void PutVarint(ulong v) {
            for (; v > 127; v >>= 7) PutUint(v & 127 | 128, 1, false);
            PutUint(v, 1, false);
        }

        internal int VarintSize(ulong v) {
            int n = 1;
            for (; v > 127; v >>= 7) n++;
            return n;
        }

        internal ulong ZigzagBits(long v) { return (ulong)(v << 1 ^ v >> 63); }

        internal void InsertVarint(int place, ulong v) {
            int n = VarintSize(v), q = Room(n), after = p;
            System.Buffer.BlockCopy(b, place, b, place + n, q - place);
            p = place;
            PutVarint(v);
            p = after;
        }
        """#

    /// What writes text, bytes and counts.
    static let writingTexts = #"""
        internal int Limit(int n, long most, string f) {
            Require(n <= most, "too_long", f);
            return n;
        }

        internal int NotLess(int n, int least, string f) {
            Require(n >= least, "length_too_small", f);
            return n;
        }

        internal int Exactly(int n, int count, string f) {
            Require(n == count, "wrong_item_count", f);
            return n;
        }

        /// <summary>A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 and 32 are varints.</summary>
        internal void PutCount(int n, int prefix, long most, string f) {
            Limit(n, most, f);
            if ((prefix & 15) == 0) PutVarint(prefix == 32 ? 2 * (ulong)n : (ulong)n);
            else PutUint((ulong)n, prefix & 15, prefix > 16);
        }

        /// <summary>A count of the last bytes, in the room before them or moving them.</summary>
        internal void PutPrefix(int n, int byteCount, int prefix, long most, string f) {
            Limit(n, most, f);
            int after = p, width = prefix & 15;
            if (width == 0) {
                InsertVarint(after - byteCount, prefix == 32 ? 2 * (ulong)n : (ulong)n);
                return;
            }
            p = after - byteCount - width;
            PutUint((ulong)n, width, prefix > 16);
            p = after;
        }

        /// <summary>The prefix of what is absent: -1.</summary>
        internal void PutAbsent(int prefix) { PutUint(prefix == 32 ? 1UL : ulong.MaxValue, prefix == 32 ? 1 : prefix & 15, false); }

        private byte[] Utf8(string v, string f) {
            Require(v != null, "wrong_type", f);
            byte[] bytes = System.Text.Encoding.UTF8.GetBytes(v);
            // Half of a surrogate pair takes three bytes, as U+FFFD.
            if (bytes.Length != v.Length) Surrogates(v, "invalid_utf8", f);
            return bytes;
        }

        /// <summary>Refuses half of a surrogate pair.</summary>
        private void Surrogates(string v, string kind, string f) {
            for (int i = 0; i < v.Length; i++) {
                if (!char.IsSurrogate(v[i])) continue;
                Require(char.IsHighSurrogate(v[i]) && ++i < v.Length && char.IsLowSurrogate(v[i]), kind, f);
            }
        }

        internal void PutText(string v, int prefix, long most, string f) { PutBlob(Utf8(v, f), prefix, most, f); }

        internal void PutBlob(byte[] v, int prefix, long most, string f) {
            Require(v != null, "wrong_type", f);
            PutCount(v.Length, prefix, most, f);
            PutBytes(v);
        }

        internal int AppendText(string v, string f) { return AppendBlob(Utf8(v, f), f); }

        internal int AppendUTF16(string v, bool little, string f) {
            Require(v != null, "wrong_type", f);
            Surrogates(v, "invalid_utf16", f);
            for (int i = 0; i < v.Length; i++) PutUint(v[i], 2, little);
            return v.Length;
        }

        private int Unit(int q, int width, bool little) {
            if (width == 1) return b[q];
            return little ? b[q + 1] << 8 | b[q] : b[q] << 8 | b[q + 1];
        }

        /// <summary>Ends text, in which there must be no unit of 0.</summary>
        internal void Terminate(int n, int width, string f) {
            for (int i = 1; i <= n; i++) Require(Unit(p - width * i, width, false) != 0, "embedded_terminator", f);
            PutUint(0, width, false);
        }

        /// <summary>Fills text with a unit that must not end it; up to a NUL it must not have one.</summary>
        internal void PadText(int n, int count, int filler, int width, bool little, string f) {
            Limit(n, count, f);
            for (int i = 1; i <= (filler == 0 ? n : System.Math.Min(n, 1)); i++) {
                Require(Unit(p - width * i, width, little) != filler, "embedded_terminator", f);
            }
            for (int i = n; i < count; i++) PutUint((ulong)filler, width, little);
        }

        /// <summary>Fills what was written with zeros, up to so many bytes.</summary>
        internal void FillUp(int n, int count, string f) {
            Limit(n, count, f);
            PutZeros(count - n);
        }

        internal void PutZeros(int n) {
            int q = Room(n);
            System.Array.Clear(b, q, n);
        }

        internal void PutDigits(string v, int n, string f) {
            Require(v != null, "wrong_type", f);
            for (int i = 0; i < v.Length; i++) Require(v[i] >= '0' && v[i] <= '9', "invalid_digit", f);
            Exactly(v.Length, 2 * n, f);
            for (int i = 0; i < 2 * n; i += 2) PutUint((ulong)((v[i] - '0') << 4 | v[i + 1] - '0'), 1, false);
        }

        internal void PutProperties(System.Collections.Generic.List<System.Collections.Generic.KeyValuePair<string, string>> v, string f) {
            Require(v != null, "wrong_type", f);
            int from = p;
            var keys = new System.Collections.Generic.Dictionary<string, bool>(System.StringComparer.Ordinal);
            foreach (var item in v) {
                Require(item.Key != null && item.Value != null, "wrong_type", f);
                bool isLine = item.Key.Length > 0 && item.Key.IndexOf(':') < 0 && item.Key.IndexOf('\n') < 0 && item.Value.IndexOf('\n') < 0;
                Require(isLine, "invalid_property", f);
                Require(!keys.ContainsKey(item.Key), "duplicate_key", f);
                keys[item.Key] = true;
                if (p > from) PutUint(10, 1, false);
                AppendText(item.Key, f);
                PutUint(58, 1, false);
                AppendText(item.Value, f);
            }
            Limit(p - from, 65535, f);
        }

        internal void NotStop(int place, int stop) { Require(b[place] != stop, "embedded_terminator", ""); }

        /// <summary>The first field of several that is not set, where nothing that is set may follow.</summary>
        internal string Gap(string before, bool isSet, string f) {
            if (!isSet) return before.Length == 0 ? f : before;
            Require(before.Length == 0, "gap_before_optional", before);
            return before;
        }

        internal void PutTrailing(byte[] v, string gap) {
            if (v == null || v.Length == 0) return;
            PutBytes(v);
            Require(gap.Length == 0, "gap_before_optional", gap);
        }

        /// <summary>Whether a condition holds; a value is set exactly then.</summary>
        internal bool IsPresent(bool isSet, bool holds, string f) {
            Require(isSet == holds, "presence", f);
            return isSet;
        }

        /// <summary>The count of several fields, which must be the same.</summary>
        internal int Agreed(int before, int n, string f) {
            Require(before < 0 || before == n, "wrong_item_count", f);
            return n;
        }

        internal int NonNegative(int n) { return System.Math.Max(n, 0); }

        internal void CheckLength(long v, long low, long high, string f) {
            Require(v <= high, "packet_too_long", f);
            Require(v >= low, "length_too_small", f);
        }

        internal void VerifyHeader(bool good, string kind, string f) {
            Enter("packet");
            Require(good, kind, f);
            Leave();
        }
        """#
}
