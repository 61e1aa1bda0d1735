// SPDX-License-Identifier: Apache-2.0

/// Reads hexadecimal text that arrives in pieces, cut anywhere; ``Hexadecimal/bytes(of:)-(String)`` says what it may
/// look like. Of digits that need no line break nearly all are turned into bytes at once; of a dump, whole lines are.
public struct HexadecimalReader: Sendable {
    /// A line of a dump that is longer than this is refused.
    private static let maximumLineByteCount = 1024

    /// What has not been read: the last line of a piece, or, where lines are longer, a few digits or a comment's `#`.
    private var rest: [UInt8] = []
    /// How many bytes of text stand before ``rest``.
    private var offset = 0
    /// Whether ``rest`` goes on with a line that is none of a dump.
    private var isInsideLine = false
    private var dump: HexadecimalDump?

    /// Makes a reader of a new text.
    public init() {}

    /// The bytes that the text has so far and that were not handed out.
    ///
    /// - Throws: ``CodecError/Reason/invalidHex``, with the offset in the whole text of what does not belong there;
    ///   ``CodecError/Reason/missingDumpLine``.
    public mutating func receive(_ text: [UInt8]) throws(CodecError) -> [UInt8] {
        rest += text
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count / 2)
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try readLine(start..<end, into: &bytes)
            start = end + 1
            isInsideLine = false
        }
        start = try readBeginningOfLine(from: start, into: &bytes)
        rest.removeFirst(start)
        offset += start
        return bytes
    }

    /// The last bytes, when the text has ended.
    ///
    /// - Throws: As ``receive(_:)``.
    public mutating func finish() throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = []
        defer { rest = [] }
        try readLine(0..<rest.count, into: &bytes)
        return bytes
    }

    /// Reads a line that is whole, or the end of one.
    private mutating func readLine(_ range: Range<Int>, into bytes: inout [UInt8]) throws(CodecError) {
        guard !isInsideLine else { return try readDigits(range, into: &bytes) }
        let line = DumpLine(rest[range])
        if dump == nil, let line, line.mayBeFirst { dump = HexadecimalDump(at: line.address) }
        guard var dump else { return try readDigits(range, into: &bytes) }
        defer { self.dump = dump }
        if let line {
            guard dump.expects(line) else { throw CodecError(.missingDumpLine, offset: offset + range.lowerBound) }
            let count = bytes.count
            try readDigits(line.digits, into: &bytes)
            dump.skip(bytes.count - count)
        } else if let error = dump.error(of: rest[range]) {
            throw CodecError(error, offset: offset + range.lowerBound)
        }
    }

    /// Reads as much of a line whose end has not come as means the same whatever follows.
    ///
    /// - Returns: Where the rest begins.
    private mutating func readBeginningOfLine(from start: Int, into bytes: inout [UInt8]) throws(CodecError) -> Int {
        let line = rest[start...]
        if !isInsideLine, dump != nil || DumpLine.mayBegin(line) {
            guard line.count <= Self.maximumLineByteCount else { throw flaw(at: start) }
            return start
        }
        guard !line.isEmpty else { return start }
        let end = start + Hexadecimal.safeByteCount(line)
        isInsideLine = isInsideLine || line[..<end].contains { !Hexadecimal.isWhiteSpace($0) }
        try readDigits(start..<end, into: &bytes)
        guard end < rest.count, rest[end] == UInt8(ascii: "#") else { return end }
        // A comment may go on for ever; only that it is one must be known.
        rest[rest.count - 1] = UInt8(ascii: "#")
        isInsideLine = true
        return rest.count - 1
    }

    private func readDigits(_ range: Range<Int>, into bytes: inout [UInt8]) throws(CodecError) {
        do throws(HexadecimalFlaw) {
            try Hexadecimal.append(rest[range], to: &bytes)
        } catch {
            throw flaw(at: error.index)
        }
    }

    private func flaw(at index: Int) -> CodecError {
        CodecError(.invalidHex, offset: offset + index)
    }
}
