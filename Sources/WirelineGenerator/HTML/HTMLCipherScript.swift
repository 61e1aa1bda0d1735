// SPDX-License-Identifier: Apache-2.0

/// The block cipher of AES (FIPS 197), as the module wants it: at once.
///
/// Browsers have AES with promises, in secure pages only, and Chromium without keys of 24 bytes. A page reads few packets, so these
/// functions need not be fast: 1 MiB takes about a tenth of a second.
enum HTMLCipherScript {
    static let aes = #"""
        const doubled = x => (x << 1 ^ (x & 128 ? 0x11b : 0)) & 255;
        const product = (x, k) => k === 0 ? 0 : (k & 1 ? x : 0) ^ product(doubled(x), k >> 1);
        const times = Object.fromEntries([1, 2, 3, 9, 11, 13, 14].map(k => [k, Uint8Array.from({ length: 256 }, (_, x) => product(x, k))]));
        const substitutes = new Uint8Array(256), originals = new Uint8Array(256);
        // p takes all values but 0, and q is its inverse.
        for (let p = 1, q = 1, i = 0; i < 255; i++) {
          const x = q * 0x0101;
          const s = (x ^ x >> 7 ^ x >> 6 ^ x >> 5 ^ x >> 4 ^ 0x63) & 255;
          substitutes[p] = s;
          p ^= doubled(p);
          q ^= q << 1;
          q ^= q << 2;
          q = (q ^ q << 4) & 255;
          if (q & 128) q ^= 9;
        }
        substitutes[0] = 0x63;
        substitutes.forEach((s, x) => { originals[s] = x; });

        // The key of each round, of the key that was used last.
        const rounds = { key: undefined, keys: undefined };

        function roundKeys(key) {
          if (rounds.key === key) return rounds.keys;
          const n = key.length, keys = new Uint8Array(16 * (n / 4 + 7));
          keys.set(key);
          for (let p = n, constant = 1; p < keys.length; p += 4) {
            let word = keys.slice(p - 4, p);
            if (p % n === 0) {
              word = Uint8Array.of(word[1], word[2], word[3], word[0]).map(x => substitutes[x]);
              word[0] ^= constant;
              constant = doubled(constant);
            } else if (n === 32 && p % n === 16) word = word.map(x => substitutes[x]);
            for (let i = 0; i < 4; i++) keys[p + i] = keys[p + i - n] ^ word[i];
          }
          Object.assign(rounds, { key, keys });
          return keys;
        }

        function aes(key, blocks, encrypts) {
          const keys = roundKeys(key), last = keys.length / 16 - 1, out = Uint8Array.from(blocks), s = new Uint8Array(16);
          const box = encrypts ? substitutes : originals, step = encrypts ? 5 : 13, [a, b, c, d] = (encrypts ? [2, 3, 1, 1] : [14, 11, 13, 9]).map(k => times[k]);
          const add = (p, round) => { for (let i = 0; i < 16; i++) out[p + i] ^= keys[16 * round + i]; };
          const mix = p => {
            for (let i = p; i < p + 16; i += 4) {
              const w = out[i], x = out[i + 1], y = out[i + 2], z = out[i + 3];
              out[i] = a[w] ^ b[x] ^ c[y] ^ d[z];
              out[i + 1] = d[w] ^ a[x] ^ b[y] ^ c[z];
              out[i + 2] = c[w] ^ d[x] ^ a[y] ^ b[z];
              out[i + 3] = b[w] ^ c[x] ^ d[y] ^ a[z];
            }
          };
          for (let p = 0; p < out.length; p += 16) {
            add(p, encrypts ? 0 : last);
            for (let round = 1; round <= last; round++) {
              for (let i = 0; i < 16; i++) s[i] = box[out[p + step * i % 16]];
              out.set(s, p);
              if (encrypts && round < last) mix(p);
              add(p, encrypts ? round : last - round);
              if (!encrypts && round < last) mix(p);
            }
          }
          return out;
        }
        """#
}
