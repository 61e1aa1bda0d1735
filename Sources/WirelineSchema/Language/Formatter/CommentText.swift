// SPDX-License-Identifier: Apache-2.0

/// A comment as it is written into a formatted file.
///
/// No line of it ends in space. The lines of a block whose lines all start with `*` are moved with it; those of any other
/// stay where they are, for their indentation may be part of what the comment says.
enum CommentText {
    /// - Parameter indentation: Where the comment starts, when it is the first thing on its line; nil when something stands
    ///   in front of it, and its further lines are left alone.
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

    /// Whether documentation leaves out what stands up to a single star; `*/` is one, and `**` starts a ruler.
    private static func startsWithStar(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop(while: \.isBlank)
        guard let first = text.first else { return true }
        guard first == UInt8(ascii: "*") else { return false }
        // What is not ASCII could be a mark on the star.
        return text.dropFirst().first.map { $0 < 0x80 && $0 != UInt8(ascii: "*") } ?? true
    }
}

extension UInt8 {
    /// Space within a line.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || (0x09...0x0C).contains(self) && self != .lineFeed }
}
