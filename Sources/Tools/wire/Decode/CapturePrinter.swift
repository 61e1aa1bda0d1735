// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Prints the packets of a capture as soon as they are complete.
struct CapturePrinter {
    private let console: Console
    private var decoder: CaptureDecoder
    private var hasFaults = false

    /// - Parameters:
    ///   - sender: The side whose messages are tried first; nil means the sender of each packet.
    ///   - port: The server's port; nil means all connections.
    ///   - states: The states of each connection at its first packet.
    init(
        _ translator: PacketTranslator, preferring sender: Sender?, port: UInt16?, _ states: PacketStates,
        _ console: Console
    ) {
        self.console = console
        decoder = CaptureDecoder(translator, preferring: sender, port: port, states: states)
    }

    /// Prints the packets that the next bytes of the file complete.
    mutating func receive(_ piece: [UInt8]) throws(CommandError) {
        var output: [CaptureOutput] = []
        do throws(CaptureError) {
            try decoder.receive(piece, &output)
        } catch {
            try end(output, error)
        }
        try show(output)
    }

    /// Prints the packets that are complete only at the end of the file.
    mutating func finish() throws(CommandError) {
        var output: [CaptureOutput] = []
        do throws(CaptureError) {
            try decoder.finish(&output)
        } catch {
            try show(output)
            throw .failure(error.description)
        }
        try show(output)
        if hasFaults { throw .answerIsNo }
    }

    /// Prints the output before a fault of the file, and throws the fault.
    private mutating func end(_ output: [CaptureOutput], _ error: CaptureError) throws(CommandError) {
        var output = output
        try? decoder.finish(isBroken: true, &output)
        try show(output)
        throw .failure(error.description)
    }

    private mutating func show(_ output: [CaptureOutput]) throws(CommandError) {
        for item in output {
            switch item {
            case .line(let line): try console.print(line)
            case .fault(let text):
                hasFaults = true
                // Flushes standard output, so that a terminal shows the packets and the errors in order.
                try console.flush()
                console.report(error: text)
            case .note(let text):
                try console.flush()
                console.report(text)
            }
        }
    }
}
