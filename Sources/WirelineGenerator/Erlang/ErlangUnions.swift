// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The tags of a union in Erlang.
struct ErlangUnionTag {
    let types: ErlangTypes
    let type: TypeDescription
    /// Whether its number has been checked when it was read as a field.
    var isChecked = false

    /// The same tag, after its number has been checked.
    var checked: Self { Self(types: types, type: type, isChecked: true) }

    /// Returns the expression whose value is `{Number, Rest}`.
    func reading(_ end: String) -> String {
        guard let scalar = types.scalar(type) else {
            let format = if case .varint(let format) = type { format } else { VarintFormat(.unsigned) }
            return "\(format.erlangReading)(B, \(format.maximumByteCount), \(end))"
        }
        return "case B of <<X0\(scalar.reading), R0/binary>> -> {X0, R0}; _ -> cut(B, \(scalar.byteCount), \(end)) end"
    }

    /// Returns the bytes of a tag.
    func bytes(_ tag: Int128) -> String {
        if let scalar = types.scalar(type) { return "<<\(ErlangTypes.number(tag))\(scalar.writing)>>" }
        return tag < 0x80 ? "<<\(tag)>>" : "leb128(\(ErlangTypes.number(tag)))"
    }

    /// Returns the value of a kept tag.
    func value(_ number: String) -> String {
        if case .enumeration(let index, _) = type { "\(types.nameFunction(index))(\(number))" } else { number }
    }

    /// Returns the condition for a number that can be kept; nil if all can.
    func condition(_ number: String) -> String? {
        guard !isChecked, types.plan.isClosed(type), case .enumeration(let index, _) = type else { return nil }
        return "is_atom(\(types.nameFunction(index))(\(number)))"
    }
}

extension ErlangReading {
    mutating func readUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, tagsAt places: UnionPlan.TagPlaces) {
        if places.contains(.before) { readUnion(plan, naming, hasTag: true) }
        if places.contains(.elsewhere) { readUnion(plan, naming, hasTag: false) }
    }

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private mutating func readUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, hasTag: Bool) {
        let tag = ErlangUnionTag(types: types, type: plan.tag)
        let isSized = plan.sizePrefix != nil
        let end = isSized ? "E0" : "E"
        // The variables for the bytes after the tag, and from the first byte of the union on.
        let rest = isSized ? "B1" : "B0"
        let first = hasTag ? "B" : rest
        let start = "\(end) - byte_size(\(first))"
        var lines = ["D > 0 orelse fail({too_deep, \(types.description.options.maximumDepth)}, [N | P], \(start))"]
        if hasTag { lines.append("{T, \(rest)} = \(tag.reading("\(end), N, P"))") }
        if let prefix = plan.sizePrefix {
            lines.append("{B0, R} = bytes_\(ErlangTypes.name(prefix))(B1, infinity, E0, N, P)")
        }
        var clauses: [String] = []
        for (index, arm) in plan.arms.enumerated() {
            clauses.append(
                clause(
                    arm, ErlangText.atom(naming.cases[index]), hasTag ? tag : tag.checked, number: index + 1, start,
                    isSized: isSized))
        }
        if plan.defaultArm == nil { clauses.append("_ -> fail({unknown_case, T}, [N | P], \(start))") }
        let choice = "case T of\n        \(clauses.joined(separator: ";\n        "))\n    end"
        let words = ErlangTokens.words(of: choice)
        // Bytes after the value of a sized union are skipped.
        if isSized, !words.contains("B0") {
            lines[lines.count - 1] = lines[lines.count - 1].replacingFirst("{B0, R}", with: "{_, R}")
        }
        if isSized && words.contains("E") { lines.append("E = E0 - byte_size(R)") }
        if words.contains("Q") { lines.append("Q = [N | P]") }
        lines += isSized ? ["V = \(choice)", "{V, R}"] : [choice]
        let parameters = [first, end, "D", "N", "P"]
        if hasTag {
            add("read_\(naming.type)", parameters, lines)
        } else {
            add("value_of_\(naming.type)", ["T"] + parameters, lines)
        }
    }

    /// Returns the clause of an arm: the value, with the rest of the bytes if the union is not sized.
    private mutating func clause(
        _ arm: PlannedArm, _ atom: String, _ tag: ErlangUnionTag, number: Int, _ start: String, isSized: Bool
    ) -> String {
        let head = arm.tag.map { ErlangTypes.number($0) } ?? "_"
        guard let field = arm.field else { return "\(head) -> \(isSized ? atom : "{\(atom), B0}")" }
        let place = ErlangPlace(
            name: ErlangText.binary(arm.name), path: "Q", depth: "(D - 1)", number: number)
        let reading = read(field.type, field.description, from: "B0", place)
        var steps: [String] = []
        if arm.tag == nil, let condition = tag.condition("T") {
            steps.append("\(condition) orelse fail({unknown_case, T}, [N | P], \(start))")
        }
        let rest = isSized ? "_" : field.type.goesToEnd ? "<<>>" : "S\(number)"
        steps.append("{V\(number), \(rest)} = \(reading)")
        let value = arm.tag == nil ? "{\(atom), \(tag.value("T")), V\(number)}" : "{\(atom), V\(number)}"
        steps.append(isSized ? value : "{\(value), \(rest)}")
        return "\(head) ->\n            " + steps.joined(separator: ",\n            ")
    }
}

extension ErlangWriting {
    mutating func writeUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, tagsAt places: UnionPlan.TagPlaces) {
        if places.contains(.before) { writeUnion(plan, naming, hasTag: true) }
        guard places.contains(.elsewhere) else { return }
        writeUnion(plan, naming, hasTag: false)
        functions.append(tagFunction(plan, naming))
    }

    /// - Parameter hasTag: Whether the tag stands before the value.
    private mutating func writeUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, hasTag: Bool) {
        let maximum = types.description.options.maximumDepth
        var clauses: [String] = []
        for (index, arm) in plan.arms.enumerated() {
            clauses.append(clause(arm, ErlangText.atom(naming.cases[index]), number: index + 1, plan, hasTag: hasTag))
        }
        clauses.append("_ -> fail_without_offset({wrong_type, union}, [N | P])")
        let choice = "case V of\n        \(clauses.joined(separator: ";\n        "))\n    end"
        var lines: [String] = []
        if ErlangTokens.words(of: choice).contains("Q") { lines.append("Q = [N | P]") }
        if let prefix = plan.sizePrefix {
            lines += [
                "\(hasTag ? "{T, Body}" : "Body") = \(choice)", "Size = iolist_size(Body)",
                "Size =< \(ErlangTypes.number(Int128(prefix.maximum))) orelse "
                    + "fail_without_offset({too_long, Size, \(prefix.maximum)}, [N | P])",
                "[\(hasTag ? "T, " : "")\(count("Size", prefix)), Body]",
            ]
        } else {
            lines.append(choice)
        }
        let depth = lines.contains { ErlangTokens.words(of: $0).contains("D") } ? "D" : "_"
        let name = (hasTag ? "write_" : "bytes_of_") + naming.type
        functions.append(
            "\(name)(_, 0, N, P) -> fail_without_offset({too_deep, \(maximum)}, [N | P]);\n"
                + "\(name)(V, \(depth), N, P) ->\n" + join(lines))
    }

    /// Returns the clause of an arm: its tag and its value, apart if a size stands between them.
    private mutating func clause(
        _ arm: PlannedArm, _ atom: String, number: Int, _ plan: UnionPlan, hasTag: Bool
    ) -> String {
        let tag = ErlangUnionTag(types: types, type: plan.tag)
        func pair(_ tag: String, _ value: String) -> String {
            guard hasTag else { return value }
            return plan.sizePrefix != nil ? "{\(tag), \(value)}" : value == "[]" ? tag : "[\(tag), \(value)]"
        }
        guard let field = arm.field else { return "\(atom) -> \(pair(tag.bytes(arm.tag ?? 0), "[]"))" }
        let place = ErlangPlace(
            name: ErlangText.binary(arm.name), path: "Q", depth: "(D - 1)", number: number)
        let value = write(field.type, field.description, "V\(number)", place)
        guard arm.tag == nil else { return "{\(atom), V\(number)} -> \(pair(tag.bytes(arm.tag ?? 0), value))" }
        let known = plan.taggedArms.compactMap(\.tag).map { ErlangTypes.number($0) }.joined(separator: ", ")
        let kept = "kept_tag(\(self.number(ofTag: plan.tag, "T\(number)", place)), [\(known)], \(place.name), Q)"
        guard hasTag else {
            return "{\(atom), T\(number), V\(number)} ->\n            _ = \(kept),\n            \(value)"
        }
        let bytes =
            types.scalar(plan.tag).map { "<<(\(kept))\($0.writing)>>" } ?? "leb128(\(kept))"
        return "{\(atom), T\(number), V\(number)} -> \(pair(bytes, value))"
    }

    /// Returns the function for the tag that stands in another field: 0 if the union is not set.
    private func tagFunction(_ plan: UnionPlan, _ naming: ErlangNaming.Choice) -> String {
        var clauses = zip(plan.arms, naming.cases).map { arm, name in
            let atom = ErlangText.atom(name)
            guard let tag = arm.tag else {
                guard case .enumeration(let index, _) = plan.tag else { return "({\(atom), T, _}) -> T" }
                return "({\(atom), T, _}) -> \(types.numberFunction(index))(T)"
            }
            return "(\(arm.field == nil ? atom : "{\(atom), _}")) -> \(ErlangTypes.number(tag))"
        }
        clauses.append("(undefined) -> 0")
        return clauses.map { "tag_of_\(naming.type)" + $0 }.joined(separator: ";\n") + ".\n"
    }
}
