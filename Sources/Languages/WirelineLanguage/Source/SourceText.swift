// SPDX-License-Identifier: Apache-2.0

/// A range of bytes in one file of a check; `file` is the file's index.
package struct SourceSpan: Equatable, Hashable, Sendable {
    package var file: Int
    package var start: Int
    package var end: Int

    package init(file: Int, start: Int, end: Int) {
        self.file = file
        self.start = start
        self.end = end
    }

    /// Returns the span from the start of this one to the end of another in the same file.
    package func through(_ other: SourceSpan) -> SourceSpan {
        SourceSpan(file: file, start: start, end: max(end, other.end))
    }
}

package struct SourceText: Sendable {
    package let path: String
    package private(set) var bytes: [UInt8]
    /// The offsets of the first byte of each line; the first is 0.
    package private(set) var lineStarts: [Int]

    package init(_ file: SourceFile) {
        path = file.path
        bytes = file.bytes
        lineStarts = Self.lineStarts(of: file.bytes)
    }

    private static func lineStarts(of bytes: [UInt8]) -> [Int] {
        var starts = [0]
        for offset in bytes.indices where isLineStart(offset + 1, in: bytes) { starts.append(offset + 1) }
        return starts
    }

    private static func isLineStart(_ offset: Int, in bytes: [UInt8]) -> Bool {
        switch bytes[offset - 1] {
        case .lineFeed: true
        case .carriageReturn: offset == bytes.count || bytes[offset] != .lineFeed
        default: false
        }
    }

    /// Replaces some bytes.
    ///
    /// - Complexity: O(*n*) in the later bytes and lines, which it moves without reading them.
    package mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
        bytes.replaceSubrange(range, with: replacement)
        let end = range.lowerBound + replacement.count
        // Whether a line begins at an offset depends on the bytes at both sides of it.
        let first = lineIndex(at: range.lowerBound - 1) + 1
        let last = max(first, lineIndex(at: range.upperBound) + 1)
        let found = stride(from: max(1, range.lowerBound), through: end, by: 1).filter {
            Self.isLineStart($0, in: bytes)
        }
        lineStarts.replaceSubrange(first..<last, with: found)
        let growth = end - range.upperBound
        for index in lineStarts.indices[(first + found.count)...] { lineStarts[index] += growth }
    }

    /// Returns the index of the line that contains the byte at `offset`, from 0.
    package func lineIndex(at offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns line and column of an offset, both from 1; the column in bytes, without a byte order mark.
    package func location(at offset: Int) -> SourceLocation {
        let line = lineIndex(at: offset)
        var start = lineStarts[line]
        if start == 0, hasByteOrderMark { start = min(3, offset) }
        return SourceLocation(file: path, line: line + 1, column: offset - start + 1)
    }

    /// Returns the bytes of a line, without its newline and without the file's byte order mark.
    package func lineRange(_ index: Int) -> Range<Int> {
        var start = lineStarts[index]
        if start == 0, hasByteOrderMark { start = 3 }
        var end = index + 1 < lineStarts.count ? lineStarts[index + 1] : bytes.count
        while end > start, bytes[end - 1] == .lineFeed || bytes[end - 1] == .carriageReturn { end -= 1 }
        return start..<max(start, end)
    }

    /// Returns the text of some bytes; bytes that are not UTF-8 become U+FFFD.
    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Whether the file starts with U+FEFF, which some editors write.
    package var hasByteOrderMark: Bool {
        bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }

    /// Returns the scalar that starts at `offset`; nil if the bytes there are not UTF-8.
    package func scalar(at offset: Int) -> (scalar: Unicode.Scalar, byteCount: Int)? {
        guard offset < bytes.count else { return nil }
        if bytes[offset] < 0x80 { return (Unicode.Scalar(bytes[offset]), 1) }
        var iterator = bytes[offset..<min(offset + 4, bytes.count)].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
        return (Unicode.UTF8.decode(encoded), encoded.count)
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// Whether a name may contain this byte after its first.
    var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: isDigit
        }
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
