// SPDX-License-Identifier: Apache-2.0

/**
 * The runtime of generated Java, with all that a protocol can need.
 *
 * <p>Comments mark its regions, which stay for a feature of the protocol, or with {@code !} without it. Code that cannot
 * stand beside that of a feature is in comments. Of a region {@code called} the methods stay that generated code calls; in
 * {@code Work} the tables of the protocol take its place. The generator replaces the constants by their values.
 */
class Runtime {
    Runtime() {}

    static final int MAXIMUM_DEPTH = 64;
    static final int MAXIMUM_SIZE = 1 << 20;
    static final int MAXIMUM_INFLATED = 1 << 20;
    static final int MAXIMUM_NESTED = 8;
    static final int LONGEST_HEADER = 8;
    static final int RULE_PACKETS = 1;
    static final int RULE_OPAQUE = 2;
    static final int LAYER_COUNT = 1;
    static final int STREAM_ROOM = 2;
    static final int KEY_COUNT = 1;
    static final int KEY_ROOM = 2;
    static final int OWN_COUNT = 1;
    static final int OWN_ROOM = 2;
    static final int FRAME_START = 0x7E;
    static final int FRAME_END = 0x7E;
    static final int FRAME_MARK_COUNT = 1;
    static final int[][] FRAME_ESCAPES = {{0x7E, 0x7D, 2}, {0x7D, 0x7D, 1}};

    /** The header of a packet, which is the schema's. */
    static final class Header {
        Header copy() { return new Header(); }
    }

    // #region api
    // #region connection
    /** A whole packet of a message, with the header's defaults. Nothing is cut to fit. It is the first one of a connection. */
    // #endregion
    // #region !connection
    //| /** A whole packet of a message, with the header's defaults. Nothing is cut to fit. */
    // #endregion
    public static byte[] encode(Message message) throws WireException { return encode(message, null); }

    /**
     * A whole packet of a message. Of the header, which may be that of the packet that is answered, what a caller can set is taken.
     * #region dependsOnSender
     * A message that both sides send needs the sender.
     * #endregion
     * #region connection
     * It is the first one of a connection.
     * #endregion
     */
    // #region connection
    public static byte[] encode(Message message, Header header, Sender sender) throws WireException {
        return encode(message, header, sender, new Connection());
    }

    // #endregion
    /*connection{*/private/*}*//*!connection{public}*/ static byte[] encode(Message message, Header header/*sender{*/, Sender sender/*}*//*connection{*/, Connection connection/*}*/) throws WireException {
        return written(/*!layers{new Writer(false), }*/message, header/*sender{*/, sender/*}*//*connection{*/, connection/*}*/);
    }

    /** Puts a whole packet of a message into a writer, in place of what it has; null is the header's defaults. */
    /*connection{*/private/*}*//*!connection{public}*/ static void encode(Message message, Header header/*sender{*/, Sender sender/*}*//*connection{*/, Connection connection/*}*/, PacketWriter writer) throws WireException {
        writer.take(null, 0, 0);
        byte[] bytes = written(/*!layers{writer.w, }*/message, header/*sender{*/, sender/*}*//*connection{*/, connection/*}*/);
        writer.take(bytes, /*copied{*/0, bytes.length/*}*//*!copied{writer.w.from, writer.w.size}*/);
    }

    private static byte[] written(/*!layers{Writer w, }*/Message message, Header header/*sender{*/, Sender sender/*}*//*connection{*/, Connection connection/*}*/) throws WireException {
        if (message == null) throw new WireException("wrong_type", "", -1);
        // #region !layers
        //| Header h = header == null ? Writer.DEFAULTS : header;
        //| w.begin(message.messageName(), LONGEST_HEADER);
        // #endregion
        // #region sender
        Sender side = sender == null ? message.messageSender() : sender;
        if (side == null) /*dependsOnSender{*/throw new WireException("needs_sender", "", -1)/*}*//*!dependsOnSender{side = Sender.CLIENT}*/;
        // #endregion
        // #region layers
        Work work = new Work(side, connection);
        byte[] packet = work.seal(message, header, 0);
        work.commit();
        return packet;
        // #endregion
        // #region !layers
        // #region fixedHeaders
        //| h = message.fix(w, h);
        // #endregion
        //| message.write(w, h);
        //| w.begin("packet");
        //| return /*frames{*/Frame.framed(/*}*/wrap/*sender{*/From/*}*/(/*sender{*/side, /*}*/w, message.messageId(), h/*connection{*/, connection/*}*/)/*frames{*/)/*}*/;
        // #endregion
    }

    // #region sender
    // #region connection
    /** A whole packet of a message that only one side sends. It is the first one of a connection. */
    // #endregion
    // #region !connection
    //| /** A whole packet of a message that only one side sends. */
    // #endregion
    public static byte[] encode(Message message, Header header) throws WireException { return encode(message, header, null); }

    // #region !layers
    //| private static byte[] wrapFrom(Sender sender, Writer w, long id, Header h/*connection{*/, Connection connection/*}*/) throws WireException {
    // #region connection
    //|     byte[] packet = wrap(shapeOf(sender, connection), w, id, h);
    //|     change(connection, sender, id);
    //|     return packet;
    // #endregion
    // #region !connection
    //|     return sender == Sender.SERVER ? wrapServer(w, id, h) : wrapClient(w, id, h);
    // #endregion
    //| }

    // #endregion
    // #endregion
    // #region connection
    /** The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown. It is the first one of a connection. */
    // #endregion
    // #region !connection
    //| /** The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown. */
    // #endregion
    public static Packet decode(byte[] bytes, int offset, int count, Sender sender) throws WireException {
        // #region connection
        return decode(bytes, offset, count, sender, new Connection());
    }

    private static Packet decode(byte[] bytes, int offset, int count, Sender sender, Connection connection) throws WireException {
        // #endregion
        // #region frames
        Frame frame = new Frame();
        return frame.take(bytes, offset, offset + count) ? unframed(frame, sender/*connection{*/, connection/*}*/) : null;
        // #endregion
        // #region !frames
        //| return unwrapped(new Reader(bytes, offset, count), sender/*connection{*/, connection/*}*/);
        // #endregion
    }

    // #region connection
    /** The packet that bytes begin with; null if it has not arrived whole. It is the first one of a connection. */
    // #endregion
    // #region !connection
    //| /** The packet that bytes begin with; null if it has not arrived whole. */
    // #endregion
    public static Packet decode(byte[] bytes, Sender sender) throws WireException { return decode(bytes, 0, bytes.length, sender); }

    private static Packet unwrapped(Reader r, Sender sender/*connection{*/, Connection connection/*}*/) throws WireException {
        // #region layers
        Work work = new Work(sender, connection);
        Packet packet = work.open(r, 0, 0);
        if (packet != null) work.commit();
        return packet;
        // #endregion
        // #region !layers
        // #region connection
        //| Packet packet = unwrap(shapeOf(sender, connection), r, sender);
        //| if (packet != null) change(connection, sender, packet.message.messageId());
        //| return packet;
        // #endregion
        // #region !connection
        //| return /*sender{*/sender == Sender.SERVER ? unwrapServer(r, sender) : unwrapClient(r, sender)/*}*//*!sender{unwrap(r, sender)}*/;
        // #endregion
        // #endregion
    }

    // #region frames
    private static Packet unframed(Frame frame, Sender sender/*connection{*/, Connection connection/*}*/) throws WireException {
        Packet packet = unwrapped(new Reader(frame.b, 0, frame.n), sender/*connection{*/, connection/*}*/);
        if (packet == null) throw new WireException("truncated", "", frame.n);
        return new Packet(packet.message, packet.header, frame.count);
    }

    // #endregion
    // #region !layers
    //| private static Packet receive(Reader r, long id, Header header, int total, Sender sender/*fixedHeaders{*/, int[] at/*}*/) throws WireException {
    //|     Message message = make(id, sender);
    // #region fixedHeaders
    //|     message.verify(r, header, at);
    // #endregion
    //|     r.begin(message.messageName());
    //|     message.read(r, header);
    //|     return new Packet(message, header, total);
    //| }
    // #endregion
    // #endregion

    // #region types
    /** Why bytes are no packet of this protocol, or why a value cannot be written. */
    public static final class WireException extends java.io.IOException {
        private static final long serialVersionUID = 1L;
        /** What is wrong, in one word: {@code truncated}, {@code out_of_range}, … */
        public final String kind;
        /** The field, in the schema's names: {@code Sc_20001.items[1].count}. Empty if no field is to blame. */
        public final String path;
        /** Bytes from the packet's first one; -1 if a value could not be written. */
        public final int offset;

        public WireException(String kind, String path, int offset) {
            super((path.isEmpty() ? "" : path + ": ") + kind + (offset < 0 ? "" : " at offset " + offset));
            this.kind = kind;
            this.path = path;
            this.offset = offset;
        }
        // #region layers

        WireException(String kind, String path, String advice) {
            super(path + ": " + kind + ": " + advice);
            this.kind = kind;
            this.path = path;
            this.offset = -1;
        }
        // #endregion
    }

    /** Who has sent a packet. */
    public enum Sender { CLIENT, SERVER }

    public abstract static class Message {
        /** The schema's name; null if the schema does not know it. */
        public abstract String messageName();

        /** 64 bits without a sign. */
        public abstract long messageId();

        abstract void read(Reader r, Header h) throws WireException;

        abstract void write(Writer w, Header h) throws WireException;
        // #region sender

        Sender messageSender() { return null; }
        // #endregion
        // #region fixedHeaders

        void verify(Reader r, Header h, int[] at) throws WireException {}

        Header fix(Writer w, Header given) throws WireException { return given; }
        // #endregion
    }

    /** A message that the schema does not know. It can be encoded, too. */
    public static final class UnknownMessage extends Message {
        public long id;
        public byte[] payload = new byte[0];

        @Override public String messageName() { return null; }

        @Override public long messageId() { return id; }

        @Override void read(Reader r, Header h) throws WireException { payload = r.blob(r.rest(-1, "payload"), "payload"); }

        @Override void write(Writer w, Header h) throws WireException {
            w.reserve(w.blobLength(payload));
            w.appendBlob(payload, "payload");
        }
    }

    /** A message that was received, with its packet's header. */
    public static final class Packet {
        public final Message message;
        public final Header header;
        /** How many bytes the packet had. */
        public final int byteCount;

        // #region packets
        /** A packet to write inside of another one; null is the header's defaults. */
        public Packet(Message message, Header header) { this(message, header, 0); }

        // #endregion
        Packet(Message message, Header header, int byteCount) {
            this.message = message;
            this.header = header;
            this.byteCount = byteCount;
        }
    }

    // #region layers
    /** Keeps the bytes of one packet, and is used again for the next one. It is for one thread at a time. */
    // #endregion
    // #region !layers
    //| /** Keeps the bytes of one packet, and is used again for the next one: then nothing is allocated. It is for one thread at a time. */
    // #endregion
    public static final class PacketWriter {
        // #region !layers
        //| final Writer w = new Writer(/*frames{*/false/*}*//*!frames{true}*/);
        // #endregion
        private byte[] bytes;
        private int offset;
        private int count;

        void take(byte[] bytes, int offset, int count) {
            this.bytes = bytes;
            this.offset = offset;
            this.count = count;
        }

        /** The array with the packet, up to the next one; null before the first one and after an error. */
        public byte[] bytes() { return bytes; }

        /** Where the packet begins in the array. */
        public int offset() { return offset; }

        /** How many bytes the packet has. */
        public int count() { return count; }
    }

    /** Finds the packets in a stream, however they are merged and split. After an error it stays failed. */
    public static final class Splitter {
        private final Sender sender;
        private byte[] buffer = new byte[1024];
        private int start;
        private int end;
        private /*frames{*/Frame frame = new Frame()/*}*//*!frames{int wanted = 1}*/;
        private WireException failure;
        // #region packets
        private final java.util.ArrayDeque<Packet> inner = new java.util.ArrayDeque<>();
        // #endregion
        // #region connection
        private final Connection connection;
        // #region !frames
        //| private int shape = -1;
        // #endregion

        /** Finds the packets of a new connection. */
        public Splitter(Sender sender) { this(sender, new Connection()); }

        /** Finds the packets that one side sends on a connection. */
        public Splitter(Sender sender, Connection connection) {
            this.sender = sender;
            this.connection = connection;
        }
        // #endregion
        // #region !connection

        //| public Splitter(Sender sender) { this.sender = sender; }
        // #endregion

        /** Takes what has arrived; the bytes are copied. */
        public void push(byte[] bytes, int offset, int count) {
            if (end + count > buffer.length) {
                int held = end - start;
                // What is held moves only when that makes much room, so that no byte moves often.
                byte[] room = 2 * held + count > buffer.length ? new byte[2 * (held + count)] : buffer;
                System.arraycopy(buffer, start, room, 0, held);
                buffer = room;
                start = 0;
                end = held;
            }
            System.arraycopy(bytes, offset, buffer, end, count);
            end += count;
        }

        /** The next packet; null if more bytes are needed. */
        public Packet next() throws WireException {
            // #region packets
            if (!inner.isEmpty()) return inner.poll();
            // #endregion
            if (failure != null) throw failure;
            try {
                return /*packets{*/takeInner()/*}*//*!packets{take()}*/;
            } catch (WireException error) {
                failure = error;
                throw error;
            }
        }

        /** Says that the stream has ended: that is an error inside a packet. */
        public void finish() throws WireException {
            if (failure == null && /*frames{*/frame.isInside()/*}*//*!frames{end > start}*/) failure = new WireException("end_of_stream", "", /*frames{*/frame.n/*}*//*!frames{end - start}*/);
            if (failure != null) throw failure;
        }

        // #region packets
        /** The next packet that holds no others. */
        private Packet takeInner() throws WireException {
            while (inner.isEmpty()) {
                Packet packet = take();
                if (packet == null) return null;
                flatten(packet);
            }
            return inner.poll();
        }

        private void flatten(Packet packet) {
            if (!(packet.message instanceof InnerPackets)) {
                inner.add(packet);
                return;
            }
            for (Packet own : ((InnerPackets) packet.message).packets) flatten(own);
        }

        // #endregion
        private Packet take() throws WireException {
            // #region frames
            int before = frame.count;
            boolean isWhole = frame.take(buffer, start, end);
            consume(frame.count - before);
            if (!isWhole) return null;
            Frame whole = frame;
            frame = new Frame();
            return unframed(whole, sender/*connection{*/, connection/*}*/);
            // #endregion
            // #region !frames
            // #region connection
            //| // How much is needed depends on the packet's shape, which packets of the other side may change.
            //| int now = shapeOf(sender, connection/*layers{*/, false/*}*/);
            //| if (now != shape) {
            //|     shape = now;
            //|     wanted = 1;
            //| }
            // #endregion
            //| // A packet that has not arrived whole is not tried again before it can have.
            //| if (end - start < wanted) return null;
            //| Reader r = new Reader(buffer, start, end - start);
            //| Packet packet = unwrapped(r, sender/*connection{*/, connection/*}*/);
            //| wanted = packet == null ? Math.max(r.wanted, end - start + 1) : 1;
            //| if (packet != null) consume(packet.byteCount);
            //| return packet;
            // #endregion
        }

        private void consume(int count) {
            start += count;
            if (start < end) return;
            start = 0;
            end = 0;
            if (buffer.length > 65536) buffer = new byte[1024];
        }
    }
    // #endregion

    // #region steps
    /** The names of the values that a reader or a writer is in. */
    abstract static class Steps {
        private static final String[] NO_NAMES = {};
        private static final int[] NO_INDICES = {};
        /** The outermost name; the others have arrays only if there are any. */
        private String base;
        private String[] names = NO_NAMES;
        private int[] indices = NO_INDICES;
        private int count;
        private int depth;

        /** Begins anew, in a value with a name; null for none. */
        final void begin(String name) {
            base = name == null ? "" : name;
            count = 0;
            depth = MAXIMUM_DEPTH;
        }

        final void enter(String f) {
            if (count == names.length) {
                names = java.util.Arrays.copyOf(names, 2 * count + 4);
                indices = java.util.Arrays.copyOf(indices, 2 * count + 4);
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
            StringBuilder text = new StringBuilder(base);
            for (int i = 0; i <= count; i++) {
                String name = i == count ? f : names[i];
                if (text.length() > 0 && !name.isEmpty()) text.append('.');
                text.append(name);
                if (i < count && indices[i] >= 0) text.append('[').append(indices[i]).append(']');
            }
            return text.toString();
        }
    }
    // #endregion

    // #region reader
    static final class Reader extends Steps {
        // #region layers
        /** The most bytes of a packet. */
        int limit = MAXIMUM_SIZE;
        // #endregion
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
            b = bytes;
            this.start = start;
            size = count;
            p = start;
            end = start + count;
            begin("packet");
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

        /** Whether fewer bytes are left. */
        boolean lacks(int n) { return end - p < n; }

        /** Goes over numbers that are there, of which the last one has so many bytes; returns their index in the bytes. */
        int run(int n, int width) {
            int q = p;
            p = q + n;
            last = p - width;
            return q;
        }

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

        // #region called
        // Numbers.

        int u8At(int q) { return b[q] & 255; }

        int i8At(int q) { return b[q]; }

        int u16At(int q) { return (b[q] & 255) << 8 | b[q + 1] & 255; }

        int u16LittleAt(int q) { return b[q] & 255 | (b[q + 1] & 255) << 8; }

        int i16At(int q) { return (short) u16At(q); }

        int i16LittleAt(int q) { return (short) u16LittleAt(q); }

        int u24At(int q) { return (int) uintAt(q, 3, false); }

        int u24LittleAt(int q) { return (int) uintAt(q, 3, true); }

        int i24At(int q) { return (int) sintAt(q, 3, false); }

        int i24LittleAt(int q) { return (int) sintAt(q, 3, true); }

        int i32At(int q) { return b[q] << 24 | (b[q + 1] & 255) << 16 | (b[q + 2] & 255) << 8 | b[q + 3] & 255; }

        int i32LittleAt(int q) { return Integer.reverseBytes(i32At(q)); }

        long u32At(int q) { return i32At(q) & 0xFFFFFFFFL; }

        long u32LittleAt(int q) { return i32LittleAt(q) & 0xFFFFFFFFL; }

        long i64At(int q) { return (long) i32At(q) << 32 | u32At(q + 4); }

        long i64LittleAt(int q) { return Long.reverseBytes(i64At(q)); }

        long u64At(int q) { return i64At(q); }

        long u64LittleAt(int q) { return i64LittleAt(q); }

        long uintAt(int q, int n, boolean little) {
            long v = 0;
            for (int i = 0; i < n; i++) v = v << 8 | b[little ? q + n - 1 - i : q + i] & 255;
            return v;
        }

        long sintAt(int q, int n, boolean little) { return uintAt(q, n, little) << 64 - 8 * n >> 64 - 8 * n; }

        /** The number that 16 bits stand for. */
        private static double value16(int n) {
            int exponent = n >> 10 & 31, fraction = n & 1023;
            double v = exponent == 31 ? fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN
                : exponent == 0 ? fraction / 16777216.0 : Double.longBitsToDouble((exponent + 1008L) << 52 | (long) fraction << 42);
            return n < 0x8000 ? v : -v;
        }

        double f16At(int q) { return value16(u16At(q)); }

        double f16LittleAt(int q) { return value16(u16LittleAt(q)); }

        float f32At(int q) { return Float.intBitsToFloat(i32At(q)); }

        float f32LittleAt(int q) { return Float.intBitsToFloat(i32LittleAt(q)); }

        double f64At(int q) { return Double.longBitsToDouble(i64At(q)); }

        double f64LittleAt(int q) { return Double.longBitsToDouble(i64LittleAt(q)); }

        int u8(String f) throws WireException { return u8At(go(1, f)); }

        int i8(String f) throws WireException { return i8At(go(1, f)); }

        int u16(String f) throws WireException { return u16At(go(2, f)); }

        int u16Little(String f) throws WireException { return u16LittleAt(go(2, f)); }

        int i16(String f) throws WireException { return i16At(go(2, f)); }

        int i16Little(String f) throws WireException { return i16LittleAt(go(2, f)); }

        int u24(String f) throws WireException { return u24At(go(3, f)); }

        int u24Little(String f) throws WireException { return u24LittleAt(go(3, f)); }

        int i24(String f) throws WireException { return i24At(go(3, f)); }

        int i24Little(String f) throws WireException { return i24LittleAt(go(3, f)); }

        int i32(String f) throws WireException { return i32At(go(4, f)); }

        int i32Little(String f) throws WireException { return i32LittleAt(go(4, f)); }

        long u32(String f) throws WireException { return u32At(go(4, f)); }

        long u32Little(String f) throws WireException { return u32LittleAt(go(4, f)); }

        long i64(String f) throws WireException { return i64At(go(8, f)); }

        long i64Little(String f) throws WireException { return i64LittleAt(go(8, f)); }

        long u64(String f) throws WireException { return u64At(go(8, f)); }

        long u64Little(String f) throws WireException { return u64LittleAt(go(8, f)); }

        /** A number of up to 8 bytes without a sign. */
        long uint(int n, boolean little, String f) throws WireException { return uintAt(go(n, f), n, little); }

        /** A number of up to 8 bytes with a sign. */
        long sint(int n, boolean little, String f) throws WireException { return sintAt(go(n, f), n, little); }

        double f16(String f) throws WireException { return f16At(go(2, f)); }

        double f16Little(String f) throws WireException { return f16LittleAt(go(2, f)); }

        float f32(String f) throws WireException { return f32At(go(4, f)); }

        float f32Little(String f) throws WireException { return f32LittleAt(go(4, f)); }

        double f64(String f) throws WireException { return f64At(go(8, f)); }

        double f64Little(String f) throws WireException { return f64LittleAt(go(8, f)); }

        boolean bool(String f) throws WireException { return boolAt(go(1, f), f); }

        boolean boolAt(int q, String f) throws WireException {
            if (b[q] != 0 && b[q] != 1) throw error("invalid_boolean", f, q);
            return b[q] == 1;
        }

        /** Unsigned LEB128 of at most so many bytes and 64 bits. */
        long varint(int most, String f) throws WireException {
            long v = 0;
            last = p;
            for (int i = 0; i < most; i++) {
                if (p + i >= end) throw error("truncated", f, p);
                int x = b[p + i] & 255;
                if (i == 9 && x > 1) break;
                // #region shortest
                if (x == 0 && i > 0) throw error("varint_not_shortest", f, p);
                // #endregion
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

        // Counts, and what goes into values.

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

        // Text and bytes of fixed width.

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

        // What takes packets apart.

        /** The bytes of the whole packet, by one of its lengths. */
        int packetSize(long length, int difference, int least, int place) throws WireException {
            long size = Math.min(length, 1L << 62) + difference;
            if (size < least) throw new WireException("length_too_small", "", place);
            // #region !layers
            if (size > MAXIMUM_SIZE) throw new WireException("packet_too_long", "", place);
            // #endregion
            // #region layers
            if (size > limit) throw new WireException("packet_too_long", "", place);
            // #endregion
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
        // #endregion
    }
    // #endregion

    // #region writer
    static final class Writer extends Steps {
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

        // #region called
        // Numbers.

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

        /** The nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0. */
        double nearest16(double v, String f) throws WireException {
            double a = Math.abs(v);
            require(a < 65520 || v != v || Double.isInfinite(v), "number_too_large", f);
            if (!(a < 65520)) return v;
            if (a < 1 / 16384.0) return Math.copySign(Math.rint(a * 16777216) / 16777216, v);
            long bits = Double.doubleToLongBits(v);
            return Double.longBitsToDouble(bits + 0x1FFFFFFFFFFL + (bits >> 42 & 1) & -1L << 42);
        }

        /** The bits of a number that has 16 of them; those of the quiet NaN for each NaN. */
        private static int bits16(double v) {
            if (v != v) return 0x7E00;
            long bits = Double.doubleToLongBits(v);
            double a = Math.abs(v);
            int magnitude = a < 1 / 16384.0 ? (int) (a * 16777216) : (int) Math.min((bits >> 42 & 0x1FFFFF) - 0xFC000, 0x7C00);
            return (bits < 0 ? 0x8000 : 0) | magnitude;
        }

        void setF16(int q, double v, String f) throws WireException { setU16(q, bits16(nearest16(v, f)), f); }

        void setF16Little(int q, double v, String f) throws WireException { setU16Little(q, bits16(nearest16(v, f)), f); }

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

        void putF16(double v, String f) throws WireException { setF16(room(2), v, f); }

        void putF16Little(double v, String f) throws WireException { setF16Little(room(2), v, f); }

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

        // Text, bytes and counts.

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
        // #endregion
    }
    // #endregion

    // #region checksum
    static final class Checksum {
        // #region called
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
        // #endregion
    }
    // #endregion

    // #region filled
    interface Maker<T> { T make(); }

    private static <T> T[] filled(T[] items, Maker<T> maker) {
        for (int i = 0; i < items.length; i++) items[i] = maker.make();
        return items;
    }
    // #endregion

    // #region layer
    /** A layer that the program gives, for what one side sends or both do. Any exception says that the bytes are damaged. */
    public interface Layer {
        /** What is inside of bytes; null if it is longer than the limit. */
        byte[] open(byte[] bytes, Header header, int limit) throws Exception;

        byte[] seal(byte[] content, Header header) throws Exception;
    }
    // #endregion

    // #region frame
    /** What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them. */
    static final class Frame {
        /** Each byte that is escaped, and the two that stand for it. */
        private static final int[][] ESCAPES = FRAME_ESCAPES;
        byte[] b = new byte[64];
        int n;
        int count;
        private boolean inside;
        private int first = -1;

        private static WireException fault(String kind, int offset) { return new WireException(kind, "packet.frame", offset); }

        private void append(int x) throws WireException {
            if (n >= MAXIMUM_SIZE) throw fault("packet_too_long", 0);
            if (n == b.length) b = java.util.Arrays.copyOf(b, 2 * n);
            b[n++] = (byte) x;
        }

        /** Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over. */
        boolean take(byte[] from, int start, int end) throws WireException {
            for (int i = start; i < end; i++) {
                int x = from[i] & 255;
                count++;
                if (!inside) {
                    if (x != FRAME_START) throw fault("wrong_constant", 0);
                    inside = true;
                } else if (first >= 0) {
                    unescape(x);
                } else if (x == FRAME_END) {
                    if (n > 0) return true;
                    inside = /*sameMarks{*/true/*}*//*!sameMarks{false}*/;
                } else if (x == FRAME_START) {
                    throw fault("invalid_escape", n);
                } else if (begins(x)) {
                    first = x;
                } else {
                    append(x);
                }
            }
            return false;
        }

        private static boolean begins(int x) {
            for (int[] escape : ESCAPES) if (escape[1] == x) return true;
            return false;
        }

        private void unescape(int x) throws WireException {
            for (int[] escape : ESCAPES) {
                if (escape[1] != first || escape[2] != x) continue;
                append(escape[0]);
                first = -1;
                return;
            }
            throw fault("invalid_escape", n);
        }

        /** Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun. */
        boolean isInside() { return inside/*sameMarks{*/ && (n > 0 || first >= 0)/*}*/; }

        /** A packet between its marks. */
        static byte[] framed(byte[] packet) {
            byte[] out = new byte[2 * packet.length + 2];
            int p = 0;
            out[p++] = (byte) FRAME_START;
            for (byte x : packet) {
                int[] found = null;
                for (int[] escape : ESCAPES) if (escape[0] == (x & 255)) found = escape;
                out[p++] = found == null ? x : (byte) found[1];
                if (found != null) out[p++] = (byte) found[2];
            }
            out[p++] = (byte) FRAME_END;
            return java.util.Arrays.copyOf(out, p);
        }
    }
    // #endregion

    // #region part
    /** Some fields of a packet: where its content, the packet and these fields are, the count of the content, and which rules hold. */
    static final class Part {
        final long id;
        final Header header;
        final int body;
        final int end;
        final int after;
        final int first;
        final boolean hasCount;
        final long count;
        final int place;
        final boolean[] rules;
        final int[] at;

        Part(long id, Header header, int body, int end, int after, int first, boolean hasCount, long count, int place, boolean[] rules, int[] at) {
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
    /** Goes on through all packets in one. Only if all of it was right, the connection takes it over. */
    static final class Work {
        // #region called
        static final int[] outers = {0};
        static final int[][][] sections = {{{-1, 0}}};
        static final String[] layerNames = {"packet.layer"};
        static final boolean[] inflates = {true};
        static final boolean[] lasts = {true};
        static final String[] counterNames = {null};
        static final long[] counterLimits = {0};
        static final int[] counterConstants = {0};
        static final int[] counterFirsts = {0};
        static final boolean[] isSettable = {false};
        static final String[] keyNames = {"key"};
        static final int[][] keySizes = {{1, 16}};
        static final int[][] keyLayers = {{0}};
        static final String[] programLayers = {"layer"};
        // #endregion

        private final Connection c;
        private final Sender sender;
        // #region streams
        private final Keystream[] streams;
        // #endregion
        /** How many bytes compression may still make. */
        private int left = MAXIMUM_INFLATED;
        // #region packets
        private int packetCount = 0;
        // #endregion
        /** The messages that change states. */
        private long[] ids = new long[4];
        private int idCount = 0;
        // #region streams
        /** The layers whose keystream goes on that the packet to seal uses, as bits. */
        private int lasting = 0;
        // #endregion

        Work(Sender sender, Connection c) {
            this.sender = sender;
            this.c = c;
            // #region streams
            streams = new Keystream[c.streams.length];
            for (int i = 0; i < streams.length; i++) streams[i] = c.streams[i];
            // #endregion
        }

        void commit() throws WireException {
            for (int i = 0; i < idCount; i++) change(c, sender, ids[i]);
            // #region streams
            c.streams = streams;
            // #endregion
        }

        private void note(long id) {
            if (idCount == ids.length) {
                long[] more = new long[2 * idCount];
                for (int i = 0; i < idCount; i++) more[i] = ids[i];
                ids = more;
            }
            ids[idCount++] = id;
        }

        private static WireException refused(String kind, int n) { return new WireException(kind, layerNames[n], -1); }

        static byte[] cut(byte[] b, int from, int to) {
            byte[] part = new byte[to - from];
            System.arraycopy(b, from, part, 0, to - from);
            return part;
        }

        private static byte[] joined(byte[] first, byte[] second) {
            byte[] all = new byte[first.length + second.length];
            System.arraycopy(first, 0, all, 0, first.length);
            System.arraycopy(second, 0, all, first.length, second.length);
            return all;
        }

        static int indexOf(String name, String[] names) {
            for (int i = 0; i < names.length; i++) if (names[i].equals(name)) return i;
            return -1;
        }

        static boolean isFor(Sender side, Sender[] senders) {
            for (int i = 0; i < senders.length; i++) if (senders[i] == side) return true;
            return senders.length == 0;
        }

        /** An error whose offset counts from another place. */
        private static WireException moved(WireException error, int origin) {
            return error.offset < 0 ? error : new WireException(error.kind, error.path, error.offset - origin);
        }

        /** Counts what compression has made against the limit. */
        private void takeInflated(int n, int count) throws WireException {
            if (!inflates[n]) return;
            if (count > left) throw refused("inflated_too_long", n);
            left -= count;
        }
        // #region streams

        /** Adds a keystream that goes on. Inner packets are sealed first and opened last, so none may use it again. */
        private static int withStream(int n, int used) throws WireException {
            if (lasts[n] && (used >> n & 1) != 0) throw refused("invalid_layer", n);
            return lasts[n] ? used | 1 << n : used;
        }
        // #endregion

        /** The fields of an opened packet; offsets count from the first byte inside the innermost layer. */
        private static Part readWhole(int part, byte[] b, int origin) throws WireException {
            Reader r = new Reader(b, 0, b.length);
            r.limit = 2147483647;
            try {
                Part p = unwrap(part, r);
                if (p == null) throw new WireException("truncated", "", b.length);
                return p;
            } catch (WireException error) {
                throw moved(error, origin);
            }
        }

        /** The packet that bytes begin with, out of its layers; null if it has not arrived whole. */
        Packet open(Reader r, int depth, int used) throws WireException {
            int shape = shapeOf(sender, c, depth > 0);
            Part found = unwrap(outers[shape], r);
            if (found == null) return null;
            byte[] data = cut(r.b, r.start, r.start + found.body);
            byte[] content = cut(r.b, r.start + found.body, r.start + found.end);
            byte[] trailer = cut(r.b, r.start + found.end, r.start + found.after);
            Part p = found;
            int origin = 0;
            // #region counter
            boolean hasCount = p.hasCount;
            long count = p.count;
            int place = p.place;
            int inside = -1;
            // #endregion
            for (int i = 0; i < sections[shape].length; i++) {
                int[] section = sections[shape][i];
                for (int j = 1; j < section.length; j++) {
                    int n = section[j];
                    if (!p.rules[n]) continue;
                    // #region counter
                    if (hasCount && counterNames[shape] != null && count - counterConstants[shape] > MAXIMUM_INFLATED) throw refused("inflated_too_long", n);
                    // #endregion
                    // #region streams
                    used = withStream(n, used);
                    // #endregion
                    content = openLayer(this, n, p.header, content);
                    takeInflated(n, content.length);
                    origin = data.length;
                    // #region counter
                    if (n >= counterFirsts[shape]) inside = content.length;
                    // #endregion
                }
                if (section[0] < 0) continue;
                byte[] whole = joined(data, content);
                p = readWhole(section[0], whole, origin);
                data = cut(whole, 0, p.body);
                content = cut(whole, p.body, p.end);
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
            byte[] flat = joined(joined(data, content), trailer);
            p = readWhole(outers[shape] + 1, flat, origin);
            // #region packets
            if (p.rules[RULE_PACKETS]) {
                InnerPackets group = new InnerPackets();
                group.id = p.id;
                group.packets = openPackets(cut(flat, p.body, p.end), depth + 1, used);
                return new Packet(group, p.header, found.after);
            }
            // #endregion
            // A part of a message sets no state.
            if (p.rules[RULE_OPAQUE]) {
                UnknownMessage opaque = new UnknownMessage();
                opaque.id = p.id;
                opaque.payload = cut(flat, p.body, p.end);
                return new Packet(opaque, p.header, found.after);
            }
            note(p.id);
            Reader own = new Reader(flat, 0, flat.length);
            own.bound(p.body, p.end);
            Message message = make(p.id, sender);
            // #region fixedHeaders
            message.verify(own, p.header, p.at);
            // #endregion
            try {
                own.begin(message.messageName());
                message.read(own, p.header);
            } catch (WireException error) {
                throw moved(error, origin);
            }
            return new Packet(message, p.header, found.after);
        }

        // #region packets
        private void countPacket() throws WireException { if (packetCount++ >= 65536) throw new WireException("too_long", "packets", -1); }

        /** An error in a packet inside another one. */
        private static WireException inPacket(WireException error, int i) {
            String path = "packets[" + i + "]";
            return new WireException(error.kind, error.path.equals("") ? path : path + "." + error.path, error.offset);
        }

        private static boolean isAtEnd(byte[] content, int p) {
            // #region frames
            // Marks with nothing between them may follow the last packet.
            while (p + FRAME_MARK_COUNT <= content.length && atMarks(content, p)) p += FRAME_MARK_COUNT;
            // #endregion
            return p >= content.length;
        }

        private Packet openPacket(byte[] content, int p, int depth, int used) throws WireException {
            // #region frames
            Frame frame = new Frame();
            if (!frame.take(content, p, content.length)) throw new WireException("truncated", "", content.length - p);
            Packet packet = open(new Reader(frame.b, 0, frame.n), depth, used);
            if (packet == null) throw new WireException("truncated", "", frame.n);
            return new Packet(packet.message, packet.header, frame.count);
            // #endregion
            // #region !frames
            //| Packet packet = open(new Reader(content, p, content.length - p), depth, used);
            //| if (packet == null) throw new WireException("truncated", "", content.length - p);
            //| return packet;
            // #endregion
        }

        private static Packet[] first(int count, Packet[] packets, int room) {
            Packet[] some = new Packet[room];
            for (int i = 0; i < count; i++) some[i] = packets[i];
            return some;
        }

        private Packet[] openPackets(byte[] content, int depth, int used) throws WireException {
            if (depth > MAXIMUM_NESTED) throw new WireException("too_deep", "", -1);
            Packet[] packets = new Packet[4];
            int count = 0;
            for (int p = 0; !isAtEnd(content, p); p += packets[count - 1].byteCount) {
                countPacket();
                if (count == packets.length) packets = first(count, packets, 2 * count);
                try {
                    packets[count] = openPacket(content, p, depth, used);
                } catch (WireException error) {
                    throw inPacket(error, count);
                }
                count++;
            }
            return first(count, packets, count);
        }

        private byte[] sealPackets(InnerPackets group, Header header, int depth) throws WireException {
            if (depth >= MAXIMUM_NESTED) throw new WireException("too_deep", "", -1);
            if (group.packets == null) throw new WireException("wrong_type", "packets", -1);
            Writer content = new Writer(false);
            content.begin("", 0);
            // #region streams
            int all = lasting;
            // #endregion
            for (int i = 0; i < group.packets.length; i++) {
                countPacket();
                Packet packet = group.packets[i];
                // #region streams
                lasting = 0;
                // #endregion
                try {
                    if (packet == null) throw new WireException("wrong_type", "", -1);
                    content.appendBlob(seal(packet.message, packet.header, depth + 1), "");
                } catch (WireException error) {
                    throw inPacket(error, i);
                }
                // #region streams
                all |= lasting;
                // #endregion
            }
            // #region streams
            lasting = all;
            // #endregion
            return around(cut(content.b, 0, content.position()), group.id, header, "packets", depth);
        }

        // #endregion
        /** A whole packet of a message. */
        byte[] seal(Message message, Header header, int depth) throws WireException {
            if (message == null) throw new WireException("wrong_type", "", -1);
            Header given = header == null ? new Header() : header;
            // #region packets
            if (message instanceof InnerPackets) return sealPackets((InnerPackets) message, given, depth);
            // #endregion
            Writer w = new Writer(false);
            w.begin(message.messageName(), LONGEST_HEADER);
            // #region fixedHeaders
            given = message.fix(w, given);
            // #endregion
            message.write(w, given);
            String holds = message.messageName() == null ? "" : "message";
            return around(cut(w.b, LONGEST_HEADER, w.position()), message.messageId(), given, holds, depth);
        }

        /** Some fields around a content. */
        private static byte[] wrapped(int part, long id, byte[] content, Header h) throws WireException {
            Writer w = new Writer(false);
            w.begin("packet", LONGEST_HEADER);
            w.appendBlob(content, "");
            return wrap(part, w, id, h);
        }

        /** The fields of a packet that are known before its layers are sealed, and which rules hold. */
        private static Part known(int shape, long id, Header h) throws WireException {
            return readWhole(outers[shape] + 1, wrapped(outers[shape] + 1, id, new byte[0], h), 0);
        }

        /** The fields of a section and what is after them. Fields before are written for their conditions only. */
        private static byte[] written(int part, Header h, byte[] content) throws WireException {
            if (part < 0) return content;
            byte[] b = wrapped(part, 0, content, h);
            return cut(b, readWhole(part, b, 0).first, b.length);
        }

        /** A whole packet of a content, of which holds says what it must be, if that is known. */
        private byte[] around(byte[] payload, long id, Header header, String holds, int depth) throws WireException {
            int shape = shapeOf(sender, c, depth > 0);
            Header settable = header.copy();
            // #region threshold
            if (isSettable[shape] && !isCountGiven(shape, header)) {
                // Whether there is a layer depends on how much there is without one.
                Header bare = known(shape, id, settable).header;
                if (hasCount(shape, bare)) setCount(shape, settable, 0);
                if (hasCount(shape, bare) && c.threshold != null) {
                    Header tried = settable.copy();
                    copyIdentifiers(tried, bare);
                    int count = written(sections[shape][sections[shape].length - 1][0], tried, payload).length;
                    if (count >= c.threshold) setCount(shape, settable, 1);
                }
            }
            // #endregion
            Part p = known(shape, id, settable);
            // #region packets
            boolean hasPackets = p.rules[RULE_PACKETS];
            if (!holds.equals("") && holds.equals("packets") != hasPackets) throw new WireException("presence", "packets", -1);
            // #endregion
            boolean isOpaque = /*packets{*/!hasPackets && /*}*/p.rules[RULE_OPAQUE];
            if (holds.equals("message") && isOpaque) throw new WireException("presence", "opaque", -1);
            // Neither packets nor a part of a message set a state.
            if (/*packets{*/!hasPackets && /*}*/!isOpaque) note(id);
            Header given = settable.copy();
            copyIdentifiers(given, p.header);
            byte[] content = payload;
            // #region counter
            boolean counts = counterNames[shape] != null;
            // #endregion
            for (int i = sections[shape].length - 1; i >= 0; i--) {
                int[] section = sections[shape][i];
                // #region counter
                // From here on the layers are around the field.
                if (counts && section[1] < counterFirsts[shape]) {
                    count(shape, id, 0, settable, given, p);
                    counts = false;
                }
                // #endregion
                content = written(section[0], given, content);
                for (int j = section.length - 1; j > 0; j--) {
                    int n = section[j];
                    if (!p.rules[n]) continue;
                    // #region streams
                    lasting = withStream(n, lasting);
                    // #endregion
                    // #region counter
                    if (counts) count(shape, id, content.length + counterConstants[shape], settable, given, p);
                    counts = false;
                    // #endregion
                    takeInflated(n, content.length);
                    content = sealLayer(this, n, p.header, content);
                }
            }
            // #region counter
            if (counts) count(shape, id, 0, settable, given, p);
            // #endregion
            byte[] packet = wrapped(outers[shape], 0, content, given);
            return /*frames{*/Frame.framed(packet)/*}*//*!frames{packet}*/;
        }
        // #region counter

        /** Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader. */
        private static void count(int shape, long id, int n, Header settable, Header given, Part p) throws WireException {
            if (!hasCount(shape, p.header)) return;
            if (n > counterLimits[shape]) throw new WireException("out_of_range", counterNames[shape], -1);
            Header tried = settable.copy();
            setCount(shape, tried, n);
            boolean[] rules = known(shape, id, tried).rules;
            for (int i = 0; i < rules.length; i++) {
                if (rules[i] != p.rules[i]) throw new WireException("length_too_small", counterNames[shape], -1);
            }
            setCount(shape, p.header, n);
            setCount(shape, given, n);
        }
        // #endregion
        // #region keys

        byte[] key(int k, int n) throws WireException {
            byte[] key = c.keys[sender == Sender.SERVER ? k + KEY_COUNT : k];
            if (key == null) throw new WireException("layer_unavailable", layerNames[n], "give its key with setKey");
            return key;
        }
        // #endregion
        // #region streams

        private int place(int n) { return sender == Sender.SERVER ? n + LAYER_COUNT : n; }
        // #endregion
        // #region zlib

        byte[] openZlib(byte[] b, int n) throws WireException {
            int head = b.length < 2 ? 0 : (b[0] & 255) << 8 | b[1] & 255;
            boolean isGood = head > 0 && head % 31 == 0 && (head >> 8 & 15) == 8 && head >> 12 < 8 && (head & 0x20) == 0;
            if (!isGood) throw refused("invalid_layer", n);
            byte[] content = inflate(b, 2, n);
            int sum = (int) Checksum.adler32(content, 0, content.length);
            isGood = after + 4 <= b.length;
            for (int i = 0; isGood && i < 4; i++) isGood = (b[after + i] & 255) == (sum >> 24 - 8 * i & 255);
            if (!isGood) throw refused("invalid_layer", n);
            if (after + 4 < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        byte[] sealZlib(byte[] b, int n) throws WireException {
            byte[] stream = deflate(b, n);
            byte[] made = new byte[stream.length + 6];
            made[0] = 0x78;
            made[1] = (byte) 0x9C;
            System.arraycopy(stream, 0, made, 2, stream.length);
            int sum = (int) Checksum.adler32(b, 0, b.length);
            for (int i = 0; i < 4; i++) made[stream.length + 2 + i] = (byte) (sum >> 24 - 8 * i);
            return made;
        }
        // #endregion
        // #region deflate

        byte[] openDeflate(byte[] b, int n) throws WireException {
            byte[] content = inflate(b, 0, n);
            if (after < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        byte[] sealDeflate(byte[] b, int n) throws WireException { return deflate(b, n); }
        // #endregion
        // #region gzip

        private static int u16(byte[] b, int p) { return b[p] & 255 | (b[p + 1] & 255) << 8; }

        /** Where the stream of deflate begins after a head; of one that is damaged, after the last byte. */
        private static int gzipHead(byte[] b) {
            boolean isGood = b.length >= 10 && u16(b, 0) == 0x8B1F && b[2] == 8 && (b[3] & 0xE0) == 0;
            if (!isGood) return b.length + 1;
            int p = 10;
            if ((b[3] & 4) != 0) p += b.length < 12 ? 2 : 2 + u16(b, 10);
            for (int flag = 8; flag <= 16; flag *= 2) {
                if ((b[3] & flag) == 0) continue;
                while (p < b.length && b[p] != 0) p++;
                p++;
            }
            if ((b[3] & 2) == 0) return p;
            isGood = p + 2 <= b.length && u16(b, p) == (int) (Checksum.crc32(b, 0, p) & 0xFFFF);
            return isGood ? p + 2 : b.length + 1;
        }

        byte[] openGzip(byte[] b, int n) throws WireException {
            int head = gzipHead(b);
            if (head > b.length) throw refused("invalid_layer", n);
            byte[] content = inflate(b, head, n);
            int crc = (int) Checksum.crc32(content, 0, content.length);
            boolean isGood = after + 8 <= b.length;
            for (int i = 0; isGood && i < 4; i++) {
                isGood = (b[after + i] & 255) == (crc >> 8 * i & 255) && (b[after + 4 + i] & 255) == (content.length >> 8 * i & 255);
            }
            if (!isGood) throw refused("invalid_layer", n);
            if (after + 8 < b.length) throw refused("trailing_bytes", n);
            return content;
        }

        byte[] sealGzip(byte[] b, int n) throws WireException {
            byte[] stream = deflate(b, n);
            byte[] made = new byte[stream.length + 18];
            made[0] = 0x1F;
            made[1] = (byte) 0x8B;
            made[2] = 8;
            made[9] = (byte) 0xFF;
            System.arraycopy(stream, 0, made, 10, stream.length);
            int crc = (int) Checksum.crc32(b, 0, b.length);
            for (int i = 0; i < 4; i++) {
                made[stream.length + 10 + i] = (byte) (crc >> 8 * i);
                made[stream.length + 14 + i] = (byte) (b.length >> 8 * i);
            }
            return made;
        }
        // #endregion
        // #region xor

        byte[] xorKey(byte[] b, byte[] key, int n) {
            byte[] made = new byte[b.length];
            for (int i = 0; i < b.length; i++) made[i] = (byte) (b[i] ^ key[i % key.length]);
            return made;
        }
        // #endregion
        // #region rc4

        /** Goes on with the keystream from packet to packet. */
        byte[] rc4(byte[] b, byte[] key, int n) {
            Keystream before = streams[place(n)];
            int[] s = new int[256];
            int i = 0;
            int j = 0;
            for (int k = 0; k < 256; k++) s[k] = before == null ? k : before.s[k];
            for (int k = 0; before == null && k < 256; k++) {
                j = j + s[k] + key[k % key.length] & 255;
                int x = s[k];
                s[k] = s[j];
                s[j] = x;
            }
            i = before == null ? 0 : before.i;
            j = before == null ? 0 : before.j;
            byte[] made = new byte[b.length];
            for (int k = 0; k < b.length; k++) {
                i = i + 1 & 255;
                j = j + s[i] & 255;
                int x = s[i];
                s[i] = s[j];
                s[j] = x;
                made[k] = (byte) (b[k] ^ s[s[i] + s[j] & 255]);
            }
            streams[place(n)] = new Keystream(0, s, i, j);
            return made;
        }
        // #endregion
        // #region aes

        private static byte[] vector(byte[] start, int n) throws WireException {
            if (start == null || start.length != 16) throw refused("layer_unavailable", n);
            return start;
        }
        // #endregion
        // #region aes_ctr

        /** The keystream of counters from start on, of which some bytes were used before. */
        byte[] aesCTR(byte[] b, byte[] key, byte[] start, long used, int n) throws WireException {
            byte[] count = new byte[16];
            long carry = used / 16;
            for (int i = 15; i >= 0; i--) {
                carry += vector(start, n)[i] & 255;
                count[i] = (byte) (carry & 255);
                carry >>= 8;
            }
            int skipped = (int) (used % 16);
            byte[] made = new byte[skipped + b.length];
            System.arraycopy(b, 0, made, skipped, b.length);
            return cut(counted(key, count, made, n), skipped, made.length);
        }
        // #endregion
        // #region aes_ctr_lasting

        /** Goes on with the keystream from packet to packet. */
        byte[] aesCTRLasting(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            Keystream before = streams[place(n)];
            long used = before == null ? 0 : before.used;
            byte[] made = aesCTR(b, key, start, used, n);
            streams[place(n)] = new Keystream(used + b.length, null, 0, 0);
            return made;
        }
        // #endregion
        // #region aes_cbc

        byte[] openCBC(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            if (b.length == 0 || b.length % 16 != 0) throw refused("invalid_layer", n);
            byte[] made = chained(false, key, vector(start, n), b, n);
            int count = made[made.length - 1];
            boolean isPadded = count >= 1 && count <= 16;
            for (int i = 1; isPadded && i <= count; i++) isPadded = made[made.length - i] == count;
            if (!isPadded) throw refused("invalid_layer", n);
            return cut(made, 0, made.length - count);
        }

        byte[] sealCBC(byte[] b, byte[] key, byte[] start, int n) throws WireException {
            int count = 16 - b.length % 16;
            byte[] padded = new byte[b.length + count];
            System.arraycopy(b, 0, padded, 0, b.length);
            for (int i = b.length; i < padded.length; i++) padded[i] = (byte) count;
            return chained(true, key, vector(start, n), padded, n);
        }
        // #endregion
        // #region inflating

        /** Where the last stream ended that was inflated. */
        private int after = 0;

        /** The content of a stream of deflate; no more than the limit is made. */
        private byte[] inflate(byte[] b, int from, int n) throws WireException {
            java.util.zip.Inflater inflater = new java.util.zip.Inflater(true);
            try {
                inflater.setInput(b, from, b.length - from);
                byte[] content = new byte[(int) Math.min(left + 1L, 4L * (b.length - from) + 64)];
                int count = 0;
                while (!inflater.finished()) {
                    if (count == content.length) content = java.util.Arrays.copyOf(content, (int) Math.min(left + 1L, 2L * count));
                    int made = inflater.inflate(content, count, content.length - count);
                    count += made;
                    if (count > left) throw refused("inflated_too_long", n);
                    if (made == 0 && !inflater.finished()) throw refused("invalid_layer", n);
                }
                after = b.length - inflater.getRemaining();
                return cut(content, 0, count);
            } catch (java.util.zip.DataFormatException error) {
                // Since Java 11, these are all bytes before the flaw.
                throw refused(inflater.getBytesWritten() > left ? "inflated_too_long" : "invalid_layer", n);
            } finally {
                inflater.end();
            }
        }

        private byte[] deflate(byte[] b, int n) throws WireException {
            java.util.zip.Deflater deflater = new java.util.zip.Deflater(java.util.zip.Deflater.DEFAULT_COMPRESSION, true);
            try {
                deflater.setInput(b);
                deflater.finish();
                byte[] made = new byte[b.length / 2 + 64];
                int count = 0;
                while (!deflater.finished()) {
                    if (count == made.length) made = java.util.Arrays.copyOf(made, 2 * count);
                    count += deflater.deflate(made, count, made.length - count);
                }
                return cut(made, 0, count);
            } finally {
                deflater.end();
            }
        }
        // #endregion
        // #region aes_ctr

        private static byte[] counted(byte[] key, byte[] start, byte[] b, int n) throws WireException {
            return aes("CTR", javax.crypto.Cipher.ENCRYPT_MODE, key, start, b, n);
        }
        // #endregion
        // #region aes_cbc

        private static byte[] chained(boolean isSealing, byte[] key, byte[] start, byte[] b, int n) throws WireException {
            return aes("CBC", isSealing ? javax.crypto.Cipher.ENCRYPT_MODE : javax.crypto.Cipher.DECRYPT_MODE, key, start, b, n);
        }
        // #endregion
        // #region aes

        private static byte[] aes(String mode, int direction, byte[] key, byte[] start, byte[] b, int n) throws WireException {
            try {
                javax.crypto.Cipher cipher = javax.crypto.Cipher.getInstance("AES/" + mode + "/NoPadding");
                cipher.init(direction, new javax.crypto.spec.SecretKeySpec(key, "AES"), new javax.crypto.spec.IvParameterSpec(start));
                return cipher.doFinal(b);
            } catch (java.security.GeneralSecurityException error) {
                throw new WireException("layer_unavailable", layerNames[n], "this platform has no AES");
            }
        }
        // #endregion
        // #region program

        private Layer own(int place, int n) throws WireException {
            Layer layer = c.layers[sender == Sender.SERVER ? place + OWN_COUNT : place];
            if (layer == null) throw new WireException("layer_unavailable", layerNames[n], "give it with setLayer");
            return layer;
        }

        /** Any exception of a layer says that the bytes are damaged; one of this class says how. */
        byte[] openOwn(byte[] b, Header h, int place, int n) throws WireException {
            Layer layer = own(place, n);
            byte[] content;
            try {
                content = layer.open(b, h, left);
            } catch (WireException error) {
                throw refused(error.kind, n);
            } catch (Exception error) {
                throw refused("invalid_layer", n);
            }
            if (content == null) throw refused("inflated_too_long", n);
            return content;
        }

        byte[] sealOwn(byte[] b, Header h, int place, int n) throws WireException {
            Layer layer = own(place, n);
            byte[] bytes;
            try {
                bytes = layer.seal(b, h);
            } catch (WireException error) {
                throw refused(error.kind, n);
            } catch (Exception error) {
                throw refused("invalid_layer", n);
            }
            if (bytes == null) throw refused("invalid_layer", n);
            return bytes;
        }
        // #endregion
    }
    // #endregion

    // #region keystream
    /** Where a keystream goes on: how many bytes it gave, or the state of RC4. */
    static final class Keystream {
        final long used;
        final int[] s;
        final int i;
        final int j;

        Keystream(long used, int[] s, int i, int j) {
            this.used = used;
            this.s = s;
            this.i = i;
            this.j = j;
        }
    }
    // #endregion

    // #region innerPackets
    /** Whole packets in a packet, each with its header. A splitter gives them one by one in its place. */
    public static final class InnerPackets extends Message {
        public long id;
        public Packet[] packets = {};

        @Override public String messageName() { return null; }

        @Override public long messageId() { return id; }

        /** Who sends the first message sends them all. Packets that hold too many others have none: they may hold themselves. */
        @Override Sender messageSender() {
            Message first = this;
            for (int depth = 0; depth <= MAXIMUM_NESTED && first instanceof InnerPackets; depth++) {
                Packet[] own = ((InnerPackets) first).packets;
                first = own == null || own.length == 0 || own[0] == null ? null : own[0].message;
            }
            return first == null || first instanceof InnerPackets ? null : first.messageSender();
        }

        @Override void read(Reader r, Header h) throws WireException { r.require(false, "wrong_type", ""); }

        @Override void write(Writer w, Header h) throws WireException { w.require(false, "wrong_type", ""); }
    }
    // #endregion

    // #region connectionClass
    /**
     * CONNECTION_DOCUMENTATION
     */
    public static final class Connection {
        // #region called
        // #region members
        // #region threshold
        /** From how many bytes on a content gets a layer that asks for its count; without it none does. */
        public Integer threshold;
        // #endregion
        // #region streams
        Keystream[] streams = new Keystream[STREAM_ROOM];

        // #endregion
        // #region keys
        byte[][] keys = new byte[KEY_ROOM][];

        /** Sets a key for the packets of both sides, or of those that are given. Their keystreams begin anew. */
        public void setKey(String name, byte[] key, Sender... senders) throws WireException {
            int k = Work.indexOf(name, Work.keyNames);
            if (k < 0) throw new WireException("unknown_key", "key." + name, -1);
            boolean fits = false;
            for (int i = 0; i < Work.keySizes[k].length && key != null; i += 2) {
                if (key.length >= Work.keySizes[k][i] && key.length <= Work.keySizes[k][i + 1]) fits = true;
            }
            if (!fits) throw new WireException("wrong_key", "key." + name, -1);
            for (int i = 0; i < 2; i++) {
                if (!Work.isFor(i == 0 ? Sender.CLIENT : Sender.SERVER, senders)) continue;
                keys[k + KEY_COUNT * i] = Work.cut(key, 0, key.length);
                // #region streams
                for (int j = 0; j < Work.keyLayers[k].length; j++) streams[Work.keyLayers[k][j] + LAYER_COUNT * i] = null;
                // #endregion
            }
        }

        // #endregion
        // #region program
        Layer[] layers = new Layer[OWN_ROOM];

        /** Gives a layer of the program for the packets of both sides, or of those that are given: LAYER_NAMES. */
        public void setLayer(String name, Layer layer, Sender... senders) throws WireException {
            int n = Work.indexOf(name, Work.programLayers);
            if (n < 0) throw new WireException("unknown_layer", "layer." + name, -1);
            for (int i = 0; i < 2; i++) {
                if (Work.isFor(i == 0 ? Sender.CLIENT : Sender.SERVER, senders)) layers[n + OWN_COUNT * i] = layer;
            }
        }

        // #endregion
        // #endregion
        // #endregion

        /** A whole packet of a message that only one side sends, with the header's defaults. */
        public byte[] encode(Message message) throws WireException { return encode(message, null, null); }

        /** A whole packet of a message that only one side sends. */
        public byte[] encode(Message message, Header header) throws WireException { return encode(message, header, null); }

        // #region dependsOnSender
        /** A whole packet of a message. One that both sides send needs the sender. */
        // #endregion
        // #region !dependsOnSender
        //| /** A whole packet of a message. The sender may be null. */
        // #endregion
        public byte[] encode(Message message, Header header, Sender sender) throws WireException {
            return /*complete{*/Runtime/*}*//*!complete{PROTOCOL_CLASS}*/.encode(message, header, sender, this);
        }

        /** Puts a whole packet of a message into a writer, in place of what it has; the header and the sender may be null. */
        public void encode(Message message, Header header, Sender sender, PacketWriter writer) throws WireException {
            /*complete{*/Runtime/*}*//*!complete{PROTOCOL_CLASS}*/.encode(message, header, sender, this, writer);
        }

        /** The packet that bytes begin with; null if it has not arrived whole. */
        public Packet decode(byte[] bytes, int offset, int count, Sender sender) throws WireException {
            return /*complete{*/Runtime/*}*//*!complete{PROTOCOL_CLASS}*/.decode(bytes, offset, count, sender, this);
        }

        /** The packet that bytes begin with; null if it has not arrived whole. */
        public Packet decode(byte[] bytes, Sender sender) throws WireException { return decode(bytes, 0, bytes.length, sender); }
    }
    // #endregion

    // What the generator prints for each protocol in its own way.

    private static int shapeOf(Sender sender, Connection c, boolean nested) { return 0; }

    private static Part unwrap(int part, Reader r) throws WireException {
        return new Part(0, new Header(), r.position(), r.size(), r.size(), 0, false, 0, 0, new boolean[3], null);
    }

    private static byte[] wrap(int part, Writer w, long id, Header h) { return w.packet(0, w.position()); }

    private static Message make(long id, Sender sender) { return new UnknownMessage(); }

    private static void change(Connection c, Sender sender, long id) {}

    private static void copyIdentifiers(Header given, Header known) {}

    private static boolean hasCount(int shape, Header h) { return false; }

    private static boolean isCountGiven(int shape, Header h) { return false; }

    private static void setCount(int shape, Header h, int n) {}

    private static byte[] openLayer(Work work, int n, Header h, byte[] b) { return b; }

    private static byte[] sealLayer(Work work, int n, Header h, byte[] b) { return b; }

    private static boolean atMarks(byte[] b, int p) { return (b[p] & 255) == FRAME_START; }
}
