// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the module: its types, its messages, and the parts of the runtime that they need.
struct TypeScriptModule {
    private let dialect: TypeScriptDialect
    private let functions: TypeScriptFunctions
    private var plan: GeneratorModel { dialect.plan }
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }
    private var isScript: Bool { dialect.isForPages }

    init(_ plan: GeneratorModel, isForPages: Bool = false) {
        dialect = TypeScriptDialect(plan, isForPages: isForPages)
        functions = TypeScriptFunctions(dialect)
    }

    func text() -> String {
        let lines: [[String]] = [constants, choices, unions, structures, messages, header, sides, connection]
        let printed = [lines.joined().joined(separator: "\n")] + functions.bodies + functions.packets
        let runtime = TypeScriptRuntime.text(for: functions)
        let calls = printed.reduce(into: Set<String>()) { calls, text in
            calls.formUnion(RuntimeText.calls(in: text[...], lineComment: "//"))
        }
        let used = calls.union(TypeScriptRuntime.exportedNames).union([
            "Reader", "Writer", "Place", "inspect_packet",
        ]).union(plan.layers.map { TypeScriptRuntime.layerNames(hasPackets: $0.hasPackets) } ?? ["Unwrapped"])
        return (banner + printed + [runtime.text(for: used)]).joined(separator: "\n")
    }

    /// Returns lines for modules; scripts do not have them.
    private func onlyModule(_ lines: [String]) -> [String] { isScript ? [] : lines }

    private var banner: [String] {
        let documentation = CommentText.lines(of: description.documentation).map { $0.isEmpty ? "//" : "// " + $0 }
        return onlyModule(
            [
                description.fileHead("//"), "/* eslint-disable */", "",
            ] + (documentation.isEmpty ? [] : documentation + [""]))
    }

    // MARK: Constants, enums and flags

    private var constants: [String] {
        zip(description.constants, names.constants).flatMap { constant, name in
            let value = dialect.text(.number(constant.value, constant.format))
            return onlyModule(TypeScriptText.comment(constant.documentation))
                + ["export const \(name) = \(value);", ""]
        }
    }

    private var choices: [String] { plan.choices.flatMap(choice) }

    private func choice(_ choice: ChoicePlan) -> [String] {
        let format = choice.format
        var lines = onlyModule(TypeScriptText.comment(choice.documentation, choice.deprecation))
        lines.append("export const \(choice.name) = {")
        for (item, own) in choice.cases {
            lines += onlyModule(TypeScriptText.comment(item.documentation, item.deprecation, indent: "  "))
            lines.append("\(dialect.style.indent)\(own): \(dialect.text(.number(item.value, format))),")
        }
        let type =
            choice.isClosed && !format.range.isWide
            ? choice.cases.map { String($0.0.value) }.joined(separator: " | ") : dialect.type(.number(format))
        return lines + ["}\(dialect.typed(" ", "as const"));", ""]
            + onlyModule(["export type \(choice.name) = \(type);", ""])
    }

    // MARK: Unions, structures and messages

    private var unions: [String] {
        onlyModule(
            zip(plan.unions.enumerated(), names.unions).flatMap { item, name in
                let (index, union) = item
                let description = description.unions[index]
                var lines = TypeScriptText.comment(description.documentation, description.deprecation)
                lines.append("export type \(name.name) =")
                for (position, arm) in union.plan.arms.enumerated() {
                    lines += TypeScriptText.comment(description.arms[position].documentation, indent: "  ")
                    var members = ["kind: \(dialect.string(name.cases[position]))"]
                    if let field = union.arms[position].fields.first {
                        members +=
                            arm.tag == nil
                            ? ["tag: \(dialect.typeName(functions.builder.tag(index)))", "bytes: Uint8Array"]
                            : ["value: \(dialect.typeName(field.value))"]
                    }
                    lines.append("  | { \(members.joined(separator: "; ")) }")
                }
                lines[lines.count - 1] += ";"
                return lines + [""]
            })
    }

    private var structures: [String] {
        zip(zip(description.structures, plan.structures), names.structures).flatMap { item, name in
            onlyModule(
                TypeScriptText.comment(item.0.documentation, item.0.deprecation) + interface(name.name, item.1) + [""])
        }
    }

    private func interface(_ name: String, _ body: BodyFields) -> [String] {
        var lines = ["export interface \(name) {"]
        for field in body.fields where field.planned.hasValue {
            lines += TypeScriptText.comment(
                field.description.documentation, field.description.deprecation, indent: "  ")
            lines.append(member(field.ownName, dialect.typeName(field.value), mayBeUnset: field.mayBeUnset))
        }
        if let trailing = body.trailing {
            lines.append("  /** Bytes behind the last field that this schema knows, from a peer with a newer one. */")
            lines.append(member(trailing, "Uint8Array", mayBeUnset: true))
        }
        return lines + ["}"]
    }

    private func member(_ name: String, _ type: String, mayBeUnset: Bool) -> String {
        mayBeUnset ? "  \(name)?: \(type) | undefined;" : "  \(name): \(type);"
    }

    private var messages: [String] {
        description.messages.indices.flatMap { index in
            let (message, body) = (description.messages[index], plan.messages[index])
            let (name, own) = (names.messages[index].name, dialect.string(message.name))
            let defaults = body.fields.filter { $0.absent != nil }.map { dialect.string($0.ownName) }
            let more = defaults.isEmpty ? "" : ", " + defaults.joined(separator: " | ")
            let id = dialect.text(.number(Int128(message.id), functions.builder.idFormat))
            var members = ["name: \(own),", "id: \(id),"]
            if plan.takesSender {
                let only = message.senders.count == 1 ? message.senders.first : nil
                members.append("from: \(only.map { dialect.string($0.rawValue) } ?? "undefined"),")
            }
            members += functions.members(ofMessage: index)
            let documentation = message.documentation + "\n" + description.facts(of: message)
            return onlyModule(
                TypeScriptText.comment(documentation, message.deprecation) + interface(name, body) + [""])
                + ["export const \(name)\(dialect.typed(": ", "MessageType<\(own), \(name)\(more)>")) = {"]
                + dialect.indented(members) + ["};", ""]
        }
    }

    // MARK: Header and sides

    private var header: [String] {
        var lines = ["/** A packet's header and trailer. */", "export interface Header {"]
        for (index, own, documentation) in plan.headerMembers {
            let name = description.layout.fields[index].name
            let isAlways = plan.wholeShapes.allSatisfy {
                $0.layout.fields.contains { $0.name == name && $0.condition == nil }
            }
            let type = dialect.type(functions.builder.headerType(index))
            lines += TypeScriptText.comment(documentation, indent: "  ") + [member(own, type, mayBeUnset: !isAlways)]
        }
        return onlyModule(lines + ["}", ""])
    }

    private var connection: [String] { plan.context.map { TypeScriptConnection(functions, $0).lines } ?? [] }

    private var sides: [String] {
        [(Sender.client, "Client", "client"), (.server, "Server", "server")].flatMap { sender, type, word in
            let indices = description.messages(from: sender)
            let received = indices.map { index in
                "Received<\(dialect.string(description.messages[index].name)), \(names.messages[index].name)>"
            }
            let isWide = plan.idRange.isWide
            let cases = indices.map { index in
                let id = description.messages[index].id
                let own = names.messages[index].name + dialect.typed(" as ", "unknown as MessageType<string, never>")
                return "case \(isWide ? "\"\(id)\"" : "\(id)"): return \(own);"
            }
            let packets = (received + ["Unknown"]).joined(separator: " | ")
            let head = "export const from\(type)\(dialect.typed(": ", "Side<\(type)Packet>")) = "
            let lines =
                cases.isEmpty
                ? [head + "() => undefined;"]
                : [head + "id => {"]
                    + dialect.indented(
                        ["switch (\(isWide ? "String(id)" : "id")) {"]
                            + dialect.indented(cases + ["default: return undefined;"]) + ["}"]) + ["};"]
            return onlyModule([
                "/** What the \(word) sends. */", "export type \(type)Packet = \(packets);", "",
                "/** What the \(word) sends, for `decode` and `PacketSplitter`. */",
            ]) + lines + [""]
        }
    }
}
