// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension LuaUnwrapping {
    /// Returns the statements that return a part of a packet: its fields, where its content begins and ends, where the packet and
    /// these fields do, and which rules hold.
    func end(of part: PacketPart) -> [String] {
        var lines: [String] = []
        if layout.isBounded, !part.mayHaveFiller {
            lines.append("if \(total) < size then error(fault(\"trailing_bytes\", \"\", \(total)), 0) end")
        }
        let (always, sometimes) = header()
        lines += ["local header = { \(always.joined(separator: ", ")) }"] + sometimes
        let rules = part.rules.map { rule in
            switch rule {
            case .always: "true"
            case .never: "false"
            case .when(let condition): self.condition(condition)
            }
        }
        var members = [
            "id = \(identifier), header = header, body = body, stop = stop, after = start + \(total)",
            "rules = { \(rules.joined(separator: ", ")) }",
        ]
        if let index = part.counter {
            let isAlways = layout.fields[index].condition == nil
            let count = isAlways ? number(index) : "\(variables("c", index)) and \(number(index)) or nil"
            members.append("count = \(count), count_at = \(offset(shape.unwrap.starts[index]))")
        }
        let first =
            part.firstField < shape.unwrap.starts.count
            ? "start + \(offset(shape.unwrap.starts[part.firstField]))" : "body"
        members.append("first = \(first)")
        let places = part.isFlat ? types.plan.fixedHeaderFields.map(fixedPlace) : []
        if !places.isEmpty { members.append("places = { \(places.joined(separator: ", ")) }") }
        return lines + ["return {"] + LuaText.indented(members.map { $0 + "," }) + ["}"]
    }
}
