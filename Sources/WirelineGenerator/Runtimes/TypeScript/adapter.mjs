// SPDX-License-Identifier: Apache-2.0

// Asks generated TypeScript on behalf of `wire conform`: it converts JSON to messages and back. Pages convert them with the same
// functions, in the regions `values` and `layered`. For its marks see runtime.ts.

const { readFileSync } = await import("node:fs");
const { createRequire } = await import("node:module");
const { createInterface } = await import("node:readline");

// What follows stands for the tables that the generator makes.
const tables = { header: [], states: [], messages: [], structures: [], unions: [], enumerations: [], flags: [] };
const file = new URL("./scene_protocol.js", import.meta.url);
const sendersDiffer = false, hasConnection = false, hasWideIDs = false;
const layers = { zlib: () => compressed(zlib.inflateSync, zlib.deflateSync), gzip: () => compressed(gunzip, zlib.gzipSync) };
const absentLayers = [];

// #region packages
const zlib = await import("node:zlib");
const { createCipheriv, createDecipheriv } = await import("node:crypto");
// #endregion

// #region transforms
// A stream is one whole: nothing may stand after it.
function compressed(inflate, deflate) {
  return {
    open(sealed, header, limit) {
      try {
        const { buffer, engine } = inflate(sealed, { maxOutputLength: Math.max(limit, 1), info: true });
        if (engine.bytesWritten < sealed.length) throw new wire.WireError("trailing_bytes", "");
        return buffer;
      } catch (error) {
        if (error.code === "ERR_BUFFER_TOO_LARGE") return undefined;
        throw error;
      }
    },
    seal: content => deflate(content),
  };
}

// Node reads all members of a gzip stream, and a layer has one.
function gunzip(sealed, options) {
  let p = 10;
  const flags = sealed[3];
  if (flags & 4) p += 2 + sealed[p] + 256 * sealed[p + 1];
  for (const flag of [8, 16]) if (flags & flag) p = sealed.indexOf(0, p) + 1;
  if (flags & 2) p += 2;
  const { engine } = zlib.inflateRawSync(sealed.subarray(p), options);
  return zlib.gunzipSync(sealed.subarray(0, p + engine.bytesWritten + 8), options);
}

function aes(key, blocks, encrypts) {
  const cipher = (encrypts ? createCipheriv : createDecipheriv)("aes-" + 8 * key.length + "-ecb", key, null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(blocks), cipher.final()]);
}
// #endregion

// #region layered
function lineOf(packet) {
  if (!packet.packets) return line(packet);
  const { message, id, header } = line({ ...packet, name: null, payload: [] });
  return { message, id, header, packets: packet.packets.map(lineOf) };
}

function encodeLine(given, side, connection) {
  try {
    if (!Array.isArray(member(given, "packets", undefined))) return encode(given, side, connection);
    if (!wire.encodePackets) throw new wire.WireError("presence", "packets");
    const { id, packets, header } = item(given, "");
    return wire.encodePackets(id, packets, header, side, ...connection);
  } catch (error) {
    throw error instanceof wire.WireError ? new wire.WireError(error.kind, named(error.path, given)) : error;
  }
}

// A fault of the header, or of the packet as a whole, is one of the message that was to be written.
function named(path, given) {
  const own = member(given, "message", null);
  if (own === null) {
    const [first, index] = /^packets\[(\d+)\]/.exec(path) ?? [], packets = member(given, "packets", undefined);
    if (first === undefined || !Array.isArray(packets)) return path;
    const rest = named(path.slice(first.length + 1), packets[index]);
    return rest ? first + "." + rest : first;
  }
  const { name } = tables.messages.find(m => m.name === own || m.other === own);
  if (path === "") return name;
  return /^(packets|opaque)$/.test(path) || /^packet\./.test(path) && name !== "packet" ? name + "." + path : path;
}

// A packet in another one.
function item(given, path) {
  const name = member(given, "message", null);
  if (name === null) {
    const id = integer(member(given, "id", 0), hasWideIDs, "not_an_integer", path + "id");
    const packets = member(given, "packets", undefined), header = settable(given, path + "header.");
    if (Array.isArray(packets)) return { id, packets: packets.map((inside, i) => item(inside, path + "packets[" + i + "].")), header };
    return { id, payload: bytes(member(given, "payload", ""), path), header };
  }
  const known = tables.messages.find(m => m.name === name || m.other === name);
  if (!known) refuse("unknown_message", path + name);
  const message = values(known.fields, member(given, "fields", new Map()), path + name);
  const trailing = member(given, "trailing", null);
  if (known.trailing && trailing !== null) message[known.trailing] = bytes(trailing, path);
  return wire.inner(wire[known.own], message, settable(given, path + name + ".header."));
}
// #endregion

// #region program
// A compiler makes a module of either kind, and Node takes it for the other one.
async function load() {
  const code = readFileSync(file, "utf8");
  if (!/^export /m.test(code)) return createRequire(import.meta.url)(file.pathname);
  return import("data:text/javascript;base64," + Buffer.from(code).toString("base64"));
}

const wire = await load();

function reply(line) {
  let request;
  try {
    request = parse(line);
  } catch (error) {
    return print({ id: null, reply: "skip", text: "this is no JSON" });
  }
  const id = member(request, "id", null);
  try {
    return print({ id, ...answer(request) });
  } catch (error) {
    if (error instanceof Refused) return print({ id, reply: "error", error: error.kind, field: error.path });
    if (error instanceof wire.WireError) return print({ id, ...failure(error) });
    throw error;
  }
}

function side(request) { return member(request, "from", "client") === "server" ? wire.fromServer : wire.fromClient; }

// #region layers
// The states and keys of a question begin anew.
// #endregion
// #region !layers
//| // The states of a question begin anew.
// #endregion
function connection(request) {
  if (!hasConnection) return [];
  const states = {};
  for (const f of tables.states) {
    const v = member(member(request, "state", new Map()), f.name, undefined);
    if (v !== undefined) states[f.own] = typeof v === "boolean" ? v : integer(v, f.wide, "not_an_integer", "state." + f.name);
  }
  // #region layers
  // #region states
  const made = new wire.Connection({ states, layers, aes });
  // #endregion
  // #region !states
  //| const made = new wire.Connection({ layers, aes });
  // #endregion
  // #region keys
  for (const [name, key] of member(request, "keys", new Map())) {
    const parts = /^(client|server)\.(.+)$/.exec(name);
    if (parts) made.setKey(parts[2], bytes(key, ""), parts[1] === "server" ? wire.fromServer : wire.fromClient);
    else made.setKey(name, bytes(key, ""));
  }
  // #endregion
  return [made];
  // #endregion
  // #region !layers
  //| return [new wire.Connection(states)];
  // #endregion
}

function answer(request) {
  switch (member(request, "ask", null)) {
    case "decode": {
      const packet = wire.decode(bytes(member(request, "hex", ""), ""), side(request), 0, ...connection(request));
      if (!packet) return { reply: "more" };
      return { reply: "ok", count: packet.byteCount, line: /*layers{*/lineOf/*}*//*!layers{line}*/(packet) };
    }
    case "encode": return { reply: "ok", hex: hex(/*layers{*/encodeLine/*}*//*!layers{encode}*/(member(request, "line", new Map()), side(request), connection(request))) };
    default: return { reply: "skip", text: "this question is not known" };
  }
}

function failure(error, path = error.path) {
  // #region layers
  if (error.kind === "layer_unavailable" && absentLayers.some(name => path.endsWith("packet." + name))) return { reply: "skip", text: "this script does not have " + path };
  // #endregion
  const members = { reply: "error", error: error.kind };
  if (path) members.field = path;
  if (error.offset !== undefined) members.offset = error.offset;
  members.text = error.message;
  return members;
}
// #endregion

// #region values
class Refused extends Error {
  constructor(kind, path) {
    super(kind);
    this.kind = kind;
    this.path = path;
  }
}

function refuse(kind, path) { throw new Refused(kind, path); }

// Messages to JSON

function line(packet) {
  const header = new Map();
  for (const f of tables.header) {
    const v = packet.header[f.own];
    if (v !== undefined) header.set(f.name, show(f.type, v));
  }
  if (packet.name === null) return { message: null, id: packet.id, header, payload: hex(packet.payload) };
  const known = tables.messages.find(m => m.name === packet.name);
  const shown = { message: packet.name, id: packet.id, header, fields: fields(known.fields, packet.message) };
  const trailing = known.trailing ? packet.message[known.trailing] : undefined;
  if (trailing) shown.trailing = hex(trailing);
  return shown;
}

function fields(list, values) {
  const shown = new Map();
  for (const f of list) if (values[f.own] !== undefined) shown.set(f.name, show(f.type, values[f.own]));
  return shown;
}

function show(type, v) {
  if (typeof type === "object" && type !== null) {
    if ("list" in type) return v.map(item => show(type.list, item));
    if ("structure" in type) return fields(tables.structures[type.structure].fields, v);
    if ("enum" in type) return name(tables.enumerations[type.enum].cases, v);
    if ("flags" in type) return names(tables.flags[type.flags].cases, BigInt(v));
    const union = tables.unions[type.union], arm = union.arms.find(a => a.own === v.kind);
    if (arm.type === "kept") return new Map([[arm.name, { tag: show(union.tag, v.tag), bytes: base64(v.bytes) }]]);
    return new Map([[arm.name, arm.type === null ? null : show(arm.type, v.value)]]);
  }
  switch (type) {
    case "float32": case "float64": return Number.isFinite(v) ? new Float(v) : String(v);
    case "bytes": return base64(v);
    default: return v;
  }
}

class Float {
  constructor(value) { this.text = Object.is(value, -0) ? "-0.0" : String(value); }
}

function name(cases, v) {
  const found = cases.find(c => BigInt(c.value) === BigInt(v));
  return found ? found.name : v;
}

// The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
function names(cases, v) {
  const found = [];
  let shown = 0n;
  for (const c of cases) {
    const mask = BigInt(c.value);
    if ((v & mask) === mask && (mask & ~shown) !== 0n) {
      found.push(c.name);
      shown |= mask;
    }
  }
  if (v & ~shown) found.push(v & ~shown);
  return found;
}

function hex(b) { return Array.from(b, x => x.toString(16).padStart(2, "0")).join(""); }

function base64(b) { return btoa(Array.from(b, x => String.fromCharCode(x)).join("")); }

function unbase64(text) {
  try {
    return Uint8Array.from(atob(text), c => c.charCodeAt(0));
  } catch (_) {
    return undefined;
  }
}

// JSON to messages

function encode(line, side, connection = []) {
  const name = member(line, "message", null);
  if (name === null) {
    const id = integer(member(line, "id", 0), hasWideIDs, "not_an_integer", "id");
    const payload = bytes(member(line, "payload", ""), "");
    return sendersDiffer
      ? wire.encodeUnknown(id, payload, settable(line, "header."), side, ...connection) : wire.encodeUnknown(id, payload, settable(line, "header."));
  }
  const known = tables.messages.find(m => m.name === name || m.other === name);
  if (!known) refuse("unknown_message", name);
  const message = values(known.fields, member(line, "fields", new Map()), name);
  const trailing = member(line, "trailing", null);
  if (known.trailing && trailing !== null) message[known.trailing] = bytes(trailing, "");
  const header = settable(line, name + ".header.");
  try {
    return sendersDiffer ? wire.encode(wire[known.own], message, header, side, ...connection) : wire.encode(wire[known.own], message, header);
  } catch (error) {
    // A fault of the header, or of the packet as a whole, is one of the message that was to be written.
    if (!(error instanceof wire.WireError)) throw error;
    const path = error.path === "" ? known.name : error.path.startsWith("packet.") && known.name !== "packet" ? known.name + "." + error.path : error.path;
    throw new wire.WireError(error.kind, path, error.offset);
  }
}

function settable(line, path) {
  const given = member(line, "header", new Map()), header = {};
  for (const f of tables.header) if (f.settable && given.has(f.name)) header[f.own] = read(f.type, given.get(f.name), path + f.name);
  return header;
}

function values(list, given, path) {
  if (!(given instanceof Map)) refuse("wrong_kind", path);
  for (const key of given.keys()) if (!list.some(f => f.name === key)) refuse("unknown_key", path);
  const made = {};
  for (const f of list) {
    const v = given.get(f.name), place = path + "." + f.name;
    if (f.optional && (v === undefined || v === null)) continue;
    if (v === undefined) {
      if (f.since) continue;
      refuse("missing", place);
    }
    made[f.own] = read(f.type, v, place);
  }
  return made;
}

function read(type, v, path) {
  if (typeof type === "object" && type !== null) {
    if ("list" in type) return Array.isArray(v) ? v.map((item, i) => read(type.list, item, path + "[" + i + "]")) : refuse("wrong_kind", path);
    if ("structure" in type) return values(tables.structures[type.structure].fields, v, path);
    if ("enum" in type) return number(tables.enumerations[type.enum], v, path);
    if ("flags" in type) {
      if (!Array.isArray(v)) refuse("wrong_kind", path);
      const flags = tables.flags[type.flags];
      const bits = v.reduce((sum, item) => sum | BigInt(number(flags, item, path)), 0n);
      return flags.wide ? bits : Number(bits);
    }
    return choice(tables.unions[type.union], v, path);
  }
  switch (type) {
    case "integer": return integer(v, false, "not_an_integer", path);
    case "wide": return integer(v, true, "not_an_integer", path);
    case "float32": case "float64":
      if (v === "NaN" || v === "Infinity" || v === "-Infinity") return Number(v);
      return typeof v === "number" || typeof v === "bigint" ? Number(v) : refuse("wrong_kind", path);
    case "boolean": return typeof v === "boolean" ? v : refuse("wrong_kind", path);
    case "string": return typeof v === "string" ? v : refuse("wrong_kind", path);
    case "bytes": {
      if (typeof v !== "string") refuse("wrong_kind", path);
      const made = unbase64(v);
      return made && base64(made) === v ? made : refuse("wrong_kind", path);
    }
    case "properties": return v instanceof Map ? v : refuse("wrong_kind", path);
    default: return refuse("wrong_kind", path);
  }
}

function number(choice, v, path) {
  const found = typeof v === "string" ? choice.cases.find(c => c.name === v) : undefined;
  if (found) return choice.wide ? BigInt(found.value) : found.value;
  return integer(v, choice.wide, "unknown_name", path);
}

function choice(union, v, path) {
  if (!(v instanceof Map) || v.size !== 1) refuse("not_one_arm", path);
  const [[key, value]] = v, arm = union.arms.find(a => a.name === key), place = path + "." + key;
  if (!arm) refuse("unknown_key", path);
  if (arm.type === null) return value === null ? { kind: arm.own } : refuse("wrong_kind", place);
  if (arm.type !== "kept") return { kind: arm.own, value: read(arm.type, value, place) };
  const list = [{ name: "tag", own: "tag", type: union.tag }, { name: "bytes", own: "bytes", type: "bytes" }];
  return { kind: arm.own, ...values(list, value, place) };
}

// Beyond 53 bits an integer is a string in JSON.
function integer(v, wide, kind, path) {
  if (typeof v === "string") {
    if (!/^-?[0-9]+$/.test(v)) refuse(kind, path);
    v = BigInt(v);
  }
  if (typeof v === "number" && !Number.isInteger(v)) refuse(kind, path);
  if (typeof v !== "number" && typeof v !== "bigint") refuse("wrong_kind", path);
  return wide ? BigInt(v) : Number(v);
}

function bytes(text, path) { return /^([0-9a-fA-F]{2})*$/.test(text) ? Uint8Array.from(text.match(/../g) || [], pair => parseInt(pair, 16)) : refuse("wrong_kind", path); }

// JSON, in which objects keep the order of their members, and integers all digits

function member(object, name, usual) { return object instanceof Map && object.has(name) ? object.get(name) : usual; }

function parse(text) {
  const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?[0-9]+(?![0-9.eE]))|(-?[0-9][-+0-9.eE]*)|(true|false|null))\s*/y;
  let mark, value;
  function next() {
    const found = token.exec(text);
    if (!found) throw new SyntaxError("no JSON");
    mark = found[1];
    if (found[2]) value = JSON.parse(found[2]);
    else if (found[3]) value = Number.isSafeInteger(Number(found[3])) ? Number(found[3]) : BigInt(found[3]);
    else if (found[4] || found[5]) value = JSON.parse(found[4] || found[5]);
  }
  function parsed() {
    if (mark === "[") {
      const items = [];
      for (next(); mark !== "]"; next()) {
        if (mark === ",") next();
        items.push(parsed());
      }
      return items;
    }
    if (mark === "{") {
      const members = new Map();
      for (next(); mark !== "}"; next()) {
        if (mark === ",") next();
        const key = value;
        next();
        next();
        members.set(key, parsed());
      }
      return members;
    }
    if (mark) throw new SyntaxError("no JSON");
    return value;
  }
  next();
  return parsed();
}

function print(v) {
  if (v instanceof Float) return v.text;
  if (v instanceof Map) return "{" + Array.from(v, ([key, item]) => JSON.stringify(key) + ":" + print(item)).join(",") + "}";
  if (Array.isArray(v)) return "[" + v.map(print).join(",") + "]";
  if (typeof v === "bigint") return v <= 9007199254740991n && v >= -9007199254740991n ? String(v) : "\"" + v + "\"";
  if (typeof v === "object" && v !== null) return print(new Map(Object.entries(v)));
  return JSON.stringify(v);
}
// #endregion

// #region loop
const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
for await (const line of input) process.stdout.write(reply(line) + "\n");
// #endregion
