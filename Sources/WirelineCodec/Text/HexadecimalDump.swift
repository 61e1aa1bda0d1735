// SPDX-License-Identifier: Apache-2.0

/// The state of a dump: the address that its next line must have.
struct HexadecimalDump {
    private var address: UInt64
    private var isOver = false

    init(at address: UInt64) {
        self.address = address
    }

    /// Whether a line continues where the last one ended; if not, a line is missing.
    func expects(_ line: DumpLine) -> Bool { !isOver && line.address == address }

    mutating func skip(_ byteCount: Int) {
        address &+= UInt64(byteCount)
    }

    /// Returns the error of a line without bytes; nil if it is empty, or the address after the last byte.
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

/// A line as `hexdump -C`, `xxd` and `tcpdump -X` print it: an address, the bytes, and the bytes as text.
///
///     00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|
///     00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi
///         0x0000:  6865 6c6c 6f20 776f 726c 642c 2074 6869  hello.world,.thi
struct DumpLine {
    let address: UInt64
    /// The position of the line's digits.
    let digits: Range<Int>
    /// Whether a dump may begin with it: without a colon, the line must contain a bar.
    let mayBeFirst: Bool

    /// The number of digits that an address may have.
    private static let addressDigitCounts = 4...16

    /// Nil if the line does not have this form.
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

    /// Whether a line that begins like this may become a line of a dump.
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

    /// Returns the end of the digits: a bar, or two spaces unless they are in the middle of sixteen bytes.
    private static func end(ofDigits bytes: ArraySlice<UInt8>) -> Int {
        var index = bytes.startIndex
        var digitCount = 0
        while true {
            let digits = bytes[index...].prefix { Hexadecimal.value($0) != nil }
            let spaces = bytes[digits.endIndex...].prefix(while: Hexadecimal.isWhiteSpace)
            let rest = bytes[spaces.endIndex...]
            digitCount += digits.count
            guard let next = rest.first, next != UInt8(ascii: "|") else { return digits.endIndex }
            // Anything else is not part of a dump; the caller refuses it.
            guard !spaces.isEmpty, !digits.isEmpty else { return spaces.endIndex + 1 }
            guard spaces.count == 1 || spaces.count == 2 && digitCount == 16 && isByte(rest) else {
                return digits.endIndex
            }
            index = rest.startIndex
        }
    }

    /// Whether two digits stand alone; if bytes are shown in pairs, the text column may begin with two digits too.
    private static func isByte(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.prefix { Hexadecimal.value($0) != nil }
        return digits.count == 2 && (text.dropFirst(2).first.map(Hexadecimal.isWhiteSpace) ?? true)
    }
}
