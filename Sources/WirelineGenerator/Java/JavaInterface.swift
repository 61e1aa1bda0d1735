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
                "if (id == \(printer.dialect.text(.number(Int128(description.messages[index].id), .uint64)))) return new \(plan.names.messages[index].name)();"
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
    var types: String { JavaRuntime.file(for: plan).text("types") }
}
