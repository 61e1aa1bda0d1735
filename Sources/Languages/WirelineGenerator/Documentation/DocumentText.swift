// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage
import WirelineSchema
import WirelineSwiftGenerator

/// Converts the text of a schema for readers.
enum DocumentText {
    /// Returns a comment's paragraphs, each as lines that stay separate.
    ///
    /// A long line continues in the next one; the author ended a short line on purpose.
    static func paragraphs(of comment: String) -> [[String]] {
        var paragraphs: [[String]] = []
        var previous: String?
        for line in CommentText.lines(of: comment).map(trimmed) {
            defer { previous = line }
            if line.isEmpty { continue }
            guard let previous, !previous.isEmpty, let last = paragraphs.last?.last else {
                paragraphs.append([line])
                continue
            }
            if previous.count < longLineCount {
                paragraphs[paragraphs.count - 1].append(line)
            } else {
                let lines = paragraphs[paragraphs.count - 1]
                paragraphs[paragraphs.count - 1][lines.count - 1] = last + " " + line
            }
        }
        return paragraphs
    }

    private static let longLineCount = 60

    static func line(of comment: String) -> String {
        CommentText.lines(of: comment).map(trimmed).filter { !$0.isEmpty }.joined(separator: " ")
    }

    static func cellLines(of comment: String) -> [Document.CellLine] {
        paragraphs(of: comment).flatMap { $0 }.map { Document.CellLine(inlines(of: $0), .comment) }
    }

    /// Returns a line of a comment, with code where the author wrote backticks: `` `code` ``.
    ///
    /// As in Markdown, the same number of backticks begins and ends it, and one space at both ends is dropped.
    /// Backticks without an end are text.
    static func inlines(of line: String) -> [Document.Inline] {
        let scalars = Array(line.unicodeScalars)
        var result: [Document.Inline] = []
        var textStart = 0
        var offset = 0
        func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
        while offset < scalars.count {
            guard scalars[offset] == "`" else {
                offset += 1
                continue
            }
            let contentStart = endOfRun(in: scalars, from: offset)
            guard let end = closing(contentStart - offset, in: scalars, from: contentStart) else {
                offset = contentStart
                continue
            }
            if textStart < offset { result.append(.text(text(textStart..<offset))) }
            result.append(.code(withoutPadding(text(contentStart..<end.lowerBound))))
            (offset, textStart) = (end.upperBound, end.upperBound)
        }
        if textStart < scalars.count || result.isEmpty { result.append(.text(text(textStart..<scalars.count))) }
        return result
    }

    /// The end of the run of backticks that begins at an offset.
    private static func endOfRun(in scalars: [Unicode.Scalar], from start: Int) -> Int {
        scalars[start...].firstIndex { $0 != "`" } ?? scalars.count
    }

    /// The next run of exactly this many backticks.
    private static func closing(_ count: Int, in scalars: [Unicode.Scalar], from start: Int) -> Range<Int>? {
        var offset = start
        while let mark = scalars[offset...].firstIndex(of: "`") {
            let end = endOfRun(in: scalars, from: mark)
            if end - mark == count { return mark..<end }
            offset = end
        }
        return nil
    }

    private static func withoutPadding(_ code: String) -> String {
        guard code.hasPrefix(" "), code.hasSuffix(" "), code.contains(where: { $0 != " " }) else { return code }
        return String(code.dropFirst().dropLast())
    }

    /// Returns a number with digits in groups of three: `1,048,576`.
    static func number(_ value: some BinaryInteger) -> String {
        GroupedDigits.text(of: value, separator: ",")
    }

    /// Returns `0x4e21`, with at least as many digits as `byteCount` bytes have.
    static func hexadecimal(_ value: UInt64, byteCount: Int = 0) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, 2 * byteCount - digits.count)) + digits
    }

    /// The explanation of offsets such as `4.3`.
    static let bitLegend =
        "After the point of an offset is the number of bits before the part, the most significant ones first."

    /// Returns `1 byte` or `2 bytes`.
    static func count(_ value: Int, _ noun: String) -> String { "\(number(value)) \(noun)\(value == 1 ? "" : "s")" }

    /// Returns formatted JSON. A value too long for one line has its parts on separate lines.
    static func json(_ value: JSONValue, indentation: String = "") -> String {
        let line = value.description
        guard line.count + indentation.count > lineWidth else { return line }
        let inner = indentation + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let parts = members.map { member in
                inner + JSONValue.string(member.name).description + ": " + json(member.value, indentation: inner)
            }
            return "{\n" + parts.joined(separator: ",\n") + "\n" + indentation + "}"
        case .array(let items) where !items.isEmpty:
            let parts = items.map { inner + json($0, indentation: inner) }
            return "[\n" + parts.joined(separator: ",\n") + "\n" + indentation + "]"
        default: return line
        }
    }

    private static let lineWidth = 72

    private static func trimmed(_ line: String) -> String { String(line.drop { $0 == " " }) }
}

extension DocumentText {
    /// Returns a protocol's name as a file name without an extension.
    ///
    /// Dashes replace characters that are special in paths.
    static func fileName(of name: String) -> String {
        let isKept = { (character: Character) in character.isLetter || character.isNumber || "_-+".contains(character) }
        let result = String(name.map { isKept($0) ? $0 : "-" })
        return result.contains { $0 != "-" } ? result : "protocol"
    }
}
