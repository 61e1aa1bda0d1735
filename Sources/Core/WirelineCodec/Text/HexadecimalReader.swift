// SPDX-License-Identifier: Apache-2.0

/// Reads hexadecimal text that arrives in pieces, cut anywhere.
///
/// It accepts the same text as ``Hexadecimal/bytes(of:)-(String)``. It converts nearly all plain digits at once, and a
/// dump line by line.
public struct HexadecimalReader: Sendable {
    /// The longest line of a dump, in bytes; a longer one is refused.
    private static let maximumLineByteCount = 1024

    /// The unread text: the last line, or, if the reader need not see the whole line, a few digits or a comment's `#`.
    private var rest: [UInt8] = []
    /// The number of bytes of text before ``rest``.
    private var offset = 0
    /// Whether ``rest`` continues a line that is not part of a dump.
    private var isInsideLine = false
    private var dump: HexadecimalDump?
    private var hasBytes = false

    /// Makes a reader of a new text.
    public init() {}

    /// Takes the next piece of the text and returns the bytes that are complete.
    ///
    /// - Throws: ``CodecError/Reason/invalidHex``, with the offset of the first invalid byte in the whole text;
    ///   ``CodecError/Reason/missingDumpLine``.
    public mutating func receive(_ text: [UInt8]) throws(CodecError) -> [UInt8] {
        try receive(text, isAtEnd: false)
    }

    /// Returns the last bytes, after the text has ended.
    ///
    /// - Throws: As ``receive(_:)``.
    public mutating func finish() throws(CodecError) -> [UInt8] {
        defer { rest = [] }
        let bytes = try receive([UInt8(ascii: "\n")], isAtEnd: true)
        if let dump, dump.isRepeating { throw CodecError(.missingDumpLine, offset: offset - 1) }
        return bytes
    }

    private mutating func receive(_ text: [UInt8], isAtEnd: Bool) throws(CodecError) -> [UInt8] {
        rest += text
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count / 2)
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard confirmDump(start..<end, isAtEnd: isAtEnd) else { break }
            try readLine(start..<end, into: &bytes)
            start = end + 1
            isInsideLine = false
        }
        start = try readBeginningOfLine(from: start, into: &bytes)
        rest.removeFirst(start)
        offset += start
        return bytes
    }

    /// Begins a dump if two lines are of `od -A x`; returns false if too little of the second one has arrived.
    private mutating func confirmDump(_ range: Range<Int>, isAtEnd: Bool) -> Bool {
        guard dump == nil, !isInsideLine, !hasBytes, DumpLine.mayNeedConfirmation(rest[range]) else { return true }
        let next = rest[(range.upperBound + 1)...].prefix(DumpLine.confirmationByteCount)
        let isEnough =
            isAtEnd || next.count == DumpLine.confirmationByteCount || next.contains(UInt8(ascii: "\n"))
        guard isEnough else { return false }
        dump = DumpLine(rest[range], confirmedBy: next).map(HexadecimalDump.init(beginningWith:))
        return true
    }

    /// Reads a whole line, or the end of one.
    private mutating func readLine(_ range: Range<Int>, into bytes: inout [UInt8]) throws(CodecError) {
        guard !isInsideLine else { return try readDigits(range, into: &bytes) }
        let line = DumpLine(rest[range], style: dump?.style)
        if dump == nil, let line, line.mayBeFirst { dump = HexadecimalDump(beginningWith: line) }
        guard var dump else { return try readDigits(range, into: &bytes) }
        defer { self.dump = dump }
        if let line {
            guard let repeated = dump.proceed(to: line.address) else {
                throw CodecError(.missingDumpLine, offset: offset + range.lowerBound)
            }
            bytes += repeated
            let count = bytes.count
            try readDigits(line.digits, into: &bytes)
            dump.add(bytes[count...])
        } else {
            do throws(DumpFlaw) {
                bytes += try dump.readOther(rest[range])
            } catch {
                throw CodecError(error.reason, offset: offset + range.lowerBound)
            }
        }
    }

    /// Reads the part of an unfinished line whose meaning does not depend on later text.
    ///
    /// - Returns: The start of the unread text.
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
        // A comment may have any length; the reader only remembers that it is inside one.
        rest[rest.count - 1] = UInt8(ascii: "#")
        isInsideLine = true
        return rest.count - 1
    }

    private mutating func readDigits(_ range: Range<Int>, into bytes: inout [UInt8]) throws(CodecError) {
        defer { hasBytes = hasBytes || !bytes.isEmpty }
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
