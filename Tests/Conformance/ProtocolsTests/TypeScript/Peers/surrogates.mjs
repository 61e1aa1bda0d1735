// SPDX-License-Identifier: Apache-2.0

// Writes half of a surrogate pair in both encodings.

import { load } from "./load.mjs";

const wire = await load(process.argv[2]);

for (const write of [
  () => wire.encode(wire.WideGrown, { first: 1, code: "\udc00" }),
  () => wire.encode(wire.Hidden, { password: "\ud800", userName: "", unused: 0, place: undefined }),
]) {
  try {
    write();
    console.log("nothing is refused");
  } catch (error) {
    console.log(error.kind, error.path);
  }
}
