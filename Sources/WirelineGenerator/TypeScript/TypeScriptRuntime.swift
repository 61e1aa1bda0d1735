// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime of generated TypeScript, in pieces: see ``RuntimeText``.
///
/// Readers throw a `WireError` with the path of the names that they are in (`r.at`) and of the field `f`, and the offset.
enum TypeScriptRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: TypeScriptRuntimeParameters, _ form: TypeScriptForm = .module) -> RuntimeText {
        let all = [
            api(parameters), parameters.layers.map { layers(parameters, $0) } ?? "", errors, states, reading, numbers,
            texts, fixedTexts, utf16, values, packets(parameters),
            checksums,
            writing, writingTexts, writingValues, frames(parameters),
        ]
        var text = form.text(of: all.joined(separator: "\n\n"))
        // The word does not occur where no field is that wide.
        if !parameters.hasWideIntegers { text = text.replacing(" | bigint", with: "") }
        if parameters.varintForms == .any {
            text = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.contains("varint_not_shortest") }.joined(separator: "\n")
        }
        return RuntimeText(text, lineComment: "//", name: declaredName)
    }

    /// The names of all pieces, which a schema's types and constants cannot have.
    static let names = text(TypeScriptRuntimeParameters()).names

    /// The names of all pieces of a module with layers.
    static let namesWithLayers: Set<String> = {
        var parameters = TypeScriptRuntimeParameters()
        parameters.hasConnection = true
        parameters.layers = TypeScriptLayerParameters()
        return text(parameters).names
    }()

    private static func declaredName(_ line: Substring) -> String? {
        var words = line.split(separator: " ")[...]
        while let first = words.first, ["export", "declare", "abstract"].contains(first) { words = words.dropFirst() }
        guard let kind = words.first, ["function", "const", "let", "class", "interface", "type"].contains(kind),
            let name = words.dropFirst().first
        else { return nil }
        return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    static let errors = #"""
        /** Why bytes are no packet of this protocol, or why a value cannot be written. */
        export class WireError extends Error {
          /** What is wrong, in one word: `truncated`, `out_of_range`, `invalid_utf8`, … */
          ‹readonly kind: string;›
          /** The field, in the schema's names: `Sc_20001.items[1].count`. Empty where no field is to blame. */
          ‹readonly path: string;›
          /** Bytes from the packet's first one. Undefined where a value could not be written. */
          ‹readonly offset: number | undefined;›
          constructor(kind‹: string›, path‹: string›, offset‹?: number›) {
            super((path ? path + ": " : "") + kind + (offset === undefined ? "" : " at offset " + offset));
            Object.setPrototypeOf(this, WireError.prototype);
            this.name = "WireError";
            this.kind = kind;
            this.path = path;
            this.offset = offset;
          }
        }

        ‹type Place = string | number;›

        /**
         * Bytes that are being read: where, up to where, where their packet begins, where it ends as far as that is known,
         * how many bytes it must have before it is worth another try, and in what.
         */
        ‹interface Reader { readonly b: Uint8Array; p: number; end: number; readonly start: number; last: number; wanted: number; readonly at: Place[]; depth: number }›

        «function seen_at(r, from, value, f) {
          r.parts.push({ path: pathOf(r.at.concat(f)), depth: r.at.length, from: from - r.start, to: r.p - r.start, value });
          return value;
        }»

        «function seen_bytes(r, from, f) {
          seen_at(r, from, undefined, f);
          return from;
        }»

        function pathOf(at‹: readonly Place[]›)‹: string› {
          return at.reduce‹<string>›((path, step) => path + (typeof step === "number" ? "[" + step + "]" : path ? "." + step : step), "");
        }

        function fail(r‹: Reader›, kind‹: string›, f‹: Place | undefined›, p‹: number›)‹: never› {
          throw new WireError(kind, pathOf(f === undefined ? r.at : r.at.concat(f)), p - r.start);
        }

        function refuse(w‹: Writer›, kind‹: string›, f‹?: Place›)‹: never› {
          throw new WireError(kind, pathOf(f === undefined ? w.at : w.at.concat(f)));
        }
        """#

    static let reading = #"""
        function take(r‹: Reader›, n‹: number›, f‹: Place›)‹: number› {
          const p = r.p;
          if (r.end - p < n) fail(r, "truncated", f, p);
          r.p = p + n;
          return p;
        }

        function ended(r‹: Reader›)‹: void› { if (r.p < r.end) fail(r, "trailing_bytes", undefined, r.p); }

        /** Goes into a value; deeper than the limit is an error. */
        function deeper(r‹: Reader›, f‹: Place›)‹: void› {
          if (r.depth === 0) fail(r, "too_deep", f, r.p);
          r.depth--;
        }

        /** Goes into so many bytes; returns where those around them end. */
        function inside(r‹: Reader›, n‹: number›, f‹: Place›)‹: number› {
          const end = r.end, p = take(r, n, f);
          r.p = p;
          r.end = p + n;
          return end;
        }

        /** Leaves such bytes; what is left of them is skipped. */
        function outside(r‹: Reader›, end‹: number›)‹: void› {
          r.p = r.end;
          r.end = end;
        }

        function sized‹<T>›(r‹: Reader›, n‹: number›, f‹: Place›, read‹: (r: Reader, f: Place) => T›)‹: T› {
          const end = inside(r, n, f), v = read(r, f);
          outside(r, end);
          return v;
        }

        /** So many items. Room is made for each when it has been read, and never for those that are only announced. */
        function list‹<T>›(r‹: Reader›, n‹: number›, f‹: Place›, read‹: (r: Reader, f: Place) => T›)‹: T[]› {
          const items‹: T[]› = [];
          r.at.push(f);
          for (let i = 0; i < n; i++) items.push(read(r, i));
          r.at.pop();
          return items;
        }

        /** Items up to the end of the bytes. */
        function listToEnd‹<T>›(r‹: Reader›, most‹: number›, f‹: Place›, read‹: (r: Reader, f: Place) => T›)‹: T[]› {
          const items‹: T[]› = [];
          r.at.push(f);
          while (r.p < r.end) {
            if (items.length >= most) fail(r, "too_long", undefined, r.p);
            items.push(read(r, items.length));
          }
          r.at.pop();
          return items;
        }

        /** Items up to a byte where an item would begin. */
        function listUntil‹<T>›(r‹: Reader›, stop‹: number›, most‹: number›, f‹: Place›, read‹: (r: Reader, f: Place) => T›)‹: T[]› {
          const items‹: T[]› = [];
          r.at.push(f);
          for (;;) {
            if (r.p >= r.end) fail(r, "truncated", undefined, r.p);
            if (r.b[r.p] === stop) break;
            if (items.length >= most) fail(r, "too_long", undefined, r.p);
            items.push(read(r, items.length));
          }
          r.p++;
          r.at.pop();
          return items;
        }

        /** A count that a prefix at `p` has. */
        function atMost(r‹: Reader›, p‹: number›, n‹: number›, most‹: number›, f‹: Place›)‹: number› {
          return n > most ? fail(r, "too_long", f, p) : n;
        }

        /** A count by an earlier field. */
        function counted(r‹: Reader›, n‹: number›, most‹: number›, f‹: Place›)‹: number› {
          if (n < 0) fail(r, "length_too_small", f, r.p);
          return n > most ? fail(r, "too_long", f, r.p) : n;
        }

        function countVarint(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const p = r.p, n = varint(r, 5, f);
          if (n > 4294967295) fail(r, "varint_too_long", f, p);
          return n > most ? fail(r, "too_long", f, p) : n;
        }

        /** A count with a sign, of a prefix at `p`; -1 where the value is absent. */
        function countOrAbsent(r‹: Reader›, p‹: number›, n‹: number›, most‹: number›, f‹: Place›)‹: number› {
          if (n < -1) fail(r, "out_of_range", f, p);
          return n > most ? fail(r, "too_long", f, p) : n;
        }

        function countZigzag(r‹: Reader›, f‹: Place›)‹: number› {
          const n = countVarint(r, 4294967295, f);
          return n % 2 === 1 ? -(n + 1) / 2 : n / 2;
        }
        """#

    static let numbers = #"""
        function u8(r‹: Reader›, f‹: Place›)‹: number› { return r.b[take(r, 1, f)]‹!›; }

        function i8(r‹: Reader›, f‹: Place›)‹: number› { return u8(r, f) << 24 >> 24; }

        function u16(r‹: Reader›, f‹: Place›)‹: number› { const p = take(r, 2, f); return (r.b[p]‹!› << 8) | r.b[p + 1]‹!›; }

        function u16Little(r‹: Reader›, f‹: Place›)‹: number› { const p = take(r, 2, f); return (r.b[p + 1]‹!› << 8) | r.b[p]‹!›; }

        function i16(r‹: Reader›, f‹: Place›)‹: number› { return u16(r, f) << 16 >> 16; }

        function i16Little(r‹: Reader›, f‹: Place›)‹: number› { return u16Little(r, f) << 16 >> 16; }

        function i32(r‹: Reader›, f‹: Place›)‹: number› {
          const p = take(r, 4, f), b = r.b;
          return (b[p]‹!› << 24) | (b[p + 1]‹!› << 16) | (b[p + 2]‹!› << 8) | b[p + 3]‹!›;
        }

        function i32Little(r‹: Reader›, f‹: Place›)‹: number› {
          const p = take(r, 4, f), b = r.b;
          return (b[p + 3]‹!› << 24) | (b[p + 2]‹!› << 16) | (b[p + 1]‹!› << 8) | b[p]‹!›;
        }

        function u32(r‹: Reader›, f‹: Place›)‹: number› { return i32(r, f) >>> 0; }

        function u32Little(r‹: Reader›, f‹: Place›)‹: number› { return i32Little(r, f) >>> 0; }

        /** An unsigned integer of up to 6 bytes. */
        function uint(r‹: Reader›, n‹: number›, little‹: boolean›, f‹: Place›)‹: number› {
          const p = take(r, n, f);
          let v = 0;
          for (let i = 0; i < n; i++) v = v * 256 + r.b[little ? p + n - 1 - i : p + i]‹!›;
          return v;
        }

        /** An integer with a sign, of up to 6 bytes. */
        function sint(r‹: Reader›, n‹: number›, little‹: boolean›, f‹: Place›)‹: number› {
          const v = uint(r, n, little, f), most = Math.pow(2, 8 * n - 1);
          return v < most ? v : v - 2 * most;
        }

        /** Known to compilers whose library is older than 2020, too. */
        ‹declare const BigInt: { (v: number | string): bigint; asIntN(width: number, v: bigint): bigint; asUintN(width: number, v: bigint): bigint };›

        /** An unsigned integer of 7 or 8 bytes. */
        function wide(r‹: Reader›, n‹: number›, little‹: boolean›, f‹: Place›)‹: bigint› {
          const p = take(r, n, f), b = r.b;
          let high = 0, low = 0;
          for (let i = 0; i < n; i++) {
            const x = b[little ? p + n - 1 - i : p + i]‹!›;
            if (i < n - 4) high = high * 256 + x; else low = low * 256 + x;
          }
          return (BigInt(high) << BigInt(32)) + BigInt(low);
        }

        /** Known to compilers without the library of browsers, too. */
        const floats = /*#__PURE__*/ new DataView(/*#__PURE__*/ new ArrayBuffer(8));

        function f32(r‹: Reader›, little‹: boolean›, f‹: Place›)‹: number› {
          floats.setInt32(0, little ? i32Little(r, f) : i32(r, f));
          return floats.getFloat32(0);
        }

        function f64(r‹: Reader›, little‹: boolean›, f‹: Place›)‹: number› {
          const p = take(r, 8, f);
          for (let i = 0; i < 8; i++) floats.setUint8(little ? 7 - i : i, r.b[p + i]‹!›);
          return floats.getFloat64(0);
        }

        function bool(r‹: Reader›, f‹: Place›)‹: boolean› {
          const x = u8(r, f);
          return x > 1 ? fail(r, "invalid_boolean", f, r.p - 1) : x === 1;
        }

        /** A number that was read at `p`. */
        function within‹<T extends number | bigint>›(r‹: Reader›, p‹: number›, v‹: T›, low‹: T›, high‹: T›, f‹: Place›)‹: T› {
          return v >= low && v <= high ? v : fail(r, "out_of_range", f, p);
        }

        /** A float that was read at `p`; a NaN is in no range. */
        function floatWithin(r‹: Reader›, p‹: number›, v‹: number›, low‹: number›, high‹: number›, f‹: Place›)‹: number› {
          return v >= low && v <= high ? v : fail(r, "float_out_of_range", f, p);
        }

        /** A number of an enum without others. */
        function known‹<T extends number | bigint>›(r‹: Reader›, p‹: number›, v‹: number | bigint›, cases‹: readonly T[]›, f‹: Place›)‹: T› {
          return cases.indexOf(v‹ as T›) >= 0 ? v‹ as T› : fail(r, "unknown_case", f, p);
        }

        function constant(r‹: Reader›, p‹: number›, v‹: number | bigint | boolean›, expected‹: number | bigint | boolean›, f‹: Place›)‹: void› {
          if (v !== expected) fail(r, "wrong_constant", f, p);
        }

        /** Unsigned LEB128 of at most so many bytes, up to 7. */
        function varint(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const p = r.p;
          let v = 0, scale = 1;
          for (let i = 0; ; i++, scale *= 128) {
            if (i === most) fail(r, "varint_too_long", f, p);
            if (p + i >= r.end) fail(r, "truncated", f, p);
            const x = r.b[p + i]‹!›;
            if (x === 0 && i > 0) fail(r, "varint_not_shortest", f, p);
            v += (x & 127) * scale;
            if (x < 128) { r.p = p + i + 1; return v; }
          }
        }

        /** Unsigned LEB128 of at most so many bytes and 64 bits. */
        function wideVarint(r‹: Reader›, most‹: number›, f‹: Place›)‹: bigint› {
          const p = r.p;
          let low = 0, high = 0, scale = 1;
          for (let i = 0; ; i++, scale *= 128) {
            if (i === most) fail(r, "varint_too_long", f, p);
            if (p + i >= r.end) fail(r, "truncated", f, p);
            const x = r.b[p + i]‹!›;
            if (i === 9 && x > 1) fail(r, "varint_too_long", f, p);
            if (x === 0 && i > 0) fail(r, "varint_not_shortest", f, p);
            if (i === 5) scale = 1;
            if (i < 5) low += (x & 127) * scale; else high += (x & 127) * scale;
            if (x < 128) { r.p = p + i + 1; return (BigInt(high) << BigInt(35)) + BigInt(low); }
          }
        }

        function varint32(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const p = r.p, v = varint(r, most, f);
          return v > 4294967295 ? fail(r, "varint_too_long", f, p) : v | 0;
        }

        function zigzag(r‹: Reader›, most‹: number›, f‹: Place›)‹: number› {
          const v = varint(r, most, f);
          return v % 2 === 1 ? -(v + 1) / 2 : v / 2;
        }

        function wideZigzag(r‹: Reader›, most‹: number›, f‹: Place›)‹: bigint› {
          const v = wideVarint(r, most, f), half = v >> BigInt(1);
          return (v & BigInt(1)) === BigInt(1) ? -half - BigInt(1) : half;
        }

        /** Bits of fields that share bytes; above 32 bits `>>>` would lose some. */
        function bits(run‹: number›, shift‹: number›, width‹: number›)‹: number› {
          return Math.floor(run / Math.pow(2, shift)) % Math.pow(2, width);
        }

        function signedBits(run‹: number›, shift‹: number›, width‹: number›)‹: number› {
          const v = bits(run, shift, width), most = Math.pow(2, width - 1);
          return v < most ? v : v - 2 * most;
        }

        /** Whether two numbers of up to 53 bits have a bit in common. */
        function shares(a‹: number›, b‹: number›)‹: boolean› {
          return (a & b) !== 0 || (Math.floor(a / 4294967296) & Math.floor(b / 4294967296)) !== 0;
        }
        """#
}
