// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

struct GoDeclarations {
    let types: GoTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    var all: [String] { [constants, choices, unions, structures, messages, [header], connection].flatMap(\.self) }

    private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

    // MARK: Constants, enums and flags

    private var constants: [String] {
        zip(description.constants, names.constants).map { constant, name in
            text(GoText.comment(constant.documentation) + ["const \(name) = \(constant.value)"])
        }
    }

    private var choices: [String] { plan.choices.map(choice) }

    private func choice(_ choice: ChoicePlan) -> String {
        let comment = GoText.comment(choice.documentation, choice.deprecation)
        let rows = choice.cases.map { item, own in
            (
                comment: GoText.comment(item.documentation, item.deprecation),
                cells: [own, choice.name, "= \(item.value)"]
            )
        }
        let type = comment + ["type \(choice.name) \(GoTypes.integer(choice.format))"]
        return text(rows.isEmpty ? type : type + ["", "const ("] + GoText.indented(GoText.table(rows)) + [")"])
    }

    // MARK: Unions

    private var unions: [String] {
        plan.unions.indices.flatMap { index -> [String] in
            let (union, bodies) = plan.unions[index]
            let (own, item) = (names.unions[index], description.unions[index])
            let arms = union.arms.indices.map { position -> String in
                let arm = item.arms[position]
                var rows: [(comment: [String], cells: [String])] = []
                if let field = bodies[position].fields.first {
                    if union.arms[position].tag == nil {
                        rows = [([], ["Tag", types.typeName(builder.tag(index))]), ([], ["Bytes", "[]byte"])]
                    } else {
                        rows = [([], ["Value", types.typeName(field.value)])]
                    }
                }
                let comment = GoText.comment(arm.documentation)
                let name = own.cases[position]
                let isSecret = bodies[position].fields.contains { $0.description.isSensitive }
                return text(
                    comment + structure(name, rows) + ["", "func (\(name)) is\(own.name)() {}"]
                        + (isSecret ? hiding(name) : []))
            }
            let comment = GoText.comment(item.documentation, item.deprecation)
            let list = own.cases.joined(separator: ", ")
            return [
                text(
                    comment + (comment.isEmpty ? [] : ["//"]) + ["// \(own.name) is one of \(list)."]
                        + ["type \(own.name) interface{ is\(own.name)() }"])
            ] + arms
        }
    }

    private func structure(_ name: String, _ rows: [(comment: [String], cells: [String])]) -> [String] {
        rows.isEmpty ? ["type \(name) struct{}"] : GoText.block("type \(name) struct", GoText.table(rows))
    }

    /// Returns the methods that keep `fmt` from printing the fields of a type with a `@sensitive` field.
    private func hiding(_ name: String) -> [String] {
        ["String", "GoString"].flatMap { method(name, "\($0)() string", GoText.string(name + "{…}")) }
    }

    private func method(_ receiver: String, _ head: String, _ value: String) -> [String] {
        [""] + GoText.block("func (\(receiver)) \(head)", ["return \(value)"])
    }

    // MARK: Structures and messages

    private func body(
        _ body: BodyFields, _ name: String, _ comment: [String], maker: String?, isMessage: Bool
    ) -> [String] {
        var rows = body.fields.filter(\.planned.hasValue).map { field in
            (
                comment: GoText.comment(field.description.documentation, field.description.deprecation),
                cells: [field.ownName, types.text(field)]
            )
        }
        if let trailing = body.trailing {
            let comment = "// Bytes after the last field that this schema knows, from a peer with a newer one."
            rows.append(([comment], [trailing, "[]byte"]))
        }
        var lines = comment + structure(name, rows)
        if let maker {
            let fields = types.defaults(body, isMessage: isMessage)
            let head = ["", "// \(maker) makes one with the defaults of its fields.", "func \(maker)() *\(name) {"]
            lines += head
            lines +=
                fields.isEmpty ? ["\treturn &\(name){}"] : GoText.indented(["m := &\(name){}"] + fields + ["return m"])
            lines.append("}")
        }
        if body.fields.contains(where: \.description.isSensitive) { lines += hiding(name) }
        return lines
    }

    private var structures: [String] {
        description.structures.indices.map { index in
            let item = description.structures[index]
            return text(
                body(
                    plan.structures[index], names.structures[index].name,
                    GoText.comment(item.documentation, item.deprecation), maker: types.structureMaker(index),
                    isMessage: false))
        }
    }

    private var messages: [String] {
        description.messages.indices.map { index in
            let name = names.messages[index].name
            let message = description.messages[index]
            let about = message.documentation + "\n" + description.facts(of: message)
            var lines = body(
                plan.messages[index], name, GoText.comment(about, message.deprecation),
                maker: types.messageMaker(index), isMessage: true)
            lines += method("m *\(name)", "MessageName() string", GoText.string(message.name))
            lines += method("m *\(name)", "MessageID() uint64", String(message.id))
            if plan.takesSender {
                let only = message.senders.count == 1 && message.senders.contains(.server) ? "Server" : "Client"
                lines += method(
                    "m *\(name)", "from() (only Sender, isOne bool)", "\(only), \(message.senders.count == 1)")
            }
            return text(lines)
        }
    }

    // MARK: Header and connection

    /// The type of a connection, with its states; empty without states.
    private var connection: [String] {
        guard let context = plan.context else { return [] }
        let statements = ContextStatements(builder, context)
        var rows = zip(context.states.enumerated(), names.states).map { item, own in
            (
                comment: GoText.comment(item.element.documentation),
                cells: [own, builder.dialect.type(statements.type(item.offset))]
            )
        }
        if let layers = plan.layers { rows += layers.members }
        let comment = [
            "// Connection has the states of a connection, which both directions share. A new one has all at 0. Messages set them, and so may the",
            "// program.",
        ]
        return [text(comment + structure("Connection", rows))]
    }

    private var header: String {
        let members = plan.headerMembers
        let rows = members.map { position, own, documentation -> (comment: [String], cells: [String]) in
            let type = plan.headerType(position)
            let isAlways = plan.hasAlways(headerField: position) || GoDialect.hasNil(type)
            return (
                GoText.comment(documentation), [own, (isAlways ? "" : "*") + builder.dialect.type(type)]
            )
        }
        let defaults = members.compactMap { position, own, _ -> String? in
            guard let value = builder.initial(headerField: position), !value.isGoZero else { return nil }
            return "\(own): \(builder.dialect.text(value))"
        }
        return text(
            [
                "// Header is a packet's header and trailer. Lengths, IDs, constants and checksums are computed when it is written."
            ]
                + structure("Header", rows) + [
                    "", "// NewHeader makes a header with its defaults.", "func NewHeader() *Header {",
                    "\treturn &Header{\(defaults.joined(separator: ", "))}", "}",
                ])
    }
}
