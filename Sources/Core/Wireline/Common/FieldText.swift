// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// The fields of a message in one line for a log; long values are cut off.
///
/// It uses mirrors: those of generated types have `HiddenValue` in place of each hidden value.
package struct FieldText {
    /// The most characters, bytes and items shown of one value, and the length of text after which no field follows.
    private static let (mostCharacters, mostBytes, mostItems, mostText) = (256, 32, 16, 4_096)

    package private(set) var text = ""

    package init(of message: any PacketMessage) {
        append(fieldsOf: Mirror(reflecting: message))
    }

    /// The bytes of a message that the schema does not know. With `isText` they are shown as text.
    init(ofUnknown bytes: RawSpan, isText: Bool = false, showsBytes: Bool) {
        text = Self.count(bytes.byteCount)
        guard showsBytes, !bytes.isEmpty else { return }
        text += " "
        let first = [UInt8](copying: bytes.extracting(first: Self.mostText / 4))
        guard isText else {
            append(bytes: first, of: bytes.byteCount)
            return
        }
        let shown = String(decoding: first, as: UTF8.self).inQuotes(limit: Self.mostCharacters)
        text += shown
        if first.count < bytes.byteCount, !shown.hasSuffix("…") { text += "…" }
    }

    private static func count(_ byteCount: Int) -> String { "\(byteCount) byte\(byteCount == 1 ? "" : "s")" }

    private mutating func append(fieldsOf mirror: Mirror) {
        var isFirst = true
        for child in mirror.children {
            // Bytes that a newer peer has appended are unknown, like a message without a name.
            let trailing = child.label == "trailingBytes" ? child.value as? [UInt8] : nil
            if trailing?.isEmpty == true { continue }
            if !isFirst { text += ", " }
            isFirst = false
            guard text.utf8.count < Self.mostText else {
                text += "…"
                return
            }
            if let label = child.label { text += label + ": " }
            if let trailing { text += Self.count(trailing.count) } else { append(child.value) }
        }
    }

    private mutating func append(_ value: Any) {
        switch value {
        case let value as HiddenValue: text += value.description
        case let value as String: append(quoted: value)
        case let value as [UInt8]: append(bytes: Array(value.prefix(Self.mostBytes)), of: value.count)
        case let value as Properties: append(value)
        default: append(value, Mirror(reflecting: value))
        }
    }

    private mutating func append(_ value: Any, _ mirror: Mirror) {
        switch mirror.displayStyle {
        case .optional:
            if let child = mirror.children.first { append(child.value) } else { text += "nil" }
        case .collection:
            text += "["
            for (index, child) in mirror.children.prefix(Self.mostItems).enumerated() {
                if index > 0 { text += ", " }
                append(child.value)
            }
            if mirror.children.count > Self.mostItems { text += ", … \(mirror.children.count) items" }
            text += "]"
        case .struct, .class:
            if let name = Self.name(of: value) {
                text += name
                return
            }
            text += "("
            append(fieldsOf: mirror)
            text += ")"
        default: text += "\(value)"
        }
    }

    /// The name of an enum's value or of flags. A value without a name has its number.
    private static func name(of value: Any) -> String? {
        guard let value = value as? any RawRepresentable & CustomStringConvertible else { return nil }
        return value.description
    }

    private mutating func append(quoted string: String) {
        let shown = string.inQuotes(limit: Self.mostCharacters)
        text += shown
        if shown.hasSuffix("…") { text += " \(Self.count(string.utf8.count))" }
    }

    private mutating func append(bytes: [UInt8], of count: Int) {
        text += "<" + Hexadecimal.text(of: bytes)
        text += bytes.count < count ? "… \(Self.count(count))>" : ">"
    }

    private mutating func append(_ properties: Properties) {
        text += "["
        for (index, entry) in properties.entries.prefix(Self.mostItems).enumerated() {
            if index > 0 { text += ", " }
            append(quoted: entry.key)
            text += ": "
            append(quoted: entry.value)
        }
        if properties.entries.count > Self.mostItems { text += ", … \(properties.entries.count) items" }
        text += "]"
    }
}
