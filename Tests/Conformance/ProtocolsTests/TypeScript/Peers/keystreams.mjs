// SPDX-License-Identifier: Apache-2.0

// Checks connections whose packets share keystreams, in both directions.

import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { load } from "./load.mjs";

const wire = await load(process.argv[2]);
const { Say, Sum, fromClient, fromServer, inner } = wire;

function aes(key, blocks, encrypts) {
  const cipher = (encrypts ? createCipheriv : createDecipheriv)("aes-" + 8 * key.length + "-ecb", key, null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(blocks), cipher.final()]);
}

const layers = { gzip: () => ({ open: sealed => gunzipSync(sealed), seal: content => gzipSync(content) }) };
const bytes = (n, first) => Uint8Array.from({ length: n }, (_, i) => first + i);
const keys = { StreamKey: bytes(5, 1), blockKey: bytes(32, 7), blockStart: bytes(16, 9), counterKey: bytes(24, 3), counterStart: new Uint8Array(16).fill(255) };
const connection = () => new wire.Connection({ keys, aes, layers });

const headers = [{}, { streamed: true }, { blocks: true }, { streamed: true, blocks: true }];
const texts = Array.from({ length: 40 }, (_, i) => "text ".repeat(i % 7) + i);

/** Packets of all kinds, of which some hold others. */
function stream(connection, side) {
  return texts.map((text, i) => {
    const header = headers[i % 4];
    if (i % 5 !== 4) return wire.encode(Say, { text }, header, side, connection);
    // A keystream is used once in a packet with all those inside.
    const own = header.streamed ? { blocks: true } : { streamed: true };
    const group = [inner(Say, { text: text + "!" }, own), inner(Sum, { a: i, b: 2 }, own)];
    return wire.encodePackets(9, group, { ...header, kind: wire.Kind.group }, side, connection);
  });
}

function read(connection, side, all, size) {
  const splitter = new wire.PacketSplitter(side, connection), found = [];
  for (let start = 0; start < all.length; start += size) {
    splitter.push(all.subarray(start, start + size));
    for (let packet = splitter.next(); packet; packet = splitter.next()) found.push(packet.message);
  }
  splitter.finish();
  return found;
}

const expected = texts.flatMap((text, i) => (i % 5 !== 4 ? [{ text }] : [{ text: text + "!" }, { a: i, b: 2 }]));
const sender = connection();
for (const side of [fromClient, fromServer]) {
  const all = Buffer.concat(stream(sender, side));
  for (const size of [1, 2, 13, 1000000]) assert.deepEqual(read(connection(), side, new Uint8Array(all), size), expected);
}

// A packet that fails moves no keystream, neither when writing nor when reading.
const [writer, reader] = [connection(), connection()];
const refused = (kind, path) => error => error instanceof wire.WireError && error.kind === kind && error.path === path;
const send = text => wire.encode(Say, { text }, { streamed: true }, fromClient, writer);
const receive = packet => wire.decode(packet, fromClient, 0, reader).message.text;
assert.equal(receive(send("one")), "one");
const tooLong = [inner(Say, { text: "ok" }, { streamed: true }), inner(Say, { text: "x".repeat(70000) }, { streamed: true })];
assert.throws(() => wire.encodePackets(9, tooLong, { kind: wire.Kind.group }, fromClient, writer), refused("too_long", "packets[1].Say.text"));
const second = send("two");
for (let i = 0; i < second.length; i++) {
  const damaged = second.slice();
  damaged[i] ^= 64;
  let packet;
  try { packet = wire.decode(damaged, fromClient, 0, reader); } catch (error) { assert.ok(error instanceof wire.WireError); }
  assert.equal(packet, undefined);
}
assert.equal(receive(second), "two");

// A key that is set again begins its keystream anew, for one side or for both.
writer.setKey("StreamKey", keys.StreamKey, fromServer);
assert.equal(receive(send("three")), "three");
writer.setKey("StreamKey", keys.StreamKey, fromClient);
reader.setKey("StreamKey", keys.StreamKey);
assert.equal(receive(send("four")), "four");
writer.setKey("StreamKey", keys.StreamKey, fromClient);
// With another keystream the ID, which is inside of the layers, is one that the schema does not have.
assert.equal(wire.decode(send("five"), fromClient, 0, reader).name, null);
assert.throws(() => writer.setKey("streamKey", keys.StreamKey), refused("unknown_key", "key.streamKey"));
assert.throws(() => writer.setKey("blockKey", new Uint8Array(17)), refused("wrong_key", "key.blockKey"));
assert.throws(() => writer.setKey("blockKey", "0".repeat(16)), refused("wrong_type", "key.blockKey"));

// A key or a function that is missing is told when a packet needs it.
const without = given => () => wire.encode(Say, { text: "" }, { blocks: true }, fromClient, new wire.Connection(given));
assert.throws(without({ aes }), error => refused("layer_unavailable", "packet.counterKey")(error) && error.message.endsWith('it needs connection.setKey("counterKey", \u2026)'));
assert.throws(without({ keys }), error => refused("layer_unavailable", "packet.counterKey")(error) && error.message.endsWith("it needs new Connection({ aes: \u2026 })"));
assert.throws(without({ keys, aes: () => new Uint8Array(1) }), TypeError);
console.log("as expected");
