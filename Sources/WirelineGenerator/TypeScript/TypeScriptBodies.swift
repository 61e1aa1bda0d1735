// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write structures and unions.
struct TypeScriptBodies {
    let types: TypeScriptTypes
    private var plan: CodePlan { types.plan }
    private var reading: TypeScriptReading { TypeScriptReading(types: types) }
    private var writing: TypeScriptWriting { TypeScriptWriting(types: types) }

    /// The functions for all types that messages reach.
    var functions: [String] {
        plan.used.structures.sorted().flatMap { [readStructure($0), writeStructure($0)] }
            + plan.used.unions.sorted { $0.key < $1.key }.flatMap(union)
    }

    static func indented(_ lines: [String], by count: Int = 2) -> String {
        let indent = String(repeating: " ", count: count)
        return lines.map { $0.isEmpty ? "" : indent + $0 }.joined(separator: "\n")
    }

    private func function(_ head: String, _ lines: [String]) -> String {
        "function \(head) {\n\(Self.indented(lines))\n}\n"
    }

    // MARK: Structures

    private func readStructure(_ index: Int) -> String {
        let (body, name) = (plan.structures[index], plan.names.structures[index].name)
        var lines: [String] = []
        if body.plan.countsDepth { lines.append("deeper(r, f);") }
        if let prefix = body.plan.sizePrefix { lines.append("const end = \(inside(prefix));") }
        lines.append("r.at.push(f);")
        lines += reading.body(body, type: name)
        lines += leaving(isSized: body.plan.sizePrefix != nil, countsDepth: body.plan.countsDepth)
        return function("\(types.structures[index].read)(r‹: Reader›, f‹: Place›)‹: \(name)›", lines + ["return m;"])
    }

    private func inside(_ prefix: PlannedCount) -> String { "inside(r, \(reading.sizePrefix(prefix)), f)" }

    private func leaving(isSized: Bool, countsDepth: Bool) -> [String] {
        (isSized ? ["outside(r, end);"] : []) + ["r.at.pop();"] + (countsDepth ? ["r.depth++;"] : [])
    }

    private func writeStructure(_ index: Int) -> String {
        let (body, name) = (plan.structures[index], plan.names.structures[index].name)
        var lines: [String] = []
        if body.plan.countsDepth { lines.append("sink(w, f);") }
        lines += ["checkObject(w, m, f);", "w.at.push(f);"]
        let written = writing.body(body)
        if let prefix = body.plan.sizePrefix {
            lines += writing.roomForPrefix(prefix) + ["const start = w.p;"] + written
            lines += ["w.at.pop();", writing.writtenPrefix(prefix, "w.p - start", "w.p - start", "f")]
        } else {
            lines += written + ["w.at.pop();"]
        }
        if body.plan.countsDepth { lines.append("w.depth++;") }
        return function("\(types.structures[index].write)(w‹: Writer›, m‹: \(name)›, f‹: Place›)‹: void›", lines)
    }

    // MARK: Unions

    private func union(_ index: Int, tagsAt places: UnionPlan.TagPlaces) -> [String] {
        var functions: [String] = []
        for hasTag in [true, false] where places.contains(hasTag ? .before : .elsewhere) {
            functions += [readUnion(index, hasTag: hasTag), writeUnion(index, hasTag: hasTag)]
        }
        if places.contains(.elsewhere) { functions.append(tagFunction(index)) }
        return functions
    }

    /// How the tag of a union is read and written.
    private func tag(_ index: Int) -> ValuePlan { plan.coding.value(plan.unions[index].plan.tag, nil, in: []) }

    /// Returns the tag without the numbers that a closed enum refuses: an unknown one is told as the union's.
    private func openTag(_ index: Int) -> ValuePlan {
        guard case .number(let number) = tag(index) else { return tag(index) }
        return .number(
            NumberPlan(
                format: number.format, byteOrder: number.byteOrder, kind: number.kind, range: nil, closedNumbers: nil))
    }

    private static let place = "const p = r.p;"

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private func readUnion(_ index: Int, hasTag: Bool) -> String {
        let (union, arms) = plan.unions[index]
        let name = plan.names.unions[index].name
        let tag = openTag(index)
        let isWide = TypeScriptTypes.isWide(tag)
        // A tag that is no case of a closed enum has been refused.
        let kept = plan.coding.isClosed(union.tag) ? "t‹ as \(types.text(tag))›" : "t"
        var lines: [String] = []
        if union.countsDepth { lines.append("deeper(r, f);") }
        lines.append(Self.place)
        if hasTag { lines.append("const t = \(reading.unseen(tag, "f"));") }
        if let prefix = union.sizePrefix { lines.append("const end = \(inside(prefix));") }
        lines += ["r.at.push(f);", "let m‹: \(name)›;"]
        lines.append(isWide ? "switch (String(t)) {" : "switch (t) {")
        for (position, arm) in union.arms.enumerated() {
            let kind = TypeScriptText.string(plan.names.unions[index].cases[position])
            var value = "{ kind: \(kind)"
            if let field = arms[position].fields.first {
                let read = reading.value(field.value, TypeScriptText.string(arm.name))
                value += arm.tag == nil ? ", tag: \(kept), bytes: \(read)" : ", value: \(read)"
            }
            guard let number = arm.tag else {
                var statement = "m = \(value) };"
                if plan.coding.isClosed(union.tag), hasTag, case .number(let number) = self.tag(index),
                    let cases = number.closedNumbers
                {
                    let list = TypeScriptText.list(cases.map { TypeScriptTypes.number($0, isWide: isWide) })
                    statement = "if (\(list).indexOf(t) < 0) fail(r, \"unknown_case\", undefined, p); " + statement
                }
                lines.append("  default: \(statement)")
                continue
            }
            let label = isWide ? "\"\(number)\"" : String(number)
            lines.append("  case \(label): m = \(value) }; break;")
        }
        if union.defaultArm == nil { lines.append("  default: fail(r, \"unknown_case\", undefined, p);") }
        lines.append("}")
        lines += leaving(isSized: union.sizePrefix != nil, countsDepth: union.countsDepth)
        // Only a tag that no arm has is told with its place.
        if !TypeScriptModule.uses("p", lines.filter { $0 != Self.place }) { lines.removeAll { $0 == Self.place } }
        let head =
            hasTag
            ? "\(types.unions[index].read)(r‹: Reader›, f‹: Place›)‹: \(name)›"
            : "\(types.unions[index].readTagged)(r‹: Reader›, t‹: \(types.text(tag))›, f‹: Place›)‹: \(name)›"
        return function(head, lines + ["return m;"])
    }

    private func writeUnion(_ index: Int, hasTag: Bool) -> String {
        let (union, arms) = plan.unions[index]
        let name = plan.names.unions[index].name
        let tag = tag(index)
        let isWide = TypeScriptTypes.isWide(tag)
        var lines: [String] = []
        if union.countsDepth { lines.append("sink(w, f);") }
        lines += ["checkObject(w, m, f);", "w.at.push(f);"]
        let prefixing = union.sizePrefix.map { writing.roomForPrefix($0) } ?? []
        if union.sizePrefix != nil { lines.append("let start = w.p;") }
        lines.append("switch (m.kind) {")
        for (position, arm) in union.arms.enumerated() {
            let kind = TypeScriptText.string(plan.names.unions[index].cases[position])
            var statements: [String] = []
            if let number = arm.tag {
                if hasTag {
                    statements += writing.putUnchecked(
                        openTag(index), TypeScriptTypes.number(number, isWide: isWide))
                }
            } else {
                let known = union.taggedArms.compactMap(\.tag).map { TypeScriptTypes.number($0, isWide: isWide) }
                let own = TypeScriptText.string(arm.name)
                statements += writing.check(tag, "m.tag", own)
                statements.append("checkTag(w, m.tag, \(TypeScriptText.list(known)), \(own));")
                if hasTag { statements += writing.putUnchecked(openTag(index), "m.tag") }
            }
            statements += prefixing + (union.sizePrefix == nil ? [] : ["start = w.p;"])
            if let field = arms[position].fields.first {
                let value = arm.tag == nil ? "m.bytes" : "m.value"
                statements += writing.put(field.value, value, TypeScriptText.string(arm.name), unique: "0")
            }
            lines.append("  case \(kind): {")
            lines += (statements + ["break;"]).map { "    " + $0 }
            lines.append("  }")
        }
        lines += ["  default: refuse(w, \"wrong_type\");", "}", "w.at.pop();"]
        if let prefix = union.sizePrefix {
            lines.append(writing.writtenPrefix(prefix, "w.p - start", "w.p - start", "f"))
        }
        if union.countsDepth { lines.append("w.depth++;") }
        let own = hasTag ? types.unions[index].write : types.unions[index].writeTagged
        return function("\(own)(w‹: Writer›, m‹: \(name)›, f‹: Place›)‹: void›", lines)
    }

    /// Returns the function for the tag that stands in another field: 0 if the union is not set.
    private func tagFunction(_ index: Int) -> String {
        let (union, _) = plan.unions[index]
        let tag = tag(index)
        let isWide = TypeScriptTypes.isWide(tag)
        var lines = ["switch (m && m.kind) {"]
        for (position, arm) in union.arms.enumerated() {
            let kind = TypeScriptText.string(plan.names.unions[index].cases[position])
            let number =
                arm.tag.map { TypeScriptTypes.number($0, isWide: isWide) }
                ?? "(m‹ as { tag: \(types.text(openTag(index))) }›).tag"
            lines.append("  case \(kind): return \(number);")
        }
        lines += ["  default: return \(TypeScriptTypes.number(0, isWide: isWide));", "}"]
        return function(
            "\(types.unions[index].tag)(m‹: \(plan.names.unions[index].name) | undefined›)‹: \(TypeScriptTypes.isWide(tag) ? "bigint" : "number")›",
            lines)
    }
}
