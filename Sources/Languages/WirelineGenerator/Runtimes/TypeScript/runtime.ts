// SPDX-License-Identifier: Apache-2.0

/**
 * The runtime of generated TypeScript, with all that a protocol can need.
 *
 * Comments mark its regions, which stay for a feature of the protocol, or with `!` without it. Of the functions, generated code has
 * those that it calls. The generator replaces the names in capitals. Pages have the same without types: `TypeScriptEraser` takes those
 * of functions, variables and declarations out, and the regions for `types` have other ones. What stands in place of these is only for
 * pages: it says which bytes each value was read from.
 */

type MESSAGE_ID = number;

const ZERO_ID: MESSAGE_ID = 0;
const LONGEST_HEADER = 8;
const MAXIMUM_DEPTH = 32;
const MAXIMUM_SIZE = 1048576;
const MAXIMUM_INFLATED = 8388608;
const MAXIMUM_NESTED = 4;
const FRAME_START = 0x7e;
const FRAME_END = 0x7e;
const ESCAPE_FIRST = 0x7d;
const ESCAPE_SECOND = 2;
const ESCAPE_BYTE = 0x7e;
const FRAME_FIRST = (x: number): boolean => x === ESCAPE_FIRST;
const FRAME_ESCAPED = (x: number | undefined): boolean => x === ESCAPE_BYTE;
const FRAME_MARKS = (b: Uint8Array, p: number): boolean => b.subarray(p).every(x => x === FRAME_START);

// What follows stands for what the schema makes: the header, the sides, the states, keys and layers, and their tables.

interface Header { readonly count?: number }

interface States { readonly [name: string]: number | bigint | boolean | undefined }

type KEY_NAMES = string;
type KEY_OPTIONS = object;
type PROGRAM_LAYERS = object;

const KEY_RULES: readonly { readonly name: KeyName; readonly counts: readonly (readonly [number, number])[]; readonly layers: readonly number[] }[] = [];

const fromServer: Side<never> = () => undefined;
const layered: readonly Layered[] = [];
const transforms: readonly Transform[] = [];
const settableKeys: readonly string[] = [];
const idKeys: readonly string[] = [];

function shapeOf(server: boolean, _connection: Connection, nested = false): number { return server || nested ? 1 : 0; }

function change(connection: Connection, server: boolean, _id: MESSAGE_ID): void { if (server) connection.keys.clear(); }

// #region all
// #region connection
// #region keys
export type KeyName = KEY_NAMES;

/** How many bytes keys have, and the layers that use them. */
const keyRules: readonly { readonly name: KeyName; readonly counts: readonly (readonly [number, number])[]; readonly layers: readonly number[] }[] = KEY_RULES;

// #endregion
// #region layers
/** What a program gives for a connection. What packets need and is not there is `layer_unavailable` when a packet needs it. */
export interface ConnectionOptions {
  // #region states
  /** The states when the connection begins. */
  readonly states?: States | undefined;
  // #endregion
  // #region keys
  /** Keys for the packets of both sides: see `setKey`. */
  readonly keys?: KEY_OPTIONS | undefined;
  // #endregion
  // #region aes
  /** AES: blocks of 16 bytes, each encrypted or decrypted for itself. */
  readonly aes?: ((key: Uint8Array, blocks: Uint8Array, encrypts: boolean) => Uint8Array) | undefined;
  // #endregion
  // #region programLayers
  /** Functions that make a layer for the packets of one side. */
  readonly layers?: PROGRAM_LAYERS | undefined;
  // #endregion
  // #region threshold
  /** From how many bytes on a content gets a layer that asks for its count; without it none does. */
  readonly threshold?: number | undefined;
  // #endregion
}

// #endregion
/** What the packets of a connection depend on, in both directions: `encode`, `decode` and both splitters share it. */
export class Connection {
  // #region states
  readonly states: States;
  // #endregion
  // #region layers
  /** @internal */
  readonly options: ConnectionOptions;
  /** @internal */
  streams: Map<string, Keystream> = new Map();
  // #region keys
  /** @internal */
  readonly keys: Map<string, Uint8Array> = new Map();
  // #endregion
  // #region programLayers
  /** @internal */
  readonly made: Map<string, Layer> = new Map();
  // #endregion
  constructor(options: ConnectionOptions = {}) {
    // #region states
    this.states = Object.assign({}, options.states);
    // #endregion
    this.options = options;
    // #region keys
    const keys = (options.keys || {})/*types{*/ as { readonly [name: string]: Uint8Array }/*}*/;
    for (const name of Object.keys(keys)) this.setKey(name/*types{*/ as KeyName/*}*/, keys[name]!);
    // #endregion
  }
  // #region keys
  /** Sets a key for the packets of one side, or of both. Their keystreams begin anew. */
  setKey(name: KeyName, key: Uint8Array, side?: Side<unknown>): void {
    const rule = keyRules.find(rule => rule.name === name);
    if (!rule) throw new WireError("unknown_key", "key." + name);
    if (!(key instanceof Uint8Array)) throw new WireError("wrong_type", "key." + name);
    if (!rule.counts.some(count => key.length >= count[0] && key.length <= count[1])) throw new WireError("wrong_key", "key." + name);
    for (const from of side ? [senderName(isServer(side))] : ["client.", "server."]) {
      this.keys.set(from + name, new Uint8Array(key));
      for (const n of rule.layers) this.streams.delete(from + n);
    }
  }
  // #endregion
  // #endregion
  // #region !layers
  //| constructor(states: States = {}) { this.states = Object.assign({}, states); }
  // #endregion
}

// #endregion
/** A message that was received, with its packet's header. */
export interface Received<N extends string, M> {
  readonly name: N;
  readonly id: MESSAGE_ID;
  readonly header: Header;
  readonly message: M;
  /** How many bytes the packet had. */
  readonly byteCount: number;
}

/** A packet of a message that the schema does not know. */
export interface Unknown {
  readonly name: null;
  readonly id: MESSAGE_ID;
  readonly header: Header;
  readonly payload: Uint8Array;
  readonly byteCount: number;
}

/** How one message is read and written. */
export interface MessageType<N extends string, M/*defaults{*/, S extends keyof M = never/*}*/> {
  readonly name: N;
  readonly id: MESSAGE_ID;
  // #region sender
  /** Who sends it; undefined where both do. */
  readonly from: "client" | "server" | undefined;
  // #endregion
  /** @internal */
  readonly read: (r: Reader/*headers{*/, h: Header/*}*/) => M;
  /** @internal */
  readonly write: (w: Writer, m: /*defaults{*/Omit<M, S> & Partial<Pick<M, S>>/*}*//*!defaults{M}*//*headers{*/, h: Partial<Header>/*}*/) => void;
  // #region fixedHeaders
  /** @internal */
  readonly fixed?: (r: Reader, h: Header, at: readonly number[]) => void;
  /** @internal */
  readonly fix?: (w: Writer, h: Partial<Header>) => Partial<Header>;
  // #endregion
}

/** Who sends: which message an ID is. */
export type Side<P> = (id: MESSAGE_ID) => (MessageType<string, never> & { readonly packet?: P }) | undefined;

/**
 * A whole packet of a message. Of the header what a caller can set is taken from `header`, which may be that of the packet
 * that is answered; lengths, IDs, constants and checksums are computed.
 *
 * #region connection
 * Without a connection it is the first packet of one.
 *
 * #endregion
 * #region dependsOnSender
 * A message that both sides send needs the side: packets of `fromClient` and of `fromServer` differ.
 *
 * #endregion
 * @throws WireError if a value is not what the schema allows; nothing is cut to fit.
 */
export function encode<N extends string, M/*defaults{*/, S extends keyof M = never/*}*/>(type: MessageType<N, M/*defaults{*/, S/*}*/>, message: /*defaults{*/Omit<M, S> & Partial<Pick<M, S>>/*}*//*!defaults{M}*/, header?: Partial<Header>/*sender{*/, side?: Side<unknown>/*}*//*connection{*/, connection = new Connection()/*}*/): Uint8Array {
  // #region layers
  const item/*types{*/: Inner/*}*/ = { type: type/*types{*/ as unknown as MessageType<string, never>/*}*/, message, header };
  return sealWith(item, connection, senderOf(side, type.from));
  // #endregion
  // #region !layers
  //| const w: Writer = { b: spare || new Uint8Array(1024), p: LONGEST_HEADER, at: [type.name], depth: MAXIMUM_DEPTH };
  //| spare = undefined;
  //| if (typeof message !== "object" || message === null) refuse(w, "wrong_type");
  // #region fixedHeaders
  //| const given = type.fix ? type.fix(w, header || {}) : header;
  // #endregion
  // #region headers
  // #region fixedHeaders
  //| type.write(w, message, given || {});
  // #endregion
  // #region !fixedHeaders
  //| type.write(w, message, header || {});
  // #endregion
  // #endregion
  // #region !headers
  //| type.write(w, message);
  // #endregion
  // #region fixedHeaders
  //| const packet = /*frames{*/framed(/*}*//*sender{*/wrapFrom(senderOf(side, type.from), /*}*//*!sender{wrap(}*/w, type.id, given/*connection{*/, connection/*}*/)/*frames{*/)/*}*/;
  // #endregion
  // #region !fixedHeaders
  //| const packet = /*frames{*/framed(/*}*//*sender{*/wrapFrom(senderOf(side, type.from), /*}*//*!sender{wrap(}*/w, type.id, header/*connection{*/, connection/*}*/)/*frames{*/)/*}*/;
  // #endregion
  //| if (w.b.length <= 65536) spare = w.b;
  //| return packet;
  // #endregion
}

/** A packet of a message that the schema does not know. */
export function encodeUnknown(id: MESSAGE_ID, payload: Uint8Array, header?: Partial<Header>/*sender{*/, side?: Side<unknown>/*}*//*connection{*/, connection = new Connection()/*}*/): Uint8Array {
  // #region layers
  return sealWith({ id, payload, header }, connection, senderOf(side, undefined));
  // #endregion
  // #region !layers
  //| const w: Writer = { b: new Uint8Array(1024), p: LONGEST_HEADER, at: [], depth: 0 };
  //| appendBlob(w, payload, "payload");
  //| return /*frames{*/framed(/*}*//*sender{*/wrapFrom(senderOf(side, undefined), /*}*//*!sender{wrap(}*/w, id, header/*connection{*/, connection/*}*/)/*frames{*/)/*}*/;
  // #endregion
}
// #region sender

function isServer(side/*types{*/: Side<unknown>/*}*/)/*types{*/: boolean/*}*/ { return side === fromServer/*types{*/ as Side<unknown>/*}*/; }

/** Whether the server sends. */
function senderOf(side: Side<unknown> | undefined, from: "client" | "server" | undefined): boolean {
  if (side) return isServer(side);
  // #region dependsOnSender
  if (from === undefined) throw new WireError("needs_sender", "");
  // #endregion
  return from === "server";
}
// #region !layers
// #region connection

//| function wrapFrom(server: boolean, w: Writer, id: MESSAGE_ID, header: Partial<Header> | undefined, connection: Connection): Uint8Array {
// #region changes
//|   const packet = wrappers[shapeOf(server, connection)]!(w, id, header);
//|   change(connection, server, id);
//|   return packet;
// #endregion
// #region !changes
//|   return wrappers[shapeOf(server, connection)]!(w, id, header);
// #endregion
//| }
// #endregion
// #region !connection

//| function wrapFrom(server: boolean, w: Writer, id: MESSAGE_ID, header?: Partial<Header>): Uint8Array {
//|   return server ? wrapServer(w, id, header) : wrapClient(w, id, header);
//| }
// #endregion
// #endregion
// #endregion

/**
 * The packet that begins at `start`; undefined when it has not arrived whole. What stands behind it is not looked at.
 *
 * @throws WireError if the bytes are no packet of the protocol. After such an error, the start of the next packet is unknown.
 */
export function decode<P>(bytes: Uint8Array, side: Side<P>, start = 0/*connection{*/, connection = new Connection()/*}*/): P | Unknown/*packets{*/ | Packets<P>/*}*/ | undefined {
  // #region frames
  const frame = newFrame();
  return unframe(bytes, start, bytes.length, frame) ? unframed(frame, side/*connection{*/, connection/*}*/) : undefined;
  // #endregion
  // #region !frames
  //| // What a Buffer of Node gives for `slice` shares its memory.
  //| const b = bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  //| return receive(reader(b, start, b.length), side/*connection{*/, connection/*}*/);
  // #endregion
}

function reader(b: Uint8Array, start: number, end: number): Reader {
  // #region layers
  return { b, p: start, q: start, end, start, size: end - start, last: Infinity, wanted: 0, limit: MAXIMUM_SIZE, at: ["packet"], depth: MAXIMUM_DEPTH/*!types{, count: 0, parts: [], layers: [], packets: []}*/ };
  // #endregion
  // #region !layers
  //| return { b, p: start, q: start, end, start, size: end - start, last: Infinity, wanted: 0, at: ["packet"], depth: MAXIMUM_DEPTH/*!types{, count: 0, parts: []}*/ };
  // #endregion
}
// #region !layers

//| function receive<P>(r: Reader, side: Side<P>/*connection{*/, connection: Connection/*}*//*frames{*/, byteCount: number/*}*/): P | Unknown | undefined {
// #region connection
//|   const b = r.b, packet = unwrappers[shapeOf(isServer(side), connection)]!(r);
// #endregion
// #region !connection
// #region sender
//|   const b = r.b, packet = (isServer(side) ? unwrapServer : unwrapClient)(r);
// #endregion
// #region !sender
//|   const b = r.b, packet = unwrap(r);
// #endregion
// #endregion
//|   if (!packet) return undefined;
//|   const { id, header/*!frames{, byteCount}*/ } = packet, type = side(id);
// #region fixedHeaders
//|   if (type && type.fixed) type.fixed(r, header, packet.at);
// #endregion
// #region changes
//|   if (!type) change(connection, isServer(side), id);
// #endregion
//|   if (!type) return { name: null, id, header, payload: b.slice(r.p, r.end), byteCount };
//|   r.at[0] = type.name;
//|   const message: unknown = type.read(r/*headers{*/, header/*}*/);
// #region changes
//|   change(connection, isServer(side), id);
// #endregion
//|   return { name: type.name, id, header, message, byteCount }/*types{*/ as unknown/*}*//*types{*/ as P/*}*/;
//| }
// #endregion

// #region frames
// #region !types
// #region connection
//| export function inspect_packet(bytes, side, connection = new Connection()) {
// #endregion
// #region !connection
//| export function inspect_packet(bytes, side) {
// #endregion
//|   const frame = newFrame();
//|   let r, packet, error;
//|   try {
//|     if (unframe(bytes, 0, bytes.length, frame)) {
//|       r = reader(frame.b, 0, frame.n);
      // #region connection
//|       packet = receive(r, side, connection, frame.count) || reject("truncated", frame.n);
      // #endregion
      // #region !connection
//|       packet = receive(r, side, frame.count) || reject("truncated", frame.n);
      // #endregion
//|     }
//|   } catch (caught) { error = caught; }
  // #region layers
//|   return { ...seen_packet(r || reader(frame.b, 0, frame.n), packet, error, 0), count: r ? frame.count : 0, wanted: 0 };
  // #endregion
  // #region !layers
//|   return { packet, error, count: r ? frame.count : 0, wanted: 0, bytes: frame.b.subarray(0, frame.n), parts: r ? r.parts : [] };
  // #endregion
//| }
// #endregion

// #endregion
// #region !frames
// #region !types
// #region connection
//| export function inspect_packet(bytes, side, connection = new Connection()) {
// #endregion
// #region !connection
//| export function inspect_packet(bytes, side) {
// #endregion
//|   const r = reader(bytes, 0, bytes.length);
//|   let packet, error;
  // #region connection
//|   try { packet = receive(r, side, connection); } catch (caught) { error = caught; }
  // #endregion
  // #region !connection
//|   try { packet = receive(r, side); } catch (caught) { error = caught; }
  // #endregion
  // #region layers
//|   return seen_packet(r, packet, error, 0);
  // #endregion
  // #region !layers
//|   return { packet, error, count: r.count, wanted: r.wanted, bytes: bytes.subarray(0, r.count || bytes.length), parts: r.parts };
  // #endregion
//| }
// #endregion

// #endregion
/**
 * Finds the packets in a stream, however they are glued and torn. After an error it stays failed: a stream without
 * packets cannot be taken up again.
 */
export class PacketSplitter<P> {
  private readonly side: Side<P>;
  // #region connection
  private readonly connection: Connection;
  // #endregion
  private buffer = new Uint8Array(0);
  private start = 0;
  private end = 0;
  // #region frames
  private frame = newFrame();
  // #endregion
  // #region !frames
  //| private wanted = 1;
  // #region connection
  //| private shape = -1;
  // #endregion
  // #endregion
  private failure: unknown;
  // #region packets
  private waiting: (P | Unknown | Packets<P>)[] = [];
  // #endregion
  constructor(side: Side<P>/*connection{*/, connection = new Connection()/*}*/) { this.side = side;/*connection{*/ this.connection = connection;/*}*/ }
  /** Takes what has arrived; the bytes are copied. */
  push(bytes: Uint8Array): void {
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
  next(): P | Unknown | undefined {
    if (this.failure !== undefined) throw this.failure;
    try {
      return this./*packets{*/one/*}*//*!packets{nextPacket}*/();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
  /** Says that the stream has ended: that is an error inside a packet. */
  finish(): void {
    if (this.failure !== undefined) throw this.failure;
    // #region frames
    if (insideFrame(this.frame)) throw (this.failure = new WireError("end_of_stream", "", this.frame.n));
    // #endregion
    // #region !frames
    //| if (this.end > this.start) throw (this.failure = new WireError("end_of_stream", "", this.end - this.start));
    // #endregion
  }
  // #region packets
  /** The next packet; those in another one come one by one in its place. */
  private one(): P | Unknown | undefined {
    for (;;) {
      const packet = this.waiting.pop() || this.nextPacket();
      if (!packet || (packet/*types{*/ as Unknown | Packets<P>/*}*/).name !== undefined) return packet/*types{*/ as P | Unknown | undefined/*}*/;
      const packets = (packet/*types{*/ as Packets<P>/*}*/).packets;
      for (let i = packets.length - 1; i >= 0; i--) this.waiting.push(packets[i]!);
    }
  }
  // #endregion
  private nextPacket(): P | Unknown/*packets{*/ | Packets<P>/*}*/ | undefined {
    // #region frames
    const frame = this.frame, before = frame.count, whole = unframe(this.buffer, this.start, this.end, frame);
    this.consume(frame.count - before);
    if (!whole) return undefined;
    this.frame = newFrame();
    return unframed(frame, this.side/*connection{*/, this.connection/*}*/);
    // #endregion
    // #region !frames
    // #region connection
    //| // How much is needed depends on the shape of the packet, which the other side's packets may change.
    //| const shape = shapeOf(isServer(this.side), this.connection);
    //| if (shape !== this.shape) this.wanted = 1;
    //| this.shape = shape;
    // #endregion
    //| // A packet that has not arrived whole is not tried again before it can have.
    //| if (this.end - this.start < this.wanted) return undefined;
    //| const r = reader(this.buffer, this.start, this.end), packet = receive(r, this.side/*connection{*/, this.connection/*}*/);
    //| this.wanted = packet ? 1 : Math.max(r.wanted, this.end - this.start + 1);
    //| if (packet) this.consume((packet/*types{*/ as Unknown/*}*/).byteCount);
    //| return packet;
    // #endregion
  }
  private consume(n: number): void {
    this.start += n;
    if (this.start < this.end) return;
    this.start = this.end = 0;
    if (this.buffer.length > 65536) this.buffer = new Uint8Array(0);
  }
}
// #region layers

/** A layer that the program gives, for the packets of one side. */
export interface Layer {
  /** The content; undefined if it is longer than the limit. Any exception says that the bytes are damaged. */
  open(sealed: Uint8Array, header: Header, limit: number): Uint8Array | undefined;
  seal(content: Uint8Array, header: Header): Uint8Array;
}

// #region packets
/** A packet to write: a message, one that the schema does not know, or packets in a packet. */
export type Inner =
// #endregion
// #region !packets
//| /** A packet to write: a message, one that the schema does not know. */
//| type Inner =
// #endregion
  | { readonly type: MessageType<string, never>; readonly message: unknown; readonly header?: Partial<Header> | undefined }
  // #region packets
  | { readonly id: MESSAGE_ID; readonly packets: readonly Inner[]; readonly header?: Partial<Header> | undefined }
  // #endregion
  | { readonly id: MESSAGE_ID; readonly payload: Uint8Array; readonly header?: Partial<Header> | undefined };

/** Where a keystream goes on: how many bytes it gave, or the state of RC4. */
type Keystream = number | { readonly s: Uint8Array; readonly i: number; readonly j: number };

/**
 * Some fields of a packet: where its content begins and ends, where the packet and the first own field do, the count of the
 * content, which rules hold (of layers, then `packets`, then `opaque`), and where fields are that messages fix.
 */
interface Part { id: MESSAGE_ID; header: Header; body: number; end: number; after: number; first: number; count: { v: number; at: number } | undefined; rules: readonly boolean[]; at: readonly number[] }

type PartReader = (r: Reader) => Part | undefined;

type PartWriter = (w: Writer, id: MESSAGE_ID, h?: Partial<Header>) => Uint8Array;

/** The fields inside of layers. */
interface InnerFields { readonly read: PartReader; readonly write: PartWriter; readonly keys: readonly string[] }

interface Section { readonly layers: readonly number[]; readonly fields?: InnerFields }

interface Counter { readonly key: string; readonly path: string; readonly plus: number; readonly first: number; readonly isSettable: boolean; readonly number: (n: number) => unknown }

interface Layered { readonly readOuter: PartReader; readonly writeOuter: PartWriter; readonly readFlat: PartReader; readonly writeFlat: PartWriter; readonly keys: readonly string[]; readonly sections: readonly Section[]; readonly counter?: Counter }

type Cipher = (b: Uint8Array, n: number, work: Work, h: Header) => Uint8Array;

/** A layer: its place in errors, whether its keystream goes on, and whether it inflates. */
interface Transform { readonly path: string; readonly lasts: boolean; readonly inflates: boolean; readonly open: Cipher; readonly seal: Cipher }

/** What goes on through all packets in one. Only if all of it was right, the connection takes it over. */
interface Work { readonly connection: Connection; readonly server: boolean; left: number; packets: number; readonly ids: MESSAGE_ID[]; readonly streams: Map<string, Keystream> }

function newWork(connection: Connection, server: boolean): Work {
  return { connection, server, left: MAXIMUM_INFLATED, packets: 0, ids: [], streams: new Map(connection.streams) };
}

function commit(work: Work): void {
  // #region changes
  for (const id of work.ids) change(work.connection, work.server, id);
  // #endregion
  work.connection.streams = work.streams;
}

function senderName(server: boolean): string { return server ? "server." : "client."; }

/** An error whose offset counts from another place. */
function moved(error: unknown, start: number): unknown {
  return error instanceof WireError && error.offset !== undefined ? new WireError(error.kind, error.path, error.offset - start) : error;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let p = 0;
  for (const part of parts) {
    out.set(part, p);
    p += part.length;
  }
  return out;
}

/** The fields of an opened packet; offsets count from the first byte inside the innermost layer. */
function whole(read: PartReader, b: Uint8Array, origin: number/*!types{, seen}*/): Part {
  const own = reader(b, 0, b.length);
  own.limit = Infinity;
  try {
    return read(own) || reject("truncated", b.length);
  } catch (error) {
    throw moved(error, origin);
  }
  /*!types{finally { if (seen) seen_fields(seen, own.parts, origin); }}*/
}

/*!types{function seen_level(r) { return r.layers.length ? r.layers[r.layers.length - 1] : r; }}*/

// #region !types
//| function seen_sealed(r, path, from, sealed) {
//|   const part = { path, depth: 1, from, to: from + sealed.length, value: undefined };
//|   seen_level(r).parts.push(part);
//|   return part;
//| }
// #endregion

// #region !types
//| function seen_opened(r, n, part, content) {
//|   part.value = content;
//|   r.layers.push({ n, bytes: content, parts: [] });
//| }
// #endregion

// #region !types
//| function seen_fields(r, parts, origin) {
//|   const known = new Set([r, ...r.layers].flatMap(level => level.parts.map(part => part.path)));
//|   seen_inside(r, parts.filter(part => !known.has(part.path)), origin);
//| }
// #endregion

// #region !types
//| function seen_inside(r, parts, origin) {
//|   for (const part of parts) seen_level(r).parts.push({ ...part, from: part.from - origin, to: part.to - origin });
//| }
// #endregion

// #region !types
//| function seen_packet(r, packet, error, at) {
//|   return { packet, error, at, count: packet ? packet.byteCount : r.count, wanted: r.wanted, bytes: r.b.subarray(r.start, r.count ? r.start + r.count : r.end), parts: r.parts, layers: r.layers, packets: r.packets };
//| }
// #endregion

/** The layers whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again. */
function withStream(n: number, streams: readonly number[]): readonly number[] {
  const transform = transforms[n]!;
  if (!transform.lasts) return streams;
  if (streams.indexOf(n) >= 0) throw new WireError("invalid_layer", transform.path);
  return streams.concat(n);
}

function takeInflated(n: number, count: number, work: Work): void {
  const transform = transforms[n]!;
  if (!transform.inflates) return;
  if (count > work.left) throw new WireError("inflated_too_long", transform.path);
  work.left -= count;
}

/** The packet at a place, out of its layers; undefined when it has not arrived whole. */
function open<P>(r: Reader, side: Side<P>, depth: number, work: Work, around: readonly number[], size?: number): P | Unknown/*packets{*/ | Packets<P>/*}*/ | undefined {
  const shape = layered[shapeOf(work.server, work.connection, depth > 0)]!, counter = shape.counter, found = shape.readOuter(r);
  if (!found) return undefined;
  const trailer = r.b.subarray(found.end, found.after), byteCount = size === undefined ? found.after - r.start : size;
  let { header, rules, count } = found, streams = around, origin = 0, opened = -1;
  let data = r.b.subarray(r.start, found.body), content = r.b.subarray(found.body, found.end);
  for (const section of shape.sections) {
    for (const n of section.layers) {
      if (!rules[n]) continue;
      /*!types{const part = seen_sealed(r, transforms[n].path, data.length - origin, content);}*/
      if (counter && count && count.v - counter.plus > MAXIMUM_INFLATED) throw new WireError("inflated_too_long", transforms[n]!.path);
      streams = withStream(n, streams);
      content = transforms[n]!.open(content, n, work, header);
      /*!types{seen_opened(r, n, part, content);}*/
      takeInflated(n, content.length, work);
      origin = data.length;
      if (counter && n >= counter.first) opened = content.length;
    }
    if (section.fields) {
      const b = joined(data, content), part = whole(section.fields.read, b, origin/*!types{, r}*/);
      header = part.header;
      rules = part.rules;
      data = b.subarray(0, part.body);
      content = b.subarray(part.body, part.end);
      if (!count && part.count) count = { v: part.count.v, at: part.count.at - origin };
    }
  }
  if (counter && count && count.v !== (opened < 0 ? 0 : opened + counter.plus)) throw new WireError("length_mismatch", counter.path, count.at);
  const flat = joined(data, content, trailer), part = whole(shape.readFlat, flat, origin/*!types{, r}*/), id = part.id;
  // #region packets
  if (part.rules[part.rules.length - 2]) {
    requireDepth(depth);
    /*!types{seen_sealed(r, "packets", data.length - origin, content).value = content;}*/
    return { name: undefined, id, header: part.header, packets: openPackets(content, side, depth + 1, work, streams/*!types{, r.packets}*/), byteCount };
  }
  // #endregion
  // A part of a message sets no state.
  const isPart = part.rules[part.rules.length - 1], type = isPart ? undefined : side(id);
  if (!isPart) work.ids.push(id);
  if (!type) return { name: null, id, header: part.header, payload: flat.slice(part.body, part.end), byteCount };
  const own = reader(flat, 0, flat.length);
  own.p = part.body;
  own.end = part.end;
  // #region fixedHeaders
  if (type.fixed) type.fixed(own, part.header, part.at);
  // #endregion
  try {
    own.at[0] = type.name;
    const message: unknown = type.read(own/*headers{*/, part.header/*}*/);
    return { name: type.name, id, header: part.header, message, byteCount }/*types{*/ as unknown as P/*}*/;
  } catch (error) {
    throw moved(error, origin);
  }
  /*!types{finally { seen_inside(r, own.parts, origin); }}*/
}

function receive<P>(r: Reader, side: Side<P>, connection: Connection, size?: number): P | Unknown/*packets{*/ | Packets<P>/*}*/ | undefined {
  const work = newWork(connection, isServer(side)), packet = open(r, side, 0, work, [], size);
  if (packet) commit(work);
  return packet;
}
// #region packets

/** A packet that holds others. A splitter gives those one by one in its place. */
export interface Packets<P> {
  readonly name: undefined;
  readonly id: MESSAGE_ID;
  readonly header: Header;
  readonly packets: readonly (P | Unknown | Packets<P>)[];
  readonly byteCount: number;
}

/** A message for `encodePackets`. The other packets in a packet are `{ id, payload }` and `{ id, packets }`, which may have a `header`, too. */
export function inner<N extends string, M/*defaults{*/, S extends keyof M = never/*}*/>(type: MessageType<N, M/*defaults{*/, S/*}*/>, message: /*defaults{*/Omit<M, S> & Partial<Pick<M, S>>/*}*//*!defaults{M}*/, header?: Partial<Header>): Inner {
  return { type: type/*types{*/ as unknown as MessageType<string, never>/*}*/, message, header };
}

/** A packet that holds others. */
export function encodePackets(id: MESSAGE_ID, packets: readonly Inner[], header?: Partial<Header>, side?: Side<unknown>, connection = new Connection()): Uint8Array {
  const item: Inner = { id, packets, header };
  return sealWith(item, connection, senderOf(side, fromOf(item)));
}

/** Who sends a packet, by its first message. */
function fromOf(item: Inner | undefined): "client" | "server" | undefined {
  return !item ? undefined : "type" in item ? item.type.from : "packets" in item ? fromOf(item.packets[0]) : undefined;
}

function requireDepth(depth: number): void { if (depth >= MAXIMUM_NESTED) throw new WireError("too_deep", ""); }

function requireCount(work: Work): void { if (work.packets++ >= 65536) throw new WireError("too_long", "packets"); }

/** An error in a packet inside another one. */
function innerFault(error: unknown, i: number): unknown {
  if (!(error instanceof WireError)) return error;
  const prefix = "packets[" + i + "]", fault = new WireError(error.kind, prefix + (error.path ? "." + error.path : ""), error.offset);
  fault.message = prefix + (error.path ? "." : ": ") + error.message;
  return fault;
}

function openPackets<P>(content: Uint8Array, side: Side<P>, depth: number, work: Work, streams: readonly number[]/*!types{, seen}*/): (P | Unknown/*packets{*/ | Packets<P>/*}*/)[] {
  const packets: (P | Unknown/*packets{*/ | Packets<P>/*}*/)[] = [];
  let p = 0;
  while (!(/*frames{*/FRAME_MARKS(content, p)/*}*//*!frames{p >= content.length}*/)) {
    requireCount(work);
    let packet: P | Unknown/*packets{*/ | Packets<P>/*}*/;
    /*!types{let own = reader(content, p, content.length), fault;}*/
    try {
      // #region frames
      const frame = newFrame();
      if (!unframe(content, p, content.length, frame)) reject("truncated", content.length - p);
      /*!types{own = reader(frame.b, 0, frame.n);}*/
      packet = open(/*types{*/reader(frame.b, 0, frame.n)/*}*//*!types{own}*/, side, depth, work, streams, frame.count) || reject("truncated", frame.n);
      // #endregion
      // #region !frames
      //| packet = open(/*types{*/reader(content, p, content.length)/*}*//*!types{own}*/, side, depth, work, streams) || reject("truncated", content.length - p);
      // #endregion
    } catch (error) {
      /*!types{fault = error;}*/
      throw innerFault(error, packets.length);
    }
    /*!types{finally { seen.push(seen_packet(own, packet, fault, p)); }}*/
    packets.push(packet);
    p += (packet/*types{*/ as Unknown/*}*/).byteCount;
  }
  return packets;
}
// #endregion

/** The layers whose keystream goes on that a packet uses. */
interface Streams { used: readonly number[] }

function sealWith(item: Inner, connection: Connection, server: boolean): Uint8Array {
  const work = newWork(connection, server), packet = seal(item, 0, work, { used: [] });
  commit(work);
  return packet;
}

function seal(item: Inner, depth: number, work: Work, streams: Streams): Uint8Array {
  let h = item.header || {};
  // #region packets
  if ("packets" in item) {
    requireDepth(depth);
    const parts = item.packets.map((packet, i) => {
      requireCount(work);
      const own: Streams = { used: [] };
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
  // #endregion
  const w: Writer = { b: new Uint8Array(1024), p: LONGEST_HEADER, at: [], depth: MAXIMUM_DEPTH };
  if (!("type" in item)) {
    appendBlob(w, item.payload, "payload");
    return sealed(item.id, w.b.subarray(LONGEST_HEADER, w.p), h, undefined, depth, work, streams);
  }
  const type = item.type;
  w.at.push(type.name);
  if (typeof item.message !== "object" || item.message === null) refuse(w, "wrong_type");
  // #region fixedHeaders
  if (type.fix) h = type.fix(w, h);
  // #endregion
  type.write(w, item.message/*types{*/ as never/*}*//*headers{*/, h/*}*/);
  return sealed(type.id, w.b.subarray(LONGEST_HEADER, w.p), h, false, depth, work, streams);
}

function chosen(h: Partial<Header>, keys: readonly string[]): Partial<Header> {
  const from = h/*types{*/ as { readonly [key: string]: unknown }/*}*/, to/*types{*/: { [key: string]: unknown }/*}*/ = {};
  for (const key of keys) if (isSet(from[key])) to[key] = from[key];
  return to/*types{*/ as Partial<Header>/*}*/;
}

function withNumber(h: Partial<Header>, counter: Counter, n: number): Partial<Header> {
  return Object.assign({}, h, { [counter.key]: counter.number(n) });
}

function written(write: PartWriter, id: MESSAGE_ID, content: Uint8Array, h: Partial<Header>): Uint8Array {
  const b = new Uint8Array(LONGEST_HEADER + content.length + 64);
  b.set(content, LONGEST_HEADER);
  return write({ b, p: LONGEST_HEADER + content.length, at: [], depth: 0 }, id, h);
}

/** The fields of a packet that are known before its layers are sealed, and which rules hold. */
function knownPart(shape: Layered, id: MESSAGE_ID, h: Partial<Header>): Part {
  return whole(shape.readFlat, written(shape.writeFlat, id, new Uint8Array(0), h), 0);
}

/** The fields of a section and what is after them. Fields before are written for their conditions only. */
function writtenInside(section: Section, h: Partial<Header>, content: Uint8Array): Uint8Array {
  const fields = section.fields;
  if (!fields) return content;
  const b = written(fields.write, ZERO_ID, content, chosen(h, fields.keys));
  return b.subarray(whole(fields.read, b, 0).first);
}

function sealed(id: MESSAGE_ID, payload: Uint8Array, h: Partial<Header>, holds: boolean | undefined, depth: number, work: Work, streams: Streams): Uint8Array {
  const shape = layered[shapeOf(work.server, work.connection, depth > 0)]!, counter = shape.counter;
  /*threshold{*/let/*}*//*!threshold{const}*/ settable = chosen(h, settableKeys);
  // #region threshold
  if (counter && counter.isSettable && !(counter.key in settable)) {
    // Whether there is a layer depends on how much there is without one.
    const bare = knownPart(shape, id, settable).header, threshold = work.connection.options.threshold;
    if (counter.key in bare) settable = withNumber(settable, counter, 0);
    if (threshold !== undefined && counter.key in settable) {
      const given = Object.assign({}, chosen(bare, idKeys), settable);
      const n = writtenInside(shape.sections[shape.sections.length - 1]!, given, payload).length;
      settable = withNumber(settable, counter, n >= threshold ? 1 : 0);
    }
  }
  // #endregion
  const part = knownPart(shape, id, settable), rules = part.rules;
  if (holds !== undefined) {
    if (holds !== rules[rules.length - 2]) throw new WireError("presence", "packets");
    if (!holds && rules[rules.length - 1]) throw new WireError("presence", "opaque");
  }
  if (!rules[rules.length - 2] && !rules[rules.length - 1]) work.ids.push(id);
  let header = part.header, given/*types{*/: Partial<Header>/*}*/ = Object.assign({}, chosen(header, idKeys), settable), isCounted = false;
  /** Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader. */
  const count = (n/*types{*/: number/*}*/)/*types{*/: void/*}*/ => {
    if (counter && !isCounted && counter.key in header) {
      const same = knownPart(shape, id, withNumber(settable, counter, n)).rules;
      if (same.some((holds, i) => holds !== rules[i])) throw new WireError("length_too_small", counter.path);
      header = withNumber(header, counter, n)/*types{*/ as Header/*}*/;
      given = withNumber(given, counter, n);
    }
    isCounted = true;
  };
  let content = payload;
  for (const section of shape.sections.slice().reverse()) {
    // From here on the layers are around the field.
    if (counter && section.layers[0]! < counter.first) count(0);
    content = writtenInside(section, given, content);
    for (const n of section.layers.slice().reverse()) {
      if (!rules[n]) continue;
      streams.used = withStream(n, streams.used);
      count(content.length + (counter ? counter.plus : 0));
      takeInflated(n, content.length, work);
      content = transforms[n]!.seal(content, n, work, header);
    }
  }
  count(0);
  const packet = written(shape.writeOuter, ZERO_ID, content, chosen(given, shape.keys));
  return /*frames{*/framed(/*}*/packet/*frames{*/)/*}*/;
}

function unavailable(n: number, needed: string): never {
  const error = new WireError("layer_unavailable", transforms[n]!.path);
  error.message += ": it needs " + needed;
  throw error;
}

function layerKey(work: Work, name: string, n: number): Uint8Array {
  return work.connection.keys.get(senderName(work.server) + name) || unavailable(n, "connection.setKey(\"" + name + "\", \u2026)");
}

/** A layer of the program: one for each side. */
function layerOf(name: string, n: number, work: Work): Layer {
  const place = senderName(work.server) + name, old = work.connection.made.get(place);
  if (old) return old;
  const makers = (work.connection.options.layers || {})/*types{*/ as { readonly [name: string]: ((from: "client" | "server") => Layer) | undefined }/*}*/;
  const make = Object.prototype.hasOwnProperty.call(makers, name) ? makers[name] : undefined;
  if (!make) return unavailable(n, "new Connection({ layers: { " + name + ": \u2026 } })");
  const layer = make(work.server ? "server" : "client");
  work.connection.made.set(place, layer);
  return layer;
}

function byProgram<T>(n: number, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new WireError(error instanceof WireError ? error.kind : "invalid_layer", transforms[n]!.path);
  }
}

/** What a function of the program has returned: a promise is not, for example. */
function givenBytes(b: Uint8Array): Uint8Array {
  if (!(b instanceof Uint8Array)) throw new TypeError("a layer must return a Uint8Array");
  return b;
}

function openOwn(b: Uint8Array, h: Header, name: string, n: number, work: Work): Uint8Array {
  const layer = layerOf(name, n, work), content = byProgram(n, () => layer.open(b, h, work.left));
  if (content === undefined) throw new WireError("inflated_too_long", transforms[n]!.path);
  return givenBytes(content);
}

function sealOwn(b: Uint8Array, h: Header, name: string, n: number, work: Work): Uint8Array {
  const layer = layerOf(name, n, work);
  return givenBytes(byProgram(n, () => layer.seal(b, h)));
}

function xorKey(b: Uint8Array, key: Uint8Array, _n: number, _work: Work): Uint8Array { return b.map((x, i) => x ^ key[i % key.length]!); }

/** The keystream goes on from packet to packet. */
function rc4(b: Uint8Array, key: Uint8Array, n: number, work: Work): Uint8Array {
  const place = senderName(work.server) + n, held = work.streams.get(place), s = new Uint8Array(256), out = new Uint8Array(b.length);
  let i = 0, j = 0;
  if (typeof held === "object") {
    s.set(held.s);
    i = held.i;
    j = held.j;
  } else {
    for (let x = 0; x < 256; x++) s[x] = x;
    for (let x = 0; x < 256; x++) {
      const v = s[x]!;
      j = (j + v + key[x % key.length]!) & 255;
      s[x] = s[j]!;
      s[j] = v;
    }
    j = 0;
  }
  for (let p = 0; p < b.length; p++) {
    i = (i + 1) & 255;
    const x = s[i]!;
    j = (j + x) & 255;
    const y = s[j]!;
    s[i] = y;
    s[j] = x;
    out[p] = b[p]! ^ s[(x + y) & 255]!;
  }
  work.streams.set(place, { s, i, j });
  return out;
}

function aesBlocks(blocks: Uint8Array, key: Uint8Array, encrypts: boolean, n: number, work: Work): Uint8Array {
  const aes = work.connection.options.aes || unavailable(n, "new Connection({ aes: \u2026 })"), out = givenBytes(aes(key, blocks, encrypts));
  if (out.length !== blocks.length) throw new TypeError("aes must return as many bytes as it is given");
  return out;
}

/** The keystream of counters from `start` on, of which some bytes were used before. */
function aesCTR(b: Uint8Array, key: Uint8Array, start: Uint8Array, used: number, n: number, work: Work): Uint8Array {
  const skipped = used % 16, counters = new Uint8Array(16 * Math.ceil((skipped + b.length) / 16));
  for (let p = 0; p < counters.length; p += 16) {
    let carry = Math.floor(used / 16) + p / 16;
    for (let i = 15; i >= 0; i--) {
      const sum = start[i]! + carry;
      counters[p + i] = sum % 256;
      carry = Math.floor(sum / 256);
    }
  }
  const stream = aesBlocks(counters, key, true, n, work);
  return b.map((x, i) => x ^ stream[skipped + i]!);
}

/** The keystream goes on from packet to packet. */
function aesCTRLasting(b: Uint8Array, key: Uint8Array, start: Uint8Array, n: number, work: Work): Uint8Array {
  const place = senderName(work.server) + n, held = work.streams.get(place), used = typeof held === "number" ? held : 0;
  work.streams.set(place, used + b.length);
  return aesCTR(b, key, start, used, n, work);
}

function openCBC(b: Uint8Array, key: Uint8Array, start: Uint8Array, n: number, work: Work): Uint8Array {
  if (b.length === 0 || b.length % 16 !== 0) throw new WireError("invalid_layer", transforms[n]!.path);
  const plain = aesBlocks(b, key, false, n, work).map((x, i) => x ^ (i < 16 ? start[i]! : b[i - 16]!));
  const count = plain[plain.length - 1]!, size = plain.length - count;
  if (count < 1 || count > 16 || plain.subarray(size).some(x => x !== count)) throw new WireError("invalid_layer", transforms[n]!.path);
  return plain.subarray(0, size);
}

function sealCBC(b: Uint8Array, key: Uint8Array, start: Uint8Array, n: number, work: Work): Uint8Array {
  const count = 16 - b.length % 16, out = new Uint8Array(b.length + count);
  out.set(b);
  out.fill(count, b.length);
  let before = start;
  for (let p = 0; p < out.length; p += 16) {
    const last = before, block = out.subarray(p, p + 16);
    block.set(aesBlocks(block.map((x, i) => x ^ last[i]!), key, true, n, work));
    before = block;
  }
  return out;
}
// #endregion

/** Why bytes are no packet of this protocol, or why a value cannot be written. */
export class WireError extends Error {
  /** What is wrong, in one word: `truncated`, `out_of_range`, `invalid_utf8`, … */
  readonly kind: string;
  /** The field, in the schema's names: `Sc_20001.items[1].count`. Empty where no field is to blame. */
  readonly path: string;
  /** Bytes from the packet's first one. Undefined where a value could not be written. */
  readonly offset: number | undefined;
  constructor(kind: string, path: string, offset?: number) {
    super((path ? path + ": " : "") + kind + (offset === undefined ? "" : " at offset " + offset));
    Object.setPrototypeOf(this, WireError.prototype);
    this.name = "WireError";
    this.kind = kind;
    this.path = path;
    this.offset = offset;
  }
}

type Place = string | number;

/**
 * Bytes that are being read: where, where the last number began, up to where, where their packet begins, how many bytes there are, where
 * the packet ends as far as that is known, how many bytes it must have before it is worth another try, and in what.
 */
interface Reader { readonly b: Uint8Array; p: number; q: number; end: number; readonly start: number; readonly size: number; last: number; wanted: number; /*layers{*/limit: number; /*}*/readonly at: Place[]; depth: number }

// #region !types
//| function seen_at(r, from, value, f) {
//|   const at = r.at.concat(f).filter(step => step !== "");
//|   r.parts.push({ path: pathOf(at), depth: at.length - 1, from, to: r.p - r.start, value });
//| }
// #endregion

// #region !types
//| function seen_size(r, total) { r.count = total; }
// #endregion

function pathOf(at: readonly Place[]): string {
  return at.reduce/*types{*/<string>/*}*/((path, step) => path + (typeof step === "number" ? "[" + step + "]" : path && step ? "." + step : step), "");
}

function fail(r: Reader, kind: string, f: Place | undefined, p: number): never {
  throw new WireError(kind, pathOf(f === undefined ? r.at : r.at.concat(f)), p - r.start);
}

function refuse(w: Writer, kind: string, f?: Place): never {
  throw new WireError(kind, pathOf(f === undefined ? w.at : w.at.concat(f)));
}

/** A check of the number, the float or the prefix that was read last. */
function expectThat(r: Reader, good: boolean, kind: string, f: Place): void { if (!good) fail(r, kind, f, r.q); }

/** A check of what stands at a place, which counts from the packet's first byte. */
function verifyAt(r: Reader, good: boolean, kind: string, f: Place, place: number): void { if (!good) fail(r, kind, f, r.start + place); }

/** Goes into a value. */
function enterValue(x: Reader | Writer, f: Place): void { x.at.push(f); }

/** Goes to an item of a list. */
function enterItem(x: Reader | Writer, i: number): void { if (i === 0) x.at.push(0); else x.at[x.at.length - 1] = i; }

/** Leaves a value, and the last item of a list. */
function leaveValue(x: Reader | Writer): void { if (typeof x.at.pop() === "number") x.at.pop(); }

function checkStates(states: object, stateNames: readonly string[]): void {
  for (const name of Object.keys(states)) if (stateNames.indexOf(name) < 0) throw new WireError("unknown_state", "state." + name);
}

function stateNumber(v: number | boolean | undefined, low: number, high: number, path: string): number {
  const n = typeof v === "boolean" ? (v ? 1 : 0) : v === undefined ? 0 : v;
  if (typeof n !== "number") throw new WireError("wrong_type", path);
  if (!(n >= low && n <= high) || Math.floor(n) !== n) throw new WireError("out_of_range", path);
  return n;
}

function wideStateNumber(v: bigint | undefined, low: bigint, high: bigint, path: string): bigint {
  const n = v === undefined ? BigInt(0) : v;
  if (typeof n !== "bigint") throw new WireError("wrong_type", path);
  if (n < low || n > high) throw new WireError("out_of_range", path);
  return n;
}

function take(r: Reader, n: number, f: Place): number {
  const p = r.p;
  if (r.end - p < n) fail(r, "truncated", f, p);
  r.q = p;
  r.p = p + n;
  return p;
}

function lacksBytes(r: Reader, n: number): boolean { return r.end - r.p < n; }

/** Goes over numbers that are there, of which the last one has so many bytes. */
function takeRun(r: Reader, n: number, width: number): number {
  const p = r.p;
  r.p = p + n;
  r.q = r.p - width;
  return p;
}

function ended(r: Reader): void { if (r.p < r.end) fail(r, "trailing_bytes", undefined, r.p); }

/** What is left, of which the schema knows nothing. */
function trailingBytes(r: Reader): Uint8Array | undefined { return r.p < r.end ? r.b.slice(r.p, r.end) : undefined; }

/** Goes into a value; deeper than the limit is an error. */
function deeper(r: Reader, f: Place): void {
  if (r.depth === 0) fail(r, "too_deep", f, r.p);
  r.depth--;
}

/** Goes into so many bytes; returns where those around them end. */
function inside(r: Reader, n: number, f: Place): number {
  const end = r.end, p = take(r, n, f);
  r.p = p;
  r.end = p + n;
  return end;
}

/** Leaves such bytes; what is left of them is skipped. */
function outside(r: Reader, end: number): void {
  r.p = r.end;
  r.end = end;
}

/** Whether an item follows in a list to the end of the bytes. */
function anotherItem(r: Reader, i: number, most: number): boolean {
  if (r.p >= r.end) return false;
  if (most >= 0 && i >= most) failList(r, i, "too_long");
  return true;
}

/** An error of a list, of which so many items were read. */
function failList(r: Reader, i: number, kind: string): never {
  if (i > 0) r.at.pop();
  return fail(r, kind, undefined, r.p);
}

/** Whether an item follows in a list that a byte ends where an item would begin. */
function anotherUntil(r: Reader, i: number, most: number, stop: number): boolean {
  if (r.p >= r.end) failList(r, i, "truncated");
  if (r.b[r.p] === stop) {
    r.p++;
    return false;
  }
  return anotherItem(r, i, most);
}

/** A count that was read last; the limit -1 is none. */
function atMost(r: Reader, n: number, most: number, f: Place): number { return limitedAt(r, r.q, n, most, f); }

function limitedAt(r: Reader, p: number, n: number, most: number, f: Place): number {
  return most >= 0 && n > most ? fail(r, "too_long", f, p) : n;
}

/** A count by an earlier field. */
function counted(r: Reader, n: number, most: number, f: Place): number {
  if (n < 0) fail(r, "length_too_small", f, r.p);
  return limitedAt(r, r.p, n, most, f);
}

function countVarint(r: Reader, most: number, f: Place): number {
  const n = varint(r, 5, f);
  if (n > 4294967295) fail(r, "varint_too_long", f, r.q);
  return atMost(r, n, most, f);
}

/** A count with a sign, which was read last; -1 where the value is absent. */
function countOrAbsent(r: Reader, n: number, most: number, f: Place): number {
  if (n < -1) fail(r, "out_of_range", f, r.q);
  return atMost(r, n, most, f);
}

function countZigzag(r: Reader, f: Place): number {
  const n = countVarint(r, -1, f);
  return n % 2 === 1 ? -(n + 1) / 2 : n / 2;
}

function u8At(r: Reader, p: number): number { return r.b[p]!; }

function i8At(r: Reader, p: number): number { return r.b[p]! << 24 >> 24; }

function u16At(r: Reader, p: number): number { const b = r.b; return (b[p]! << 8) | b[p + 1]!; }

function u16LittleAt(r: Reader, p: number): number { const b = r.b; return (b[p + 1]! << 8) | b[p]!; }

function i16At(r: Reader, p: number): number { return u16At(r, p) << 16 >> 16; }

function i16LittleAt(r: Reader, p: number): number { return u16LittleAt(r, p) << 16 >> 16; }

function u24At(r: Reader, p: number): number { const b = r.b; return (b[p]! << 16) | (b[p + 1]! << 8) | b[p + 2]!; }

function u24LittleAt(r: Reader, p: number): number { const b = r.b; return (b[p + 2]! << 16) | (b[p + 1]! << 8) | b[p]!; }

function i24At(r: Reader, p: number): number { return u24At(r, p) << 8 >> 8; }

function i24LittleAt(r: Reader, p: number): number { return u24LittleAt(r, p) << 8 >> 8; }

function i32At(r: Reader, p: number): number { const b = r.b; return (b[p]! << 24) | (b[p + 1]! << 16) | (b[p + 2]! << 8) | b[p + 3]!; }

function i32LittleAt(r: Reader, p: number): number { const b = r.b; return (b[p + 3]! << 24) | (b[p + 2]! << 16) | (b[p + 1]! << 8) | b[p]!; }

function u32At(r: Reader, p: number): number { return i32At(r, p) >>> 0; }

function u32LittleAt(r: Reader, p: number): number { return i32LittleAt(r, p) >>> 0; }

function u64At(r: Reader, p: number): bigint { return wideAt(r, p, 8, false); }

function u64LittleAt(r: Reader, p: number): bigint { return wideAt(r, p, 8, true); }

function i64At(r: Reader, p: number): bigint { return BigInt.asIntN(64, wideAt(r, p, 8, false)); }

function i64LittleAt(r: Reader, p: number): bigint { return BigInt.asIntN(64, wideAt(r, p, 8, true)); }

function readU8(r: Reader, f: Place): number { return u8At(r, take(r, 1, f)); }

function readI8(r: Reader, f: Place): number { return i8At(r, take(r, 1, f)); }

function readU16(r: Reader, f: Place): number { return u16At(r, take(r, 2, f)); }

function readU16Little(r: Reader, f: Place): number { return u16LittleAt(r, take(r, 2, f)); }

function readI16(r: Reader, f: Place): number { return i16At(r, take(r, 2, f)); }

function readI16Little(r: Reader, f: Place): number { return i16LittleAt(r, take(r, 2, f)); }

function readU24(r: Reader, f: Place): number { return u24At(r, take(r, 3, f)); }

function readU24Little(r: Reader, f: Place): number { return u24LittleAt(r, take(r, 3, f)); }

function readI24(r: Reader, f: Place): number { return i24At(r, take(r, 3, f)); }

function readI24Little(r: Reader, f: Place): number { return i24LittleAt(r, take(r, 3, f)); }

function readI32(r: Reader, f: Place): number { return i32At(r, take(r, 4, f)); }

function readI32Little(r: Reader, f: Place): number { return i32LittleAt(r, take(r, 4, f)); }

function readU32(r: Reader, f: Place): number { return u32At(r, take(r, 4, f)); }

function readU32Little(r: Reader, f: Place): number { return u32LittleAt(r, take(r, 4, f)); }

function readU64(r: Reader, f: Place): bigint { return u64At(r, take(r, 8, f)); }

function readU64Little(r: Reader, f: Place): bigint { return u64LittleAt(r, take(r, 8, f)); }

function readI64(r: Reader, f: Place): bigint { return i64At(r, take(r, 8, f)); }

function readI64Little(r: Reader, f: Place): bigint { return i64LittleAt(r, take(r, 8, f)); }

/** An unsigned integer of up to 6 bytes. */
function uintAt(r: Reader, p: number, n: number, little: boolean): number {
  let v = 0;
  for (let i = 0; i < n; i++) v = v * 256 + r.b[little ? p + n - 1 - i : p + i]!;
  return v;
}

function uint(r: Reader, n: number, little: boolean, f: Place): number { return uintAt(r, take(r, n, f), n, little); }

/** An integer with a sign, of up to 6 bytes. */
function sintAt(r: Reader, p: number, n: number, little: boolean): number {
  const v = uintAt(r, p, n, little), most = Math.pow(2, 8 * n - 1);
  return v < most ? v : v - 2 * most;
}

function sint(r: Reader, n: number, little: boolean, f: Place): number { return sintAt(r, take(r, n, f), n, little); }

/** Known to compilers whose library is older than 2020, too. */
declare const BigInt: { (v: number | string): bigint; asIntN(width: number, v: bigint): bigint; asUintN(width: number, v: bigint): bigint };

/** An unsigned integer of 7 or 8 bytes. */
function wideAt(r: Reader, p: number, n: number, little: boolean): bigint {
  const b = r.b;
  let high = 0, low = 0;
  for (let i = 0; i < n; i++) {
    const x = b[little ? p + n - 1 - i : p + i]!;
    if (i < n - 4) high = high * 256 + x; else low = low * 256 + x;
  }
  return (BigInt(high) << BigInt(32)) + BigInt(low);
}

function wide(r: Reader, n: number, little: boolean, f: Place): bigint { return wideAt(r, take(r, n, f), n, little); }

/** Known to compilers without the library of browsers, too. */
const floats = /*#__PURE__*/ new DataView(/*#__PURE__*/ new ArrayBuffer(8));

/** The number that 16 bits stand for. */
function value16(n: number): number {
  const exponent = n >> 10 & 31, fraction = n & 1023;
  let v = exponent === 0 ? fraction / 16777216 : (fraction + 1024) * Math.pow(2, exponent - 25);
  if (exponent === 31) v = fraction === 0 ? Infinity : NaN;
  return n < 32768 ? v : -v;
}

function f16At(r: Reader, p: number): number { return value16(u16At(r, p)); }

function f16LittleAt(r: Reader, p: number): number { return value16(u16LittleAt(r, p)); }

function readF16(r: Reader, f: Place): number { return f16At(r, take(r, 2, f)); }

function readF16Little(r: Reader, f: Place): number { return f16LittleAt(r, take(r, 2, f)); }

function f32At(r: Reader, p: number): number {
  floats.setInt32(0, i32At(r, p));
  return floats.getFloat32(0);
}

function f32LittleAt(r: Reader, p: number): number {
  floats.setInt32(0, i32LittleAt(r, p));
  return floats.getFloat32(0);
}

function readF32(r: Reader, f: Place): number { return f32At(r, take(r, 4, f)); }

function readF32Little(r: Reader, f: Place): number { return f32LittleAt(r, take(r, 4, f)); }

function f64At(r: Reader, p: number): number {
  floats.setInt32(0, i32At(r, p));
  floats.setInt32(4, i32At(r, p + 4));
  return floats.getFloat64(0);
}

function f64LittleAt(r: Reader, p: number): number {
  floats.setInt32(0, i32LittleAt(r, p + 4));
  floats.setInt32(4, i32LittleAt(r, p));
  return floats.getFloat64(0);
}

function readF64(r: Reader, f: Place): number { return f64At(r, take(r, 8, f)); }

function readF64Little(r: Reader, f: Place): number { return f64LittleAt(r, take(r, 8, f)); }

function boolAt(r: Reader, p: number, f: Place): boolean {
  const x = r.b[p]!;
  return x > 1 ? fail(r, "invalid_boolean", f, p) : x === 1;
}

function bool(r: Reader, f: Place): boolean { return boolAt(r, take(r, 1, f), f); }

/** Unsigned LEB128 of at most so many bytes, up to 7. */
function varint(r: Reader, most: number, f: Place): number {
  const p = r.p;
  r.q = p;
  let v = 0, scale = 1;
  for (let i = 0; ; i++, scale *= 128) {
    if (i === most) fail(r, "varint_too_long", f, p);
    if (p + i >= r.end) fail(r, "truncated", f, p);
    const x = r.b[p + i]!;
    // #region shortest
    if (x === 0 && i > 0) fail(r, "varint_not_shortest", f, p);
    // #endregion
    v += (x & 127) * scale;
    if (x < 128) { r.p = p + i + 1; return v; }
  }
}

/** Unsigned LEB128 of at most so many bytes and 64 bits. */
function wideVarint(r: Reader, most: number, f: Place): bigint {
  const p = r.p;
  r.q = p;
  let low = 0, high = 0, scale = 1;
  for (let i = 0; ; i++, scale *= 128) {
    if (i === most) fail(r, "varint_too_long", f, p);
    if (p + i >= r.end) fail(r, "truncated", f, p);
    const x = r.b[p + i]!;
    if (i === 9 && x > 1) fail(r, "varint_too_long", f, p);
    // #region shortest
    if (x === 0 && i > 0) fail(r, "varint_not_shortest", f, p);
    // #endregion
    if (i === 5) scale = 1;
    if (i < 5) low += (x & 127) * scale; else high += (x & 127) * scale;
    if (x < 128) { r.p = p + i + 1; return (BigInt(high) << BigInt(35)) + BigInt(low); }
  }
}

function varint32(r: Reader, most: number, f: Place): number {
  const p = r.p, v = varint(r, most, f);
  return v > 4294967295 ? fail(r, "varint_too_long", f, p) : v | 0;
}

function zigzag(r: Reader, most: number, f: Place): number {
  const v = varint(r, most, f);
  return v % 2 === 1 ? -(v + 1) / 2 : v / 2;
}

function wideZigzag(r: Reader, most: number, f: Place): bigint {
  const v = wideVarint(r, most, f), half = v >> BigInt(1);
  return (v & BigInt(1)) === BigInt(1) ? -half - BigInt(1) : half;
}

/** Bits of fields that share bytes; above 32 bits `>>>` would lose some. */
function bits(run: number, shift: number, width: number): number {
  return Math.floor(run / Math.pow(2, shift)) % Math.pow(2, width);
}

function signedBits(run: number, shift: number, width: number): number {
  const v = bits(run, shift, width), most = Math.pow(2, width - 1);
  return v < most ? v : v - 2 * most;
}

/** Whether two numbers of up to 53 bits have a bit in common. */
function shares(a: number, b: number): boolean {
  return (a & b) !== 0 || (Math.floor(a / 4294967296) & Math.floor(b / 4294967296)) !== 0;
}

declare const TextDecoder: (new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => { decode(b: Uint8Array): string }) | undefined;

/** Where the platform has one: it is faster for long texts, and slower for short ones. */
const decoder = /*#__PURE__*/ (() => typeof TextDecoder === "function" ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }) : undefined)();

function text(r: Reader, n: number, f: Place): string { return utf8(r, take(r, n, f), n, f); }

/** The text in bytes that have been taken. */
function utf8(r: Reader, p: number, n: number, f: Place): string {
  const end = p + n, b = r.b;
  let s = "", i = p;
  if (n < 24) {
    while (i < end && b[i]! < 128) s += String.fromCharCode(b[i++]!);
    if (i === end) return s;
  }
  if (decoder) try { return s + decoder.decode(b.subarray(i, end)); } catch (_) { /* The place is looked for below. */ }
  const flaw = utf8Flaw(b, i, end);
  return flaw < 0 ? s + utf8Text(b, i, end) : fail(r, "invalid_utf8", f, flaw);
}

/** Where the first byte is that cannot be UTF-8 (Unicode 16, table 3-7); -1 where there is none. */
function utf8Flaw(b: Uint8Array, i: number, end: number): number {
  while (i < end) {
    const x = b[i]!;
    if (x < 128) { i++; continue; }
    const n = x >= 0xc2 && x < 0xe0 ? 2 : x >= 0xe0 && x < 0xf0 ? 3 : x >= 0xf0 && x < 0xf5 ? 4 : 0;
    if (n === 0 || i + n > end) return i;
    const y = b[i + 1]!;
    if (y < (x === 0xe0 ? 0xa0 : x === 0xf0 ? 0x90 : 0x80) || y > (x === 0xed ? 0x9f : x === 0xf4 ? 0x8f : 0xbf)) return i;
    for (let k = 2; k < n; k++) if ((b[i + k]! & 0xc0) !== 0x80) return i;
    i += n;
  }
  return -1;
}

function utf8Text(b: Uint8Array, i: number, end: number): string {
  let s = "";
  while (i < end) {
    const x = b[i]!;
    let c = x, n = 1;
    if (x >= 0xf0) { c = x & 7; n = 4; } else if (x >= 0xe0) { c = x & 15; n = 3; } else if (x >= 0xc0) { c = x & 31; n = 2; }
    for (let k = 1; k < n; k++) c = (c << 6) | (b[i + k]! & 63);
    s += c < 0x10000 ? String.fromCharCode(c) : String.fromCharCode(0xd7c0 + (c >> 10), 0xdc00 | (c & 1023));
    i += n;
  }
  return s;
}

/** A copy, so that it does not keep the bytes around it. */
function blob(r: Reader, n: number, f: Place): Uint8Array { const p = take(r, n, f); return r.b.slice(p, p + n); }

/** How many bytes there are up to the end. */
function rest(r: Reader, most: number, f: Place): number { return limitedAt(r, r.p, r.end - r.p, most, f); }

/** How many bytes there are up to a byte of 0. */
function terminated(r: Reader, most: number, f: Place): number {
  const p = r.p;
  let i = p;
  while (i < r.end && r.b[i] !== 0) i++;
  if (i === r.end) fail(r, "missing_terminator", f, p);
  return limitedAt(r, p, i - p, most, f);
}

/** Text in so many bytes, which the byte `pad` fills. */
function fixedText(r: Reader, n: number, pad: number, f: Place): string {
  const p = take(r, n, f), b = r.b;
  let end = p;
  if (pad === 0) while (end < p + n && b[end] !== 0) end++;
  else for (end = p + n; end > p && b[end - 1] === pad;) end--;
  return utf8(r, p, end - p, f);
}

/** Two digits in each of so many bytes. */
function digits(r: Reader, n: number, f: Place): string {
  const p = take(r, n, f);
  let s = "";
  for (let i = p; i < p + n; i++) {
    const x = r.b[i]!;
    if (x >> 4 > 9 || (x & 15) > 9) fail(r, "invalid_digit", f, i);
    s += String(x >> 4) + String(x & 15);
  }
  return s;
}

/** Verifies bytes at a place that counts from the packet's first byte, of which only the first ones count. */
function sameBytes(r: Reader, place: number, expected: readonly number[], f: Place): void { sameBytesAt(r, r.start + place, expected, f); }

function sameBytesAt(r: Reader, p: number, expected: readonly number[], f: Place): void {
  for (let i = 0; i < expected.length; i++) if (r.b[p + i] !== expected[i]) fail(r, "wrong_constant", f, p + i);
}

/** Goes over bytes of which the first ones must be these. */
function constantText(r: Reader, n: number, expected: readonly number[], f: Place): void { sameBytesAt(r, take(r, n, f), expected, f); }

/** Text of `n` units of 16 bits. */
function utf16(r: Reader, n: number, little: boolean, f: Place): string {
  return units(r, take(r, 2 * n, f), n, little, f);
}

function unit(b: Uint8Array, p: number, little: boolean): number {
  return little ? (b[p + 1]! << 8) | b[p]! : (b[p]! << 8) | b[p + 1]!;
}

/** Half of a surrogate pair is refused where it stands. */
function units(r: Reader, p: number, n: number, little: boolean, f: Place): string {
  let s = "";
  for (let i = 0; i < n; i++) {
    const c = unit(r.b, p + 2 * i, little);
    s += String.fromCharCode(c);
    if (c < 0xd800 || c >= 0xe000) continue;
    const d = c < 0xdc00 && i + 1 < n ? unit(r.b, p + 2 * i + 2, little) : 0;
    if ((d & 0xfc00) !== 0xdc00) fail(r, "invalid_utf16", f, p + 2 * i);
    s += String.fromCharCode(d);
    i++;
  }
  return s;
}

/** How many units there are up to the end. */
function restUnits(r: Reader, most: number, f: Place): number {
  const n = r.end - r.p;
  limitedAt(r, r.p, Math.floor(n / 2), most, f);
  return n % 2 === 1 ? fail(r, "truncated", f, r.end - 1) : n / 2;
}

/** How many units there are up to one of 0. */
function terminatedUnits(r: Reader, most: number, f: Place): number {
  let n = 0;
  for (; r.p + 2 * n + 1 < r.end; n++) if (unit(r.b, r.p + 2 * n, false) === 0) return limitedAt(r, r.p, n, most, f);
  return fail(r, "missing_terminator", f, r.p);
}

/** Text in so many bytes, which the unit `pad` fills. */
function fixedUTF16(r: Reader, bytes: number, pad: number, little: boolean, f: Place): string {
  const p = take(r, bytes, f);
  let n = 0;
  if (pad === 0) while (2 * n < bytes && unit(r.b, p + 2 * n, little) !== 0) n++;
  else for (n = bytes / 2; n > 0 && unit(r.b, p + 2 * n - 2, little) === pad;) n--;
  return units(r, p, n, little, f);
}

/** Lines of `key:value` up to the end. */
function properties(r: Reader, strict: boolean, f: Place): Map<string, string> {
  rest(r, 65535, f);
  const found = new Map/*types{*/<string, string>/*}*/();
  while (r.p < r.end) {
    const p = r.p;
    let end = p, colon = -1;
    for (; end < r.end && r.b[end] !== 10; end++) if (colon < 0 && r.b[end] === 58) colon = end;
    r.p = Math.min(end + 1, r.end);
    const line = utf8(r, p, end - p, f);
    if (colon <= p) {
      if (strict) fail(r, "invalid_property", f, p);
      if (colon < 0 && end > p) found.set(line, "");
      continue;
    }
    const key = utf8(r, p, colon - p, f);
    if (strict && found.has(key)) fail(r, "duplicate_key", f, p);
    found.set(key, line.slice(key.length + 1));
  }
  return found;
}

/** What stands around a payload. */
interface Unwrapped { id: MESSAGE_ID; header: Header; byteCount: number/*fixedHeaders{*/; at: readonly number[]/*}*/ }

function reject(kind: string, offset: number): never { throw new WireError(kind, "", offset); }

/** The bytes of the whole packet, by one of its lengths. */
function packetSize(/*layers{*/r: Reader/*}*//*!layers{_r: Reader}*/, length: number, difference: number, least: number, place: number): number {
  const size = length + difference;
  if (size < least) reject("length_too_small", place);
  return size > /*layers{*/r.limit/*}*//*!layers{MAXIMUM_SIZE}*/ ? reject("packet_too_long", place) : size;
}

/** The same by a number that may be negative, which no length is. */
function packetSizeSigned(r: Reader, length: number, difference: number, least: number, place: number): number {
  return packetSize(r, length, difference, Math.max(least, difference), place);
}

function atLeast(r: Reader, n: number): number { return Math.max(n, r.size); }

function onlyPacket(r: Reader, total: number): void { if (total < r.size) reject("trailing_bytes", total); }

function sameSize(r: Reader, size: number, other: number, f: Place, offset: number): number {
  return size === other ? size : fail(r, "length_mismatch", f, r.start + offset);
}

/** Whether bytes of the header are there; if the packet is known to end before them, they are missing. */
function arrived(r: Reader, n: number, f: Place): boolean {
  if (r.end - r.p >= n) return true;
  return r.end < r.last ? false : fail(r, "truncated", f, r.p);
}

/** Whether a varint of the header is there, or cannot be one. */
function varintArrived(r: Reader, n: number): boolean {
  for (let i = 0; i < n; i++) {
    if (r.p + i >= r.end) return r.end >= r.last;
    if (r.b[r.p + i]! < 128) return true;
  }
  return true;
}

/** Lets nothing be read after the packet's end. */
function bound(r: Reader, size: number): void {
  r.last = Math.min(r.last, r.start + size);
  r.end = Math.min(r.end, r.last);
}

/** Goes to a place, up to another one. */
function goBetween(r: Reader, from: number, to: number): void {
  r.p = r.start + from;
  r.end = r.start + to;
}

function checkLength(w: Writer, v: number, low: number, high: number, f: Place): void {
  if (v > high) refuse(w, "packet_too_long", f);
  if (v < low) refuse(w, "length_too_small", f);
}

/** Whether lengths cannot hold a packet, so that another form of the header may. */
function doesNotFit(error: unknown): boolean {
  return error instanceof WireError && /^(packet_too_long|length_too_small|invalid_message_id)$/.test(error.kind);
}

/** A copy of bytes between two places, in which some are zeros. */
function zeroed(r: Reader, from: number, to: number, ...zeros: number[]): Uint8Array {
  const copy = r.b.slice(r.start + from, r.start + to);
  for (let i = 0; i < zeros.length; i += 2) copy.fill(0, zeros[i]! - from, zeros[i]! - from + zeros[i + 1]!);
  return copy;
}

/** The remainders of each byte, by polynomial. */
const tables: { [polynomial: number]: Int32Array } = {};

function table(polynomial: number): Int32Array {
  const old = tables[polynomial];
  if (old) return old;
  const made = new Int32Array(256);
  for (let i = 0; i < 256; i++) {
    let x = i;
    for (let k = 0; k < 8; k++) x = x & 1 ? (x >>> 1) ^ polynomial : x >>> 1;
    made[i] = x;
  }
  return tables[polynomial] = made;
}

/** A CRC whose bytes begin with the least significant bit. */
function reflectedCRC(b: Uint8Array, from: number, to: number, polynomial: number, start: number): number {
  const t = table(polynomial);
  let x = start;
  for (let i = from; i < to; i++) x = (x >>> 8) ^ t[(x ^ b[i]!) & 255]!;
  return x;
}

/** A CRC of 16 bits whose bytes begin with the most significant bit. */
function ccitt(b: Uint8Array, from: number, to: number, start: number): number {
  let x = start;
  for (let i = from; i < to; i++) {
    x ^= b[i]! << 8;
    for (let k = 0; k < 8; k++) x = (x & 0x8000 ? (x << 1) ^ 0x1021 : x << 1) & 0xffff;
  }
  return x;
}

function crc32(b: Uint8Array, from: number, to: number): number { return ~reflectedCRC(b, from, to, 0xedb88320, -1) >>> 0; }

function crc32c(b: Uint8Array, from: number, to: number): number { return ~reflectedCRC(b, from, to, 0x82f63b78, -1) >>> 0; }

function crc16_arc(b: Uint8Array, from: number, to: number): number { return reflectedCRC(b, from, to, 0xa001, 0); }

function crc16_modbus(b: Uint8Array, from: number, to: number): number { return reflectedCRC(b, from, to, 0xa001, 0xffff); }

function crc16_kermit(b: Uint8Array, from: number, to: number): number { return reflectedCRC(b, from, to, 0x8408, 0); }

function crc16_x25(b: Uint8Array, from: number, to: number): number { return reflectedCRC(b, from, to, 0x8408, 0xffff) ^ 0xffff; }

function crc16_ccitt_false(b: Uint8Array, from: number, to: number): number { return ccitt(b, from, to, 0xffff); }

function crc16_xmodem(b: Uint8Array, from: number, to: number): number { return ccitt(b, from, to, 0); }

function adler32(b: Uint8Array, from: number, to: number): number {
  let x = 1, y = 0;
  for (let i = from; i < to; i++) { x = (x + b[i]!) % 65521; y = (y + x) % 65521; }
  return y * 65536 + x;
}

function sum8(b: Uint8Array, from: number, to: number): number {
  let x = 0;
  for (let i = from; i < to; i++) x = (x + b[i]!) & 255;
  return x;
}

function xor8(b: Uint8Array, from: number, to: number): number {
  let x = 0;
  for (let i = from; i < to; i++) x ^= b[i]!;
  return x;
}

/** What packets are written into, while nobody does; each is copied out of it. */
let spare: Uint8Array | undefined;

/** Bytes that are being written: how far, and in what. */
interface Writer { b: Uint8Array; p: number; at: Place[]; depth: number }

function room(w: Writer, n: number): number {
  const p = w.p, needed = p + n;
  if (needed > w.b.length) {
    const b = new Uint8Array(Math.max(needed, 2 * w.b.length));
    b.set(w.b.subarray(0, p));
    w.b = b;
  }
  w.p = needed;
  return p;
}

function demandThat(w: Writer, good: boolean, kind: string, f: Place): void { if (!good) refuse(w, kind, f); }

function verifyPacket(_w: Writer, good: boolean, kind: string): void { if (!good) throw new WireError(kind, ""); }

function verifyHeader(w: Writer, good: boolean, kind: string, f: Place): void {
  if (good) return;
  w.at.push("packet");
  refuse(w, kind, f);
}

function checkWithin(w: Writer, v: number, low: number, high: number, f: Place): void {
  if (!(v >= low && v <= high) || Math.floor(v) !== v) refuse(w, typeof v === "number" ? "out_of_range" : "wrong_type", f);
}

function checkInteger(w: Writer, v: number, f: Place): void {
  if (typeof v !== "number") refuse(w, "wrong_type", f);
  if (Math.floor(v) !== v) refuse(w, "out_of_range", f);
}

function checkNumber(w: Writer, v: number, f: Place): void { if (typeof v !== "number") refuse(w, "wrong_type", f); }

function checkFloat16(w: Writer, v: number, f: Place): void {
  checkNumber(w, v, f);
  if (Math.abs(v) >= 65520 && Math.abs(v) !== Infinity) refuse(w, "number_too_large", f);
}

function checkFloat32(w: Writer, v: number, f: Place): void {
  checkNumber(w, v, f);
  if (Math.abs(Math.fround(v)) === Infinity && Math.abs(v) !== Infinity) refuse(w, "number_too_large", f);
}

function checkWide(w: Writer, v: bigint, f: Place): void { if (typeof v !== "bigint") refuse(w, "wrong_type", f); }

function checkWideWithin(w: Writer, v: bigint, low: bigint, high: bigint, f: Place): void {
  checkWide(w, v, f);
  if (v < low || v > high) refuse(w, "out_of_range", f);
}

function checkBoolean(w: Writer, v: boolean, f: Place): void { if (typeof v !== "boolean") refuse(w, "wrong_type", f); }

function checkList(w: Writer, v: readonly unknown[], f: Place): void { if (!Array.isArray(v)) refuse(w, "wrong_type", f); }

function putByte(w: Writer, v: number): void { const p = room(w, 1); w.b[p] = v; }

function setU8(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 255, f); w.b[p] = v; }

function putU8(w: Writer, v: number, f: Place): void { setU8(w, room(w, 1), v, f); }

function setU16(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 65535, f); const b = w.b; b[p] = v >> 8; b[p + 1] = v; }

function putU16(w: Writer, v: number, f: Place): void { setU16(w, room(w, 2), v, f); }

function setU16Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 65535, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; }

function putU16Little(w: Writer, v: number, f: Place): void { setU16Little(w, room(w, 2), v, f); }

function setU24(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 16777215, f); const b = w.b; b[p] = v >> 16; b[p + 1] = v >> 8; b[p + 2] = v; }

function putU24(w: Writer, v: number, f: Place): void { setU24(w, room(w, 3), v, f); }

function setU24Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 16777215, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; b[p + 2] = v >> 16; }

function putU24Little(w: Writer, v: number, f: Place): void { setU24Little(w, room(w, 3), v, f); }

function setU32(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 4294967295, f); const b = w.b; b[p] = v >> 24; b[p + 1] = v >> 16; b[p + 2] = v >> 8; b[p + 3] = v; }

function putU32(w: Writer, v: number, f: Place): void { setU32(w, room(w, 4), v, f); }

function setU32Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, 0, 4294967295, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; b[p + 2] = v >> 16; b[p + 3] = v >> 24; }

function putU32Little(w: Writer, v: number, f: Place): void { setU32Little(w, room(w, 4), v, f); }

function setI8(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -128, 127, f); w.b[p] = v; }

function putI8(w: Writer, v: number, f: Place): void { setI8(w, room(w, 1), v, f); }

function setI16(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -32768, 32767, f); const b = w.b; b[p] = v >> 8; b[p + 1] = v; }

function putI16(w: Writer, v: number, f: Place): void { setI16(w, room(w, 2), v, f); }

function setI16Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -32768, 32767, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; }

function putI16Little(w: Writer, v: number, f: Place): void { setI16Little(w, room(w, 2), v, f); }

function setI24(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -8388608, 8388607, f); const b = w.b; b[p] = v >> 16; b[p + 1] = v >> 8; b[p + 2] = v; }

function putI24(w: Writer, v: number, f: Place): void { setI24(w, room(w, 3), v, f); }

function setI24Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -8388608, 8388607, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; b[p + 2] = v >> 16; }

function putI24Little(w: Writer, v: number, f: Place): void { setI24Little(w, room(w, 3), v, f); }

function setI32(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -2147483648, 2147483647, f); const b = w.b; b[p] = v >> 24; b[p + 1] = v >> 16; b[p + 2] = v >> 8; b[p + 3] = v; }

function putI32(w: Writer, v: number, f: Place): void { setI32(w, room(w, 4), v, f); }

function setI32Little(w: Writer, p: number, v: number, f: Place): void { checkWithin(w, v, -2147483648, 2147483647, f); const b = w.b; b[p] = v; b[p + 1] = v >> 8; b[p + 2] = v >> 16; b[p + 3] = v >> 24; }

function putI32Little(w: Writer, v: number, f: Place): void { setI32Little(w, room(w, 4), v, f); }

function setU64(w: Writer, p: number, v: bigint, f: Place): void { checkWideWithin(w, v, BigInt(0), BigInt("18446744073709551615"), f); setWide(w, p, v, 8, false); }

function putU64(w: Writer, v: bigint, f: Place): void { setU64(w, room(w, 8), v, f); }

function setU64Little(w: Writer, p: number, v: bigint, f: Place): void { checkWideWithin(w, v, BigInt(0), BigInt("18446744073709551615"), f); setWide(w, p, v, 8, true); }

function putU64Little(w: Writer, v: bigint, f: Place): void { setU64Little(w, room(w, 8), v, f); }

function setI64(w: Writer, p: number, v: bigint, f: Place): void { checkWideWithin(w, v, BigInt("-9223372036854775808"), BigInt("9223372036854775807"), f); setWide(w, p, v, 8, false); }

function putI64(w: Writer, v: bigint, f: Place): void { setI64(w, room(w, 8), v, f); }

function setI64Little(w: Writer, p: number, v: bigint, f: Place): void { checkWideWithin(w, v, BigInt("-9223372036854775808"), BigInt("9223372036854775807"), f); setWide(w, p, v, 8, true); }

function putI64Little(w: Writer, v: bigint, f: Place): void { setI64Little(w, room(w, 8), v, f); }

/** An integer of up to 6 bytes, in two's complement. */
function setInt(w: Writer, p: number, v: number, n: number, little: boolean): void {
  for (let i = 0; i < n; i++) {
    w.b[little ? p + i : p + n - 1 - i] = v % 256;
    v = Math.floor(v / 256);
  }
}

function putInt(w: Writer, v: number, n: number, little: boolean): void { setInt(w, room(w, n), v, n, little); }

/** An integer of 7 or 8 bytes, in two's complement. */
function setWide(w: Writer, p: number, v: bigint, n: number, little: boolean): void {
  const high = Number(BigInt.asUintN(32, v >> BigInt(32))), low = Number(BigInt.asUintN(32, v));
  setInt(w, little ? p : p + n - 4, low, 4, little);
  setInt(w, little ? p + 4 : p, high, n - 4, little);
}

function putWide(w: Writer, v: bigint, n: number, little: boolean): void { setWide(w, room(w, n), v, n, little); }

function setBool(w: Writer, p: number, v: boolean): void { w.b[p] = v ? 1 : 0; }

function putBool(w: Writer, v: boolean): void { putByte(w, v ? 1 : 0); }

/** The bits of an integer in so many bits. */
function twos(v: number, width: number): number { return v < 0 ? v + Math.pow(2, width) : v; }

/** The bits of the nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0. */
function bits16(v: number): number {
  floats.setFloat64(0, v);
  const high = floats.getInt32(0), a = Math.abs(v);
  let n = v !== v ? 0x7e00 : 0x7c00;
  // The last bit of a sum of this size is that of the smallest numbers.
  if (a < 1 / 16384) n = (a + 268435456 - 268435456) * 16777216;
  else if (a < 65520) {
    const cut = high & 1023, isOver = cut > 512 || cut === 512 && (floats.getInt32(4) !== 0 || (high >> 10 & 1) === 1);
    n = ((high & 0x7fffffff) - 0x3f000000 >> 10) + (isOver ? 1 : 0);
  }
  return high < 0 && v === v ? n + 0x8000 : n;
}

function nearest16(w: Writer, v: number, f: Place): number {
  checkFloat16(w, v, f);
  return value16(bits16(v));
}

function setF16(w: Writer, p: number, v: number, f: Place): void { checkFloat16(w, v, f); setU16(w, p, bits16(v), f); }

function putF16(w: Writer, v: number, f: Place): void { setF16(w, room(w, 2), v, f); }

function setF16Little(w: Writer, p: number, v: number, f: Place): void { checkFloat16(w, v, f); setU16Little(w, p, bits16(v), f); }

function putF16Little(w: Writer, v: number, f: Place): void { setF16Little(w, room(w, 2), v, f); }

/** A float; a NaN is written as the quiet one. */
function setFloat(w: Writer, p: number, v: number, n: number, little: boolean, f: Place): void {
  if (n === 4) {
    checkFloat32(w, v, f);
    floats.setFloat32(0, v);
  } else {
    checkNumber(w, v, f);
    floats.setFloat64(0, v);
  }
  if (v !== v) floats.setInt32(0, n === 4 ? 0x7fc00000 : 0x7ff80000);
  if (v !== v) floats.setInt32(4, 0);
  for (let i = 0; i < n; i++) w.b[little ? p + n - 1 - i : p + i] = floats.getUint8(i);
}

function setF32(w: Writer, p: number, v: number, f: Place): void { setFloat(w, p, v, 4, false, f); }

function putF32(w: Writer, v: number, f: Place): void { setF32(w, room(w, 4), v, f); }

function setF32Little(w: Writer, p: number, v: number, f: Place): void { setFloat(w, p, v, 4, true, f); }

function putF32Little(w: Writer, v: number, f: Place): void { setF32Little(w, room(w, 4), v, f); }

function setF64(w: Writer, p: number, v: number, f: Place): void { setFloat(w, p, v, 8, false, f); }

function putF64(w: Writer, v: number, f: Place): void { setF64(w, room(w, 8), v, f); }

function setF64Little(w: Writer, p: number, v: number, f: Place): void { setFloat(w, p, v, 8, true, f); }

function putF64Little(w: Writer, v: number, f: Place): void { setF64Little(w, room(w, 8), v, f); }

function putVarint(w: Writer, v: number): void {
  for (; v > 127; v = Math.floor(v / 128)) putByte(w, (v % 128) + 128);
  putByte(w, v);
}

function putWideVarint(w: Writer, v: bigint): void {
  for (; v > BigInt(127); v >>= BigInt(7)) putByte(w, Number(v & BigInt(127)) + 128);
  putByte(w, Number(v));
}

function zigzagBits(v: number): number { return v < 0 ? -2 * v - 1 : 2 * v; }

function wideZigzagBits(v: bigint): bigint { return BigInt.asUintN(64, (v << BigInt(1)) ^ (v >> BigInt(63))); }

/** How many bytes a varint has; a number that is none has any. */
function varintSize(v: number): number {
  let n = 1;
  for (; v > 127 && n < 10; v = Math.floor(v / 128)) n++;
  return n;
}

function wideVarintSize(v: bigint): number {
  let n = 1;
  for (; v > BigInt(127); v >>= BigInt(7)) n++;
  return n;
}

declare const TextEncoder: (new () => { encodeInto(s: string, b: Uint8Array): { written?: number } }) | undefined;

const encoder = /*#__PURE__*/ (() => typeof TextEncoder === "function" && "encodeInto" in TextEncoder.prototype ? new TextEncoder() : undefined)();

/** Appends UTF-8; returns how many bytes. Half of a surrogate pair is refused, not replaced. */
function appendText(w: Writer, s: string, f: Place): number {
  if (typeof s !== "string") refuse(w, "wrong_type", f);
  const start = room(w, s.length * 3), b = w.b, n = s.length;
  let p = start, i = 0;
  if (encoder && n > 24) {
    const written = encoder.encodeInto(s, b.subarray(start)).written/*types{*/!/*}*/;
    if (written > n) for (; i < n; i++) {
      const c = s.charCodeAt(i);
      if (c >= 0xd800 && c < 0xe000 && (c >= 0xdc00 || (s.charCodeAt(++i) & 0xfc00) !== 0xdc00)) refuse(w, "invalid_utf8", f);
    }
    p += written;
  } else for (; i < n; i++) {
    let c = s.charCodeAt(i);
    if (c < 0x80) { b[p++] = c; continue; }
    if (c < 0x800) b[p++] = 0xc0 | (c >> 6);
    else {
      if (c >= 0xd800 && c < 0xe000) {
        const d = s.charCodeAt(++i);
        if (c >= 0xdc00 || (d & 0xfc00) !== 0xdc00) refuse(w, "invalid_utf8", f);
        c = 0x10000 + ((c & 1023) << 10) + (d & 1023);
        b[p++] = 0xf0 | (c >> 18);
        b[p++] = 0x80 | ((c >> 12) & 63);
      } else b[p++] = 0xe0 | (c >> 12);
      b[p++] = 0x80 | ((c >> 6) & 63);
    }
    b[p++] = 0x80 | (c & 63);
  }
  w.p = p;
  return p - start;
}

function putText(w: Writer, v: string, code: number, most: number, f: Place): void {
  room(w, code & 7);
  const n = appendText(w, v, f);
  putPrefix(w, n, n, code, most, f);
}

function putTextVarint(w: Writer, v: string, code: number, most: number, f: Place): void {
  const n = appendText(w, v, f);
  putPrefixVarint(w, n, n, code, most, f);
}

function appendBlob(w: Writer, v: Uint8Array, f: Place): number {
  if (!(v instanceof Uint8Array)) refuse(w, "wrong_type", f);
  const p = room(w, v.length);
  w.b.set(v, p);
  return v.length;
}

function putBlob(w: Writer, v: Uint8Array, code: number, most: number, f: Place): void {
  room(w, code & 7);
  const n = appendBlob(w, v, f);
  putPrefix(w, n, n, code, most, f);
}

function putBlobVarint(w: Writer, v: Uint8Array, code: number, most: number, f: Place): void {
  const n = appendBlob(w, v, f);
  putPrefixVarint(w, n, n, code, most, f);
}

/** Appends UTF-16; returns how many units. */
function appendUTF16(w: Writer, s: string, little: boolean, f: Place): number {
  if (typeof s !== "string") refuse(w, "wrong_type", f);
  let p = room(w, 2 * s.length);
  for (let i = 0; i < s.length; i++, p += 2) {
    const c = s.charCodeAt(i);
    const isPair = c >= 0xdc00 ? i > 0 && (s.charCodeAt(i - 1) & 0xfc00) === 0xd800 : i + 1 < s.length && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (c >= 0xd800 && c < 0xe000 && !isPair) refuse(w, "invalid_utf16", f);
    w.b[little ? p + 1 : p] = c >> 8;
    w.b[little ? p : p + 1] = c;
  }
  return s.length;
}

/** A number that must not be above a limit, of which -1 is none. */
function limited(w: Writer, n: number, most: number, f: Place): number { return most >= 0 && n > most ? refuse(w, "too_long", f) : n; }

function notLess(w: Writer, n: number, limit: number, f: Place): number { return n < limit ? refuse(w, "length_too_small", f) : n; }

function exactly(w: Writer, n: number, count: number, f: Place): void { if (n !== count) refuse(w, "wrong_item_count", f); }

/** Fills what was written with zeros, up to so many bytes. */
function fillUp(w: Writer, n: number, count: number, f: Place): void {
  limited(w, n, count, f);
  const p = room(w, count - n);
  w.b.fill(0, p, w.p);
}

/** Ends text of so many units, in which there must be no unit of 0. */
function terminate(w: Writer, n: number, width: number, f: Place): void {
  for (let i = 1; i <= n; i++) {
    const p = w.p - width * i;
    if (w.b[p] === 0 && w.b[p + width - 1] === 0) refuse(w, "embedded_terminator", f);
  }
  for (let i = 0; i < width; i++) putByte(w, 0);
}

/** Fills text with a unit that must not end it; up to a NUL it must not have one. */
function padText(w: Writer, n: number, count: number, filler: number, width: number, little: boolean, f: Place): void {
  limited(w, n, count, f);
  for (let i = 1; i <= n; i++) {
    const p = w.p - width * i, c = width === 1 ? w.b[p]! : little ? (w.b[p + 1]! << 8) | w.b[p]! : (w.b[p]! << 8) | w.b[p + 1]!;
    if (c === filler) refuse(w, "embedded_terminator", f);
    if (filler !== 0) break;
  }
  for (let i = n; i < count; i++) putInt(w, filler, width, little);
}

function putDigits(w: Writer, s: string, n: number, f: Place): void {
  if (typeof s !== "string") refuse(w, "wrong_type", f);
  if (/[^0-9]/.test(s)) refuse(w, "invalid_digit", f);
  exactly(w, s.length, 2 * n, f);
  for (let i = 0; i < s.length; i += 2) putByte(w, ((s.charCodeAt(i) & 15) << 4) | (s.charCodeAt(i + 1) & 15));
}

function putBytes(w: Writer, v: readonly number[]): void { for (let i = 0; i < v.length; i++) putByte(w, v[i]!); }

function putZeros(w: Writer, n: number): void { const p = room(w, n); w.b.fill(0, p, w.p); }

/**
 * Writes how many bytes, units or items there are into the room before the last bytes. The code is how many bytes the room has, and 16
 * more if the first one is the least significant one.
 */
function putPrefix(w: Writer, n: number, bytes: number, code: number, most: number, f: Place): void {
  const width = code & 7;
  limited(w, n, most, f);
  setInt(w, w.p - bytes - width, n, width, code > 16);
}

/** The same as LEB128, for which the bytes make room now; the code 32 is zigzag. */
function putPrefixVarint(w: Writer, n: number, bytes: number, code: number, most: number, f: Place): void {
  limited(w, n, most, f);
  insertVarint(w, w.p - bytes, code === 32 ? 2 * n : n);
}

/** Writes a count that is known. */
function putCount(w: Writer, n: number, code: number, most: number, f: Place): void {
  limited(w, n, most, f);
  putInt(w, n, code & 7, code > 16);
}

function putCountVarint(w: Writer, n: number, code: number, most: number, f: Place): void {
  limited(w, n, most, f);
  putVarint(w, code === 32 ? 2 * n : n);
}

/** Writes the prefix of a value that is absent. */
function putAbsent(w: Writer, code: number): void { if (code === 32) putByte(w, 1); else putInt(w, -1, code & 7, false); }

function insertVarint(w: Writer, at: number, v: number): void {
  const n = varintSize(v), p = room(w, n), end = w.p;
  w.b.copyWithin(at + n, at, p);
  w.p = at;
  putVarint(w, v);
  w.p = end;
}

function insertWideVarint(w: Writer, at: number, v: bigint): void {
  const n = wideVarintSize(v), p = room(w, n), end = w.p;
  w.b.copyWithin(at + n, at, p);
  w.p = at;
  putWideVarint(w, v);
  w.p = end;
}

function checkObject(w: Writer, v: unknown, f: Place): void { if (typeof v !== "object" || v === null) refuse(w, "wrong_type", f); }

function sink(w: Writer, f: Place): void {
  if (w.depth === 0) refuse(w, "too_deep", f);
  w.depth--;
}

/** An item that began at a place must not begin with the byte that ends the list. */
function notStop(w: Writer, p: number, stop: number): void { if (w.b[p] === stop) refuse(w, "embedded_terminator"); }

function putProperties(w: Writer, v: ReadonlyMap<string, string>, f: Place): number {
  if (!(v instanceof Map)) refuse(w, "wrong_type", f);
  const start = w.p;
  v.forEach((value, key) => {
    if (typeof key !== "string" || typeof value !== "string") refuse(w, "wrong_type", f);
    if (key === "" || /[:\n]/.test(key) || /\n/.test(value)) refuse(w, "invalid_property", f);
    if (w.p > start) putByte(w, 10);
    appendText(w, key, f);
    putByte(w, 58);
    appendText(w, value, f);
  });
  return limited(w, w.p - start, 65535, f);
}

/** Whether a value is there, which must be set exactly then. */
function isPresent(w: Writer, isThere: boolean, holds: boolean, f: Place): boolean {
  if (isThere !== holds) refuse(w, "presence", f);
  return holds;
}

function isSet<T>(v: T | undefined): v is T { return v !== undefined && v !== null; }

/** The first field of several that is not set, where nothing that is set may follow; empty if there is none. */
function gapAfter(w: Writer, before: string, isThere: boolean, f: string): string {
  if (!isThere) return before || f;
  return before ? refuse(w, "gap_before_optional", before) : before;
}

function putTrailing(w: Writer, v: Uint8Array | undefined, before: string): void {
  if (isSet(v) && appendBlob(w, v, "trailing") > 0 && before) refuse(w, "gap_before_optional", before);
}

/** The count of several fields, which must be the same; one that nobody can have is none yet. */
function agreed(w: Writer, before: number, n: number, more: number, f: Place): number {
  return before !== -2147483648 && before !== n + more ? refuse(w, "wrong_item_count", f) : n + more;
}

function orZero(n: number): number { return n === -2147483648 ? 0 : n; }

/** A copy of a packet. */
function packetBytes(w: Writer, start: number, count: number): Uint8Array { return w.b.slice(start, start + count); }

/** What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them. */
interface Frame { b: Uint8Array; n: number; count: number; inside: boolean; first: number }

function newFrame(): Frame { return { b: new Uint8Array(64), n: 0, count: 0, inside: false, first: -1 }; }

function frameFault(kind: string, offset: number): never { throw new WireError(kind, "packet.frame", offset); }

function append(frame: Frame, x: number): void {
  if (frame.n >= MAXIMUM_SIZE) frameFault("packet_too_long", 0);
  if (frame.n === frame.b.length) {
    const b = new Uint8Array(2 * frame.n);
    b.set(frame.b);
    frame.b = b;
  }
  frame.b[frame.n++] = x;
}

/** Reads up to the end of the next packet; returns whether it has come. Marks with nothing between them are passed over. */
function unframe(b: Uint8Array, start: number, end: number, frame: Frame): boolean {
  for (let i = start; i < end; i++) {
    const x = b[i]!;
    frame.count++;
    if (!frame.inside) {
      if (x !== FRAME_START) frameFault("wrong_constant", 0);
      frame.inside = true;
      continue;
    }
    if (frame.first >= 0) {
      // #region each
      if (frame.first === ESCAPE_FIRST && x === ESCAPE_SECOND) { append(frame, ESCAPE_BYTE); frame.first = -1; continue; }
      // #endregion
      frameFault("invalid_escape", frame.n);
    }
    if (x === FRAME_END) {
      if (frame.n > 0) return true;
      // #region !sameMarks
      frame.inside = false;
      // #endregion
      continue;
    }
    // #region !sameMarks
    if (x === FRAME_START) frameFault("invalid_escape", frame.n);
    // #endregion
    if (FRAME_FIRST(x)) frame.first = x;
    else append(frame, x);
  }
  return false;
}

/** Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun. */
function insideFrame(frame: Frame): boolean { return frame.inside && /*sameMarks{*/(frame.n > 0 || frame.first >= 0)/*}*//*!sameMarks{true}*/; }

function unframed<P>(frame: Frame, side: Side<P>/*connection{*/, connection: Connection/*}*/): P | Unknown/*packets{*/ | Packets<P>/*}*/ {
  const r = reader(frame.b, 0, frame.n);
  return receive(r, side, /*connection{*/connection, /*}*/frame.count) || reject("truncated", frame.n);
}

/** A packet between its marks. */
function framed(packet: Uint8Array): Uint8Array {
  let n = packet.length + 2;
  for (let i = 0; i < packet.length; i++) if (FRAME_ESCAPED(packet[i])) n++;
  const out = new Uint8Array(n);
  let p = 1;
  out[0] = FRAME_START;
  for (let i = 0; i < packet.length; i++) switch (packet[i]) {
    // #region each
    case ESCAPE_BYTE: out[p++] = ESCAPE_FIRST; out[p++] = ESCAPE_SECOND; break;
    // #endregion
    default: out[p++] = packet[i]!;
  }
  out[p] = FRAME_END;
  return out;
}
// #endregion
