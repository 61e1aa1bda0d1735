// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A statement of printed code, before a language says how it is written.
indirect enum Statement: Sendable {
    /// The declaration of a variable that is never set again. It is left out if nothing uses the variable.
    ///
    /// If the value has an effect, it is evaluated even then.
    case constant(String, CodeType, Expression, hasEffect: Bool = false)
    /// The declaration of a variable that may be set again, and may stay unused.
    case variable(String, CodeType, Expression)
    case assign(Expression, Expression)
    /// Sets several variables or members to the results of a call, in languages whose functions have several. It may declare them.
    case assignAll([Expression], Expression, declares: Bool = false)
    case evaluate(Expression)

    /// The statements of the first branch whose condition holds.
    case choose([Branch], otherwise: [Statement])
    /// A loop that goes on as long as a condition holds; nil: up to a `break`.
    case loop(while: Expression?, [Statement])
    /// A loop in which a variable of the type `position` counts from 0 up to a number before the last one.
    case count(String, below: Expression, [Statement])
    case breakLoop
    /// The statements of the branch with a number, from 0 on; those of the last one for all other numbers. All return.
    case select(Expression, [[Statement]])

    /// The end of a function; without a value, of one that returns none.
    case returns(Expression?)
    /// The end of a function that takes packets apart, because more bytes are needed.
    case returnMore
    /// The value of a function that may end with ``fail(_:path:)``.
    case succeed(Expression)
    /// The end of the function for a packet's shape, with an error that has no place.
    case fail(String, path: String)
    /// The end of a function that takes packets apart and reads the message: the variables are `id` (of the format `uint64`), `header`
    /// and `total`, the packet's size. It has the place of each of ``GeneratorModel/fixedHeaderFields``; -1 for one that such packets never
    /// have.
    case received(PacketShape, places: [Expression])
    /// The end of a function that reads a part of a packet. The variables are those of a whole packet, and `body` and `end`, the places
    /// of its content.
    case receivedPart(ReceivedPart)

    /// The end of a function that calls another one with the first of some values with which it does not fail, or with the last one. If
    /// a program has given a value, which is set then, the first call counts.
    case fit([Expression], CodeType, function: String, given: Expression)

    /// What reads the fields at the beginning of a packet into variables by one call. What has not arrived is 0.
    case unpack([(name: String, format: PackedFormat)])
    /// What reads values of a body in a row by one call, and goes on after them. The error for bytes that end before has the name of the
    /// first value that is cut off.
    case unpackRun([(target: Expression, format: PackedFormat, name: Expression)])
    /// What adds bytes that one call makes; if it cannot, the other statements tell what is wrong.
    case pack(Expression, name: String, otherwise: [Statement])
    /// Statements inside a value: the path of an error in them begins with the value's name.
    case within(Expression, [Statement])

    /// The variable of a list that is read, with the number of items for which there is room at first, of the type `position`. A list
    /// with a fixed count always has so many.
    case newList(String, ValuePlan, capacity: Expression, fixedCount: Int?)
    /// What adds the item with an index, and makes room for it if there is none.
    case append(Expression, list: String, index: String, fixedCount: Int?)
    /// The end of a function that reads a body of a type, with its members. Some have no value, or nothing as one, if they are absent.
    case returnBody([BodyMember], CodeType)
    /// What makes an arm of a union in the variable `m`, with values of its members.
    case makeArm(String, [(member: Expression.ArmMember, value: Expression)])
    /// The statements for the arm that the union in the variable `m` is; each may use the arm in the variable `a`. The others are for
    /// no union at all.
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

/// What was read of a packet with layers, as expressions.
struct ReceivedPart: Sendable {
    /// The place of the first field that is not written for conditions only.
    let first: Expression
    /// The number of the field that counts the content, of the format `int64`, its place, and whether it is there; nil if there is none.
    let counter: (number: Expression, place: Expression, isThere: Expression)?
    /// Whether each rule holds.
    let rules: [Expression]
    /// The place of each of ``GeneratorModel/fixedHeaderFields``.
    let places: [Expression]
}

extension Statement {
    /// Returns the statement that goes one way if a condition holds, and another one otherwise.
    static func choose(
        if condition: Expression, _ statements: [Statement], otherwise: [Statement] = []
    ) -> Statement {
        .choose([Branch(condition: condition, statements: statements)], otherwise: otherwise)
    }

    /// Whether it declares a variable in the block around it.
    var isDeclaration: Bool {
        switch self {
        case .constant, .variable, .newList: true
        default: false
        }
    }

    /// The expressions that it has itself, apart from those of ``blocks``. A target is none if it is a variable.
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

    /// The statements inside it.
    var blocks: [[Statement]] {
        switch self {
        case .choose(let branches, let otherwise): branches.map(\.statements) + [otherwise]
        case .loop(_, let inner), .count(_, _, let inner), .within(_, let inner), .pack(_, _, let inner): [inner]
        case .select(_, let branches): branches
        case .arms(let arms, let otherwise): arms.map(\.statements) + [otherwise]
        default: []
        }
    }

    /// Returns it with other expressions of its own; those of ``blocks`` stay.
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

    /// Returns it with other statements inside.
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
    /// How often each variable is used. To set one is no use of it.
    var uses: [String: Int] {
        var counts: [String: Int] = [:]
        countUses(into: &counts)
        return counts
    }

    /// Calls a function for each expression in them, also for those inside others.
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

    /// Returns each statement, also those inside others, as some statements.
    func replacing(_ replace: (Statement) -> [Statement]) -> [Statement] {
        flatMap { replace($0.withBlocks { $0.replacing(replace) }) }
    }

    /// Returns the statements of a function without the declarations of variables that nothing uses.
    ///
    /// What computes the value of such a variable may be the only use of others.
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
