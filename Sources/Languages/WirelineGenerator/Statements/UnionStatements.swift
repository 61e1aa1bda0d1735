// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that read and write unions.
///
/// The variables are the union `m`, its tag `t`, and its arm `a`.
extension StatementBuilder {
    func tag(_ index: Int) -> ValuePlan { plan.coding.value(plan.unions[index].plan.tag, nil, in: []) }

    /// Returns the tag without the range of a closed enum: the union itself reports an unknown tag.
    private func openTag(_ index: Int) -> PlannedNumber {
        guard case .number(let number) = tag(index) else { return PlannedNumber(.uint64, .bigEndian) }
        return PlannedNumber(number.format, number.byteOrder, number.kind)
    }

    private func format(ofTag index: Int) -> IntegerFormat {
        if case .varint(let format, _) = tag(index) { return dialect.format(of: format) }
        return openTag(index).format
    }

    private func number(ofTag index: Int, _ tag: Expression) -> Expression {
        if case .number = self.tag(index) { openTag(index).number(of: tag) } else { tag }
    }

    private func tag(_ index: Int, _ number: Int128) -> Expression {
        let literal = Expression.number(number, format(ofTag: index))
        if case .number = tag(index) { return openTag(index).value(of: literal) }
        return literal
    }

    private func readTag(_ index: Int) -> [Statement] {
        if case .number = tag(index) {
            return read(.number(openTag(index)), "f", into: .declare("t"), unique: "t")
        }
        return read(tag(index), "f", into: .declare("t"), unique: "t")
    }

    private func writeTag(_ index: Int, _ tag: Expression) -> [Statement] {
        if case .number = self.tag(index) { return putUnchecked(.number(openTag(index)), tag, "f") }
        return putUnchecked(self.tag(index), tag, "f")
    }

    /// Writes a tag of the schema as a plain number, because not every compiler accepts conversions of literals to an
    /// enum.
    private func writeTag(_ index: Int, _ number: Int128) -> [Statement] {
        let literal = Expression.number(number, format(ofTag: index))
        guard case .number(let tag) = self.tag(index) else { return putUnchecked(self.tag(index), literal, "f") }
        return putUnchecked(.plain(tag.format, tag.byteOrder), literal, "f")
    }

    /// Returns the statements that read a union. The parameters are `r`, `f`, and the tag `t` if it is elsewhere.
    func readUnion(_ index: Int, hasTag: Bool) -> [Statement] {
        let (union, arms) = plan.unions[index]
        let (prefix, countsDepth) = (union.sizePrefix, union.countsDepth)
        var statements = countsDepth ? [reading("deeper", "f")] : []
        statements.append(.constant("p", .position, read("position")))
        if hasTag { statements += readTag(index) }
        var branches: [Statement.Branch] = []
        let unknown = { (isKnown: Expression) in
            self.reading("verify", isKnown, .text("unknown_case"), .text(""), "p")
        }
        var otherwise = [unknown(false)]
        let number = number(ofTag: index, "t")
        for (position, arm) in union.arms.enumerated() {
            var members: [(member: Expression.ArmMember, value: Expression)] = []
            var made: [Statement] = []
            if let field = arms[position].fields.first {
                // In a language without declarations, a variable has one type in all branches.
                let value = dialect.catchesErrors ? "v\(position)" : "v"
                made = readTraced(field.value, .text(arm.name), into: .declare(value), unique: value)
                // Tags outside a closed enum were refused before.
                let own: Expression =
                    dialect.hasRecords
                    ? .convert("t", from: .number(format(ofTag: index)), to: .value(tag(index))) : "t"
                members = arm.tag == nil ? [(.tag, own), (.bytes, .name(value))] : [(.value, .name(value))]
            }
            made.append(.makeArm(plan.names.unions[index].cases[position], members))
            if let tag = arm.tag {
                let isArm = number.compared(.equal, tag, format(ofTag: index))
                branches.append(Statement.Branch(condition: isArm, statements: made))
                continue
            }
            otherwise = made
            // A tag in another field that is outside a closed enum was refused before.
            if hasTag, case .number(let own) = tag(index), let enumeration = own.closedEnumeration {
                otherwise = [unknown(isCase(number, of: enumeration))] + made
            }
        }
        let own = Statement.variable("m", .value(.union(index, tagSource: nil)), .nothing)
        return statements + inside(prefix, [own, .choose(branches, otherwise: otherwise)])
            + (countsDepth ? [reading("shallower")] : []) + [.returns("m")]
    }

    /// Returns the statements that write a union. The parameters are `w`, `m` and `f`.
    func writeUnion(_ index: Int, hasTag: Bool) -> [Statement] {
        let (union, arms) = plan.unions[index]
        var statements = union.countsDepth ? [writing("deeper", "f")] : []
        let before: [Statement] = union.sizePrefix == nil ? [] : [.variable("s", .position, written("position"))]
        let cases = union.arms.enumerated().map { position, arm -> (name: String, statements: [Statement]) in
            var inner: [Statement] = []
            let own = Expression.text(arm.name)
            if let number = arm.tag {
                if hasTag { inner = writeTag(index, number) }
            } else {
                let given = Expression.armMember(.tag)
                let known = union.taggedArms.compactMap(\.tag)
                inner = check(tag(index), given, own, "w")
                if !known.isEmpty {
                    let isKnown = isOne(of: known, number(ofTag: index, given), format(ofTag: index))
                    inner.append(writing("require", .not(isKnown), .text("known_case"), own))
                }
                if hasTag { inner += writeTag(index, given) }
            }
            if let prefix = union.sizePrefix {
                inner += roomForPrefix(prefix) + [.assign("s", written("position"))]
            }
            if let field = arms[position].fields.first {
                inner += put(field.value, .armMember(arm.tag == nil ? .bytes : .value), own, unique: "v")
            }
            return (plan.names.unions[index].cases[position], inner)
        }
        let refusal = writing("require", false, .text("wrong_type"), .text(""))
        statements += within("w", "f", before + [.arms(cases, otherwise: [refusal])])
        if let prefix = union.sizePrefix { statements.append(writtenPrefix(prefix, "s", "f")) }
        if union.countsDepth { statements.append(writing("shallower")) }
        return statements
    }

    /// Returns the statements that find the tag of the union `m` for another field: 0 if there is no union.
    func tagOfUnion(_ index: Int) -> [Statement] {
        let (union, _) = plan.unions[index]
        let cases = union.arms.enumerated().map { position, arm in
            let number =
                arm.tag.map { tag(index, $0) } ?? dialect.unchecked(.armMember(.tag), format(ofTag: index).range)
            return (name: plan.names.unions[index].cases[position], statements: [Statement.returns(number)])
        }
        return [.arms(cases, otherwise: []), .returns(tag(index, 0))]
    }
}
