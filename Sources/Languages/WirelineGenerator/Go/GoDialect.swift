// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Go spells the statements that read and write packets.
///
/// Reader and writer keep their first error, so statements follow each other as in languages with exceptions. Only
/// values that may nest return early; otherwise their recursion would not end.
struct GoDialect: Dialect {
    let types: GoTypes
    var plan: GeneratorModel { types.plan }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String { types.type(type) }
    func range(of format: IntegerFormat) -> ClosedRange<Int128> { format.held.range }

    private func literal(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "[]byte{}" : "[]byte(\(GoText.string(bytes)))"
    }

    /// Whether nil is a value of the type itself.
    static func hasNil(_ type: CodeType) -> Bool {
        switch type {
        case .value(let value): GoTypes.hasNil(value)
        case .bytes: true
        case .number, .position, .boolean, .text, .header, .message: false
        }
    }

    var valueChecks: ValueChecks { .none }
    var unwrapParameter: String { "packet" }

    // MARK: Expressions

    let style = CodeStyle(
        indent: "\t", end: "", nothing: "nil", marks: [.shiftRight: ">>"], shiftsBindTightly: true,
        branch: ("if ", " {"), nextBranch: ("} else if ", " {"), loop: ("for ", " {"), endlessLoop: "for {")

    func string(_ text: String) -> String { GoText.string(text) }
    func text(_ syntax: Syntax) -> String { syntax.goText }

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .float(let number, _): .atom(GoText.float(number))
        case .bytes(let bytes): .atom(literal(bytes))
        case .sender(let sender): .atom(sender == .client ? "Client" : "Server")
        case .initial(let literal, let value): .atom(types.literal(literal, value))
        case .structure(let index): .composite(plan.names.structures[index].name, [])
        case .header(let isPart): .prefix("&", isPart ? .composite("Header", []) : .atom("packet.Header"))
        case .own(let name): .selector(.atom("m"), name)
        case .armMember(let member): .selector(.atom("a"), Self.own(member))
        case .count(let list): .call(.atom("len"), [syntax(list)])
        case .checksum(let kind, let bytes): checksum(kind, bytes)
        case .same(let left, let right, .bytes): .call(.atom("bytes.Equal"), [syntax(left), syntax(right)])
        case .same(let left, let right, _): joined(.equal, left, right)
        case .convert(.number(let number, _), _, let to): converted(number, to)
        case .convert(let inner, let from, let to):
            type(from) == type(to) ? syntax(inner) : .call(.atom(type(to)), [syntax(inner)])
        case .present(let inner, let type): Self.hasNil(type) ? syntax(inner) : .marked("*", syntax(inner))
        case .optional(let inner, let type): Self.hasNil(type) ? syntax(inner) : .marked("&", syntax(inner))
        default: nil
        }
    }

    /// Returns a literal of a type, wrapped to its width: one that does not fit would not compile.
    private func converted(_ number: Int128, _ type: CodeType) -> Syntax {
        var value = number
        if let format = type.format {
            let (width, isSigned) = (format.held.bitWidth, format.isSigned)
            value &= (1 << Int128(width)) - 1
            if isSigned, value >> Int128(width - 1) == 1 { value -= 1 << Int128(width) }
        }
        return .call(.atom(self.type(type)), [.atom(String(value))])
    }

    private func checksum(_ kind: ChecksumKind, _ bytes: Expression.ChecksumBytes) -> Syntax {
        let argument =
            switch bytes {
            case .read(let from, let to): Expression.call("r", "part", [from, to])
            case .written(let from, let to): Expression.call("w", "part", [from, to])
            // A copy has exactly the bytes needed.
            case .copy(let copy, _): copy
            }
        return .call(.atom("uint64"), [.call(.atom(GoRuntime.function(kind)), [syntax(argument)])])
    }

    private static func own(_ member: Expression.ArmMember) -> String {
        member.rawValue.prefix(1).uppercased() + member.rawValue.dropFirst()
    }

    // MARK: Statements

    /// Adds uses of variables that are only set, because Go's compiler refuses them; and a return if values nest too
    /// deeply.
    func completed(_ statements: [Statement]) -> [Statement] {
        let uses = statements.uses
        return statements.replacing { statement in
            switch statement {
            case .variable(let name, _, _) where uses[name] == nil: [statement, .evaluate(.name(name))]
            case .evaluate(.call(let object?, "deeper", let arguments)):
                [.choose(if: .not(.call(object, "deeper", arguments)), [.returns(nil)])]
            default: [statement]
            }
        }
    }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .constant(let name, let type, let value, _): return [constant(name, type, value)]
        case .variable(let name, let type, let value):
            return [value.isGoZero ? "var \(name) \(self.type(type))" : constant(name, type, value)]
        case .evaluate(let value):
            // Only a call is a statement.
            if case .call = value { return [text(value)] }
            return ["_ = \(text(value))"]
        case .assign(.name(let name), .chain(.plus, let parts)) where parts.isIncrement(of: name):
            return [name + "++"]
        case .count(let name, let count, let inner):
            return ["for \(name) := 0; \(name) < \(text(count)); \(name)++ {"] + indented(inner) + ["}"]
        case .select(let number, let branches):
            guard let last = branches.last else { return [] }
            let cases = branches.dropLast().enumerated().flatMap { ["case \($0):"] + indented($1) }
            return (cases.isEmpty ? [] : ["switch \(text(number)) {"] + cases + ["}"]) + lines(last)
        case .returnMore: return ["return false"]
        case .succeed(let value): return ["return \(text(value)), nil"]
        case .fail(let kind, let path): return ["return 0, &Error{\(text(.text(kind))), \(text(.text(path))), -1}"]
        case .fit(let values, let type, let function, let given):
            // The values of a list need no conversion.
            let list = list(self.type(type), values.map(\.evaluated))
            return [
                "if w.err != nil {", "\treturn nil", "}", "end := w.p", "for _, fit := range \(list) {",
                "\tw.p, w.err = end, nil", "\tpacket = \(function)(w, id, h, fit)",
                "\tif \(text(given.isSet)) || !w.doesNotFit() {", "\t\tbreak", "\t}", "}", "return packet",
            ]
        case .newList(let name, let item, _, let fixedCount?):
            return ["var \(name) [\(fixedCount)]\(types.typeName(item))"]
        case .newList(let name, let item, let capacity, nil):
            let list = Syntax.call(.atom("make"), [.atom("[]" + types.typeName(item)), .atom("0"), syntax(capacity)])
            return ["\(name) := \(text(list))"]
        case .append(let value, let list, _, nil):
            return ["\(list) = \(text(.call(.atom("append"), [.atom(list), syntax(value)])))"]
        case .append(let value, let list, let index, _): return ["\(list)[\(index)] = \(text(value))"]
        case .makeArm(let arm, let members):
            let items = members.map { (name: String?.some(Self.own($0.member)), value: syntax($0.value)) }
            return ["m = \(text(.composite(arm, items)))"]
        case .arms(let arms, let otherwise):
            return lines(arms, otherwise)
        case .received(_, let places):
            let known = places.isEmpty ? [] : ["packet.places = \(list("int", places))"]
            return ["packet.Size = total", "packet.id = id"] + known + ["return true"]
        case .receivedPart(let part): return [received(part), "return true"]
        default: return nil
        }
    }

    private func lines(_ arms: [(name: String, statements: [Statement])], _ otherwise: [Statement]) -> [String] {
        let usesArm = arms.contains { $0.statements.uses["a"] != nil }
        var lines = [usesArm ? "switch a := m.(type) {" : "switch m.(type) {"]
        for arm in arms { lines += ["case \(arm.name):"] + indented(arm.statements) }
        if !otherwise.isEmpty { lines += ["default:"] + indented(otherwise) }
        return lines + ["}"]
    }

    private func constant(_ name: String, _ type: CodeType, _ value: Expression) -> String {
        // An untyped literal would become an `int` or a `float64`.
        switch (type, value) {
        case (.position, _): return "\(name) := \(text(value))"
        case (_, .number), (_, .float): return "\(name) := \(self.type(type))(\(text(value)))"
        default: return "\(name) := \(text(value))"
        }
    }

    private func list(_ type: String, _ items: [Expression]) -> String {
        text(.composite("[]" + type, items.map { (nil, syntax($0)) }))
    }

    private func received(_ part: ReceivedPart) -> String {
        var members = [
            "id: id", "header: header", "body: body", "end: end", "after: total", "first: \(text(part.first))",
        ]
        if let counter = part.counter {
            members += [
                "hasCount: \(text(counter.isThere))", "count: \(text(counter.number))", "place: \(text(counter.place))",
            ]
        }
        members.append("rules: \(list("bool", part.rules))")
        if !part.places.isEmpty { members.append("places: \(list("int", part.places))") }
        return "*p = part{\(members.joined(separator: ", "))}"
    }
}

extension [Expression] {
    fileprivate func isIncrement(of variable: String) -> Bool {
        guard count == 2, case .name(variable) = self[0], case .number(1, _) = self[1] else { return false }
        return true
    }
}

extension Expression {
    /// Whether it equals the initial value of a Go variable.
    var isGoZero: Bool { if case .text("") = self { true } else { isZero } }
}
