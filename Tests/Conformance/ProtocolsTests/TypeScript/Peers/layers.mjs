// SPDX-License-Identifier: Apache-2.0

// Checks what a program sees of layers: functions that it gives, their limits, and packets in packets.

import assert from "node:assert/strict";
import { load } from "./load.mjs";

const wire = await load(process.argv[2]);

/** Takes the place of brotli: each byte is there twice. */
const doubling = {
  open(sealed, header, limit) {
    const content = sealed.filter((_, i) => i % 2 === 0);
    if (sealed.length % 2 || sealed.some((x, i) => x !== content[i >> 1])) throw "damaged";
    return content.length <= limit ? content : undefined;
  },
  seal: content => Uint8Array.from({ length: 2 * content.length }, (_, i) => content[i >> 1]),
};

const connection = (open = doubling.open) => new wire.Connection({ layers: { brotli: () => ({ ...doubling, open }) } });

const { Notification, fromServer, inner } = wire;
const notes = ["a", "b", "c"].map(body => ({ body }));
const inside = { id: 5, packets: [inner(Notification, notes[1]), inner(Notification, notes[2], { sequence: 7 })], header: { version: 2 } };
const packets = [inner(Notification, notes[0]), { id: 6, payload: new Uint8Array(3), header: { version: 1 } }];

// Without a function, each packet says what it needs.
const missing = error => error instanceof wire.WireError && error.kind === "layer_unavailable";
assert.throws(() => wire.encodePackets(5, packets, { version: 3 }), error => missing(error)
  && error.message === "packet.brotli: layer_unavailable: it needs new Connection({ layers: { brotli: \u2026 } })");
assert.throws(() => wire.encodePackets(5, [...packets, inside], { version: 3 }, undefined, connection()), error => missing(error)
  && error.path === "packets[2].packet.zlib" && error.message.endsWith("new Connection({ layers: { zlib: \u2026 } })"));

// The functions of both layers are made once for each side.
const made = [];
const both = () => new wire.Connection({
  layers: { brotli: from => { made.push(from); return doubling; }, zlib: from => { made.push(from); return doubling; } },
});
const client = both();
const sealed = wire.encodePackets(5, [...packets, inside], { version: 3 }, fromServer, both());
assert.deepEqual(made, ["server", "server"]);
const opened = wire.decode(sealed, fromServer, 0, client);
assert.equal(opened.name, undefined);
assert.deepEqual(opened.packets.map(packet => packet.name), ["Notification", null, undefined]);
assert.equal(opened.byteCount, sealed.length);

// A splitter gives the packets in a packet in its place.
const twice = Uint8Array.from([...sealed, ...sealed]);
for (const size of [1, 7, 1000]) {
  const splitter = new wire.PacketSplitter(fromServer, client), found = [];
  for (let start = 0; start < twice.length; start += size) {
    splitter.push(twice.subarray(start, start + size));
    for (let packet = splitter.next(); packet; packet = splitter.next()) found.push(packet);
  }
  splitter.finish();
  assert.deepEqual(found.map(packet => packet.message), [notes[0], undefined, notes[1], notes[2], notes[0], undefined, notes[1], notes[2]]);
  assert.deepEqual(found.map(packet => packet.header.sequence), [0, 0, 0, 7, 0, 0, 0, 7]);
}
assert.equal(made.length, 4);

// What the functions do wrong.
const short = wire.encodePackets(5, packets, { version: 3 }, undefined, connection());
const damaged = short.slice();
damaged[damaged.length - 1] ^= 1;
const refused = (kind, path) => error => error instanceof wire.WireError && error.kind === kind && error.path === path;
assert.throws(() => wire.decode(damaged, fromServer, 0, connection()), refused("invalid_layer", "packet.brotli"));
const decode = open => () => wire.decode(short, fromServer, 0, connection(open));
assert.throws(decode((sealed, header, limit) => new Uint8Array(limit + 1)), refused("inflated_too_long", "packet.brotli"));
assert.throws(decode(() => undefined), refused("inflated_too_long", "packet.brotli"));
assert.throws(decode(() => { throw new wire.WireError("trailing_bytes", ""); }), refused("trailing_bytes", "packet.brotli"));
assert.throws(decode(async () => new Uint8Array(0)), TypeError);
assert.throws(() => wire.encodePackets(5, packets, {}, undefined, connection()), refused("presence", "packets"));
assert.throws(() => wire.encode(Notification, notes[0], { version: 3 }, undefined, connection()), refused("presence", "packets"));

// A bomb in a packet counts together with all others.
const zeros = n => inner(Notification, { body: "\0".repeat(n) });
const large = n => ({ id: 5, packets: [zeros(n)], header: { version: 3 } });
const sizes = [100000, 100000].map(n => large(n));
const four = Array.from({ length: 22 }, () => large(100000));
assert.throws(() => wire.encodePackets(5, four, { version: 3 }, undefined, connection()), error => error.kind === "inflated_too_long");
assert.throws(() => wire.encodePackets(5, sizes, { version: 3 }, undefined, connection()), error => error.kind === "packet_too_long");

// Too deep, when writing and when reading.
let deep = { id: 5, packets: [], header: { version: 3 } };
for (let i = 0; i < 4; i++) deep = { id: 5, packets: [deep], header: { version: 3 } };
const depth = error => error.kind === "too_deep" && /^(packets\[0\]\.){3}packets\[0\]$/.test(error.path);
assert.throws(() => wire.encodePackets(5, [deep.packets[0]], { version: 3 }, undefined, connection()), depth);

console.log("as expected");
