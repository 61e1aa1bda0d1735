// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that read and write unions.
///
/// The union is `m`, its tag `t`, the arm that it has `a`.
extension StatementPrinter {
    /// Returns how the tag of a union is read and written.
    func tag(_ index: Int) -> ValuePlan { plan.coding.value(plan.unions[index].plan.tag, nil, in: []) }

    /// Returns the tag without the numbers that a closed enum refuses: an unknown one is told as the union's.
    private func openTag(_ index: Int) -> NumberPlan {
        guard case .number(let number) = tag(index) else {
            return NumberPlan(format: .uint64, byteOrder: .bigEndian, kind: .plain, range: nil, closedNumbers: nil)
        }
        return NumberPlan(
            format: number.format, byteOrder: number.byteOrder, kind: number.kind, range: nil, closedNumbers: nil)
    }

    private func format(ofTag index: Int) -> IntegerFormat {
        if case .varint(let format, _) = tag(index) { return format.numberFormat }
        return openTag(index).format
    }

    /// Returns the number of a tag.
    private func number(ofTag index: Int, _ text: String) -> String {
        if case .number = tag(index) { dialect.number(of: text, openTag(index)) } else { text }
    }

    /// Returns the tag with a number.
    private func tag(_ index: Int, _ number: Int128) -> String {
        let literal = dialect.literal(number, format(ofTag: index))
        if case .number = tag(index) { return dialect.value(of: literal, openTag(index)) }
        return literal
    }

    private func readTag(_ index: Int) -> [String] {
        if case .number = tag(index) {
            return read(.number(openTag(index)), "f", into: .declare("t"), unique: "t")
        }
        return read(tag(index), "f", into: .declare("t"), unique: "t")
    }

    private func writeTag(_ index: Int, _ text: String) -> [String] {
        if case .number = tag(index) { return putUnchecked(.number(openTag(index)), text, "f") }
        return putUnchecked(tag(index), text, "f")
    }

    /// Returns the statements that write a tag of the schema: its number, without the type of an enum, whose conversions of literals
    /// not every compiler accepts.
    private func writeTag(_ index: Int, _ number: Int128) -> [String] {
        let literal = dialect.literal(number, format(ofTag: index))
        guard case .number(let tag) = self.tag(index) else { return putUnchecked(self.tag(index), literal, "f") }
        let plain = NumberPlan(
            format: tag.format, byteOrder: tag.byteOrder, kind: .plain, range: nil, closedNumbers: nil)
        return putUnchecked(.number(plain), literal, "f")
    }

    /// Returns the lines of the function that reads a union: its parameters are `r`, the tag `t` if it stands elsewhere, and `f`.
    func readUnion(_ index: Int, hasTag: Bool) -> [String] {
        let (union, arms) = plan.unions[index]
        var lines = union.countsDepth ? [reading("deeper", "f")] : []
        lines.append(declare("p", .position, read("position"), effect: nil))
        if hasTag { lines += readTag(index) }
        if let prefix = union.sizePrefix {
            lines += entering(prefix, countsDepth: false)
        } else {
            lines.append(reading("enter", "f"))
        }
        lines += dialect.variable("m", .value(.union(index, tagSource: nil)), dialect.nothing)
        var branches: [(condition: String, lines: [String])] = []
        let unknown = { (isKnown: String) in
            self.reading("verify", isKnown, self.word("unknown_case"), self.dialect.string(""), "p")
        }
        var otherwise = [unknown("false")]
        let number = number(ofTag: index, "t")
        for (position, arm) in union.arms.enumerated() {
            var members: [(name: String, value: String)] = []
            var made: [String] = []
            if let field = arms[position].fields.first {
                made = read(field.value, dialect.string(arm.name), into: .declare("v"), unique: "v")
                members = arm.tag == nil ? [("tag", "t"), ("bytes", "v")] : [("value", "v")]
            }
            made += dialect.makeArm(plan.names.unions[index].cases[position], members)
            if let tag = arm.tag {
                branches.append((dialect.compare(number, "==", tag, format(ofTag: index)), made))
                continue
            }
            otherwise = made
            // A tag in another field that is no case of a closed enum has been refused.
            if plan.coding.isClosed(union.tag), hasTag, case .number(let plan) = tag(index),
                let cases = plan.closedNumbers
            {
                otherwise = [unknown(isOne(of: cases, number, plan.format))] + made
            }
        }
        lines += branches.isEmpty ? otherwise : dialect.choose(branches, otherwise: otherwise)
        lines += leaving(union.sizePrefix, countsDepth: union.countsDepth)
        return settled(lines + [dialect.returns("m")])
    }

    /// Returns the lines of the function that writes a union: its parameters are `w`, `m` and `f`.
    func writeUnion(_ index: Int, hasTag: Bool) -> [String] {
        let (union, arms) = plan.unions[index]
        var lines = union.countsDepth ? [writing("deeper", "f")] : []
        lines.append(writing("enter", "f"))
        if union.sizePrefix != nil { lines += dialect.variable("s", .position, written("position")) }
        let cases = union.arms.enumerated().map { position, arm -> (name: String, lines: [String]) in
            var statements: [String] = []
            let own = dialect.string(arm.name)
            if let number = arm.tag {
                if hasTag { statements = writeTag(index, number) }
            } else {
                let given = dialect.armMember("tag")
                let known = union.taggedArms.compactMap(\.tag)
                statements = check(tag(index), given, own, "w")
                if !known.isEmpty {
                    let isKnown = isOne(of: known, number(ofTag: index, given), format(ofTag: index))
                    statements.append(writing("require", "!(\(isKnown))", word("known_case"), own))
                }
                if hasTag { statements += writeTag(index, given) }
            }
            if let prefix = union.sizePrefix {
                statements += roomForPrefix(prefix) + [dialect.assign("s", written("position"))]
            }
            if let field = arms[position].fields.first {
                statements += put(
                    field.value, dialect.armMember(arm.tag == nil ? "bytes" : "value"), own, unique: "v")
            }
            return (plan.names.unions[index].cases[position], statements)
        }
        lines += dialect.arms(cases, otherwise: [writing("require", "false", word("wrong_type"), dialect.string(""))])
        lines.append(writing("leave"))
        if let prefix = union.sizePrefix { lines.append(writtenPrefix(prefix, "s", "f")) }
        if union.countsDepth { lines.append(writing("shallower")) }
        return settled(lines)
    }

    /// Returns the lines of the function for the tag of the union `m`, which stands in another field: 0 if there is no union.
    func tagOfUnion(_ index: Int) -> [String] {
        let (union, _) = plan.unions[index]
        let cases = union.arms.enumerated().map { position, arm in
            let number = arm.tag.map { tag(index, $0) } ?? dialect.armMember("tag")
            return (name: plan.names.unions[index].cases[position], lines: [dialect.returns(number)])
        }
        return dialect.arms(cases, otherwise: []) + [dialect.returns(tag(index, 0))]
    }
}
