// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PythonRuntime {
    /// The transforms of the layers of a schema: zlib of the standard library, XOR, RC4, the modes of AES, and what the program gives.
    static func transforms(_ plan: LayerPlan) -> String {
        var texts: [String] = []
        if !plan.keys.isEmpty { texts.append(keys) }
        if plan.hasZlib { texts.append(zlib) }
        let words = Set(plan.kinds.map(\.word))
        if plan.hasAES || words.contains("xor") { texts.append(xor) }
        if words.contains("rc4") { texts.append(rc4) }
        if words.contains("aes_ctr") { texts.append(aesCTR) }
        if words.contains("aes_cbc") { texts.append(aesCBC) }
        if !plan.programLayers.isEmpty { texts.append(byProgram) }
        return texts.joined(separator: "\n\n")
    }

    private static let keys = #"""
        def _key(work: _Work, name: str, n: int) -> bytes:
            key = work.connection._keys.get((work.sender, name))
            if key is None:
                raise WireError("layer_unavailable", _NAMES[n])
            return key

        """#

    private static let zlib = #"""
        def _inflated(b: bytes, bits: int, n: int, work: _Work) -> bytes:
            """The content of one whole stream; no more than the limit is made."""
            stream = zlib.decompressobj(bits)
            try:
                content = stream.decompress(b, work.left + 1)
            except zlib.error:
                raise WireError("invalid_layer", _NAMES[n]) from None
            if len(content) > work.left:
                raise WireError("inflated_too_long", _NAMES[n])
            if not stream.eof:
                raise WireError("invalid_layer", _NAMES[n])
            if stream.unused_data:
                raise WireError("trailing_bytes", _NAMES[n])
            return content


        def _deflated(b: bytes, bits: int, work: _Work) -> bytes:
            stream = zlib.compressobj(work.connection.zlib_level, zlib.DEFLATED, bits)
            return stream.compress(b) + stream.flush()

        """#

    private static let xor = #"""
        def _xor(b: bytes, stream: bytes) -> bytes:
            """Bytes XOR others, of which there are as many or more."""
            return (int.from_bytes(b, "big") ^ int.from_bytes(stream[:len(b)], "big")).to_bytes(len(b), "big")


        def _xor_key(b: bytes, key: bytes) -> bytes:
            return _xor(b, key * (len(b) // len(key) + 1))

        """#

    private static let rc4 = #"""
        def _rc4(b: bytes, key: bytes, n: int, work: _Work) -> bytes:
            """The keystream goes on from packet to packet."""
            place = (work.sender, n)
            if place in work.streams:
                held, i, j = work.streams[place]
                s = bytearray(held)
            else:
                s, i, j = bytearray(range(256)), 0, 0
                for i in range(256):
                    j = (j + s[i] + key[i % len(key)]) & 255
                    s[i], s[j] = s[j], s[i]
                i = j = 0
            o = bytearray(b)
            for p, v in enumerate(b):
                i = (i + 1) & 255
                x = s[i]
                j = (j + x) & 255
                y = s[j]
                s[i], s[j] = y, x
                o[p] = v ^ s[(x + y) & 255]
            work.streams[place] = (bytes(s), i, j)
            return bytes(o)

        """#

    private static let aesCTR = #"""
        def _aes_ctr(b: bytes, key: bytes, start: bytes, used: int, work: _Work) -> bytes:
            """The keystream of counters from `start` on, of which some bytes were used before."""
            skipped = used % 16
            first = int.from_bytes(start, "big") + used // 16
            blocks = (skipped + len(b) + 15) // 16
            counters = b"".join(((first + i) & ((1 << 128) - 1)).to_bytes(16, "big") for i in range(blocks))
            return _xor(b, work.connection.aes(key, counters, True)[skipped:]) if b else b


        def _aes_ctr_lasting(b: bytes, key: bytes, start: bytes, n: int, work: _Work) -> bytes:
            """The keystream goes on from packet to packet."""
            used = work.streams.get((work.sender, n), 0)
            work.streams[work.sender, n] = used + len(b)
            return _aes_ctr(b, key, start, used, work)

        """#

    private static let aesCBC = #"""
        def _opened_aes_cbc(b: bytes, key: bytes, start: bytes, n: int, work: _Work) -> bytes:
            if len(b) == 0 or len(b) % 16 != 0:
                raise WireError("invalid_layer", _NAMES[n])
            content = _xor(work.connection.aes(key, b, False), start + b)
            count = content[-1]
            if not 1 <= count <= 16 or content[-count:] != bytes((count,)) * count:
                raise WireError("invalid_layer", _NAMES[n])
            return content[:-count]


        def _sealed_aes_cbc(b: bytes, key: bytes, start: bytes, work: _Work) -> bytes:
            count = 16 - len(b) % 16
            b += bytes((count,)) * count
            blocks = [start]
            for p in range(0, len(b), 16):
                blocks.append(work.connection.aes(key, _xor(b[p:p + 16], blocks[-1]), True))
            return b"".join(blocks[1:])

        """#

    private static let byProgram = #"""
        def _layer(name: str, work: _Work) -> Any:
            """A layer of the program: one for each sender."""
            if (work.sender, name) not in work.connection._layers:
                work.connection._layers[work.sender, name] = work.connection._makers[name](work.sender)
            return work.connection._layers[work.sender, name]


        def _opened_by_program(b: bytes, header: Mapping[str, Any], name: str, n: int, work: _Work) -> bytes:
            try:
                content = _layer(name, work).open(b, header, work.left)
            except WireError as error:
                raise WireError(error.kind, _NAMES[n]) from None
            except ValueError:
                raise WireError("invalid_layer", _NAMES[n]) from None
            if content is None:
                raise WireError("inflated_too_long", _NAMES[n])
            return bytes(content)


        def _sealed_by_program(b: bytes, header: Mapping[str, Any], name: str, n: int, work: _Work) -> bytes:
            try:
                return bytes(_layer(name, work).seal(b, header))
            except ValueError:
                raise WireError("invalid_layer", _NAMES[n]) from None

        """#
}
