// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Prints the packets of a byte stream as soon as they are complete.
struct StreamDecoder: ~Copyable {
    private let console: Console
    private var stream: PacketStream
    /// Whether decoding ends at the first fault.
    private let endsAtFault: Bool
    private var hasFaults = false
    /// Whether the raw input contains hexadecimal digits, and whether it contains anything but digits and white space.
    private var rawInput = (hasDigits: false, hasOthers: false)

    /// - Parameters:
    ///   - states: The states of the connection at the first packet.
    ///   - endsAtFault: Whether decoding ends at the first invalid packet.
    init(
        _ translator: PacketTranslator, preferring sender: Sender, _ states: PacketStates, endsAtFault: Bool,
        _ console: Console
    ) {
        self.console = console
        self.endsAtFault = endsAtFault
        stream = PacketStream(translator, .preferring(sender), states)
    }

    /// Decodes the next bytes, and prints the packets that are now complete.
    ///
    /// - Parameter isRaw: Whether `bytes` are the input itself. Otherwise they were decoded from hexadecimal text.
    mutating func receive(_ bytes: [UInt8], isRaw: Bool = false) throws(CommandError) {
        if isRaw { look(bytes) }
        try show(stream.receive(bytes))
    }

    /// Prints the packets that are complete only at the end of the stream.
    mutating func finish() throws(CommandError) {
        try show(stream.finish())
        if hasFaults { throw .answerIsNo }
    }

    private mutating func show(_ events: [PacketStreamEvent]) throws(CommandError) {
        var lines: [UInt8] = []
        for event in events {
            switch event {
            case .packet(let line, _): lines += line.description.utf8 + [UInt8(ascii: "\n")]
            case .fault(let text):
                try flush(&lines)
                let isText = rawInput.hasDigits && !rawInput.hasOthers
                let hint = isText ? "this is hexadecimal text: use --hex" : nil
                guard !endsAtFault, !isText else { throw .failure(text, hint: hint) }
                hasFaults = true
                console.report(error: text)
            case .skipped:
                try flush(&lines)
                console.report(event.remark ?? "")
            }
        }
        try console.write(lines)
    }

    /// Writes the packets before an error, so that a terminal shows both in order.
    private func flush(_ lines: inout [UInt8]) throws(CommandError) {
        try console.write(lines)
        lines = []
        try console.flush()
    }

    private mutating func look(_ bytes: [UInt8]) {
        for byte in bytes where !rawInput.hasOthers {
            let character = Character(Unicode.Scalar(byte))
            rawInput.hasDigits = rawInput.hasDigits || character.isHexDigit
            rawInput.hasOthers = !character.isHexDigit && !character.isWhitespace
        }
    }
}
