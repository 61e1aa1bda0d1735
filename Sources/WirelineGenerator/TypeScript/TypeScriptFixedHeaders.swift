// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for header fields that have the same value in every packet of a message (`@header`).
struct TypeScriptFixedHeaders {
    let types: TypeScriptTypes
    private var plan: CodePlan { types.plan }
    private var description: ProtocolDescription { types.description }

    /// Returns the members of a message's constant; none for a message that fixes nothing.
    func members(_ message: MessageDescription) -> [String] {
        guard !message.headerValues.isEmpty else { return [] }
        let verification = message.headerValues.flatMap(verification)
        let header = TypeScriptModule.uses("h", verification) ? "h" : "_h"
        return ["  fixed: (r, \(header), at) => {", "    r.at[0] = \"packet\";"] + verification.map { "    " + $0 }
            + ["  },", "  fix: (w, h) => {"] + message.headerValues.flatMap(comparison).map { "    " + $0 }
            + [
                "    return Object.assign({}, h, { \(message.headerValues.map(member).joined(separator: ", ")) });",
                "  },",
            ]
    }

    private func name(_ item: HeaderValue) -> String {
        TypeScriptText.string(description.layout.fields[item.field].name)
    }

    private func key(_ item: HeaderValue) -> String { plan.names.headerFields[item.field] }

    /// Returns the literal of the value in a header.
    private func literal(_ item: HeaderValue) -> String {
        let format = description.layout.fields[item.field].format
        switch item.value {
        case .text(let text): return TypeScriptText.string(text)
        case .bytes(let bytes): return "new Uint8Array(\(TypeScriptText.list(bytes.map { String($0) })))"
        case .integer(let number):
            if format.isBoolean { return String(number != 0) }
            return TypeScriptTypes.number(number, isWide: format.range.isWide)
        }
    }

    private func member(_ item: HeaderValue) -> String { "\(key(item)): \(literal(item))" }

    /// Returns the statement that verifies a field of a packet that was read.
    private func verification(_ item: HeaderValue) -> [String] {
        guard let position = plan.fixedHeaderFields.firstIndex(of: item.field) else { return [] }
        let format = description.layout.fields[item.field].format
        if case .text(let text) = item.value {
            let bytes = format.comparedBytes(ofText: text).map { String($0) }
            return ["sameBytes(r, at[\(position)]‹!›, \(TypeScriptText.list(bytes)), \(name(item)));"]
        }
        return ["constant(r, at[\(position)]‹!›, h.\(key(item)), \(literal(item)), \(name(item)));"]
    }

    /// Returns the statement that refuses another value in a header that is written.
    private func comparison(_ item: HeaderValue) -> [String] {
        let value = "h.\(key(item))"
        return [
            "if (isSet(\(value)) && \(value) !== \(literal(item))) refuseHeader(w, \"wrong_constant\", \(name(item)));"
        ]
    }
}
