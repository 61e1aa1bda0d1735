// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what programs use: `Encode`, `Decode`, the splitter and their types.
struct CSharpInterface {
    private let printer: StatementPrinter
    private var plan: CodePlan { printer.plan }
    private var description: ProtocolDescription { plan.description }
    private var isFramed: Bool { description.layout.framing != nil }
    private var fixesHeader: Bool { !plan.fixedHeaderFields.isEmpty }
    private var hasConnection: Bool { plan.context != nil }
    private var layers: LayerPlan? { plan.layers }
    private var hasPackets: Bool { layers?.hasPackets == true }
    /// Whether a packet to write is made in a new array, so that a writer keeps no bytes of its own.
    private var isCopied: Bool { isFramed || layers != nil }
    /// The last parameter of functions that need a connection; of those that programs call.
    private var connection: String { hasConnection ? ", Connection connection" : "" }
    private var optionalConnection: String { hasConnection ? connection + " = null" : "" }
    /// The argument for it; where a program may give none.
    private var given: String { hasConnection ? ", connection" : "" }
    private var givenOrNew: String { hasConnection ? ", connection ?? new Connection()" : "" }

    init(_ printer: StatementPrinter) { self.printer = printer }

    /// The functions of the class.
    var functions: String {
        let sender = plan.takesSender
        let first = hasConnection ? "Without a connection it is the first one of a new connection." : ""
        let arguments = (sender ? ", sender" : "") + given
        return #"""
            /// <summary>
            /// A whole packet of a message. Of the header, which may be that of the packet that is answered, what a caller can set is taken;
            /// without one it has its defaults. Nothing is cut to fit.
            \#(plan.dependsOnSender ? "/// A message that both sides send needs the sender.\n" : "")\#
            \#(hasConnection ? "/// " + first + "\n" : "")\#
            /// </summary>
            public static byte[] Encode(Message message, Header header = null\#(sender ? ", Sender? sender = null" : "")\#(optionalConnection)) {
                return Packets.Written(\#(layers == nil ? "new Writer(false), " : "")message, header\#(arguments));
            }

            /// <summary>Puts a whole packet of a message into a writer, in place of what it has. All but these two may be null.</summary>
            public static void Encode(Message message, Header header\#(sender ? ", Sender? sender" : "")\#(connection), PacketWriter writer) {
                writer.Take(null, 0, 0);
                byte[] bytes = Packets.Written(\#(layers == nil ? "writer.w, " : "")message, header\#(arguments));
                writer.Take(bytes, \#(isCopied ? "0, bytes.Length" : "writer.w.from, writer.w.size"));
            }

            /// <summary>The packet that bytes begin with; null if it has not arrived whole. After an error, the start of the next packet is unknown.\#(hasConnection ? " " + first : "")</summary>
            public static Packet Decode(byte[] bytes, int offset, int count, Sender sender\#(optionalConnection)) {
            \#(isFramed ? "    var frame = new Frame();\n    return frame.Take(bytes, offset, offset + count) ? Packets.Unframed(frame, sender\(givenOrNew)) : null;" : "    return Packets.Unwrapped(new Reader(bytes, offset, count), sender\(givenOrNew));")
            }

            /// <summary>The packet that bytes begin with; null if it has not arrived whole.\#(hasConnection ? " " + first : "")</summary>
            public static Packet Decode(byte[] bytes, Sender sender\#(optionalConnection)) { return Decode(bytes, 0, bytes.Length, sender\#(given)); }
            """#
    }

    /// The functions that find the function of a sender, and make messages.
    var making: String {
        let sender = plan.takesSender
        return #"""
            \#(layers == nil ? writing : sealing)

            internal static Packet Unwrapped(Reader r, Sender sender\#(connection)) {
            \#(layers != nil ? Self.opening : hasConnection ? Self.unwrapping : "    return \(sender ? "sender == Sender.Server ? UnwrapServer(r, sender) : UnwrapClient(r, sender)" : "Unwrap(r, sender)");")
            }

            \#(sender && layers == nil ? (hasConnection ? Self.wrapInConnection : Self.wrapFrom) + "\n\n" : "")\#
            \#(isFramed ? unframed + "\n\n" : "")\#
            \#(layers == nil ? receiving + "\n\n" : "")\#
            \#(make)
            """#
    }

    private var receiving: String {
        #"""
        private static Packet Receive(Reader r, ulong id, Header header, int total, Sender sender\#(fixesHeader ? ", int[] at" : "")) {
            Message message = Make(id, sender);
        \#(fixesHeader ? "    message.Verify(r, header, at);\n" : "")\#
            r.Begin(message.MessageName);
            message.Read(r, header);
            return new Packet(message, header, total);
        }
        """#
    }

    /// The statements that find out who sends a message.
    private var choosingSender: String {
        let unknown =
            plan.dependsOnSender
            ? "throw new WireException(\"needs_sender\", \"\", -1)" : "side = Sender.Client"
        return "    Sender? side = sender ?? message.MessageSender;\n    if (side == null) \(unknown);\n"
    }

    private var writing: String {
        let sender = plan.takesSender
        let wrap =
            sender ? "WrapFrom(side.Value, w, message.MessageId, h\(givenOrNew))" : "Wrap(w, message.MessageId, h)"
        return #"""
            /// <summary>Nothing sets its members.</summary>
            private static readonly Header Defaults = new Header();

            internal static byte[] Written(Writer w, Message message, Header header\#(sender ? ", Sender? sender" : "")\#(connection)) {
                if (message == null) throw new WireException("wrong_type", "", -1);
                Header h = header ?? Defaults;
                w.Begin(message.MessageName, \#(plan.longestHeader));
            \#(sender ? choosingSender : "")\#
            \#(fixesHeader ? "    h = message.Fix(w, h);\n" : "")\#
                message.Write(w, h);
                w.Begin("packet");
                return \#(isFramed ? "Frame.Framed(\(wrap))" : wrap);
            }
            """#
    }

    private var sealing: String {
        #"""
        internal static byte[] Written(Message message, Header header, Sender? sender, Connection connection) {
            if (message == null) throw new WireException("wrong_type", "", -1);
        \#(choosingSender)\#
            var work = new Work(side.Value, connection ?? new Connection());
            byte[] packet = work.Seal(message, header, 0);
            work.Commit();
            return packet;
        }
        """#
    }

    private static let wrapFrom = #"""
        internal static byte[] WrapFrom(Sender sender, Writer w, ulong id, Header h) {
            return sender == Sender.Server ? WrapServer(w, id, h) : WrapClient(w, id, h);
        }
        """#

    private var unframed: String {
        #"""
        internal static Packet Unframed(Frame frame, Sender sender\#(connection)) {
            Packet packet = Unwrapped(new Reader(frame.b, 0, frame.n), sender\#(given));
            if (packet == null) throw new WireException("truncated", "", frame.n);
            return new Packet(packet.Message, packet.Header, frame.count);
        }
        """#
    }

    /// The function that makes the message of an ID.
    private var make: String {
        func cases(_ sender: Sender) -> [String] {
            let lines = description.messages.indices.filter { description.messages[$0].senders.contains(sender) }.map {
                "    case \(printer.dialect.text(.number(Int128(description.messages[$0].id), .uint64))): return new \(plan.names.messages[$0].name)();"
            }
            return lines.isEmpty ? [] : ["switch (id) {"] + lines + ["    default: break;", "}"]
        }
        let lines =
            ["if (sender == Sender.Client) {"] + cases(.client).map { "    " + $0 } + ["} else {"]
            + cases(.server).map { "    " + $0 } + ["}", "return new UnknownMessage { Id = id };"]
        return BraceText.function(
            "\(layers == nil ? "private" : "internal") static Message Make(ulong id, Sender sender)", lines)
    }

    /// The types beside those of the schema.
    var types: String { CSharpRuntime.file(for: plan).text("types") }
}
