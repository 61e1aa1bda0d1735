// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension Command {
    /// `wire decode`
    static let decode = Command(
        name: "decode",
        summary: "decode packets, and print each as a line of JSON",
        parameters: [
            Parameter(
                "HEX", "the packets in hexadecimal digits; without it, raw bytes are read from standard input",
                isOptional: true)
        ],
        options: [.protocolFolder, .hexadecimal, .sender],
        example: "wire decode 0000000f4e21010000000200026869 --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            let sender = arguments[.sender].flatMap(Sender.init) ?? .client
            var decoder = StreamDecoder(description, preferring: sender, console)
            if let text = arguments.word(at: 0), text != "-" {
                try decoder.receiveHexadecimalArgument(text)
            } else if arguments.has(.hexadecimal) {
                try decoder.receiveHexadecimalInput(console)
            } else {
                try decoder.receiveRawInput(console)
            }
            try decoder.finish()
        })
}

extension Option {
    fileprivate static let hexadecimal = Option(
        "--hex", "standard input is hexadecimal text, or the output of `hexdump -C` or `xxd`")
    fileprivate static let sender = Option(
        "--from", choices: Sender.allCases.map(\.rawValue),
        "the side that sent a message, if both sides could have (default client)")
}

/// Returns the result of reading hexadecimal text, or a failure that explains the text's error.
private func hexadecimal(_ read: () throws(CodecError) -> [UInt8]) throws(CommandError) -> [UInt8] {
    do throws(CodecError) {
        return try read()
    } catch {
        throw .failure(error.description)
    }
}

/// Prints the packets of a byte stream as soon as they are complete.
private struct StreamDecoder: ~Copyable {
    private let translator: PacketTranslator
    private let sender: Sender
    private let console: Console
    private var splitter: PacketSplitter
    /// The number of the current packet, from 1, and its offset in the stream.
    private var place = (number: 1, offset: 0)
    /// Whether raw input contains hexadecimal digits, and anything other than digits and white space.
    private var rawInput = (hasDigits: false, hasOthers: false)

    init(_ description: ProtocolDescription, preferring sender: Sender, _ console: Console) {
        translator = PacketTranslator(description)
        self.sender = sender
        self.console = console
        splitter = PacketSplitter(
            layout: description.layout, maximumPacketByteCount: description.options.maximumPacketByteCount)
    }

    /// Prints the packets that are now complete, including those before an invalid one.
    mutating func receive(_ bytes: [UInt8]) throws(CommandError) {
        let (translator, sender) = (translator, sender)
        var place = place
        var lines: [UInt8] = []
        var fault: CodecError?
        do throws(CodecError) {
            try splitter.receive(bytes.rawSpan) { packet throws(CodecError) in
                lines += try translator.decode(packet, preferring: sender).description.utf8
                lines.append(UInt8(ascii: "\n"))
                place.number += 1
                place.offset += packet.bytes.byteCount
            }
        } catch {
            fault = error
        }
        self.place = place
        try console.write(lines)
        if let fault { throw failure(fault) }
    }

    /// Reads raw bytes from standard input.
    mutating func receiveRawInput(_ console: Console) throws(CommandError) {
        try StandardInput.forEachPiece(console) { piece throws(CommandError) in
            for byte in piece where !rawInput.hasOthers {
                let character = Character(Unicode.Scalar(byte))
                rawInput.hasDigits = rawInput.hasDigits || character.isHexDigit
                rawInput.hasOthers = !character.isHexDigit && !character.isWhitespace
            }
            try receive(piece)
        }
    }

    /// Reads hexadecimal text from the command line.
    mutating func receiveHexadecimalArgument(_ text: String) throws(CommandError) {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Hexadecimal.bytes(of: text)
        } catch {
            throw .usage("HEX: \(error)")
        }
        guard !bytes.isEmpty else { throw .usage("HEX has no bytes", hint: "leave it out to read standard input") }
        try receive(bytes)
    }

    /// Reads hexadecimal text from standard input.
    mutating func receiveHexadecimalInput(_ console: Console) throws(CommandError) {
        var reader = HexadecimalReader()
        try StandardInput.forEachPiece(console) { piece throws(CommandError) in
            try receive(hexadecimal { () throws(CodecError) in try reader.receive(piece) })
        }
        try receive(hexadecimal { () throws(CodecError) in try reader.finish() })
    }

    /// Refuses a stream that ends inside a packet.
    func finish() throws(CommandError) {
        do throws(CodecError) {
            try splitter.finish()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: CodecError) -> CommandError {
        .failure(
            "packet \(place.number), which begins at byte \(place.offset): \(error)",
            hint: rawInput.hasDigits && !rawInput.hasOthers ? "this is hexadecimal text: use --hex" : nil)
    }
}
