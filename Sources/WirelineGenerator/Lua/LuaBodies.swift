// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write messages, structures and unions. They stand in tables: a chunk has room for 200 locals.
struct LuaBodies {
    let types: LuaTypes
    private var plan: CodePlan { types.plan }
    private var reading: LuaReading { LuaReading(types: types) }
    private var writing: LuaWriting { LuaWriting(types: types) }

    /// The functions for all types that messages reach.
    var functions: [String] {
        plan.used.structures.sorted().flatMap { [readStructure($0), writeStructure($0)] }
            + plan.used.unions.sorted { $0.key < $1.key }.flatMap { index, places in
                var functions: [String] = []
                for hasTag in [true, false] where places.contains(hasTag ? .before : .elsewhere) {
                    functions += [readUnion(index, hasTag: hasTag), writeUnion(index, hasTag: hasTag)]
                }
                return functions + (places.contains(.elsewhere) ? [tagFunction(index)] : [])
            }
    }

    /// Returns the functions of a message.
    func message(_ index: Int) -> [String] {
        let member = LuaText.member(plan.description.messages[index].name)
        return [
            function("read\(member)", "s, p, e, h", reading.body(plan.messages[index]) + ["return m"]),
            function("write\(member)", "m, h", writing.body(plan.messages[index])),
        ]
    }

    private func function(_ name: String, _ parameters: String, _ lines: [String]) -> String {
        (["\(name) = function(\(parameters))"] + LuaText.indented(lines) + ["end", ""]).joined(separator: "\n")
    }

    private static let entering = ["top = top + 1", "at[top] = f"]
    private static let leaving = "top = top - 1"

    // MARK: Structures

    private func readStructure(_ index: Int) -> String {
        let body = plan.structures[index]
        var lines = body.plan.countsDepth ? ["deeper(p, f)"] : []
        lines += inside(body.plan.sizePrefix) + Self.entering + reading.body(body) + [Self.leaving]
        lines += left(countsDepth: body.plan.countsDepth)
        lines.append("return m, \(body.plan.sizePrefix == nil ? "p" : "e + 1")")
        return function(types.structure("get", index), "s, p, e, f", lines)
    }

    /// Returns the statements that go into the bytes of which a prefix has the number.
    private func inside(_ prefix: PlannedCount?) -> [String] {
        prefix.map { ["p, e = inside(e, f, \(reading.prefix($0, "f")))"] } ?? []
    }

    private func left(countsDepth: Bool) -> [String] { countsDepth ? ["depth = depth + 1"] : [] }

    private func writeStructure(_ index: Int) -> String {
        let body = plan.structures[index]
        let lines = (body.plan.countsDepth ? ["sink(f)"] : []) + ["check_table(m, f)"] + Self.entering
        let leaving = [Self.leaving] + left(countsDepth: body.plan.countsDepth)
        return function(
            types.structure("put", index), "m, f",
            lines + writing.body(body, leaving: leaving, around: { self.prefixed(body.plan.sizePrefix, $0) }))
    }

    private func prefixed(_ prefix: PlannedCount?, _ bytes: String) -> String {
        prefix.map { writing.prefixed($0, "at_most(\(bytes), \($0.maximum), f)") } ?? bytes
    }

    // MARK: Unions

    /// How the tag of a union is read and written.
    private func tag(_ index: Int) -> ValuePlan { plan.coding.value(plan.unions[index].plan.tag, nil, in: []) }

    /// Returns the tag without the numbers that a closed enum refuses: an unknown one is told as the union's.
    private func openTag(_ index: Int) -> ValuePlan {
        guard case .number(let number) = tag(index) else { return tag(index) }
        return .number(
            NumberPlan(
                format: number.format, byteOrder: number.byteOrder, kind: number.kind, range: nil, closedNumbers: nil))
    }

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private func readUnion(_ index: Int, hasTag: Bool) -> String {
        let (union, arms) = plan.unions[index]
        var lines = union.countsDepth ? ["deeper(p, f)"] : []
        lines.append("local m, q = nil, p")
        if hasTag { lines += ["local t", "t, p = \(reading.value(openTag(index), "f"))"] }
        lines += inside(union.sizePrefix) + Self.entering
        var word = "if"
        for (position, arm) in union.arms.enumerated() {
            var members = "kind = \(LuaText.literal(plan.names.unions[index].cases[position]))"
            if arm.tag == nil { members += ", tag = t" }
            var statements = ["m = { \(members) }"]
            if let field = arms[position].fields.first {
                let own = arm.tag == nil ? "bytes" : "value"
                statements.append("m.\(own), p = \(reading.value(field.value, LuaText.literal(arm.name)))")
            }
            guard let number = arm.tag else {
                if plan.coding.isClosed(union.tag), hasTag, case .number(let number) = tag(index) {
                    statements.insert(
                        "if not \(types.closed(number))[t] then fail(\"unknown_case\", nil, q) end", at: 0)
                }
                lines += word == "if" ? statements : ["else"] + LuaText.indented(statements)
                continue
            }
            lines += ["\(word) t == \(LuaText.number(number)) then"] + LuaText.indented(statements)
            word = "elseif"
        }
        if union.defaultArm == nil {
            lines += (word == "if" ? [] : ["else"]) + ["  fail(\"unknown_case\", nil, q)"]
        }
        lines += (word == "if" ? [] : ["end"]) + [Self.leaving] + left(countsDepth: union.countsDepth)
        lines.append("return m, \(union.sizePrefix == nil ? "p" : "e + 1")")
        return function(
            types.union(hasTag ? "get" : "get_tagged", index), hasTag ? "s, p, e, f" : "s, p, e, f, t", lines)
    }

    private func writeUnion(_ index: Int, hasTag: Bool) -> String {
        let (union, arms) = plan.unions[index]
        var lines = (union.countsDepth ? ["sink(f)"] : []) + ["check_table(m, f)"] + Self.entering
        lines.append("local t, tag = \"\", \"\"")
        var word = "if"
        for (position, arm) in union.arms.enumerated() {
            let kind = LuaText.literal(plan.names.unions[index].cases[position])
            lines.append("\(word) m.kind == \(kind) then")
            word = "elseif"
            if let number = arm.tag {
                if hasTag { lines.append("  tag = \(LuaWriting.bytes(openTag(index), LuaText.number(number)))") }
            } else {
                let known = union.taggedArms.compactMap(\.tag).map { "[\(LuaText.number($0))] = true" }
                let name = LuaText.literal(arm.name)
                lines.append("  local n = \(writing.check(tag(index), "m.tag", name))")
                lines.append("  other_tag(n, { \(known.joined(separator: ", ")) }, \(name))")
                if hasTag { lines.append("  tag = \(LuaWriting.bytes(openTag(index), "n"))") }
            }
            if let field = arms[position].fields.first {
                let value = arm.tag == nil ? "m.bytes" : "m.value"
                lines.append("  t = \(writing.put(field.value, value, LuaText.literal(arm.name)))")
            }
        }
        lines += word == "if" ? ["refuse(\"wrong_type\")"] : ["else", "  refuse(\"wrong_type\")", "end"]
        lines += [Self.leaving] + left(countsDepth: union.countsDepth)
        lines.append("return tag .. \(prefixed(union.sizePrefix, "t"))")
        return function(types.union(hasTag ? "put" : "put_tagged", index), "m, f", lines)
    }

    /// Returns the function for the tag that stands in another field: 0 if the union is not set.
    private func tagFunction(_ index: Int) -> String {
        let (union, _) = plan.unions[index]
        var lines = ["if type(m) ~= \"table\" then return 0 end"]
        for (position, arm) in union.arms.enumerated() {
            let kind = LuaText.literal(plan.names.unions[index].cases[position])
            // A tag that is wrong is refused with its union, which is written later.
            lines.append("if m.kind == \(kind) then return \(arm.tag.map(LuaText.number) ?? fittingTag(index)) end")
        }
        return function(types.union("tag", index), "m", lines + ["return 0"])
    }

    private func fittingTag(_ index: Int) -> String {
        let tag = openTag(index)
        let range: ClosedRange<Int128>
        switch tag {
        case .number(let number): range = number.allowed
        case .varint(_, let allowed): range = allowed
        default: range = 0...0
        }
        let limits = "\(LuaText.number(range.lowerBound)), \(LuaText.number(range.upperBound))"
        return "fitting(\(LuaTypes.isWide(tag) ? "wide_integer" : "integer"), m.tag, \(limits))"
    }
}
