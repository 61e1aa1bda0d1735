// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";

/** Loads a module with ECMAScript's `export`, which Node takes for an older one by its name. */
export function load(path) {
  return import("data:text/javascript;base64," + readFileSync(path).toString("base64"));
}
