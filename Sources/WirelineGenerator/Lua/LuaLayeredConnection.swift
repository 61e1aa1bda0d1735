// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LuaRuntime {
    /// What programs call to make a connection whose packets have layers.
    static func layeredConnection(_ plan: LayerPlan) -> String {
        let options = Set(plan.options)
        let names = plan.layersOfProgram.joined(separator: ", ")
        var about: [String] = []
        if options.contains("keys") {
            about.append("keys: those of both senders, by name; see set_key, which sets one, or a new one.")
        }
        if options.contains("layers") {
            about += [
                "layers: a function each for \(names), as far as they are needed. It is given the sender, and returns a table:",
                "  open(self, sealed, header, limit) returns the content; nil and \"inflated_too_long\" if that is longer than the limit;",
                "  nil and \"trailing_bytes\" if bytes follow its end; and nil if it is damaged.",
                "  seal(self, content, header) returns the sealed bytes.",
            ]
        }
        if options.contains("aes") {
            about.append(
                "aes: a function (key, blocks, encrypts) that returns blocks of 16 bytes, each encrypted or decrypted for itself."
            )
        }
        if options.contains("threshold") {
            about.append(
                "threshold: from how many bytes on a content gets a layer that asks for its count; without it none does."
            )
        }
        return (options.contains("keys") ? settingKeys + "\n\n" : "") + #"""
            -- The text says what to give, too.
            layered.text_of_fault = wire_error.__tostring
            function wire_error.__tostring(e)
              return layered.text_of_fault(e) .. (e.missing and "; the connection has no " .. e.missing or "")
            end

            --- What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.
            -- states has numbers, true and false, by the schema's names; a state that is not there is 0. Messages set states, and so
            -- may the program. The options are:
            \#(about.map { "-- " + $0 }.joined(separator: "\n"))
            -- What is not given is an error when a packet needs it: layer_unavailable.
            function M.connection(states, options)
              local connection = { states = copied(states or {}), streams = { client = {}, server = {} } }
              options = options or {}
              for name in pairs(options) do
                if not layered.options[name] then error("a connection has no option " .. tostring(name), 2) end
              end
            \#(LuaText.indented(making(options)).joined(separator: "\n"))
              return connection
            end
            """#
    }

    private static func making(_ options: Set<String>) -> [String] {
        var lines: [String] = []
        if options.contains("layers") {
            lines += [
                "connection.makers, connection.layers = options.layers or {}, { client = {}, server = {} }",
                "for name in pairs(connection.makers) do",
                "  if not layered.by_program[name] then error(\"no layer of the schema needs a function \" .. tostring(name), 2) end",
                "end",
            ]
        }
        for option in ["aes", "threshold"] where options.contains(option) {
            lines.append("connection.\(option) = options.\(option)")
        }
        if options.contains("keys") {
            lines += [
                "connection.keys, connection.set_key = { client = {}, server = {} }, layered.set_key",
                "for name, key in pairs(options.keys or {}) do",
                "  local ok, e = layered.set_key(connection, name, key)", "  if not ok then return nil, e end", "end",
            ]
        }
        return lines
    }

    private static let settingKeys = #"""
        -- Sets a key for the packets of one sender, or of both. Their keystreams begin anew. Returns true, or nil and an error.
        function layered.set_key(connection, name, key, sender)
          if sender and not senders[sender] then error("the sender is \"client\" or \"server\"", 2) end
          local about = layered.keys[name]
          if not about then return nil, fault("unknown_key", "key." .. tostring(name)) end
          local fits = false
          for _, range in ipairs(about.counts) do
            fits = fits or type(key) == "string" and #key >= range[1] and #key <= range[2]
          end
          if not fits then return nil, fault("wrong_key", "key." .. name) end
          for each_sender in pairs(senders) do
            if not sender or sender == each_sender then
              connection.keys[each_sender][name] = key
              for _, n in ipairs(about.layers) do connection.streams[each_sender][n] = nil end
            end
          end
          return true
        end
        """#
}
