// SPDX-License-Identifier: Apache-2.0

// Runs a WebAssembly program with Node's own WASI: node --no-warnings run.mjs PROGRAM < INPUT

import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport }));
