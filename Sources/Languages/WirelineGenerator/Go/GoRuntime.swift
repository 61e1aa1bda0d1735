// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated Go. Packages contain its whole interface, and the pieces that the printed code calls.
///
/// A reader and a writer keep their first error, with the path of enclosing names. Afterwards a reader returns zeros.
struct GoRuntime {
    private let features: Set<String>
    private let constants: [String: String]
    private let escapes: [[String: String]]

    init(_ plan: GeneratorModel) {
        let marks = plan.marks
        let firsts = Set(marks.escapes.map(\.first)).sorted().map(String.init)
        let markBytes = (marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]).map(String.init)
        features = plan.features
        let more = [
            "MAXIMUM_INFLATED": String(plan.layers?.maximumByteCount ?? 0),
            "PACKET_LIMIT": plan.layers == nil ? String(plan.description.options.maximumPacketByteCount) : "r.limit",
            "FRAME_MARKS": markBytes.joined(separator: ", "), "ESCAPE_FIRSTS": firsts.joined(separator: ", "),
        ]
        constants = plan.constants.merging(more) { _, own in own }
        escapes = plan.escapes
    }

    /// The interface for programs: types, `Encode`, `Decode` and `Splitter`. Every package has all of it.
    var interface: String { RuntimeFile.go.with(features, constants).text("interface") }

    /// Returns the pieces that a file may contain.
    ///
    /// - Parameter hasNames: Whether a reader or a writer keeps the names of enclosing values. Without them, a packet
    ///   needs less stack memory, which Go would have to clear.
    func pieces(hasNames: Bool) -> RuntimeText {
        let all = hasNames ? features.union(["names"]) : features
        return RuntimeText(
            RuntimeFile.go.with(all, constants, each: escapes).text("pieces"), lineComment: "//", hasKeys: false,
            hasMembers: true, isFunction: { $0.hasPrefix("func ") }, name: Self.name)
    }

    private static func name(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let kind = words.first, ["func", "type", "var", "const"].contains(kind), words.count > 1 else {
            return nil
        }
        // A method's name follows its receiver: `func (r *reader) u8(f string) uint8`.
        let name = words[1].hasPrefix("(") ? words.dropFirst(3).first : words[1]
        return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }

    static func function(_ kind: ChecksumKind) -> String {
        switch kind {
        case .crc32: "crc32IEEE"
        case .crc32c: "crc32Castagnoli"
        case .adler32: "adler32Sum"
        case .crc16ARC: "crc16ARC"
        case .crc16Modbus: "crc16Modbus"
        case .crc16KERMIT: "crc16Kermit"
        case .crc16X25: "crc16X25"
        case .crc16CCITTFalse: "crc16CCITTFalse"
        case .crc16XMODEM: "crc16XModem"
        case .sum8: "sum8"
        case .xor8: "xor8"
        }
    }
}
