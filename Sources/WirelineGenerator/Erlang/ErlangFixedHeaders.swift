// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions for header fields that have the same value in every packet of a message (`@header`).
struct ErlangFixedHeaders {
    private let types: ErlangTypes
    private var description: ProtocolDescription { types.description }

    init(_ types: ErlangTypes) { self.types = types }

    /// Whether a message has such fields.
    var isUsed: Bool { description.messages.contains { !$0.headerValues.isEmpty } }

    /// The fields of the layout that some message fixes.
    private var fields: [Int] {
        Set(description.messages.flatMap { $0.headerValues.map(\.field) }).sorted()
    }

    /// Returns the call that verifies a packet that is read.
    ///
    /// - Parameter offset: Makes the offset of a field.
    func verification(_ id: String, _ offset: (Int) -> String) -> String {
        let arguments = fields.flatMap { ["X\($0 + 1)", offset($0)] }
        return "fixed(\((["Sender", id] + arguments).joined(separator: ", ")))"
    }

    /// The functions `fixed`, which verifies a packet that is read, and `fix`, which completes a header that is written.
    var functions: [String] {
        guard isUsed else { return [] }
        let kinds = Set(fields.map { description.layout.fields[$0].format.isNumber })
        return [verifying, completing] + fields.map(setting) + (kinds.contains(true) ? [Self.comparing] : [])
            + (kinds.contains(false) ? [Self.comparingTexts] : [])
    }

    private var verifying: String {
        var lines: [String] = []
        for (tag, sender) in [("cs", Sender.client), ("sc", .server)] {
            for message in description.messages
            where message.senders.contains(sender) && !message.headerValues.isEmpty {
                let values = Dictionary(uniqueKeysWithValues: message.headerValues.map { ($0.field, $0.value) })
                let arguments = fields.map { values[$0] == nil ? "_, _" : "X\($0 + 1), At\($0 + 1)" }
                let checks = message.headerValues.map { item in
                    types.packetFieldCheck(item.field, item.value, "X\(item.field + 1)", "At\(item.field + 1)")
                }
                lines.append(
                    "fixed(\(tag), \(message.id), \(arguments.joined(separator: ", "))) ->\n    "
                        + checks.joined(separator: ",\n    ") + ";")
            }
        }
        let others = Array(repeating: "_", count: 2 + 2 * fields.count).joined(separator: ", ")
        return (lines + ["fixed(\(others)) -> ok.", ""]).joined(separator: "\n")
    }

    private var completing: String {
        var lines: [String] = []
        for (message, record) in zip(description.messages, types.naming.messages) where !message.headerValues.isEmpty {
            let header = message.headerValues.reduce("H") { header, item in
                let value = types.packetFieldLiteral(item.field, item.value)
                let arguments = "\(written(item)), \(value), \(ErlangText.binary(message.name))"
                return "fix_\(item.field + 1)(\(arguments), \(header))"
            }
            lines.append("fix(#\(ErlangText.atom(record.name)){}, H) -> \(header);")
        }
        return (lines + ["fix(_, H) -> H.", ""]).joined(separator: "\n")
    }

    /// Returns the function that sets one field, or compares the value that the caller has set.
    private func setting(_ field: Int) -> String {
        let key = ErlangText.atom(types.naming.packetFields[field])
        let value = types.packetFieldNumber(field, "V", in: "[<<\"packet\">>, Message]")
        let isNumber = description.layout.fields[field].format.isNumber
        let check = isNumber ? "same_fixed(\(value), Number" : "same_fixed_text(iolist_to_binary(\(value)), Number"
        return """
            fix_\(field + 1)(Number, _, Message, #{\(key) := V} = H) ->
                \(check), \(name(field)), Message),
                H;
            fix_\(field + 1)(_, Value, _, H) -> H#{\(key) => Value}.

            """
    }

    private static let comparing = """
        same_fixed(V, V, _, _) -> ok;
        same_fixed(V, Expected, Name, Message) ->
            fail_without_offset({wrong_constant, V, Expected}, [Name, <<"packet">>, Message]).

        """

    private static let comparingTexts = """
        same_fixed_text(<<X, F/binary>>, <<X, T/binary>>, Name, Message) -> same_fixed_text(F, T, Name, Message);
        same_fixed_text(<<X, _/binary>>, <<Y, _/binary>>, Name, Message) ->
            fail_without_offset({wrong_constant, X, Y}, [Name, <<"packet">>, Message]);
        same_fixed_text(<<>>, <<>>, _, _) -> ok.

        """

    /// Returns the number or the bytes of a value.
    private func written(_ item: HeaderValue) -> String {
        guard case .text(let text) = item.value else { return ErlangTypes.number(item.value.number) }
        return types.packetFieldBytes(item.field, text)
    }

    private func name(_ field: Int) -> String { ErlangText.binary(description.layout.fields[field].name) }
}
