// SPDX-License-Identifier: Apache-2.0

// Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
// {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places `ends`.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
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
function split(parts, side, own) {
  const splitter = new wire.PacketSplitter(side, ...own), found = [];
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

/** A new connection with the states of a stream, as an argument; none if the protocol has no states. */
function connection(state) {
  if (state === null) return [];
  // The state of 64 bits is a bigint.
  return [new wire.Connection("mark" in state ? { ...state, mark: BigInt(state.mark) } : state)];
}

function check({ from, state, packets, ends, bad, seed }) {
  const side = from === "server" ? wire.fromServer : wire.fromClient;
  const all = bytes(packets.join("")), expected = [], own = connection(state), twin = connection(state);
  for (let start = 0; start < all.length;) {
    const packet = wire.decode(all, side, start, ...own);
    // A packet shares nothing with the bytes, also where they are a Buffer, whose `slice` shares them.
    const buffer = Buffer.from(all);
    const same = wire.decode(buffer, side, start, ...twin);
    buffer.fill(0xee);
    assert.deepEqual(same, packet);
    expected.push(packet);
    start += packet.byteCount;
  }
  assert.equal(expected.length, packets.length);
  for (const cut of [all => [all], singly, all => pieces(all, seed)]) {
    const { splitter, found, failure } = split(cut(all), side, connection(state));
    assert.equal(failure, undefined);
    assert.deepEqual(found, expected);
    splitter.finish();
    if (bad === null) continue;
    const faulty = bytes(packets.join("") + bad), broken = split(cut(faulty), side, connection(state));
    assert.deepEqual(broken.found, expected);
    assert(broken.failure);
    assert.throws(() => wire.decode(faulty, side, all.length, ...own), broken.failure);
  }
  for (let end = 0; end <= all.length; end++) {
    const { splitter } = split([all.subarray(0, end)], side, connection(state));
    if (ends.includes(end)) splitter.finish();
    else assert.throws(() => splitter.finish(), error => error.kind === "end_of_stream" && error.path === "");
  }
}

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  check(JSON.parse(line));
  count += 1;
}
console.log(count + " streams");
