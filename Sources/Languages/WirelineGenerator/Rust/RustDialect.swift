// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Rust spells the statements that read and write packets.
///
/// Functions that can fail return a `Result`, and calls of them end in `?`; the runtime's file says which ones can. A
/// call that reads or writes cannot be an argument of another such call, so its value becomes a variable first.
struct RustDialect: Dialect {
    let types: RustTypes
    /// The function being printed. It decides what an arm is and whether texts are borrowed.
    var current: PrintedFunction?
    var plan: GeneratorModel { types.plan }

    func printed(_ function: PrintedFunction, _ statements: [Statement]) -> [String] {
        var dialect = self
        dialect.current = function
        return dialect.function(statements)
    }

    private var union: Int {
        switch current {
        case .readUnion(let index, _)?, .writeUnion(let index, _)?, .tagOfUnion(let index)?: index
        default: 0
        }
    }

    /// Whether variables for texts and bytes borrow from the header that is written.
    private var isBorrowing: Bool {
        switch current {
        case .wrap?, .wrapFitted?: true
        default: false
        }
    }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String { types.type(type) }
    func range(of format: IntegerFormat) -> ClosedRange<Int128> { format.held.range }
    func string(_ text: String) -> String { RustText.string(text) }

    var valueChecks: ValueChecks { .none }
    var unwrapParameter: String { "r" }

    let style = CodeStyle(
        nothing: "None", marks: [.shiftRight: ">>"], branch: ("if ", " {"), nextBranch: ("} else if ", " {"),
        loop: ("while ", " {"), endlessLoop: "loop {")

    // MARK: Expressions

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .float(let number, let byteCount): .atom(RustText.float(number, byteCount: byteCount))
        case .bytes(let bytes): .atom(RustText.bytes(bytes))
        case .sender(let sender): .atom("Sender::\(sender == .client ? "Client" : "Server")")
        case .initial(let literal, let value): .atom(types.literal(literal, value))
        case .structure(let index): .atom("\(plan.names.structures[index].name)::default()")
        case .header: .atom("Header::default()")
        case .own(let name): .selector(.atom("self"), name)
        case .armMember(let member): .atom(member.rawValue)
        case .item(.name("shapes"), let index): .index(.atom("SHAPES"), self.index(index))
        case .item(let list, let index): .index(syntax(list), self.index(index))
        case .count(let list): cast(.call(.selector(syntax(list), "len"), []), to: "i64")
        case .call(let object, let name, let arguments): call(object, name, arguments)
        case .checksum(let kind, let bytes): checksum(kind, bytes)
        case .binary(.unequal, let value, .nothing): .call(.selector(syntax(value), "is_some"), [])
        case .not(.binary(.unequal, let value, .nothing)): .call(.selector(syntax(value), "is_none"), [])
        // Literals have no type of their own.
        case .binary(.greaterOrEqual, .number(let left, _), .number(let right, _)): .atom(String(left >= right))
        case .binary(.lessOrEqual, .number(let left, _), .number(let right, _)): .atom(String(left <= right))
        case .binary(.shiftRight, let number, .name(let count)):
            .call(.selector(operand(number), "wrapping_shr"), [.atom(count + " as u32")])
        case .same(.present(let value, _), let literal, let type): isSame(value, literal, type)
        case .same(let left, let right, _): joined(.equal, left, right)
        case .convert(.number(let number, _), _, let to): converted(number, to)
        case .convert(let inner, let from, let to): converted(inner, from, to)
        case .present(let inner, let type):
            .call(
                .selector(
                    type.isScalar ? syntax(inner) : .call(.selector(syntax(inner), "clone"), []),
                    "unwrap_or_default"), [])
        case .optional(let inner, _): .call(.atom("Some"), [syntax(inner)])
        default: nil
        }
    }

    private func index(_ index: Expression) -> Syntax {
        if case .number(let number, _) = index { return .atom(String(number)) }
        return cast(syntax(index), to: "usize")
    }

    /// Returns a conversion. `as` binds less tightly here than all operators but `&` and `|`, because `<` may follow
    /// it.
    private func cast(_ inner: Syntax, to type: String) -> Syntax {
        .binary("as", level: 4, .marked("", inner), .atom(type))
    }

    /// Returns an expression as the receiver of a method call.
    private func operand(_ expression: Expression) -> Syntax {
        switch syntax(expression) {
        case .binary, .chain, .prefix, .conditional: .parentheses(syntax(expression))
        default: syntax(expression)
        }
    }

    /// Returns a literal of a type, wrapped to its width: one that does not fit would not compile.
    private func converted(_ number: Int128, _ type: CodeType) -> Syntax {
        guard let format = type.format else { return .atom(String(number)) }
        let width = Int128(format.held.bitWidth)
        var value = number & ((1 << width) - 1)
        if format.isSigned, value >> (width - 1) == 1 { value -= 1 << width }
        if case .value(.number(let plan)) = type, plan.isNamed {
            return .call(.atom(self.type(type)), [.atom(String(value))])
        }
        return .atom(String(value) + RustTypes.integer(format))
    }

    private func converted(_ inner: Expression, _ from: CodeType, _ to: CodeType) -> Syntax {
        if case .value(.number(let plan)) = from, plan.isNamed { return .selector(operand(inner), "0") }
        if case .value(.number(let plan)) = to, plan.isNamed { return .call(.atom(type(to)), [syntax(inner)]) }
        return type(from) == type(to) ? syntax(inner) : cast(syntax(inner), to: type(to))
    }

    private func isSame(_ value: Expression, _ literal: Expression, _ type: CodeType) -> Syntax {
        var right = syntax(literal)
        if case .bytes = type { right = .atom("&\(text(literal))[..]") }
        return .joined(
            "==", level: style.level(.equal), .call(.selector(syntax(value), "as_deref"), []),
            .call(.atom("Some"), [right]))
    }

    private func checksum(_ kind: ChecksumKind, _ bytes: Expression.ChecksumBytes) -> Syntax {
        let argument =
            switch bytes {
            case .read(let from, let to): syntax(.call("r", "part", [from, to]))
            case .written(let from, let to): syntax(.call("w", "part", [from, to]))
            // A copy has exactly the bytes needed.
            case .copy(let copy, _): Syntax.marked("&", syntax(copy))
            }
        return .call(.atom("u64::from"), [.call(.atom(kind.rawValue), [argument])])
    }

    // MARK: Calls

    /// Returns the name of a function. Names of union functions keep the union's own spelling.
    static func spelled(_ name: String) -> String {
        for word in ["read", "write", "tagOf"] where name.hasPrefix(word) && name.count > word.count {
            return NameWords.snake(word) + "_" + name.dropFirst(word.count)
        }
        return NameWords.snake(name)
    }

    private func call(_ object: Expression?, _ name: String, _ arguments: [Expression]) -> Syntax {
        if object == nil, name.hasPrefix("tagOf"), case .own(let own)? = arguments.first, mayBeUnset(own) {
            // An absent union has the tag 0.
            return .atom("self.\(own).as_ref().map_or(Default::default(), |m| \(Self.spelled(name))(m))")
        }
        let call = plainCall(object, name, arguments)
        return isFallible(object, name) ? .atom(text(call) + "?") : call
    }

    private func plainCall(_ object: Expression?, _ name: String, _ arguments: [Expression]) -> Syntax {
        let own = Self.spelled(name)
        var values = arguments.map(syntax)
        let borrowed: Int? =
            object == nil
            ? (name.hasPrefix("write") ? 1 : name.hasPrefix("tagOf") ? 0 : nil)
            : RustRuntime.borrowing.contains(own) ? 0 : nil
        if let borrowed { values[borrowed] = self.borrowed(arguments[borrowed]) }
        switch (object, name, arguments.first) {
        case (_, "zeroed", _):
            let zeros = values.dropFirst(2).map(text).joined(separator: ", ")
            values = Array(values.prefix(2)) + [.atom("&[\(zeros)]")]
        case (_, "counted", .chain(_, let parts)?) where parts.count == 2:
            values[0] = saturating("saturating_add", parts[0], parts[1])
        case (_, "counted", .binary(_, let left, let right)?): values[0] = saturating("saturating_sub", left, right)
        case (_, "reserve", .chain(_, let parts)?):
            values = [
                .atom(
                    text(syntax(parts[0])) + "usize" + parts.dropFirst().map { ".saturating_add(\(text($0)))" }.joined()
                )
            ]
        case (nil, _, .name("r")?) where name.hasPrefix("unwrap"): values = [values[0]]
        default: break
        }
        return .call(object.map { .selector(syntax($0), own) } ?? .atom(own), values)
    }

    /// Whether a member of the body that is written is an `Option`.
    private func mayBeUnset(_ own: String) -> Bool {
        let body: BodyFields? =
            switch current {
            case .writeMessage(let index)?: plan.messages[index]
            case .writeStructure(let index)?: plan.structures[index]
            default: nil
            }
        return body?.fields.contains { $0.ownName == own && $0.mayBeUnset } == true
    }

    private func saturating(_ name: String, _ left: Expression, _ right: Expression) -> Syntax {
        .call(.selector(operand(left), name), [syntax(right)])
    }

    /// Returns a borrowed value; variables are borrowed already.
    private func borrowed(_ value: Expression) -> Syntax {
        switch value {
        case .name, .armMember, .bytes, .text: syntax(value)
        default: .marked("&", syntax(value))
        }
    }

    private func isFallible(_ object: Expression?, _ name: String) -> Bool {
        switch object {
        case nil: !name.hasPrefix("tagOf")
        case .name("r")?, .name("w")?: RustRuntime.fallible.contains(Self.spelled(name))
        default: ["read", "write"].contains(name)
        }
    }

    /// Moves arguments that read or write into variables; returns their lines and the call that uses them.
    private func ordered(_ expression: Expression) -> (lines: [String], expression: Expression) {
        switch expression {
        case .call(let object?, let name, let arguments):
            var lines: [String] = []
            let ordered = arguments.enumerated().map { index, argument -> Expression in
                guard argument.changesBytes else { return argument }
                let (more, own) = self.ordered(argument)
                let variable = "given\(index == 0 ? "" : String(index))"
                lines += more + ["let \(variable) = \(text(own));"]
                return .name(variable)
            }
            return (lines, .call(object, name, ordered))
        case .convert(let inner, let from, let to):
            let (lines, own) = self.ordered(inner)
            return (lines, .convert(own, from: from, to: to))
        default: return ([], expression)
        }
    }

    // MARK: Statements

    /// Replaces the final return with its value.
    func completed(_ statements: [Statement]) -> [Statement] {
        switch current {
        case .change?: statements
        default: statements.returning
        }
    }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .constant(let name, let type, let value, _): return constant(name, type, value)
        case .variable(let name, .value(.union), .nothing): return ["let \(name);"]
        case .variable("gap", .text, let value): return ["let mut gap = \(text(value));"]
        case .variable(let name, .text, let value) where isBorrowing: return ["let mut \(name) = \(text(value));"]
        case .variable(let name, .bytes, let value) where isBorrowing:
            return ["let mut \(name): &[u8] = \(text(value));"]
        case .variable(let name, let type, let value): return ["let mut \(name): \(self.type(type)) = \(kept(value));"]
        case .assign(let target, let value):
            let (lines, own) = ordered(value)
            return lines + ["\(text(target)) = \(kept(own));"]
        case .evaluate(.call(.name("r")?, "verify", let arguments)) where arguments.first?.isFalse == true:
            return [
                "return Err(r.error(\(text(arguments[1])), \(text(arguments[2])), \(text(arguments[3])) as usize));"
            ]
        case .evaluate(let value):
            let (lines, own) = ordered(value)
            if case .call = own { return lines + [text(own) + ";"] }
            return lines + ["let _ = \(text(own));"]
        case .choose(let branches, let otherwise): return choose(branches, otherwise)
        case .loop(let condition?, let inner):
            let (lines, own) = ordered(condition)
            guard !lines.isEmpty else { return nil }
            return ["loop {"] + indented(lines + ["if !(\(text(own))) {", "    break;", "}"]) + indented(inner) + ["}"]
        case .count(let name, let count, let inner):
            return ["for \(name) in 0..\(text(count)) {"] + indented(inner) + ["}"]
        case .select(let number, let branches): return select(number, branches)
        case .returns(let value): return ["return \(result(value ?? .nothing));"]
        case .returnMore: return ["return Ok(None);"]
        case .succeed(let value): return [result(value)]
        case .fail(let kind, let path):
            return ["return Err(WireError::new(\(text(.text(kind))), \(text(.text(path))), -1));"]
        case .fit(let values, _, let function, let given): return fit(values, Self.spelled(function), given)
        case .newList(let name, let item, let capacity, let fixed):
            if let fixed, RustTypes.arrayCount(.exactly(fixed)) != nil {
                return ["let mut \(name): [\(types.typeName(item)); \(fixed)] = Default::default();"]
            }
            let room = capacity.isZero ? "new()" : "with_capacity(\(text(capacity)))"
            return ["let mut \(name): Vec<\(types.typeName(item))> = Vec::\(room);"]
        case .append(let value, let list, let index, let fixed):
            let isArray = fixed.map { RustTypes.arrayCount(.exactly($0)) != nil } ?? false
            return [isArray ? "\(list)[\(index) as usize] = \(text(value));" : "\(list).push(\(text(value)));"]
        case .makeArm(let arm, let members): return ["m = \(made(arm, members));"]
        case .arms(let arms, _): return match(arms)
        case .received(_, let places):
            let known = places.isEmpty ? "" : ", places: \(list(places))"
            return ["Ok(Some(Received { id, header, total\(known) }))"]
        case .receivedPart(let part): return [received(part)]
        default: return nil
        }
    }

    /// Returns a value that is stored: texts and bytes are copied.
    private func kept(_ value: Expression) -> String {
        switch value {
        case .text(""): "String::new()"
        case .text: "String::from(\(text(value)))"
        case .bytes([]): "Vec::new()"
        case .bytes: "\(text(value)).to_vec()"
        default: text(value)
        }
    }

    private func constant(_ name: String, _ type: CodeType, _ value: Expression) -> [String] {
        let (lines, own) = ordered(value)
        switch (type, own) {
        case (_, .structure): return ["let mut \(name) = \(text(own));"]
        case (.text, .member), (.bytes, .member): return ["let \(name) = &\(text(own));"]
        case (_, .number), (_, .float): return ["let \(name): \(self.type(type)) = \(text(own));"]
        default: return lines + ["let \(name) = \(kept(own));"]
        }
    }

    /// Returns the result of a function that can fail. A fallible call already is one.
    private func result(_ value: Expression) -> String {
        switch (value, current) {
        case (_, .tagOfUnion?): text(value)
        case (.nothing, _): "Ok(())"
        case (.call(let object, let name, let arguments), _) where isFallible(object, name):
            text(plainCall(object, name, arguments))
        default: "Ok(\(text(value)))"
        }
    }

    /// Returns the branches. A branch that takes an optional value becomes an `if let` pattern.
    private func choose(_ branches: [Statement.Branch], _ otherwise: [Statement]) -> [String]? {
        guard branches.count == 1, let branch = branches.first, let taken = Taken(branch.statements) else { return nil }
        let value = text(taken.value)
        let pattern = "if let Some(\(taken.name)) = \(taken.type.isScalar ? "" : "&")\(value) {"
        var lines: [String]
        if case .binary(.unequal, let tested, .nothing) = branch.condition, text(tested) == value {
            lines = [pattern] + indented(taken.rest)
        } else {
            lines = ["if \(text(branch.condition)) {"] + indented([pattern] + indented(taken.rest) + ["}"])
        }
        if !otherwise.isEmpty { lines += ["} else {"] + indented(otherwise) }
        return lines + ["}"]
    }

    /// The value that a branch takes out of an optional one, and its other statements.
    private struct Taken {
        let name: String
        let type: CodeType
        let value: Expression
        let rest: [Statement]

        init?(_ statements: [Statement]) {
            switch statements.first {
            case .constant(let name, let type, .present(let value, _), _)?:
                (self.name, self.type, self.value) = (name, type, value)
                rest = Array(statements.dropFirst())
            case .assign(let target, .present(let value, let type))? where statements.count == 1:
                (name, self.type, self.value) = ("given", type, value)
                rest = [.assign(target, "given")]
            default: return nil
            }
        }
    }

    private func select(_ number: Expression, _ branches: [[Statement]]) -> [String] {
        guard branches.count > 1 else { return branches.flatMap { lines($0) } }
        let cases = branches.enumerated().flatMap { index, statements in
            ["\(index + 1 == branches.count ? "_" : String(index)) => {"] + indented(statements) + ["}"]
        }
        return ["match \(text(number)) {"] + indented(cases) + ["}"]
    }

    private func fit(_ values: [Expression], _ function: String, _ given: Expression) -> [String] {
        guard let last = values.last else { return [] }
        return [
            "let after = w.position();", "for fit in [\(values.dropLast().map { text($0) }.joined(separator: ", "))] {",
            "    match \(function)(w, id, h, fit) {",
            "        Err(error) if \(text(given)).is_none() && does_not_fit(&error) => w.seek(after),",
            "        made => return made,", "    }", "}", "\(function)(w, id, h, \(text(last)))",
        ]
    }

    // MARK: Unions and packets

    private func name(_ arm: String) -> String { "\(plan.names.unions[union].name)::\(types.arm(arm, of: union))" }

    private func field(_ arm: String) -> GeneratedField? {
        plan.names.unions[union].cases.firstIndex(of: arm).flatMap { plan.unions[union].arms[$0].fields.first }
    }

    private func made(_ arm: String, _ members: [(member: Expression.ArmMember, value: Expression)]) -> String {
        switch members.first {
        case nil: return name(arm)
        case (.value, let value)?:
            return "\(name(arm))(\(text(value)))"
        default:
            return
                "\(name(arm)) { \(members.map { "\($0.member.rawValue): \(text($0.value))" }.joined(separator: ", ")) }"
        }
    }

    private func match(_ arms: [(name: String, statements: [Statement])]) -> [String] {
        let cases = arms.flatMap { arm -> [String] in
            var pattern = name(arm.name)
            let isUsed = arm.statements.uses["a"] != nil
            if let position = plan.names.unions[union].cases.firstIndex(of: arm.name), let field = field(arm.name) {
                let isKept = plan.unions[union].plan.arms[position].tag == nil
                let isCopied = field.value.isScalar
                pattern =
                    isKept
                    ? "&\(pattern) { tag, ref bytes }"
                    : !isUsed ? "\(pattern)(_)" : "\(isCopied ? "&" : "")\(pattern)(value)"
            }
            return ["\(pattern) => {"] + indented(arm.statements) + ["}"]
        }
        return ["match m {"] + indented(cases) + ["}"]
    }

    private func list(_ items: [Expression]) -> String { "vec![\(items.map { text($0) }.joined(separator: ", "))]" }

    private func received(_ part: ReceivedPart) -> String {
        let counter = part.counter ?? (number: 0, place: 0, isThere: false)
        let members = [
            "id", "header", "body", "end", "after: total", "first: \(text(part.first))",
            "has_count: \(text(counter.isThere))",
            "count: \(text(counter.number))", "place: \(text(counter.place))", "rules: \(list(part.rules))",
            "places: \(list(part.places))",
        ]
        return "Ok(Some(Part { \(members.joined(separator: ", ")) }))"
    }
}

extension [Statement] {
    /// The statements with a final value in place of a return.
    fileprivate var returning: [Statement] {
        let others = Array(dropLast())
        return switch last {
        case .returns(let value)?: others + [.succeed(value ?? .nothing)]
        case .select(let number, let branches)?: others + [.select(number, branches.map(\.returning))]
        case .arms(let arms, let otherwise)? where arms.allSatisfy({ $0.statements.isReturn }):
            others + [.arms(arms.map { ($0.name, $0.statements.returning) }, otherwise: otherwise)]
        case .received?, .receivedPart?, .succeed?, .fit?, .fail?: self
        default: self + [.succeed(.nothing)]
        }
    }

    private var isReturn: Bool { if case .returns? = last { true } else { false } }
}

extension Expression {
    fileprivate var isFalse: Bool { if case .boolean(false) = self { true } else { false } }

    /// Whether it advances a reader or a writer.
    fileprivate var changesBytes: Bool {
        if case .call(let object?, let name, _) = self, case .name(let own) = object, own == "r" || own == "w",
            RustRuntime.mutating.contains(RustDialect.spelled(name))
        {
            return true
        }
        return children.contains(where: \.changesBytes)
    }
}
