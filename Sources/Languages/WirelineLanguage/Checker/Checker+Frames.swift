// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Returns the marks and escapes of a frame; nil if an error was reported.
    func framing(_ syntax: FrameSyntax) -> PacketFraming? {
        let (start, end) = (byte(syntax.start, "a mark"), byte(syntax.end, "a mark"))
        let escapes = syntax.escapes.map(escape)
        guard syntax.isComplete, let start, let end, !escapes.contains(where: { $0 == nil }) else { return nil }
        let framing = PacketFraming(start: start, end: end, escapes: escapes.compactMap(\.self))
        guard let fault = framing.fault else { return framing }
        report(fault, of: framing, syntax)
        return nil
    }

    private func escape(_ syntax: EscapeSyntax) -> PacketFraming.Escape? {
        let byte = byte(syntax.byte, "what is escaped")
        guard !syntax.pair.isFaulty else { return nil }
        guard let pair = syntax.pair.integer.flatMap({ UInt16(exactly: $0) }) else {
            reporter.error("two bytes replace a byte", at: syntax.pair.span, help: "write them as in `0x7D02`")
            return nil
        }
        return byte.map { PacketFraming.Escape($0, as: UInt8(pair >> 8), UInt8(truncatingIfNeeded: pair)) }
    }

    private func byte(_ number: NumberSyntax, _ what: String) -> UInt8? {
        guard !number.isFaulty else { return nil }
        if let byte = number.integer.flatMap({ UInt8(exactly: $0) }) { return byte }
        reporter.error("\(what) is one byte, 0 to 255", at: number.span, help: "write it as in `0x7E`")
        return nil
    }

    private func report(_ fault: PacketFraming.Fault, of framing: PacketFraming, _ syntax: FrameSyntax) {
        switch fault {
        case .unlisted(let byte):
            let example = "`\(byte.hexadecimal) = …;`"
            if byte == framing.start || byte == framing.end {
                reporter.error(
                    "the mark \(byte.hexadecimal) has no escape",
                    at: byte == framing.start ? syntax.start.span : syntax.end.span,
                    help: "a packet may contain this byte: say with \(example) how it is written")
            } else if let index = framing.escapes.firstIndex(where: { $0.first == byte }) {
                reporter.error(
                    "\(byte.hexadecimal) begins an escape, and has none itself", at: syntax.escapes[index].pair.span,
                    help: "a packet may contain this byte: say with \(example) how it is written")
            }
        case .repeated(let byte):
            let indices = framing.escapes.indices.filter { framing.escapes[$0].byte == byte }
            reporter.error(
                "\(byte.hexadecimal) has two escapes", at: syntax.escapes[indices[1]].byte.span,
                help: "remove one of them", related: [.first(syntax.escapes[indices[0]].byte.span)])
        case .ambiguous(let byte):
            report(
                byte, framing, syntax, "the same two bytes replace another byte", "each byte has two bytes of its own")
        case .containsMark(let byte):
            report(byte, framing, syntax, "an escape cannot contain a mark", "a reader would take it for one")
        }
    }

    private func report(
        _ byte: UInt8, _ framing: PacketFraming, _ syntax: FrameSyntax, _ message: String, _ help: String
    ) {
        guard let index = framing.escapes.firstIndex(where: { $0.byte == byte }) else { return }
        reporter.error(message, at: syntax.escapes[index].pair.span, help: help)
    }
}
