// SPDX-License-Identifier: Apache-2.0

extension CSharpRuntime {
    /// What each writer has.
    static let writer = #"""
        private static readonly byte[] NoBytes = {};
        internal byte[] b = NoBytes;
        /// <summary>Where the packet begins in the bytes, and how many it has.</summary>
        internal int from = 0;
        internal int size = 0;
        private readonly bool isKept;
        private int p = 0;

        /// <summary>Makes a writer; one that is kept for the next packet gives its own bytes, of which the packet is a part.</summary>
        internal Writer(bool kept) { isKept = kept; }

        /// <summary>Begins the packet of a message; its payload comes after so many bytes.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void Begin(string name, int lead) {
            Begin(name);
            p = lead;
            size = 0;
            if (b.Length > 65536) b = NoBytes;
        }

        /// <summary>Makes room for as many bytes as will probably follow.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void Reserve(int n) {
            int needed = p + System.Math.Min(n, MAXIMUM_SIZE);
            if (needed <= b.Length) return;
            if (b.Length == 0) b = new byte[needed];
            else System.Array.Resize(ref b, needed);
        }

        internal int Position() { return p; }

        internal void Seek(int place) { p = place; }

        internal override WireException Error(string kind, string f) { return new WireException(kind, Path(f), -1); }

        internal void Require(bool good, string kind, string f) { if (!good) throw Error(kind, f); }

        internal void Verify(bool good, string kind) { if (!good) throw new WireException(kind, "", -1); }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal int Room(int n) {
            int q = p;
            if (q + n > b.Length) System.Array.Resize(ref b, System.Math.Max(q + n, 2 * b.Length + 64));
            p = q + n;
            return q;
        }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal byte[] Packet(int start, int count) {
            from = start;
            size = count;
            if (isKept || start == 0 && count == b.Length) return b;
            var packet = new byte[count];
            System.Buffer.BlockCopy(b, start, packet, 0, count);
            return packet;
        }

        internal int TextLength(string v) { return v == null ? 0 : v.Length; }

        internal int BlobLength(byte[] v) { return v == null ? 0 : v.Length; }

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
        internal void SetUint(int q, ulong v, int n, bool little) {
            for (int i = 0; i < n; i++) b[little ? q + i : q + n - 1 - i] = (byte)(v >> 8 * i);
        }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void SetU8(int q, byte v, string f) { b[q] = v; }

        internal void SetI8(int q, sbyte v, string f) { b[q] = (byte)v; }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void SetU16(int q, ushort v, string f) { b[q] = (byte)(v >> 8); b[q + 1] = (byte)v; }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void SetU16Little(int q, ushort v, string f) { b[q] = (byte)v; b[q + 1] = (byte)(v >> 8); }

        internal void SetI16(int q, short v, string f) { SetU16(q, (ushort)v, f); }

        internal void SetI16Little(int q, short v, string f) { SetU16Little(q, (ushort)v, f); }

        private void Set24(int q, ulong v, bool good, bool little, string f) {
            Require(good, "out_of_range", f);
            SetUint(q, v, 3, little);
        }

        internal void SetU24(int q, uint v, string f) { Set24(q, v, v <= 0xFFFFFF, false, f); }

        internal void SetU24Little(int q, uint v, string f) { Set24(q, v, v <= 0xFFFFFF, true, f); }

        internal void SetI24(int q, int v, string f) { Set24(q, (ulong)v, v >= -0x800000 && v < 0x800000, false, f); }

        internal void SetI24Little(int q, int v, string f) { Set24(q, (ulong)v, v >= -0x800000 && v < 0x800000, true, f); }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void SetU32(int q, uint v, string f) {
            byte[] bytes = b;
            bytes[q] = (byte)(v >> 24);
            bytes[q + 1] = (byte)(v >> 16);
            bytes[q + 2] = (byte)(v >> 8);
            bytes[q + 3] = (byte)v;
        }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void SetU32Little(int q, uint v, string f) {
            byte[] bytes = b;
            bytes[q] = (byte)v;
            bytes[q + 1] = (byte)(v >> 8);
            bytes[q + 2] = (byte)(v >> 16);
            bytes[q + 3] = (byte)(v >> 24);
        }

        internal void SetI32(int q, int v, string f) { SetU32(q, (uint)v, f); }

        internal void SetI32Little(int q, int v, string f) { SetU32Little(q, (uint)v, f); }

        internal void SetU64(int q, ulong v, string f) {
            SetU32(q, (uint)(v >> 32), f);
            SetU32(q + 4, (uint)v, f);
        }

        internal void SetU64Little(int q, ulong v, string f) {
            SetU32Little(q, (uint)v, f);
            SetU32Little(q + 4, (uint)(v >> 32), f);
        }

        internal void SetI64(int q, long v, string f) { SetU64(q, (ulong)v, f); }

        internal void SetI64Little(int q, long v, string f) { SetU64Little(q, (ulong)v, f); }

        private static uint FloatOf(float v) { return float.IsNaN(v) ? 0x7FC00000 : (uint)new FloatBits { Value = v }.Bits; }

        private static ulong DoubleOf(double v) { return double.IsNaN(v) ? 0x7FF8000000000000 : (ulong)System.BitConverter.DoubleToInt64Bits(v); }

        internal void SetF32(int q, float v, string f) { SetU32(q, FloatOf(v), f); }

        internal void SetF32Little(int q, float v, string f) { SetU32Little(q, FloatOf(v), f); }

        internal void SetF64(int q, double v, string f) { SetU64(q, DoubleOf(v), f); }

        internal void SetF64Little(int q, double v, string f) { SetU64Little(q, DoubleOf(v), f); }

        internal void PutU8(byte v, string f) { SetU8(Room(1), v, f); }

        internal void PutI8(sbyte v, string f) { SetI8(Room(1), v, f); }

        internal void PutU16(ushort v, string f) { SetU16(Room(2), v, f); }

        internal void PutU16Little(ushort v, string f) { SetU16Little(Room(2), v, f); }

        internal void PutI16(short v, string f) { SetI16(Room(2), v, f); }

        internal void PutI16Little(short v, string f) { SetI16Little(Room(2), v, f); }

        internal void PutU24(uint v, string f) { SetU24(Room(3), v, f); }

        internal void PutU24Little(uint v, string f) { SetU24Little(Room(3), v, f); }

        internal void PutI24(int v, string f) { SetI24(Room(3), v, f); }

        internal void PutI24Little(int v, string f) { SetI24Little(Room(3), v, f); }

        internal void PutU32(uint v, string f) { SetU32(Room(4), v, f); }

        internal void PutU32Little(uint v, string f) { SetU32Little(Room(4), v, f); }

        internal void PutI32(int v, string f) { SetI32(Room(4), v, f); }

        internal void PutI32Little(int v, string f) { SetI32Little(Room(4), v, f); }

        internal void PutU64(ulong v, string f) { SetU64(Room(8), v, f); }

        internal void PutU64Little(ulong v, string f) { SetU64Little(Room(8), v, f); }

        internal void PutI64(long v, string f) { SetI64(Room(8), v, f); }

        internal void PutI64Little(long v, string f) { SetI64Little(Room(8), v, f); }

        internal void PutF32(float v, string f) { SetF32(Room(4), v, f); }

        internal void PutF32Little(float v, string f) { SetF32Little(Room(4), v, f); }

        internal void PutF64(double v, string f) { SetF64(Room(8), v, f); }

        internal void PutF64Little(double v, string f) { SetF64Little(Room(8), v, f); }

        internal void PutBool(bool v) { SetBool(Room(1), v); }

        internal void SetBool(int q, bool v) { b[q] = (byte)(v ? 1 : 0); }

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
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
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
            if (prefix == 2) SetU16(Room(2), (ushort)n, f);
            else if ((prefix & 15) == 0) PutVarint(prefix == 32 ? 2 * (ulong)n : (ulong)n);
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

        /// <summary>How many bytes text has in UTF-8.</summary>
        private int Utf8Count(string v, string f) {
            int n = System.Text.Encoding.UTF8.GetByteCount(v);
            // Half of a surrogate pair takes three bytes, as U+FFFD.
            if (n != v.Length) Surrogates(v, "invalid_utf8", f);
            return n;
        }

        /// <summary>Writes text of so many bytes.</summary>
        private void PutUtf8(string v, int n) {
            int q = Room(n);
            System.Text.Encoding.UTF8.GetBytes(v, 0, v.Length, b, q);
        }

        /// <summary>Writes a short text of ASCII; returns false, and writes nothing, for another one.</summary>
        private bool PutASCII(string v) {
            int n = v.Length, q = p;
            if (n > 32) return false;
            Room(n);
            byte[] bytes = b;
            for (int i = 0; i < v.Length; i++) {
                char c = v[i];
                if (c > 127) {
                    p = q;
                    return false;
                }
                bytes[q + i] = (byte)c;
            }
            return true;
        }

        /// <summary>Refuses half of a surrogate pair.</summary>
        private void Surrogates(string v, string kind, string f) {
            for (int i = 0; i < v.Length; i++) {
                if (!char.IsSurrogate(v[i])) continue;
                Require(char.IsHighSurrogate(v[i]) && ++i < v.Length && char.IsLowSurrogate(v[i]), kind, f);
            }
        }

        internal void PutText(string v, int prefix, long most, string f) {
            Require(v != null, "wrong_type", f);
            int before = p, n = v.Length;
            if (n <= 32 && n <= most) {
                PutCount(n, prefix, most, f);
                if (PutASCII(v)) return;
                p = before;
            }
            n = Utf8Count(v, f);
            PutCount(n, prefix, most, f);
            PutUtf8(v, n);
        }

        internal void PutBlob(byte[] v, int prefix, long most, string f) {
            Require(v != null, "wrong_type", f);
            PutCount(v.Length, prefix, most, f);
            PutBytes(v);
        }

        internal int AppendText(string v, string f) {
            Require(v != null, "wrong_type", f);
            if (PutASCII(v)) return v.Length;
            int n = Utf8Count(v, f);
            PutUtf8(v, n);
            return n;
        }

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

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
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
        internal long Agreed(long before, int count, int more, string f) {
            long n = (long)count + more;
            Require(before == -2147483648L || before == n, "wrong_item_count", f);
            return n;
        }

        internal long OrZero(long n) { return n == -2147483648L ? 0 : n; }

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
