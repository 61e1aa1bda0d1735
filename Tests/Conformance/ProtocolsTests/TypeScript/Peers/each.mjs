// SPDX-License-Identifier: Apache-2.0

// Runs programs one after another. Each line of input is one: what it reads, what it writes, its file and its arguments, with tabs
// between.

import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

for (const [number, line] of readFileSync(0, "utf8").trim().split("\n").entries()) {
  const [source, target, program, ...words] = line.split("\t"), texts = [];
  process.argv = [process.argv[0], program, ...words];
  Object.defineProperty(process, "stdin", { value: createReadStream(source), configurable: true });
  process.stdout.write = text => texts.push(text);
  try {
    // Each one is run anew, even if it was run before.
    await import(pathToFileURL(program) + "?" + number);
  } catch (error) {
    texts.push(error.stack + "\n");
  }
  writeFileSync(target, texts.join(""));
}
