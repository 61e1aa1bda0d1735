// SPDX-License-Identifier: Apache-2.0

// Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
// {"from":"client","packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places `ends`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { load } from "./load.mjs";

const wire = await load(process.argv[2]);

const bytes = hex => new Uint8Array(Buffer.from(hex, "hex"));

/** Pieces of random lengths, by a seed. */
function* pieces(all, seed) {
  let state = seed, at = 0;
  while (at < all.length) {
    state = (state * 48271) % 2147483647;
    const n = state % 9;
    yield all.subarray(at, at + n);
    at += n;
  }
}

function* singly(all) { for (let i = 0; i < all.length; i++) yield all.subarray(i, i + 1); }

/** What a splitter gives for pieces; the pieces are overwritten, so that nothing may share them. */
function split(parts, side) {
  const splitter = new wire.PacketSplitter(side), found = [];
  let failure;
  try {
    for (const part of parts) {
      const copy = part.slice();
      splitter.push(copy);
      copy.fill(0xee);
      for (let packet = splitter.next(); packet; packet = splitter.next()) found.push(packet);
    }
  } catch (error) {
    assert(error instanceof wire.WireError, String(error));
    failure = error;
    // It stays failed.
    assert.throws(() => splitter.next(), e => e === error);
    assert.throws(() => splitter.finish(), e => e === error);
  }
  return { splitter, found, failure };
}

function check({ from, packets, ends, bad, seed }) {
  const side = from === "server" ? wire.fromServer : wire.fromClient;
  const all = bytes(packets.join("")), expected = [];
  for (let start = 0; start < all.length;) {
    const packet = wire.decode(all, side, start);
    expected.push(packet);
    start += packet.byteCount;
  }
  assert.equal(expected.length, packets.length);
  for (const cut of [all => [all], singly, all => pieces(all, seed)]) {
    const { splitter, found, failure } = split(cut(all), side);
    assert.equal(failure, undefined);
    assert.deepEqual(found, expected);
    splitter.finish();
    if (bad === null) continue;
    const faulty = bytes(packets.join("") + bad), broken = split(cut(faulty), side);
    assert.deepEqual(broken.found, expected);
    assert(broken.failure);
    assert.throws(() => wire.decode(faulty, side, all.length), broken.failure);
  }
  for (let end = 0; end <= all.length; end++) {
    const { splitter } = split([all.subarray(0, end)], side);
    if (ends.includes(end)) splitter.finish();
    else assert.throws(() => splitter.finish(), error => error.kind === "end_of_stream" && error.path === "");
  }
}

const lines = readFileSync(0, "utf8").split("\n").filter(line => line !== "");
for (const line of lines) check(JSON.parse(line));
console.log(lines.length + " streams");
