// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The words of a language for the classes of a protocol.
protocol ClassDialect: BraceDialect {
    /// Returns a documentation comment with its deprecation; empty for an empty text.
    func comment(_ text: String, _ deprecation: String?, indent: String) -> [String]

    func optionalType(_ type: CodeType) -> String

    /// Returns the head of a class that cannot be extended.
    func classHead(_ name: String, extends base: String?) -> String

    /// Returns a class without members, as the base of others.
    func emptyBase(_ name: String) -> [String]

    func functionHead(
        _ kind: ClassPrinter.FunctionKind, _ result: String, _ name: String, _ parameters: String
    ) -> String

    /// Returns the members with a message's name, its ID and, if packets depend on it, its only sender.
    func facts(of message: MessageDescription) -> [String]

    func constant(_ name: String, _ value: Expression, _ type: CodeType) -> String

    /// Returns the type for an enum or flags, without its comment.
    func type(_ choice: ChoicePlan) -> [String]

    func copying(_ members: [String]) -> String

    func constants(_ name: String, _ numbers: [Int]) -> String

    /// The modifiers of a table that all functions may use.
    var tableModifiers: String { get }

    /// The runtime, reduced to what the protocol needs.
    var runtime: RuntimeFile { get }
}

/// Prints the classes of a protocol and the functions of its packets, for languages with classes.
struct ClassPrinter {
    let dialect: any ClassDialect
    let builder: StatementBuilder
    private var plan: GeneratorModel { builder.plan }
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }
    private var text: String { dialect.type(.text) }
    private var id: String { dialect.type(.number(.uint64)) }

    enum FunctionKind {
        case helper
        case member
        /// A member that the message's base class declares.
        case override
    }

    init(_ dialect: any ClassDialect) {
        self.dialect = dialect
        builder = StatementBuilder(dialect)
    }

    // MARK: Functions

    /// The functions that read and write unions and packets.
    var functions: [String] {
        (builder.unionFunctions + builder.packetFunctions).map(text) + (plan.context.map(connection) ?? [])
            + (layers?.functions ?? [])
    }

    /// The additional code of a protocol with layers; nil without them.
    var layers: ClassLayers? { plan.layers.map { ClassLayers(dialect: dialect, builder: builder, layers: $0) } }

    /// Returns the functions that select a packet's shape, and the function that changes states.
    private func connection(_ context: ContextPlan) -> [String] {
        let calls: [PrintedFunction] = layers == nil ? [.unwrapAnyShape(context), .wrapAnyShape(context)] : []
        let functions = [.shapeOf(context)] + calls + [.change(context)]
        return [dialect.constants("shapes", context.shapes)] + functions.map(text)
    }

    private func text(_ function: PrintedFunction) -> String {
        var statements = builder.statements(of: function)
        if case .fixHeader = function {
            statements = [.constant("h", .header, .call("given", "copy", []))] + statements + [.returns("h")]
        }
        let (kind, result, name, parameters) = head(function)
        return BraceText.function(
            dialect.functionHead(kind, result, dialect.spelled(name), parameters), dialect.function(statements))
    }

    private func head(
        _ function: PrintedFunction
    ) -> (kind: FunctionKind, result: String, name: String, parameters: String) {
        let bytes = dialect.type(.bytes)
        switch function {
        case .readStructure: return (.member, "void", "read", "Reader r, \(text) f")
        case .writeStructure: return (.member, "void", "write", "Writer w, \(text) f")
        case .readMessage: return (.override, "void", "read", "Reader r, Header h")
        case .writeMessage: return (.override, "void", "write", "Writer w, Header h")
        case .verifyHeader: return (.override, "void", "verify", "Reader r, Header h, int[] at")
        case .fixHeader: return (.override, "Header", "fix", "Writer w, Header given")
        case .readUnion(let index, let hasTag):
            let (own, tag) = (builder.unions[index], hasTag ? "" : "\(tag(index)) t, ")
            return (
                .helper, names.unions[index].name, hasTag ? own.read : own.readTagged, "Reader r, \(tag)\(text) f"
            )
        case .writeUnion(let index, let hasTag):
            let own = builder.unions[index]
            let name = hasTag ? own.write : own.writeTagged
            return (.helper, "void", name, "Writer w, \(names.unions[index].name) m, \(text) f")
        case .tagOfUnion(let index):
            return (.helper, tag(index), builder.unions[index].tag, "\(names.unions[index].name) m")
        case .unwrap(let shape):
            let (result, sender) = shape.part == nil ? ("Packet", ", Sender sender") : ("Part", "")
            return (.helper, result, "unwrap" + shape.suffix, "Reader r" + sender)
        case .wrap(let shape): return (.helper, bytes, "wrap" + shape.suffix, "Writer w, \(id) id, Header h")
        case .wrapFitted(let shape):
            let type = shape.writePlan.fitting.map { dialect.type(plan.headerType(shape.positions[$0.field])) } ?? ""
            return (.helper, bytes, "fitted" + shape.suffix, "Writer w, \(id) id, Header h, \(type) fit")
        case .shapeOf:
            let nested = layers == nil ? "" : ", \(dialect.type(.boolean)) nested"
            return (.helper, "int", "shapeOf", "Sender sender, Connection c\(nested)")
        case .change: return (.helper, "void", "change", "Connection c, Sender sender, \(id) id")
        case .unwrapAnyShape: return (.helper, "Packet", "unwrap", "int shape, Reader r, Sender sender")
        case .wrapAnyShape: return (.helper, bytes, "wrap", "int shape, Writer w, \(id) id, Header h")
        }
    }

    private func tag(_ index: Int) -> String { dialect.type(.value(builder.tag(index))) }

    /// Returns the runtime's classes, reduced to the called functions; and the class of frames, if the protocol has
    /// frames.
    func runtime(_ calls: Set<String>) -> (classes: [String], frame: [String]) {
        let file = dialect.runtime
        let classes = ["steps", "reader", "writer", "checksum"].map { name in
            file.text(name) { BraceText.called($0, by: calls) }
        }
        return (
            classes.filter { !BraceText.isEmptyClass($0) },
            description.layout.framing == nil ? [] : [file.text("frame")]
        )
    }

    // MARK: Constants, enums and flags

    var constants: [String] {
        zip(description.constants, names.constants).map { constant, name in
            let value = Expression.number(constant.value, constant.format)
            let line = dialect.constant(name, value, .number(constant.format))
            return (dialect.comment(constant.documentation, nil, indent: "") + [line]).joined(separator: "\n")
        }
    }

    private var choices: [String] {
        plan.choices.map { choice in
            (dialect.comment(choice.documentation, choice.deprecation, indent: "") + dialect.type(choice))
                .joined(separator: "\n")
        }
    }

    // MARK: Classes

    var types: [String] {
        choices + unions + structures + messages + [header] + (plan.context.map { [connectionClass($0)] } ?? [])
    }

    private var header: String {
        let comment =
            "A packet's header and trailer. Lengths, IDs, constants and checksums are computed when it is written."
        var lines = dialect.comment(comment, nil, indent: "") + [dialect.classHead("Header", extends: nil)]
        let members = plan.headerMembers
        for (position, name, documentation) in members {
            let type = plan.headerType(position)
            let own = plan.hasAlways(headerField: position) ? dialect.type(type) : dialect.optionalType(type)
            let initial = builder.initial(headerField: position).flatMap {
                $0.evaluated.isZero ? nil : " = " + dialect.text($0)
            }
            lines += dialect.comment(documentation, nil, indent: "    ")
            lines.append("    public \(own) \(name)\(initial ?? "");")
        }
        if !plan.fixedHeaderFields.isEmpty || plan.layers != nil {
            lines += ["", BraceText.indented(dialect.copying(members.map(\.name)))]
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func connectionClass(_ context: ContextPlan) -> String {
        let statements = ContextStatements(builder, context)
        let states = zip(context.states.enumerated(), names.states).flatMap { item, own in
            dialect.comment(item.element.documentation, nil, indent: "")
                + ["public \(dialect.type(statements.type(item.offset))) \(own);"]
        }
        let members = states + (layers?.members ?? [])
        return dialect.runtime.text("connectionClass") { _ in members.joined(separator: "\n") }
    }

    /// The unions, each followed by the classes of its arms.
    private var unions: [String] {
        zip(plan.unions.enumerated(), names.unions).flatMap { item, name -> [String] in
            let (index, union) = item
            let description = description.unions[index]
            let base =
                dialect.comment(description.documentation, description.deprecation, indent: "")
                + dialect.emptyBase(name.name)
            return [base.joined(separator: "\n")]
                + zip(union.plan.arms.indices, name.cases).map { position, own in
                    arm(position, of: index, own, extends: name.name)
                }
        }
    }

    private func arm(_ position: Int, of index: Int, _ own: String, extends base: String) -> String {
        let union = plan.unions[index]
        var lines = dialect.comment(description.unions[index].arms[position].documentation, nil, indent: "")
        lines.append(dialect.classHead(own, extends: base))
        if let field = union.arms[position].fields.first {
            if union.plan.arms[position].tag == nil {
                lines.append("    public \(dialect.type(.value(builder.tag(index)))) \(dialect.spelled("tag"));")
                lines.append("    public byte[] \(dialect.spelled("bytes")) = new byte[0];")
            } else {
                lines.append("    " + member(dialect.spelled("value"), field))
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// Returns the declaration of a member, with its initial value in a new body.
    /// - Parameter isInZero: Whether it may be unset, but has a value in the structure's zero.
    private func member(_ own: String, _ field: GeneratedField, isInZero: Bool = false) -> String {
        let type = CodeType.value(field.value)
        if field.mayBeUnset {
            let initial = isInZero ? " = " + dialect.text(builder.zero(field)) : ""
            return "public \(dialect.optionalType(type)) \(own)\(initial);"
        }
        // The language itself initializes it with 0.
        let isUnset = field.absent == nil && (field.value.isScalar || !field.hasZero)
        let initial = isUnset ? nil : builder.initial(field)
        return "public \(dialect.type(type)) \(own)\(initial.map { " = " + dialect.text($0) } ?? "");"
    }

    private func members(_ body: BodyFields, isStructure: Bool = false) -> [String] {
        var lines: [String] = []
        for field in body.fields where field.planned.hasValue {
            lines += dialect.comment(
                field.description.documentation, field.description.deprecation, indent: "    ")
            let isInZero = isStructure && field.planned.condition != nil && field.isInZero && field.hasZero
            lines.append("    " + member(field.ownName, field, isInZero: isInZero))
        }
        if let trailing = body.trailing {
            lines += dialect.comment(
                "Bytes after the last field that this schema knows, from a peer with a newer one; null for none.", nil,
                indent: "    ")
            lines.append("    public byte[] \(trailing);")
        }
        return lines
    }

    private var structures: [String] {
        zip(description.structures.enumerated(), zip(plan.structures, names.structures)).map { item, body in
            let (index, structure) = item
            var lines = dialect.comment(structure.documentation, structure.deprecation, indent: "")
            lines += [dialect.classHead(body.1.name, extends: nil)] + members(body.0, isStructure: true)
            if plan.used.structures.contains(index) {
                let functions = [PrintedFunction.readStructure(index), .writeStructure(index)].map(text)
                lines += functions.flatMap { ["", BraceText.indented($0)] }
            }
            return (lines + ["}"]).joined(separator: "\n")
        }
    }

    private var messages: [String] {
        description.messages.indices.map { index in
            let (message, body) = (description.messages[index], plan.messages[index])
            var lines = dialect.comment(
                message.documentation + "\n" + description.facts(of: message), message.deprecation, indent: "")
            lines += [dialect.classHead(names.messages[index].name, extends: "Message")] + members(body)
            let functions = builder.functions(ofMessage: index).map(text)
            lines += (dialect.facts(of: message) + functions).flatMap { ["", BraceText.indented($0)] }
            return (lines + ["}"]).joined(separator: "\n")
        }
    }
}
