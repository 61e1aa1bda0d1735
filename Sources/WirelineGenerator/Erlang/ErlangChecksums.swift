// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the code that computes the checksums of a packet that is written.
struct ErlangChecksums {
    private let layout: PacketLayout

    init(_ layout: PacketLayout) { self.layout = layout }

    /// Returns a call that computes a checksum of iodata.
    static func call(_ kind: ChecksumKind, _ data: String) -> String {
        switch kind {
        case .crc32, .adler32: "erlang:\(kind.rawValue)(\(data))"
        default: "\(kind.rawValue)(\(data))"
        }
    }

    /// Whether a field is a checksum that needs the values of other fields.
    func isComputedLast(_ index: Int) -> Bool { needingFields.contains { layout.fieldIndex(of: $0) == index } }

    /// The lines that compute those checksums, in wire order: each may cover the ones before it.
    var computing: [String] {
        needingFields.map { planned in
            "F\(layout.fieldIndex(of: planned) + 1) = \(Self.call(planned.kind, covered(by: planned)))"
        }
    }

    private var payload: Int { layout.header.count }

    private var needingFields: [PlannedChecksum] { layout.checksums.filter { $0.parts != payload..<payload + 1 } }

    /// Returns the bytes that a checksum covers, with zeros for itself and for later ones.
    private func covered(by planned: PlannedChecksum) -> String {
        var pieces: [String] = []
        var segments: [String] = []
        func endRun() {
            if !segments.isEmpty { pieces.append("<<\(segments.joined(separator: ", "))>>") }
            segments = []
        }
        for part in planned.parts {
            guard part != payload else {
                endRun()
                pieces.append("Payload")
                continue
            }
            let index = part < payload ? part : part - 1
            let field = layout.fields[index]
            if field.condition != nil {
                endRun()
                let zeros = planned.zeros.contains(part) ? "<<0:\(8 * (field.format.byteCount ?? 0))>>" : nil
                pieces.append(ErlangConditionalWrapping.bytes(of: index, in: layout, zeros))
            } else if !field.format.isNumber {
                endRun()
                pieces.append("F\(index + 1)")
            } else if let byteCount = field.format.byteCount {
                let isZero = planned.zeros.contains(part)
                segments += isZero ? ["0:\(8 * byteCount)"] : ErlangPacketFields(layout: layout).writing(index)
            } else {
                endRun()
                pieces.append("leb128(\(ErlangWrapping.bits(of: field, "F\(index + 1)")))")
            }
        }
        endRun()
        return "[\(pieces.joined(separator: ", "))]"
    }
}
