// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The common parts of the languages with classes and exceptions: Java and C#.
protocol BraceDialect: Dialect {
    func filled(_ array: Syntax, _ item: String) -> Syntax

    /// Returns the expression for an empty list of properties.
    func noProperties(_ type: String) -> String

    func resize(_ array: String, _ count: String) -> String

    /// Returns the name of a class, a member or a function in printed code.
    func spelled(_ name: String) -> String

    func sender(_ sender: Sender) -> String

    /// Returns the function of the class `Checksum`.
    func name(_ checksum: ChecksumKind) -> String

    /// Returns the lines that try values in order; the first one that encodes is used.
    ///
    /// - Parameter given: The header's member.
    func fit(_ values: [String], _ type: String, _ function: String, given: String) -> [String]

    var classTest: String { get }
}

extension BraceDialect {
    var valueChecks: ValueChecks { .null }
    var unwrapParameter: String { "sender" }

    // MARK: Expressions

    /// Returns an expression that both languages write alike.
    func common(_ expression: Expression) -> Syntax? {
        switch expression {
        case .sender(let sender): .atom(self.sender(sender))
        case .initial(let literal, let value): initial(literal, value)
        case .structure(let index): new(plan.names.structures[index].name)
        case .header: new("Header")
        case .inPacket(.number(let place, _)): syntax(Self.start.plus(Int(place)))
        case .inPacket(let place): syntax(Self.start.plus(place))
        case .armMember(let member): .selector(.atom("a"), spelled(member.rawValue))
        case .count(let list): .selector(syntax(list), spelled("length"))
        case .call(let object, let function, let arguments):
            .call(
                object.map { .selector(syntax($0), spelled(function)) } ?? .atom(spelled(function)),
                arguments.map(syntax))
        case .checksum(let kind, .read(let from, let to)):
            checksum(kind, .selector(.atom("r"), "b"), Self.start.plus(from), Self.start.plus(to))
        case .checksum(let kind, .written(let from, let to)): checksum(kind, .selector(.atom("w"), "b"), from, to)
        case .checksum(let kind, .copy(let copy, let byteCount)): checksum(kind, syntax(copy), 0, byteCount)
        default: nil
        }
    }

    /// The offset of the packet's first byte in the reader's bytes.
    static var start: Expression { .member("r", "start") }

    private func new(_ type: String) -> Syntax { .call(.atom("new " + type), []) }

    private func checksum(_ kind: ChecksumKind, _ bytes: Syntax, _ from: Expression, _ to: Expression) -> Syntax {
        .call(.selector(.atom("Checksum"), name(kind)), [bytes, syntax(from), syntax(to)])
    }

    /// Splits the type of a list's items into its name and its brackets.
    private func parts(ofItem item: ValuePlan) -> (type: String, brackets: String) {
        switch item.content {
        case .list(let inner, _, _):
            let parts = parts(ofItem: inner)
            return (parts.type, parts.brackets + "[]")
        case .content(_, .bytes): return ("byte", "[]")
        default: return (type(.value(item)), "")
        }
    }

    /// Returns a new array with the language's initial values.
    private func array(of item: ValuePlan, _ count: String) -> Syntax {
        let (type, brackets) = parts(ofItem: item)
        return .atom("new \(type)[\(count)]\(brackets)")
    }

    private func initial(_ literal: LiteralPlan, _ value: ValuePlan) -> Syntax {
        switch (literal, value) {
        case (_, .union): return syntax(.nothing)
        case (_, .sized(let content, _, _)): return initial(literal, content)
        case (.integer(let number, .number(let plan)), _):
            return syntax(plan.value(of: .number(number, plan.format)))
        case (.integer(let number, .varint(let format, _)), _): return syntax(.number(number, format.numberFormat))
        case (.integer(let number, _), _): return .atom(String(number))
        case (.boolean(let value), _): return .atom(String(value))
        case (.float(let number), .float(let byteCount, _, _)): return syntax(.float(number, byteCount: byteCount))
        case (.float(let number), _): return syntax(.float(number, byteCount: 8))
        case (.text(let text), _): return syntax(.text(text))
        case (.zeros(let byteCount), _): return .atom("new byte[\(byteCount)]")
        case (.noProperties, _): return .atom(noProperties(type(.value(value))))
        case (.list(let item, let count), .list(let plan, _, _)):
            let empty = array(of: plan, String(count))
            switch item {
            case .integer, .boolean, .float: return empty
            default: return count == 0 ? empty : filled(empty, text(initial(item, plan)))
            }
        case (.list, _): return syntax(.nothing)
        case (.structure(let index), _): return syntax(.structure(index))
        }
    }

    // MARK: Statements

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .constant(let name, let type, let value, _), .variable(let name, let type, let value):
            return ["\(self.type(type)) \(name) = \(text(value));"]
        case .count(let name, let count, let inner):
            return ["for (int \(name) = 0; \(name) < \(text(count)); \(name)++) {"] + indented(inner) + ["}"]
        case .select(let number, let branches):
            let cases = branches.enumerated().flatMap { index, statements in
                let label = index + 1 == branches.count ? "default:" : "case \(index):"
                // All cases share one scope.
                let declares = statements.contains(where: \.isDeclaration)
                return [declares ? label + " {" : label] + indented(statements) + (declares ? ["}"] : [])
            }
            return ["switch (\(text(number))) {"] + indented(cases) + ["}"]
        case .returnMore: return ["return null;"]
        case .fail(let kind, let path):
            return ["throw new WireException(\(text(.text(kind))), \(text(.text(path))), -1);"]
        case .fit(let values, let type, let function, let given):
            return fit(values.map { text($0) }, self.type(type), spelled(function), given: text(given))
        case .newList(let name, let item, let capacity, _):
            return ["\(type(.value(item)))[] \(name) = \(text(array(of: item, text(capacity))));"]
        case .append(let value, let list, let index, _):
            return [
                "if (\(index) == \(text(.count(.name(list))))) \(resize(list, "2 * \(index) + 4"))",
                "\(list)[\(index)] = \(text(value));",
            ]
        case .makeArm(let arm, let members):
            guard !members.isEmpty else { return ["m = new \(arm)();"] }
            return ["\(arm) a = new \(arm)();"]
                + members.map { "\(text(.armMember($0.member))) = \(text($0.value));" } + ["m = a;"]
        case .arms(let arms, let otherwise): return lines(arms, otherwise)
        case .received(let shape, let places):
            let sender = shape.sender.map { text(.sender($0)) } ?? "sender"
            let list = places.isEmpty ? [] : [array("int", places)]
            let arguments = ["r", "id", "header", "total", sender] + list
            return ["return \(spelled("receive"))(\(arguments.joined(separator: ", ")));"]
        case .receivedPart(let part): return [received(part)]
        default: return nil
        }
    }

    private func array(_ type: String, _ items: [Expression]) -> String {
        "new \(type)[] {\(items.map { text($0) }.joined(separator: ", "))}"
    }

    /// Returns the branches for a union's arms. A branch declares the arm as a variable if its statements use it.
    private func lines(_ arms: [(name: String, statements: [Statement])], _ otherwise: [Statement]) -> [String] {
        guard !arms.isEmpty else { return lines(otherwise) }
        let branches = arms.enumerated().flatMap { index, arm in
            ["\(index == 0 ? "" : "} else ")if (m \(classTest) \(arm.name)) {"]
                + indented(
                    (arm.statements.uses["a"] == nil ? [] : ["\(arm.name) a = (\(arm.name)) m;"])
                        + lines(arm.statements))
        }
        return branches + (otherwise.isEmpty ? [] : ["} else {"] + indented(otherwise)) + ["}"]
    }

    private func received(_ part: ReceivedPart) -> String {
        let counter = part.counter ?? (number: 0, place: 0, isThere: false)
        let arguments = [
            "id", "header", "body", "end", "total", text(part.first), text(counter.isThere), text(counter.number),
            text(counter.place), array(type(.boolean), part.rules),
            part.places.isEmpty ? "null" : array("int", part.places),
        ]
        return "return new Part(\(arguments.joined(separator: ", ")));"
    }
}
