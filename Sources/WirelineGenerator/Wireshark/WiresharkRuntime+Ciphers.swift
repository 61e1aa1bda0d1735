// SPDX-License-Identifier: Apache-2.0

/// `layer xor(key)` and `layer rc4(key)`.
extension WiresharkRuntime {
    static let ciphers = #"""
        -- MARK: Ciphers

        local xored, new_keystream, use_keystream, saved_keystreams, restored_keystreams

        do
            -- Combines bytes with those that a function returns, one after another.
            local function combined(data, next_byte)
                if not XOR then make_crc_table() end
                local pieces = {}
                for from = 1, #data, 4096 do
                    local bytes = { string.byte(data, from, math.min(from + 4095, #data)) }
                    for index = 1, #bytes do bytes[index] = xor_byte(bytes[index], next_byte()) end
                    pieces[#pieces + 1] = string.char(unpack(bytes))
                end
                return table.concat(pieces)
            end

            -- The key starts anew with each packet.
            function xored(data, key)
                local at = 0
                return combined(data, function()
                    at = at % #key + 1
                    return string.byte(key, at)
                end)
            end

            -- A keystream of RC4 goes on from packet to packet: a permutation of all bytes, and two places in it.
            function new_keystream(key)
                local stream, other = { index = 0, other = 0 }, 0
                for value = 0, 255 do stream[value] = value end
                for index = 0, 255 do
                    other = (other + stream[index] + string.byte(key, index % #key + 1)) % 256
                    stream[index], stream[other] = stream[other], stream[index]
                end
                return stream
            end

            function use_keystream(stream, data)
                local index, other = stream.index, stream.other
                local content = combined(data, function()
                    index = (index + 1) % 256
                    local first = stream[index]
                    other = (other + first) % 256
                    local second = stream[other]
                    stream[index], stream[other] = second, first
                    return stream[(first + second) % 256]
                end)
                stream.index, stream.other, stream.saved = index, other, nil
                return content
            end

            -- One direction's keystreams, by the positions of their layers, so that they cost little to keep for each packet.
            function saved_keystreams(streams)
                local saved = {}
                for layer, stream in pairs(streams) do
                    if stream ~= "lost" and not stream.saved then
                        stream.saved = string.char(stream.index, stream.other, unpack(stream, 0, 255))
                    end
                    saved[layer] = stream == "lost" and stream or stream.saved
                end
                return saved
            end

            function restored_keystreams(saved)
                local streams = {}
                for layer, text in pairs(saved) do
                    if text == "lost" then
                        streams[layer] = text
                    else
                        local stream = { index = string.byte(text, 1), other = string.byte(text, 2) }
                        for value = 0, 255 do stream[value] = string.byte(text, value + 3) end
                        streams[layer] = stream
                    end
                end
                return streams
            end
        end

        -- After a layer that could not be opened, or a packet that could not be found, nobody knows how far the keystreams
        -- inside of it have come.
        local function lose_keystreams(context, layer)
            for _, index in ipairs(protocol.keystreams) do
                if index > layer or protocol.has_packets then context.keystreams[index] = "lost" end
            end
        end

        """#
}
