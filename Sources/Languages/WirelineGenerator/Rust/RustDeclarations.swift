// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

struct RustDeclarations {
    let types: RustTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    var all: [String] {
        [constants, choices, unions, structures, messages, [packets(.client), packets(.server), header], connection]
            .flatMap(\.self)
    }

    private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    // MARK: Constants, enums and flags

    private var constants: [String] {
        zip(description.constants, names.constants).map { constant, name in
            let type = RustTypes.integer(constant.format)
            return text(RustText.comment(constant.documentation) + ["pub const \(name): \(type) = \(constant.value);"])
        }
    }

    private var choices: [String] { plan.choices.map(choice) }

    /// The macro calls that give flags their operators.
    var flags: [String] { names.flagSets.map { "flags!(\($0.name));" } }

    private func choice(_ choice: ChoicePlan) -> String {
        let constants = choice.cases.flatMap { item, own in
            RustText.comment(item.documentation, item.deprecation) + ["pub const \(own): Self = Self(\(item.value));"]
        }
        return text(
            RustText.comment(choice.documentation, choice.deprecation) + [
                "#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]",
                "pub struct \(choice.name)(pub \(RustTypes.integer(choice.format)));",
            ] + (constants.isEmpty ? [] : [""] + RustText.block("impl \(choice.name)", constants)))
    }

    // MARK: Unions

    private var unions: [String] {
        plan.unions.indices.map { index in
            let (union, bodies) = plan.unions[index]
            let (name, item) = (names.unions[index].name, description.unions[index])
            let arms = names.unions[index].cases.enumerated().flatMap { position, arm -> [String] in
                let values = bodies[position].fields.first.map { field in
                    union.arms[position].tag == nil
                        ? " { tag: \(types.typeName(plan.coding.value(union.tag, nil, in: []))), bytes: Vec<u8> }"
                        : "(\(types.typeName(field.value)))"
                }
                return RustText.comment(item.arms[position].documentation) + [
                    types.arm(arm, of: index) + (values ?? "") + ","
                ]
            }
            let isSecret = bodies.contains { $0.fields.contains(where: \.description.isSensitive) }
            return text(
                RustText.comment(item.documentation, item.deprecation)
                    + ["#[derive(\(isSecret ? "" : "Debug, ")Clone, PartialEq)]"]
                    + RustText.block("pub enum \(name)", arms)
                    + [""]
                    + RustText.block(
                        "impl Default for \(name)", RustText.block("fn default() -> Self", [initial(index)]))
                    + (isSecret ? [""] + debug(name, ["f.write_str(\"\(name)(…)\")"]) : []))
        }
    }

    /// Returns the first arm with its initial value.
    private func initial(_ index: Int) -> String {
        let path = "\(names.unions[index].name)::\(types.arm(names.unions[index].cases[0], of: index))"
        guard let field = plan.unions[index].arms[0].fields.first else { return path }
        if plan.unions[index].plan.arms[0].tag == nil {
            return path + " { tag: Default::default(), bytes: Vec::new() }"
        }
        return "\(path)(\(types.literal(field.zero, field.value)))"
    }

    /// Returns the implementation of `Debug` for a type with `@sensitive` fields.
    private func debug(_ name: String, _ lines: [String]) -> [String] {
        RustText.block(
            "impl std::fmt::Debug for \(name)",
            RustText.block("fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result", lines))
    }

    // MARK: Structures and messages

    private func body(_ body: BodyFields, _ name: String, _ comment: [String], isMessage: Bool) -> [String] {
        let fields = body.fields.filter(\.planned.hasValue)
        var rows = fields.flatMap { field in
            RustText.comment(field.description.documentation, field.description.deprecation) + [
                "pub \(field.ownName): \(types.text(field)),"
            ]
        }
        if let trailing = body.trailing {
            rows.append("/// Bytes after the last field that this schema knows, from a peer with a newer one.")
            rows.append("pub \(trailing): Vec<u8>,")
        }
        let initials = fields.map { types.initial($0, isMessage: isMessage) }
        let isPlain = initials.allSatisfy { $0 == nil }
        let isSecret = fields.contains(where: \.description.isSensitive)
        let derived = (isSecret ? [] : ["Debug"]) + ["Clone", "PartialEq"] + (isPlain ? ["Default"] : [])
        var lines =
            comment + ["#[derive(\(derived.joined(separator: ", ")))]"] + RustText.block("pub struct \(name)", rows)
        let members = fields.map(\.ownName) + [body.trailing].compactMap(\.self)
        if !isPlain { lines += [""] + RustText.defaults(name, Array(zip(members, initials + [nil]))) }
        guard isSecret else { return lines }
        let secrets = Set(fields.filter(\.description.isSensitive).map(\.ownName))
        let shown = members.map { member in
            "    .field(\"\(member)\", &\(secrets.contains(member) ? "format_args!(\"…\")" : "self.\(member)"))"
        }
        return lines + [""] + debug(name, ["f.debug_struct(\"\(name)\")"] + shown + ["    .finish()"])
    }

    private var structures: [String] {
        description.structures.indices.map { index in
            let item = description.structures[index]
            return text(
                body(
                    plan.structures[index], names.structures[index].name,
                    RustText.comment(item.documentation, item.deprecation), isMessage: false))
        }
    }

    private var messages: [String] {
        description.messages.indices.map { index in
            let message = description.messages[index]
            let comment = RustText.comment(
                message.documentation + "\n" + description.facts(of: message), message.deprecation)
            return text(body(plan.messages[index], names.messages[index].name, comment, isMessage: true))
        }
    }

    /// Returns the enum of all messages that one side sends.
    private func packets(_ sender: Sender) -> String {
        let own = description.messages(from: sender)
            .map { names.messages[$0].name }
        let name = RustFunctions.packets(sender)
        let inner = plan.layers?.hasPackets == true ? ["InnerPackets(InnerPackets<\(name)>),"] : []
        return text(
            [
                "/// A message that the \(sender == .client ? "client" : "server") sends.",
                "#[derive(Debug, Clone, PartialEq)]",
            ]
                + RustText.block(
                    "pub enum \(name)", own.map { "\($0)(\($0))," } + ["UnknownMessage(UnknownMessage),"] + inner))
    }

    // MARK: Header and connection

    /// The type of a connection, with its states; empty without states.
    private var connection: [String] {
        guard let context = plan.context else { return [] }
        let statements = ContextStatements(builder, context)
        var rows = zip(context.states.enumerated(), names.states).flatMap { item, own in
            RustText.comment(item.element.documentation) + [
                "pub \(own): \(builder.dialect.type(statements.type(item.offset))),"
            ]
        }
        if plan.layers != nil { rows += RustRuntime(plan).members }
        return [
            text(
                RustText.comment(plan.connectionDocumentation) + ["#[derive(Default)]"]
                    + RustText.block("pub struct Connection", rows))
        ]
    }

    private var header: String {
        let fields = plan.headerMembers
        let rows = fields.flatMap { position, own, documentation -> [String] in
            let type = builder.dialect.type(plan.headerType(position))
            let isAlways = plan.hasAlways(headerField: position)
            return RustText.comment(documentation) + ["pub \(own): \(isAlways ? type : "Option<\(type)>"),"]
        }
        let initials = fields.map { position, _, _ -> String? in
            guard let value = builder.initial(headerField: position), !value.evaluated.isZero else { return nil }
            return switch value {
            case .text(""), .bytes([]): nil
            case .text: "String::from(\(builder.dialect.text(value)))"
            case .bytes: builder.dialect.text(value) + ".to_vec()"
            default: builder.dialect.text(value)
            }
        }
        let isPlain = initials.allSatisfy { $0 == nil }
        var lines = [
            "/// A packet's header and trailer. Lengths, IDs, constants and checksums are computed when it is written.",
            "#[derive(Debug, Clone, PartialEq\(isPlain ? ", Default" : ""))]",
        ]
        lines += RustText.block("pub struct Header", rows)
        if !isPlain {
            let members = zip(fields, initials).map { ($0.name, $1) }
            lines += [""] + RustText.defaults("Header", members)
        }
        return text(lines)
    }
}
