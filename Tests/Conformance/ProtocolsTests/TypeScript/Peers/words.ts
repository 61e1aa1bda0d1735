// SPDX-License-Identifier: Apache-2.0

// Asks functions of the runtime, at whose end this stands: each line has a word, and the bytes that it gets.
declare const process: { stdout: { write(text: string): void } };
declare function require(name: string): { readFileSync(file: number, encoding: string): string };

const sums: { [word: string]: (b: Uint8Array, from: number, to: number) => number } = {
  crc32, crc32c, adler32, sum8, xor8, crc16_arc, crc16_modbus, crc16_kermit, crc16_x25, crc16_ccitt_false, crc16_xmodem,
};

function answer(word: string, b: Uint8Array): string {
  const sum = sums[word], r = reader(b, 0, b.length);
  if (sum) return String(sum(b, 0, b.length));
  switch (word) {
    case "varint": return String(varint(r, 5, "f"));
    case "zigzag": return String(zigzag(r, 5, "f"));
    case "f16": return String(value16(b[0]! * 256 + b[1]!) * 16777216);
    default: return Array.from(unescape(encodeURIComponent(text(r, b.length, "f"))), c => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  }
}

for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
  const [word, digits] = line.split(" ") as [string, string];
  try {
    process.stdout.write(answer(word, Uint8Array.from(digits.match(/../g)!, pair => parseInt(pair, 16))) + "\n");
  } catch (error) {
    process.stdout.write((error as WireError).kind + "\n");
  }
}
