// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    static let decode = Command(
        name: "decode",
        summary: "decode packets, and print each as a line of JSON",
        parameters: [
            Parameter(
                "HEX",
                "the packets in hexadecimal digits; without it, raw bytes or a capture are read from standard input",
                isOptional: true)
        ],
        options: [.protocolFolder, .hexadecimal, .sender, .capture, .serverPort, .state, .key],
        example: "wire decode 0000000f4e21010000000200026869 --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            let request = try DecodeRequest(arguments)
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            var translator = PacketTranslator(description)
            translator.layers = try arguments.layerSettings(of: description)
            try request.run(translator, try description.states(arguments), console)
        })
}

extension Option {
    fileprivate static let hexadecimal = Option(
        "--hex", "standard input is hexadecimal text, or the output of `od -t x1`, `hexdump -C` or `xxd`")
    fileprivate static let sender = Option(
        "--from", choices: Sender.allCases.map(\.rawValue),
        "the side that sent a message, if both sides could have (default client; in a capture its sender)")
    fileprivate static let capture = Option(
        "--capture", value: "FILE", "read a capture, pcap or pcapng, such as that of `wire proxy --record FILE`")
    fileprivate static let serverPort = Option(
        "--port", value: "N", "in a capture, decode only connections to this port of a server")
}

private struct DecodeRequest {
    private enum Source {
        case argument(String)
        case file(String)
        case text, input
    }

    private let source: Source
    private let sender: Sender?
    private let port: UInt16?

    init(_ arguments: Arguments) throws(CommandError) {
        sender = arguments[.sender].flatMap(Sender.init)
        var port: UInt16?
        if let text = arguments[.serverPort] {
            port = UInt16(try WholeNumber.value(of: text, in: 1...65_535, of: .serverPort))
        }
        self.port = port
        let word = arguments.word(at: 0).flatMap { $0 == "-" ? nil : $0 }
        if let file = arguments[.capture] {
            guard word == nil, !arguments.has(.hexadecimal) else {
                throw .usage("\(Option.capture.name) goes neither with HEX nor with \(Option.hexadecimal.name)")
            }
            source = .file(file)
        } else if let word {
            source = .argument(word)
            try refusePort("HEX")
        } else if arguments.has(.hexadecimal) {
            source = .text
            try refusePort(Option.hexadecimal.name)
        } else {
            source = .input
        }
    }

    func run(_ translator: PacketTranslator, _ states: PacketStates, _ console: Console) throws(CommandError) {
        switch source {
        case .argument(let text): try decodeArgument(text, translator, states, console)
        case .file(let path):
            var printer = CapturePrinter(translator, preferring: sender, port: port, states, console)
            try CaptureInput.forEachPiece(of: path, console) { piece throws(CommandError) in
                try printer.receive(piece)
            }
            try printer.finish()
        case .text: try decodeText(translator, states, console)
        case .input: try decodeInput(translator, states, console)
        }
    }

    private func refusePort(_ other: String) throws(CommandError) {
        guard port != nil else { return }
        throw .usage("\(Option.serverPort.name) is for captures; it does not go with \(other)")
    }

    private func streamDecoder(
        _ translator: PacketTranslator, _ states: PacketStates, _ console: Console, endsAtFault: Bool = false
    ) -> StreamDecoder {
        StreamDecoder(translator, preferring: sender ?? .client, states, endsAtFault: endsAtFault, console)
    }

    private func decodeArgument(
        _ text: String, _ translator: PacketTranslator, _ states: PacketStates, _ console: Console
    ) throws(CommandError) {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Hexadecimal.bytes(of: text)
        } catch {
            throw .usage("HEX: \(error)")
        }
        guard !bytes.isEmpty else { throw .usage("HEX has no bytes", hint: "leave it out to read standard input") }
        var decoder = streamDecoder(translator, states, console, endsAtFault: true)
        try decoder.receive(bytes)
        try decoder.finish()
    }

    private func decodeText(
        _ translator: PacketTranslator, _ states: PacketStates, _ console: Console
    ) throws(CommandError) {
        var decoder = streamDecoder(translator, states, console)
        var reader = HexadecimalReader()
        try StandardInput.forEachPiece(console) { piece throws(CommandError) in
            try decoder.receive(hexadecimal { () throws(CodecError) in try reader.receive(piece) })
        }
        try decoder.receive(hexadecimal { () throws(CodecError) in try reader.finish() })
        try decoder.finish()
    }

    /// Decodes raw bytes, or a capture if the input begins with one.
    private func decodeInput(
        _ translator: PacketTranslator, _ states: PacketStates, _ console: Console
    ) throws(CommandError) {
        var decoder = streamDecoder(translator, states, console)
        var printer = CapturePrinter(translator, preferring: sender, port: port, states, console)
        var beginning: [UInt8] = []
        var isCapture: Bool?
        try StandardInput.forEachPiece(console) { piece throws(CommandError) in
            var piece = piece
            if isCapture == nil {
                beginning += piece
                isCapture = CaptureReader.isBeginning(beginning)
                guard let isCapture else { return }
                if !isCapture { try refusePort("standard input that is no capture") }
                piece = beginning
            }
            if isCapture == true { try printer.receive(piece) } else { try decoder.receive(piece, isRaw: true) }
        }
        if isCapture == true { return try printer.finish() }
        if isCapture == nil {
            try refusePort("standard input that is no capture")
            try decoder.receive(beginning, isRaw: true)
        }
        try decoder.finish()
    }
}

/// Converts an error of hexadecimal text to an error of the command.
private func hexadecimal(_ read: () throws(CodecError) -> [UInt8]) throws(CommandError) -> [UInt8] {
    do throws(CodecError) {
        return try read()
    } catch {
        throw .failure(error.description)
    }
}
