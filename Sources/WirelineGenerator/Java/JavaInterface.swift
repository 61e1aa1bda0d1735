// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what programs use: `encode`, `decode`, the splitter and their types.
struct JavaInterface {
    private let printer: StatementPrinter
    private var plan: CodePlan { printer.plan }
    private var description: ProtocolDescription { plan.description }
    private var isFramed: Bool { description.layout.framing != nil }
    private var fixesHeader: Bool { !plan.fixedHeaderFields.isEmpty }
    private var hasConnection: Bool { plan.context != nil }
    private var layers: LayerPlan? { plan.layers }
    /// Whether a packet to write is made in a new array, so that a writer keeps no bytes of its own.
    private var isCopied: Bool { isFramed || layers != nil }
    /// The last parameter of functions that need a connection.
    private var connection: String { hasConnection ? ", Connection connection" : "" }
    /// The argument for it.
    private var given: String { hasConnection ? ", connection" : "" }

    init(_ printer: StatementPrinter) { self.printer = printer }

    /// The functions of the class.
    var functions: String {
        let sender = plan.takesSender
        let first = hasConnection ? " It is the first one of a connection." : ""
        let access = hasConnection ? "private" : "public"
        let arguments = (sender ? ", sender" : "") + given
        return #"""
            /** A whole packet of a message, with the header's defaults. Nothing is cut to fit.\#(first) */
            public static byte[] encode(Message message) throws WireException { return encode(message, null); }

            /**
             * A whole packet of a message. Of the header, which may be that of the packet that is answered, what a caller can set is taken.
            \#(plan.dependsOnSender ? " * A message that both sides send needs the sender.\n" : "")\#
            \#(hasConnection ? " *" + first + "\n" : "") */
            \#(hasConnection ? Self.encodingFirst : "")\#
            \#(access) static byte[] encode(Message message, Header header\#(parameters)) throws WireException {
                return written(\#(layers == nil ? "new Writer(false), " : "")message, header\#(arguments));
            }

            /** Puts a whole packet of a message into a writer, in place of what it has; null is the header's defaults. */
            \#(access) static void encode(Message message, Header header\#(parameters), PacketWriter writer) throws WireException {
                writer.take(null, 0, 0);
                byte[] bytes = written(\#(layers == nil ? "writer.w, " : "")message, header\#(arguments));
                writer.take(bytes, \#(isCopied ? "0, bytes.length" : "writer.w.from, writer.w.size"));
            }

            \#(layers == nil ? writing : sealing)

            \#(sender ? senders + "\n\n" : "")\#
            /** The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown.\#(first) */
            public static Packet decode(byte[] bytes, int offset, int count, Sender sender) throws WireException {
            \#(hasConnection ? Self.decodingFirst : "")\#
            \#(isFramed ? "    Frame frame = new Frame();\n    return frame.take(bytes, offset, offset + count) ? unframed(frame, sender\(given)) : null;" : "    return unwrapped(new Reader(bytes, offset, count), sender\(given));")
            }

            /** The packet that bytes begin with; null if it has not arrived whole.\#(first) */
            public static Packet decode(byte[] bytes, Sender sender) throws WireException { return decode(bytes, 0, bytes.length, sender); }

            private static Packet unwrapped(Reader r, Sender sender\#(connection)) throws WireException {
            \#(layers != nil ? Self.opening : hasConnection ? Self.unwrapping : "    return \(sender ? "sender == Sender.SERVER ? unwrapServer(r, sender) : unwrapClient(r, sender)" : "unwrap(r, sender)");")
            }

            \#(isFramed ? unframed + "\n\n" : "")\#
            \#(layers == nil ? receiving + "\n\n" : "")\#
            \#(make)
            """#
    }

    private var receiving: String {
        #"""
        private static Packet receive(Reader r, long id, Header header, int total, Sender sender\#(fixesHeader ? ", int[] at" : "")) throws WireException {
            Message message = make(id, sender);
        \#(fixesHeader ? "    message.verify(r, header, at);\n" : "")\#
            r.begin(message.messageName());
            message.read(r, header);
            return new Packet(message, header, total);
        }
        """#
    }

    private var parameters: String { (plan.takesSender ? ", Sender sender" : "") + connection }

    /// The statements that find out who sends a message.
    private var choosingSender: String {
        let unknown =
            plan.dependsOnSender
            ? "throw new WireException(\"needs_sender\", \"\", -1)" : "side = Sender.CLIENT"
        return
            "    Sender side = sender == null ? message.messageSender() : sender;\n    if (side == null) \(unknown);\n"
    }

    private var writing: String {
        let sender = plan.takesSender
        let wrap = sender ? "wrapFrom(side, w, message.messageId(), h\(given))" : "wrap(w, message.messageId(), h)"
        return #"""
            private static byte[] written(Writer w, Message message, Header header\#(parameters)) throws WireException {
                if (message == null) throw new WireException("wrong_type", "", -1);
                Header h = header == null ? Writer.DEFAULTS : header;
                w.begin(message.messageName(), \#(plan.longestHeader));
            \#(sender ? choosingSender : "")\#
            \#(fixesHeader ? "    h = message.fix(w, h);\n" : "")\#
                message.write(w, h);
                w.begin("packet");
                return \#(isFramed ? "Frame.framed(\(wrap))" : wrap);
            }
            """#
    }

    private var sealing: String {
        #"""
        private static byte[] written(Message message, Header header\#(parameters)) throws WireException {
            if (message == null) throw new WireException("wrong_type", "", -1);
        \#(choosingSender)\#
            Work work = new Work(side, connection);
            byte[] packet = work.seal(message, header, 0);
            work.commit();
            return packet;
        }
        """#
    }

    private var senders: String {
        #"""
        /** A whole packet of a message that only one side sends.\#(hasConnection ? " It is the first one of a connection." : "") */
        public static byte[] encode(Message message, Header header) throws WireException { return encode(message, header, null); }\#(layers == nil ? "\n\n" + wrapFrom : "")
        """#
    }

    private var wrapFrom: String {
        let wrapping =
            hasConnection
            ? """
            byte[] packet = wrap(shapeOf(sender, connection), w, id, h);
            change(connection, sender, id);
            return packet;
            """ : "return sender == Sender.SERVER ? wrapServer(w, id, h) : wrapClient(w, id, h);"
        return #"""
            private static byte[] wrapFrom(Sender sender, Writer w, long id, Header h\#(connection)) throws WireException {
            \#(BraceText.indented(wrapping))
            }
            """#
    }

    private var unframed: String {
        #"""
        private static Packet unframed(Frame frame, Sender sender\#(connection)) throws WireException {
            Packet packet = unwrapped(new Reader(frame.b, 0, frame.n), sender\#(given));
            if (packet == null) throw new WireException("truncated", "", frame.n);
            return new Packet(packet.message, packet.header, frame.count);
        }
        """#
    }

    /// The function that makes the message of an ID.
    private var make: String {
        func cases(_ sender: Sender) -> [String] {
            let indices = description.messages.indices.filter { description.messages[$0].senders.contains(sender) }
            let small = indices.filter { description.messages[$0].id <= UInt64(Int32.max) }
            let large = indices.filter { !small.contains($0) }.map { index in
                "if (id == \(printer.dialect.literal(Int128(description.messages[index].id), .uint64))) return new \(plan.names.messages[index].name)();"
            }
            guard !small.isEmpty else { return large }
            let lines = small.map { index in
                "    case \(description.messages[index].id): return new \(plan.names.messages[index].name)();"
            }
            return ["if (id >= 0 && id <= Integer.MAX_VALUE) switch ((int) id) {"] + lines
                + ["    default: break;", "}"] + large
        }
        let lines =
            ["if (sender == Sender.CLIENT) {"] + cases(.client).map { "    " + $0 } + ["} else {"]
            + cases(.server).map { "    " + $0 }
            + ["}", "UnknownMessage unknown = new UnknownMessage();", "unknown.id = id;", "return unknown;"]
        return BraceText.function("private static Message make(long id, Sender sender)", lines)
    }

    /// The types beside those of the schema.
    var types: String {
        #"""
        \#(JavaRuntime.file(for: plan).text("types"))

        /** Keeps the bytes of one packet, and is used again for the next one\#(layers == nil ? ": then nothing is allocated" : ""). It is for one thread at a time. */
        public static final class PacketWriter {
        \#(layers == nil ? "    final Writer w = new Writer(\(!isFramed));\n" : "")\#
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

        \#(splitter)
        """#
    }

    private var splitter: String {
        let taking =
            isFramed
            ? #"""
                int before = frame.count;
                boolean isWhole = frame.take(buffer, start, end);
                consume(frame.count - before);
                if (!isWhole) return null;
                Frame whole = frame;
                frame = new Frame();
                return unframed(whole, sender\#(given));
            """#
            : (hasConnection ? Self.reshaping(hasLayers: layers != nil) : "") + #"""
                    // A packet that has not arrived whole is not tried again before it can have.
                    if (end - start < wanted) return null;
                    Reader r = new Reader(buffer, start, end - start);
                    Packet packet = unwrapped(r, sender\#(given));
                    wanted = packet == null ? Math.max(r.wanted, end - start + 1) : 1;
                    if (packet != null) consume(packet.byteCount);
                    return packet;
                """#
        return #"""
            /** Finds the packets in a stream, however they are merged and split. After an error it stays failed. */
            public static final class Splitter {
                private final Sender sender;
                private byte[] buffer = new byte[1024];
                private int start;
                private int end;
                private \#(isFramed ? "Frame frame = new Frame()" : "int wanted = 1");
                private WireException failure;
            \#(layers?.hasPackets == true ? Self.innerQueue : "")\#
            \#(hasConnection ? Self.connecting(isFramed) : "\n    public Splitter(Sender sender) { this.sender = sender; }")

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
            \#(layers?.hasPackets == true ? "        if (!inner.isEmpty()) return inner.poll();\n" : "")\#
                    if (failure != null) throw failure;
                    try {
                        return \#(layers?.hasPackets == true ? "takeInner()" : "take()");
                    } catch (WireException error) {
                        failure = error;
                        throw error;
                    }
                }

                /** Says that the stream has ended: that is an error inside a packet. */
                public void finish() throws WireException {
                    if (failure == null && \#(isFramed ? "frame.isInside()" : "end > start")) failure = new WireException("end_of_stream", "", \#(isFramed ? "frame.n" : "end - start"));
                    if (failure != null) throw failure;
                }

            \#(layers?.hasPackets == true ? Self.flattening : "")\#
                private Packet take() throws WireException {
            \#(taking.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                }

                private void consume(int count) {
                    start += count;
                    if (start < end) return;
                    start = 0;
                    end = 0;
                    if (buffer.length > 65536) buffer = new byte[1024];
                }
            }
            """#
    }

    /// Returns the class for the marks around packets and their escapes.
    static func frame(_ framing: PacketFraming, _ options: ProtocolOptions) -> String {
        let escapes = framing.escapes.map { "{\($0.byte), \($0.first), \($0.second)}" }.joined(separator: ", ")
        return #"""
            /** What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them. */
            static final class Frame {
                /** Each byte that is escaped, and the two that stand for it. */
                private static final int[][] ESCAPES = {\#(escapes)};
                byte[] b = new byte[64];
                int n;
                int count;
                private boolean inside;
                private int first = -1;

                private static WireException fault(String kind, int offset) { return new WireException(kind, "packet.frame", offset); }

                private void append(int x) throws WireException {
                    if (n >= \#(options.maximumPacketByteCount)) throw fault("packet_too_long", 0);
                    if (n == b.length) b = java.util.Arrays.copyOf(b, 2 * n);
                    b[n++] = (byte) x;
                }

                /** Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over. */
                boolean take(byte[] from, int start, int end) throws WireException {
                    for (int i = start; i < end; i++) {
                        int x = from[i] & 255;
                        count++;
                        if (!inside) {
                            if (x != \#(framing.start)) throw fault("wrong_constant", 0);
                            inside = true;
                        } else if (first >= 0) {
                            unescape(x);
                        } else if (x == \#(framing.end)) {
                            if (n > 0) return true;
                            inside = \#(framing.hasSameMarks);
                        } else if (x == \#(framing.start)) {
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
                boolean isInside() { return inside\#(framing.hasSameMarks ? " && (n > 0 || first >= 0)" : ""); }

                /** A packet between its marks. */
                static byte[] framed(byte[] packet) {
                    byte[] out = new byte[2 * packet.length + 2];
                    int p = 0;
                    out[p++] = (byte) \#(framing.start);
                    for (byte x : packet) {
                        int[] found = null;
                        for (int[] escape : ESCAPES) if (escape[0] == (x & 255)) found = escape;
                        out[p++] = found == null ? x : (byte) found[1];
                        if (found != null) out[p++] = (byte) found[2];
                    }
                    out[p++] = (byte) \#(framing.end);
                    return java.util.Arrays.copyOf(out, p);
                }
            }
            """#
    }
}
