// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the header file: a record for each message and structure, and a macro for each constant.
struct ErlangHeaderFile {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var naming: ErlangNaming { types.naming }

    init(_ types: ErlangTypes) { self.types = types }

    func text() -> String {
        let guardName = naming.module.uppercased() + "_HRL"
        var lines = types.banner + ["-ifndef(\(guardName)).", "-define(\(guardName), true).", ""]
        for (constant, name) in zip(description.constants, naming.constants) {
            lines += ErlangText.comment(constant.documentation)
            lines.append("-define(\(name), \(constant.value < 0 ? "(\(constant.value))" : "\(constant.value)")).")
            lines.append("")
        }
        for (structure, name) in zip(description.structures, naming.structures) {
            lines += comment(structure.documentation, "`\(structure.name)`.", structure.deprecation)
            lines += record(structure.fields, name)
        }
        for (message, name) in zip(description.messages, naming.messages) {
            lines += comment(message.documentation, facts(of: message), message.deprecation)
            lines += record(message.fields, name)
        }
        return (lines + ["-endif.", ""]).joined(separator: "\n")
    }

    private func facts(of message: MessageDescription) -> String {
        let senders = Sender.allCases.filter(message.senders.contains).map { "the \($0.rawValue)" }
        var facts = "`\(message.name)`"
        if description.layout.hasMessageID { facts += ", ID \(message.id)" }
        if !senders.isEmpty { facts += ", sent by " + senders.joined(separator: " and ") }
        if !message.replies.isEmpty {
            facts += ", answered by " + message.replies.map { "`\($0)`" }.joined(separator: " or ")
        }
        return facts + "."
    }

    private func comment(_ documentation: String, _ facts: String, _ deprecation: String?) -> [String] {
        let text = ErlangText.comment(documentation)
        return text + (text.isEmpty ? [] : ["%%"]) + ["%% " + facts] + deprecated(deprecation, mark: "%% ")
    }

    private func deprecated(_ reason: String?, mark: String) -> [String] {
        reason.map { ErlangText.comment("Deprecated: " + $0, mark: mark) } ?? []
    }

    private func record(_ fields: [FieldDescription], _ name: ErlangNaming.Record) -> [String] {
        var items: [(comment: [String], text: String)] = zip(fields, name.fields).compactMap { field, name in
            guard field.hasValue else { return nil }
            let comment = ErlangText.comment(field.documentation, mark: "    %% ")
            let value = types.plan.coding.absentValue(of: field).map { " = " + types.text($0) } ?? ""
            return (
                comment + deprecated(field.deprecation, mark: "    %% "),
                "    \(ErlangText.atom(name))\(value) :: \(types.text(of: field))"
            )
        }
        if let trailing = name.trailing {
            let comment = "    %% What stood after the last field that this schema knows; written as it is."
            items.append(([comment], "    \(ErlangText.atom(trailing)) = <<>> :: binary()"))
        }
        guard !items.isEmpty else { return ["-record(\(ErlangText.atom(name.name)), {}).", ""] }
        var lines = ["-record(\(ErlangText.atom(name.name)), {"]
        for (index, item) in items.enumerated() {
            lines += item.comment
            lines.append(item.text + (index == items.count - 1 ? "" : ","))
        }
        return lines + ["}).", ""]
    }
}
