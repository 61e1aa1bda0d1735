// SPDX-License-Identifier: Apache-2.0

// The runtime of generated C#, with all that a protocol can need.
//
// Comments mark its regions. Generated files have those of the features that they use; in a region `called` only the methods that
// they call; in a region with `!` what stands there without the feature. The generator replaces the limits by their values.
namespace Runtime {
    internal static class Limits {
        internal const int MaximumDepth = 64;
        internal const int MaximumSize = 1 << 20;
    }

    /// <summary>The header of a packet, which is the schema's.</summary>
    public sealed class Header {}

    // #region types
    /// <summary>Why bytes are no packet of this protocol, or why a value cannot be written.</summary>
    public sealed class WireException : System.Exception {
        /// <summary>What is wrong, in one word: <c>truncated</c>, <c>out_of_range</c>, …</summary>
        public readonly string Kind;
        /// <summary>The field, in the schema's names: <c>Sc_20001.items[1].count</c>. Empty if no field is to blame.</summary>
        public readonly string Path;
        /// <summary>Bytes from the packet's first one; -1 if a value could not be written.</summary>
        public readonly int Offset;

        public WireException(string kind, string path, int offset)
            : base((path.Length == 0 ? "" : path + ": ") + kind + (offset < 0 ? "" : " at offset " + offset)) {
            Kind = kind;
            Path = path;
            Offset = offset;
        }
        // #region layers

        internal WireException(string kind, string path, string advice) : base(path + ": " + kind + ": " + advice) {
            Kind = kind;
            Path = path;
            Offset = -1;
        }
        // #endregion
    }

    /// <summary>Who has sent a packet.</summary>
    public enum Sender { Client, Server }

    public abstract class Message {
        internal Message() {}

        /// <summary>The schema's name; null if the schema does not know it.</summary>
        public abstract string MessageName { get; }

        public abstract ulong MessageId { get; }

        internal abstract void Read(Reader r, Header h);

        internal abstract void Write(Writer w, Header h);
        // #region sender

        internal virtual Sender? MessageSender { get { return null; } }
        // #endregion
        // #region fixedHeaders

        internal virtual void Verify(Reader r, Header h, int[] at) {}

        internal virtual Header Fix(Writer w, Header given) { return given; }
        // #endregion
    }

    /// <summary>A message that the schema does not know. It can be encoded, too.</summary>
    public sealed class UnknownMessage : Message {
        public ulong Id;
        public byte[] Payload = new byte[0];

        public override string MessageName { get { return null; } }

        public override ulong MessageId { get { return Id; } }

        internal override void Read(Reader r, Header h) { Payload = r.Blob(r.Rest(-1, "payload"), "payload"); }

        internal override void Write(Writer w, Header h) {
            w.Reserve(w.BlobLength(Payload));
            w.AppendBlob(Payload, "payload");
        }
    }

    /// <summary>A message that was received, with its packet's header.</summary>
    public sealed class Packet {
        public readonly Message Message;
        public readonly Header Header;
        /// <summary>How many bytes the packet had.</summary>
        public readonly int ByteCount;

        // #region packets
        /// <summary>A packet to write inside of another one; without a header it has the defaults.</summary>
        public Packet(Message message, Header header = null) : this(message, header, 0) {}

        // #endregion
        internal Packet(Message message, Header header, int byteCount) {
            Message = message;
            Header = header;
            ByteCount = byteCount;
        }
    }
    // #endregion

    internal static class Packets {
        // #region helpers
        internal static T[] Filled<T>(T[] items, System.Func<T> make) {
            for (int i = 0; i < items.Length; i++) items[i] = make();
            return items;
        }

        internal static bool SameBytes(byte[] a, byte[] b) {
            if (a.Length != b.Length) return false;
            for (int i = 0; i < a.Length; i++) if (a[i] != b[i]) return false;
            return true;
        }
        // #endregion
    }

    // #region steps
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
            depth = Limits.MaximumDepth;
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
    // #endregion

    // #region reader
    internal sealed class Reader : Steps {
        // #region layers
        /// <summary>The most bytes of a packet.</summary>
        internal int limit = Limits.MaximumSize;
        // #endregion
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

        // #region called
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
                if (i == 9 && x > 1) break;
                // #region shortest
                if (x == 0 && i > 0) throw Error("varint_not_shortest", f, p);
                // #endregion
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

        /// <summary>The bytes of the whole packet, by one of its lengths.</summary>
        [System.Runtime.CompilerServices.MethodImpl(Inlined)]
        internal int PacketSize(long length, int difference, int least, int place) {
            long size = System.Math.Min(length, 1L << 62) + difference;
            if (size < least) throw new WireException("length_too_small", "", place);
            // #region !layers
            if (size > Limits.MaximumSize) throw new WireException("packet_too_long", "", place);
            // #endregion
            // #region layers
            if (size > limit) throw new WireException("packet_too_long", "", place);
            // #endregion
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
        // #endregion
    }
    // #endregion

    // #region writer
    internal sealed class Writer : Steps {
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
            int needed = p + System.Math.Min(n, Limits.MaximumSize);
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

        // #region called
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
        // #endregion
    }
    // #endregion

    // #region checksum
    internal static class Checksum {
        // #region called
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
        // #endregion
    }
    // #endregion

    // #region bits
    [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Explicit)]
    internal struct FloatBits {
        [System.Runtime.InteropServices.FieldOffset(0)] internal int Bits;
        [System.Runtime.InteropServices.FieldOffset(0)] internal float Value;
    }
    // #endregion

    // #region layer
    /// <summary>A layer that the program gives, for what one side sends or both do. Any exception says that the bytes are damaged.</summary>
    public abstract class Layer {
        /// <summary>What is inside of bytes; null if it is longer than the limit.</summary>
        public abstract byte[] Open(byte[] bytes, Header header, int limit);

        public abstract byte[] Seal(byte[] content, Header header);
    }
    // #endregion

    /// <summary>What a class with layers has around its transforms.</summary>
    internal sealed class Work {
        private static readonly string[] layerNames = {};
        private readonly int left = Limits.MaximumSize;

        private static WireException Refused(string kind, int n) { return new WireException(kind, layerNames[n], -1); }

        internal static byte[] Cut(byte[] b, int from, int to) {
            var part = new byte[to - from];
            System.Buffer.BlockCopy(b, from, part, 0, to - from);
            return part;
        }

        // #region inflating
        /// <summary>Bytes for a stream: some at once, the others one by one, so that it is known where the stream ends among them.</summary>
        private sealed class Pieces : System.IO.Stream {
            private readonly byte[] b;
            private readonly int together;
            private int p;
            /// <summary>Whether the last read asked for more bytes than there are.</summary>
            internal bool isOver = false;

            internal Pieces(byte[] bytes, int from, int end) {
                b = bytes;
                p = from;
                together = end;
            }

            public override bool CanRead { get { return true; } }

            public override bool CanSeek { get { return false; } }

            public override bool CanWrite { get { return false; } }

            public override long Length { get { return b.Length; } }

            public override long Position { get { return p; } set { throw new System.NotSupportedException(); } }

            public override void Flush() {}

            public override int Read(byte[] buffer, int offset, int count) {
                int n = System.Math.Min(count, p < together ? together - p : System.Math.Min(1, b.Length - p));
                if (p == b.Length) isOver = true;
                System.Buffer.BlockCopy(b, p, buffer, offset, n);
                p += n;
                return n;
            }

            public override long Seek(long offset, System.IO.SeekOrigin origin) { throw new System.NotSupportedException(); }

            public override void SetLength(long value) { throw new System.NotSupportedException(); }

            public override void Write(byte[] buffer, int offset, int count) { throw new System.NotSupportedException(); }
        }

        /// <summary>Where the last stream ended that was inflated.</summary>
        private int after = 0;

        /// <summary>The content of a stream of deflate; no more than the limit is made.</summary>
        private byte[] Inflate(byte[] b, int from, int n) {
            // No more than eight bytes follow a whole stream.
            int together = System.Math.Max(from, b.Length - 10);
            int size = (int)System.Math.Min(left + 1L, 4L * (b.Length - from) + 64);
            byte[] content = Inflated(b, from, together, size, n);
            // A full buffer makes some platforms ask for bytes after the stream. One that has room tells where the stream ends.
            if (content.Length >= size) content = Inflated(b, from, together, content.Length + 1, n);
            return together == from || after > together ? content : Inflated(b, from, from, content.Length + 1, n);
        }

        private byte[] Inflated(byte[] b, int from, int together, int size, int n) {
            var pieces = new Pieces(b, from, together);
            var content = new byte[size];
            int count = 0;
            try {
                using (var stream = new System.IO.Compression.DeflateStream(pieces, System.IO.Compression.CompressionMode.Decompress)) {
                    for (int made = 1; made > 0; count += made) {
                        if (count == content.Length) System.Array.Resize(ref content, (int)System.Math.Min(left + 1L, 2L * count));
                        pieces.isOver = false;
                        made = stream.Read(content, count, content.Length - count);
                        if (count + made > left) throw Refused("inflated_too_long", n);
                    }
                }
            } catch (System.IO.InvalidDataException) {
                throw Refused("invalid_layer", n);
            } catch (System.IO.IOException) {
                throw Refused("invalid_layer", n);
            }
            if (pieces.isOver) throw Refused("invalid_layer", n);
            after = (int)pieces.Position;
            return Cut(content, 0, count);
        }

        private static byte[] Deflate(byte[] b, int n) {
            // Nothing at all would be written of no bytes.
            if (b.Length == 0) return new byte[] {3, 0};
            using (var made = new System.IO.MemoryStream()) {
                using (var stream = new System.IO.Compression.DeflateStream(made, System.IO.Compression.CompressionMode.Compress, true)) {
                    stream.Write(b, 0, b.Length);
                }
                return made.ToArray();
            }
        }
        // #endregion

        // #region counted
        private static byte[] Counted(byte[] key, byte[] start, byte[] b, int n) {
            var counters = new byte[(b.Length + 15) / 16 * 16];
            var next = Cut(start, 0, 16);
            for (int p = 0; p < counters.Length; p += 16) {
                System.Buffer.BlockCopy(next, 0, counters, p, 16);
                for (int i = 15; i >= 0 && ++next[i] == 0; i--) {}
            }
            byte[] made = Blocks(System.Security.Cryptography.CipherMode.ECB, true, key, start, counters);
            for (int i = 0; i < b.Length; i++) made[i] ^= b[i];
            return Cut(made, 0, b.Length);
        }
        // #endregion

        // #region chained
        private static byte[] Chained(bool isSealing, byte[] key, byte[] start, byte[] b, int n) {
            return Blocks(System.Security.Cryptography.CipherMode.CBC, isSealing, key, start, b);
        }
        // #endregion

        // #region aes
        private static byte[] Blocks(System.Security.Cryptography.CipherMode mode, bool isSealing, byte[] key, byte[] start, byte[] b) {
            using (System.Security.Cryptography.Aes aes = System.Security.Cryptography.Aes.Create()) {
                aes.Mode = mode;
                aes.Padding = System.Security.Cryptography.PaddingMode.None;
                aes.Key = key;
                aes.IV = start;
                using (System.Security.Cryptography.ICryptoTransform blocks = isSealing ? aes.CreateEncryptor() : aes.CreateDecryptor()) {
                    return blocks.TransformFinalBlock(b, 0, b.Length);
                }
            }
        }
        // #endregion
    }
}
