// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read and write messages, structures, unions and packets. They are members of tables,
/// because a chunk has at most 200 locals.
struct LuaFunctions {
    private let dialect: LuaDialect
    let builder: StatementBuilder
    private var plan: GeneratorModel { dialect.plan }

    /// The text of a function, and its dependencies.
    struct Function {
        var text: String
        /// The formats of `string.unpack` and of `string.pack`.
        var (unpacking, packing): (Set<String>, Set<String>) = ([], [])

        init(_ text: String, _ statements: [Statement]) {
            self.text = text
            statements.forEachExpression { expression in
                guard case .call(let object, let function, let arguments) = expression,
                    case .text(let format)? = arguments.first, format.hasPrefix("<") || format.hasPrefix(">")
                else { return }
                let isWriter = if case .name("w")? = object { true } else { function == "pack" }
                if isWriter { packing.insert(format) } else { unpacking.insert(format) }
            }
        }
    }

    init(_ plan: GeneratorModel) {
        var dialect = LuaDialect(plan)
        builder = StatementBuilder(dialect)
        dialect.functions = Set(builder.structures.flatMap { [$0.read, $0.write] })
            .union(builder.unions.flatMap { [$0.read, $0.write, $0.readTagged, $0.writeTagged, $0.tag] })
        self.dialect = dialect
    }

    /// The functions for all types that messages reach.
    var bodies: [Function] {
        plan.used.structures.sorted().flatMap { [function(.readStructure($0)), function(.writeStructure($0))] }
            + builder.unionFunctions.map(function)
    }

    func message(_ index: Int) -> [Function] { builder.functions(ofMessage: index).map(function) }

    /// The functions that read and write packets. Each is declared before its callers.
    var packets: [Function] { builder.packetFunctions.reversed().map(function) }

    private func function(_ function: PrintedFunction) -> Function {
        let statements = builder.statements(of: function)
        let verifying: [Statement] = [.evaluate(.call(nil, "check_table", ["m", "f"]))]
        func member(_ table: String, _ message: Int) -> String {
            table + LuaText.member(plan.description.messages[message].name)
        }
        switch function {
        case .readStructure(let index):
            return text("own." + builder.structures[index].read, "f", statements, isReading: true)
        case .writeStructure(let index):
            return text("own." + builder.structures[index].write, "m, f", statements, head: verifying)
        case .readUnion(let index, let hasTag):
            let names = builder.unions[index]
            return text(
                "own." + (hasTag ? names.read : names.readTagged), hasTag ? "f" : "t, f", statements, isReading: true)
        case .writeUnion(let index, let hasTag):
            let names = builder.unions[index]
            return text("own." + (hasTag ? names.write : names.writeTagged), "m, f", statements, head: verifying)
        case .tagOfUnion(let index):
            let isTable = Expression.binary(.equal, .call(nil, "type", ["m"]), .text("table"))
            return text(
                "own." + builder.unions[index].tag, "m", statements, head: [.choose(if: .not(isTable), [.returns(0)])])
        case .readMessage(let index): return text(member("read", index), "h", statements, isReading: true)
        case .writeMessage(let index):
            return text(member("write", index), "m, h", statements + [.returns(nil)]) { Self.joined($0) }
        case .verifyHeader(let index): return text(member("verify", index), "h, at", statements, isReading: true)
        case .fixHeader(let index):
            let copy = Statement.constant("h", .header, .call(nil, "copied", ["given"]))
            return text(member("fix", index), "given", statements + [.returns("h")], head: [copy])
        case .unwrap(let shape):
            let names = shape.part == nil ? ", names" : ""
            return text("unwrap", "s, position" + names, statements, of: shape, isReading: true, head: beginning(shape))
        case .wrap(let shape) where shape.writePlan.fitting != nil:
            return text("wrap", "id, payload, h", statements, of: shape)
        case .wrap(let shape), .wrapFitted(let shape):
            let isFitted = shape.writePlan.fitting != nil
            return text(
                isFitted ? "fitted" : "wrap", "id, payload, h" + (isFitted ? ", fit" : ""), statements, of: shape,
                head: [.assign("top", 1), .assign(.item("at", at: 0), .text("packet"))]
            ) { Self.joined($0) }
        case .shapeOf, .change, .unwrapAnyShape, .wrapAnyShape: preconditionFailure("\(function) is not printed")
        }
    }

    private func beginning(_ shape: PacketShape) -> [Statement] {
        var places: [(Expression, Expression)] = [
            ("input", "s"), ("start", "position"), ("top", 1), (.item("at", at: 0), .text("packet")),
        ]
        // One call reads the numbers of a header. The reader then continues at the payload.
        let isAtOnce =
            shape.readPlan.isFixed && !shape.layout.header.isEmpty
            && shape.layout.fields.allSatisfy { $0.format.isNumber || $0.role == .padding }
        if !isAtOnce { places += [("here", "position"), ("stop", .count("s"))] }
        if !shape.readPlan.isFixed { places.append(("bound", "huge")) }
        if plan.nests { places.append(("depth", .place(plan.description.options.maximumDepth))) }
        if let part = shape.part { places.append(("largest", .place(part.limit))) }
        let size = Expression.binary(.minus, .count("s"), "position").plus(1)
        return [.constant("size", .position, size)] + places.map { .assign($0, $1) }
    }

    /// - Parameters:
    ///   - shape: The shape of the packets that it reads or writes; nil for other functions.
    ///   - head: The statements before the others.
    ///   - change: Adjusts the statements.
    private func text(
        _ name: String, _ parameters: String, _ statements: [Statement], of shape: PacketShape? = nil,
        isReading: Bool = false, head: [Statement] = [], change: ([Statement]) -> [Statement] = { $0 }
    ) -> Function {
        var dialect = dialect
        dialect.isReading = isReading
        dialect.isPacket = shape != nil
        let all = head + change(dialect.completed(statements.withoutUnusedVariables))
        dialect.members = all.variablesInTable
        let table = dialect.members.isEmpty ? [] : ["local v = {}"]
        let suffix = shape.map { dialect.suffix(of: $0) } ?? ""
        let isLocal = shape != nil && !suffix.hasPrefix(".") && !suffix.contains("[")
        let own = "\(name)\(suffix)"
        let head = isLocal ? "local function \(own)(\(parameters))" : "\(own) = function(\(parameters))"
        let lines = [head] + dialect.indented(table + dialect.lines(all)) + ["end", ""]
        return Function(lines.joined(separator: "\n"), all)
    }

    // MARK: Bytes

    /// Makes statements return the bytes that they put, as one expression if possible. The last statement is a return.
    /// Statements that change the packet follow its bytes.
    private static func joined(_ statements: [Statement]) -> [Statement] {
        let all = statements.dropLast()
        let first = all.firstIndex(where: \.writes) ?? all.endIndex
        let end = all.lastIndex(where: \.writes).map { $0 + 1 } ?? first
        let (before, pieces, after) = (all[..<first], all[first..<end], all[end...])
        let isChanged = Array(after).uses["o"] != nil
        if isChanged || after.isEmpty, let bytes = bytes(pieces) {
            guard isChanged else { return before + [.returns(bytes)] }
            return before + [.variable("o", .bytes, bytes)] + after + [.returns("o")]
        }
        let (opening, taken) = (Statement.evaluate(.call("w", "open", [])), Expression.call("w", "taken", []))
        guard isChanged else { return [opening] + all + [.returns(taken)] }
        return [opening] + before + pieces + [.variable("o", .bytes, taken)] + after + [.returns("o")]
    }

    /// Returns the bytes that statements put, as one expression; nil if they do anything else, or if it would be too
    /// long for Lua.
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
        return all ?? .bytes([])
    }
}

extension Statement {
    /// Whether it writes bytes: calls a function of the writer other than a mere check, or passes the writer to a
    /// function.
    fileprivate var writes: Bool {
        if case .evaluate(.call(let object, let word, let arguments)) = self, word != "isPresent" {
            for case .name("w")? in [object, arguments.first] { return true }
        }
        return blocks.contains { $0.contains(where: \.writes) }
    }
}

extension [Statement] {
    /// The variables that it declares, except loop variables.
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

    /// The variables to keep in a table, because a function has at most 200 locals.
    fileprivate var variablesInTable: Set<String> {
        let declarations = declarations
        return declarations.count > 120 ? Set(declarations) : []
    }
}
