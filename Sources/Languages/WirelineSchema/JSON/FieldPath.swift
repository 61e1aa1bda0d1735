// SPDX-License-Identifier: Apache-2.0

/// Paths such as `Sc_20001.items[1].count`.
enum FieldPath {
    /// Returns a name or an index in brackets, followed by the path inside it.
    static func joining(_ name: String, _ rest: String) -> String {
        if rest.isEmpty {
            name
        } else if name.isEmpty || rest.utf8.first == UInt8(ascii: "[") {
            name + rest
        } else {
            name + "." + rest
        }
    }

    /// Whether a path names a value or something inside it.
    static func isInside(_ value: String, _ path: String) -> Bool {
        guard path.hasPrefix(value) else { return false }
        let next = path.utf8.dropFirst(value.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }

    /// Returns a path step for a name from outside; it is quoted unless it is a plain name.
    static func step(_ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !#"".[]\"#.utf8.contains(byte)
            }
        return isPlain && name.utf8.count <= 64 ? name : quoted(name)
    }

    /// Returns a name in quotes, with escapes for characters that could harm a terminal, shortened if it is long.
    static func quoted(_ name: String) -> String {
        JSONValue.string(shortened(name)).description
    }
    private static func shortened(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(64)
        return scalars.endIndex == name.endIndex ? name : String(scalars) + "…"
    }
}
