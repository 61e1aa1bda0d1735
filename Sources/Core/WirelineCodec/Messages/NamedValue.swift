// SPDX-License-Identifier: Apache-2.0

/// A value of an enum in a schema. It prints by name: `duplicate`, and `.duplicate` inside a message.
///
/// A number without a name prints as the number, and as `.init(rawValue: 9)` inside a message.
public protocol NamedValue: RawRepresentable, CustomStringConvertible, CustomDebugStringConvertible, Sendable
where RawValue: FixedWidthInteger {
    /// The name of the case; nil for a number that the schema does not name.
    var caseName: String? { get }
}

extension NamedValue {
    /// The name of the case, or the number.
    public var description: String { caseName ?? String(rawValue) }

    /// The value as it is written in Swift.
    public var debugDescription: String { caseName.map { "." + $0 } ?? ".init(rawValue: \(rawValue))" }
}

/// A value of the flags in a schema. It prints by names: `[read, write]`, and `[.read, .write]` inside a message.
///
/// Bits without a name print as a number: `[read, 64]`, and `[.read, .init(rawValue: 64)]` inside a message.
public protocol NamedFlags: OptionSet, CustomStringConvertible, CustomDebugStringConvertible, Sendable
where RawValue: FixedWidthInteger {
    /// The flags that the schema names, in its order.
    static var namedFlags: [(bits: RawValue, name: String)] { get }
}

extension NamedFlags {
    /// The names of the flags that are set, in brackets.
    public var description: String { text(ofName: { $0 }, ofRest: { String($0) }) }

    /// The value as it is written in Swift.
    public var debugDescription: String { text(ofName: { "." + $0 }, ofRest: { ".init(rawValue: \($0))" }) }

    private func text(ofName: (String) -> String, ofRest: (RawValue) -> String) -> String {
        var rest = rawValue
        var words: [String] = []
        for (bits, name) in Self.namedFlags where bits != 0 && rawValue & bits == bits && rest & bits != 0 {
            rest &= ~bits
            words.append(ofName(name))
        }
        if rest != 0 { words.append(ofRest(rest)) }
        return "[" + words.joined(separator: ", ") + "]"
    }
}
