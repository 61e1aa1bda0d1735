// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Python spells the statements that read and write packets.
///
/// Readers get the bytes `b`, an offset `p` and an end `e`, and return a value and the offset after it. Writers are
/// expressions for bytes. The program's values may have any type, so writers check type and range together.
struct PythonDialect: Dialect {
    let types: PythonTypes
    let scope: Scope
    var plan: GeneratorModel { types.plan }

    /// The kind of function that contains the statements.
    enum Scope {
        /// It reads or writes a whole packet. The packet begins at `start`.
        case packet(PacketShape)
        /// It checks the header fields that a message fixes. `at` holds the offsets of fields.
        case fixedHeader
        /// It handles the states of a connection.
        case connection
        /// It reads the values of a body. `d` is the number of levels left.
        case reading
        /// It writes the values of the body `m` to the bytes `w`. `d` is the number of levels left.
        case writing
    }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String { types.type(type) }

    /// Integers have no limits. States are checked before.
    func range(of format: IntegerFormat) -> ClosedRange<Int128> {
        if case .connection = scope { format.range } else { Int128.min...Int128.max }
    }

    let style = CodeStyle(
        end: "", nothing: "None", not: "not ", marks: [.or: "or", .and: "and", .shiftRight: ">>"],
        branch: ("if ", ":"), nextBranch: ("elif ", ":"), otherwise: "else:", loop: ("while ", ":"),
        endlessLoop: "while True:", endOfBlock: nil)

    var unwrapParameter: String { "sender" }
    var valueChecks: ValueChecks { .none }
    var packsNumbers: Bool { true }
    var catchesErrors: Bool { true }
    var helperPrefix: String { "_" }
    var hasSparseHeaders: Bool { true }

    func string(_ text: String) -> String { PythonText.string(text) }

    func checked(_ value: ValuePlan, _ given: Expression, _ name: Expression) -> Expression? {
        func within(_ range: ClosedRange<Int128>, _ word: String = "checked", _ cases: Expression...) -> Expression {
            let limits = [range.lowerBound, range.upperBound].map { Expression.number($0, .int64) }
            return .call("w", word, [given] + cases + limits + [name])
        }
        switch value {
        case .boolean: return .call("w", "checkedBool", [given, name])
        case .number(let number):
            guard let index = number.closedEnumeration else { return within(number.allowed) }
            return within(number.format.range, "checkedCase", .isCase(given, of: index))
        case .varint(_, let allowed): return within(allowed)
        default: return nil
        }
    }

    func unchecked(_ given: Expression, _ range: ClosedRange<Int128>) -> Expression {
        .call("w", "fitting", [given, .number(range.lowerBound, .int64), .number(range.upperBound, .int64)])
    }

    // MARK: Expressions

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .boolean(let value): .atom(value ? "True" : "False")
        case .float(let number, _): .atom(PythonText.float(number))
        case .own(let name): .atom(member(name))
        // The offset of a union.
        case .name("p"): .atom("first")
        case .initial(let literal, _): .atom(types.literal(literal))
        case .isCase(let number, let index): .joined("in", level: 5, syntax(number), .atom(types.cases[index]))
        case .bytes(let bytes): .atom(PythonText.bytes(bytes))
        case .sender(let sender): .atom("\"\(sender.rawValue)\"")
        case .header: .atom("{}")
        case .record(let members):
            .composite("", members.map { (name: string($0.name), value: syntax($0.value)) })
        case .armMember(let member): .selector(.atom("m"), Self.member(member))
        case .packAll(let format, let list): writer.packed(format, list)
        case .count(let list): .call(.atom("len"), [syntax(list)])
        case .member(let object, let name):
            .call(.selector(table(object), "get"), [.atom(string(name))] + absent(object))
        case .present(.member(.name("h"), let name), _) where isWriting:
            .call(.atom("_number"), [.atom("h"), .atom(string(name))])
        case .present(.member(let object, let name), _): .index(table(object), .atom(string(name)))
        case .item(.name("shapes"), let index): .index(.atom("_SHAPES"), syntax(index))
        case .binary(.unequal, let value, .nothing): .joined("is not", level: 5, syntax(value), .atom("None"))
        case .binary(.equal, let value, .nothing): .joined("is", level: 5, syntax(value), .atom("None"))
        case .same(let left, let right, _): joined(.equal, left, right)
        case .convert(let inner, _, .value(.number(let number))): named(inner, number)
        case .convert(let inner, let from, .number(.uint64)) where from.format?.isSigned == true:
            joined(.bitAnd, inner, .number(Int128(UInt64.max), .uint64))
        case .bits(let number, let from, let shift, let width, let to):
            bits(number, isSigned: from.isSigned, shift, width, isWhole: width >= from.bitWidth, to)
        case .checksum(let kind, let bytes): .call(.atom("_\(kind.rawValue)"), [checked(bytes)])
        case .pack(let parts): writer.packed(parts)
        case .call(.name("r")?, let word, let arguments): reader.expression(word, arguments)
        case .call(.name("w")?, let word, let arguments): writer.expression(word, arguments)
        case .call(.structure(let index)?, "write", let arguments):
            .call(.atom(types.structures[index].write), [syntax(arguments[1]), .atom("d"), reader.path(arguments[2])])
        case .call(nil, let function, let arguments) where expression.isCall:
            .call(.atom(function), [syntax(arguments[1]), .atom("d"), reader.path(arguments[2])])
        default: nil
        }
    }

    private var reader: PythonReader { PythonReader(dialect: self) }
    private var writer: PythonWriter { PythonWriter(dialect: self) }

    /// Returns the variable for a member being read, or the member of a body being written.
    private func member(_ own: String) -> String { if case .writing = scope { "m." + own } else { "v_" + own } }

    private static func member(_ member: Expression.ArmMember) -> String {
        member == .bytes ? "payload" : member.rawValue
    }

    /// Returns the table with the members of a header or of a connection.
    private func table(_ object: Expression) -> Syntax {
        if case .name("c") = object { .atom("c.states") } else { syntax(object) }
    }

    /// Returns the value of a missing member: 0 for a state.
    private func absent(_ object: Expression) -> [Syntax] { if case .name("c") = object { [.atom("0")] } else { [] } }

    /// Converts a number to its enum case; numbers of other types do not change.
    private func named(_ number: Expression, _ plan: PlannedNumber) -> Syntax {
        guard case .enumeration(let index) = plan.kind else { return syntax(number) }
        if case .number(let value, _) = number { return .atom(types.literal(.integer(value, .number(plan)))) }
        let (cases, own) = (Syntax.atom(types.cases[index]), syntax(number))
        if plan.isClosed, case .reading = scope { return .index(cases, own) }
        return .call(.selector(cases, "get"), [own, own])
    }

    private func bits(
        _ number: Expression, isSigned: Bool, _ shift: Int, _ width: Int, isWhole: Bool, _ to: IntegerFormat
    ) -> Syntax {
        var bits = shift == 0 ? number : .binary(.shiftRight, number, .place(shift))
        if isSigned || !isWhole { bits = .binary(.bitAnd, bits, .number((1 << Int128(width)) - 1, .uint64)) }
        return to.isSigned ? .call(.atom("_signed"), [syntax(bits), .atom(String(width))]) : syntax(bits)
    }

    var isWriting: Bool { if case .writing = scope { true } else { false } }

    private func checked(_ bytes: Expression.ChecksumBytes) -> Syntax {
        switch bytes {
        case .read(let from, let to): slice("b", reader.place(from), reader.place(to))
        case .written(let from, let to): .call(.atom("bytes"), [slice("o", syntax(from), syntax(to))])
        case .copy(let copy, _): syntax(copy)
        }
    }

    func slice(_ bytes: String, _ from: Syntax, _ to: Syntax) -> Syntax {
        .index(.atom(bytes), .atom("\(text(from)):\(text(to))"))
    }

    // MARK: Statements

    func completed(_ statements: [Statement]) -> [Statement] {
        if case .writing = scope { return writer.withBytes(statements) }
        var all = statements
        for index in all.indices.dropLast().reversed() {
            switch (all[index], all[index + 1]) {
            case (.variable("id", let type, .number(0, _)), .assign(.name("id"), let value)):
                // The first bits of an ID need no shift.
                all[index...index + 1] = [.constant("id", type, value.withoutPart("id"))]
            case (.variable("header", let type, _), _):
                let members = all[(index + 1)...].prefix { $0.headerMember != nil }.compactMap(\.headerMember)
                all[index...index + members.count] = [.variable("header", type, .record(members))]
            case (.variable("o", _, _), _):
                let parts = all[(index + 1)...].dropLast().map(\.packedBytes)
                guard parts.allSatisfy({ $0 != nil }) else { break }
                all[index...] = [.returns(.joined(parts.compactMap(\.self), .plus))]
            default: break
            }
        }
        return all
    }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .evaluate(let value) where value.isCall && isWriting: return ["w += \(text(value))"]
        case .pack(let bytes, let name, let otherwise):
            let isSum = if case .constant(name, _, _, _)? = otherwise.first { true } else { false }
            return PythonText.block("try:", ["\(isSum ? "\(name) =" : "w +=") \(text(bytes))"])
                + PythonText.block("except _UNFIT:", lines(otherwise))
        case .constant(let name, _, .present(let value, _), _) where isWriting: return ["\(name): Any = \(text(value))"]
        case .count(let name, let count, let inner):
            return PythonText.block("for \(name) in range(\(text(count))):", lines(inner))
        case .arms(let arms, let otherwise):
            let branches = arms.enumerated().flatMap { index, arm in
                PythonText.block("\(index == 0 ? "if" : "elif") isinstance(m, \(arm.name)):", lines(arm.statements))
            }
            return branches + (otherwise.isEmpty ? [] : PythonText.block("else:", lines(otherwise)))
        case .variable("w", _, _): return ["w = bytearray()"]
        case .constant("p", _, let value, _): return ["first = \(text(value))"]
        case .constant(let name, _, let value, _), .assign(.name(let name), let value):
            return reader.read(value, into: name) ?? ["\(name) = \(text(value))"]
        case .assign(.own(let own), let value):
            return reader.read(value, into: member(own)) ?? ["\(member(own)) = \(text(value))"]
        case .variable("m", let type, _): return ["m: \(self.type(type))"]
        case .makeArm(let arm, let members):
            return ["m = \(arm)(\(members.map { text($0.value) }.joined(separator: ", ")))"]
        case .returns(.name("m")?): return ["return m, p"]
        case .newList(let name, let item, _, _): return ["\(name): list[\(types.typeName(item))] = []"]
        case .append(let value, let list, _, _): return ["\(list).append(\(text(value)))"]
        case .loop(let condition?, let inner):
            // Skips the byte that ended the list.
            let isEnded = if case .call(_, "anotherUntil", _) = condition { true } else { false }
            return PythonText.block("while \(text(condition)):", lines(inner)) + (isEnded ? ["p += 1"] : [])
        case .within(let name, let inner):
            return PythonText.block("try:", lines(inner))
                + ["except WireError as error:", "    raise _under(error, \(text(reader.path(name)))) from None"]
        case .unpackRun(let parts): return reader.unpack(parts)
        case .variable(let name, .header, let value): return ["\(name): \(type(.header)) = \(text(value))"]
        case .variable("o", _, _): return ["o = bytearray()"]
        case .variable(let name, _, let value): return ["\(name) = \(text(value))"]
        case .assign(.member(let object, let name), let value):
            return ["\(text(table(object)))[\(string(name))] = \(text(value))"]
        case .evaluate(.pack(let parts)): return ["\(isWriting ? "w" : "o") += \(text(writer.packed(parts)))"]
        case .evaluate(.call(.name("r")?, let word, let arguments)): return reader.statement(word, arguments)
        case .evaluate(.call(.name("w")?, let word, let arguments)):
            return writer.statement(word, arguments)
        case .unpack(let fields): return reader.unpack(fields)
        case .choose(let branches, let otherwise) where branches.count == 1 && otherwise.isEmpty:
            return wanting(branches[0])
        case .returnMore: return ["return size + 1"]
        case .fail(let kind, let path): return ["raise WireError(\(string(kind)), \(string(path)))"]
        case .fit(let values, _, _, let given): return fit(values, given)
        case .received(_, let places): return received(places)
        case .receivedPart(let part): return [received(part)]
        default: return nil
        }
    }

    /// Returns the branch that reports how many bytes are needed; nil for other branches.
    private func wanting(_ branch: Statement.Branch) -> [String]? {
        let test = "if \(text(branch.condition)): "
        switch branch.statements.first {
        case .returnMore?:
            guard case .binary(.less, .call(_, "size", _), let count) = branch.condition else {
                return [test + "return size + 1"]
            }
            return [test + "return \(text(count))"]
        case .evaluate(.call(_, "wants", let total))?: return [test + "return int(\(text(total[0])))"]
        default: return nil
        }
    }

    private func fit(_ values: [Expression], _ given: Expression) -> [String] {
        guard case .packet(let shape) = scope else { return [] }
        let fitted = "return _fitted\(shape.pythonSuffix)(id, payload, h, "
        let first = PythonText.tuple(values.dropLast().map { text($0) })
        return PythonText.block(
            "for fit in \(first):",
            [
                "try:", "    \(fitted)fit)", "except WireError as error:",
                "    if \(text(given.isSet)) or error.kind not in _DOES_NOT_FIT: raise",
            ]) + (values.last.map { ["\(fitted)\(text($0)))"] } ?? [])
    }

    /// Returns the statements that read a packet's message.
    private func received(_ places: [Expression]) -> [String] {
        let looks = plan.description.hasHeaderConditions ? ", header" : ""
        let (body, end) = (text(reader.place("body")), text(reader.place("end")))
        let read = "read(b, \(body), \(end), \(plan.description.options.maximumDepth)\(looks))"
        let unknown = "Packet(Unknown(id, b[\(body):\(end)]), id, header, total)"
        let found = ["try:", "    own, read\(places.isEmpty ? "" : ", verify") = readers[id]"]
        let verification = "if verify is not None: verify(b, header, \(tuple(places.map(reader.place))))"
        return found + ["except KeyError:", "    return \(unknown)"] + (places.isEmpty ? [] : [verification])
            + ["name = own", "return Packet(\(read), id, header, total)"]
    }

    private func received(_ part: ReceivedPart) -> String {
        let count = part.counter.map { counter in
            let pair = "(\(text(counter.number)), \(text(counter.place)))"
            if case .boolean(true) = counter.isThere { return pair }
            return "\(pair) if \(text(counter.isThere)) else None"
        }
        let first: Expression = part.first
        let arguments = ["id", "header"] + ["body", "end", "total", first].map { text(reader.place($0)) }
        let rest = [count ?? "None", tuple(part.rules.map(syntax)), tuple(part.places.map(reader.place))]
        return "return _Part(\((arguments + rest).joined(separator: ", ")))"
    }

    private func tuple(_ items: [Syntax]) -> String { items.isEmpty ? "()" : PythonText.tuple(items.map { text($0) }) }
}

extension Expression {
    /// Removes a part that is a variable with the value 0.
    fileprivate func withoutPart(_ name: String) -> Expression {
        guard case .packed(let parts, let format) = self else { return self }
        let others = parts.filter { if case .name(name) = $0.part { false } else { true } }
        return others.count == 1 && others[0].shift == 0 ? others[0].part : .packed(others, format)
    }
}

extension Statement {
    /// The bytes that it adds to a packet; nil for other statements.
    fileprivate var packedBytes: Expression? {
        guard case .evaluate(let value) = self else { return nil }
        if case .call(_, "setUint", _) = value { return nil }
        return value
    }

    /// The member of a new header that it sets; nil for other statements.
    fileprivate var headerMember: (name: String, value: Expression)? {
        guard case .assign(.member(.name("header"), let key), let value) = self else { return nil }
        return (key, value)
    }
}
