// SPDX-License-Identifier: Apache-2.0

extension TypeScriptRuntime {
    /// The functions that check numbers and write them.
    static let writing = #"""
        /** What packets are written into, while nobody does; each is copied out of it. */
        let spare‹: Uint8Array | undefined›;

        /** Bytes that are being written: how far, and in what. */
        ‹interface Writer { b: Uint8Array; p: number; at: Place[]; depth: number }›

        function room(w‹: Writer›, n‹: number›)‹: number› {
          const p = w.p, needed = p + n;
          if (needed > w.b.length) {
            const b = new Uint8Array(Math.max(needed, 2 * w.b.length));
            b.set(w.b.subarray(0, p));
            w.b = b;
          }
          w.p = needed;
          return p;
        }

        function check(w‹: Writer›, v‹: number›, low‹: number›, high‹: number›, f‹: Place›)‹: void› {
          if (!(v >= low && v <= high) || Math.floor(v) !== v) refuse(w, typeof v === "number" ? "out_of_range" : "wrong_type", f);
        }

        function checkWide(w‹: Writer›, v‹: bigint›, low‹: bigint›, high‹: bigint›, f‹: Place›)‹: void› {
          if (typeof v !== "bigint") refuse(w, "wrong_type", f);
          if (v < low || v > high) refuse(w, "out_of_range", f);
        }

        function checkKnown(w‹: Writer›, v‹: number | bigint›, cases‹: readonly (number | bigint)[]›, f‹: Place›)‹: void› {
          if (cases.indexOf(v) < 0) refuse(w, typeof v === typeof cases[0] ? "unknown_case" : "wrong_type", f);
        }

        /** A tag that an arm has: a reader would take the bytes for the value of that arm. */
        function checkTag(w‹: Writer›, v‹: number | bigint›, tags‹: readonly (number | bigint)[]›, f‹: Place›)‹: void› {
          if (tags.indexOf(v) >= 0) refuse(w, "known_case", f);
        }

        function checkFloat(w‹: Writer›, v‹: number›, low‹: number›, high‹: number›, f‹: Place›)‹: void› {
          if (!(v >= low && v <= high)) refuse(w, "float_out_of_range", f);
        }

        function checkBool(w‹: Writer›, v‹: boolean›, f‹: Place›)‹: void› { if (typeof v !== "boolean") refuse(w, "wrong_type", f); }

        function putByte(w‹: Writer›, v‹: number›)‹: void› { const p = room(w, 1); w.b[p] = v; }

        function put2(w‹: Writer›, v‹: number›)‹: void› { const p = room(w, 2); w.b[p] = v >> 8; w.b[p + 1] = v; }

        function put2Little(w‹: Writer›, v‹: number›)‹: void› { const p = room(w, 2); w.b[p] = v; w.b[p + 1] = v >> 8; }

        function put4(w‹: Writer›, v‹: number›)‹: void› { const p = room(w, 4), b = w.b; b[p] = v >> 24; b[p + 1] = v >> 16; b[p + 2] = v >> 8; b[p + 3] = v; }

        function put4Little(w‹: Writer›, v‹: number›)‹: void› { const p = room(w, 4), b = w.b; b[p] = v; b[p + 1] = v >> 8; b[p + 2] = v >> 16; b[p + 3] = v >> 24; }

        /** An integer of up to 6 bytes, in two's complement. */
        function putInt(w‹: Writer›, v‹: number›, n‹: number›, little‹: boolean›)‹: void› {
          const p = room(w, n);
          for (let i = 0; i < n; i++) {
            w.b[little ? p + i : p + n - 1 - i] = v % 256;
            v = Math.floor(v / 256);
          }
        }

        /** An integer of 7 or 8 bytes, in two's complement. */
        function putWide(w‹: Writer›, v‹: bigint›, n‹: number›, little‹: boolean›)‹: void› {
          const high = Number(BigInt.asUintN(32, v >> BigInt(32))), low = Number(BigInt.asUintN(32, v));
          if (little) { putInt(w, low, 4, true); putInt(w, high, n - 4, true); } else { putInt(w, high, n - 4, false); putInt(w, low, 4, false); }
        }

        /** The bits of an integer in so many bits. */
        function twos(v‹: number›, width‹: number›)‹: number› { return v < 0 ? v + Math.pow(2, width) : v; }

        /** A float; a NaN is written as the quiet one. */
        function putFloat(w‹: Writer›, v‹: number›, n‹: number›, little‹: boolean›, f‹: Place›)‹: void› {
          const p = room(w, n);
          if (typeof v !== "number") refuse(w, "wrong_type", f);
          if (n === 4) {
            if (Math.abs(Math.fround(v)) === Infinity && Math.abs(v) !== Infinity) refuse(w, "number_too_large", f);
            floats.setFloat32(0, v);
          } else floats.setFloat64(0, v);
          if (v !== v) floats.setInt32(0, n === 4 ? 0x7fc00000 : 0x7ff80000);
          if (v !== v) floats.setInt32(4, 0);
          for (let i = 0; i < n; i++) w.b[little ? p + n - 1 - i : p + i] = floats.getUint8(i);
        }

        function putVarint(w‹: Writer›, v‹: number›)‹: void› {
          for (; v > 127; v = Math.floor(v / 128)) putByte(w, (v % 128) + 128);
          putByte(w, v);
        }

        function putWideVarint(w‹: Writer›, v‹: bigint›)‹: void› {
          for (; v > BigInt(127); v >>= BigInt(7)) putByte(w, Number(v & BigInt(127)) + 128);
          putByte(w, Number(v));
        }

        function zigzagBits(v‹: number›)‹: number› { return v < 0 ? -2 * v - 1 : 2 * v; }

        function wideZigzagBits(v‹: bigint›)‹: bigint› { return BigInt.asUintN(64, (v << BigInt(1)) ^ (v >> BigInt(63))); }

        function varintSize(v‹: number›)‹: number› {
          let n = 1;
          for (; v > 127; v = Math.floor(v / 128)) n++;
          return n;
        }

        function wideVarintSize(v‹: bigint›)‹: number› {
          let n = 1;
          for (; v > BigInt(127); v >>= BigInt(7)) n++;
          return n;
        }
        """#

    /// The functions that write text and bytes.
    static let writingTexts = #"""
        ‹declare const TextEncoder: (new () => { encodeInto(s: string, b: Uint8Array): { written?: number } }) | undefined;›

        const encoder = /*#__PURE__*/ (() => typeof TextEncoder === "function" && "encodeInto" in TextEncoder.prototype ? new TextEncoder() : undefined)();

        /** Appends UTF-8; returns how many bytes. Half of a surrogate pair is refused, not replaced. */
        function putText(w‹: Writer›, s‹: string›, f‹: Place›)‹: number› {
          if (typeof s !== "string") refuse(w, "wrong_type", f);
          const start = room(w, s.length * 3), b = w.b, n = s.length;
          let p = start, i = 0;
          if (encoder && n > 24) {
            const written = encoder.encodeInto(s, b.subarray(start)).written‹!›;
            if (written > n) for (; i < n; i++) {
              const c = s.charCodeAt(i);
              if (c >= 0xd800 && c < 0xe000 && (c >= 0xdc00 || (s.charCodeAt(++i) & 0xfc00) !== 0xdc00)) refuse(w, "invalid_utf8", f);
            }
            p += written;
          } else for (; i < n; i++) {
            let c = s.charCodeAt(i);
            if (c < 0x80) { b[p++] = c; continue; }
            if (c < 0x800) b[p++] = 0xc0 | (c >> 6);
            else {
              if (c >= 0xd800 && c < 0xe000) {
                const d = s.charCodeAt(++i);
                if (c >= 0xdc00 || (d & 0xfc00) !== 0xdc00) refuse(w, "invalid_utf8", f);
                c = 0x10000 + ((c & 1023) << 10) + (d & 1023);
                b[p++] = 0xf0 | (c >> 18);
                b[p++] = 0x80 | ((c >> 12) & 63);
              } else b[p++] = 0xe0 | (c >> 12);
              b[p++] = 0x80 | ((c >> 6) & 63);
            }
            b[p++] = 0x80 | (c & 63);
          }
          w.p = p;
          return p - start;
        }

        function putBlob(w‹: Writer›, v‹: Uint8Array›, f‹: Place›)‹: number› {
          if (!(v instanceof Uint8Array)) refuse(w, "wrong_type", f);
          const p = room(w, v.length);
          w.b.set(v, p);
          return v.length;
        }

        /** Appends UTF-16; returns how many units. */
        function putUTF16(w‹: Writer›, s‹: string›, little‹: boolean›, f‹: Place›)‹: number› {
          if (typeof s !== "string") refuse(w, "wrong_type", f);
          let p = room(w, 2 * s.length);
          for (let i = 0; i < s.length; i++, p += 2) {
            const c = s.charCodeAt(i);
            const isPair = c >= 0xdc00 ? i > 0 && (s.charCodeAt(i - 1) & 0xfc00) === 0xd800 : i + 1 < s.length && (s.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
            if (c >= 0xd800 && c < 0xe000 && !isPair) refuse(w, "invalid_utf16", f);
            w.b[little ? p + 1 : p] = c >> 8;
            w.b[little ? p : p + 1] = c;
          }
          return s.length;
        }

        function limited(w‹: Writer›, n‹: number›, limit‹: number›, f‹: Place›)‹: number› { return n > limit ? refuse(w, "too_long", f) : n; }

        function notLess(w‹: Writer›, n‹: number›, limit‹: number›, f‹: Place›)‹: number› { return n < limit ? refuse(w, "length_too_small", f) : n; }

        function exactly(w‹: Writer›, n‹: number›, count‹: number›, f‹: Place›)‹: void› { if (n !== count) refuse(w, "wrong_item_count", f); }

        /** Fills what was written with zeros, up to so many bytes. */
        function fillUp(w‹: Writer›, n‹: number›, count‹: number›, f‹: Place›)‹: void› {
          limited(w, n, count, f);
          const p = room(w, count - n);
          w.b.fill(0, p, w.p);
        }

        /** Ends text of so many units, in which there must be no unit of 0. */
        function terminate(w‹: Writer›, n‹: number›, width‹: number›, f‹: Place›)‹: void› {
          for (let i = 1; i <= n; i++) {
            const p = w.p - width * i;
            if (w.b[p] === 0 && w.b[p + width - 1] === 0) refuse(w, "embedded_terminator", f);
          }
          for (let i = 0; i < width; i++) putByte(w, 0);
        }

        /** Fills text with a unit that must not end it; up to a NUL it must not have one. */
        function padText(w‹: Writer›, n‹: number›, count‹: number›, filler‹: number›, width‹: number›, little‹: boolean›, f‹: Place›)‹: void› {
          limited(w, n, count, f);
          for (let i = 1; i <= n; i++) {
            const p = w.p - width * i, c = width === 1 ? w.b[p]‹!› : little ? (w.b[p + 1]‹!› << 8) | w.b[p]‹!› : (w.b[p]‹!› << 8) | w.b[p + 1]‹!›;
            if (c === filler) refuse(w, "embedded_terminator", f);
            if (filler !== 0) break;
          }
          for (let i = n; i < count; i++) if (width === 1) putByte(w, filler); else if (little) put2Little(w, filler); else put2(w, filler);
        }

        function putDigits(w‹: Writer›, s‹: string›, n‹: number›, f‹: Place›)‹: void› {
          if (typeof s !== "string") refuse(w, "wrong_type", f);
          if (/[^0-9]/.test(s)) refuse(w, "invalid_digit", f);
          exactly(w, s.length, 2 * n, f);
          for (let i = 0; i < s.length; i += 2) putByte(w, ((s.charCodeAt(i) & 15) << 4) | (s.charCodeAt(i + 1) & 15));
        }

        function putBytes(w‹: Writer›, v‹: readonly number[]›)‹: void› { for (let i = 0; i < v.length; i++) putByte(w, v[i]‹!›); }

        function putZeros(w‹: Writer›, n‹: number›)‹: void› { const p = room(w, n); w.b.fill(0, p, w.p); }

        /** Writes how many bytes were written into the room in front of them. */
        function putPrefix(w‹: Writer›, width‹: number›, little‹: boolean›, limit‹: number›, f‹: Place›, n‹: number›, bytes‹: number›)‹: void› {
          limited(w, n, limit, f);
          const p = w.p;
          w.p = p - bytes - width;
          putInt(w, n, width, little);
          w.p = p;
        }

        /** The same as LEB128, for which the bytes make room now. */
        function putPrefixVarint(w‹: Writer›, scale‹: number›, limit‹: number›, f‹: Place›, n‹: number›, bytes‹: number›)‹: void› {
          limited(w, n, limit, f);
          insertVarint(w, w.p - bytes, n * scale);
        }

        function putCounted(w‹: Writer›, width‹: number›, little‹: boolean›, limit‹: number›, f‹: Place›, n‹: number›)‹: void› {
          putPrefix(w, width, little, limit, f, n, n);
        }

        function putCountedVarint(w‹: Writer›, scale‹: number›, limit‹: number›, f‹: Place›, n‹: number›)‹: void› {
          putPrefixVarint(w, scale, limit, f, n, n);
        }

        function insertVarint(w‹: Writer›, at‹: number›, v‹: number›)‹: void› {
          const n = varintSize(v), p = room(w, n), end = w.p;
          w.b.copyWithin(at + n, at, p);
          w.p = at;
          putVarint(w, v);
          w.p = end;
        }

        function insertWideVarint(w‹: Writer›, at‹: number›, v‹: bigint›)‹: void› {
          const n = wideVarintSize(v), p = room(w, n), end = w.p;
          w.b.copyWithin(at + n, at, p);
          w.p = at;
          putWideVarint(w, v);
          w.p = end;
        }
        """#

    /// The functions that write lists, properties and what may be absent.
    static let writingValues = #"""
        function checkObject(w‹: Writer›, v‹: unknown›, f‹: Place›)‹: void› { if (typeof v !== "object" || v === null) refuse(w, "wrong_type", f); }

        function sink(w‹: Writer›, f‹: Place›)‹: void› {
          if (w.depth === 0) refuse(w, "too_deep", f);
          w.depth--;
        }

        /** How many items. */
        function countItems‹<T>›(w‹: Writer›, v‹: readonly T[]›, limit‹: number›, f‹: Place›)‹: number› {
          if (!Array.isArray(v)) refuse(w, "wrong_type", f);
          return limited(w, v.length, limit, f);
        }

        function each‹<T>›(w‹: Writer›, v‹: readonly T[]›, f‹: Place›, write‹: (w: Writer, v: T, f: Place) => void›)‹: void› {
          w.at.push(f);
          for (let i = 0; i < v.length; i++) write(w, v[i]‹!›, i);
          w.at.pop();
        }

        /** Items, and the byte that ends them; none begins with it. */
        function eachUntil‹<T>›(w‹: Writer›, v‹: readonly T[]›, stop‹: number›, f‹: Place›, write‹: (w: Writer, v: T, f: Place) => void›)‹: void› {
          w.at.push(f);
          for (let i = 0; i < v.length; i++) {
            const p = w.p;
            write(w, v[i]‹!›, i);
            if (w.b[p] === stop) refuse(w, "embedded_terminator", i);
          }
          putByte(w, stop);
          w.at.pop();
        }

        function putProperties(w‹: Writer›, v‹: ReadonlyMap<string, string>›, f‹: Place›)‹: number› {
          if (!(v instanceof Map)) refuse(w, "wrong_type", f);
          const start = w.p;
          v.forEach((value, key) => {
            if (typeof key !== "string" || typeof value !== "string") refuse(w, "wrong_type", f);
            if (key === "" || /[:\n]/.test(key) || /\n/.test(value)) refuse(w, "invalid_property", f);
            if (w.p > start) putByte(w, 10);
            putText(w, key, f);
            putByte(w, 58);
            putText(w, value, f);
          });
          return limited(w, w.p - start, 65535, f);
        }

        /** Whether a condition holds; a value is set exactly then. */
        function present(w‹: Writer›, v‹: unknown›, holds‹: boolean›, f‹: Place›)‹: boolean› {
          if ((v !== undefined && v !== null) !== holds) refuse(w, "presence", f);
          return holds;
        }

        function isSet‹<T>›(v‹: T | undefined›)‹: v is T› { return v !== undefined && v !== null; }

        /** The first field of several that is not set, where nothing that is set may follow. */
        function gap(w‹: Writer›, before‹: string | undefined›, v‹: unknown›, f‹: string›)‹: string | undefined› {
          if (!isSet(v)) return before === undefined ? f : before;
          return before === undefined ? before : refuse(w, "gap_before_optional", before);
        }

        function putTrailing(w‹: Writer›, v‹: Uint8Array | undefined›, before‹: string | undefined›, f‹: string›)‹: void› {
          if (!isSet(v)) return;
          if (putBlob(w, v, f) > 0 && before !== undefined) refuse(w, "gap_before_optional", before);
        }

        /** The count of several fields, which must be the same. */
        function agreed(w‹: Writer›, before‹: number | undefined›, n‹: number›, f‹: Place›)‹: number› {
          return before !== undefined && before !== n ? refuse(w, "wrong_item_count", f) : n;
        }
        """#
}
