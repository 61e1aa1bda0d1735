// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    /// `wire encode`
    static let encode = Command(
        name: "encode",
        summary: "turn JSON into one packet, printed as hexadecimal digits",
        parameters: [
            Parameter("MESSAGE", "the message's name in the schema, or its @name"),
            Parameter(
                "JSON", "the object of its fields, or a line that decode printed; from standard input when left out",
                isOptional: true),
        ],
        options: [.protocolFolder, .header],
        example: #"wire encode Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' --protocol Protocols/Scene"#,
        run: { arguments, console throws(CommandError) in
            let translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            let message = arguments.word(at: 0) ?? ""
            try translator.requireMessage(message)
            let json = try json(arguments.word(at: 1))
            let header = arguments[.header].map { Array($0.utf8) }
            let packet = try translator.packet(of: message, json, header: header)
            try console.print(Hexadecimal.text(of: packet))
        })
}

/// The JSON of an argument, or of standard input where there is none.
private func json(_ text: String?) throws(CommandError) -> [UInt8] {
    guard let text, text != "-" else { return try StandardInput.text() }
    return Array(text.utf8)
}

extension Option {
    static let header = Option("--header", value: "JSON", "an object of header fields to set")
}

extension PacketTranslator {
    /// Refuses a name that no message has.
    func requireMessage(_ name: String) throws(CommandError) {
        guard description.message(named: name) == nil else { return }
        let names = description.messages.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        let error = TranslationError(.unknownMessage(name))
        throw .failure(error.description, hint: suggestion(for: name, among: names))
    }

    /// One packet; see ``encode(message:parsing:header:)``.
    func packet(of message: String, _ json: [UInt8], header: [UInt8]?) throws(CommandError) -> [UInt8] {
        do throws(TranslationError) {
            return try encode(message: message, parsing: json, header: header)
        } catch {
            throw .failure(error.description)
        }
    }
}
