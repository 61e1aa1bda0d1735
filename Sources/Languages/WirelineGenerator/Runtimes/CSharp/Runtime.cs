// SPDX-License-Identifier: Apache-2.0

// The runtime of generated C#, with all that a protocol can need.
//
// Comments mark its regions, which stay for a feature of the protocol, or with `!` without it. Code that cannot stand beside that of
// a feature is in comments. Of a region `called` the methods stay that generated code calls; in `Work` the tables of the protocol take
// its place. The generator replaces the limits by their values.
namespace Runtime {
    internal static class Limits {
        internal const int MaximumDepth = 64;
        internal const int MaximumSize = 1 << 20;
        internal const int MaximumInflated = 1 << 20;
        internal const int MaximumNested = 8;
        internal const int LongestHeader = 8;
        internal const int RulePackets = 1;
        internal const int RuleOpaque = 2;
        internal const int LayerCount = 1;
        internal const int StreamRoom = 2;
        internal const int KeyCount = 1;
        internal const int KeyRoom = 2;
        internal const int OwnCount = 1;
        internal const int OwnRoom = 2;
        internal const byte FrameStart = 0x7E;
        internal const byte FrameEnd = 0x7E;
        internal const int FrameMarkCount = 1;
        internal static readonly byte[,] FrameEscapes = { { 0x7E, 0x7D, 2 }, { 0x7D, 0x7D, 1 } };
    }

    /// <summary>The header of a packet, which is the schema's.</summary>
    public sealed class Header {
        internal Header Copy() { return new Header(); }
    }

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

    // #region layers
    /// <summary>Keeps the bytes of one packet, and is used again for the next one. It is for one thread at a time.</summary>
    // #endregion
    // #region !layers
    //| /// <summary>Keeps the bytes of one packet, and is used again for the next one: then nothing is allocated. It is for one thread at a time.</summary>
    // #endregion
    public sealed class PacketWriter {
        // #region !layers
        //| internal readonly Writer w = new Writer(/*frames{*/false/*}*//*!frames{true}*/);

        // #endregion
        internal void Take(byte[] bytes, int offset, int count) {
            Bytes = bytes;
            Offset = offset;
            Count = count;
        }

        /// <summary>The array with the packet, up to the next one; null before the first one and after an error.</summary>
        public byte[] Bytes { get; private set; }

        /// <summary>Where the packet begins in the array.</summary>
        public int Offset { get; private set; }

        /// <summary>How many bytes the packet has.</summary>
        public int Count { get; private set; }
    }

    /// <summary>Finds the packets in a stream, however they are merged and split. After an error it stays failed.</summary>
    public sealed class PacketSplitter {
        private readonly Sender sender;
        private byte[] buffer = new byte[1024];
        private int start = 0;
        private int end = 0;
        private /*frames{*/Frame frame = new Frame()/*}*//*!frames{int wanted = 1}*/;
        private WireException failure = null;
        // #region packets
        private readonly System.Collections.Generic.Queue<Packet> inner = new System.Collections.Generic.Queue<Packet>();
        // #endregion
        // #region connection
        private readonly Connection connection;
        // #region !frames
        //| private int shape = -1;
        // #endregion

        /// <summary>Finds the packets that one side sends on a connection; without one, on a new connection.</summary>
        public PacketSplitter(Sender sender, Connection connection = null) {
            this.sender = sender;
            this.connection = connection ?? new Connection();
        }
        // #endregion
        // #region !connection

        //| public PacketSplitter(Sender sender) { this.sender = sender; }
        // #endregion

        /// <summary>Takes what has arrived; the bytes are copied.</summary>
        public void Push(byte[] bytes, int offset, int count) {
            if (end + count > buffer.Length) {
                int held = end - start;
                // What is held moves only when that makes much room, so that no byte moves often.
                byte[] room = 2 * held + count > buffer.Length ? new byte[2 * (held + count)] : buffer;
                System.Buffer.BlockCopy(buffer, start, room, 0, held);
                buffer = room;
                start = 0;
                end = held;
            }
            System.Buffer.BlockCopy(bytes, offset, buffer, end, count);
            end += count;
        }

        /// <summary>The next packet; null if more bytes are needed.</summary>
        public Packet Next() {
            // #region packets
            if (inner.Count > 0) return inner.Dequeue();
            // #endregion
            if (failure != null) throw failure;
            try {
                return /*packets{*/TakeInner()/*}*//*!packets{Take()}*/;
            } catch (WireException error) {
                failure = error;
                throw;
            }
        }

        /// <summary>Says that the stream has ended: that is an error inside a packet.</summary>
        public void Finish() {
            if (failure == null && /*frames{*/frame.IsInside()/*}*//*!frames{end > start}*/) failure = new WireException("end_of_stream", "", /*frames{*/frame.n/*}*//*!frames{end - start}*/);
            if (failure != null) throw failure;
        }

        // #region packets
        /// <summary>The next packet that holds no others.</summary>
        private Packet TakeInner() {
            while (inner.Count == 0) {
                Packet packet = Take();
                if (packet == null) return null;
                Flatten(packet);
            }
            return inner.Dequeue();
        }

        private void Flatten(Packet packet) {
            var group = packet.Message as InnerPackets;
            if (group == null) inner.Enqueue(packet);
            else foreach (Packet own in group.Packets) Flatten(own);
        }

        // #endregion
        private Packet Take() {
            // #region frames
            int before = frame.count;
            bool isWhole = frame.Take(buffer, start, end);
            Consume(frame.count - before);
            if (!isWhole) return null;
            Frame whole = frame;
            frame = new Frame();
            return Packets.Unframed(whole, sender/*connection{*/, connection/*}*/);
            // #endregion
            // #region !frames
            // #region connection
            //| // How much is needed depends on the packet's shape, which packets of the other side may change.
            //| int now = Packets.ShapeOf(sender, connection/*layers{*/, false/*}*/);
            //| if (now != shape) {
            //|     shape = now;
            //|     wanted = 1;
            //| }
            // #endregion
            //| // A packet that has not arrived whole is not tried again before it can have.
            //| if (end - start < wanted) return null;
            //| var r = new Reader(buffer, start, end - start);
            //| Packet packet = Packets.Unwrapped(r, sender/*connection{*/, connection/*}*/);
            //| wanted = packet == null ? System.Math.Max(r.wanted, end - start + 1) : 1;
            //| if (packet != null) Consume(packet.ByteCount);
            //| return packet;
            // #endregion
        }

        private void Consume(int count) {
            start += count;
            if (start < end) return;
            start = 0;
            end = 0;
            if (buffer.Length > 65536) buffer = new byte[1024];
        }
    }
    // #endregion

    /// <summary>Stands for the class of the protocol.</summary>
    public static class Wire {
        // #region api
        /// <summary>
        /// A whole packet of a message. Of the header, which may be that of the packet that is answered, what a caller can set is taken;
        /// without one it has its defaults. Nothing is cut to fit.
        /// #region dependsOnSender
        /// A message that both sides send needs the sender.
        /// #endregion
        /// #region connection
        /// Without a connection it is the first one of a new connection.
        /// #endregion
        /// </summary>
        public static byte[] Encode(Message message, Header header = null/*sender{*/, Sender? sender = null/*}*//*connection{*/, Connection connection = null/*}*/) {
            return Packets.Written(/*!layers{new Writer(false), }*/message, header/*sender{*/, sender/*}*//*connection{*/, connection/*}*/);
        }

        /// <summary>Puts a whole packet of a message into a writer, in place of what it has. All but these two may be null.</summary>
        public static void Encode(Message message, Header header/*sender{*/, Sender? sender/*}*//*connection{*/, Connection connection/*}*/, PacketWriter writer) {
            writer.Take(null, 0, 0);
            byte[] bytes = Packets.Written(/*!layers{writer.w, }*/message, header/*sender{*/, sender/*}*//*connection{*/, connection/*}*/);
            writer.Take(bytes, /*copied{*/0, bytes.Length/*}*//*!copied{writer.w.from, writer.w.size}*/);
        }

        // #region connection
        /// <summary>The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown. Without a connection it is the first one of a new connection.</summary>
        // #endregion
        // #region !connection
        //| /// <summary>The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown.</summary>
        // #endregion
        public static Packet Decode(byte[] bytes, int offset, int count, Sender sender/*connection{*/, Connection connection = null/*}*/) {
            // #region frames
            var frame = new Frame();
            return frame.Take(bytes, offset, offset + count) ? Packets.Unframed(frame, sender/*connection{*/, connection ?? new Connection()/*}*/) : null;
            // #endregion
            // #region !frames
            //| return Packets.Unwrapped(new Reader(bytes, offset, count), sender/*connection{*/, connection ?? new Connection()/*}*/);
            // #endregion
        }

        // #region connection
        /// <summary>The packet that bytes begin with; null if it has not arrived whole. Without a connection it is the first one of a new connection.</summary>
        // #endregion
        // #region !connection
        //| /// <summary>The packet that bytes begin with; null if it has not arrived whole.</summary>
        // #endregion
        public static Packet Decode(byte[] bytes, Sender sender/*connection{*/, Connection connection = null/*}*/) { return Decode(bytes, 0, bytes.Length, sender/*connection{*/, connection/*}*/); }
        // #endregion
    }

    internal static class Packets {
        // #region packetFunctions
        // #region !layers
        //| /// <summary>Nothing sets its members.</summary>
        //| private static readonly Header Defaults = new Header();

        // #endregion
        internal static byte[] Written(/*!layers{Writer w, }*/Message message, Header header/*sender{*/, Sender? sender/*}*//*connection{*/, Connection connection/*}*/) {
            if (message == null) throw new WireException("wrong_type", "", -1);
            // #region !layers
            //| Header h = header ?? Defaults;
            //| w.Begin(message.MessageName, Limits.LongestHeader);
            // #endregion
            // #region sender
            Sender? side = sender ?? message.MessageSender;
            if (side == null) /*dependsOnSender{*/throw new WireException("needs_sender", "", -1)/*}*//*!dependsOnSender{side = Sender.Client}*/;
            // #endregion
            // #region layers
            var work = new Work(side.Value, connection ?? new Connection());
            byte[] packet = work.Seal(message, header, 0);
            work.Commit();
            return packet;
            // #endregion
            // #region !layers
            // #region fixedHeaders
            //| h = message.Fix(w, h);
            // #endregion
            //| message.Write(w, h);
            //| w.Begin("packet");
            //| return /*frames{*/Frame.Framed(/*}*/Wrap/*sender{*/From/*}*/(/*sender{*/side.Value, /*}*/w, message.MessageId, h/*connection{*/, connection ?? new Connection()/*}*/)/*frames{*/)/*}*/;
            // #endregion
        }

        internal static Packet Unwrapped(Reader r, Sender sender/*connection{*/, Connection connection/*}*/) {
            // #region layers
            var work = new Work(sender, connection);
            Packet packet = work.Open(r, 0, 0);
            if (packet != null) work.Commit();
            return packet;
            // #endregion
            // #region !layers
            // #region connection
            //| Packet packet = Unwrap(ShapeOf(sender, connection), r, sender);
            //| if (packet != null) Change(connection, sender, packet.Message.MessageId);
            //| return packet;
            // #endregion
            // #region !connection
            //| return /*sender{*/sender == Sender.Server ? UnwrapServer(r, sender) : UnwrapClient(r, sender)/*}*//*!sender{Unwrap(r, sender)}*/;
            // #endregion
            // #endregion
        }

        // #region !layers
        // #region sender
        //| internal static byte[] WrapFrom(Sender sender, Writer w, ulong id, Header h/*connection{*/, Connection connection/*}*/) {
        // #region connection
        //|     byte[] packet = Wrap(ShapeOf(sender, connection), w, id, h);
        //|     Change(connection, sender, id);
        //|     return packet;
        // #endregion
        // #region !connection
        //|     return sender == Sender.Server ? WrapServer(w, id, h) : WrapClient(w, id, h);
        // #endregion
        //| }

        // #endregion
        // #endregion
        // #region frames
        internal static Packet Unframed(Frame frame, Sender sender/*connection{*/, Connection connection/*}*/) {
            Packet packet = Unwrapped(new Reader(frame.b, 0, frame.n), sender/*connection{*/, connection/*}*/);
            if (packet == null) throw new WireException("truncated", "", frame.n);
            return new Packet(packet.Message, packet.Header, frame.count);
        }

        // #endregion
        // #region !layers
        //| private static Packet Receive(Reader r, ulong id, Header header, int total, Sender sender/*fixedHeaders{*/, int[] at/*}*/) {
        //|     Message message = Make(id, sender);
        // #region fixedHeaders
        //|     message.Verify(r, header, at);
        // #endregion
        //|     r.Begin(message.MessageName);
        //|     message.Read(r, header);
        //|     return new Packet(message, header, total);
        //| }
        // #endregion
        // #endregion

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

        // What the generator prints for each protocol in its own way.

        internal static int ShapeOf(Sender sender, Connection c, bool nested) { return 0; }

        internal static Part Unwrap(int part, Reader r) {
            return new Part(0, new Header(), r.Position(), r.Size(), r.Size(), 0, false, 0, 0, new bool[3], null);
        }

        internal static byte[] Wrap(int part, Writer w, ulong id, Header h) { return w.Packet(0, w.Position()); }

        internal static Message Make(ulong id, Sender sender) { return new UnknownMessage(); }

        internal static void Change(Connection c, Sender sender, ulong id) {}

        internal static void CopyIdentifiers(Header given, Header known) {}

        internal static bool HasCount(int shape, Header h) { return false; }

        internal static bool IsCountGiven(int shape, Header h) { return false; }

        internal static void SetCount(int shape, Header h, int n) {}

        internal static byte[] OpenLayer(Work work, int n, Header h, byte[] b) { return b; }

        internal static byte[] SealLayer(Work work, int n, Header h, byte[] b) { return b; }

        internal static bool AtMarks(byte[] b, int p) { return b[p] == Limits.FrameStart; }
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

        /// <summary>The number that 16 bits stand for.</summary>
        private static double Value16(int n) {
            int exponent = n >> 10 & 31, fraction = n & 1023;
            double v = exponent == 31 ? fraction == 0 ? double.PositiveInfinity : double.NaN
                : exponent == 0 ? fraction / 16777216.0 : System.BitConverter.Int64BitsToDouble((exponent + 1008L) << 52 | (long)fraction << 42);
            return n < 0x8000 ? v : -v;
        }

        internal double F16At(int q) { return Value16(U16At(q)); }

        internal double F16LittleAt(int q) { return Value16(U16LittleAt(q)); }

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

        internal double F16(string f) { return F16At(Go(2, f)); }

        internal double F16Little(string f) { return F16LittleAt(Go(2, f)); }

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

        // Counts, and what goes into values.

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

        // What takes packets apart.

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
        // Numbers.

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

        /// <summary>The nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0.</summary>
        internal double Nearest16(double v, string f) {
            double a = System.Math.Abs(v);
            Require(a < 65520 || double.IsNaN(v) || double.IsInfinity(v), "number_too_large", f);
            if (!(a < 65520)) return v;
            long bits = System.BitConverter.DoubleToInt64Bits(v);
            if (a >= 1 / 16384.0) return System.BitConverter.Int64BitsToDouble(bits + 0x1FFFFFFFFFF + (bits >> 42 & 1) & -1L << 42);
            double n = System.Math.Round(a * 16777216) / 16777216;
            return bits < 0 ? -n : n;
        }

        /// <summary>The bits of a number that has 16 of them; those of the quiet NaN for each NaN.</summary>
        private static ushort Bits16(double v) {
            if (double.IsNaN(v)) return 0x7E00;
            long bits = System.BitConverter.DoubleToInt64Bits(v);
            double a = System.Math.Abs(v);
            long magnitude = a < 1 / 16384.0 ? (long)(a * 16777216) : System.Math.Min((bits >> 42 & 0x1FFFFF) - 0xFC000, 0x7C00);
            return (ushort)((bits < 0 ? 0x8000L : 0L) | magnitude);
        }

        internal void SetF16(int q, double v, string f) { SetU16(q, Bits16(Nearest16(v, f)), f); }

        internal void SetF16Little(int q, double v, string f) { SetU16Little(q, Bits16(Nearest16(v, f)), f); }

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

        internal void PutF16(double v, string f) { SetF16(Room(2), v, f); }

        internal void PutF16Little(double v, string f) { SetF16Little(Room(2), v, f); }

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

    // #region frame
    /// <summary>What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.</summary>
    internal sealed class Frame {
        /// <summary>Each byte that is escaped, and the two that stand for it.</summary>
        private static readonly byte[,] Escapes = Limits.FrameEscapes;
        internal byte[] b = new byte[64];
        internal int n = 0;
        internal int count = 0;
        private bool inside = false;
        private int first = -1;

        private static WireException Fault(string kind, int offset) { return new WireException(kind, "packet.frame", offset); }

        private void Append(byte x) {
            if (n >= Limits.MaximumSize) throw Fault("packet_too_long", 0);
            if (n == b.Length) System.Array.Resize(ref b, 2 * n);
            b[n++] = x;
        }

        /// <summary>Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over.</summary>
        internal bool Take(byte[] from, int start, int end) {
            for (int i = start; i < end; i++) {
                byte x = from[i];
                count++;
                if (!inside) {
                    if (x != Limits.FrameStart) throw Fault("wrong_constant", 0);
                    inside = true;
                } else if (first >= 0) {
                    Unescape(x);
                } else if (x == Limits.FrameEnd) {
                    if (n > 0) return true;
                    inside = /*sameMarks{*/true/*}*//*!sameMarks{false}*/;
                } else if (x == Limits.FrameStart) {
                    throw Fault("invalid_escape", n);
                } else if (Begins(x)) {
                    first = x;
                } else {
                    Append(x);
                }
            }
            return false;
        }

        private static bool Begins(byte x) {
            for (int i = 0; i < Escapes.GetLength(0); i++) if (Escapes[i, 1] == x) return true;
            return false;
        }

        private void Unescape(byte x) {
            for (int i = 0; i < Escapes.GetLength(0); i++) {
                if (Escapes[i, 1] != first || Escapes[i, 2] != x) continue;
                Append(Escapes[i, 0]);
                first = -1;
                return;
            }
            throw Fault("invalid_escape", n);
        }

        /// <summary>Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun.</summary>
        internal bool IsInside() { return inside/*sameMarks{*/ && (n > 0 || first >= 0)/*}*/; }

        /// <summary>A packet between its marks.</summary>
        internal static byte[] Framed(byte[] packet) {
            var made = new byte[2 * packet.Length + 2];
            int p = 0;
            made[p++] = Limits.FrameStart;
            foreach (byte x in packet) {
                int found = -1;
                for (int i = 0; i < Escapes.GetLength(0); i++) if (Escapes[i, 0] == x) found = i;
                made[p++] = found < 0 ? x : Escapes[found, 1];
                if (found >= 0) made[p++] = Escapes[found, 2];
            }
            made[p++] = Limits.FrameEnd;
            System.Array.Resize(ref made, p);
            return made;
        }
    }
    // #endregion

    // #region part
    /// <summary>Some fields of a packet: where its content, the packet and these fields are, the count of the content, and which rules hold.</summary>
    internal sealed class Part {
        internal readonly ulong id;
        internal readonly Header header;
        internal readonly int body;
        internal readonly int end;
        internal readonly int after;
        internal readonly int first;
        internal readonly bool hasCount;
        internal readonly long count;
        internal readonly int place;
        internal readonly bool[] rules;
        internal readonly int[] at;

        internal Part(ulong id, Header header, int body, int end, int after, int first, bool hasCount, long count, int place, bool[] rules, int[] at) {
            this.id = id;
            this.header = header;
            this.body = body;
            this.end = end;
            this.after = after;
            this.first = first;
            this.hasCount = hasCount;
            this.count = count;
            this.place = place;
            this.rules = rules;
            this.at = at;
        }
    }
    // #endregion

    // #region work
    /// <summary>Goes on through all packets in one. Only if all of it was right, the connection takes it over.</summary>
    internal sealed class Work {
        // #region called
        internal static readonly int[] outers = { 0 };
        internal static readonly int[][][] sections = { new[] { new[] { -1, 0 } } };
        internal static readonly string[] layerNames = { "packet.layer" };
        internal static readonly bool[] inflates = { true };
        internal static readonly bool[] lasts = { true };
        internal static readonly string[] counterNames = { null };
        internal static readonly long[] counterLimits = { 0 };
        internal static readonly int[] counterConstants = { 0 };
        internal static readonly int[] counterFirsts = { 0 };
        internal static readonly bool[] isSettable = { false };
        internal static readonly string[] keyNames = { "key" };
        internal static readonly int[][] keySizes = { new[] { 1, 16 } };
        internal static readonly int[][] keyLayers = { new[] { 0 } };
        internal static readonly string[] programLayers = { "layer" };
        // #endregion

        private readonly Connection c;
        private readonly Sender sender;
        // #region streams
        private readonly Keystream[] streams;
        // #endregion
        /// <summary>How many bytes compression may still make.</summary>
        private int left = Limits.MaximumInflated;
        // #region packets
        private int packetCount = 0;
        // #endregion
        /// <summary>The messages that change states.</summary>
        private ulong[] ids = new ulong[4];
        private int idCount = 0;
        // #region streams
        /// <summary>The layers whose keystream goes on that the packet to seal uses, as bits.</summary>
        private int lasting = 0;
        // #endregion

        internal Work(Sender sender, Connection c) {
            this.sender = sender;
            this.c = c;
            // #region streams
            streams = new Keystream[c.streams.Length];
            for (int i = 0; i < streams.Length; i++) streams[i] = c.streams[i];
            // #endregion
        }

        internal void Commit() {
            for (int i = 0; i < idCount; i++) Packets.Change(c, sender, ids[i]);
            // #region streams
            c.streams = streams;
            // #endregion
        }

        private void Note(ulong id) {
            if (idCount == ids.Length) {
                ulong[] more = new ulong[2 * idCount];
                for (int i = 0; i < idCount; i++) more[i] = ids[i];
                ids = more;
            }
            ids[idCount++] = id;
        }

        private static WireException Refused(string kind, int n) { return new WireException(kind, layerNames[n], -1); }

        internal static byte[] Cut(byte[] b, int from, int to) {
            byte[] part = new byte[to - from];
            System.Buffer.BlockCopy(b, from, part, 0, to - from);
            return part;
        }

        private static byte[] Joined(byte[] first, byte[] second) {
            byte[] all = new byte[first.Length + second.Length];
            System.Buffer.BlockCopy(first, 0, all, 0, first.Length);
            System.Buffer.BlockCopy(second, 0, all, first.Length, second.Length);
            return all;
        }

        internal static int IndexOf(string name, string[] names) {
            for (int i = 0; i < names.Length; i++) if (names[i].Equals(name)) return i;
            return -1;
        }

        internal static bool IsFor(Sender side, Sender[] senders) {
            for (int i = 0; i < senders.Length; i++) if (senders[i] == side) return true;
            return senders.Length == 0;
        }

        /// <summary>An error whose offset counts from another place.</summary>
        private static WireException Moved(WireException error, int origin) {
            return error.Offset < 0 ? error : new WireException(error.Kind, error.Path, error.Offset - origin);
        }

        /// <summary>Counts what compression has made against the limit.</summary>
        private void TakeInflated(int n, int count) {
            if (!inflates[n]) return;
            if (count > left) throw Refused("inflated_too_long", n);
            left -= count;
        }
        // #region streams

        /// <summary>Adds a keystream that goes on. Inner packets are sealed first and opened last, so none may use it again.</summary>
        private static int WithStream(int n, int used) {
            if (lasts[n] && (used >> n & 1) != 0) throw Refused("invalid_layer", n);
            return lasts[n] ? used | 1 << n : used;
        }
        // #endregion

        /// <summary>The fields of an opened packet; offsets count from the first byte inside the innermost layer.</summary>
        private static Part ReadWhole(int part, byte[] b, int origin) {
            Reader r = new Reader(b, 0, b.Length);
            r.limit = 2147483647;
            try {
                Part p = Packets.Unwrap(part, r);
                if (p == null) throw new WireException("truncated", "", b.Length);
                return p;
            } catch (WireException error) {
                throw Moved(error, origin);
            }
        }

        /// <summary>The packet that bytes begin with, out of its layers; null if it has not arrived whole.</summary>
        internal Packet Open(Reader r, int depth, int used) {
            int shape = Packets.ShapeOf(sender, c, depth > 0);
            Part found = Packets.Unwrap(outers[shape], r);
            if (found == null) return null;
            byte[] data = Cut(r.b, r.start, r.start + found.body);
            byte[] content = Cut(r.b, r.start + found.body, r.start + found.end);
            byte[] trailer = Cut(r.b, r.start + found.end, r.start + found.after);
            Part p = found;
            int origin = 0;
            // #region counter
            bool hasCount = p.hasCount;
            long count = p.count;
            int place = p.place;
            int inside = -1;
            // #endregion
            for (int i = 0; i < sections[shape].Length; i++) {
                int[] section = sections[shape][i];
                for (int j = 1; j < section.Length; j++) {
                    int n = section[j];
                    if (!p.rules[n]) continue;
                    // #region counter
                    if (hasCount && counterNames[shape] != null && count - counterConstants[shape] > Limits.MaximumInflated) throw Refused("inflated_too_long", n);
                    // #endregion
                    // #region streams
                    used = WithStream(n, used);
                    // #endregion
                    content = Packets.OpenLayer(this, n, p.header, content);
                    TakeInflated(n, content.Length);
                    origin = data.Length;
                    // #region counter
                    if (n >= counterFirsts[shape]) inside = content.Length;
                    // #endregion
                }
                if (section[0] < 0) continue;
                byte[] whole = Joined(data, content);
                p = ReadWhole(section[0], whole, origin);
                data = Cut(whole, 0, p.body);
                content = Cut(whole, p.body, p.end);
                // #region counter
                if (!hasCount && p.hasCount) {
                    hasCount = true;
                    count = p.count;
                    place = p.place - origin;
                }
                // #endregion
            }
            // #region counter
            if (hasCount && counterNames[shape] != null && count != (inside < 0 ? 0 : inside + counterConstants[shape])) {
                throw new WireException("length_mismatch", counterNames[shape], place);
            }
            // #endregion
            byte[] flat = Joined(Joined(data, content), trailer);
            p = ReadWhole(outers[shape] + 1, flat, origin);
            // #region packets
            if (p.rules[Limits.RulePackets]) {
                InnerPackets group = new InnerPackets();
                group.Id = p.id;
                group.Packets = OpenPackets(Cut(flat, p.body, p.end), depth + 1, used);
                return new Packet(group, p.header, found.after);
            }
            // #endregion
            // A part of a message sets no state.
            if (p.rules[Limits.RuleOpaque]) {
                UnknownMessage opaque = new UnknownMessage();
                opaque.Id = p.id;
                opaque.Payload = Cut(flat, p.body, p.end);
                return new Packet(opaque, p.header, found.after);
            }
            Note(p.id);
            Reader own = new Reader(flat, 0, flat.Length);
            own.Bound(p.body, p.end);
            Message message = Packets.Make(p.id, sender);
            // #region fixedHeaders
            message.Verify(own, p.header, p.at);
            // #endregion
            try {
                own.Begin(message.MessageName);
                message.Read(own, p.header);
            } catch (WireException error) {
                throw Moved(error, origin);
            }
            return new Packet(message, p.header, found.after);
        }

        // #region packets
        private void CountPacket() { if (packetCount++ >= 65536) throw new WireException("too_long", "packets", -1); }

        /// <summary>An error in a packet inside another one.</summary>
        private static WireException InPacket(WireException error, int i) {
            string path = "packets[" + i + "]";
            return new WireException(error.Kind, error.Path.Equals("") ? path : path + "." + error.Path, error.Offset);
        }

        private static bool IsAtEnd(byte[] content, int p) {
            // #region frames
            // Marks with nothing between them may follow the last packet.
            while (p + Limits.FrameMarkCount <= content.Length && Packets.AtMarks(content, p)) p += Limits.FrameMarkCount;
            // #endregion
            return p >= content.Length;
        }

        private Packet OpenPacket(byte[] content, int p, int depth, int used) {
            // #region frames
            Frame frame = new Frame();
            if (!frame.Take(content, p, content.Length)) throw new WireException("truncated", "", content.Length - p);
            Packet packet = Open(new Reader(frame.b, 0, frame.n), depth, used);
            if (packet == null) throw new WireException("truncated", "", frame.n);
            return new Packet(packet.Message, packet.Header, frame.count);
            // #endregion
            // #region !frames
            //| Packet packet = Open(new Reader(content, p, content.Length - p), depth, used);
            //| if (packet == null) throw new WireException("truncated", "", content.Length - p);
            //| return packet;
            // #endregion
        }

        private static Packet[] First(int count, Packet[] packets, int room) {
            Packet[] some = new Packet[room];
            for (int i = 0; i < count; i++) some[i] = packets[i];
            return some;
        }

        private Packet[] OpenPackets(byte[] content, int depth, int used) {
            if (depth > Limits.MaximumNested) throw new WireException("too_deep", "", -1);
            Packet[] packets = new Packet[4];
            int count = 0;
            for (int p = 0; !IsAtEnd(content, p); p += packets[count - 1].ByteCount) {
                CountPacket();
                if (count == packets.Length) packets = First(count, packets, 2 * count);
                try {
                    packets[count] = OpenPacket(content, p, depth, used);
                } catch (WireException error) {
                    throw InPacket(error, count);
                }
                count++;
            }
            return First(count, packets, count);
        }

        private byte[] SealPackets(InnerPackets group, Header header, int depth) {
            if (depth >= Limits.MaximumNested) throw new WireException("too_deep", "", -1);
            if (group.Packets == null) throw new WireException("wrong_type", "packets", -1);
            Writer content = new Writer(false);
            content.Begin("", 0);
            // #region streams
            int all = lasting;
            // #endregion
            for (int i = 0; i < group.Packets.Length; i++) {
                CountPacket();
                Packet packet = group.Packets[i];
                // #region streams
                lasting = 0;
                // #endregion
                try {
                    if (packet == null) throw new WireException("wrong_type", "", -1);
                    content.AppendBlob(Seal(packet.Message, packet.Header, depth + 1), "");
                } catch (WireException error) {
                    throw InPacket(error, i);
                }
                // #region streams
                all |= lasting;
                // #endregion
            }
            // #region streams
            lasting = all;
            // #endregion
            return Around(Cut(content.b, 0, content.Position()), group.Id, header, "packets", depth);
        }

        // #endregion
        /// <summary>A whole packet of a message.</summary>
        internal byte[] Seal(Message message, Header header, int depth) {
            if (message == null) throw new WireException("wrong_type", "", -1);
            Header given = header == null ? new Header() : header;
            // #region packets
            if (message is InnerPackets) return SealPackets((InnerPackets) message, given, depth);
            // #endregion
            Writer w = new Writer(false);
            w.Begin(message.MessageName, Limits.LongestHeader);
            // #region fixedHeaders
            given = message.Fix(w, given);
            // #endregion
            message.Write(w, given);
            string holds = message.MessageName == null ? "" : "message";
            return Around(Cut(w.b, Limits.LongestHeader, w.Position()), message.MessageId, given, holds, depth);
        }

        /// <summary>Some fields around a content.</summary>
        private static byte[] Wrapped(int part, ulong id, byte[] content, Header h) {
            Writer w = new Writer(false);
            w.Begin("packet", Limits.LongestHeader);
            w.AppendBlob(content, "");
            return Packets.Wrap(part, w, id, h);
        }

        /// <summary>The fields of a packet that are known before its layers are sealed, and which rules hold.</summary>
        private static Part Known(int shape, ulong id, Header h) {
            return ReadWhole(outers[shape] + 1, Wrapped(outers[shape] + 1, id, new byte[0], h), 0);
        }

        /// <summary>The fields of a section and what is after them. Fields before are written for their conditions only.</summary>
        private static byte[] Written(int part, Header h, byte[] content) {
            if (part < 0) return content;
            byte[] b = Wrapped(part, 0, content, h);
            return Cut(b, ReadWhole(part, b, 0).first, b.Length);
        }

        /// <summary>A whole packet of a content, of which holds says what it must be, if that is known.</summary>
        private byte[] Around(byte[] payload, ulong id, Header header, string holds, int depth) {
            int shape = Packets.ShapeOf(sender, c, depth > 0);
            Header settable = header.Copy();
            // #region threshold
            if (isSettable[shape] && !Packets.IsCountGiven(shape, header)) {
                // Whether there is a layer depends on how much there is without one.
                Header bare = Known(shape, id, settable).header;
                if (Packets.HasCount(shape, bare)) Packets.SetCount(shape, settable, 0);
                if (Packets.HasCount(shape, bare) && c.Threshold != null) {
                    Header tried = settable.Copy();
                    Packets.CopyIdentifiers(tried, bare);
                    int count = Written(sections[shape][sections[shape].Length - 1][0], tried, payload).Length;
                    if (count >= c.Threshold) Packets.SetCount(shape, settable, 1);
                }
            }
            // #endregion
            Part p = Known(shape, id, settable);
            // #region packets
            bool hasPackets = p.rules[Limits.RulePackets];
            if (!holds.Equals("") && holds.Equals("packets") != hasPackets) throw new WireException("presence", "packets", -1);
            // #endregion
            bool isOpaque = /*packets{*/!hasPackets && /*}*/p.rules[Limits.RuleOpaque];
            if (holds.Equals("message") && isOpaque) throw new WireException("presence", "opaque", -1);
            // Neither packets nor a part of a message set a state.
            if (/*packets{*/!hasPackets && /*}*/!isOpaque) Note(id);
            Header given = settable.Copy();
            Packets.CopyIdentifiers(given, p.header);
            byte[] content = payload;
            // #region counter
            bool counts = counterNames[shape] != null;
            // #endregion
            for (int i = sections[shape].Length - 1; i >= 0; i--) {
                int[] section = sections[shape][i];
                // #region counter
                // From here on the layers are around the field.
                if (counts && section[1] < counterFirsts[shape]) {
                    Count(shape, id, 0, settable, given, p);
                    counts = false;
                }
                // #endregion
                content = Written(section[0], given, content);
                for (int j = section.Length - 1; j > 0; j--) {
                    int n = section[j];
                    if (!p.rules[n]) continue;
                    // #region streams
                    lasting = WithStream(n, lasting);
                    // #endregion
                    // #region counter
                    if (counts) Count(shape, id, content.Length + counterConstants[shape], settable, given, p);
                    counts = false;
                    // #endregion
                    TakeInflated(n, content.Length);
                    content = Packets.SealLayer(this, n, p.header, content);
                }
            }
            // #region counter
            if (counts) Count(shape, id, 0, settable, given, p);
            // #endregion
            byte[] packet = Wrapped(outers[shape], 0, content, given);
            return /*frames{*/Frame.Framed(packet)/*}*//*!frames{packet}*/;
        }
        // #region counter

        /// <summary>Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.</summary>
        private static void Count(int shape, ulong id, int n, Header settable, Header given, Part p) {
            if (!Packets.HasCount(shape, p.header)) return;
            if (n > counterLimits[shape]) throw new WireException("out_of_range", counterNames[shape], -1);
            Header tried = settable.Copy();
            Packets.SetCount(shape, tried, n);
            bool[] rules = Known(shape, id, tried).rules;
            for (int i = 0; i < rules.Length; i++) {
                if (rules[i] != p.rules[i]) throw new WireException("length_too_small", counterNames[shape], -1);
            }
            Packets.SetCount(shape, p.header, n);
            Packets.SetCount(shape, given, n);
        }
        // #endregion
        // #region keys

        internal byte[] Key(int k, int n) {
            byte[] key = c.keys[sender == Sender.Server ? k + Limits.KeyCount : k];
            if (key == null) throw new WireException("layer_unavailable", layerNames[n], "give its key with SetKey");
            return key;
        }
        // #endregion
        // #region streams

        private int Place(int n) { return sender == Sender.Server ? n + Limits.LayerCount : n; }
        // #endregion
        // #region zlib

        internal byte[] OpenZlib(byte[] b, int n) {
            int head = b.Length < 2 ? 0 : (b[0] & 255) << 8 | b[1] & 255;
            bool isGood = head > 0 && head % 31 == 0 && (head >> 8 & 15) == 8 && head >> 12 < 8 && (head & 0x20) == 0;
            if (!isGood) throw Refused("invalid_layer", n);
            byte[] content = Inflate(b, 2, n);
            int sum = (int)Checksum.Adler32(content, 0, content.Length);
            isGood = after + 4 <= b.Length;
            for (int i = 0; isGood && i < 4; i++) isGood = (b[after + i] & 255) == (sum >> 24 - 8 * i & 255);
            if (!isGood) throw Refused("invalid_layer", n);
            if (after + 4 < b.Length) throw Refused("trailing_bytes", n);
            return content;
        }

        internal byte[] SealZlib(byte[] b, int n) {
            byte[] stream = Deflate(b, n);
            byte[] made = new byte[stream.Length + 6];
            made[0] = 0x78;
            made[1] = (byte)0x9C;
            System.Buffer.BlockCopy(stream, 0, made, 2, stream.Length);
            int sum = (int)Checksum.Adler32(b, 0, b.Length);
            for (int i = 0; i < 4; i++) made[stream.Length + 2 + i] = (byte)(sum >> 24 - 8 * i);
            return made;
        }
        // #endregion
        // #region deflate

        internal byte[] OpenDeflate(byte[] b, int n) {
            byte[] content = Inflate(b, 0, n);
            if (after < b.Length) throw Refused("trailing_bytes", n);
            return content;
        }

        internal byte[] SealDeflate(byte[] b, int n) { return Deflate(b, n); }
        // #endregion
        // #region gzip

        private static int U16(byte[] b, int p) { return b[p] & 255 | (b[p + 1] & 255) << 8; }

        /// <summary>Where the stream of deflate begins after a head; of one that is damaged, after the last byte.</summary>
        private static int GzipHead(byte[] b) {
            bool isGood = b.Length >= 10 && U16(b, 0) == 0x8B1F && b[2] == 8 && (b[3] & 0xE0) == 0;
            if (!isGood) return b.Length + 1;
            int p = 10;
            if ((b[3] & 4) != 0) p += b.Length < 12 ? 2 : 2 + U16(b, 10);
            for (int flag = 8; flag <= 16; flag *= 2) {
                if ((b[3] & flag) == 0) continue;
                while (p < b.Length && b[p] != 0) p++;
                p++;
            }
            if ((b[3] & 2) == 0) return p;
            isGood = p + 2 <= b.Length && U16(b, p) == (int)(Checksum.Crc32(b, 0, p) & 0xFFFF);
            return isGood ? p + 2 : b.Length + 1;
        }

        internal byte[] OpenGzip(byte[] b, int n) {
            int head = GzipHead(b);
            if (head > b.Length) throw Refused("invalid_layer", n);
            byte[] content = Inflate(b, head, n);
            int crc = (int)Checksum.Crc32(content, 0, content.Length);
            bool isGood = after + 8 <= b.Length;
            for (int i = 0; isGood && i < 4; i++) {
                isGood = (b[after + i] & 255) == (crc >> 8 * i & 255) && (b[after + 4 + i] & 255) == (content.Length >> 8 * i & 255);
            }
            if (!isGood) throw Refused("invalid_layer", n);
            if (after + 8 < b.Length) throw Refused("trailing_bytes", n);
            return content;
        }

        internal byte[] SealGzip(byte[] b, int n) {
            byte[] stream = Deflate(b, n);
            byte[] made = new byte[stream.Length + 18];
            made[0] = 0x1F;
            made[1] = (byte)0x8B;
            made[2] = 8;
            made[9] = (byte)0xFF;
            System.Buffer.BlockCopy(stream, 0, made, 10, stream.Length);
            int crc = (int)Checksum.Crc32(b, 0, b.Length);
            for (int i = 0; i < 4; i++) {
                made[stream.Length + 10 + i] = (byte)(crc >> 8 * i);
                made[stream.Length + 14 + i] = (byte)(b.Length >> 8 * i);
            }
            return made;
        }
        // #endregion
        // #region xor

        internal byte[] XorKey(byte[] b, byte[] key, int n) {
            byte[] made = new byte[b.Length];
            for (int i = 0; i < b.Length; i++) made[i] = (byte)(b[i] ^ key[i % key.Length]);
            return made;
        }
        // #endregion
        // #region rc4

        /// <summary>Goes on with the keystream from packet to packet.</summary>
        internal byte[] Rc4(byte[] b, byte[] key, int n) {
            Keystream before = streams[Place(n)];
            int[] s = new int[256];
            int i = 0;
            int j = 0;
            for (int k = 0; k < 256; k++) s[k] = before == null ? k : before.s[k];
            for (int k = 0; before == null && k < 256; k++) {
                j = j + s[k] + key[k % key.Length] & 255;
                int x = s[k];
                s[k] = s[j];
                s[j] = x;
            }
            i = before == null ? 0 : before.i;
            j = before == null ? 0 : before.j;
            byte[] made = new byte[b.Length];
            for (int k = 0; k < b.Length; k++) {
                i = i + 1 & 255;
                j = j + s[i] & 255;
                int x = s[i];
                s[i] = s[j];
                s[j] = x;
                made[k] = (byte)(b[k] ^ s[s[i] + s[j] & 255]);
            }
            streams[Place(n)] = new Keystream(0, s, i, j);
            return made;
        }
        // #endregion
        // #region aes

        private static byte[] Vector(byte[] start, int n) {
            if (start == null || start.Length != 16) throw Refused("layer_unavailable", n);
            return start;
        }
        // #endregion
        // #region aes_ctr

        /// <summary>The keystream of counters from start on, of which some bytes were used before.</summary>
        internal byte[] AesCTR(byte[] b, byte[] key, byte[] start, long used, int n) {
            byte[] count = new byte[16];
            long carry = used / 16;
            for (int i = 15; i >= 0; i--) {
                carry += Vector(start, n)[i] & 255;
                count[i] = (byte)(carry & 255);
                carry >>= 8;
            }
            int skipped = (int)(used % 16);
            byte[] made = new byte[skipped + b.Length];
            System.Buffer.BlockCopy(b, 0, made, skipped, b.Length);
            return Cut(Counted(key, count, made, n), skipped, made.Length);
        }
        // #endregion
        // #region aes_ctr_lasting

        /// <summary>Goes on with the keystream from packet to packet.</summary>
        internal byte[] AesCTRLasting(byte[] b, byte[] key, byte[] start, int n) {
            Keystream before = streams[Place(n)];
            long used = before == null ? 0 : before.used;
            byte[] made = AesCTR(b, key, start, used, n);
            streams[Place(n)] = new Keystream(used + b.Length, null, 0, 0);
            return made;
        }
        // #endregion
        // #region aes_cbc

        internal byte[] OpenCBC(byte[] b, byte[] key, byte[] start, int n) {
            if (b.Length == 0 || b.Length % 16 != 0) throw Refused("invalid_layer", n);
            byte[] made = Chained(false, key, Vector(start, n), b, n);
            int count = made[made.Length - 1];
            bool isPadded = count >= 1 && count <= 16;
            for (int i = 1; isPadded && i <= count; i++) isPadded = made[made.Length - i] == count;
            if (!isPadded) throw Refused("invalid_layer", n);
            return Cut(made, 0, made.Length - count);
        }

        internal byte[] SealCBC(byte[] b, byte[] key, byte[] start, int n) {
            int count = 16 - b.Length % 16;
            byte[] padded = new byte[b.Length + count];
            System.Buffer.BlockCopy(b, 0, padded, 0, b.Length);
            for (int i = b.Length; i < padded.Length; i++) padded[i] = (byte)count;
            return Chained(true, key, Vector(start, n), padded, n);
        }
        // #endregion
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
                throw Refused(FillsRoom(b, from) ? "inflated_too_long" : "invalid_layer", n);
            } catch (System.IO.IOException) {
                throw Refused(FillsRoom(b, from) ? "inflated_too_long" : "invalid_layer", n);
            }
            if (pieces.isOver) throw Refused("invalid_layer", n);
            after = (int)pieces.Position;
            return Cut(content, 0, count);
        }

        /// <summary>Whether a stream with a flaw fills the room of the limit before it: then it makes more.</summary>
        private bool FillsRoom(byte[] b, int from) {
            var room = new byte[left];
            int count = 0;
            try {
                using (var stream = new System.IO.Compression.DeflateStream(new Pieces(b, from, b.Length), System.IO.Compression.CompressionMode.Decompress)) {
                    for (int made = 1; made > 0 && count < left; count += made) made = stream.Read(room, count, left - count);
                }
            } catch (System.IO.InvalidDataException) {
                return false;
            } catch (System.IO.IOException) {
                return false;
            }
            return left > 0 && count == left;
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
        // #region aes_ctr

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
        // #region aes_cbc

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
        // #region program

        private Layer Own(int place, int n) {
            Layer layer = c.layers[sender == Sender.Server ? place + Limits.OwnCount : place];
            if (layer == null) throw new WireException("layer_unavailable", layerNames[n], "give it with SetLayer");
            return layer;
        }

        /// <summary>Any exception of a layer says that the bytes are damaged; one of this class says how.</summary>
        internal byte[] OpenOwn(byte[] b, Header h, int place, int n) {
            Layer layer = Own(place, n);
            byte[] content;
            try {
                content = layer.Open(b, h, left);
            } catch (WireException error) {
                throw Refused(error.Kind, n);
            } catch (System.Exception) {
                throw Refused("invalid_layer", n);
            }
            if (content == null) throw Refused("inflated_too_long", n);
            return content;
        }

        internal byte[] SealOwn(byte[] b, Header h, int place, int n) {
            Layer layer = Own(place, n);
            byte[] bytes;
            try {
                bytes = layer.Seal(b, h);
            } catch (WireException error) {
                throw Refused(error.Kind, n);
            } catch (System.Exception) {
                throw Refused("invalid_layer", n);
            }
            if (bytes == null) throw Refused("invalid_layer", n);
            return bytes;
        }
        // #endregion
    }
    // #endregion

    // #region keystream
    /// <summary>Where a keystream goes on: how many bytes it gave, or the state of RC4.</summary>
    internal sealed class Keystream {
        internal readonly long used;
        internal readonly int[] s;
        internal readonly int i;
        internal readonly int j;

        internal Keystream(long used, int[] s, int i, int j) {
            this.used = used;
            this.s = s;
            this.i = i;
            this.j = j;
        }
    }
    // #endregion

    // #region innerPackets
    /// <summary>Whole packets in a packet, each with its header. A splitter gives them one by one in its place.</summary>
    public sealed class InnerPackets : Message {
        public ulong Id;
        public Packet[] Packets = {};

        public override string MessageName { get { return null; } }

        public override ulong MessageId { get { return Id; } }

        /// <summary>Who sends the first message sends them all. Packets that hold too many others have none: they may hold themselves.</summary>
        internal override Sender? MessageSender {
            get {
                Message first = this;
                for (int depth = 0; depth <= Limits.MaximumNested && first is InnerPackets; depth++) {
                    Packet[] own = ((InnerPackets)first).Packets;
                    first = own == null || own.Length == 0 || own[0] == null ? null : own[0].Message;
                }
                return first == null || first is InnerPackets ? null : first.MessageSender;
            }
        }

        internal override void Read(Reader r, Header h) { r.Require(false, "wrong_type", ""); }

        internal override void Write(Writer w, Header h) { w.Require(false, "wrong_type", ""); }
    }
    // #endregion

    // #region connectionClass
    /// <summary>CONNECTION_DOCUMENTATION</summary>
    public sealed class Connection {
        // #region called
        // #region members
        // #region threshold
        /// <summary>From how many bytes on a content gets a layer that asks for its count; without it none does.</summary>
        public int? Threshold;
        // #endregion
        // #region streams
        internal Keystream[] streams = new Keystream[Limits.StreamRoom];

        // #endregion
        // #region keys
        internal byte[][] keys = new byte[Limits.KeyRoom][];

        /// <summary>Sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew.</summary>
        public void SetKey(string name, byte[] key, params Sender[] senders) {
            int k = Work.IndexOf(name, Work.keyNames);
            if (k < 0) throw new WireException("unknown_key", "key." + name, -1);
            bool fits = false;
            for (int i = 0; i < Work.keySizes[k].Length && key != null; i += 2) {
                if (key.Length >= Work.keySizes[k][i] && key.Length <= Work.keySizes[k][i + 1]) fits = true;
            }
            if (!fits) throw new WireException("wrong_key", "key." + name, -1);
            for (int i = 0; i < 2; i++) {
                if (!Work.IsFor(i == 0 ? Sender.Client : Sender.Server, senders)) continue;
                keys[k + Limits.KeyCount * i] = Work.Cut(key, 0, key.Length);
                // #region streams
                for (int j = 0; j < Work.keyLayers[k].Length; j++) streams[Work.keyLayers[k][j] + Limits.LayerCount * i] = null;
                // #endregion
            }
        }

        // #endregion
        // #region program
        internal Layer[] layers = new Layer[Limits.OwnRoom];

        /// <summary>Gives a layer of the program for the packets of both sides, or of those that are given: LAYER_NAMES.</summary>
        public void SetLayer(string name, Layer layer, params Sender[] senders) {
            int n = Work.IndexOf(name, Work.programLayers);
            if (n < 0) throw new WireException("unknown_layer", "layer." + name, -1);
            for (int i = 0; i < 2; i++) {
                if (Work.IsFor(i == 0 ? Sender.Client : Sender.Server, senders)) layers[n + Limits.OwnCount * i] = layer;
            }
        }

        // #endregion
        // #endregion
        // #endregion
    }
    // #endregion
}
