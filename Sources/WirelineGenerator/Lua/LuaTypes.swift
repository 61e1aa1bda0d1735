// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a protocol's values and conditions are written in Lua.
struct LuaTypes {
    let plan: CodePlan

    var description: ProtocolDescription { plan.description }

    /// Whether values could nest too deeply.
    var countsDepth: Bool {
        plan.structures.contains { $0.plan.countsDepth } || plan.unions.contains { $0.plan.countsDepth }
    }

    /// Whether numbers may be decimal digits.
    static func isWide(_ value: ValuePlan) -> Bool {
        switch value {
        case .number(let number): number.format.range.isWide
        case .varint(let format, _): format.range.isWide
        default: false
        }
    }

    /// Returns the member of a table of functions, by the name of a structure or a union.
    func structure(_ table: String, _ index: Int) -> String {
        table + LuaText.member(plan.names.structures[index].name)
    }
    func union(_ table: String, _ index: Int) -> String { table + LuaText.member(plan.names.unions[index].name) }

    /// Returns the table of the numbers of a closed enum.
    func closed(_ number: NumberPlan) -> String {
        guard case .enumeration(let index) = number.kind else { return "{}" }
        return "closed" + LuaText.member(plan.names.enumerations[index].name)
    }

    func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, _): return LuaText.number(number)
        case .boolean(let value): return String(value)
        case .float(let value): return LuaText.anyFloat(value)
        case .text(let text): return LuaText.literal(text)
        case .zeros(0): return "\"\""
        case .zeros(let byteCount): return "rep(\"\\0\", \(byteCount))"
        case .noProperties, .list(_, 0): return "{}"
        case .list(let item, let count):
            return "filled(\(count), function() return \(self.literal(item)) end)"
        case .structure(let index): return "\(structure("zero", index))()"
        }
    }

    /// Returns the function that makes the zero of a structure.
    func zeroFunction(_ index: Int) -> String {
        let members = plan.structures[index].fields.compactMap { field -> String? in
            guard field.planned.hasValue, field.description.presence.isInZero else { return nil }
            let value = literal(field.absent ?? plan.coding.zero(of: field.planned.type))
            return "\(LuaText.key(field.ownName)) = \(value)"
        }
        return "\(structure("zero", index)) = function() return { \(members.joined(separator: ", ")) } end\n"
    }

    // MARK: Conditions

    /// Returns the expression that a condition holds.
    ///
    /// - Parameter operand: Returns the expression for an operand's number, and whether it may be decimal digits.
    static func condition(
        _ condition: WireCondition, operand: @escaping (WireCondition.Operand) -> (text: String, isWide: Bool)
    ) -> String {
        condition.text(
            in: ConditionNotation(
                not: "not ", bindsNotTightly: true, and: " and ", or: " or ",
                isSet: { "\(operand($0).text) ~= 0" },
                compares: { name, comparison, value in
                    let (text, isWide) = operand(name)
                    return compared(text, comparison, LuaText.number(value), isWide: isWide)
                }))
    }

    private static func compared(
        _ text: String, _ comparison: WireCondition.Comparison, _ literal: String, isWide: Bool
    ) -> String {
        switch comparison {
        case .equal: return "\(text) == \(literal)"
        case .unequal: return "\(text) ~= \(literal)"
        case .sharesBit: return "shares(\(text), \(literal))"
        case .less: return isWide ? "less(\(text), \(literal))" : "\(text) < \(literal)"
        case .greater: return isWide ? "less(\(literal), \(text))" : "\(text) > \(literal)"
        case .lessOrEqual: return isWide ? "(not less(\(literal), \(text)))" : "\(text) <= \(literal)"
        case .greaterOrEqual: return isWide ? "(not less(\(text), \(literal)))" : "\(text) >= \(literal)"
        }
    }

    /// Returns the expression for the number that a condition sees in a field's value.
    ///
    /// - Parameter isWritten: Whether the program gives the value, which may then be decimal digits for any number.
    static func operand(_ field: FieldPlan, _ value: String, isWritten: Bool) -> (text: String, isWide: Bool) {
        if case .boolean = field.value { return ("(\(value) and 1 or 0)", false) }
        let (number, isWide) = (field.mayBeUnset ? "(\(value) or 0)" : value, isWide(field.value))
        return (isWide && isWritten ? "canonical(\(number), \(LuaText.literal(field.name)))" : number, isWide)
    }

    /// Returns the expression for the number that a condition sees in one of the packet's fields, in the header `h`.
    ///
    /// A header that is written need not have it: then it is the one that will be written. In a header that was read, what is
    /// absent counts as 0.
    func headerOperand(_ name: String, isWritten: Bool) -> (text: String, isWide: Bool) {
        guard let index = description.packetField(named: name) else { return ("0", false) }
        let field = description.layout.fields[index]
        let own = "h" + LuaText.member(plan.names.headerFields[index])
        var usual: Int128 = 0
        switch field.role {
        case .value(let value), .constant(let value): if isWritten { usual = value.number }
        default: break
        }
        if field.format.isBoolean {
            return (usual == 0 ? "(\(own) and 1 or 0)" : "(\(own) == false and 0 or 1)", false)
        }
        let (number, isWide) = ("(\(own) or \(LuaText.number(usual)))", field.format.range.isWide)
        // A wrong one is refused when the header is written.
        return (isWide && isWritten ? "fitting(canonical, \(number))" : number, isWide)
    }
}

/// The variables of a function: locals, or members of tables if there are more than a function can have.
struct LuaVariables {
    /// Whether they are members of tables.
    let areMembers: Bool

    /// - Parameter count: How many fields have variables.
    init(count: Int) { areMembers = count > 40 }

    func callAsFunction(_ letter: String, _ index: Int) -> String {
        areMembers ? "\(letter)[\(index)]" : "\(letter)\(index)"
    }

    /// Returns the statement that declares tables for all variables with these letters; none for locals.
    func tables(_ letters: [String]) -> [String] {
        guard areMembers else { return [] }
        return ["local \(letters.joined(separator: ", ")) = \(letters.map { _ in "{}" }.joined(separator: ", "))"]
    }

    /// Returns the statement that declares locals; none for members of tables.
    func declaration(_ names: [String]) -> [String] {
        areMembers || names.isEmpty ? [] : ["local \(names.joined(separator: ", "))"]
    }

    /// What stands before the assignment that gives a variable its first value.
    var local: String { areMembers ? "" : "local " }
}
