// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for header fields that have the same value in every packet of a message (`@header`).
struct LuaFixedHeaders {
    let types: LuaTypes
    private var plan: CodePlan { types.plan }
    private var description: ProtocolDescription { types.description }

    /// Returns the functions of a message; none for a message that fixes nothing.
    func functions(_ message: MessageDescription) -> [String] {
        guard !message.headerValues.isEmpty else { return [] }
        let member = LuaText.member(message.name)
        let set = message.headerValues.map { "fixed_header\(key($0)) = \(literal($0))" }
        return [
            (["verify\(member) = function(s, h, places)", "  top, at[1] = 1, \"packet\""]
                + LuaText.indented(message.headerValues.flatMap(verification)) + ["end", ""]).joined(separator: "\n"),
            (["fix\(member) = function(h)", "  local fixed_header = copied(h)"]
                + LuaText.indented(message.headerValues.map(comparison) + set) + ["  return fixed_header", "end", ""])
                .joined(separator: "\n"),
        ]
    }

    private func name(_ item: HeaderValue) -> String { LuaText.literal(description.layout.fields[item.field].name) }
    private func key(_ item: HeaderValue) -> String { LuaText.member(plan.names.headerFields[item.field]) }

    /// Returns the literal of the value in a header.
    private func literal(_ item: HeaderValue) -> String {
        switch item.value {
        case .text(let text): return LuaText.literal(text)
        case .bytes(let bytes): return LuaText.literal(bytes)
        case .integer(let number):
            let isBoolean = description.layout.fields[item.field].format.isBoolean
            return isBoolean ? String(number != 0) : LuaText.number(number)
        }
    }

    /// Returns the statement that verifies a field of a packet that was read.
    private func verification(_ item: HeaderValue) -> [String] {
        guard let position = plan.fixedHeaderFields.firstIndex(of: item.field) else { return [] }
        let place = "places[\(position + 1)]"
        if case .text(let text) = item.value {
            let bytes = description.layout.fields[item.field].format.comparedBytes(ofText: text)
            return ["same(s, \(place), huge, \(LuaText.literal(bytes)), 0, \(name(item)))"]
        }
        return ["constant(\(place), \(name(item)), \(literal(item)), h\(key(item)))"]
    }

    /// Returns the statement that refuses another value in a header that is written.
    private func comparison(_ item: HeaderValue) -> String {
        "same_header(h\(key(item)), \(literal(item)), \(name(item)))"
    }
}
