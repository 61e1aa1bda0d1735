// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the module: the parts of the runtime that its schema needs, its types, its messages, and the functions for
/// programs.
struct LuaModule: TypeDialect {
    let plan: GeneratorModel
    private let functions: LuaFunctions
    private var description: ProtocolDescription { plan.description }
    private var names: CodeNames { plan.names }

    init(_ plan: GeneratorModel) {
        self.plan = plan
        functions = LuaFunctions(plan)
    }

    func text() -> String {
        let (bodies, messages, packets) = (functions.bodies, self.messages, functions.packets)
        let all = bodies + messages + packets
        let runtime = LuaRuntime(plan)
        let connection = plan.context.map {
            [LuaConnection(builder: functions.builder, plan: $0, file: runtime.file).text + "\n"]
        }
        let own =
            [constants, choices, closed].flatMap(\.self) + [Self.tables] + bodies.map(\.text) + messages.map(\.text)
            + [lists] + (connection == nil ? [] : ["local unwrap, wrap, fitted = {}, {}, {}\n"])
            + packets.map(\.text) + (connection ?? []) + [runtime.program]
        // The runtime's own format.
        let layers: Set = plan.layers?.kinds.contains { $0.word == "aes_ctr" } == true ? [">I4I4I4I4"] : []
        let formats = LuaPacking.functions(
            unpacking: all.reduce(into: layers) { $0.formUnion($1.unpacking) },
            packing: all.reduce(into: layers) { $0.formUnion($1.packing) })
        let pieces = runtime.pieces(for: own + [formats], zeros: LuaDialect(plan).zeros)
        return ([banner, runtime.file.text("beginning") + "\n", pieces, formats] + own).joined(separator: "\n")
    }

    private var banner: String {
        let documentation = LuaText.comment(description.documentation)
        return """
            \(description.fileHead("--"))
            -- luacheck: ignore

            """ + (documentation.isEmpty ? "" : (["--"] + documentation + [""]).joined(separator: "\n"))
    }

    /// The tables of functions: `own` for structures and unions, the others by the names of messages.
    private static let tables = """
        local own, read, write, verify, fix = {}, {}, {}, {}, {}

        """

    // MARK: Constants, enums and flags

    private var constants: [String] {
        zip(description.constants, names.constants).map { constant, name in
            let line = "M\(LuaText.member(name)) = \(LuaText.number(constant.value))"
            return (LuaText.comment(constant.documentation) + [line, ""]).joined(separator: "\n")
        }
    }

    private var choices: [String] { plan.choices.map(choice) }

    /// The table of an enum also maps each number to its name.
    private func choice(_ choice: ChoicePlan) -> String {
        var lines = comment(choice.documentation, choice.deprecation) + ["M\(LuaText.member(choice.name)) = {"]
        for (item, own) in choice.cases {
            lines += LuaText.indented(comment(item.documentation, item.deprecation))
            lines.append("  \(LuaText.key(own)) = \(LuaText.number(item.value)),")
        }
        if !choice.isFlags {
            var shown: Set<Int128> = []
            for (item, own) in choice.cases where shown.insert(item.value).inserted {
                lines.append("  [\(LuaText.number(item.value))] = \(LuaText.literal(own)),")
            }
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func comment(_ documentation: String, _ deprecation: String?) -> [String] {
        let reason = deprecation.map { "Deprecated: " + CommentText.lines(of: $0).joined(separator: " ") }
        return LuaText.comment(documentation) + LuaText.comment(reason ?? "")
    }

    private var closed: [String] {
        let enumerations = plan.choices.filter(\.isClosed)
        guard !enumerations.isEmpty else { return [] }
        let lines = enumerations.map { choice in
            let numbers = choice.cases.map { "[\(LuaText.number($0.0.value))] = true" }
            return "  \(LuaText.key(choice.name)) = \(LuaText.table(numbers)),"
        }
        return [(["local closed = {"] + lines + ["}", ""]).joined(separator: "\n")]
    }

    // MARK: Messages

    private var messages: [LuaFunctions.Function] {
        description.messages.indices.flatMap { index in
            var functions = functions.message(index)
            functions[0].text = (documentation(of: index) + [functions[0].text]).joined(separator: "\n")
            return functions
        }
    }

    private func documentation(of index: Int) -> [String] {
        let (message, body) = (description.messages[index], plan.messages[index])
        var lines = [description.facts(of: message)] + CommentText.lines(of: message.documentation)
        if let deprecation = message.deprecation { lines.append("Deprecated: \(deprecation)") }
        for field in body.fields where field.planned.hasValue {
            let about = CommentText.lines(of: field.description.documentation).joined(separator: " ")
            lines.append("@field \(field.ownName) \(typeName(field))\(about.isEmpty ? "" : "  \(about)")")
        }
        let text = lines.flatMap { LuaText.comment($0.replacing("\n", with: " ")) }
        return ["-" + text[0]] + text.dropFirst()
    }

    private func typeName(_ field: GeneratedField) -> String {
        let name = typeName(field.value)
        return field.mayBeUnset ? "\(name) or nil" : name
    }

    static let words = TypeWords(boolean: "boolean", text: "string", bytes: "bytes", properties: "properties")

    static func integer(_ format: IntegerFormat) -> String {
        "\(format.isSigned ? "int" : "uint")\(format.bitWidth)"
    }

    func float(byteCount: Int) -> String { "float\(8 * byteCount)" }
    func varint(_ format: VarintFormat, _ allowed: ClosedRange<Int128>) -> String { "varint" }

    /// The IDs of messages, their senders, and the fields of headers.
    private var lists: String {
        var lines = ["local ids = {"]
        for message in description.messages {
            lines.append("  \(LuaText.key(message.name)) = \(LuaText.number(Int128(message.id))),")
        }
        lines += ["}", "local senders = {"]
        for sender in Sender.allCases {
            let own = description.messages.filter { $0.senders.contains(sender) }.map {
                "[\(LuaText.number(Int128($0.id)))] = \(LuaText.literal($0.name))"
            }
            lines.append("  \(sender.rawValue) = \(LuaText.table(own)),")
        }
        let others = description.messages.compactMap { message in
            message.alias.map { "\(LuaText.key($0)) = \(LuaText.literal(message.name))" }
        }
        lines += ["}", "local aliases = \(LuaText.table(others))"]
        if plan.dependsOnSender || plan.context != nil {
            let only = description.messages.filter { $0.senders.count == 1 }.map {
                "\(LuaText.key($0.name)) = \"\($0.senders.first?.rawValue ?? "")\""
            }
            lines.append("local only_sender = \(LuaText.table(only))")
        }
        let fields = plan.headerMembers.map { "\(LuaText.key($0.name)) = true" }
        lines.append("local header_fields = \(LuaText.table(fields))")
        return (lines + [""]).joined(separator: "\n")
    }
}
