// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// What a dissector shows of one packet, to compare with what the schema-driven codec finds in it.
struct PacketSight {
    /// The item of the packet.
    private let details: PacketDetails
    /// The first component of all filter names, with a dot.
    private let stem: String
    private let flagSets: [FlagsDescription]
    /// The parts with a value, in the order of their bytes.
    private var parts: [Part] = []
    /// The packets inside of it.
    private(set) var inner: [PacketSight] = []
    /// Whether some of its bytes are what a layer made: these have places of their own.
    let isOpened: Bool

    private struct Part {
        var path: String
        /// Counted from the first byte of the packet.
        var range: Range<Int>
        /// Whether the range includes a prefix before it.
        var hasPrefix: Bool
        var details: PacketDetails
    }

    init(_ details: PacketDetails, _ description: ProtocolDescription) {
        self.details = details
        let stem = details.name + "."
        self.stem = stem
        flagSets = description.flagSets
        isOpened = details.children.contains { $0.name == stem + "layer" }
        for child in details.children where !Self.generated.contains(where: { child.name == stem + $0 }) {
            if child.name == stem + "payload" || child.name == stem + "opaque" {
                add("payload", child)
            } else if child.name == stem + "packets" {
                inner = child.children.filter { $0.name == details.name }.map { PacketSight($0, description) }
            } else if child.name.hasPrefix(stem + "packet.") {
                add(Self.name(of: child).name, child)
            } else if !child.name.hasPrefix("_ws.") {
                walk(child.children, in: "")
            }
        }
    }

    private static let generated = ["message", "id", "sender", "layer", "sealed", "partial"]

    var sender: Sender? { details.first(stem + "sender").flatMap { Sender(rawValue: $0.text) } }

    /// The first reported fault of the packet and of those inside of it, and its kind. A layer that cannot be opened is
    /// one, too, but a note.
    var fault: (reason: String, text: String)? {
        guard let item = details.all(where: { $0.hasPrefix(stem + "error.") || $0 == stem + Self.sealed }).first else {
            return nil
        }
        return (item.name.split(separator: ".").last.map { String($0) } ?? "", item.title)
    }

    private static let sealed = "note.layer_unavailable"

    /// The facts that are no faults, also of the packets inside of it.
    var notes: [String] {
        details.all { $0.hasPrefix(stem + "note.") && $0 != stem + Self.sealed }
            .map { String($0.name.dropFirst(stem.count)) }
    }

    /// The ID; nil if it is inside of a layer that was not opened.
    var id: String? { details.children.first { $0.name == stem + "id" }?.text }

    /// The bytes of what a broken layer made before its fault.
    var partialByteCount: Int? { details.children.first { $0.name == stem + "partial" }?.range.count }

    /// The bytes that were not opened, in hexadecimal digits.
    var sealedBytes: String? { details.children.first { $0.name == stem + "sealed" }?.hex }

    // MARK: The tree

    /// `[3] count: 7` is an item of a list, with its position.
    private static func name(of item: PacketDetails) -> (name: String, index: String) {
        var title = item.title[...]
        var index = ""
        if title.first == "[", let end = title.firstIndex(of: "]") {
            index = String(title[...end])
            title = title[end...].dropFirst(2)
        }
        // An item that is too long for a line has a note after its name.
        return (String(title.prefix { $0 != ":" && $0 != " " }), index)
    }

    private mutating func add(_ path: String, _ item: PacketDetails, from start: Int? = nil) {
        let origin = details.range.lowerBound
        let range = (start ?? item.range.lowerBound) - origin..<item.range.upperBound - origin
        parts.append(Part(path: path, range: range, hasPrefix: start != nil, details: item))
    }

    private mutating func walk(_ items: [PacketDetails], in path: String, list: String = "") {
        var prefixStart: Int?
        for item in items where item.name.hasPrefix(stem) {
            let (name, index) = Self.name(of: item)
            let own = (path.isEmpty ? name : path + "." + name) + index
            let words = item.name.split(separator: ".")
            switch words.count == 4 ? words[3] : "" {
            case "list": walk(item.children, in: path, list: own)
            case "count": add(list, item)
            case "size", "tag": add(path, item)
            case "content_size": add(own, item)
            case "length": prefixStart = item.range.lowerBound
            case "absent": add(own, item, from: item.range.lowerBound)
            default:
                if item.name == stem + "list_end" {
                    add(list, item)
                } else if item.name == stem + "unknown" {
                    // Those after a structure inside a number of bytes are named after its field.
                    add(name == "Unknown" ? path : own, item)
                } else if item.name == stem + "trailing" {
                    add("trailing", item)
                } else if item.hex.isEmpty && !item.children.isEmpty {
                    walk(item.children, in: own)
                } else {
                    add(own, item, from: prefixStart)
                }
                prefixStart = nil
            }
        }
    }

    /// Only the dissector's own items, without those that Wireshark adds: it warns of a NUL in a text.
    private func own(_ items: [PacketDetails]) -> [PacketDetails] { items.filter { $0.name.hasPrefix(stem) } }

    // MARK: Comparison

    /// The first difference from what the codec finds; nil if there is none.
    func disagreement(with annotation: PacketAnnotation, of bytes: [UInt8]) -> String? {
        var expected = annotation.parts[...]
        for var part in parts {
            if isOpened, let wanted = expected.first {
                part.range = wanted.range.lowerBound..<wanted.range.lowerBound + part.range.count
            }
            // An arm without a field is shown, empty, before the unknown bytes of its union.
            guard let wanted = expected.first, wanted.path == part.path, wanted.kind != .unknown || !part.range.isEmpty
            else {
                // An empty part is shown at its place. For a field that is wrong, only the codec reports it.
                let isMore = part.range.isEmpty || annotation.fault != nil
                if isMore { continue }
                return "\(part.path) \(part.range) is shown, expected \(expected.first.map { "\($0)" } ?? "nothing")"
            }
            expected = expected.dropFirst()
            let end = part.range.upperBound
            // A NUL, or a 16-bit unit of 0.
            let rest = bytes[end..<max(end, wanted.range.upperBound)]
            let hasTerminator = wanted.kind == .field && 1...2 ~= rest.count && rest.allSatisfy { $0 == 0 }
            guard wanted.range.lowerBound == part.range.lowerBound, wanted.range.upperBound == end || hasTerminator,
                (wanted.prefixByteCount > 0) == part.hasPrefix
            else { return "\(part.path) is at \(part.range), expected \(wanted)" }
            if let difference = difference(of: part, from: wanted, bytes) {
                return "\(part.path): \(difference), expected \(wanted.text)"
            }
        }
        return expected.isEmpty ? nil : "not shown: \(expected.map { "\($0.path) \($0.range)" })"
    }

    private func difference(of part: Part, from wanted: PacketAnnotation.Part, _ bytes: [UInt8]) -> String? {
        let body = part.range.lowerBound + wanted.prefixByteCount..<part.range.upperBound
        let hex = Hexadecimal.text(of: bytes[body].span.bytes)
        let shown = part.details
        if wanted.value.isNull { return shown.title.hasSuffix(": absent") ? nil : shown.title }
        guard shown.hex == hex || shown.hex.isEmpty && body.isEmpty else { return "its bytes are \(shown.hex)" }
        switch wanted.kind {
        case .count, .size: return shown.text == wanted.value.description ? nil : shown.text
        case .padding, .unknown, .terminator: return nil
        default: return matches(wanted.value, shown, Array(bytes[body])) ? nil : "\(shown.title), \(shown.text)"
        }
    }

    private func matches(_ value: JSONValue, _ shown: PacketDetails, _ bytes: [UInt8]) -> Bool {
        switch value {
        case .null: return false
        case .boolean(let isTrue): return (isTrue ? ["1", "True"] : ["0", "False"]).contains(shown.text)
        case .number(let number):
            if shown.text == value.description { return true }
            guard !number.isInteger || shown.text.contains("e") || shown.text.contains("."),
                let digits = Double(shown.text)
            else { return false }
            // It shows all digits of a float of 16 bits.
            let format = FloatFormat.binary16
            if bytes.count == 2, format.nearest(to: digits) == format.nearest(to: number.double) { return true }
            // tshark shows fewer digits, which makes the largest number larger; the bytes have been compared already.
            let other = min(max(digits, -Double.greatestFiniteMagnitude), .greatestFiniteMagnitude)
            return abs(other - number.double) <= max(abs(number.double) * 1e-5, 1e-44)
        case .string(let text):
            let isNonfinite =
                ["NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"][text].map {
                    shown.text.lowercased().replacing("-nan", with: "nan").hasPrefix($0)
                } ?? false
            return isNonfinite || shown.text == text || Array(text.utf8) == bytes || Base64.encode(bytes) == text
                || shown.title.contains(": \(text) (") || shown.title.hasSuffix(" (\(text))")
                // The item of a text of fixed width has the padding, too, and tshark shows some characters escaped.
                || !text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
                    && (bytes.starts(with: text.utf8)
                        || bytes.starts(with: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
                        || bytes.starts(with: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
        case .array: return matchesFlags(value, shown)
        case .object(let members): return members == properties(in: shown)
        }
    }

    /// Each flag is shown by its mask, set or not.
    private func matchesFlags(_ value: JSONValue, _ shown: PacketDetails) -> Bool {
        let names = own(shown.children).map { String($0.title.prefix { $0 != ":" }) }
        guard let set = flagSets.first(where: { $0.cases.map(\.name) == names }),
            let bits = Int128(shown.text.dropFirst(2), radix: 16)
        else { return false }
        return zip(set.cases, own(shown.children)).allSatisfy { flag, item in
            let isSet = flag.value & bits == flag.value
            return (isSet ? ["1", "True"] : ["0", "False"]).contains(item.text)
        }
    }

    /// The properties of the lines: for a repeated key the last value counts.
    private func properties(in shown: PacketDetails) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        for line in own(shown.children) {
            let texts = own(line.children).map { item in
                String(decoding: (try? Hexadecimal.bytes(of: item.hex)) ?? [], as: UTF8.self)
            }
            guard texts.count == 2 else { return [] }
            let member = JSONValue.Member(texts[0], .string(texts[1]))
            if let index = members.firstIndex(where: { Array($0.name.utf8) == Array(member.name.utf8) }) {
                members[index] = member
            } else {
                members.append(member)
            }
        }
        return members
    }
}
