// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write messages, structures, unions and packets. They stand in tables: a chunk has room for 200
/// local variables.
struct LuaFunctions {
    private let dialect: LuaDialect
    let printer: StatementPrinter
    private var plan: CodePlan { dialect.plan }

    /// The text of a function, and what it needs.
    struct Function {
        var text: String
        /// The formats of `string.unpack` and of `string.pack`.
        var unpacking: Set<String> = []
        var packing: Set<String> = []
        /// The structures of which it makes the zero.
        var zeros: Set<Int> = []
    }

    init(_ plan: CodePlan) {
        var dialect = LuaDialect(plan)
        printer = StatementPrinter(dialect)
        for (functions, union) in zip(printer.unions, plan.names.unions) {
            let member = LuaText.member(union.name)
            dialect.functions[functions.read] = "get" + member
            dialect.functions[functions.write] = "put" + member
            dialect.functions[functions.readTagged] = "get_tagged" + member
            dialect.functions[functions.writeTagged] = "put_tagged" + member
            dialect.functions[functions.tag] = "tag" + member
        }
        for (functions, structure) in zip(printer.structures, plan.names.structures) {
            dialect.functions[functions.read] = "get" + LuaText.member(structure.name)
            dialect.functions[functions.write] = "put" + LuaText.member(structure.name)
        }
        self.dialect = dialect
    }

    /// The functions for all types that messages reach.
    var bodies: [Function] {
        plan.used.structures.sorted().flatMap { [readStructure($0), writeStructure($0)] }
            + printer.unionFunctions.map(union)
    }

    /// Returns the functions of a message.
    func message(_ index: Int) -> [Function] {
        printer.functions(ofMessage: index).map { function in
            let member = LuaText.member(plan.description.messages[index].name)
            switch function {
            case .readMessage: return self.function("read" + member, "h", function, isReading: true)
            case .writeMessage: return writing("write" + member, function)
            case .verifyHeader: return self.function("verify" + member, "h, at", function, isReading: true)
            default:
                let copy = Statement.constant("h", .header, .call(nil, "copied", ["given"]))
                let statements = [copy] + printer.statements(of: function) + [.returns("h")]
                return self.function("fix" + member, "given", statements, isReading: false)
            }
        }
    }

    /// The functions that take packets apart and put them together.
    var packets: [Function] {
        plan.shapes.flatMap { shape in (shape.reads ? [unwrap(shape)] : []) + (shape.writes ? wraps(shape) : []) }
    }

    private func wraps(_ shape: PacketShape) -> [Function] {
        guard shape.wrap.fitting != nil else { return [wrap("wrap", shape, .wrap(shape))] }
        let statements = printer.statements(of: .wrap(shape)).map { statement in
            guard case .fit(let values, let type, _, let given) = statement else { return statement }
            return .fit(values, type, function: Self.reference("fitted", shape), given: given)
        }
        return [
            wrap("fitted", shape, .wrapFitted(shape)),
            self.function(
                Self.reference("wrap", shape), "id, payload, h", statements, isReading: false,
                isLocal: !Self.isMember(shape)),
        ]
    }

    // MARK: Names

    /// Returns the expression for a function of a shape: `unwrap_client`, `unwrap[2]`, `unwrap.outer_2` for a part of a packet, or
    /// `unwrap` if there is one shape.
    static func reference(_ name: String, _ shape: PacketShape) -> String {
        guard shape.part == nil else { return "\(name).\(shape.words.joined(separator: "_"))" }
        guard let number = shape.words.last, Int(number) != nil else {
            return ([name] + shape.words).joined(separator: "_")
        }
        return ([name] + shape.words.dropLast()).joined(separator: "_") + "[\(number)]"
    }

    /// Whether functions of shapes are members of tables.
    private static func isMember(_ shape: PacketShape) -> Bool {
        shape.part != nil || shape.words.last.flatMap { Int($0) } != nil
    }

    // MARK: Text

    private func function(
        _ name: String, _ parameters: String, _ function: PrintedFunction, isReading: Bool
    ) -> Function {
        self.function(name, parameters, printer.statements(of: function), isReading: isReading)
    }

    /// - Parameters:
    ///   - head: The lines before the statements.
    ///   - change: Returns the statements as the function has them.
    private func function(
        _ name: String, _ parameters: String, _ statements: [Statement], isReading: Bool, isLocal: Bool = false,
        head: [String] = [],
        change: ([Statement]) -> [Statement] = { $0 }
    ) -> Function {
        let used = statements.withoutUnusedVariables
        let words = LuaWords(used).statements(used)
        let done = LuaRuns.joined(change(words))
        var dialect = dialect
        dialect.isReading = isReading
        dialect.members = done.variablesInTable
        let table = dialect.members.isEmpty ? [] : ["local v = {}"]
        let lines = LuaText.indented(head + table + dialect.lines(done))
        let first = isLocal ? "local function \(name)(\(parameters))" : "\(name) = function(\(parameters))"
        var function = Function(text: ([first] + lines + ["end", ""]).joined(separator: "\n"))
        function.add(done)
        return function
    }

    // MARK: Bodies

    private func readStructure(_ index: Int) -> Function {
        let name = "get" + LuaText.member(plan.names.structures[index].name)
        return function(name, "f", .readStructure(index), isReading: true)
    }

    private func writeStructure(_ index: Int) -> Function {
        let name = "put" + LuaText.member(plan.names.structures[index].name)
        return function(
            name, "m, f", printer.statements(of: .writeStructure(index)), isReading: false,
            head: ["check_table(m, f)"])
    }

    /// Returns the function that writes a message. One that consists of a call returns its bytes at once.
    private func writing(_ name: String, _ function: PrintedFunction) -> Function {
        self.function(name, "m, h", printer.statements(of: function), isReading: false) { statements in
            let statements = LuaRuns.joined(statements)
            return Self.oneCall(statements)
                ?? [.evaluate(.call("w", "open", []))] + statements + [.returns(.call("w", "taken", []))]
        }
    }

    /// Returns the statements of a message whose bytes are an expression, and bytes after them; nil for others.
    private static func oneCall(_ statements: [Statement]) -> [Statement]? {
        if let bytes = bytes(statements) { return [.returns(bytes)] }
        if statements.isEmpty { return [.returns(.bytes([]))] }
        guard let bytes = bytes(statements.dropLast()), case .choose(let branches, let otherwise)? = statements.last,
            otherwise.isEmpty, branches.count == 1,
            case .evaluate(.call(.name("w")?, "putTrailing", let arguments))? = branches[0].statements.first,
            case .text("") = arguments[1]
        else { return nil }
        let trailing = Expression.call(nil, "bytes_of", [arguments[0], .nothing, .text("trailing")])
        return [
            .variable("t", .bytes, bytes),
            .choose(if: branches[0].condition, [.assign("t", .call(nil, "joined_bytes", ["t", trailing]))]),
            .returns("t"),
        ]
    }

    /// Returns the expression for the bytes that statements put; nil if they do anything else, or if it would be too long for Lua.
    private static func bytes(_ statements: some Collection<Statement>) -> Expression? {
        guard statements.count <= 40 else { return nil }
        var all: Expression?
        for statement in statements {
            let own: Expression
            switch statement {
            case .evaluate(.call(.name("w")?, "put", let bytes)): own = bytes[0]
            case .choose(let branches, let otherwise):
                guard branches.count == 1, otherwise.isEmpty, branches[0].statements.count == 1,
                    case .evaluate(.call(.name("w")?, "put", let bytes)) = branches[0].statements[0]
                else { return nil }
                own = branches[0].condition.and(bytes[0]).or(.text(""))
            default: return nil
            }
            all = all.map { .call(nil, "joined_bytes", [$0, own]) } ?? own
        }
        return all
    }

    // MARK: Unions

    private func union(_ function: PrintedFunction) -> Function {
        let statements = printer.statements(of: function)
        switch function {
        case .readUnion(let index, let hasTag):
            let name = (hasTag ? "get" : "get_tagged") + LuaText.member(plan.names.unions[index].name)
            return self.function(name, hasTag ? "f" : "t, f", statements, isReading: true)
        case .writeUnion(let index, let hasTag):
            let name = (hasTag ? "put" : "put_tagged") + LuaText.member(plan.names.unions[index].name)
            return self.function(name, "m, f", statements, isReading: false, head: ["check_table(m, f)"])
        case .tagOfUnion(let index):
            let name = "tag" + LuaText.member(plan.names.unions[index].name)
            return self.function(
                name, "m", statements, isReading: false, head: ["if type(m) ~= \"table\" then return 0 end"])
        default: preconditionFailure("no function of unions")
        }
    }

    // MARK: Packets

    private func unwrap(_ shape: PacketShape) -> Function {
        let statements = printer.statements(of: .unwrap(shape))
        var head = [
            "input, start, here, stop = s, position, position, #s",
            "local size = stop - position + 1", "available, top, at[1] = size, 1, \"packet\"",
        ]
        if !shape.unwrap.isFixed { head.append("bound = huge") }
        if plan.countsDepth { head.append("depth = \(plan.description.options.maximumDepth)") }
        if let part = shape.part {
            head.append("largest = \(part.limit)")
        }
        return function(
            Self.reference("unwrap", shape), shape.part == nil ? "s, position, names" : "s, position", statements,
            isReading: true, isLocal: !Self.isMember(shape), head: head
        ) { shape.part == nil ? Self.withParameters($0) : $0 }
    }

    /// Returns the statements of a function that takes packets apart with its parameter in the place of the variable `start`, and without
    /// names for places that are known: parameters are faster than variables of the module.
    private static func withParameters(_ statements: [Statement]) -> [Statement] {
        var places = ["start": Expression.name("position")]
        let others = statements.filter { statement in
            guard case .constant(let name, _, let value, _) = statement, name == "body" || name == "end",
                value.children.isEmpty
            else { return true }
            places[name] = value
            return false
        }
        return others.replacing { statement in
            [
                statement.withExpressions { own in
                    own.mapped { if case .name(let name) = $0 { places[name] ?? $0 } else { $0 } }
                }
            ]
        }
    }

    private func wrap(_ name: String, _ shape: PacketShape, _ function: PrintedFunction) -> Function {
        // Only what can be refused needs the path.
        let names = Set(plan.description.layout.fields.map(\.name))
        var isRefused = false
        let statements = printer.statements(of: function)
        LuaWords(statements).statements(statements).forEachExpression { expression in
            if case .text(let text) = expression, names.contains(text) { isRefused = true }
        }
        return self.function(
            Self.reference(name, shape), name == "fitted" ? "id, payload, h, fit" : "id, payload, h", statements,
            isReading: false, isLocal: !Self.isMember(shape),
            head: isRefused ? ["top, at[1] = 1, \"packet\""] : []
        ) { Self.packet(LuaRuns.joined($0)) }
    }

    /// Returns the statements of a function that makes a packet, as an expression if that is possible. What changes it comes after that.
    private static func packet(_ statements: [Statement]) -> [Statement] {
        guard let first = statements.firstIndex(where: \.puts), let last = statements.lastIndex(where: \.puts) else {
            return statements
        }
        let (pieces, after) = (statements[first...last], statements[(last + 1)...].dropLast())
        guard let bytes = bytes(pieces) else {
            return statements[..<first] + [.evaluate(.call("w", "open", []))] + pieces
                + [.variable("o", .bytes, .call("w", "taken", []))] + after + [.returns("o")]
        }
        guard !after.isEmpty else { return statements[..<first] + [.returns(bytes)] }
        return statements[..<first] + [.variable("o", .bytes, bytes)] + after + [.returns("o")]
    }
}

extension LuaFunctions.Function {
    fileprivate mutating func add(_ statements: [Statement]) {
        statements.forEachExpression { expression in
            switch expression {
            case .call(let object, let function, let arguments):
                guard case .text(let format)? = arguments.first else { break }
                switch function {
                case "count" where object.isReader: unpacking.insert(format)
                case "pack", "putPrefix", "count": packing.insert(format)
                case "unpack", "number", "countOrAbsent": unpacking.insert(format)
                default: break
                }
            case .initial(let literal, _): zeros.formUnion(literal.structures)
            default: break
            }
        }
    }
}

extension Expression? {
    fileprivate var isReader: Bool { if case .name("r")? = self { true } else { false } }
}

extension Statement {
    /// Whether it puts bytes.
    fileprivate var puts: Bool {
        if case .evaluate(.call(.name("w")?, "put", _)) = self { return true }
        return blocks.contains { $0.contains(where: \.puts) }
    }
}

extension [Statement] {
    /// The variables that it declares, apart from those of loops.
    private var declarations: [String] {
        flatMap { statement -> [String] in
            let inner = statement.blocks.flatMap(\.declarations)
            switch statement {
            case .constant(let name, _, _, _), .variable(let name, _, _), .newList(let name, _, _, _):
                return [name] + inner
            case .assignAll(let targets, _, true):
                return targets.compactMap { if case .name(let name) = $0 { name } else { nil } } + inner
            default: return inner
            }
        }
    }

    /// The variables that stand in a table, because a function has room for 200.
    fileprivate var variablesInTable: Set<String> {
        let declarations = declarations
        return declarations.count > 120 ? Set(declarations) : []
    }
}
