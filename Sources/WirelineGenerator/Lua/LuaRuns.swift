// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Joins calls of `string.pack` and of `string.unpack` that stand in a row: one call takes as long as two.
enum LuaRuns {
    /// The most values of a call. A function has room for 200 variables.
    private static let mostValues = 24

    static func joined(_ statements: [Statement]) -> [Statement] {
        var joined: [Statement] = []
        var rest = statements.map { $0.withBlocks(Self.joined) }[...]
        while let first = rest.first {
            let (run, count) = packs(rest) ?? unpacks(rest) ?? identifier(rest) ?? ([first], 1)
            joined += run
            rest = rest.dropFirst(count)
        }
        return joined
    }

    // MARK: Writing

    private static func packs(_ statements: ArraySlice<Statement>) -> (statements: [Statement], count: Int)? {
        var (formats, values): ([String], [Expression]) = ([], [])
        for statement in statements.prefix(mostValues) {
            guard case .evaluate(.call(.name("w")?, "put", let bytes)) = statement,
                case .call(nil, "pack", let arguments)? = bytes.first, case .text(let format) = arguments[0]
            else { break }
            formats.append(format)
            values += arguments.dropFirst()
        }
        guard formats.count > 1 else { return nil }
        let call = Expression.call(nil, "pack", [.text(LuaFormat.joined(formats))] + values)
        return ([.evaluate(.call("w", "put", [call]))], formats.count)
    }

    // MARK: Reading

    /// A value that is read where it stands, and what is done with it.
    private struct Item {
        let format: String
        let place: Expression
        let target: Expression
        /// The declaration of a variable.
        var declaration: Statement?
        /// What makes the value of the number that was read.
        var after: Statement?

        /// Makes the item of a variable that is declared.
        init(_ name: String, _ format: String, at place: Expression) {
            (target, self.format, self.place) = (.name(name), format, place)
            declaration = .variable(name, .position, .nothing)
        }

        init?(_ statement: Statement) {
            let value: Expression
            switch statement {
            case .assign(let own, let read): (target, value) = (own, read)
            case .constant(let name, let type, let read, _):
                (target, value) = (.name(name), read)
                declaration = .variable(name, type, .nothing)
            default: return nil
            }
            if case .call(.name("r")?, "truth", let arguments) = value, case .call(nil, "byte", let read) = arguments[0]
            {
                (format, place) = (">B", read[1])
                after = .assign(target, .call("r", "truth", [target, arguments[1]]))
            } else if let read = Self.read(value) {
                (format, place) = read
            } else {
                return nil
            }
        }

        private static func read(_ value: Expression) -> (format: String, place: Expression)? {
            guard case .call(nil, "unpack", let arguments) = value, case .text(let format) = arguments[0] else {
                return nil
            }
            return (format, arguments[2])
        }
    }

    private static func unpacks(_ statements: ArraySlice<Statement>) -> (statements: [Statement], count: Int)? {
        var items: [Item] = []
        for statement in statements.prefix(mostValues) {
            guard let item = Item(statement), follows(item, items.last) else { break }
            items.append(item)
            if item.after != nil { break }
        }
        guard items.count > 1 || items.first?.after != nil else { return nil }
        return (read(items, "input", items[0].place), items.count)
    }

    /// Whether an item stands right after another one.
    private static func follows(_ item: Item, _ before: Item?) -> Bool {
        guard let before else { return true }
        guard let own = offset(item.place), let other = offset(before.place) else { return false }
        return own.base == other.base && own.offset == other.offset + Int128(LuaFormat.byteCount(before.format))
    }

    private static func offset(_ place: Expression) -> (base: String, offset: Int128)? {
        switch place {
        case .name(let name): (name, 0)
        case .chain(.plus, let parts):
            if parts.count == 2, case .name(let name) = parts[0], case .number(let offset, _) = parts[1] {
                (name, offset)
            } else {
                nil
            }
        default: nil
        }
    }

    private static func read(_ items: [Item], _ bytes: Expression, _ place: Expression) -> [Statement] {
        let call = Expression.call(nil, "unpack", [.text(LuaFormat.joined(items.map(\.format))), bytes, place])
        let declarations = items.compactMap(\.declaration)
        let declaresAll = declarations.count == items.count
        return (declaresAll ? [] : declarations) + [.assignAll(items.map(\.target), call, declares: declaresAll)]
            + items.compactMap(\.after)
    }

    // MARK: Headers

    /// Returns the statements that read the numbers of a header with a call for each row of them. If the header has not arrived whole,
    /// zeros take the place of what is missing, and no statement looks at them.
    static func unpacked(_ fields: [(name: String, format: PackedFormat)]) -> [Statement] {
        var (items, wide): ([Item], [Statement]) = ([], [])
        var offset = 0
        for field in fields {
            let place = Expression.name("first").plus(offset)
            offset += field.format.byteCount
            guard case .integer(let format, let order) = field.format else { continue }
            if format.byteCount > 6 {
                let arguments: [Expression] = ["head", place, .place(format.byteCount), order.isLittle]
                let number = Expression.name(field.name)
                wide.append(
                    number.lowHalf.map { .assignAll([number, $0], .call(nil, "pair", arguments), declares: true) }
                        ?? .constant(
                            field.name, .number(format),
                            .call(nil, "wide_at", arguments + [.boolean(format.isSigned)])))
            } else {
                items.append(Item(field.name, LuaFormat.mark(order) + LuaFormat.letter(format), at: place))
            }
        }
        guard !items.isEmpty || !wide.isEmpty else { return [] }
        var statements: [Statement] = [
            .variable("head", .bytes, "s"), .variable("first", .position, "position"),
            .choose(
                if: .binary(.less, "size", .place(offset)),
                [.assignAll(["head", "first"], .call("r", "headed", [.place(offset)]))]),
        ]
        var rest = items[...]
        while let first = rest.first {
            var run = [first]
            for item in rest.dropFirst().prefix(mostValues - 1) {
                guard follows(item, run.last) else { break }
                run.append(item)
            }
            statements += read(run, "head", first.place)
            rest = rest.dropFirst(run.count)
        }
        return statements + wide
    }

    /// Joins the declaration of an ID and the statement that sets it to its first bits.
    private static func identifier(_ statements: ArraySlice<Statement>) -> (statements: [Statement], count: Int)? {
        guard case .variable("id", let type, .number(0, _))? = statements.first,
            case .assign(.name("id"), let value)? = statements.dropFirst().first
        else { return nil }
        var first = value
        if case .packed(let parts, _) = value, parts.count == 2 { first = parts[1].part }
        return ([.variable("id", type, first)], 2)
    }
}

extension LuaFormat {
    /// The bytes of a format of one value.
    static func byteCount(_ format: String) -> Int {
        switch format.last {
        case "f": 4
        case "d": 8
        case let last?: last.wholeNumberValue ?? 1
        case nil: 0
        }
    }
}
