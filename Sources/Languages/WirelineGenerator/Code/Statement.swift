// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A statement of printed code, independent of the language.
indirect enum Statement: Sendable {
    /// Declares a variable that is set once. It is left out if nothing uses it.
    ///
    /// A value with an effect is evaluated even then.
    case constant(String, CodeType, Expression, hasEffect: Bool = false)
    /// Declares a variable that may be set again, and may stay unused.
    case variable(String, CodeType, Expression)
    case assign(Expression, Expression)
    /// Sets several targets to the results of one call, in languages with multiple results. It may declare them.
    case assignAll([Expression], Expression, declares: Bool = false)
    case evaluate(Expression)

    /// Runs the first branch whose condition holds.
    case choose([Branch], otherwise: [Statement])
    /// Loops while a condition holds; nil: until a `break`.
    case loop(while: Expression?, [Statement])
    /// Loops with a variable of the type `position` that counts from 0 up to, but excluding, a number.
    case count(String, below: Expression, [Statement])
    case breakLoop
    /// Runs the branch with a number, counted from 0; the last one for all other numbers. All branches return.
    case select(Expression, [[Statement]])

    /// Ends a function; nil for one without a result.
    case returns(Expression?)
    /// Ends a function that reads packets, because more bytes are needed.
    case returnMore
    /// Returns the value of a function that may also end with ``fail(_:path:)``.
    case succeed(Expression)
    /// Ends the function that selects a packet's shape, with an error without an offset.
    case fail(String, path: String)
    /// Ends a function that reads packets: reads the message. The variables are `id` (a `uint64`), `header` and
    /// `total`, the packet's size. `places` has the offset of each of ``GeneratorModel/fixedHeaderFields``; -1 for
    /// those that these packets never have.
    case received(PacketShape, places: [Expression])
    /// Ends a function that reads one layer of a packet. Beside the variables of a whole packet there are `body` and
    /// `end`, the bounds of its content.
    case receivedPart(ReceivedPart)

    /// Ends a function that tries values in order: it calls another function until one call succeeds, or the last one
    /// fails. If the program has given a value, the variable holds it, and only the first call is made.
    case fit([Expression], CodeType, function: String, given: Expression)

    /// Reads the fields at the beginning of a packet into variables, with one call. Fields that have not arrived are 0.
    case unpack([(name: String, format: PackedFormat)])
    /// Reads adjacent values of a body with one call, and moves past them. If the bytes end early, the error names the
    /// first value that is cut off.
    case unpackRun([(target: Expression, format: PackedFormat, name: Expression)])
    /// Appends the bytes that one call makes; if the call fails, the other statements find the reason.
    case pack(Expression, name: String, otherwise: [Statement])
    /// Statements inside a value: the path of their errors begins with the value's name.
    case within(Expression, [Statement])

    /// Declares the list that is being read, with its initial capacity as a `position`. A list with a fixed count
    /// always has that many items.
    case newList(String, ValuePlan, capacity: Expression, fixedCount: Int?)
    /// Appends the item with an index; the list grows if needed.
    case append(Expression, list: String, index: String, fixedCount: Int?)
    /// Returns a body with its members. Absent members have no value, or nothing as their value.
    case returnBody([BodyMember], CodeType)
    /// Makes an arm of a union in the variable `m`.
    case makeArm(String, [(member: Expression.ArmMember, value: Expression)])
    /// Runs the statements for the arm that the variable `m` holds; they may use the arm as the variable `a`.
    /// `otherwise` runs if there is no union.
    case arms([(name: String, statements: [Statement])], otherwise: [Statement])

    struct BodyMember: Sendable {
        let name: String
        let value: Expression
        let mayBeUnset: Bool
    }

    struct Branch: Sendable {
        let condition: Expression
        var statements: [Statement]
    }
}

/// The parts that were read from one layer of a packet, as expressions.
struct ReceivedPart: Sendable {
    /// The offset of the first field that exists in the packet. Earlier fields are written for conditions only.
    let first: Expression
    /// The number of the field that counts the content (an `int64`), its offset, and whether it is present; nil if
    /// there is none.
    let counter: (number: Expression, place: Expression, isThere: Expression)?
    let rules: [Expression]
    /// The offset of each of ``GeneratorModel/fixedHeaderFields``.
    let places: [Expression]
}

extension Statement {
    static func choose(
        if condition: Expression, _ statements: [Statement], otherwise: [Statement] = []
    ) -> Statement {
        .choose([Branch(condition: condition, statements: statements)], otherwise: otherwise)
    }

    /// Whether it declares a variable in the enclosing block.
    var isDeclaration: Bool {
        switch self {
        case .constant, .variable, .newList: true
        default: false
        }
    }

    /// Its own expressions, without those of ``blocks``. A variable that is set is not among them.
    var expressions: [Expression] {
        switch self {
        case .constant(_, _, let value, _), .variable(_, _, let value): [value]
        case .assign(.name, let value): [value]
        case .assign(let target, let value): [target, value]
        case .assignAll(let targets, let value, _): targets + [value]
        case .evaluate(let value), .succeed(let value): [value]
        case .choose(let branches, _): branches.map(\.condition)
        case .loop(let condition, _): condition.map { [$0] } ?? []
        case .count(_, let count, _): [count]
        case .select(let number, _): [number]
        case .returns(let value): value.map { [$0] } ?? []
        case .breakLoop, .returnMore, .fail, .unpack, .unpackRun: []
        case .within(let name, _): [name]
        case .pack(let bytes, _, _): [bytes]
        case .received(_, let places): ["id", "total"] + places
        case .receivedPart(let part):
            ["id", "header", "total", "body", "end", part.first] + part.rules + part.places
                + (part.counter.map { [$0.number, $0.place, $0.isThere] } ?? [])
        case .newList(_, _, let capacity, _): [capacity]
        case .fit(let values, _, _, let given): values + [given]
        case .append(let value, let list, let index, _): [value, .name(list), .name(index)]
        case .makeArm(_, let members): members.map(\.value)
        case .returnBody(let members, _): members.map(\.value)
        case .arms: ["m"]
        }
    }

    var blocks: [[Statement]] {
        switch self {
        case .choose(let branches, let otherwise): branches.map(\.statements) + [otherwise]
        case .loop(_, let inner), .count(_, _, let inner), .within(_, let inner), .pack(_, _, let inner): [inner]
        case .select(_, let branches): branches
        case .arms(let arms, let otherwise): arms.map(\.statements) + [otherwise]
        default: []
        }
    }

    /// Changes its own expressions; those of ``blocks`` stay.
    func withExpressions(_ change: (Expression) -> Expression) -> Statement {
        switch self {
        case .constant(let name, let type, let value, let hasEffect):
            .constant(name, type, change(value), hasEffect: hasEffect)
        case .variable(let name, let type, let value): .variable(name, type, change(value))
        case .assign(let target, let value): .assign(change(target), change(value))
        case .assignAll(let targets, let value, let declares):
            .assignAll(targets.map(change), change(value), declares: declares)
        case .evaluate(let value): .evaluate(change(value))
        case .succeed(let value): .succeed(change(value))
        case .choose(let branches, let otherwise):
            .choose(
                branches.map { Branch(condition: change($0.condition), statements: $0.statements) },
                otherwise: otherwise)
        case .loop(let condition, let inner): .loop(while: condition.map(change), inner)
        case .count(let name, let count, let inner): .count(name, below: change(count), inner)
        case .select(let number, let branches): .select(change(number), branches)
        case .returns(let value): .returns(value.map(change))
        case .received(let shape, let places): .received(shape, places: places.map(change))
        case .receivedPart(let part):
            .receivedPart(
                ReceivedPart(
                    first: change(part.first),
                    counter: part.counter.map { (change($0.number), change($0.place), change($0.isThere)) },
                    rules: part.rules.map(change), places: part.places.map(change)))
        case .newList(let name, let item, let capacity, let fixedCount):
            .newList(name, item, capacity: change(capacity), fixedCount: fixedCount)
        case .fit(let values, let type, let function, let given):
            .fit(values.map(change), type, function: function, given: change(given))
        case .append(let value, let list, let index, let fixedCount):
            .append(change(value), list: list, index: index, fixedCount: fixedCount)
        case .makeArm(let arm, let members): .makeArm(arm, members.map { ($0.member, change($0.value)) })
        case .returnBody(let members, let type):
            .returnBody(
                members.map { BodyMember(name: $0.name, value: change($0.value), mayBeUnset: $0.mayBeUnset) }, type)
        case .within(let name, let inner): .within(change(name), inner)
        case .pack(let bytes, let name, let inner): .pack(change(bytes), name: name, otherwise: inner)
        case .unpackRun(let parts): .unpackRun(parts.map { (change($0.target), $0.format, change($0.name)) })
        case .breakLoop, .returnMore, .fail, .unpack, .arms: self
        }
    }

    func withBlocks(_ change: ([Statement]) -> [Statement]) -> Statement {
        switch self {
        case .choose(let branches, let otherwise):
            .choose(
                branches.map { Branch(condition: $0.condition, statements: change($0.statements)) },
                otherwise: change(otherwise))
        case .loop(let condition, let inner): .loop(while: condition, change(inner))
        case .count(let name, let count, let inner): .count(name, below: count, change(inner))
        case .within(let name, let inner): .within(name, change(inner))
        case .pack(let bytes, let name, let inner): .pack(bytes, name: name, otherwise: change(inner))
        case .select(let number, let branches): .select(number, branches.map(change))
        case .arms(let arms, let otherwise):
            .arms(arms.map { ($0.name, change($0.statements)) }, otherwise: change(otherwise))
        default: self
        }
    }
}

extension [Statement] {
    /// How often each variable is used. Setting it is not a use.
    var uses: [String: Int] {
        var counts: [String: Int] = [:]
        countUses(into: &counts)
        return counts
    }

    /// Calls a function for each expression, including nested ones.
    func forEachExpression(_ body: (Expression) -> Void) {
        func visit(_ expression: Expression) {
            body(expression)
            expression.children.forEach(visit)
        }
        for statement in self {
            statement.expressions.forEach(visit)
            for block in statement.blocks { block.forEachExpression(body) }
        }
    }

    private func countUses(into counts: inout [String: Int]) {
        for statement in self {
            for expression in statement.expressions { expression.countNames(into: &counts) }
            for block in statement.blocks { block.countUses(into: &counts) }
        }
    }

    /// Replaces each statement, including nested ones, by others.
    func replacing(_ replace: (Statement) -> [Statement]) -> [Statement] {
        flatMap { replace($0.withBlocks { $0.replacing(replace) }) }
    }

    /// The statements of a function without the declarations of unused variables.
    ///
    /// Repeats the search, because the value of a dropped variable may have been the only use of others.
    var withoutUnusedVariables: [Statement] {
        let uses = uses
        var isChanged = false
        let left = replacing { statement in
            guard case .constant(let name, _, let value, let hasEffect) = statement, uses[name] == nil else {
                return [statement]
            }
            isChanged = true
            return hasEffect ? [.evaluate(value.evaluated)] : []
        }
        return isChanged ? left.withoutUnusedVariables : left
    }
}
