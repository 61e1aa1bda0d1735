// SPDX-License-Identifier: Apache-2.0

extension TypeScriptRuntime {
    /// The functions that read text and bytes.
    static let texts = #"""
        ‹declare const TextDecoder: (new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => { decode(b: Uint8Array): string }) | undefined;›

        /** Where the platform has one: it is faster for long texts, and slower for short ones. */
        const decoder = /*#__PURE__*/ (() => typeof TextDecoder === "function" ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }) : undefined)();

        function text(r‹: Reader›, n‹: number›, f‹: Place›)‹: string› { return utf8(r, take(r, n, f), n, f); }

        /** The text in bytes that have been taken. */
        function utf8(r‹: Reader›, p‹: number›, n‹: number›, f‹: Place›)‹: string› {
          const end = p + n, b = r.b;
          let s = "", i = p;
          if (n < 24) {
            while (i < end && b[i]‹!› < 128) s += String.fromCharCode(b[i++]‹!›);
            if (i === end) return s;
          }
          if (decoder) try { return s + decoder.decode(b.subarray(i, end)); } catch (_) { /* The place is looked for below. */ }
          const flaw = utf8Flaw(b, i, end);
          return flaw < 0 ? s + utf8Text(b, i, end) : fail(r, "invalid_utf8", f, flaw);
        }

        /** Where the first byte is that cannot be UTF-8 (Unicode 16, table 3-7); -1 where there is none. */
        function utf8Flaw(b‹: Uint8Array›, i‹: number›, end‹: number›)‹: number› {
          while (i < end) {
            const x = b[i]‹!›;
            if (x < 128) { i++; continue; }
            const n = x >= 0xc2 && x < 0xe0 ? 2 : x >= 0xe0 && x < 0xf0 ? 3 : x >= 0xf0 && x < 0xf5 ? 4 : 0;
            if (n === 0 || i + n > end) return i;
            const y = b[i + 1]‹!›;
            if (y < (x === 0xe0 ? 0xa0 : x === 0xf0 ? 0x90 : 0x80) || y > (x === 0xed ? 0x9f : x === 0xf4 ? 0x8f : 0xbf)) return i;
            for (let k = 2; k < n; k++) if ((b[i + k]‹!› & 0xc0) !== 0x80) return i;
            i += n;
          }
          return -1;
        }

        function utf8Text(b‹: Uint8Array›, i‹: number›, end‹: number›)‹: string› {
          let s = "";
          while (i < end) {
            const x = b[i]‹!›;
            let c = x, n = 1;
            if (x >= 0xf0) { c = x & 7; n = 4; } else if (x >= 0xe0) { c = x & 15; n = 3; } else if (x >= 0xc0) { c = x & 31; n = 2; }
            for (let k = 1; k < n; k++) c = (c << 6) | (b[i + k]‹!› & 63);
            s += c < 0x10000 ? String.fromCharCode(c) : String.fromCharCode(0xd7c0 + (c >> 10), 0xdc00 | (c & 1023));
            i += n;
          }
          return s;
        }

        /** A copy, so that it does not keep the bytes around it. */
        function blob(r‹: Reader›, n‹: number›, f‹: Place›)‹: Uint8Array› { const p = take(r, n, f); return r.b.slice(p, p + n); }

        /** How many bytes there are up to the end. */
        function rest(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› { return atMost(r, r.p, r.end - r.p, most, f); }

        /** How many bytes there are up to a byte of 0. */
        function terminated(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const p = r.p;
          let i = p;
          while (i < r.end && r.b[i] !== 0) i++;
          if (i === r.end) fail(r, "missing_terminator", f, p);
          return atMost(r, p, i - p, most, f);
        }

        /** A value, and the byte of 0 after it. */
        function skip‹<T>›(r‹: Reader›, n‹: number›, v‹: T›)‹: T› { r.p += n; return v; }
        """#

    /// The functions that read text, digits and bytes of fixed width.
    static let fixedTexts = #"""
        /** Text in so many bytes, which the byte `pad` fills. */
        function fixedText(r‹: Reader›, n‹: number›, pad‹: number›, f‹: Place›)‹: string› {
          const p = take(r, n, f), b = r.b;
          let end = p;
          if (pad === 0) while (end < p + n && b[end] !== 0) end++;
          else for (end = p + n; end > p && b[end - 1] === pad;) end--;
          return utf8(r, p, end - p, f);
        }

        /** Two digits in each of so many bytes. */
        function digits(r‹: Reader›, n‹: number›, f‹: Place›)‹: string› {
          const p = take(r, n, f);
          let s = "";
          for (let i = p; i < p + n; i++) {
            const x = r.b[i]‹!›;
            if (x >> 4 > 9 || (x & 15) > 9) fail(r, "invalid_digit", f, i);
            s += String(x >> 4) + String(x & 15);
          }
          return s;
        }

        /** Verifies bytes at `p`, of which only the first ones count. */
        function sameBytes(r‹: Reader›, p‹: number›, expected‹: readonly number[]›, f‹: Place›)‹: void› {
          for (let i = 0; i < expected.length; i++) if (r.b[p + i] !== expected[i]) fail(r, "wrong_constant", f, p + i);
        }
        """#

    /// The functions that read text in UTF-16.
    static let utf16 = #"""
        /** Text of `n` units of 16 bits. */
        function utf16(r‹: Reader›, n‹: number›, little‹: boolean›, f‹: Place›)‹: string› {
          return units(r, take(r, 2 * n, f), n, little, f);
        }

        function unit(b‹: Uint8Array›, p‹: number›, little‹: boolean›)‹: number› {
          return little ? (b[p + 1]‹!› << 8) | b[p]‹!› : (b[p]‹!› << 8) | b[p + 1]‹!›;
        }

        /** Half of a surrogate pair is refused where it stands. */
        function units(r‹: Reader›, p‹: number›, n‹: number›, little‹: boolean›, f‹: Place›)‹: string› {
          let s = "";
          for (let i = 0; i < n; i++) {
            const c = unit(r.b, p + 2 * i, little);
            s += String.fromCharCode(c);
            if (c < 0xd800 || c >= 0xe000) continue;
            const d = c < 0xdc00 && i + 1 < n ? unit(r.b, p + 2 * i + 2, little) : 0;
            if ((d & 0xfc00) !== 0xdc00) fail(r, "invalid_utf16", f, p + 2 * i);
            s += String.fromCharCode(d);
            i++;
          }
          return s;
        }

        /** How many units there are up to the end. */
        function restUnits(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const n = r.end - r.p;
          atMost(r, r.p, Math.floor(n / 2), most, f);
          return n % 2 === 1 ? fail(r, "truncated", f, r.end - 1) : n / 2;
        }

        /** How many units there are up to one of 0. */
        function terminatedUnits(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          let n = 0;
          for (; r.p + 2 * n + 1 < r.end; n++) if (unit(r.b, r.p + 2 * n, false) === 0) return atMost(r, r.p, n, most, f);
          return fail(r, "missing_terminator", f, r.p);
        }

        /** Text in so many bytes, which the unit `pad` fills. */
        function fixedUTF16(r‹: Reader›, bytes‹: number›, pad‹: number›, little‹: boolean›, f‹: Place›)‹: string› {
          const p = take(r, bytes, f);
          let n = 0;
          if (pad === 0) while (2 * n < bytes && unit(r.b, p + 2 * n, little) !== 0) n++;
          else for (n = bytes / 2; n > 0 && unit(r.b, p + 2 * n - 2, little) === pad;) n--;
          return units(r, p, n, little, f);
        }
        """#

    /// The functions that read properties.
    static let values = #"""
        /** Lines of `key:value` up to the end. */
        function properties(r‹: Reader›, strict‹: boolean›, f‹: Place›)‹: Map<string, string>› {
          rest(r, 65535, f);
          const found = new Map‹<string, string>›();
          while (r.p < r.end) {
            const p = r.p;
            let end = p, colon = -1;
            for (; end < r.end && r.b[end] !== 10; end++) if (colon < 0 && r.b[end] === 58) colon = end;
            r.p = Math.min(end + 1, r.end);
            const line = utf8(r, p, end - p, f);
            if (colon <= p) {
              if (strict) fail(r, "invalid_property", f, p);
              if (colon < 0 && end > p) found.set(line, "");
              continue;
            }
            const key = utf8(r, p, colon - p, f);
            if (strict && found.has(key)) fail(r, "duplicate_key", f, p);
            found.set(key, line.slice(key.length + 1));
          }
          return found;
        }
        """#
}
