// SPDX-License-Identifier: Apache-2.0

/// The full name of a node, such as `game1@10.0.0.5`.
public struct ErlangNodeName: Hashable, Sendable, CustomStringConvertible {
    /// What stands before the `@`, by which epmd knows the node.
    public let name: String
    /// The host after the `@`, by which other nodes find it.
    public let host: String

    /// Makes a name of its text.
    ///
    /// - Parameter text: The whole name, at most 255 bytes.
    /// - Returns: nil unless there is one `@`, before it letters, digits, `_` and `-`, and after it visible ASCII. Erlang
    ///   refuses nodes of other names.
    public init?(_ text: String) {
        guard text.utf8.count <= 255, let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        name = String(text[..<at])
        host = String(text[text.utf8.index(after: at)...])
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: "-") }), !host.isEmpty,
            host.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "@") })
        else { return nil }
    }

    /// The whole name.
    public var description: String { "\(name)@\(host)" }

    /// The name as terms have it.
    public var atom: ErlangAtom { ErlangAtom(description) }
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
