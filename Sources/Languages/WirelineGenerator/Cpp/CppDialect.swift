// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How C++ spells the statements that read and write packets.
///
/// Reader and writer keep their first error, so statements follow each other as in languages with exceptions. Only
/// values that may nest return early; otherwise their recursion would not end.
struct CppDialect: Dialect {
    let types: CppTypes
    var plan: GeneratorModel { types.plan }

    // MARK: Types

    func type(_ type: CodeType) -> String { types.type(type) }
    func range(of format: IntegerFormat) -> ClosedRange<Int128> { format.held.range }
    func string(_ text: String) -> String { CppText.string(text) }
    var valueChecks: ValueChecks { .none }
    var unwrapParameter: String { "packet" }

    // MARK: Expressions

    let style = CodeStyle(nothing: "std::nullopt", marks: [.shiftRight: ">>"])

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, let type): .atom(CppTypes.literal(number, type.format))
        case .float(let number, let byteCount): .atom(CppText.float(number, byteCount: byteCount))
        case .text(let text) where text.utf8.contains(0): .atom(types.string(text))
        case .bytes(let bytes): .call(.atom("bytesOf"), [view(bytes)])
        case .sender(let sender): .atom("Sender::\(sender.rawValue)")
        case .initial(let literal, let value): .atom(types.literal(literal, value))
        case .structure(let index): .call(.atom(plan.names.structures[index].name), [])
        case .own(let name): .selector(.atom("m"), name)
        case .armMember(let member): unboxed(.atom("a->" + member.rawValue))
        case .item(.name(let table), let index) where ["at", "shapes"].contains(table):
            .index(.atom(table), .call(.atom("static_cast<std::size_t>"), [syntax(index)]))
        case .item(let list, let index): .call(.atom("item"), [syntax(list), syntax(index)])
        case .count(let list): .call(.atom("countOf"), [syntax(list)])
        case .call(let object, let function, let arguments): call(object, function, arguments)
        case .checksum(let kind, let bytes): .call(.atom(kind.rawValue), [syntax(covered(bytes))])
        case .same(let left, let right, _): joined(.equal, left, right)
        case .binary(.unequal, let value, .nothing): .call(.selector(syntax(value), "has_value"), [])
        case .binary(let mark, let left, let right): binary(mark, left, right)
        case .chain(.or, let parts): .chained("||", level: style.level(.or), parts.map(grouped))
        case .bits(let number, let from, let shift, let width, let to) where to.isSigned:
            syntax(
                Expression.call(
                    nil, "signedBits",
                    [number.converted(from: from, to: .uint64), .place(shift), .place(width)]
                ).converted(from: .int64, to: to))
        case .convert(let inner, let from, let to):
            type(from) == type(to) ? syntax(inner) : .call(.atom("static_cast<\(type(to))>"), [syntax(inner)])
        case .present(let inner, _): unboxed(.marked("*", syntax(inner)))
        case .optional(let inner, let type): type.isScalar ? syntax(inner) : moved(syntax(inner))
        case .finished(let list, _, _): moved(.atom(list))
        default: nil
        }
    }

    private func moved(_ value: Syntax) -> Syntax { .call(.atom("std::move"), [value]) }

    private func unboxed(_ value: Syntax) -> Syntax { types.hasBoxes ? .call(.atom("plain"), [value]) : value }

    private func view(_ bytes: [UInt8]) -> Syntax {
        .call(.atom("View"), [.atom(CppText.string(bytes)), .atom(String(bytes.count))])
    }

    /// Compilers warn about `&&` in `||` without parentheses.
    private func grouped(_ part: Expression) -> Syntax {
        if case .chain(.and, _) = part { .parentheses(syntax(part)) } else { syntax(part) }
    }

    private func covered(_ bytes: Expression.ChecksumBytes) -> Expression {
        switch bytes {
        case .read(let from, let to): .call("r", "part", [from, to])
        case .written(let from, let to): .call("w", "part", [from, to])
        // A copy has exactly the bytes needed.
        case .copy(let copy, _): copy
        }
    }

    private func binary(_ mark: Expression.Operator, _ left: Expression, _ right: Expression) -> Syntax {
        switch mark {
        case .shiftLeft, .shiftRight, .shiftRightSigned:
            // Compilers warn about sums as operands of a shift without parentheses.
            return .parentheses(.joined(style.mark(mark), level: 90, syntax(left), syntax(right)))
        default:
            guard mark.isOrder, case .number(let number, let type) = right, let format = type.format else { break }
            // Compilers warn about comparisons with a constant result.
            let held = format.held.range
            let isNever = mark == .less && number == held.lowerBound || mark == .greater && number == held.upperBound
            let isAlways =
                mark == .greaterOrEqual && number == held.lowerBound
                || mark == .lessOrEqual && number == held.upperBound
            if isNever || isAlways {
                return .parentheses(.atom("static_cast<void>(\(text(left))), \(isAlways)"))
            }
        }
        return joined(mark, left, right)
    }

    private func call(_ object: Expression?, _ function: String, _ arguments: [Expression]) -> Syntax? {
        guard let object else { return nil }
        guard case .name(let name) = object, ["r", "w"].contains(name) else {
            // These functions take the value as an argument.
            guard ["read", "write"].contains(function), let first = arguments.first else { return nil }
            return .call(
                .atom(function + "Value"), [syntax(first), syntax(object)] + arguments.dropFirst().map(syntax))
        }
        var parts = arguments.map { argument -> Syntax in
            if case .bytes(let bytes) = argument { view(bytes) } else { syntax(argument) }
        }
        if function == "zeroed" {
            parts = Array(parts.prefix(2)) + [.composite("", parts.dropFirst(2).map { (nil, $0) })]
        }
        return .call(.selector(.atom(name), function == "bool" ? "boolean" : function), parts)
    }

    // MARK: Statements

    /// Adds uses of variables that are only set; compilers warn about them.
    func completed(_ statements: [Statement]) -> [Statement] {
        let uses = statements.uses
        return statements.replacing { statement in
            if case .variable(let name, _, _) = statement, uses[name] == nil {
                return [statement, .evaluate(.name(name))]
            }
            return [statement]
        }
    }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .constant(let name, let type, let value, _): return [constant(name, type, value)]
        case .variable(let name, .header, _): return ["Header& \(name) = packet.\(name);"]
        case .variable("gap", _, _): return ["const char* gap = \"\";"]
        case .variable(let name, let type, .nothing): return ["\(self.type(type)) \(name);"]
        case .variable(let name, let type, let value): return ["\(self.type(type)) \(name) = \(text(value));"]
        case .evaluate(.call): return nil
        case .evaluate(let value): return ["static_cast<void>(\(text(value)));"]
        // The target is new.
        case .assign(.own, .structure): return []
        case .assign(let target, .nothing): return [text(target) + ".reset();"]
        case .count(let name, let count, let inner):
            return ["for (std::ptrdiff_t \(name) = 0; \(name) < \(text(count)); \(name)++) {"] + indented(inner) + ["}"]
        case .select(let number, let branches):
            guard let last = branches.last else { return [] }
            let cases = branches.dropLast().enumerated().flatMap { index, inner in
                let lines = lines(inner)
                return lines.count == 1
                    ? ["case \(index): \(lines[0])"] : ["case \(index): {"] + indented(lines) + ["}"]
            }
            guard !cases.isEmpty else { return lines(last) }
            return ["switch (\(text(number))) {"] + indented(cases + ["default: break;"]) + ["}"] + lines(last)
        case .returnMore: return ["return false;"]
        case .succeed(let value): return ["shape = \(text(value));", "return true;"]
        case .fail(let kind, let path):
            return ["error = Error{\(text(.text(kind))), \(text(.text(path))), -1};", "return false;"]
        case .fit(let values, let type, let function, let given):
            let list = values.map { text($0) }.joined(separator: ", ")
            return [
                "if (w.failed) return;", "const std::ptrdiff_t after = w.position();",
                "for (const \(self.type(type)) fit : std::initializer_list<\(self.type(type))>{\(list)}) {",
                "    w.retry(after);",
                "    \(function)(w, id, h, fit);",
                "    if (\(text(given.isSet)) || !w.doesNotFit()) return;", "}",
            ]
        case .newList(let name, let item, let capacity, _):
            let declaration = "std::vector<\(types.typeName(item))> \(name);"
            if case .number(0, _) = capacity { return [declaration] }
            return [declaration, "\(name).reserve(\(text(capacity)));"]
        case .append(let value, let list, _, _): return ["\(list).push_back(\(text(moved(syntax(value)))));"]
        case .makeArm(let arm, let members):
            guard !members.isEmpty else { return ["m.emplace<\(arm)>();"] }
            return ["auto& a = m.emplace<\(arm)>();"]
                + members.map { "a.\($0.member.rawValue) = \(text(moved(syntax($0.value))));" }
        case .arms(let arms, let otherwise): return lines(arms, otherwise)
        case .received(_, let places):
            return ["packet.byte_count = total;", "packet.id = id;"] + self.places(places) + ["return true;"]
        case .receivedPart(let part): return received(part) + ["return true;"]
        default: return nil
        }
    }

    /// Returns the declaration of a variable. A reference to a member avoids a copy; values just read may be moved.
    private func constant(_ name: String, _ type: CodeType, _ value: Expression) -> String {
        let own = self.type(type)
        guard !type.isScalar else { return "const \(own) \(name) = \(text(value));" }
        if case .present = value { return "const \(own)& \(name) = \(text(value));" }
        if case .structure = value { return "\(own) \(name);" }
        return "\(own) \(name) = \(text(value));"
    }

    private func lines(_ arms: [(name: String, statements: [Statement])], _ otherwise: [Statement]) -> [String] {
        guard !arms.isEmpty else { return lines(otherwise) }
        let branches = arms.enumerated().flatMap { index, arm in
            let usesArm = arm.statements.uses["a"] != nil
            let test =
                usesArm
                ? "const auto* a = m.get_if<\(arm.name)>()" : "m.get_if<\(arm.name)>()"
            return ["\(index == 0 ? "" : "} else ")if (\(test)) {"] + indented(arm.statements)
        }
        return branches + (otherwise.isEmpty ? [] : ["} else {"] + indented(otherwise)) + ["}"]
    }

    private func places(_ places: [Expression]) -> [String] {
        places.isEmpty ? [] : ["packet.at = {\(places.map { text($0) }.joined(separator: ", "))};"]
    }

    private func received(_ part: ReceivedPart) -> [String] {
        var lines = [
            "packet.id = id;", "packet.body = body;", "packet.end = end;", "packet.after = total;",
            "packet.first = \(text(part.first));",
        ]
        if let counter = part.counter {
            lines += [
                "packet.has_count = \(text(counter.isThere));", "packet.count = \(text(counter.number));",
                "packet.place = \(text(counter.place));",
            ]
        }
        return lines + ["packet.rules = {\(part.rules.map { text($0) }.joined(separator: ", "))};"]
            + places(part.places)
    }
}
