// SPDX-License-Identifier: Apache-2.0

// Checks that a part of a message, which is not read, sets no state, whatever its ID; and that the message does.

import assert from "node:assert/strict";
import { load } from "./load.mjs";

const wire = await load(process.argv[2]);
const [sender, receiver] = [new wire.Connection(), new wire.Connection()];

function sent(id, payload, kind) {
  const packet = wire.encodeUnknown(BigInt(id), payload, { kind }, wire.fromClient, sender);
  return wire.decode(packet, wire.fromClient, 0, receiver).name;
}

assert.equal(sent(2, Uint8Array.of(1), 8), null);
assert.deepEqual([sender.states, receiver.states], [{}, {}]);
assert.equal(sent(2, new Uint8Array(0), 0), "Pause");
assert.deepEqual([sender.states, receiver.states], [{ phase: 1 }, { phase: 1 }]);

console.log("as expected");
