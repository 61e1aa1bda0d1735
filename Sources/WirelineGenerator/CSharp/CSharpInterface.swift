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
                "    case \(printer.dialect.literal(Int128(description.messages[$0].id), .uint64)): return new \(plan.names.messages[$0].name)();"
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
    var types: String {
        #"""
        \#(CSharpRuntime.file(for: plan).text("types"))

        /// <summary>Keeps the bytes of one packet, and is used again for the next one\#(layers == nil ? ": then nothing is allocated" : ""). It is for one thread at a time.</summary>
        public sealed class PacketWriter {
        \#(layers == nil ? "    internal readonly Writer w = new Writer(\(!isFramed));\n\n" : "")\#
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

        \#(splitter)
        """#
    }

    private var splitter: String {
        let taking =
            isFramed
            ? #"""
                int before = frame.count;
                bool isWhole = frame.Take(buffer, start, end);
                Consume(frame.count - before);
                if (!isWhole) return null;
                Frame whole = frame;
                frame = new Frame();
                return Packets.Unframed(whole, sender\#(given));
            """#
            : (hasConnection ? Self.reshaping(hasLayers: layers != nil) : "") + #"""
                    // A packet that has not arrived whole is not tried again before it can have.
                    if (end - start < wanted) return null;
                    var r = new Reader(buffer, start, end - start);
                    Packet packet = Packets.Unwrapped(r, sender\#(given));
                    wanted = packet == null ? System.Math.Max(r.wanted, end - start + 1) : 1;
                    if (packet != null) Consume(packet.ByteCount);
                    return packet;
                """#
        return #"""
            /// <summary>Finds the packets in a stream, however they are merged and split. After an error it stays failed.</summary>
            public sealed class PacketSplitter {
                private readonly Sender sender;
                private byte[] buffer = new byte[1024];
                private int start = 0;
                private int end = 0;
                private \#(isFramed ? "Frame frame = new Frame()" : "int wanted = 1");
                private WireException failure = null;
            \#(hasPackets ? Self.innerQueue : "")\#
            \#(hasConnection ? Self.connecting(isFramed) : "\n    public PacketSplitter(Sender sender) { this.sender = sender; }")

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
            \#(hasPackets ? "        if (inner.Count > 0) return inner.Dequeue();\n" : "")\#
                    if (failure != null) throw failure;
                    try {
                        return \#(hasPackets ? "TakeInner()" : "Take()");
                    } catch (WireException error) {
                        failure = error;
                        throw;
                    }
                }

                /// <summary>Says that the stream has ended: that is an error inside a packet.</summary>
                public void Finish() {
                    if (failure == null && \#(isFramed ? "frame.IsInside()" : "end > start")) failure = new WireException("end_of_stream", "", \#(isFramed ? "frame.n" : "end - start"));
                    if (failure != null) throw failure;
                }

            \#(hasPackets ? Self.flattening : "")\#
                private Packet Take() {
            \#(taking.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                }

                private void Consume(int count) {
                    start += count;
                    if (start < end) return;
                    start = 0;
                    end = 0;
                    if (buffer.Length > 65536) buffer = new byte[1024];
                }
            }
            """#
    }

    /// Returns the class for the marks around packets and their escapes.
    static func frame(_ framing: PacketFraming, _ options: ProtocolOptions) -> String {
        let escapes = framing.escapes.map { "{\($0.byte), \($0.first), \($0.second)}" }.joined(separator: ", ")
        return #"""
            /// <summary>What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.</summary>
            internal sealed class Frame {
                /// <summary>Each byte that is escaped, and the two that stand for it.</summary>
                private static readonly byte[,] Escapes = {\#(escapes)};
                internal byte[] b = new byte[64];
                internal int n = 0;
                internal int count = 0;
                private bool inside = false;
                private int first = -1;

                private static WireException Fault(string kind, int offset) { return new WireException(kind, "packet.frame", offset); }

                private void Append(byte x) {
                    if (n >= \#(options.maximumPacketByteCount)) throw Fault("packet_too_long", 0);
                    if (n == b.Length) System.Array.Resize(ref b, 2 * n);
                    b[n++] = x;
                }

                /// <summary>Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over.</summary>
                internal bool Take(byte[] from, int start, int end) {
                    for (int i = start; i < end; i++) {
                        byte x = from[i];
                        count++;
                        if (!inside) {
                            if (x != \#(framing.start)) throw Fault("wrong_constant", 0);
                            inside = true;
                        } else if (first >= 0) {
                            Unescape(x);
                        } else if (x == \#(framing.end)) {
                            if (n > 0) return true;
                            inside = \#(framing.hasSameMarks);
                        } else if (x == \#(framing.start)) {
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
                internal bool IsInside() { return inside\#(framing.hasSameMarks ? " && (n > 0 || first >= 0)" : ""); }

                /// <summary>A packet between its marks.</summary>
                internal static byte[] Framed(byte[] packet) {
                    var made = new byte[2 * packet.Length + 2];
                    int p = 0;
                    made[p++] = \#(framing.start);
                    foreach (byte x in packet) {
                        int found = -1;
                        for (int i = 0; i < Escapes.GetLength(0); i++) if (Escapes[i, 0] == x) found = i;
                        made[p++] = found < 0 ? x : Escapes[found, 1];
                        if (found >= 0) made[p++] = Escapes[found, 2];
                    }
                    made[p++] = \#(framing.end);
                    System.Array.Resize(ref made, p);
                    return made;
                }
            }
            """#
    }
}
