// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// The parts for fields of the packet that are there only if a condition holds; empty for packets without them.
    struct Presence {
        let mayBeAbsent: Bool
        /// The bytes of a field of fixed width, which is called `other`.
        let otherByteCount: String
        /// Whether a header has no limit, because bytes that are there end it.
        let mayBeBounded: Bool

        private func part(_ text: String) -> String { mayBeAbsent ? text : "" }

        /// Goes over the fields of a list that are there, as soon as the values before each are known.
        func fields(_ list: String) -> String { mayBeAbsent ? "present(reader, \(list))" : "ipairs(\(list))" }

        /// The bytes of the trailer, as far as they are known.
        var trailerSize: String {
            mayBeAbsent ? "(reader.trailer_size or layout.trailer_size)" : "layout.trailer_size"
        }

        /// Tells which fields are there.
        var testing: String {
            #"""
            local NOTHING = { kind = { "integer", width = 0 } }

            local function is_there(reader, field)
                return not field.when or holds(field.when, reader.values)
            end

            local function present(reader, list)
                local index = 0
                return function()
                    repeat index = index + 1 until not list[index] or is_there(reader, list[index])
                    return list[index] and index, list[index]
                end
            end

            local function least_width(other)
                return other.kind[1] == "varint" and 1 or \#(otherByteCount)
            end

            """#
        }

        /// The line that replaces an absent field called `other`.
        var skippingAbsent: String { part("if not is_there(reader, other) then other = NOTHING end\n        ") }

        /// Checks the lengths before a field again, once it is known to be there.
        var makingRoom: String {
            part(
                #"""
                local function make_room(reader, field, lengths, header_size)
                    if not field.when then return header_size end
                    header_size = header_size + least_width(field)
                    local at = reader.at
                    for _, length in ipairs(lengths) do
                        reader.at = length.after
                        packet_size(reader, length.field, length.high, length.low, length.at, header_size, nil, false)
                    end
                    reader.at = at
                    return header_size
                end


                """#)
        }

        /// The line before the fields of a header.
        var beginning: String { part("local lengths = {}\n    reader.values, reader.trailer_size = {}, nil\n    ") }

        /// The line before a field that is there.
        var room: String { part("header_size = make_room(reader, field, lengths, header_size)\n        ") }

        /// The line after a field that was read.
        var noting: String { part("reader.values[field.name] = { high, low }\n        ") }

        /// The line after a length that was read.
        var keepingLength: String {
            part(
                "lengths[#lengths + 1] = { field = field, high = high, low = low, at = at, after = reader.at }\n"
                    + "            ")
        }

        /// The lines after the last field of a header.
        var measuringTrailer: String {
            part(
                """
                reader.trailer_size = layout.trailer_size
                        for _, field in present(reader, layout.trailer) do
                            if field.when then reader.trailer_size = reader.trailer_size + least_width(field) end
                        end

                """ + "        ")
        }

        /// The lines for a header in which no length is there: the payload is empty.
        var limitingHeader: String {
            part(
                """
                    if \(mayBeBounded ? "layout.limit and " : "")not size and header_size + reader.trailer_size > layout.limit then
                            fail(reader, "packet_too_long", "length " .. hexadecimal(0, header_size + reader.trailer_size)
                                .. " is over the limit of " .. layout.limit, "")
                        end

                """ + "    ")
        }
    }
}
