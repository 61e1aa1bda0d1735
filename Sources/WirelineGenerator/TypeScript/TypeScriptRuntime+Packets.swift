// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct TypeScriptRuntimeParameters {
    /// The bytes that the longest header has.
    var lead = 0
    var maximumDepth = 32
    var maximumPacketByteCount = 1 << 20
    /// Whether some integers are beyond 53 bits, and so of the type `bigint`.
    var hasWideIntegers = true
    /// The forms of varints that are read.
    var varintForms = VarintForms.shortest
    /// The type of a message's ID.
    var idType = "number"
    /// Whether messages have `@since` fields, which a program may leave out.
    var hasDefaults = false
    /// Whether the sender of a packet to write must be known.
    var dependsOnSender = false
    /// Whether packets depend on a connection.
    var hasConnection = false
    /// Whether messages change states of the connection.
    var changesStates = true
    /// Whether conditions of messages look at the header.
    var looksAtHeader = false
    /// Whether messages fix fields of the header.
    var fixesHeader = false
    /// The marks around packets.
    var framing: PacketFraming?

    /// What of packets with layers depends on the schema; nil without layers.
    var layers: TypeScriptLayerParameters?

    /// The type of a packet that was read.
    var received: String { layers?.hasPackets == true ? "P | Unknown | Packets<P>" : "P | Unknown" }

    /// Whether a program may say who sends a packet to write.
    var takesSender: Bool { dependsOnSender || hasConnection }
}

extension TypeScriptRuntime {
    /// The functions that take packets apart and check what is around a payload.
    static func packets(_ parameters: TypeScriptRuntimeParameters) -> String {
        #"""
        /** What stands around a payload. */
        ‹interface Unwrapped { id: \#(parameters.idType); header: Header; byteCount: number\#(parameters.fixesHeader ? "; at: readonly number[]" : "") }›

        function reject(kind‹: string›, offset‹: number›)‹: never› { throw new WireError(kind, "", offset); }

        /** The bytes of the whole packet, by one of its lengths. */
        function packetSize(length‹: number›, difference‹: number›, least‹: number›, offset‹: number›\#(parameters.layers == nil ? "" : ", most = \(parameters.maximumPacketByteCount)"))‹: number› {
          const size = length + difference;
          if (size < least) reject("length_too_small", offset);
          return size > \#(parameters.layers == nil ? "\(parameters.maximumPacketByteCount)" : "most") ? reject("packet_too_long", offset) : size;
        }

        function sameSize(r‹: Reader›, size‹: number›, other‹: number›, f‹: Place›, offset‹: number›)‹: number› {
          return size === other ? size : fail(r, "length_mismatch", f, r.start + offset);
        }

        /** Whether bytes of the header are there; if the packet is known to end before them, they are missing. */
        function arrived(r‹: Reader›, n‹: number›, f‹: Place›)‹: boolean› {
          if (r.end - r.p >= n) return true;
          return r.end < r.last ? false : fail(r, "truncated", f, r.p);
        }

        /** Whether a varint of the header is there, or cannot be one. */
        function varintArrived(r‹: Reader›, n‹: number›)‹: boolean› {
          for (let i = 0; i < n; i++) {
            if (r.p + i >= r.end) return r.end >= r.last;
            if (r.b[r.p + i]‹!› < 128) return true;
          }
          return true;
        }

        /** Lets nothing be read after the packet's end. */
        function bound(r‹: Reader›, size‹: number›)‹: void› {
          r.last = Math.min(r.last, r.start + size);
          r.end = Math.min(r.end, r.last);
        }

        /** The reader at a place that has been read. */
        function reread(r‹: Reader›, p‹: number›)‹: Reader› {
          r.p = p;
          return r;
        }

        function checkLength(w‹: Writer›, v‹: number›, low‹: number›, high‹: number›, f‹: Place›)‹: void› {
          if (v > high) refuse(w, "packet_too_long", f);
          if (v < low) refuse(w, "length_too_small", f);
        }

        function refuseHeader(w‹: Writer›, kind‹: string›, f‹: Place›)‹: never› {
          w.at.push("packet");
          return refuse(w, kind, f);
        }

        function clamped(v‹: number›, low‹: number›, high‹: number›)‹: number› { return typeof v === "number" ? Math.min(high, Math.max(low, v)) : 0; }

        function clampedWide(v‹: bigint›, low‹: bigint›, high‹: bigint›)‹: bigint› { return typeof v !== "bigint" ? BigInt(0) : v < low ? low : v > high ? high : v; }

        /** Whether lengths cannot hold a packet, so that another form of the header may. */
        function doesNotFit(error‹: unknown›)‹: boolean› {
          return error instanceof WireError && /^(packet_too_long|length_too_small|invalid_message_id)$/.test(error.kind);
        }

        /** A copy of bytes in which some are zeros. */
        function zeroed(b‹: Uint8Array›, from‹: number›, to‹: number›, ...zeros‹: number[]›)‹: Uint8Array› {
          const copy = b.slice(from, to);
          for (let i = 0; i < zeros.length; i += 2) copy.fill(0, zeros[i]‹!› - from, zeros[i]‹!› - from + zeros[i + 1]‹!›);
          return copy;
        }
        """#
    }

    /// The functions that compute checksums of bytes.
    static let checksums = #"""
        /** The remainders of each byte, by polynomial. */
        const tables‹: { [polynomial: number]: Int32Array }› = {};

        function table(polynomial‹: number›)‹: Int32Array› {
          const old = tables[polynomial];
          if (old) return old;
          const made = new Int32Array(256);
          for (let i = 0; i < 256; i++) {
            let x = i;
            for (let k = 0; k < 8; k++) x = x & 1 ? (x >>> 1) ^ polynomial : x >>> 1;
            made[i] = x;
          }
          return tables[polynomial] = made;
        }

        /** A CRC whose bytes begin with the least significant bit. */
        function reflectedCRC(b‹: Uint8Array›, from‹: number›, to‹: number›, polynomial‹: number›, start‹: number›)‹: number› {
          const t = table(polynomial);
          let x = start;
          for (let i = from; i < to; i++) x = (x >>> 8) ^ t[(x ^ b[i]‹!›) & 255]‹!›;
          return x;
        }

        /** A CRC of 16 bits whose bytes begin with the most significant bit. */
        function ccitt(b‹: Uint8Array›, from‹: number›, to‹: number›, start‹: number›)‹: number› {
          let x = start;
          for (let i = from; i < to; i++) {
            x ^= b[i]‹!› << 8;
            for (let k = 0; k < 8; k++) x = (x & 0x8000 ? (x << 1) ^ 0x1021 : x << 1) & 0xffff;
          }
          return x;
        }

        function crc32(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return ~reflectedCRC(b, from, to, 0xedb88320, -1) >>> 0; }

        function crc32c(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return ~reflectedCRC(b, from, to, 0x82f63b78, -1) >>> 0; }

        function crc16_arc(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return reflectedCRC(b, from, to, 0xa001, 0); }

        function crc16_modbus(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return reflectedCRC(b, from, to, 0xa001, 0xffff); }

        function crc16_kermit(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return reflectedCRC(b, from, to, 0x8408, 0); }

        function crc16_x25(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return reflectedCRC(b, from, to, 0x8408, 0xffff) ^ 0xffff; }

        function crc16_ccitt_false(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return ccitt(b, from, to, 0xffff); }

        function crc16_xmodem(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› { return ccitt(b, from, to, 0); }

        function adler32(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› {
          let x = 1, y = 0;
          for (let i = from; i < to; i++) { x = (x + b[i]‹!›) % 65521; y = (y + x) % 65521; }
          return y * 65536 + x;
        }

        function sum8(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› {
          let x = 0;
          for (let i = from; i < to; i++) x = (x + b[i]‹!›) & 255;
          return x;
        }

        function xor8(b‹: Uint8Array›, from‹: number›, to‹: number›)‹: number› {
          let x = 0;
          for (let i = from; i < to; i++) x ^= b[i]‹!›;
          return x;
        }
        """#
}
