// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    /// `wire encode`
    static let encode = Command(
        name: "encode",
        summary: "encode JSON as one packet, and print it as hexadecimal digits",
        parameters: [.message, .json],
        options: [.protocolFolder, .header, .encodingSender, .state],
        example: #"wire encode Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' --protocol Protocols/Scene"#,
        run: { arguments, console throws(CommandError) in
            let translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            let message = arguments.word(at: 0) ?? ""
            try translator.requireMessage(message)
            let json = try StandardInput.text(unlessGiven: arguments.word(at: 1))
            let header = arguments[.header].map { Array($0.utf8) }
            let sender = try translator.sender(of: message, arguments[.encodingSender].flatMap(Sender.init))
            let states = try translator.description.states(arguments)
            let packet = try translator.packet(of: message, json, header: header, from: sender, states: states)
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
    fileprivate static let encodingSender = Option(
        "--from", choices: Sender.allCases.map(\.rawValue),
        "the side that sends the message, if both sides can and their packets differ")
}

extension PacketTranslator {
    /// Refuses the name of an unknown message.
    func requireMessage(_ name: String) throws(CommandError) {
        guard description.message(named: name) == nil else { return }
        let names = description.messages.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        let error = TranslationError(.unknownMessage(name))
        throw .failure(error.description, hint: Spelling.help(for: name, among: names))
    }

    /// Returns who sends a message whose name is known, and refuses a side that does not.
    ///
    /// - Parameter sender: The side that the caller has named; nil if none was.
    fileprivate func sender(of message: String, _ sender: Sender?) throws(CommandError) -> Sender? {
        guard let message = description.message(named: message) else { return sender }
        if let sender, !message.senders.contains(sender) {
            throw .failure("\(message.name) is no message from the \(sender.rawValue)")
        }
        if sender == nil, description.layout.dependsOnSender, message.senders.count > 1 {
            throw .usage(
                "\(Option.encodingSender.name) is missing: \(message.name) from the client and from the server have other "
                    + "headers")
        }
        return sender
    }

    /// Returns one packet; see ``encode(message:parsing:header:from:states:)``.
    func packet(
        of message: String, _ json: [UInt8], header: [UInt8]?, from sender: Sender?,
        states: PacketStates = PacketStates()
    ) throws(CommandError) -> [UInt8] {
        do throws(TranslationError) {
            return try encode(message: message, parsing: json, header: header, from: sender, states: states)
        } catch {
            throw .failure(error.description)
        }
    }
}
