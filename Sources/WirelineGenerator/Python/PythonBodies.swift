// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write messages, structures and unions.
struct PythonBodies {
    let types: PythonTypes
    private var plan: CodePlan { types.plan }
    private var reading: PythonReading { PythonReading(types: types) }
    private var writing: PythonWriting { PythonWriting(types: types) }

    /// The functions for all messages, and for the types that they reach.
    var functions: [[String]] {
        plan.used.structures.sorted().flatMap { [readStructure($0), writeStructure($0)] }
            + plan.used.unions.sorted { $0.key < $1.key }.flatMap { union($0.key, tagsAt: $0.value) }
            + plan.messages.indices.flatMap { [readMessage($0), writeMessage($0)] }
    }

    /// Whether a class takes its fields without their names: none may follow one that can be left out.
    static func isOrdered(_ body: BodyFields) -> Bool {
        let fields = body.fields.filter(\.planned.hasValue)
        let optional = fields.firstIndex { $0.mayBeUnset || $0.absent != nil } ?? fields.count
        return fields[optional...].allSatisfy { $0.mayBeUnset || $0.absent != nil }
    }

    // MARK: Messages

    private var header: String { types.description.hasHeaderConditions ? ", h: Mapping[str, Any]" : "" }

    private func readMessage(_ index: Int) -> [String] {
        let (body, name) = (plan.messages[index], plan.names.messages[index].name)
        let (lines, value) = reading.body(body, name, isOrdered: Self.isOrdered(body))
        return PythonText.block(
            "def \(types.messages[index].read)(b: bytes, p: int, e: int, d: int\(header)) -> \(name):",
            lines + ["return \(value)"])
    }

    private func writeMessage(_ index: Int) -> [String] {
        let (lines, bytes) = writing.body(plan.messages[index])
        let name = plan.names.messages[index].name
        return PythonText.block(
            "def \(types.messages[index].write)(m: \(name), d: int\(header)) -> bytes:", lines + ["return \(bytes)"])
    }

    // MARK: Structures

    private static let under = ["except WireError as error:", "    raise _under(error, f) from None"]
    private static let readerHead = "(b: bytes, p: int, e: int, d: int, f: str | int)"

    /// Returns the statements that go into a structure or a union, as far as its levels and its size say.
    private func entering(_ prefix: PlannedCount?, countsDepth: Bool) -> [String] {
        var lines: [String] = []
        if countsDepth { lines += [Self.tooDeep("p"), "d -= 1"] }
        return lines + (prefix.map(inside) ?? [])
    }

    private static func tooDeep(_ place: String?) -> String {
        "if d == 0: raise _fail(\"too_deep\", f\(place.map { ", " + $0 } ?? ""))"
    }

    private func inside(_ prefix: PlannedCount) -> [String] {
        let target = PythonReading.Target(variable: "v", name: "f")
        return reading.prefix(prefix, "n", target) + ["e = _end(p, e, n, f)"]
    }

    private func readStructure(_ index: Int) -> [String] {
        let (body, name) = (plan.structures[index], plan.names.structures[index].name)
        let (lines, value) = reading.body(body, name, isOrdered: Self.isOrdered(body))
        let end = body.plan.sizePrefix == nil ? "p" : "e"
        return PythonText.block(
            "def \(types.structures[index].read)\(Self.readerHead) -> tuple[\(name), int]:",
            entering(body.plan.sizePrefix, countsDepth: body.plan.countsDepth)
                + PythonText.block("try:", lines + ["return \(value), \(end)"]) + Self.under)
    }

    private func writeStructure(_ index: Int) -> [String] {
        let (body, name) = (plan.structures[index], plan.names.structures[index].name)
        let (lines, bytes) = writing.body(body)
        var all: [String] = []
        if body.plan.countsDepth { all += [Self.tooDeep(nil), "d -= 1"] }
        all.append("if not isinstance(m, \(name)): raise _fail(\"wrong_type\", f)")
        if let prefix = body.plan.sizePrefix {
            all += PythonText.block("try:", lines + ["o = \(bytes)"]) + Self.under
            all.append("return \(PythonWriting.prefixed("o", prefix, "f"))")
        } else {
            all += PythonText.block("try:", lines + ["return \(bytes)"]) + Self.under
        }
        return PythonText.block(
            "def \(types.structures[index].write)(m: \(name), d: int, f: str | int) -> bytes:", all)
    }

    // MARK: Unions

    private func union(_ index: Int, tagsAt places: UnionPlan.TagPlaces) -> [[String]] {
        var functions: [[String]] = []
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
                format: number.format, byteOrder: number.byteOrder, kind: .plain, range: nil, closedNumbers: nil))
    }

    /// Returns the expression for a tag that no arm has, as its type says.
    private func named(_ index: Int) -> String {
        guard case .number(let number) = tag(index) else { return "t" }
        if number.closedNumbers != nil, case .enumeration(let index) = number.kind { return "\(types.cases[index])[t]" }
        return types.named(number.kind, "t")
    }

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private func readUnion(_ index: Int, hasTag: Bool) -> [String] {
        let (union, arms) = plan.unions[index]
        var lines: [String] = []
        if union.countsDepth { lines += [Self.tooDeep("p"), "d -= 1"] }
        lines.append("q = p")
        if hasTag { lines += reading.read(openTag(index), PythonReading.Target(variable: "t", name: "f")) }
        lines += union.sizePrefix.map(inside) ?? []
        let end = union.sizePrefix == nil ? "p" : "e"
        var choices: [String] = []
        for (position, arm) in union.arms.enumerated() {
            var statements: [String] = []
            var members: [String] = []
            if let field = arms[position].fields.first {
                let target = PythonReading.Target(variable: "v\(position)", name: PythonText.string(arm.name))
                statements += reading.read(field.value, target)
                members = [target.variable]
            }
            if arm.tag == nil {
                members.insert(named(index), at: 0)
                if case .number(let number) = self.tag(index), number.closedNumbers != nil,
                    case .enumeration(let cases) = number.kind
                {
                    statements.insert(
                        "if t not in \(types.cases[cases]): raise WireError(\"unknown_case\", \"\", q)", at: 0)
                }
            }
            statements.append("return \(types.arms[index][position])(\(members.joined(separator: ", "))), \(end)")
            if let number = arm.tag {
                choices += PythonText.block("if t == \(number):", statements)
            } else {
                choices += statements
            }
        }
        if union.defaultArm == nil { choices.append("raise WireError(\"unknown_case\", \"\", q)") }
        let functions = types.unions[index]
        let (name, tag) = hasTag ? (functions.read, "") : (functions.readTagged, "t: int, ")
        return PythonText.block(
            "def \(name)(b: bytes, p: int, e: int, d: int, \(tag)f: str | int) -> tuple[\(plan.names.unions[index].name), int]:",
            lines + PythonText.block("try:", choices) + Self.under)
    }

    private func writeUnion(_ index: Int, hasTag: Bool) -> [String] {
        let (union, arms) = plan.unions[index]
        let tag = tag(index)
        var lines: [String] = []
        if union.countsDepth { lines += [Self.tooDeep(nil), "d -= 1"] }
        var choices: [String] = []
        for (position, arm) in union.arms.enumerated() {
            var statements: [String] = []
            var number = arm.tag.map { String($0) }
            if arm.tag == nil {
                let name = PythonText.string(arm.name)
                let known = union.taggedArms.compactMap(\.tag).map { String($0) }
                statements.append(
                    "t = _unknown_tag(\(writing.checked(tag, "m.tag", name)), \(PythonText.tuple(known)), \(name))")
                number = "t"
            }
            var value = "b\"\""
            if let field = arms[position].fields.first {
                value = writing.put(
                    field.value, arm.tag == nil ? "m.payload" : "m.value", PythonText.string(arm.name))
            }
            statements.append("o = \(value)")
            if hasTag, let number { statements.append("t_ = \(PythonWriting.putUnchecked(openTag(index), number))") }
            choices += PythonText.block(
                "\(position == 0 ? "if" : "elif") isinstance(m, \(types.arms[index][position])):", statements)
        }
        choices += PythonText.block("else:", ["raise WireError(\"wrong_type\")"])
        let result = union.sizePrefix.map { PythonWriting.prefixed("o", $0, "f") } ?? "o"
        let functions = types.unions[index]
        return PythonText.block(
            "def \(hasTag ? functions.write : functions.writeTagged)"
                + "(m: \(plan.names.unions[index].name), d: int, f: str | int) -> bytes:",
            lines + PythonText.block("try:", choices) + Self.under + ["return \(hasTag ? "t_ + " : "")\(result)"])
    }

    /// Returns the function for the tag that stands in another field: 0 if the union is not set.
    ///
    /// A tag that does not fit is told when the union is written.
    private func tagFunction(_ index: Int) -> [String] {
        let union = plan.unions[index].plan
        let range: ClosedRange<Int128> =
            switch tag(index) {
            case .number(let number): number.format.range
            case .varint(let format, _): format.range
            default: 0...0
            }
        var lines: [String] = []
        for (position, arm) in union.arms.enumerated() {
            let number = arm.tag.map { String($0) } ?? "_fitting(m.tag, \(range.lowerBound), \(range.upperBound))"
            lines.append("if isinstance(m, \(types.arms[index][position])): return \(number)")
        }
        return PythonText.block(
            "def \(types.unions[index].tag)(m: \(plan.names.unions[index].name) | None) -> int:", lines + ["return 0"])
    }
}
