// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime for packets with layers depends on the schema. Without one, it has all names.
struct TypeScriptLayerParameters {
    /// The most bytes that compression may make of one packet.
    var maximumByteCount = 8 << 20
    /// How deep packets may stand in packets.
    var maximumDepth = 4
    var hasPackets = true
    /// Whether some layer asks for the count of its content.
    var hasThreshold = true

    init() {}

    init(_ plan: LayerPlan) {
        maximumByteCount = plan.maximumByteCount
        maximumDepth = plan.maximumDepth
        hasPackets = plan.hasPackets
        hasThreshold = plan.hasThreshold
    }
}

extension TypeScriptRuntime {
    /// The names of the types that programs use if packets have layers.
    static func layerNames(_ layers: TypeScriptLayerParameters) -> Set<String> {
        Set(["Layer", "Layered", "Transform", "Part", "Keystream"]).union(
            layers.hasPackets ? ["Inner", "Packets", "inner", "encodePackets"] : [])
    }

    /// The types, and the functions that open and seal packets with layers.
    static func layers(_ parameters: TypeScriptRuntimeParameters, _ layers: TypeScriptLayerParameters) -> String {
        let packets = layers.hasPackets ? [packetTypes(parameters), packetsInside(parameters, layers)] : []
        return
            ([layerTypes(parameters, layers), opening(parameters, layers)] + packets
            + [sealing(parameters, layers), transforms])
            .joined(separator: "\n\n")
    }

    private static func layerTypes(
        _ parameters: TypeScriptRuntimeParameters, _ layers: TypeScriptLayerParameters
    ) -> String {
        let id = parameters.idType
        return #"""
            /** A layer that the program gives, for the packets of one side. */
            ‹export interface Layer {
              /** The content; undefined if it is longer than the limit. Any exception says that the bytes are damaged. */
              open(sealed: Uint8Array, header: Header, limit: number): Uint8Array | undefined;
              seal(content: Uint8Array, header: Header): Uint8Array;
            }›

            /** A packet to write: a message, one that the schema does not know\#(layers.hasPackets ? ", or packets in a packet" : ""). */
            ‹\#(layers.hasPackets ? "export " : "")type Inner =
              | { readonly type: MessageType<string, never>; readonly message: unknown; readonly header?: Partial<Header> | undefined }
            \#(layers.hasPackets ? "  | { readonly id: \(id); readonly packets: readonly Inner[]; readonly header?: Partial<Header> | undefined }\n" : "")\#
              | { readonly id: \#(id); readonly payload: Uint8Array; readonly header?: Partial<Header> | undefined };›

            /** Where a keystream goes on: how many bytes it gave, or the state of RC4. */
            ‹type Keystream = number | { readonly s: Uint8Array; readonly i: number; readonly j: number };›

            /**
             * Some fields of a packet: where its content begins and ends, where the packet and the first own field do, the count of the
             * content, which rules hold (of layers, then `packets`, then `opaque`), and where fields are that messages fix.
             */
            ‹interface Part { id: \#(id); header: Header; body: number; end: number; after: number; first: number; count: { v: number; at: number } | undefined; rules: readonly boolean[]; at: readonly number[] }›

            ‹type PartReader = (r: Reader) => Part | undefined;›

            ‹type PartWriter = (w: Writer, id: \#(id), h?: Partial<Header>) => Uint8Array;›

            /** The fields inside of layers. */
            ‹interface InnerFields { readonly read: PartReader; readonly write: PartWriter; readonly keys: readonly string[] }›

            ‹interface Section { readonly layers: readonly number[]; readonly fields?: InnerFields }›

            ‹interface Counter { readonly key: string; readonly path: string; readonly plus: number; readonly first: number; readonly isSettable: boolean; readonly number: (n: number) => number | bigint }›

            ‹interface Layered { readonly readOuter: PartReader; readonly writeOuter: PartWriter; readonly readFlat: PartReader; readonly writeFlat: PartWriter; readonly keys: readonly string[]; readonly sections: readonly Section[]; readonly counter?: Counter }›

            ‹type Cipher = (b: Uint8Array, n: number, work: Work, h: Header) => Uint8Array;›

            /** A layer: its place in errors, whether its keystream goes on, and whether it inflates. */
            ‹interface Transform { readonly path: string; readonly lasts: boolean; readonly inflates: boolean; readonly open: Cipher; readonly seal: Cipher }›

            /** What goes on through all packets in one. Only if all of it was right, the connection takes it over. */
            ‹interface Work { readonly connection: Connection; readonly server: boolean; left: number; packets: number; readonly ids: \#(id)[]; readonly streams: Map<string, Keystream> }›

            function newWork(connection‹: Connection›, server‹: boolean›)‹: Work› {
              return { connection, server, left: \#(layers.maximumByteCount), packets: 0, ids: [], streams: new Map(connection.streams) };
            }

            function commit(work‹: Work›)‹: void› {
            \#(parameters.changesStates ? "  for (const id of work.ids) change(work.connection, work.server, id);\n" : "")\#
              work.connection.streams = work.streams;
            }

            function senderName(server‹: boolean›)‹: string› { return server ? "server." : "client."; }
            """#
    }

    private static func opening(
        _ parameters: TypeScriptRuntimeParameters, _ layers: TypeScriptLayerParameters
    ) -> String {
        let packets =
            layers.hasPackets
            ? #"""
              if (part.rules[part.rules.length - 2]) {
                requireDepth(depth);
                «seen_sealed(r, "packets", data.length - origin, content).value = content;»
                return { name: undefined, id, header: part.header, packets: openPackets(content, side, depth + 1, work, streams«, r.packets»), byteCount };
              }

            """# : ""
        return #"""
            /** An error whose offset counts from another place. */
            function moved(error‹: unknown›, start‹: number›)‹: unknown› {
              return error instanceof WireError && error.offset !== undefined ? new WireError(error.kind, error.path, error.offset - start) : error;
            }

            function joined(...parts‹: readonly Uint8Array[]›)‹: Uint8Array› {
              const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
              let p = 0;
              for (const part of parts) {
                out.set(part, p);
                p += part.length;
              }
              return out;
            }

            /** The fields of an opened packet; offsets count from the first byte inside the innermost layer. */
            function whole(read‹: PartReader›, b‹: Uint8Array›, origin‹: number›«, seen»)‹: Part› {
              «const own = reader(b, 0, b.length);»
              try {
                return read(‹reader(b, 0, b.length)›«own») || reject("truncated", b.length);
              } catch (error) {
                throw moved(error, origin);
              }
              «finally { if (seen) seen_fields(seen, own.parts, origin); }»
            }

            «function seen_level(r) { return r.layers.length ? r.layers[r.layers.length - 1] : r; }»

            «function seen_sealed(r, path, from, sealed) {
              const part = { path, depth: 1, from, to: from + sealed.length, value: undefined };
              seen_level(r).parts.push(part);
              return part;
            }»

            «function seen_opened(r, n, part, content) {
              part.value = content;
              r.layers.push({ n, bytes: content, parts: [] });
            }»

            «function seen_fields(r, parts, origin) {
              const known = new Set([r, ...r.layers].flatMap(level => level.parts.map(part => part.path)));
              seen_inside(r, parts.filter(part => !known.has(part.path)), origin);
            }»

            «function seen_inside(r, parts, origin) {
              for (const part of parts) seen_level(r).parts.push({ ...part, from: part.from - origin, to: part.to - origin });
            }»

            «function seen_packet(r, packet, error, at) {
              return { packet, error, at, count: packet ? packet.byteCount : r.count, wanted: r.wanted, bytes: r.b.subarray(r.start, r.count ? r.start + r.count : r.end), parts: r.parts, layers: r.layers, packets: r.packets };
            }»

            /** The layers whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again. */
            function withStream(n‹: number›, streams‹: readonly number[]›)‹: readonly number[]› {
              const transform = transforms[n]‹!›;
              if (!transform.lasts) return streams;
              if (streams.indexOf(n) >= 0) throw new WireError("invalid_layer", transform.path);
              return streams.concat(n);
            }

            function takeInflated(n‹: number›, count‹: number›, work‹: Work›)‹: void› {
              const transform = transforms[n]‹!›;
              if (!transform.inflates) return;
              if (count > work.left) throw new WireError("inflated_too_long", transform.path);
              work.left -= count;
            }

            /** The packet at a place, out of its layers; undefined when it has not arrived whole. */
            function open‹<P>›(r‹: Reader›, side‹: Side<P>›, depth‹: number›, work‹: Work›, around‹: readonly number[]›, size‹?: number›)‹: \#(parameters.received) | undefined› {
              const shape = layered[shapeOf(work.server, work.connection, depth > 0)]‹!›, counter = shape.counter, found = shape.readOuter(r);
              if (!found) return undefined;
              const trailer = r.b.subarray(found.end, found.after), byteCount = size === undefined ? found.after - r.start : size;
              let { header, rules, count } = found, streams = around, origin = 0, opened = -1;
              let data = r.b.subarray(r.start, found.body), content = r.b.subarray(found.body, found.end);
              for (const section of shape.sections) {
                for (const n of section.layers) {
                  if (!rules[n]) continue;
                  «const part = seen_sealed(r, transforms[n].path, data.length - origin, content);»
                  if (counter && count && count.v - counter.plus > \#(layers.maximumByteCount)) throw new WireError("inflated_too_long", transforms[n]‹!›.path);
                  streams = withStream(n, streams);
                  content = transforms[n]‹!›.open(content, n, work, header);
                  «seen_opened(r, n, part, content);»
                  takeInflated(n, content.length, work);
                  origin = data.length;
                  if (counter && n >= counter.first) opened = content.length;
                }
                if (section.fields) {
                  const b = joined(data, content), part = whole(section.fields.read, b, origin«, r»);
                  header = part.header;
                  rules = part.rules;
                  data = b.subarray(0, part.body);
                  content = b.subarray(part.body, part.end);
                  if (!count && part.count) count = { v: part.count.v, at: part.count.at - origin };
                }
              }
              if (counter && count && count.v !== (opened < 0 ? 0 : opened + counter.plus)) throw new WireError("length_mismatch", counter.path, count.at);
              const flat = joined(data, content, trailer), part = whole(shape.readFlat, flat, origin«, r»), id = part.id;
            \#(packets)\#
              // A part of a message sets no state.
              const isPart = part.rules[part.rules.length - 1], type = isPart ? undefined : side(id);
              if (!isPart) work.ids.push(id);
              if (!type) return { name: null, id, header: part.header, payload: flat.slice(part.body, part.end), byteCount };
              const own = reader(flat, 0, flat.length);
              own.p = part.body;
              own.end = part.end;
            \#(parameters.fixesHeader ? "  if (type.fixed) type.fixed(own, part.header, part.at);\n" : "")\#
              try {
                own.at[0] = type.name;
                const message‹: unknown› = type.read(own\#(parameters.looksAtHeader ? ", part.header" : ""));
                return { name: type.name, id, header: part.header, message, byteCount }‹ as unknown as P›;
              } catch (error) {
                throw moved(error, origin);
              }
              «finally { seen_inside(r, own.parts, origin); }»
            }

            function receive‹<P>›(r‹: Reader›, side‹: Side<P>›, connection‹: Connection›, size‹?: number›)‹: \#(parameters.received) | undefined› {
              const work = newWork(connection, isServer(side)), packet = open(r, side, 0, work, [], size);
              if (packet) commit(work);
              return packet;
            }
            """#
    }

    private static func packetTypes(_ parameters: TypeScriptRuntimeParameters) -> String {
        let id = parameters.idType
        let (typeParameters, message, arguments) =
            parameters.hasDefaults
            ? ("N extends string, M, S extends keyof M = never", "Omit<M, S> & Partial<Pick<M, S>>", "N, M, S")
            : ("N extends string, M", "M", "N, M")
        return #"""
            /** A packet that holds others. A splitter gives those one by one in its place. */
            ‹export interface Packets<P> {
              readonly name: undefined;
              readonly id: \#(id);
              readonly header: Header;
              readonly packets: readonly (P | Unknown | Packets<P>)[];
              readonly byteCount: number;
            }›

            /** A message for `encodePackets`. The other packets in a packet are `{ id, payload }` and `{ id, packets }`, which may have a `header`, too. */
            export function inner‹<\#(typeParameters)>›(type‹: MessageType<\#(arguments)>›, message‹: \#(message)›, header‹?: Partial<Header>›)‹: Inner› {
              return { type: type‹ as unknown as MessageType<string, never>›, message, header };
            }

            /** A packet that holds others. */
            export function encodePackets(id‹: \#(id)›, packets‹: readonly Inner[]›, header‹?: Partial<Header>›, side‹?: Side<unknown>›, connection = new Connection())‹: Uint8Array› {
              const item‹: Inner› = { id, packets, header };
              return sealWith(item, connection, senderOf(side, fromOf(item)));
            }

            /** Who sends a packet, by its first message. */
            function fromOf(item‹: Inner | undefined›)‹: "client" | "server" | undefined› {
              return !item ? undefined : "type" in item ? item.type.from : "packets" in item ? fromOf(item.packets[0]) : undefined;
            }
            """#
    }

    private static func packetsInside(
        _ parameters: TypeScriptRuntimeParameters, _ layers: TypeScriptLayerParameters
    ) -> String {
        let (ends, next): (String, String)
        if let framing = parameters.framing {
            // Marks with nothing between them may follow the last packet.
            ends =
                framing.hasSameMarks
                ? "content.subarray(p).every(x => x === \(framing.start))"
                : "(content.length - p) % 2 === 0 && content.subarray(p).every((x, i) => x === (i % 2 === 0 ? \(framing.start) : \(framing.end)))"
            next = """
                const frame = newFrame();
                      if (!unframe(content, p, content.length, frame)) reject("truncated", content.length - p);
                      «own = reader(frame.b, 0, frame.n);»
                      packet = open(‹reader(frame.b, 0, frame.n)›«own», side, depth, work, streams, frame.count) || reject("truncated", frame.n);
                """
        } else {
            ends = "p >= content.length"
            next = """
                packet = open(‹reader(content, p, content.length)›«own», side, depth, work, streams) || reject("truncated", content.length - p);
                """
        }
        return #"""
            function requireDepth(depth‹: number›)‹: void› { if (depth >= \#(layers.maximumDepth)) throw new WireError("too_deep", ""); }

            function requireCount(work‹: Work›)‹: void› { if (work.packets++ >= 65536) throw new WireError("too_long", "packets"); }

            /** An error in a packet inside another one. */
            function innerFault(error‹: unknown›, i‹: number›)‹: unknown› {
              if (!(error instanceof WireError)) return error;
              const prefix = "packets[" + i + "]", fault = new WireError(error.kind, prefix + (error.path ? "." + error.path : ""), error.offset);
              fault.message = prefix + (error.path ? "." : ": ") + error.message;
              return fault;
            }

            function openPackets‹<P>›(content‹: Uint8Array›, side‹: Side<P>›, depth‹: number›, work‹: Work›, streams‹: readonly number[]›«, seen»)‹: (\#(parameters.received))[]› {
              const packets‹: (\#(parameters.received))[]› = [];
              let p = 0;
              while (!(\#(ends))) {
                requireCount(work);
                let packet‹: \#(parameters.received)›;
                «let own = reader(content, p, content.length), fault;»
                try {
                  \#(next)
                } catch (error) {
                  «fault = error;»
                  throw innerFault(error, packets.length);
                }
                «finally { seen.push(seen_packet(own, packet, fault, p)); }»
                packets.push(packet);
                p += (packet‹ as Unknown›).byteCount;
              }
              return packets;
            }
            """#
    }

    private static func sealing(
        _ parameters: TypeScriptRuntimeParameters, _ layers: TypeScriptLayerParameters
    ) -> String {
        let id = parameters.idType
        let lead = parameters.lead
        let writing =
            parameters.looksAtHeader
            ? "type.write(w, item.message‹ as never›, h)" : "type.write(w, item.message‹ as never›)"
        let packets =
            layers.hasPackets
            ? #"""
              if ("packets" in item) {
                requireDepth(depth);
                const parts = item.packets.map((packet, i) => {
                  requireCount(work);
                  const own‹: Streams› = { used: [] };
                  try {
                    return seal(packet, depth + 1, work, own);
                  } catch (error) {
                    throw innerFault(error, i);
                  } finally {
                    streams.used = streams.used.concat(own.used);
                  }
                });
                return sealed(item.id, joined(...parts), h, true, depth, work, streams);
              }

            """# : ""
        let threshold =
            layers.hasThreshold
            ? #"""
              if (counter && counter.isSettable && !(counter.key in settable)) {
                // Whether there is a layer depends on how much there is without one.
                const bare = knownPart(shape, id, settable).header, threshold = work.connection.options.threshold;
                if (counter.key in bare) settable = withNumber(settable, counter, 0);
                if (threshold !== undefined && counter.key in settable) {
                  const given = Object.assign({}, chosen(bare, idKeys), settable);
                  const n = writtenInside(shape.sections[shape.sections.length - 1]‹!›, given, payload).length;
                  settable = withNumber(settable, counter, n >= threshold ? 1 : 0);
                }
              }

            """# : ""
        return #"""
            /** The layers whose keystream goes on that a packet uses. */
            ‹interface Streams { used: readonly number[] }›

            function sealWith(item‹: Inner›, connection‹: Connection›, server‹: boolean›)‹: Uint8Array› {
              const work = newWork(connection, server), packet = seal(item, 0, work, { used: [] });
              commit(work);
              return packet;
            }

            function seal(item‹: Inner›, depth‹: number›, work‹: Work›, streams‹: Streams›)‹: Uint8Array› {
              let h = item.header || {};
            \#(packets)\#
              const w‹: Writer› = { b: new Uint8Array(1024), p: \#(lead), at: [], depth: \#(parameters.maximumDepth) };
              if (!("type" in item)) {
                putBlob(w, item.payload, "payload");
                return sealed(item.id, w.b.subarray(\#(lead), w.p), h, undefined, depth, work, streams);
              }
              const type = item.type;
              w.at.push(type.name);
              if (typeof item.message !== "object" || item.message === null) refuse(w, "wrong_type");
            \#(parameters.fixesHeader ? "  if (type.fix) h = type.fix(w, h);\n" : "")\#
              \#(writing);
              return sealed(type.id, w.b.subarray(\#(lead), w.p), h, false, depth, work, streams);
            }

            function chosen(h‹: Partial<Header>›, keys‹: readonly string[]›)‹: Partial<Header>› {
              const from = h‹ as { readonly [key: string]: unknown }›, to‹: { [key: string]: unknown }› = {};
              for (const key of keys) if (isSet(from[key])) to[key] = from[key];
              return to‹ as Partial<Header>›;
            }

            function withNumber(h‹: Partial<Header>›, counter‹: Counter›, n‹: number›)‹: Partial<Header>› {
              return Object.assign({}, h, { [counter.key]: counter.number(n) });
            }

            function written(write‹: PartWriter›, id‹: \#(id)›, content‹: Uint8Array›, h‹: Partial<Header>›)‹: Uint8Array› {
              const b = new Uint8Array(\#(lead) + content.length + 64);
              b.set(content, \#(lead));
              return write({ b, p: \#(lead) + content.length, at: [], depth: 0 }, id, h);
            }

            /** The fields of a packet that are known before its layers are sealed, and which rules hold. */
            function knownPart(shape‹: Layered›, id‹: \#(id)›, h‹: Partial<Header>›)‹: Part› {
              return whole(shape.readFlat, written(shape.writeFlat, id, new Uint8Array(0), h), 0);
            }

            /** The fields of a section and what is after them. Fields before are written for their conditions only. */
            function writtenInside(section‹: Section›, h‹: Partial<Header>›, content‹: Uint8Array›)‹: Uint8Array› {
              const fields = section.fields;
              if (!fields) return content;
              const b = written(fields.write, \#(id == "bigint" ? "BigInt(0)" : "0"), content, chosen(h, fields.keys));
              return b.subarray(whole(fields.read, b, 0).first);
            }

            function sealed(id‹: \#(id)›, payload‹: Uint8Array›, h‹: Partial<Header>›, holds‹: boolean | undefined›, depth‹: number›, work‹: Work›, streams‹: Streams›)‹: Uint8Array› {
              const shape = layered[shapeOf(work.server, work.connection, depth > 0)]‹!›, counter = shape.counter;
              \#(layers.hasThreshold ? "let" : "const") settable = chosen(h, settableKeys);
            \#(threshold)\#
              const part = knownPart(shape, id, settable), rules = part.rules;
              if (holds !== undefined) {
                if (holds !== rules[rules.length - 2]) throw new WireError("presence", "packets");
                if (!holds && rules[rules.length - 1]) throw new WireError("presence", "opaque");
              }
              if (!rules[rules.length - 2] && !rules[rules.length - 1]) work.ids.push(id);
              let header = part.header, given‹: Partial<Header>› = Object.assign({}, chosen(header, idKeys), settable), isCounted = false;
              /** Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader. */
              const count = (n‹: number›)‹: void› => {
                if (counter && !isCounted && counter.key in header) {
                  const same = knownPart(shape, id, withNumber(settable, counter, n)).rules;
                  if (same.some((holds, i) => holds !== rules[i])) throw new WireError("length_too_small", counter.path);
                  header = withNumber(header, counter, n)‹ as Header›;
                  given = withNumber(given, counter, n);
                }
                isCounted = true;
              };
              let content = payload;
              for (const section of shape.sections.slice().reverse()) {
                // From here on the layers are around the field.
                if (counter && section.layers[0]‹!› < counter.first) count(0);
                content = writtenInside(section, given, content);
                for (const n of section.layers.slice().reverse()) {
                  if (!rules[n]) continue;
                  streams.used = withStream(n, streams.used);
                  count(content.length + (counter ? counter.plus : 0));
                  takeInflated(n, content.length, work);
                  content = transforms[n]‹!›.seal(content, n, work, header);
                }
              }
              count(0);
              const packet = written(shape.writeOuter, \#(id == "bigint" ? "BigInt(0)" : "0"), content, chosen(given, shape.keys));
              return \#(parameters.framing == nil ? "packet" : "framed(packet)");
            }
            """#
    }
}
