// SPDX-License-Identifier: Apache-2.0

/// Formats a comment for the formatted file.
///
/// No line ends in space. If all lines of a block start with `*`, they are moved with it. Lines of other blocks stay,
/// because their indentation may have a meaning.
enum FormattedComment {
    /// - Parameter indentation: The column of a comment that comes first on its line; otherwise nil, and its further
    ///   lines do not change.
    static func text(of comment: Comment, in source: SourceText, indentation: Int?) -> String {
        let lines = lines(of: source.bytes[comment.range])
        guard let indentation, lines.count > 1, lines.dropFirst().allSatisfy(startsWithStar) else {
            return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        }
        let margin = String(repeating: " ", count: indentation + 1)
        let moved = lines.dropFirst().map { line in
            line.isEmpty ? "" : margin + String(decoding: line.drop(while: \.isBlank), as: UTF8.self)
        }
        return ([String(decoding: lines[0], as: UTF8.self)] + moved).joined(separator: "\n")
    }

    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(where: { $0 == .lineFeed || $0 == .carriageReturn }) {
            lines.append(withoutSpaceBehind(rest[..<end]))
            let isPair = rest[end] == .carriageReturn && rest.dropFirst(end - rest.startIndex + 1).first == .lineFeed
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        lines.append(withoutSpaceBehind(rest))
        return lines
    }

    private static func withoutSpaceBehind(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line[..<(line.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? line.startIndex)]
    }

    /// Whether documentation drops everything up to a single star; `*/` counts as one, and `**` starts a ruler.
    private static func startsWithStar(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop(while: \.isBlank)
        guard let first = text.first else { return true }
        guard first == UInt8(ascii: "*") else { return false }
        // A character beyond ASCII could be a combining mark on the star.
        return text.dropFirst().first.map { $0 < 0x80 && $0 != UInt8(ascii: "*") } ?? true
    }
}

extension UInt8 {
    /// Whether the byte is space within a line.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || (0x09...0x0C).contains(self) && self != .lineFeed }
}
