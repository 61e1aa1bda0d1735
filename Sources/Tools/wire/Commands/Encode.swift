// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    static let encode = Command(
        name: "encode",
        summary: "encode JSON as one packet, and print it as hexadecimal digits",
        parameters: [.encodedMessage, .json],
        options: [.protocolFolder, .header, .encodingSender, .packets, .bundleID, .state, .key],
        example: #"wire encode Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' --protocol Protocols/Scene"#,
        run: { arguments, console throws(CommandError) in
            let message = arguments.word(at: 0)
            guard message != nil || arguments.has(.packets) else {
                throw .usage("\(Parameter.message.name) is missing")
            }
            var translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            translator.layers = try arguments.layerSettings(of: translator.description)
            if let packets = arguments[.packets] {
                let states = try translator.description.states(arguments)
                let packet = try BundleRequest(packets, arguments).packet(translator, states)
                return try console.print(Hexadecimal.text(of: packet))
            }
            guard !arguments.has(.bundleID) else {
                throw .usage("\(Option.bundleID.name) goes only with \(Option.packets.name)")
            }
            guard let message else { throw .usage("\(Parameter.message.name) is missing") }
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
    fileprivate static let encodedMessage = Parameter(
        message.name, message.help + "; only \(Option.packets.name) needs none", isOptional: true)
    static let json = Parameter(
        "JSON",
        "the object of its fields, or a line that decode printed; without it, standard input is read (at most 256 MiB)",
        isOptional: true)
}

extension Option {
    static let header = Option("--header", value: "JSON", "a JSON object of header fields to set")
    fileprivate static let packets = Option(
        "--packets", value: "JSON", "the packets inside of one packet: an array of lines as decode prints them")
    fileprivate static let bundleID = Option(
        "--id", value: "N", "the ID of the packet around --packets, if packets have one")
    fileprivate static let encodingSender = Option(
        "--from", choices: Sender.allCases.map(\.rawValue),
        "the side that sends the message, if both sides can and their packets differ")
}

private struct BundleRequest {
    private let packets: String
    private let id: UInt64?
    private let header: String?
    private let sender: Sender?

    init(_ packets: String, _ arguments: Arguments) throws(CommandError) {
        guard arguments.word(at: 0) == nil else {
            throw .usage("\(Option.packets.name) goes with no \(Parameter.message.name)")
        }
        id = try arguments[.bundleID].map { text throws(CommandError) in
            let digits = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
            if let digits { return digits }
            throw .usage("\(Option.bundleID.name) is a whole number, not `\(text)`")
        }
        self.packets = packets
        header = arguments[.header]
        sender = arguments[.encodingSender].flatMap(Sender.init)
    }

    func packet(_ translator: PacketTranslator, _ states: PacketStates) throws(CommandError) -> [UInt8] {
        guard translator.description.layout.content.packets != nil else {
            throw .failure("\(translator.description.name) has no line `packets;`: its packets contain no packets")
        }
        guard id != nil || !translator.description.layout.hasMessageID else {
            throw .usage("\(Option.bundleID.name) is missing: the ID of the packet around the others")
        }
        do throws(TranslationError) {
            var line = [
                JSONValue.Member("message", .null),
                JSONValue.Member("packets", try parse(packets, "packets", translator)),
            ]
            if let id { line.append(JSONValue.Member("id", .integer(Int128(id)))) }
            if let header { line.append(JSONValue.Member("header", try parse(header, "header", translator))) }
            return try translator.encode(line: .object(line), from: sender, states: states)
        } catch {
            throw translator.description.failure(error)
        }
    }

    private func parse(
        _ text: String, _ path: String, _ translator: PacketTranslator
    ) throws(TranslationError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: Array(text.utf8), maximumDepth: translator.maximumJSONDepth)
        } catch {
            throw TranslationError(.json(error), path: path)
        }
    }
}

extension PacketTranslator {
    func requireMessage(_ name: String) throws(CommandError) {
        guard description.message(named: name) == nil else { return }
        let names = description.messages.flatMap { [$0.name] + ($0.alias.map { [$0] } ?? []) }
        let error = TranslationError(.unknownMessage(name))
        throw .failure(error.description, hint: Spelling.help(for: name, among: names))
    }

    /// Returns the side that sends a known message. Throws if the named side does not send it.
    ///
    /// - Parameter sender: The side that the user has named; nil if the user has named none.
    func sender(of message: String, _ sender: Sender?) throws(CommandError) -> Sender? {
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

    /// See ``PacketTranslator/encode(message:parsing:header:from:states:)``.
    func packet(
        of message: String, _ json: [UInt8], header: [UInt8]?, from sender: Sender?,
        states: PacketStates = PacketStates()
    ) throws(CommandError) -> [UInt8] {
        do throws(TranslationError) {
            return try encode(message: message, parsing: json, header: header, from: sender, states: states)
        } catch {
            throw description.failure(error)
        }
    }
}

extension ProtocolDescription {
    func failure(_ error: TranslationError) -> CommandError {
        var hint: String?
        if case .value(.packetTooLong(_, _, options.maximumPacketByteCount)) = error.reason, !limitingLengths.isEmpty {
            let names = limitingLengths.map { "`\($0)`" }.joined(separator: " and ")
            hint = "the packet's \(names) can count no more"
        }
        return .failure(error.description, hint: hint)
    }
}
