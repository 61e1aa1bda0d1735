// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for header fields that are constant in a message's packets (`@header`). `fixed` verifies a
/// packet that was read; `fix` completes a header to write.
struct ErlangFixedHeaders {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }

    var functions: [ErlangFunction] {
        types.plan.fixedHeaderFields.isEmpty ? [] : [verifying, completing]
    }

    private var verifying: ErlangFunction {
        let clauses = Sender.allCases.flatMap { sender -> [ErlangCode.Clause] in
            description.messages.filter { $0.senders.contains(sender) && !$0.headerValues.isEmpty }.map { message in
                let head = [ErlangCode.literal(sender.erlangAtom), .number(message.id)]
                let fields = types.plan.fixedHeaderFields.flatMap { ["x\($0)", "at\($0)"] as [ErlangCode] }
                return .init(
                    head + fields,
                    message.headerValues.map { types.check($0.field, $0.value, "x\($0.field)", at: "at\($0.field)") })
            }
        }
        let others = Array(repeating: ErlangCode.ignored, count: 2 + 2 * types.plan.fixedHeaderFields.count)
        return ErlangFunction("fixed", clauses + [.init(others, [.literal("ok")])])
    }

    private var completing: ErlangFunction {
        let clauses = zip(description.messages, types.naming.messages).compactMap { message, record in
            message.headerValues.isEmpty
                ? nil
                : ErlangCode.Clause(
                    [.record(record.name, []), "h"],
                    [message.headerValues.reduce("h") { header, item in set(item, message.name, in: header) }])
        }
        return ErlangFunction("fix", clauses + [.init(.ignored, "h", body: ["h"])])
    }

    /// Sets one field of the header, or compares the value that the caller has set.
    private func set(_ item: HeaderValue, _ message: String, in header: ErlangCode) -> ErlangCode {
        let field = description.layout.fields[item.field]
        let path = ErlangCode.list([.text("packet"), .text(message)])
        let checked = types.headerNumber(field, item.field, "v", in: path)
        var (function, own) = ("fixed_number", ErlangCode.number(item.value.number))
        if case .text(let text) = item.value {
            (function, own) = ("fixed_bytes", Expression.bytes(field.format.bytes(ofText: text)).code)
        }
        return .call(
            function,
            [
                .atom(types.naming.packetFields[item.field]), own, types.headerLiteral(item.field, item.value),
                .text(field.name), .text(message), header, .function(.init(["v"], [checked])),
            ])
    }
}
