// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Preferences with the states of a new connection, and with keys.
    ///
    /// A value that cannot be used is not taken: packets say so in a note.
    struct Preferences {
        let hasStates: Bool
        let hasKeys: Bool

        private var areUsed: Bool { hasStates || hasKeys }

        static let declaringNote = #"""
            declare_expert("note", "wrong_preference", "A preference that cannot be used", expert.group.PROTOCOL,
                expert.severity.WARN)
            """#

        /// Declares the note about values that cannot be used.
        var declaringNote: String? { areUsed ? Self.declaringNote : nil }

        /// Declares and reads them.
        var text: String? {
            guard areUsed else { return nil }
            let shared = """
                -- MARK: Preferences

                -- What is wrong with the preferences.
                local wrong_preferences = {}


                """
            return shared + (hasStates ? states : "") + (hasKeys ? keys : "")
        }

        /// The lines that read them after a change.
        var reading: String {
            guard areUsed else { return "" }
            return "wrong_preferences = {}\n    " + (hasStates ? "read_states()\n    " : "")
                + (hasKeys ? "read_keys()\n    " : "")
        }

        /// The line that tells what is wrong with them.
        var telling: String {
            areUsed
                ? "for _, text in ipairs(wrong_preferences) do tree:add_proto_expert_info(faults.wrong_preference, text) end\n    "
                : ""
        }

        private var states: String {
            #"""
            local initial_outcomes, read_states

            do
                -- For each state, which of its tests hold on a new connection.
                local initial = {}

                function initial_outcomes()
                    local outcomes = {}
                    for index, state in ipairs(protocol.states) do outcomes[index] = initial[index] or state.zero end
                    return outcomes
                end

                local function outcomes_of(state, number)
                    local outcomes = 0
                    for _, test in ipairs(state.tests) do
                        if compare[test[1]](number[1], number[2], test[2]) then outcomes = outcomes + test[3] end
                    end
                    return outcomes
                end

                for _, state in ipairs(protocol.states) do
                    state.preference, state.zero = "state_" .. state.filter, outcomes_of(state, { 0, 0 })
                    proto.prefs[state.preference] = Pref.string("State " .. state.name, "", "Of a connection at the beginning of "
                        .. "the capture: a number or a name; nothing is 0." .. (state.about and " " .. state.about or ""))
                end

                -- The number that a text means for a state; nil if the state cannot have it.
                local function number_of(state, text)
                    if text == "" then return { 0, 0 } end
                    if state.names[text] then return state.names[text] end
                    local sign, digits = string.match(text, "^(%-?)(%d+)$")
                    if not digits or #digits > 20 then return nil end
                    local high, low = 0, 0
                    for digit in string.gmatch(digits, "%d") do
                        low = low * 10 + tonumber(digit)
                        high, low = high * 10 + floor(low / TWO_32), low % TWO_32
                    end
                    if sign == "-" and low > 0 then
                        high, low = -high - 1, TWO_32 - low
                    elseif sign == "-" then
                        high = -high
                    end
                    if is_less(high, low, state.least) or is_more(high, low, state.most) then return nil end
                    return { high, low }
                end

                function read_states()
                    initial = {}
                    for index, state in ipairs(protocol.states) do
                        local text = tostring(proto.prefs[state.preference] or "")
                        local number = number_of(state, text)
                        if number then
                            initial[index] = outcomes_of(state, number)
                        else
                            wrong_preferences[#wrong_preferences + 1] = state.preference .. ": the state \"" .. state.name
                                .. "\" is never \"" .. text .. "\"; it begins with 0"
                        end
                    end
                end
            end


            """#
        }

        private var keys: String {
            #"""
            -- The bytes of keys, by the sender of the packets and the position of the key.
            local keys = { client = {}, server = {} }

            local read_keys

            do
                for _, key in ipairs(protocol.keys) do
                    local about = " in hexadecimal digits, at most " .. key.most .. " bytes."
                    key.preference = "key_" .. key.filter
                    proto.prefs[key.preference] = Pref.string("Key " .. key.name, "", "The key of a layer" .. about)
                    if key.has_sides then
                        for _, sender in ipairs({ "client", "server" }) do
                            proto.prefs[sender .. "_" .. key.preference] = Pref.string("Key " .. key.name .. " of the " .. sender, "",
                                "The key for packets of the " .. sender .. " alone," .. about)
                        end
                    end
                end

                -- The key of a preference; nil if there is none.
                local function key_in(preference, key)
                    local text = string.gsub(tostring(proto.prefs[preference] or ""), "[%s:]", "")
                    if text == "" then return nil end
                    if #text % 2 == 0 and #text <= 2 * key.most and not string.find(text, "%X") then
                        return (string.gsub(text, "%x%x", function(digits) return string.char(tonumber(digits, 16)) end))
                    end
                    wrong_preferences[#wrong_preferences + 1] = preference .. ": no key of at most " .. key.most
                        .. " bytes in hexadecimal digits"
                end

                function read_keys()
                    for index, key in ipairs(protocol.keys) do
                        local shared = key_in(key.preference, key)
                        for _, sender in ipairs({ "client", "server" }) do
                            local own = key.has_sides and key_in(sender .. "_" .. key.preference, key)
                            keys[sender][index] = own or shared
                        end
                    end
                end
            end


            """#
        }
    }
}
