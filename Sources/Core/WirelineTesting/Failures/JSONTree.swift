// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A message's fields as `wire decode` prints them, but with their Swift names.
indirect enum JSONTree: Equatable {
    /// A number, a string, true, false or null, as JSON text.
    case scalar(String)
    case array([JSONTree])
    case object([Entry])

    struct Entry: Equatable {
        let name: String
        let value: JSONTree
    }

    init(fieldsOf value: Any) {
        var entries: [Entry] = []
        for child in Mirror(reflecting: value).children {
            guard let name = child.label, let tree = JSONTree(child.value) else { continue }
            if name == "trailingBytes", tree == .scalar("\"\"") { continue }
            entries.append(Entry(name: name, value: tree))
        }
        self = .object(entries)
    }

    /// - Returns: nil if an optional value is absent.
    private init?(_ value: Any) {
        switch value {
        case let value as HiddenValue: self.init(value.value)
        case let value as String: self = .scalar(Self.quoted(value))
        case let value as Bool: self = .scalar("\(value)")
        case let value as [UInt8]: self = .scalar(Self.quoted(Base64.encode(value)))
        case let value as Double: self = .scalar(Self.number(value, "\(value)"))
        case let value as Float: self = .scalar(Self.number(Double(value), "\(value)"))
        case let value as any NamedFlags: self = Self.flags(value)
        case let value as any NamedValue:
            self = value.caseName.map { .scalar(Self.quoted($0)) } ?? Self.integer(value.rawValue)
        case let value as any BinaryInteger: self = Self.integer(value)
        case let value as Properties:
            self = .object(value.entries.map { Entry(name: $0.key, value: .scalar(Self.quoted($0.value))) })
        default: self.init(value, Mirror(reflecting: value))
        }
    }

    private init?(_ value: Any, _ mirror: Mirror) {
        switch mirror.displayStyle {
        case .optional:
            guard let child = mirror.children.first else { return nil }
            self.init(child.value)
        case .collection: self = .array(mirror.children.map { JSONTree($0.value) ?? .scalar("null") })
        case .enum:
            guard let child = mirror.children.first, let name = child.label else {
                self = .scalar(Self.quoted("\(value)"))
                return
            }
            self = .object([Entry(name: name, value: JSONTree(child.value) ?? .scalar("null"))])
        default: self.init(fieldsOf: value)
        }
    }

    // MARK: Scalars

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func integer<Value: BinaryInteger>(_ value: Value) -> JSONTree {
        // Many JSON parsers read numbers as 64-bit floats, which lose digits beyond 2⁵³, so these numbers are strings.
        let isLarge = value.magnitude > UInt64(1) << 53 - 1
        return .scalar(isLarge ? "\"\(value)\"" : "\(value)")
    }

    private static func number(_ value: Double, _ text: String) -> String {
        if value.isNaN { return "\"NaN\"" }
        if value.isInfinite { return value < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func flags<Flags: NamedFlags>(_ flags: Flags) -> JSONTree {
        var rest = flags.rawValue
        var items: [JSONTree] = []
        for (bits, name) in Flags.namedFlags where bits != 0 && flags.rawValue & bits == bits && rest & bits != 0 {
            rest &= ~bits
            items.append(.scalar(quoted(name)))
        }
        if rest != 0 { items.append(.scalar("\(rest)")) }
        return .array(items)
    }

    // MARK: Text

    var line: String {
        switch self {
        case .scalar(let text): text
        case .array(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let entries):
            "{" + entries.map { "\"\($0.name)\":\($0.value.line)" }.joined(separator: ",") + "}"
        }
    }
}
