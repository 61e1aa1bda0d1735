// SPDX-License-Identifier: Apache-2.0
// Compares the generated module of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
// The other code uses DataView, TextEncoder and TextDecoder, makes an array for each packet, and checks nothing.

import { Sc_20001, decode, encode, fromServer } from "./scene_protocol.js";

const nanoseconds = Number(process.argv[2]) * 1e6;

function measure(name, implementation, work) {
  for (let count = 1; ; ) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; i++) work();
    const elapsed = Number(process.hrtime.bigint() - start);
    if (elapsed >= nanoseconds) return console.log(`${name}\t${implementation}\t${elapsed / count}`);
    count = Math.max(count + 1, Math.floor(count * Math.min(100, (nanoseconds / Math.max(elapsed, 1000)) * 1.1)));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function encodeByHand(m) {
  const text = encoder.encode(m.message);
  const bytes = new Uint8Array(20 + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint16(4, 20001);
  view.setUint8(6, m.res);
  view.setUint32(7, m.sceneId);
  view.setUint8(11, m.pos);
  view.setUint8(12, m.status);
  view.setUint8(13, m.type);
  view.setUint32(14, m.defaultCombat);
  view.setUint16(18, text.length);
  bytes.set(text, 20);
  return bytes;
}

function decodeByHand(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    res: view.getUint8(6), sceneId: view.getUint32(7), pos: view.getUint8(11), status: view.getUint8(12),
    type: view.getUint8(13), defaultCombat: view.getUint32(14),
    message: decoder.decode(bytes.subarray(20, 20 + view.getUint16(18))),
  };
}

function require(condition, what) {
  if (!condition) throw new Error(what);
}

for (const size of [16, 1024]) {
  const message = {
    res: 1, sceneId: 70000, pos: 2, status: 10, type: 3, defaultCombat: 4000000000, message: "x".repeat(size),
  };
  const packet = encode(Sc_20001, message);
  require(Buffer.from(packet).equals(encodeByHand(message)), "both write the same bytes");
  for (const read of [decode(packet, fromServer, 0).message, decodeByHand(packet)]) {
    for (const name of Object.keys(message)) require(read[name] === message[name], "both read the same message");
  }
  measure(`encode_${size}`, "wireline", () => encode(Sc_20001, message));
  measure(`encode_${size}`, "by hand", () => encodeByHand(message));
  measure(`decode_${size}`, "wireline", () => decode(packet, fromServer, 0));
  measure(`decode_${size}`, "by hand", () => decodeByHand(packet));
}
