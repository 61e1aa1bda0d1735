// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a protocol's types and values are written in TypeScript.
struct TypeScriptTypes {
    let plan: CodePlan
    /// The names of the functions that read and write structures.
    let structures: [(read: String, write: String)]
    /// The names of the functions that read and write unions, with the tag before the value and with it elsewhere.
    let unions: [(read: String, write: String, readTagged: String, writeTagged: String, tag: String)]
    /// The names of the functions that make the zero of a structure.
    let zeros: [Int: String]

    init(_ plan: CodePlan) {
        var plan = plan
        structures = plan.names.structures.map {
            (plan.uniqueName("read\($0.name)"), plan.uniqueName("put\($0.name)"))
        }
        unions = plan.names.unions.map {
            (
                plan.uniqueName("read\($0.name)"), plan.uniqueName("put\($0.name)"),
                plan.uniqueName("read\($0.name)Value"), plan.uniqueName("put\($0.name)Value"),
                plan.uniqueName("tagOf\($0.name)")
            )
        }
        var zeros: [Int: String] = [:]
        for index in plan.coding.structuresNeedingZero.sorted() {
            zeros[index] = plan.uniqueName("zero\(plan.names.structures[index].name)")
        }
        self.zeros = zeros
        self.plan = plan
    }

    var description: ProtocolDescription { plan.description }

    // MARK: Types

    /// Returns the type of a value.
    func text(_ value: ValuePlan) -> String {
        switch value {
        case .number(let number):
            switch number.kind {
            case .enumeration(let index): plan.names.enumerations[index].name
            case .flags(let index): plan.names.flagSets[index].name
            case .plain: number.format.range.isWide ? "bigint" : "number"
            }
        case .float: "number"
        case .boolean: "boolean"
        case .varint(let format, _): format.range.isWide ? "bigint" : "number"
        case .text, .utf16, .digits: "string"
        case .bytes: "Uint8Array"
        case .properties: "Map<string, string>"
        case .structure(let index): plan.names.structures[index].name
        case .union(let index, _): plan.names.unions[index].name
        case .list(let item, _, _): text(item) + "[]"
        case .sized(let content, _, _): text(content)
        }
    }

    /// Returns the type of a number with these values.
    static func number(_ range: ClosedRange<Int128>) -> String { range.isWide ? "bigint" : "number" }

    /// Returns whether values are of type `bigint`.
    static func isWide(_ value: ValuePlan) -> Bool {
        switch value {
        case .number(let number): number.format.range.isWide
        case .varint(let format, _): format.range.isWide
        default: false
        }
    }

    /// Returns whether a value, or an item in it, is of type `bigint`.
    static func containsWide(_ value: ValuePlan) -> Bool {
        switch value {
        case .list(let item, _, _): containsWide(item)
        case .sized(let content, _, _): containsWide(content)
        default: isWide(value)
        }
    }

    // MARK: Literals

    /// Returns a number; one of type `bigint` is made from text, because older targets have no literals.
    static func number(_ value: Int128, isWide: Bool) -> String {
        guard isWide else { return String(value) }
        return (value...value).isWide ? "BigInt(\"\(value)\")" : "BigInt(\(value))"
    }

    func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, let value): Self.number(number, isWide: Self.isWide(value))
        case .boolean(let value): String(value)
        case .float(let value): TypeScriptText.float(value)
        case .text(let text): TypeScriptText.string(text)
        case .zeros(let byteCount): "new Uint8Array(\(byteCount))"
        case .noProperties: "new Map()"
        case .list(_, 0): "[]"
        case .list(let item, let count): "Array.from({ length: \(count) }, () => (\(self.literal(item))))"
        case .structure(let index): "\(zeros[index] ?? "zero")()"
        }
    }

    /// Returns the expression for the value of a field that is absent; nil for a field that has none.
    ///
    /// A script stands in a page, which may reach people who must not see the default of a sensitive field: there, it is not set.
    func absent(_ field: FieldPlan) -> String? {
        guard let absent = field.absent.map(literal) else { return nil }
        let isHidden = field.description.isSensitive && absent != literal(plan.coding.zero(of: field.planned.type))
        return isHidden ? "‹\(absent)›«undefined»" : absent
    }

    /// Returns the function that makes the zero of a structure.
    func zeroFunction(_ index: Int) -> String {
        let body = plan.structures[index]
        let members = body.fields.compactMap { field -> String? in
            guard field.planned.hasValue, field.description.presence.isInZero else { return nil }
            return "\(field.ownName): \(absent(field) ?? literal(plan.coding.zero(of: field.planned.type)))"
        }
        return "function \(zeros[index] ?? "zero")()‹: \(plan.names.structures[index].name)› "
            + "{ return { \(members.joined(separator: ", ")) }; }\n"
    }

    // MARK: Conditions

    /// Returns the expression that a condition holds.
    ///
    /// - Parameter operand: Returns the expression for an operand's number, and whether it is a `bigint`.
    static func condition(
        _ condition: WireCondition, operand value: @escaping (WireCondition.Operand) -> (text: String, isWide: Bool)
    ) -> String {
        let texts = condition.tests.map { value($0.operand).text }
        func operand(_ name: WireCondition.Operand) -> (text: String, isWide: Bool) {
            let (text, isWide) = value(name)
            // Without its type, the compiler refuses to compare a literal with another one, or a variable with a number that an
            // earlier comparison excludes.
            let needsType = !isWide && (Int128(text) != nil || texts.count { $0 == text } > 1)
            return (needsType ? "(\(text)‹ as number›)" : text, isWide)
        }
        return condition.text(
            in: ConditionNotation(
                not: "!", bindsNotTightly: true, and: " && ", or: " || ",
                isSet: { name in
                    let (text, isWide) = operand(name)
                    return "\(text) !== \(number(0, isWide: isWide))"
                },
                compares: { name, comparison, value in
                    let (text, isWide) = operand(name)
                    let literal = number(value, isWide: isWide)
                    guard comparison == .sharesBit else { return "\(text) \(comparison.typeScriptMark) \(literal)" }
                    return isWide ? "(\(text) & \(literal)) !== BigInt(0)" : "shares(\(text), \(literal))"
                }))
    }
}

extension TypeScriptTypes {
    /// Returns the expression for the number that a condition sees in one of the packet's fields, in the header `h`.
    ///
    /// A header that is written need not have it: then it is the one that will be written. In a header that was read, what is
    /// absent counts as 0.
    func headerOperand(_ name: String, isWritten: Bool) -> (text: String, isWide: Bool) {
        guard let index = description.packetField(named: name) else { return ("0", false) }
        let field = description.layout.fields[index]
        let own = "h.\(plan.names.headerFields[index])"
        let isWide = field.format.range.isWide
        var usual: Int128 = 0
        switch field.role {
        case .value(let value), .constant(let value): if isWritten { usual = value.number }
        default: break
        }
        if field.format.isBoolean {
            return (usual == 0 ? "(\(own) ? 1 : 0)" : "(\(own) === false ? 0 : 1)", false)
        }
        return ("(isSet(\(own)) ? \(own) : \(Self.number(usual, isWide: isWide)))", isWide)
    }
}

extension WireCondition.Comparison {
    fileprivate var typeScriptMark: String {
        switch self {
        case .equal: "==="
        case .unequal: "!=="
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .sharesBit: rawValue
        }
    }
}

extension ByteOrder {
    /// Whether the least significant byte is the first, as generated code says it.
    var isLittleText: String { String(self == .littleEndian) }
}
