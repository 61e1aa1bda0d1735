// SPDX-License-Identifier: Apache-2.0

extension TypeScriptRuntime {
    /// The transforms of layers: XOR, RC4, the modes of AES over a function for its blocks, and what the program gives.
    static let transforms = #"""
        function unavailable(n‹: number›, needed‹: string›)‹: never› {
          const error = new WireError("layer_unavailable", transforms[n]‹!›.path);
          error.message += ": it needs " + needed;
          throw error;
        }

        function layerKey(work‹: Work›, name‹: string›, n‹: number›)‹: Uint8Array› {
          return work.connection.keys.get(senderName(work.server) + name) || unavailable(n, "connection.setKey(\"" + name + "\", \u2026)");
        }

        /** A layer of the program: one for each side. */
        function layerOf(name‹: string›, n‹: number›, work‹: Work›)‹: Layer› {
          const place = senderName(work.server) + name, old = work.connection.made.get(place);
          if (old) return old;
          const makers = (work.connection.options.layers || {})‹ as { readonly [name: string]: ((from: "client" | "server") => Layer) | undefined }›;
          const make = Object.prototype.hasOwnProperty.call(makers, name) ? makers[name] : undefined;
          if (!make) return unavailable(n, "new Connection({ layers: { " + name + ": \u2026 } })");
          const layer = make(work.server ? "server" : "client");
          work.connection.made.set(place, layer);
          return layer;
        }

        function byProgram‹<T>›(n‹: number›, call‹: () => T›)‹: T› {
          try {
            return call();
          } catch (error) {
            throw new WireError(error instanceof WireError ? error.kind : "invalid_layer", transforms[n]‹!›.path);
          }
        }

        /** What a function of the program has returned: a promise is not, for example. */
        function givenBytes(b‹: Uint8Array›)‹: Uint8Array› {
          if (!(b instanceof Uint8Array)) throw new TypeError("a layer must return a Uint8Array");
          return b;
        }

        function openedByProgram(b‹: Uint8Array›, h‹: Header›, name‹: string›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const layer = layerOf(name, n, work), content = byProgram(n, () => layer.open(b, h, work.left));
          if (content === undefined) throw new WireError("inflated_too_long", transforms[n]‹!›.path);
          return givenBytes(content);
        }

        function sealedByProgram(b‹: Uint8Array›, h‹: Header›, name‹: string›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const layer = layerOf(name, n, work);
          return givenBytes(byProgram(n, () => layer.seal(b, h)));
        }

        function xorKey(b‹: Uint8Array›, key‹: Uint8Array›)‹: Uint8Array› { return b.map((x, i) => x ^ key[i % key.length]‹!›); }

        /** The keystream goes on from packet to packet. */
        function rc4(b‹: Uint8Array›, key‹: Uint8Array›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const place = senderName(work.server) + n, held = work.streams.get(place), s = new Uint8Array(256), out = new Uint8Array(b.length);
          let i = 0, j = 0;
          if (typeof held === "object") {
            s.set(held.s);
            i = held.i;
            j = held.j;
          } else {
            for (let x = 0; x < 256; x++) s[x] = x;
            for (let x = 0; x < 256; x++) {
              const v = s[x]‹!›;
              j = (j + v + key[x % key.length]‹!›) & 255;
              s[x] = s[j]‹!›;
              s[j] = v;
            }
            j = 0;
          }
          for (let p = 0; p < b.length; p++) {
            i = (i + 1) & 255;
            const x = s[i]‹!›;
            j = (j + x) & 255;
            const y = s[j]‹!›;
            s[i] = y;
            s[j] = x;
            out[p] = b[p]‹!› ^ s[(x + y) & 255]‹!›;
          }
          work.streams.set(place, { s, i, j });
          return out;
        }

        function aesBlocks(blocks‹: Uint8Array›, key‹: Uint8Array›, encrypts‹: boolean›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const aes = work.connection.options.aes || unavailable(n, "new Connection({ aes: \u2026 })"), out = givenBytes(aes(key, blocks, encrypts));
          if (out.length !== blocks.length) throw new TypeError("aes must return as many bytes as it is given");
          return out;
        }

        /** The keystream of counters from `start` on, of which some bytes were used before. */
        function aesCounters(b‹: Uint8Array›, key‹: Uint8Array›, start‹: Uint8Array›, used‹: number›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const skipped = used % 16, counters = new Uint8Array(16 * Math.ceil((skipped + b.length) / 16));
          for (let p = 0; p < counters.length; p += 16) {
            let carry = Math.floor(used / 16) + p / 16;
            for (let i = 15; i >= 0; i--) {
              const sum = start[i]‹!› + carry;
              counters[p + i] = sum % 256;
              carry = Math.floor(sum / 256);
            }
          }
          const stream = aesBlocks(counters, key, true, n, work);
          return b.map((x, i) => x ^ stream[skipped + i]‹!›);
        }

        /** The keystream goes on from packet to packet. */
        function aesLasting(b‹: Uint8Array›, key‹: Uint8Array›, start‹: Uint8Array›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const place = senderName(work.server) + n, held = work.streams.get(place), used = typeof held === "number" ? held : 0;
          work.streams.set(place, used + b.length);
          return aesCounters(b, key, start, used, n, work);
        }

        function openCBC(b‹: Uint8Array›, key‹: Uint8Array›, start‹: Uint8Array›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          if (b.length === 0 || b.length % 16 !== 0) throw new WireError("invalid_layer", transforms[n]‹!›.path);
          const plain = aesBlocks(b, key, false, n, work).map((x, i) => x ^ (i < 16 ? start[i]‹!› : b[i - 16]‹!›));
          const count = plain[plain.length - 1]‹!›, size = plain.length - count;
          if (count < 1 || count > 16 || plain.subarray(size).some(x => x !== count)) throw new WireError("invalid_layer", transforms[n]‹!›.path);
          return plain.subarray(0, size);
        }

        function sealCBC(b‹: Uint8Array›, key‹: Uint8Array›, start‹: Uint8Array›, n‹: number›, work‹: Work›)‹: Uint8Array› {
          const count = 16 - b.length % 16, out = new Uint8Array(b.length + count);
          out.set(b);
          out.fill(count, b.length);
          let before = start;
          for (let p = 0; p < out.length; p += 16) {
            const last = before, block = out.subarray(p, p + 16);
            block.set(aesBlocks(block.map((x, i) => x ^ last[i]‹!›), key, true, n, work));
            before = block;
          }
          return out;
        }
        """#
}
