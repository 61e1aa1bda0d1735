// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a protocol's types and values are written in Python, and the names of what the module declares for itself.
final class PythonTypes {
    let plan: CodePlan
    /// The names of the functions that read and write messages, and of those for the header fields that a message fixes.
    let messages: [(read: String, write: String, verifyHeader: String, fixHeader: String)]
    /// The names of the functions that read and write structures.
    let structures: [(read: String, write: String)]
    /// The names of the functions that read and write unions, with the tag before the value and with it elsewhere.
    let unions: [(read: String, write: String, readTagged: String, writeTagged: String, tag: String)]
    /// The names of the classes for the arms of unions.
    let arms: [[String]]
    /// The names of the tables with the cases of enums.
    let cases: [String]

    /// What the printed code has asked for: formats of `struct`, and functions that read the items of lists.
    private var names: CodeNames
    private var formats: [(text: String, name: String)] = []
    private var readers: [(lines: [String], name: String)] = []

    init(_ plan: CodePlan) {
        var names = plan.names
        messages = names.messages.map {
            (
                names.unique("_read_\($0.name)"), names.unique("_write_\($0.name)"),
                names.unique("_verify_header_of_\($0.name)"), names.unique("_fix_header_of_\($0.name)")
            )
        }
        structures = names.structures.map { (names.unique("_read_\($0.name)"), names.unique("_write_\($0.name)")) }
        unions = names.unions.map {
            (
                names.unique("_read_\($0.name)"), names.unique("_write_\($0.name)"),
                names.unique("_read_\($0.name)_value"), names.unique("_write_\($0.name)_value"),
                names.unique("_tag_of_\($0.name)")
            )
        }
        arms = zip(plan.description.unions, names.unions).map { union, own in
            union.arms.map { names.unique(own.name + NameStyle.Spelling.upperCamel.spelled($0.alias ?? $0.name)) }
        }
        cases = names.enumerations.map { names.unique("_cases_of_\($0.name)") }
        self.names = names
        self.plan = plan
    }

    var description: ProtocolDescription { plan.description }

    // MARK: Declared on the way

    /// Returns the name of a compiled format of `struct`.
    func format(_ text: String) -> String {
        if let known = formats.first(where: { $0.text == text }) { return known.name }
        let name = names.unique("_" + (text.first == "<" ? "L" : "B") + "_" + text.dropFirst())
        formats.append((text, name))
        return name
    }

    /// Returns the name of a function that reads an item, with these statements.
    func reader(_ lines: [String]) -> String {
        if let known = readers.first(where: { $0.lines == lines }) { return known.name }
        let name = names.unique("_read_item_\(readers.count + 1)")
        readers.append((lines, name))
        return name
    }

    /// The formats, in the order in which they were asked for.
    var formatLines: [String] { formats.map { "\($0.name): Final = struct.Struct(\"\($0.text)\")" } }

    /// The functions that read items.
    var readerFunctions: [[String]] {
        readers.map {
            PythonText.block(
                "def \($0.name)(b: bytes, p: int, e: int, d: int, f: str | int) -> tuple[Any, int]:", $0.lines)
        }
    }

    // MARK: Types

    /// Returns the type of a value.
    func text(_ value: ValuePlan) -> String {
        switch value {
        case .number(let number):
            switch number.kind {
            case .enumeration(let index):
                plan.names.enumerations[index].name + (description.enumerations[index].isClosed ? "" : " | int")
            case .flags, .plain: "int"
            }
        case .float: "float"
        case .boolean: "bool"
        case .varint: "int"
        case .text, .utf16, .digits: "str"
        case .bytes: "bytes"
        case .properties: "dict[str, str]"
        case .structure(let index): plan.names.structures[index].name
        case .union(let index, _): plan.names.unions[index].name
        case .list(let item, _, _): "list[\(text(item))]"
        case .sized(let content, _, _): text(content)
        }
    }

    /// Returns the expression for a number of an enum as its case; of other types the number itself.
    func named(_ kind: NumberPlan.Kind, _ number: String) -> String {
        guard case .enumeration(let index) = kind else { return number }
        return "\(cases[index]).get(\(number), \(number))"
    }

    // MARK: Literals

    func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, .number(let plan)):
            if case .enumeration(let index) = plan.kind,
                let position = description.enumerations[index].cases.firstIndex(where: { $0.value == number })
            {
                let names = self.plan.names.enumerations[index]
                return "\(names.name).\(names.cases[position])"
            }
            return String(number)
        case .integer(let number, _): return String(number)
        case .boolean(let value): return value ? "True" : "False"
        case .float(let value): return PythonText.float(value)
        case .text(let text): return PythonText.string(text)
        case .zeros(0): return "b\"\""
        case .zeros(let byteCount): return "bytes(\(byteCount))"
        case .noProperties: return "{}"
        case .list(_, 0): return "[]"
        case .list(let item, let count): return "[\(self.literal(item)) for _ in range(\(count))]"
        case .structure(let index):
            let members = plan.structures[index].fields.compactMap { field -> String? in
                guard field.planned.hasValue, field.description.presence.isInZero else { return nil }
                let value = self.literal(field.absent ?? plan.coding.zero(of: field.planned.type))
                return "\(field.ownName)=\(value)"
            }
            return "\(plan.names.structures[index].name)(\(members.joined(separator: ", ")))"
        }
    }

    // MARK: Conditions

    /// Returns the expression that a condition holds.
    ///
    /// - Parameter operand: Returns the expression for an operand's number.
    static func condition(
        _ condition: WireCondition, operand value: @escaping (WireCondition.Operand) -> String
    ) -> String {
        func operand(_ name: WireCondition.Operand) -> String {
            let text = value(name)
            // mypy refuses to compare a literal with another one.
            return Int128(text) == nil ? text : "int(\(text))"
        }
        return condition.text(
            in: ConditionNotation(
                not: "not ", bindsNotTightly: true, and: " and ", or: " or ",
                isSet: { "\(operand($0)) != 0" },
                compares: { name, comparison, value in
                    comparison == .sharesBit
                        ? "\(operand(name)) & \(value) != 0" : "\(operand(name)) \(comparison.rawValue) \(value)"
                }))
    }

    /// Returns the expression for the number that a condition sees in one of the packet's fields, in the header `h`.
    ///
    /// A header that is written need not have it: then it is the one that will be written. In a header that was read, what is
    /// absent counts as 0.
    func headerOperand(_ name: String, isWritten: Bool) -> String {
        guard let index = description.packetField(named: name) else { return "0" }
        var usual: Int128 = 0
        switch description.layout.fields[index].role {
        case .value(let value), .constant(let value): if isWritten { usual = value.number }
        default: break
        }
        return "_number(h, \(PythonText.string(name)), \(usual))"
    }
}

extension ByteOrder {
    /// The byte order, as `int.from_bytes` names it.
    var pythonText: String { self == .littleEndian ? "\"little\"" : "\"big\"" }
}

extension IntegerFormat {
    /// The letter that `struct` has for it; nil for widths that it does not know.
    var structLetter: String? {
        switch byteCount {
        case 1: isSigned ? "b" : "B"
        case 2: isSigned ? "h" : "H"
        case 4: isSigned ? "i" : "I"
        case 8: isSigned ? "q" : "Q"
        default: nil
        }
    }
}

extension CodePlan {
    /// The type of the values in a header: `int`, or `Any` if there are others.
    var headerType: String {
        description.layout.fields.allSatisfy { $0.role == .padding || $0.format.isNumber } ? "int" : "Any"
    }
}
