// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Returns the checksum of `@checksum(kind, range)`; nil if an error was reported.
    func checksum(_ attributes: AttributeSet, in packet: PacketSyntax) -> PacketChecksum? {
        let arguments = attributes.arguments(of: .checksum)
        guard case .name(let name)? = arguments.first else { return nil }
        guard let kind = ChecksumKind(rawValue: name.text) else {
            let names = ChecksumKind.allCases.map(\.rawValue)
            reporter.error(
                "unknown checksum \(name.text.quoted)", at: name.span,
                help: Spelling.help(for: name.text, among: names)
                    ?? "there are " + names.map { "`\($0)`" }.joined(separator: ", "))
            return nil
        }
        guard let covered = arguments.dropFirst().first else { return PacketChecksum(kind) }
        return checksumRange(covered, in: packet).map { PacketChecksum(kind, of: $0) }
    }

    private func checksumRange(_ argument: ArgumentSyntax, in packet: PacketSyntax) -> PacketChecksum.Range? {
        switch argument {
        case .name(let name) where name.text == "payload": return .payload
        case .name(let name) where name.text == "rest": return .rest
        case .nameRange(let first, let last): return checksumRange(first, last, in: packet)
        case .name(let name):
            let isField = (packet.header + packet.trailer).contains { $0.name.text == name.text }
            reporter.error(
                "a checksum cannot cover \(name.text.quoted)", at: name.span,
                help: isField
                    ? "for one field, write `\(name.text)..\(name.text)`"
                    : "it covers the `payload`, the `rest` after the field, or fields as in `first..last`")
            return nil
        default: return nil
        }
    }

    /// Returns the fields from one through another; `payload` is always the payload.
    private func checksumRange(
        _ first: NameSyntax, _ last: NameSyntax, in packet: PacketSyntax
    ) -> PacketChecksum.Range? {
        let payload: String? = nil
        let names = packet.header.map(\.name.text) + [payload] + packet.trailer.map(\.name.text)
        func part(_ name: NameSyntax) -> (part: PacketChecksum.Part, position: Int)? {
            let part: PacketChecksum.Part = name.text == "payload" ? .payload : .field(name.text)
            if let position = part.position(in: names) { return (part, position) }
            reporter.error(
                "the packet has no field \(name.text.quoted)", at: name.span,
                help: Spelling.help(for: name.text, among: names.map { $0 ?? "payload" }))
            return nil
        }
        guard let start = part(first), let end = part(last) else { return nil }
        guard start.position <= end.position else {
            reporter.error(
                "\(last.text.quoted) stands before \(first.text.quoted)", at: first.span.through(last.span),
                help: "write `\(last.text)..\(first.text)`")
            return nil
        }
        return .parts(start.part, through: end.part)
    }
}
