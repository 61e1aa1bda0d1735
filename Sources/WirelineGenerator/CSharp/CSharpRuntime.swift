// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated C#: what every file has, and pieces of which those stay that the printed code calls.
enum CSharpRuntime {
    /// The names of types that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "PacketSplitter", "Steps",
        "Reader",
        "Writer", "Checksum", "Frame", "Packets", "System",
    ]

    /// What keeps the names that a reader or a writer is in.
    static let steps = #"""
        /// <summary>The names of the values that a reader or a writer is in.</summary>
        internal abstract class Steps {
            /// <summary>Mono and IL2CPP inline only the shortest functions by themselves.</summary>
            protected const System.Runtime.CompilerServices.MethodImplOptions Inlined =
                System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining;
            /// <summary>The outermost name; the others have arrays only if there are any.</summary>
            private string outermost;
            private string[] names = null;
            private int[] indices = null;
            private int count;
            private int depth;

            /// <summary>Begins anew, in a value with a name; null for none.</summary>
            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal void Begin(string name) {
                outermost = name ?? "";
                count = 0;
                depth = MAXIMUM_DEPTH;
            }

            internal void Enter(string f) {
                if (names == null || count == names.Length) {
                    System.Array.Resize(ref names, 2 * count + 4);
                    System.Array.Resize(ref indices, 2 * count + 4);
                }
                names[count] = f;
                indices[count++] = -1;
            }

            internal void Leave() { count--; }

            internal void Index(int i) { indices[count - 1] = i; }

            /// <summary>Goes into a value; deeper than the limit is an error.</summary>
            internal void Deeper(string f) {
                if (depth == 0) throw Error("too_deep", f);
                depth--;
            }

            internal void Shallower() { depth++; }

            internal abstract WireException Error(string kind, string f);

            protected string Path(string f) {
                var text = new System.Text.StringBuilder(outermost);
                for (int i = 0; i <= count; i++) {
                    string name = i == count ? f : names[i];
                    if (text.Length > 0 && name.Length > 0) text.Append('.');
                    text.Append(name);
                    if (i < count && indices[i] >= 0) text.Append('[').Append(indices[i]).Append(']');
                }
                return text.ToString();
            }
        }
        """#

    /// What each reader has.
    static let reader = #"""
        internal readonly byte[] b;
        internal readonly int start;
        /// <summary>How many bytes the packet must have before it is worth another try.</summary>
        internal int wanted = 0;
        private readonly int size;
        private int p;
        private int end;
        private int last = 0;
        /// <summary>Where the packet ends, as far as that is known.</summary>
        internal int bound = int.MaxValue;

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal Reader(byte[] bytes, int first, int count) {
            b = bytes;
            start = first;
            size = count;
            p = first;
            end = first + count;
            Begin("packet");
        }

        internal int Position() { return p - start; }

        internal void Seek(int place) { p = start + place; }

        internal int Size() { return size; }

        internal bool More() { return p < end; }

        internal override WireException Error(string kind, string f) { return Error(kind, f, p); }

        private WireException Error(string kind, string f, int at) { return new WireException(kind, Path(f), at - start); }

        internal void Require(bool good, string kind, string f) { if (!good) throw Error(kind, f, last); }

        internal void Verify(bool good, string kind, string f, int place) { if (!good) throw Error(kind, f, start + place); }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        private int Go(long n, string f) {
            if (end - p < n) throw Error("truncated", f, p);
            last = p;
            p += (int)n;
            return last;
        }

        internal int Take(int n, string f) { return Go(n, f) - start; }

        /// <summary>Whether fewer bytes are left.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal bool Lacks(int n) { return end - p < n; }

        /// <summary>Goes over numbers that are there, of which the last one has so many bytes; returns their index in the bytes.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal int Run(int n, int width) {
            int q = p;
            p = q + n;
            last = p - width;
            return q;
        }

        /// <summary>Goes to a part of the packet.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal void Bound(int from, int to) {
            p = start + from;
            end = start + to;
        }

        internal byte[] Blob(long n, string f) {
            int q = Go(n, f);
            return Part(q, p);
        }

        private byte[] Part(int from, int to) {
            var part = new byte[to - from];
            System.Buffer.BlockCopy(b, from, part, 0, to - from);
            return part;
        }

        internal long Rest(long most, string f) { return AtMost(p, end - p, most, f); }

        private long AtMost(int at, long n, long most, string f) {
            if (most >= 0 && n > most) throw Error("too_long", f, at);
            return n;
        }
        """#

    /// What reads numbers.
    static func numbers(isShortest: Bool) -> String {
        let shortest = isShortest ? "\n        if (x == 0 && i > 0) throw Error(\"varint_not_shortest\", f, p);" : ""
        return #"""
            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal byte U8At(int q) { return b[q]; }

            internal sbyte I8At(int q) { return (sbyte)b[q]; }

            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal ushort U16At(int q) { return (ushort)(b[q] << 8 | b[q + 1]); }

            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal ushort U16LittleAt(int q) { return (ushort)(b[q] | b[q + 1] << 8); }

            internal short I16At(int q) { return (short)U16At(q); }

            internal short I16LittleAt(int q) { return (short)U16LittleAt(q); }

            internal uint U24At(int q) { return (uint)UintAt(q, 3, false); }

            internal uint U24LittleAt(int q) { return (uint)UintAt(q, 3, true); }

            internal int I24At(int q) { return (int)SintAt(q, 3, false); }

            internal int I24LittleAt(int q) { return (int)SintAt(q, 3, true); }

            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal uint U32At(int q) {
                byte[] bytes = b;
                return (uint)(bytes[q] << 24 | bytes[q + 1] << 16 | bytes[q + 2] << 8 | bytes[q + 3]);
            }

            [System.Runtime.CompilerServices.MethodImpl(Inlined)]
            internal uint U32LittleAt(int q) {
                byte[] bytes = b;
                return (uint)(bytes[q] | bytes[q + 1] << 8 | bytes[q + 2] << 16 | bytes[q + 3] << 24);
            }

            internal int I32At(int q) { return (int)U32At(q); }

            internal int I32LittleAt(int q) { return (int)U32LittleAt(q); }

            internal ulong U64At(int q) { return (ulong)U32At(q) << 32 | U32At(q + 4); }

            internal ulong U64LittleAt(int q) { return U32LittleAt(q) | (ulong)U32LittleAt(q + 4) << 32; }

            internal long I64At(int q) { return (long)U64At(q); }

            internal long I64LittleAt(int q) { return (long)U64LittleAt(q); }

            internal ulong UintAt(int q, int n, bool little) {
                ulong v = 0;
                for (int i = 0; i < n; i++) v = v << 8 | b[little ? q + n - 1 - i : q + i];
                return v;
            }

            internal long SintAt(int q, int n, bool little) { return (long)(UintAt(q, n, little) << 64 - 8 * n) >> 64 - 8 * n; }

            internal float F32At(int q) { return new FloatBits { Bits = I32At(q) }.Value; }

            internal float F32LittleAt(int q) { return new FloatBits { Bits = I32LittleAt(q) }.Value; }

            internal double F64At(int q) { return System.BitConverter.Int64BitsToDouble(I64At(q)); }

            internal double F64LittleAt(int q) { return System.BitConverter.Int64BitsToDouble(I64LittleAt(q)); }

            internal byte U8(string f) { return U8At(Go(1, f)); }

            internal sbyte I8(string f) { return I8At(Go(1, f)); }

            internal ushort U16(string f) { return U16At(Go(2, f)); }

            internal ushort U16Little(string f) { return U16LittleAt(Go(2, f)); }

            internal short I16(string f) { return I16At(Go(2, f)); }

            internal short I16Little(string f) { return I16LittleAt(Go(2, f)); }

            internal uint U24(string f) { return U24At(Go(3, f)); }

            internal uint U24Little(string f) { return U24LittleAt(Go(3, f)); }

            internal int I24(string f) { return I24At(Go(3, f)); }

            internal int I24Little(string f) { return I24LittleAt(Go(3, f)); }

            internal uint U32(string f) { return U32At(Go(4, f)); }

            internal uint U32Little(string f) { return U32LittleAt(Go(4, f)); }

            internal int I32(string f) { return I32At(Go(4, f)); }

            internal int I32Little(string f) { return I32LittleAt(Go(4, f)); }

            internal ulong U64(string f) { return U64At(Go(8, f)); }

            internal ulong U64Little(string f) { return U64LittleAt(Go(8, f)); }

            internal long I64(string f) { return I64At(Go(8, f)); }

            internal long I64Little(string f) { return I64LittleAt(Go(8, f)); }

            /// <summary>A number of up to 8 bytes without a sign.</summary>
            internal ulong Uint(int n, bool little, string f) { return UintAt(Go(n, f), n, little); }

            /// <summary>A number of up to 8 bytes with a sign.</summary>
            internal long Sint(int n, bool little, string f) { return SintAt(Go(n, f), n, little); }

            internal float F32(string f) { return F32At(Go(4, f)); }

            internal float F32Little(string f) { return F32LittleAt(Go(4, f)); }

            internal double F64(string f) { return F64At(Go(8, f)); }

            internal double F64Little(string f) { return F64LittleAt(Go(8, f)); }

            internal bool Bool(string f) { return BoolAt(Go(1, f), f); }

            internal bool BoolAt(int q, string f) {
                if (b[q] > 1) throw Error("invalid_boolean", f, q);
                return b[q] == 1;
            }

            /// <summary>Unsigned LEB128 of at most so many bytes and 64 bits.</summary>
            internal ulong Varint(int most, string f) {
                ulong v = 0;
                last = p;
                for (int i = 0; i < most; i++) {
                    if (p + i >= end) throw Error("truncated", f, p);
                    byte x = b[p + i];
                    if (i == 9 && x > 1) break;\#(shortest.replacing("\n    ", with: "\n        "))
                    v |= (ulong)(x & 127) << 7 * i;
                    if (x < 128) {
                        p += i + 1;
                        return v;
                    }
                }
                throw Error("varint_too_long", f, p);
            }

            internal long Zigzag(int most, string f) {
                ulong v = Varint(most, f);
                return (long)(v >> 1) ^ -(long)(v & 1);
            }

            internal long Varint32(int most, string f) {
                int at = p;
                ulong v = Varint(most, f);
                if (v > uint.MaxValue) throw Error("varint_too_long", f, at);
                return (int)v;
            }

            /// <summary>A number without a sign as one that may have one; no length is so large.</summary>
            internal long Saturated(ulong v) { return (long)System.Math.Min(v, 1UL << 62); }
            """#
    }

    /// What reads counts and goes into values.
    static let counts = #"""
        /// <summary>A count by its prefix: so many bytes, plus 16 if the least significant one is the first; 0 is a varint.</summary>
        internal long Count(int prefix, long most, string f) {
            int at = p;
            if (prefix > 0) return AtMost(at, (long)Uint(prefix & 15, prefix > 16, f), most, f);
            ulong n = Varint(5, f);
            if (n > uint.MaxValue) throw Error("varint_too_long", f, at);
            return AtMost(at, (long)n, most, f);
        }

        /// <summary>A count by a prefix with a sign; -1 for what is absent. 32 is a zigzag varint.</summary>
        internal long CountOrAbsent(int prefix, long most, string f) {
            int at = p;
            long n;
            if (prefix == 32) {
                ulong v = Varint(5, f);
                if (v > uint.MaxValue) throw Error("varint_too_long", f, at);
                n = (long)(v >> 1) ^ -(long)(v & 1);
            } else {
                n = Sint(prefix & 15, prefix > 16, f);
            }
            if (n < -1) throw Error("out_of_range", f, at);
            return AtMost(at, n, most, f);
        }

        /// <summary>A count by an earlier field.</summary>
        internal long Counted(long n, long most, string f) {
            if (n < 0) throw Error("length_too_small", f, p);
            return AtMost(p, n, most, f);
        }

        /// <summary>How many bytes there are up to a byte of 0.</summary>
        internal long Terminated(long most, string f) {
            int i = System.Array.IndexOf(b, (byte)0, p, end - p);
            if (i < 0) throw Error("missing_terminator", f, p);
            return AtMost(p, i - p, most, f);
        }

        internal long TerminatedUnits(long most, string f) {
            for (int i = p; i + 1 < end; i += 2) if (b[i] == 0 && b[i + 1] == 0) return AtMost(p, (i - p) / 2, most, f);
            throw Error("missing_terminator", f, p);
        }

        internal long RestUnits(long most, string f) {
            int n = end - p;
            AtMost(p, n / 2, most, f);
            if (n % 2 == 1) throw Error("truncated", f, end - 1);
            return n / 2;
        }

        /// <summary>Goes into so many bytes; returns where those around them end.</summary>
        internal int Inside(long n, string f) {
            int outer = end;
            p = Go(n, f);
            end = p + (int)n;
            return outer;
        }

        /// <summary>Leaves such bytes; what is left of them is skipped.</summary>
        internal void Outside(int outer) {
            p = end;
            end = outer;
        }

        /// <summary>How many items there can be, whatever a count announces.</summary>
        internal int Capacity(long n, int least) { return (int)System.Math.Min(n, (end - p) / least); }

        internal bool HasItem(int i, long n) { return i < n; }

        /// <summary>Whether an item follows in a list to the end.</summary>
        internal bool Another(int i, long most) {
            if (p == end) return false;
            Index(-1);
            AtMost(p, i + 1, most, "");
            return true;
        }

        /// <summary>Whether an item follows in a list that a byte ends.</summary>
        internal bool AnotherUntil(int i, long most, int stop) {
            Index(-1);
            if (p == end) throw Error("truncated", "", p);
            if (b[p] == stop) {
                p++;
                return false;
            }
            AtMost(p, i + 1, most, "");
            return true;
        }

        /// <summary>The first items of an array.</summary>
        internal T[] Trimmed<T>(T[] items, int count) {
            if (count < items.Length) System.Array.Resize(ref items, count);
            return items;
        }

        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal byte[] Trailing() { return p < end ? Part(p, end) : null; }

        internal void Ended() { if (p < end) throw Error("trailing_bytes", "", p); }
        """#

    /// What makes the bits of a float of 32 bits, and its number.
    static let floatBits = #"""
        [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Explicit)]
        internal struct FloatBits {
            [System.Runtime.InteropServices.FieldOffset(0)] internal int Bits;
            [System.Runtime.InteropServices.FieldOffset(0)] internal float Value;
        }
        """#
}
