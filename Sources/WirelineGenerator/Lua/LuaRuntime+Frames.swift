// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LuaRuntime {
    /// The functions for the marks around packets and their escapes.
    ///
    /// They are those of some frame if the schema has none, so that all names are known.
    static func frames(_ parameters: LuaRuntimeParameters) -> String {
        let framing = parameters.framing ?? PacketFraming(start: 0, end: 0, escapes: [])
        let seconds = Dictionary(grouping: framing.escapes, by: \.first).sorted { $0.key < $1.key }.map {
            first, escapes in
            let bytes = escapes.map { "[\($0.second)] = \(LuaText.literal([$0.byte]))" }.joined(separator: ", ")
            return "[\(first)] = { \(bytes) }"
        }
        let escaped = framing.escapes.map {
            "[\(LuaText.literal([$0.byte]))] = \(LuaText.literal([$0.first, $0.second]))"
        }
        let special = [framing.start, framing.end] + framing.escapes.map(\.first)
        let ended =
            framing.hasSameMarks ? "" : "\n      frame.inside = frame.n > 0"
        return #"""
            -- The bytes of escapes, by their first and second one.
            local escapes = { \#(seconds.joined(separator: ", ")) }

            local escaped = { \#(escaped.joined(separator: ", ")) }

            -- What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.
            local function new_frame() return { parts = {}, n = 0, count = 0, inside = false, first = nil } end

            local function frame_fault(kind, offset) error(fault(kind, "packet.frame", offset), 0) end

            local function append(frame, t)
              if frame.n + #t > \#(parameters.maximumPacketByteCount) then frame_fault("packet_too_long", 0) end
              frame.parts[#frame.parts + 1] = t
              frame.n = frame.n + #t
            end

            -- Reads up to the end of the next packet; returns the position after what was read, and whether the end has come. Marks
            -- with nothing between them are passed over.
            local function unframe(s, p, frame)
              while p <= #s do
                local x = byte(s, p)
                local first = frame.first
                if not frame.inside then
                  if x ~= \#(framing.start) then frame_fault("wrong_constant", 0) end
                  frame.inside, p, frame.count = true, p + 1, frame.count + 1
                elseif first then
                  local t = escapes[first][x]
                  if not t then frame_fault("invalid_escape", frame.n) end
                  append(frame, t)
                  frame.first, p, frame.count = nil, p + 1, frame.count + 1
                elseif x == \#(framing.end) then
                  p, frame.count = p + 1, frame.count + 1\#(ended)
                  if frame.n > 0 then return p, true end
                elseif escapes[x] then
                  frame.first, p, frame.count = x, p + 1, frame.count + 1
                elseif x == \#(framing.start) then frame_fault("invalid_escape", frame.n)
                else
                  local stop = (find(s, "\#(pattern(special))", p) or #s + 1) - 1
                  append(frame, sub(s, p, stop))
                  frame.count = frame.count + stop - p + 1
                  p = stop + 1
                end
              end
              return p, false
            end

            -- Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun.
            local function inside_frame(frame) return frame.inside\#(framing.hasSameMarks ? " and (frame.n > 0 or frame.first ~= nil)" : "") end

            -- A packet between its marks.
            local function framed(packet)
              return \#(LuaText.literal([framing.start])) .. \#(framing.escapes.isEmpty ? "packet" : "string.gsub(packet, \"\(pattern(framing.escapes.map(\.byte)))\", escaped)") .. \#(LuaText.literal([framing.end]))
            end
            """#
    }

    /// Returns a pattern for a byte that is no mark.
    static func noMark(_ framing: PacketFraming) -> String {
        pattern([framing.start, framing.end], excludes: true)
    }

    /// Returns a pattern for one of some bytes, or for another one; before Lua 5.2 a pattern has no byte 0.
    private static func pattern(_ bytes: [UInt8], excludes: Bool = false) -> String {
        let all = Set(bytes).sorted().map { byte -> String in
            if byte == 0 { return "%z" }
            let isPunctuation = byte < 128 && Unicode.Scalar(byte).properties.generalCategory.isSymbol
            return (isPunctuation ? "%" : "") + LuaText.literal([byte]).dropFirst().dropLast()
        }
        return "[\(excludes ? "^" : "")\(all.joined())]"
    }
}

extension Unicode.GeneralCategory {
    /// Whether it is one of punctuation and symbols.
    fileprivate var isSymbol: Bool {
        switch self {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            true
        default: false
        }
    }
}
