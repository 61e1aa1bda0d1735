// SPDX-License-Identifier: Apache-2.0

/// Inflates streams (RFC 1950, 1951, 1952), with zlib's verdicts.
///
/// Wireshark's own `uncompress` has no limit, takes any of the three formats for any other one, does not compare gzip's
/// checksum, and tells neither that a stream is cut nor how many bytes follow it. So the dissector inflates itself, which
/// also needs no Wireshark with zlib: 3 to 6 MB of content in a second (tshark 4.0 with Lua 5.2).
extension WiresharkRuntime {
    static let inflating = #"""
        -- MARK: Inflating

        -- What is wrong with a stream is thrown as one of these.
        local CUT, DAMAGED, TOO_LONG = { "cut" }, { "damaged" }, { "too long" }
        local inflate

        -- A block, because Lua allows a file only 200 local names.
        do
            local POWERS = { [0] = 1 }
            for index = 1, 32 do POWERS[index] = 2 * POWERS[index - 1] end

            -- A stream of bits: those of a byte begin with its lowest one.
            local function new_stream(data)
                return { data = data, at = 0, hold = 0, count = 0 }
            end

            local function take_number(stream, count)
                while stream.count < count do
                    local byte = string.byte(stream.data, stream.at + 1)
                    if not byte then error(CUT, 0) end
                    stream.at = stream.at + 1
                    stream.hold = stream.hold + byte * POWERS[stream.count]
                    stream.count = stream.count + 8
                end
                local power = POWERS[count]
                local number = stream.hold % power
                stream.hold = (stream.hold - number) / power
                stream.count = stream.count - count
                return number
            end

            -- What was made of a stream: the last bytes are kept as numbers, because later ones may repeat them.
            local WINDOW = 32768

            local function new_content(limit)
                return { count = 0, limit = limit, kept = 0, pieces = {} }
            end

            local function keep_pieces(content)
                local from, last = content.kept % WINDOW, (content.count - 1) % WINDOW
                if content.kept == content.count then return end
                while from <= last do
                    local to = math.min(from + 4095, last)
                    content.pieces[#content.pieces + 1] = string.char(unpack(content, from, to))
                    from = to + 1
                end
                content.kept = content.count
            end

            local function append(content, byte)
                if content.count == content.limit then error(TOO_LONG, 0) end
                content[content.count % WINDOW] = byte
                content.count = content.count + 1
                if content.count % WINDOW == 0 then keep_pieces(content) end
            end

            -- Makes a code (RFC 1951 §3.2.2). Its symbols are found by a 1 and the bits of the symbol's code after it. Only codes
            -- of literals and distances may be incomplete, and only if their single code has one bit.
            local function make_code(lengths, first, count, may_be_incomplete)
                local counts, starts, code = {}, {}, { most = 65536 }
                for length = 0, 15 do counts[length] = 0 end
                for index = first, first + count - 1 do counts[lengths[index]] = counts[lengths[index]] + 1 end
                if counts[0] == count then return { most = 2, is_empty = true } end
                local left, start, longest = 1, 0, 0
                for length = 1, 15 do
                    left = 2 * left - counts[length]
                    if left < 0 then error(DAMAGED, 0) end
                    starts[length] = start + POWERS[length]
                    start = 2 * (start + counts[length])
                    if counts[length] > 0 then longest = length end
                end
                if left > 0 then
                    if not may_be_incomplete or longest > 1 then error(DAMAGED, 0) end
                    code.most = 2
                end
                for symbol = 0, count - 1 do
                    local length = lengths[first + symbol]
                    if length > 0 then
                        code[starts[length]] = symbol
                        starts[length] = starts[length] + 1
                    end
                end
                return code
            end

            local function take_symbol(stream, code)
                local found, hold, count = 1, stream.hold, stream.count
                -- One bit is enough to find out that it is none of an incomplete code.
                while found < code.most do
                    if count == 0 then
                        hold = string.byte(stream.data, stream.at + 1)
                        if not hold then error(CUT, 0) end
                        stream.at = stream.at + 1
                        count = 8
                    end
                    local bit = hold % 2
                    found, hold, count = 2 * found + bit, (hold - bit) / 2, count - 1
                    local symbol = code[found]
                    if symbol then
                        stream.hold, stream.count = hold, count
                        return symbol
                    end
                end
                error(DAMAGED, 0)
            end

            -- What lengths and distances begin with, and how many bits are added (RFC 1951 §3.2.5).
            local LENGTHS, LENGTH_BITS, DISTANCES, DISTANCE_BITS = { [285] = 258 }, { [285] = 0 }, {}, {}
            do
                local base = 3
                for symbol = 257, 284 do
                    LENGTH_BITS[symbol] = symbol < 265 and 0 or floor((symbol - 261) / 4)
                    LENGTHS[symbol], base = base, base + POWERS[LENGTH_BITS[symbol]]
                end
                base = 1
                for symbol = 0, 29 do
                    DISTANCE_BITS[symbol] = symbol < 4 and 0 or floor(symbol / 2) - 1
                    DISTANCES[symbol], base = base, base + POWERS[DISTANCE_BITS[symbol]]
                end
            end

            local FIXED
            local function fixed_codes()
                if not FIXED then
                    local lengths, distances = {}, {}
                    for symbol = 0, 287 do
                        lengths[symbol] = symbol < 144 and 8 or symbol < 256 and 9 or symbol < 280 and 7 or 8
                    end
                    for symbol = 0, 31 do distances[symbol] = 5 end
                    FIXED = { make_code(lengths, 0, 288), make_code(distances, 0, 32) }
                end
                return FIXED[1], FIXED[2]
            end

            local LENGTH_ORDER = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 }

            -- The codes of a block that brings its own (RFC 1951 §3.2.7).
            local function own_codes(stream)
                local literals, distances = take_number(stream, 5) + 257, take_number(stream, 5) + 1
                local count = take_number(stream, 4) + 4
                if literals > 286 or distances > 30 then error(DAMAGED, 0) end
                local lengths = {}
                for symbol = 0, 18 do lengths[symbol] = 0 end
                for index = 1, count do lengths[LENGTH_ORDER[index]] = take_number(stream, 3) end
                local code = make_code(lengths, 0, 19)
                -- zlib reads a length of 0 then.
                if code.is_empty then code = { [2] = 0, [3] = 0, most = 2 } end
                lengths = {}
                local known = 0
                while known < literals + distances do
                    local length, times = take_symbol(stream, code), 1
                    if length == 16 then
                        times = 3 + take_number(stream, 2)
                        if known == 0 then error(DAMAGED, 0) end
                        length = lengths[known - 1]
                    elseif length == 17 then
                        length, times = 0, 3 + take_number(stream, 3)
                    elseif length == 18 then
                        length, times = 0, 11 + take_number(stream, 7)
                    end
                    if known + times > literals + distances then error(DAMAGED, 0) end
                    for index = known, known + times - 1 do lengths[index] = length end
                    known = known + times
                end
                -- Without a code for the end of the block.
                if lengths[256] == 0 then error(DAMAGED, 0) end
                return make_code(lengths, 0, literals, true), make_code(lengths, literals, distances, true)
            end

            local function inflate_coded(stream, content, literals, distances)
                while true do
                    local symbol = take_symbol(stream, literals)
                    if symbol == 256 then return end
                    if symbol < 256 then
                        append(content, symbol)
                    else
                        if not LENGTHS[symbol] then error(DAMAGED, 0) end
                        local length = LENGTHS[symbol] + take_number(stream, LENGTH_BITS[symbol])
                        symbol = take_symbol(stream, distances)
                        if not DISTANCES[symbol] then error(DAMAGED, 0) end
                        local distance = DISTANCES[symbol] + take_number(stream, DISTANCE_BITS[symbol])
                        if distance > content.count then error(DAMAGED, 0) end
                        for _ = 1, length do append(content, content[(content.count - distance) % WINDOW]) end
                    end
                end
            end

            local function inflate_stored(stream, content)
                stream.hold, stream.count = 0, 0
                local count, inverse = take_number(stream, 16), take_number(stream, 16)
                if count + inverse ~= 65535 then error(DAMAGED, 0) end
                for _ = 1, count do append(content, take_number(stream, 8)) end
            end

            local function inflate_blocks(stream, content)
                local is_last
                repeat
                    is_last = take_number(stream, 1) == 1
                    local kind = take_number(stream, 2)
                    if kind == 0 then
                        inflate_stored(stream, content)
                    elseif kind == 1 then
                        inflate_coded(stream, content, fixed_codes())
                    elseif kind == 2 then
                        inflate_coded(stream, content, own_codes(stream))
                    else
                        error(DAMAGED, 0)
                    end
                until is_last
                -- The rest of the last byte.
                stream.hold, stream.count = 0, 0
                keep_pieces(content)
            end

            -- What the three formats have around the blocks.
            local inflate_format = { deflate = inflate_blocks }

            local function adler32(pieces)
                local low, high = 1, 0
                for _, piece in ipairs(pieces) do
                    for index = 1, #piece do
                        low = (low + string.byte(piece, index)) % 65521
                        high = (high + low) % 65521
                    end
                end
                return high * 65536 + low
            end

            function inflate_format.zlib(stream, content)
                local method, flags = take_number(stream, 8), take_number(stream, 8)
                -- A window of 32 KiB at most.
                if (256 * method + flags) % 31 ~= 0 or method % 16 ~= 8 or method > 0x78 then error(DAMAGED, 0) end
                -- A dictionary, which nobody has.
                if flags % 64 >= 32 then
                    take_number(stream, 32)
                    error(DAMAGED, 0)
                end
                inflate_blocks(stream, content)
                local sum = 0
                for _ = 1, 4 do sum = 256 * sum + take_number(stream, 8) end
                if sum ~= adler32(content.pieces) then error(DAMAGED, 0) end
            end

            local function pass_text(stream)
                repeat until take_number(stream, 8) == 0
            end

            function inflate_format.gzip(stream, content)
                if take_number(stream, 16) ~= 0x8B1F then error(DAMAGED, 0) end
                local method, flags = take_number(stream, 8), take_number(stream, 8)
                if method ~= 8 or flags >= 32 then error(DAMAGED, 0) end
                for _ = 1, 6 do take_number(stream, 8) end
                local function has(flag) return floor(flags / flag) % 2 == 1 end
                if has(4) then
                    for _ = 1, take_number(stream, 16) do take_number(stream, 8) end
                end
                if has(8) then pass_text(stream) end
                if has(16) then pass_text(stream) end
                if has(2) then
                    local sum = crc32(stream.data, 0, stream.at) % 65536
                    if take_number(stream, 16) ~= sum then error(DAMAGED, 0) end
                end
                inflate_blocks(stream, content)
                local whole = table.concat(content.pieces)
                if take_number(stream, 16) + 65536 * take_number(stream, 16) ~= crc32(whole, 0, #whole) then
                    error(DAMAGED, 0)
                end
                if take_number(stream, 16) + 65536 * take_number(stream, 16) ~= content.count % TWO_32 then
                    error(DAMAGED, 0)
                end
            end

            -- Inflates a stream. Returns what it contains, the number of bytes after it, and what is wrong with it.
            function inflate(format, data, limit)
                local stream, content = new_stream(data), new_content(limit)
                local is_good, fault = pcall(inflate_format[format], stream, content)
                if not is_good and type(fault) ~= "table" then error(fault, 0) end
                keep_pieces(content)
                return table.concat(content.pieces), #data - stream.at, not is_good and fault or nil
            end
        end

        """#
}
