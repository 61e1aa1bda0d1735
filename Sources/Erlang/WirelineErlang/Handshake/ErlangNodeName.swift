// SPDX-License-Identifier: Apache-2.0

/// The full name of a node, such as `game1@10.0.0.5`.
public struct ErlangNodeName: Hashable, Sendable, CustomStringConvertible {
    /// The name as a term.
    ///
    /// It is stored whole, because each message compares and writes it.
    public let atom: ErlangAtom

    /// Makes a name of its text.
    ///
    /// - Parameter text: The whole name, at most 255 bytes.
    /// - Returns: nil unless there is one `@`, before it letters, digits, `_` and `-`, and after it visible ASCII. Erlang
    ///   refuses nodes of other names.
    public init?(_ text: String) {
        guard text.utf8.count <= 255 else { return nil }
        atom = ErlangAtom(text)
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: "-") }), !host.isEmpty,
            host.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "@") })
        else { return nil }
    }

    /// The part before the `@`, by which epmd knows the node.
    public var name: String { String(Substring(atom.name.utf8.prefix { $0 != UInt8(ascii: "@") })) }

    /// The host after the `@`, by which other nodes find it.
    public var host: String {
        String(Substring(atom.name.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst()))
    }

    /// The whole name.
    public var description: String { atom.name }
}

extension ErlangNodeName: Comparable {
    /// Compares the bytes, as nodes do to decide which of two simultaneous connections stays.
    public static func < (left: Self, right: Self) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }
}

extension ErlangNodeName: ExpressibleByStringLiteral {
    /// Makes a name of a literal, which must be a node's: `"game1@10.0.0.5"`. For other texts there is ``init(_:)``.
    public init(stringLiteral text: String) {
        guard let name = Self(text) else { preconditionFailure("\(text) is no name of a node") }
        self = name
    }
}
