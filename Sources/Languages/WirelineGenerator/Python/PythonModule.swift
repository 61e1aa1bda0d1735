// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the module: its types, its messages, and the parts of the runtime that they need.
struct PythonModule {
    private let types: PythonTypes
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    init(_ plan: GeneratorModel) { types = PythonTypes(plan) }

    func text() -> String {
        let functions = PythonFunctions(types: types).all.map { $0.joined(separator: "\n") }
        let runtime = PythonRuntime(plan)
        let classes = runtime.classes(plan)
        let api = runtime.functions(plan, shapes: connection)
        let words = Self.words(functions + api + classes)
        let caseTables = zip(types.cases, caseTables).filter { words.contains($0.0) }.map(\.1)
        let pieces = runtime.pieces.text(for: words).replacing("\n\n", with: "\n\n\n")
        let values = (types.formatLines + caseTables).joined(separator: "\n")
        let parts =
            classes + constants + choices + structures + unions + messages + [values, pieces] + functions + [tables]
        let body = (parts + api).filter { !$0.isEmpty }.map { $0.trimmingNewlines() }.joined(separator: "\n\n\n")
        return [banner, documentation, imports(Self.words([body])), body].joined(separator: "\n") + "\n"
    }

    private static func words(_ texts: [String]) -> Set<String> {
        texts.reduce(into: []) { words, text in
            words.formUnion(RuntimeText.words(of: text[...], lineComment: "#", hasKeys: false))
        }
    }

    /// Code for packets that depend on a connection: tables, functions of shapes, and changes of states.
    private var connection: [String] {
        guard let context = plan.context else { return [] }
        let list = { (names: [String]) in names.joined(separator: ", ") }
        let suffixes = plan.shapes.map(\.pythonSuffix)
        let own =
            plan.layers.map { PythonLayers(types: types, plan: $0).text }
            ?? "_DECODERS: Final = (\(list(suffixes.map { "_decode" + $0 })),)\n\n"
            + "_WRAPPERS: Final = (\(list(suffixes.map { "_wrap" + $0 })),)"
        let states = context.states.map {
            "\(PythonText.string($0.name)): (\($0.range.lowerBound), \($0.range.upperBound))"
        }
        let ranges = """
            # The least and the greatest number of each state.
            _STATES: Final[Mapping[str, tuple[int, int]]] = {\(list(states))}
            """
        return [own, "_SHAPES: Final = (\(list(context.shapes.map(String.init))))"] + (states.isEmpty ? [] : [ranges])
            + PythonFunctions(types: types).connection(context).map { $0.joined(separator: "\n") }
    }

    // MARK: The first lines

    private var banner: String {
        """
        \(description.fileHead("#", title: Self.title(description)))
        # ruff: noqa
        # fmt: off

        """
    }

    private var documentation: String {
        let lines = ["The protocol \(description.title)."]
        let more = CommentText.lines(of: description.documentation)
        return PythonText.documentation(lines + (more.isEmpty ? [] : [""] + more), indent: "").joined(separator: "\n")
            + "\n"
    }

    /// Returns the protocol's name for a comment. Python reads `coding:` in a file's first two lines as its encoding.
    static func title(_ description: ProtocolDescription) -> String {
        description.title.replacing("coding:", with: "coding :").replacing("coding=", with: "coding =")
    }

    private func imports(_ words: Set<String>) -> String {
        func names(_ all: [String]) -> String { all.filter(words.contains).joined(separator: ", ") }
        let modules = ["binascii", "dataclasses", "enum", "re", "struct", "zlib"].filter(words.contains)
        let lines =
            ["from __future__ import annotations", ""] + modules.map { "import \($0)" }
            + [
                "from collections.abc import \(names(["Callable", "Iterator", "Mapping"]))",
                "from typing import \(names(["Any", "Final", "Literal"]))", "", "",
            ]
        return lines.joined(separator: "\n")
    }

    // MARK: Constants, enums and flags

    private var constants: [String] {
        guard !description.constants.isEmpty else { return [] }
        let lines = zip(description.constants, names.constants).flatMap { constant, name in
            comment(constant.documentation, nil) + ["\(name): Final = \(constant.value)"]
        }
        return [lines.joined(separator: "\n")]
    }

    private var choices: [String] { plan.choices.map(choice) }

    private func choice(_ choice: ChoicePlan) -> String {
        let lines = choice.cases.flatMap { item, own in
            comment(item.documentation, item.deprecation) + ["\(own) = \(item.value)"]
        }
        let text = PythonText.documentation(self.lines(choice.documentation, choice.deprecation), indent: "")
        let head = "class \(choice.name)(enum.\(choice.isFlags ? "IntFlag" : "IntEnum")):"
        return PythonText.block(head, text + (text.isEmpty ? [] : [""]) + lines).joined(separator: "\n")
    }

    private func lines(_ documentation: String, _ deprecation: String?) -> [String] {
        let reason = deprecation.map { "Deprecated: " + CommentText.lines(of: $0).joined(separator: " ") }
        return CommentText.lines(of: documentation) + [reason].compactMap(\.self)
    }

    private func comment(_ documentation: String, _ deprecation: String?) -> [String] {
        lines(documentation, deprecation).map { $0.isEmpty ? "#" : "# " + $0 }
    }

    private var caseTables: [String] {
        zip(names.enumerations, types.cases).map { enumeration, table in
            "\(table): Final[dict[int, \(enumeration.name)]] = {int(case): case for case in \(enumeration.name)}"
        }
    }

    // MARK: Structures, unions and messages

    private var structures: [String] {
        zip(zip(description.structures, plan.structures), names.structures).map { item, name in
            dataClass(name.name, lines(item.0.documentation, item.0.deprecation), item.1)
        }
    }

    private func dataClass(_ name: String, _ documentation: [String], _ body: BodyFields) -> String {
        var lines = PythonText.documentation(documentation, indent: "")
        if !lines.isEmpty { lines.append("") }
        for field in body.fields where field.planned.hasValue { lines += member(field) }
        if let trailing = body.trailing {
            lines += [
                "# Bytes after the last field that this schema knows, from a peer with a newer one.",
                "\(trailing): bytes = b\"\"",
            ]
        }
        let order = body.isOrderedInPython ? "" : ", kw_only=True"
        return (["@dataclasses.dataclass(slots=True\(order))"] + PythonText.block("class \(name):", lines))
            .joined(separator: "\n")
    }

    private func member(_ field: GeneratedField) -> [String] {
        let type = types.typeName(field.value) + (field.mayBeUnset ? " | None" : "")
        var options: [String] = []
        if let absent = field.absent {
            let literal = types.literal(absent)
            switch absent {
            case .list, .structure, .noProperties: options.append("default_factory=lambda: \(literal)")
            case .integer, .boolean, .float, .text, .zeros: options.append("default=\(literal)")
            }
        } else if field.mayBeUnset {
            options.append("default=None")
        }
        if field.description.isSensitive { options.append("repr=False") }
        var value = ""
        if options.count == 1, options[0].hasPrefix("default=") {
            value = " = \(options[0].dropFirst("default=".count))"
        } else if !options.isEmpty {
            value = " = dataclasses.field(\(options.joined(separator: ", ")))"
        }
        return comment(field.description.documentation, field.description.deprecation)
            + ["\(field.ownName): \(type)\(value)"]
    }

    private var unions: [String] {
        plan.unions.indices.flatMap { index in
            let (union, arms) = plan.unions[index]
            let description = description.unions[index]
            let classes = union.arms.indices.map { position in
                let arm = description.arms[position]
                var lines = PythonText.documentation(CommentText.lines(of: arm.documentation), indent: "")
                if !lines.isEmpty { lines.append("") }
                if let field = arms[position].fields.first {
                    let hidden = field.description.isSensitive ? " = dataclasses.field(repr=False)" : ""
                    if union.arms[position].tag == nil {
                        let tag = plan.coding.value(union.tag, nil, in: [])
                        lines += ["tag: \(types.typeName(tag))", "payload: bytes\(hidden)"]
                    } else {
                        lines.append("value: \(types.typeName(field.value))\(hidden)")
                    }
                }
                return
                    (["@dataclasses.dataclass(slots=True)"]
                    + PythonText.block("class \(names.unions[index].cases[position]):", lines)).joined(separator: "\n")
            }
            let comment = comment(description.documentation, description.deprecation)
            let alias = "\(names.unions[index].name) = \(names.unions[index].cases.joined(separator: " | "))"
            return classes + [(comment + [alias]).joined(separator: "\n")]
        }
    }

    private var messages: [String] {
        description.messages.indices.map { index in
            let message = description.messages[index]
            return dataClass(names.messages[index].name, documentation(of: message), plan.messages[index])
        }
    }

    private func documentation(of message: MessageDescription) -> [String] {
        let facts = description.facts(of: message) { "`\($0)`" }
        return CommentText.lines(of: message.documentation) + [facts] + lines("", message.deprecation)
    }

    // MARK: Header and tables

    private var tables: String {
        let hasFixed = !plan.fixedHeaderFields.isEmpty
        func classes(_ sender: Sender) -> String {
            (description.messages(from: sender).map { names.messages[$0].name } + ["Unknown"]
                + (plan.layers?.hasPackets == true ? ["Packets"] : [])).joined(separator: " | ")
        }
        func readers(_ sender: Sender) -> String {
            description.messages(from: sender).map { index in
                let message = description.messages[index]
                let own = types.messages[index]
                let fixed = hasFixed ? ", \(message.headerValues.isEmpty ? "None" : own.verifyHeader)" : ""
                return "        \(message.id): (\(PythonText.string(message.name)), \(own.read)\(fixed)),\n"
            }.joined()
        }
        let writers = description.messages.indices.map { index in
            let message = description.messages[index]
            let own = types.messages[index]
            let only = message.senders.count == 1 ? message.senders.first : nil
            let from = only.map { "\"\($0.rawValue)\"" } ?? "None"
            let fixed = message.headerValues.isEmpty ? "None" : own.fixHeader
            let name = PythonText.string(message.name)
            return "    \(names.messages[index].name): (\(message.id), \(name), \(own.write), \(from), \(fixed)),\n"
        }
        let fields = description.layout.fields.filter { $0.role != .padding }.map { PythonText.string($0.name) }
        return """
            # What the client sends.
            ClientMessage = \(classes(.client))
            # What the server sends.
            ServerMessage = \(classes(.server))
            Message = ClientMessage | ServerMessage

            _READERS: Final[dict[str, dict[int, Any]]] = {
                "client": {
            \(readers(.client))    },
                "server": {
            \(readers(.server))    },
            }
            _WRITERS: Final[dict[type, Any]] = {
            \(writers.joined())}
            # The fields of a packet's header and trailer.
            _HEADER: Final = frozenset(\(fields.isEmpty ? "()" : PythonText.tuple(fields)))
            """
    }
}

extension String {
    /// Returns the text without newlines at both ends.
    func trimmingNewlines() -> String {
        String(drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed())
    }
}
