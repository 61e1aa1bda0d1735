// SPDX-License-Identifier: Apache-2.0

// Counts how many bytes a splitter copies for a packet of nearly 1 MiB that arrives byte by byte.

import { load } from "./load.mjs";

const wire = await load(process.argv[2]);

let copied = 0;
const set = Uint8Array.prototype.set;
Uint8Array.prototype.set = function (from, at) {
  copied += from.length;
  return set.call(this, from, at);
};

const packet = wire.encodeUnknown(7, new Uint8Array(1000000)), splitter = new wire.PacketSplitter(wire.fromClient);
copied = 0;
let found = 0;
for (let i = 0; i < 2 * packet.length; i++) {
  splitter.push(packet.subarray(i % packet.length, (i % packet.length) + 1));
  if (splitter.next()) found++;
}
// Each byte comes in once, and moves at most twice more on average as the buffer doubles.
console.log(found === 2 && copied < 8 * packet.length ? "linear" : found + " packets, " + copied + " bytes copied");
