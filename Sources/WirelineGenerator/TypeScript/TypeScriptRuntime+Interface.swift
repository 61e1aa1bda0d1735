// SPDX-License-Identifier: Apache-2.0

extension TypeScriptRuntime {
    /// The names of the functions and types that programs use. All of them are always there.
    static let exportedNames: Set<String> = [
        "Received", "Unknown", "MessageType", "Side", "encode", "encodeUnknown", "decode", "PacketSplitter",
        "WireError",
    ]

    /// What programs use: types, `encode`, `decode` and `PacketSplitter`.
    static func api(_ parameters: TypeScriptRuntimeParameters) -> String {
        [types(parameters), coding(parameters), inspecting(parameters), splitting(parameters)].joined(separator: "\n\n")
    }

    /// The function for pages that looks at the packet that bytes begin with, whether it can be decoded or not.
    private static func inspecting(_ parameters: TypeScriptRuntimeParameters) -> String {
        let (taken, given) =
            parameters.hasConnection ? (", connection = new Connection()", ", connection") : ("", "")
        let found =
            switch (parameters.layers == nil, parameters.framing == nil) {
            case (true, true):
                "{ packet, error, count: r.count, wanted: r.wanted, bytes: bytes.subarray(0, r.count || bytes.length), parts: r.parts }"
            case (true, false):
                "{ packet, error, count: r ? frame.count : 0, wanted: 0, bytes: frame.b.subarray(0, frame.n), parts: r ? r.parts : [] }"
            case (false, true): "seen_packet(r, packet, error, 0)"
            case (false, false):
                "{ ...seen_packet(r || reader(frame.b, 0, frame.n), packet, error, 0), count: r ? frame.count : 0, wanted: 0 }"
            }
        return parameters.framing == nil
            ? """
            «export function inspect_packet(bytes, side\(taken)) {
              const r = reader(bytes, 0, bytes.length);
              let packet, error;
              try { packet = receive(r, side\(given)); } catch (caught) { error = caught; }
              return \(found);
            }»
            """
            : """
            «export function inspect_packet(bytes, side\(taken)) {
              const frame = newFrame();
              let r, packet, error;
              try {
                if (unframe(bytes, 0, bytes.length, frame)) {
                  r = reader(frame.b, 0, frame.n);
                  packet = receive(r, side\(given), frame.count) || reject("truncated", frame.n);
                }
              } catch (caught) { error = caught; }
              return \(found);
            }»
            """
    }

    private static func types(_ parameters: TypeScriptRuntimeParameters) -> String {
        let id = parameters.idType
        let message = parameters.hasDefaults ? "Omit<M, S> & Partial<Pick<M, S>>" : "M"
        let header = parameters.looksAtHeader ? ", h: Partial<Header>" : ""
        return #"""
            /** A message that was received, with its packet's header. */
            ‹export interface Received<N extends string, M> {
              readonly name: N;
              readonly id: \#(id);
              readonly header: Header;
              readonly message: M;
              /** How many bytes the packet had. */
              readonly byteCount: number;
            }›

            /** A packet of a message that the schema does not know. */
            ‹export interface Unknown {
              readonly name: null;
              readonly id: \#(id);
              readonly header: Header;
              readonly payload: Uint8Array;
              readonly byteCount: number;
            }›

            /** How one message is read and written. */
            ‹export interface MessageType<N extends string, M\#(parameters.hasDefaults ? ", S extends keyof M = never" : "")> {
              readonly name: N;
              readonly id: \#(id);
            \#(parameters.takesSender ? "  /** Who sends it; undefined where both do. */\n  readonly from: \"client\" | \"server\" | undefined;\n" : "")\#
              /** @internal */
              readonly read: (r: Reader\#(parameters.looksAtHeader ? ", h: Header" : "")) => M;
              /** @internal */
              readonly write: (w: Writer, m: \#(message)\#(header)) => void;
            \#(parameters.fixesHeader ? "  /** @internal */\n  readonly fixed?: (r: Reader, h: Header, at: readonly number[]) => void;\n  /** @internal */\n  readonly fix?: (w: Writer, h: Partial<Header>) => Partial<Header>;\n" : "")\#
            }›

            /** Who sends: which message an ID is. */
            ‹export type Side<P> = (id: \#(id)) => (MessageType<string, never> & { readonly packet?: P }) | undefined;›
            """#
    }

    private static func coding(_ parameters: TypeScriptRuntimeParameters) -> String {
        [encoding(parameters), parameters.takesSender ? senders(parameters) : "", decoding(parameters)]
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The statements of `encode` and `encodeUnknown` for packets with layers.
    private static let sealing = (
        """
          const item‹: Inner› = { type: type‹ as unknown as MessageType<string, never>›, message, header };
          return sealWith(item, connection, senderOf(side, type.from));
        """, "  return sealWith({ id, payload, header }, connection, senderOf(side, undefined));"
    )

    private static func encoding(_ parameters: TypeScriptRuntimeParameters) -> String {
        let id = parameters.idType
        let sender = parameters.takesSender
        let hasConnection = parameters.hasConnection
        let side = (sender ? ", side‹?: Side<unknown>›" : "") + (hasConnection ? ", connection = new Connection()" : "")
        let connection = hasConnection ? ", connection" : ""
        let fixing = parameters.fixesHeader
        let given = fixing ? "given" : "header"
        let wrap =
            sender
            ? "wrapFrom(senderOf(side, type.from), w, type.id, \(given)\(connection))" : "wrap(w, type.id, \(given))"
        let wrapUnknown =
            sender ? "wrapFrom(senderOf(side, undefined), w, id, header\(connection))" : "wrap(w, id, header)"
        let writing = parameters.looksAtHeader ? "type.write(w, message, \(given) || {})" : "type.write(w, message)"
        let framed = { (packet: String) in parameters.framing == nil ? packet : "framed(\(packet))" }
        let (typeParameters, message) =
            parameters.hasDefaults
            ? ("N extends string, M, S extends keyof M = never", "Omit<M, S> & Partial<Pick<M, S>>")
            : ("N extends string, M", "M")
        let typeArguments = parameters.hasDefaults ? "N, M, S" : "N, M"
        let encoding = """
              const w‹: Writer› = { b: spare || new Uint8Array(1024), p: \(parameters.lead), at: [type.name], depth: \(parameters.maximumDepth) };
              spare = undefined;
              if (typeof message !== "object" || message === null) refuse(w, "wrong_type");
            \(fixing ? "  const given = type.fix ? type.fix(w, header || {}) : header;\n" : "")\
              \(writing);
              const packet = \(framed(wrap));
              if (w.b.length <= 65536) spare = w.b;
              return packet;
            """
        let encodingUnknown = """
              const w‹: Writer› = { b: new Uint8Array(1024), p: \(parameters.lead), at: [], depth: 0 };
              putBlob(w, payload, "payload");
              return \(framed(wrapUnknown));
            """
        return #"""
            /**
             * A whole packet of a message. Of the header what a caller can set is taken from `header`, which may be that of the packet
             * that is answered; lengths, IDs, constants and checksums are computed.
             *
            \#(hasConnection ? " * Without a connection it is the first packet of one.\n *\n" : "")\#
            \#(parameters.dependsOnSender ? " * A message that both sides send needs the side: packets of `fromClient` and of `fromServer` differ.\n *\n" : "")\#
             * @throws WireError if a value is not what the schema allows; nothing is cut to fit.
             */
            export function encode‹<\#(typeParameters)>›(type‹: MessageType<\#(typeArguments)>›, message‹: \#(message)›, header‹?: Partial<Header>›\#(side))‹: Uint8Array› {
            \#(parameters.layers == nil ? encoding : sealing.0)
            }

            /** A packet of a message that the schema does not know. */
            export function encodeUnknown(id‹: \#(id)›, payload‹: Uint8Array›, header‹?: Partial<Header>›\#(side))‹: Uint8Array› {
            \#(parameters.layers == nil ? encodingUnknown : sealing.1)
            }
            """#
    }

    private static func decoding(_ parameters: TypeScriptRuntimeParameters) -> String {
        let hasConnection = parameters.hasConnection
        let connection = hasConnection ? ", connection" : ""
        return #"""
            /**
             * The packet that begins at `start`; undefined when it has not arrived whole. What stands behind it is not looked at.
             *
             * @throws WireError if the bytes are no packet of the protocol. After such an error, the start of the next packet is unknown.
             */
            export function decode‹<P>›(bytes‹: Uint8Array›, side‹: Side<P>›, start = 0\#(hasConnection ? ", connection = new Connection()" : ""))‹: \#(parameters.received) | undefined› {
            \#(parameters.framing == nil ? decodingBytes(connection) : "  " + decodingFrame(connection))
            }

            function reader(b‹: Uint8Array›, start‹: number›, end‹: number›)‹: Reader› {
              return { b, p: start, end, start, last: Infinity, wanted: 0, at: ["packet"], depth: \#(parameters.maximumDepth)«, count: 0, parts: []\#(parameters.layers == nil ? "" : ", layers: [], packets: []")» };
            }
            """# + (parameters.layers == nil ? "\n\n" + receiving(parameters) : "")
    }

    private static func decodingBytes(_ connection: String) -> String {
        #"""
          // What a Buffer of Node gives for `slice` shares its memory.
          const b = bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
          return receive(reader(b, start, b.length), side\#(connection));
        """#
    }

    private static func receiving(_ parameters: TypeScriptRuntimeParameters) -> String {
        let hasConnection = parameters.hasConnection
        let unwrap =
            hasConnection
            ? "unwrappers[shapeOf(isServer(side), connection)]‹!›(r)"
            : parameters.takesSender ? "(isServer(side) ? unwrapServer : unwrapClient)(r)" : "unwrap(r)"
        return #"""
            function receive‹<P>›(r‹: Reader›, side‹: Side<P>›\#(hasConnection ? ", connection‹: Connection›" : "")\#(parameters.framing == nil ? "" : ", byteCount‹: number›"))‹: P | Unknown | undefined› {
              const b = r.b, packet = \#(unwrap);
              if (!packet) return undefined;
              const { id, header\#(parameters.framing == nil ? ", byteCount" : "") } = packet, type = side(id);
            \#(parameters.fixesHeader ? "  if (type && type.fixed) type.fixed(r, header, packet.at);\n" : "")\#
            \#(parameters.changesStates ? "  if (!type) change(connection, isServer(side), id);\n" : "")\#
              if (!type) return { name: null, id, header, payload: b.slice(r.p, r.end), byteCount };
              r.at[0] = type.name;
              const message‹: unknown› = type.read(r\#(parameters.looksAtHeader ? ", header" : ""));
            \#(parameters.changesStates ? "  change(connection, isServer(side), id);\n" : "")\#
              return { name: type.name, id, header, message, byteCount }‹ as unknown›‹ as P›;
            }
            """#
    }

    private static func senders(_ parameters: TypeScriptRuntimeParameters) -> String {
        #"""
        function isServer(side‹: Side<unknown>›)‹: boolean› { return side === fromServer‹ as Side<unknown>›; }

        /** Whether the server sends. */
        function senderOf(side‹: Side<unknown> | undefined›, from‹: "client" | "server" | undefined›)‹: boolean› {
          if (side) return isServer(side);
        \#(parameters.dependsOnSender ? "  if (from === undefined) throw new WireError(\"needs_sender\", \"\");\n" : "")\#
          return from === "server";
        }

        \#(parameters.hasConnection ? wrapInConnection(parameters) : wrapFrom(parameters))
        """#
    }

    private static func wrapFrom(_ parameters: TypeScriptRuntimeParameters) -> String {
        """
        function wrapFrom(server‹: boolean›, w‹: Writer›, id‹: \(parameters.idType)›, header‹?: Partial<Header>›)‹: Uint8Array› {
          return server ? wrapServer(w, id, header) : wrapClient(w, id, header);
        }
        """
    }

    private static func wrapInConnection(_ parameters: TypeScriptRuntimeParameters) -> String {
        guard parameters.layers == nil else { return "" }
        let wrapping = "wrappers[shapeOf(server, connection)]‹!›(w, id, header)"
        let lines =
            parameters.changesStates
            ? ["const packet = \(wrapping);", "change(connection, server, id);", "return packet;"]
            : ["return \(wrapping);"]
        return """
            function wrapFrom(server‹: boolean›, w‹: Writer›, id‹: \(parameters.idType)›, header‹: Partial<Header> | undefined›, connection‹: Connection›)‹: Uint8Array› {
              \(lines.joined(separator: "\n  "))
            }
            """
    }

    private static func decodingFrame(_ connection: String) -> String {
        """
        const frame = newFrame();
          return unframe(bytes, start, bytes.length, frame) ? unframed(frame, side\(connection)) : undefined;
        """
    }

    private static func takingFrame(_ connection: String) -> String {
        """
            const frame = this.frame, before = frame.count, whole = unframe(this.buffer, this.start, this.end, frame);
            this.consume(frame.count - before);
            if (!whole) return undefined;
            this.frame = newFrame();
            return unframed(frame, this.side\(connection));
        """
    }

    private static func takingPacket(_ connection: String) -> String {
        let reshaping = """
                // How much is needed depends on the shape of the packet, which the other side's packets may change.
                const shape = shapeOf(isServer(this.side), this.connection);
                if (shape !== this.shape) this.wanted = 1;
                this.shape = shape;

            """
        return (connection.isEmpty ? "" : reshaping) + """
                // A packet that has not arrived whole is not tried again before it can have.
                if (this.end - this.start < this.wanted) return undefined;
                const r = reader(this.buffer, this.start, this.end), packet = receive(r, this.side\(connection));
                this.wanted = packet ? 1 : Math.max(r.wanted, this.end - this.start + 1);
                if (packet) this.consume((packet‹ as Unknown›).byteCount);
                return packet;
            """
    }

    /// The method of a splitter for packets that hold others.
    private static let one = """
          /** The next packet; those in another one come one by one in its place. */
          ‹private ›one()‹: P | Unknown | undefined› {
            for (;;) {
              const packet = this.waiting.pop() || this.nextPacket();
              if (!packet || (packet‹ as Unknown | Packets<P>›).name !== undefined) return packet‹ as P | Unknown | undefined›;
              const packets = (packet‹ as Packets<P>›).packets;
              for (let i = packets.length - 1; i >= 0; i--) this.waiting.push(packets[i]‹!›);
            }
          }

        """

    private static func splitting(_ parameters: TypeScriptRuntimeParameters) -> String {
        let isFramed = parameters.framing != nil
        let connection = parameters.hasConnection ? ", this.connection" : ""
        let shape = parameters.hasConnection && !isFramed ? "\n  ‹private ›shape = -1;" : ""
        let state = (isFramed ? "‹private ›frame = newFrame();" : "‹private ›wanted = 1;") + shape
        let inside = isFramed ? "insideFrame(this.frame)" : "this.end > this.start"
        let count = isFramed ? "this.frame.n" : "this.end - this.start"
        let next = isFramed ? takingFrame(connection) : takingPacket(connection)
        let hasPackets = parameters.layers?.hasPackets == true
        return #"""
            /**
             * Finds the packets in a stream, however they are glued and torn. After an error it stays failed: a stream without
             * packets cannot be taken up again.
             */
            export class PacketSplitter‹<P>› {
              ‹private readonly side: Side<P>;›
            \#(parameters.hasConnection ? "  ‹private readonly connection: Connection;›\n" : "")\#
              ‹private ›buffer = new Uint8Array(0);
              ‹private ›start = 0;
              ‹private ›end = 0;
              \#(state)
              ‹private failure: unknown;›
            \#(hasPackets ? "  ‹private ›waiting‹: (P | Unknown | Packets<P>)[]› = [];\n" : "")\#
              constructor(side‹: Side<P>›\#(parameters.hasConnection ? ", connection = new Connection()" : "")) { this.side = side;\#(parameters.hasConnection ? " this.connection = connection;" : "") }
              /** Takes what has arrived; the bytes are copied. */
              push(bytes‹: Uint8Array›)‹: void› {
                const held = this.end - this.start;
                if (this.end + bytes.length > this.buffer.length) {
                  // What is held moves only when that makes much room, so that no byte moves often.
                  const larger = 2 * held + bytes.length > this.buffer.length ? new Uint8Array(Math.max(2 * (held + bytes.length), 1024)) : this.buffer;
                  larger.set(this.buffer.subarray(this.start, this.end));
                  this.buffer = larger;
                  this.start = 0;
                  this.end = held;
                }
                this.buffer.set(bytes, this.end);
                this.end += bytes.length;
              }
              /** The next packet; undefined when more bytes are needed. */
              next()‹: P | Unknown | undefined› {
                if (this.failure !== undefined) throw this.failure;
                try {
                  return this.\#(hasPackets ? "one" : "nextPacket")();
                } catch (error) {
                  this.failure = error;
                  throw error;
                }
              }
              /** Says that the stream has ended: that is an error inside a packet. */
              finish()‹: void› {
                if (this.failure !== undefined) throw this.failure;
                if (\#(inside)) throw (this.failure = new WireError("end_of_stream", "", \#(count)));
              }
            \#(hasPackets ? one : "")\#
              ‹private ›nextPacket()‹: \#(parameters.received) | undefined› {
            \#(next)
              }
              ‹private ›consume(n‹: number›)‹: void› {
                this.start += n;
                if (this.start < this.end) return;
                this.start = this.end = 0;
                if (this.buffer.length > 65536) this.buffer = new Uint8Array(0);
              }
            }
            """#
    }
}
