// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LuaRuntime {
    /// The transforms of the layers of a schema: XOR, RC4, the modes of AES, and what the program gives.
    static func transforms(_ plan: LayerPlan) -> String {
        let words = Set(plan.kinds.map(\.word))
        var texts = [refusing]
        if !plan.keys.isEmpty { texts += [keys, xor] }
        if words.contains("xor") { texts.append(xorKey) }
        if words.contains("rc4") { texts.append(rc4) }
        if plan.hasAES { texts.append(aes) }
        if words.contains("aes_ctr") { texts.append(aesCTR) }
        if words.contains("aes_cbc") { texts.append(aesCBC) }
        if !plan.layersOfProgram.isEmpty { texts.append(byProgram) }
        return texts.joined(separator: "\n\n")
    }

    private static let refusing = #"""
        function layered.refuse_layer(kind, n) error(fault(kind, layered.names[n]), 0) end

        -- Something that the program has not given to the connection.
        function layered.unavailable(n, missing)
          local e = fault("layer_unavailable", layered.names[n])
          e.missing = missing
          error(e, 0)
        end
        """#

    private static let keys = #"""
        function layered.key_of(name, n, work)
          return work.connection.keys[work.sender][name] or layered.unavailable(n, "keys." .. name)
        end
        """#

    private static let xor = #"""
        -- The exclusive or of two bytes as a character. A row is made when its byte first comes.
        layered.xor_rows = {}

        function layered.xor_row(a)
          local row = {}
          for b = 0, 255 do row[b] = char(exclusive(a, b)) end
          layered.xor_rows[a] = row
          return row
        end

        -- Bytes that are made in pieces: a table of all of them would take many times as much memory.
        function layered.in_pieces(count, fill)
          local pieces = {}
          for first = 1, count, 4096 do
            local parts = {}
            fill(parts, first, math.min(first + 4095, count))
            pieces[#pieces + 1] = concat(parts)
          end
          return concat(pieces)
        end

        -- Bytes with the exclusive or of others, of which there are as many or more.
        function layered.xor(s, stream)
          local rows, row_of = layered.xor_rows, layered.xor_row
          return layered.in_pieces(#s, function(parts, first, last)
            for p = first, last do
              local a = byte(stream, p)
              parts[p - first + 1] = (rows[a] or row_of(a))[byte(s, p)]
            end
          end)
        end
        """#

    private static let xorKey = #"""
        function layered.xor_key(s, key) return layered.xor(s, rep(key, floor(#s / #key) + 1)) end
        """#

    private static let rc4 = #"""
        -- The keystream goes on from packet to packet.
        function layered.rc4(s, key, n, work)
          local rows, row_of = layered.xor_rows, layered.xor_row
          local held, box, i, j = work.streams[n], {}, 0, 0
          if held then
            for k = 0, 255 do box[k] = held.box[k] end
            i, j = held.i, held.j
          else
            for k = 0, 255 do box[k] = k end
            for k = 0, 255 do
              j = (j + box[k] + byte(key, k % #key + 1)) % 256
              box[k], box[j] = box[j], box[k]
            end
            j = 0
          end
          local t = layered.in_pieces(#s, function(parts, first, last)
            for p = first, last do
              i = (i + 1) % 256
              local x = box[i]
              j = (j + x) % 256
              local y = box[j]
              box[i], box[j] = y, x
              local a = box[(x + y) % 256]
              parts[p - first + 1] = (rows[a] or row_of(a))[byte(s, p)]
            end
          end)
          work.streams[n] = { box = box, i = i, j = j }
          return t
        end
        """#

    private static let aes = #"""
        -- Blocks of 16 bytes, each encrypted or decrypted for itself.
        function layered.aes_blocks(key, blocks, encrypts, n, work)
          local aes = work.connection.aes or layered.unavailable(n, "aes")
          return aes(key, blocks, encrypts)
        end
        """#

    private static let aesCTR = #"""
        -- The keystream of counters from the first one on, of which some bytes were used before.
        function layered.aes_ctr(s, key, first, used, n, work)
          if s == "" then return s end
          local a, b, c, d = unpack(">I4I4I4I4", first, 1)
          local blocks, skipped = {}, used % 16
          d = d + floor(used / 16)
          for i = 1, floor((skipped + #s + 15) / 16) do
            c, d = c + floor(d / 4294967296), d % 4294967296
            b, c = b + floor(c / 4294967296), c % 4294967296
            a, b = (a + floor(b / 4294967296)) % 4294967296, b % 4294967296
            blocks[i] = pack(">I4I4I4I4", a, b, c, d)
            d = d + 1
          end
          return layered.xor(s, sub(layered.aes_blocks(key, concat(blocks), true, n, work), skipped + 1))
        end

        -- The keystream goes on from packet to packet.
        function layered.aes_ctr_lasting(s, key, first, n, work)
          local used = work.streams[n] or 0
          work.streams[n] = used + #s
          return layered.aes_ctr(s, key, first, used, n, work)
        end
        """#

    private static let aesCBC = #"""
        function layered.opened_aes_cbc(s, key, first, n, work)
          if s == "" or #s % 16 ~= 0 then layered.refuse_layer("invalid_layer", n) end
          local t = layered.xor(layered.aes_blocks(key, s, false, n, work), first .. s)
          local filler = byte(t, -1)
          if filler < 1 or filler > 16 or sub(t, -filler) ~= rep(char(filler), filler) then layered.refuse_layer("invalid_layer", n) end
          return sub(t, 1, -filler - 1)
        end

        function layered.sealed_aes_cbc(s, key, first, n, work)
          local filler, blocks = 16 - #s % 16, {}
          s = s .. rep(char(filler), filler)
          for p = 1, #s, 16 do
            first = layered.aes_blocks(key, layered.xor(sub(s, p, p + 15), first), true, n, work)
            blocks[#blocks + 1] = first
          end
          return concat(blocks)
        end
        """#

    private static let byProgram = #"""
        -- A layer of the program: one for each sender.
        function layered.layer_of(name, n, work)
          local own = work.connection.layers[work.sender]
          if not own[name] then
            local make = work.connection.makers[name] or layered.unavailable(n, "layers." .. name)
            own[name] = make(work.sender)
          end
          return own[name]
        end

        function layered.opened_by_program(s, header, name, n, work)
          local content, kind = layered.layer_of(name, n, work):open(s, header, work.left)
          if content then return content end
          layered.refuse_layer((kind == "inflated_too_long" or kind == "trailing_bytes") and kind or "invalid_layer", n)
        end

        function layered.sealed_by_program(s, header, name, n, work)
          return layered.layer_of(name, n, work):seal(s, header) or layered.refuse_layer("invalid_layer", n)
        end
        """#
}
