// SPDX-License-Identifier: Apache-2.0

/// Where a dump stands: which address its next line has.
struct HexadecimalDump {
    private var address: UInt64
    private var isOver = false

    init(at address: UInt64) {
        self.address = address
    }

    /// Whether a line goes on where the last one ended: a dump that leaves lines out has lost bytes.
    func expects(_ line: DumpLine) -> Bool { !isOver && line.address == address }

    mutating func skip(_ byteCount: Int) {
        address &+= UInt64(byteCount)
    }

    /// What is wrong with a line without bytes: nothing where it is empty, or the address behind the last byte.
    mutating func error(of line: ArraySlice<UInt8>) -> CodecError.Reason? {
        let word = line.split(whereSeparator: Hexadecimal.isWhiteSpace)
        guard let first = word.first else { return nil }
        guard word.count == 1 else { return .invalidHex }
        if first.elementsEqual("*".utf8) { return .missingDumpLine }
        guard let end = Hexadecimal.address(first), !isOver else { return .invalidHex }
        isOver = true
        return end == address ? nil : .missingDumpLine
    }
}

/// A line as `hexdump -C`, `xxd` and `tcpdump -X` print it: an address, bytes, the same as text.
///
///     00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|
///     00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi
///         0x0000:  6865 6c6c 6f20 776f 726c 642c 2074 6869  hello.world,.thi
struct DumpLine {
    let address: UInt64
    /// Where the line's bytes stand.
    let digits: Range<Int>
    /// Whether a dump may begin with it: digits and spaces are an address only where text between bars follows.
    let mayBeFirst: Bool

    /// An address has so many digits.
    private static let addressDigitCounts = 4...16

    /// Nil where a line is not laid out like this.
    init?(_ line: ArraySlice<UInt8>) {
        let word = Self.withoutPrefix(line.drop(while: Hexadecimal.isWhiteSpace))
        let text = word.prefix { Hexadecimal.value($0) != nil }
        guard Self.addressDigitCounts.contains(text.count), let address = Hexadecimal.address(text) else { return nil }
        var rest = word.dropFirst(text.count)
        let hasColon = rest.first == UInt8(ascii: ":")
        if hasColon { rest.removeFirst() }
        let bytes = rest.drop(while: Hexadecimal.isWhiteSpace)
        guard bytes.startIndex - rest.startIndex >= (hasColon ? 1 : 2), !bytes.isEmpty else { return nil }
        self.address = address
        mayBeFirst = hasColon || bytes.contains(UInt8(ascii: "|"))
        digits = bytes.startIndex..<Self.end(ofDigits: bytes)
    }

    /// Whether a line that begins like this may turn out to be one of a dump.
    static func mayBegin(_ line: ArraySlice<UInt8>) -> Bool {
        let word = withoutPrefix(line.drop(while: Hexadecimal.isWhiteSpace))
        let count = word.prefix { Hexadecimal.value($0) != nil }.count
        let rest = word.dropFirst(count).prefix(2)
        guard count <= addressDigitCounts.upperBound else { return false }
        guard let next = rest.first else { return !word.isEmpty }
        guard addressDigitCounts.contains(count) else { return false }
        let isSpaced = rest.dropFirst().allSatisfy(Hexadecimal.isWhiteSpace)
        return (next == UInt8(ascii: ":") || Hexadecimal.isWhiteSpace(next)) && isSpaced
    }

    private static func withoutPrefix(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        word.starts(with: "0x".utf8) ? word.dropFirst(2) : word
    }

    /// Two spaces end the digits, but for those in the middle of sixteen bytes, and so does a bar.
    private static func end(ofDigits bytes: ArraySlice<UInt8>) -> Int {
        var index = bytes.startIndex
        var digitCount = 0
        while true {
            let digits = bytes[index...].prefix { Hexadecimal.value($0) != nil }
            let spaces = bytes[digits.endIndex...].prefix(while: Hexadecimal.isWhiteSpace)
            let rest = bytes[spaces.endIndex...]
            digitCount += digits.count
            guard let next = rest.first, next != UInt8(ascii: "|") else { return digits.endIndex }
            // What is neither is no part of a dump, and is left to be refused.
            guard !spaces.isEmpty, !digits.isEmpty else { return spaces.endIndex + 1 }
            guard spaces.count == 1 || spaces.count == 2 && digitCount == 16 && isByte(rest) else {
                return digits.endIndex
            }
            index = rest.startIndex
        }
    }

    /// Whether two digits stand alone: where bytes are shown in pairs, text may begin with two digits too.
    private static func isByte(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.prefix { Hexadecimal.value($0) != nil }
        return digits.count == 2 && (text.dropFirst(2).first.map(Hexadecimal.isWhiteSpace) ?? true)
    }
}
