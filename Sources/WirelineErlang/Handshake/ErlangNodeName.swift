// SPDX-License-Identifier: Apache-2.0

/// The full name of a node, such as `game1@10.0.0.5`.
package struct ErlangNodeName: Hashable, Sendable, CustomStringConvertible {
    /// What stands before the `@`, by which epmd knows the node.
    package let name: String
    /// The host after the `@`, by which other nodes find it.
    package let host: String

    /// - Parameter text: The whole name, at most 255 bytes.
    /// - Returns: nil unless there is one `@`, before it letters, digits, `_` and `-`, and after it visible ASCII. Erlang
    ///   refuses nodes of other names.
    package init?(_ text: String) {
        guard text.utf8.count <= 255, let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        name = String(text[..<at])
        host = String(text[text.utf8.index(after: at)...])
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: "-") }), !host.isEmpty,
            host.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "@") })
        else { return nil }
    }

    package var description: String { "\(name)@\(host)" }

    /// The name as terms have it.
    package var atom: ErlangAtom { ErlangAtom(description) }
}

extension ErlangNodeName: Comparable {
    /// Compares the bytes, as nodes do to decide which of two simultaneous connections stays.
    package static func < (left: Self, right: Self) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }
}
