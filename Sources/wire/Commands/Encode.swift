// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    /// `wire encode`
    static let encode = Command(
        name: "encode",
        summary: "encode JSON as one packet, and print it as hexadecimal digits",
        parameters: [.message, .json],
        options: [.protocolFolder, .header],
        example: #"wire encode Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' --protocol Protocols/Scene"#,
        run: { arguments, console throws(CommandError) in
            let translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            let message = arguments.word(at: 0) ?? ""
            try translator.requireMessage(message)
            let json = try StandardInput.text(unlessGiven: arguments.word(at: 1))
            let header = arguments[.header].map { Array($0.utf8) }
            let packet = try translator.packet(of: message, json, header: header)
            try console.print(Hexadecimal.text(of: packet))
        })
}

extension Parameter {
    static let message = Parameter("MESSAGE", "the message's name in the schema, or its @name")
    static let json = Parameter(
        "JSON",
        "the object of its fields, or a line that decode printed; without it, standard input is read (at most 256 MiB)",
        isOptional: true)
}

extension Option {
    static let header = Option("--header", value: "JSON", "a JSON object of header fields to set")
}

extension PacketTranslator {
    /// Refuses the name of an unknown message.
    func requireMessage(_ name: String) throws(CommandError) {
        guard description.message(named: name) == nil else { return }
        let names = description.messages.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        let error = TranslationError(.unknownMessage(name))
        throw .failure(error.description, hint: Spelling.help(for: name, among: names))
    }

    /// Returns one packet; see ``encode(message:parsing:header:)``.
    func packet(of message: String, _ json: [UInt8], header: [UInt8]?) throws(CommandError) -> [UInt8] {
        do throws(TranslationError) {
            return try encode(message: message, parsing: json, header: header)
        } catch {
            throw .failure(error.description)
        }
    }
}
