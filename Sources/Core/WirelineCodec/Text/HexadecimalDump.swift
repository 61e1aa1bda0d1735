// SPDX-License-Identifier: Apache-2.0

/// The state of a dump: the address that its next line must have.
struct HexadecimalDump {
    /// The most bytes that the omitted lines may stand for.
    private static let maximumRepeatedByteCount = 64 << 20
    /// The shortest line that can be repeated; the tools repeat lines of 16 bytes.
    private static let leastRepeatedByteCount = 8

    let style: DumpLine.Style
    /// The next address in each radix that fits the addresses so far.
    private var addresses: [(radix: UInt64, next: UInt64)]
    private var isOver = false
    private var lastLine: [UInt8] = []
    private var repeatedByteCount: UInt64 = 0
    /// Whether the last line was `*`: lines with the same bytes were omitted.
    private(set) var isRepeating = false

    init(beginningWith line: DumpLine) {
        style = line.style
        addresses = line.radices.compactMap { radix in
            Hexadecimal.number(line.address, radix).map { (radix, $0) }
        }
    }

    /// Continues at a line's address.
    ///
    /// - Returns: The bytes of the lines that were omitted before it; nil if a line is missing.
    mutating func proceed(to address: ArraySlice<UInt8>) -> [UInt8]? {
        guard !isOver else { return nil }
        let width = UInt64(isRepeating ? lastLine.count : 1)
        let largest = isRepeating ? UInt64(Self.maximumRepeatedByteCount) - repeatedByteCount : 0
        var possible: [(radix: UInt64, next: UInt64)] = []
        var gap: UInt64 = 0
        for (radix, next) in addresses {
            guard let number = Hexadecimal.number(address, radix), number >= next, number - next <= largest,
                (number - next) % width == 0
            else { continue }
            // After omitted lines several radices may fit; the first is the usual one.
            if isRepeating, !possible.isEmpty { break }
            gap = number - next
            possible.append((radix, number))
        }
        guard !possible.isEmpty else { return nil }
        addresses = possible
        isRepeating = false
        repeatedByteCount += gap
        return (0..<Int(gap / width)).flatMap { _ in lastLine }
    }

    mutating func add(_ line: ArraySlice<UInt8>) {
        lastLine = Array(line)
        for index in addresses.indices { addresses[index].next &+= UInt64(line.count) }
    }

    /// Reads a line without bytes: an empty one, the address after the last byte, or `*`.
    ///
    /// - Returns: The bytes of the lines that were omitted before it.
    mutating func readOther(_ line: ArraySlice<UInt8>) throws(DumpFlaw) -> [UInt8] {
        let words = line.split(whereSeparator: Hexadecimal.isWhiteSpace)
        guard let first = words.first else { return [] }
        guard words.count == 1 else { throw DumpFlaw(reason: .invalidHex) }
        if first.elementsEqual("*".utf8) {
            guard lastLine.count >= Self.leastRepeatedByteCount, !isOver, !isRepeating else {
                throw DumpFlaw(reason: .missingDumpLine)
            }
            isRepeating = true
            return []
        }
        guard Hexadecimal.number(first, 16) != nil, !isOver else { throw DumpFlaw(reason: .invalidHex) }
        let repeated = proceed(to: first)
        isOver = true
        guard let repeated else { throw DumpFlaw(reason: .missingDumpLine) }
        return repeated
    }
}

struct DumpFlaw: Error {
    let reason: CodecError.Reason
}

/// A line as `hexdump -C`, `xxd`, `tcpdump -X` and `od -t x1` print it: an address, the bytes, and perhaps text.
///
///     00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|
///     00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi
///         0x0000:  6865 6c6c 6f20 776f 726c 642c 2074 6869  hello.world,.thi
///     0000000 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 74 68 69  >hello world, thi<
struct DumpLine {
    enum Style {
        /// Two or more spaces, or a colon, follow the address.
        case table
        /// Single bytes up to `>` or the end of the line, as `od -t x1` prints them.
        case octal
    }

    let style: Style
    let address: ArraySlice<UInt8>
    let digits: Range<Int>
    /// Whether a dump may begin with this line: one without a colon must contain a bar or be a line of `od`.
    let mayBeFirst: Bool

    /// The radices that the address may have, the usual one first.
    var radices: [UInt64] { style == .octal && address.count == Self.octalDigitCount ? [8, 10, 16] : [16] }

    private static let addressDigitCounts = 4...16
    /// The number of digits that `od` gives to octal and decimal addresses. It is odd; bytes have an even number of
    /// digits.
    private static let octalDigitCount = 7
    /// The number of digits that `od -A x` gives to addresses.
    private static let hexadecimalDigitCount = 6

    /// Nil if the line does not have this form.
    ///
    /// - Parameter style: The style of the dump that the line belongs to; nil for a first line.
    init?(_ line: ArraySlice<UInt8>, style: Style? = nil) {
        let word = Self.withoutPrefix(line.drop(while: Hexadecimal.isWhiteSpace))
        let text = word.prefix { Hexadecimal.value($0) != nil }
        guard Self.addressDigitCounts.contains(text.count) else { return nil }
        var rest = word.dropFirst(text.count)
        let hasColon = rest.first == UInt8(ascii: ":")
        if hasColon { rest.removeFirst() }
        let bytes = rest.drop(while: Hexadecimal.isWhiteSpace)
        let spaceCount = bytes.startIndex - rest.startIndex
        guard !bytes.isEmpty else { return nil }
        address = text
        let isOctal =
            !hasColon && spaceCount > 0 && text.count == Self.octalDigitCount && Self.areSingleBytes(bytes)
        if style == .octal || style == nil && isOctal {
            guard !hasColon, spaceCount > 0 else { return nil }
            self.style = .octal
            mayBeFirst = isOctal
            digits = bytes.startIndex..<Self.octalEnd(bytes)
        } else {
            guard spaceCount >= (hasColon ? 1 : 2) else { return nil }
            self.style = .table
            mayBeFirst = hasColon || bytes.contains(UInt8(ascii: "|"))
            digits = bytes.startIndex..<Self.end(ofDigits: bytes)
        }
    }

    /// Makes the first line of `od -A x`, which looks like plain digits; nil unless the next line confirms it.
    init?(_ line: ArraySlice<UInt8>, confirmedBy next: ArraySlice<UInt8>) {
        guard let first = DumpLine(line, style: .octal) else { return nil }
        let byteCount = line[first.digits].count { Hexadecimal.value($0) != nil } / 2
        let word = next.prefix { !Hexadecimal.isWhiteSpace($0) }
        let isAddress = word.count == Self.hexadecimalDigitCount
        guard word.elementsEqual("*".utf8) || isAddress && Hexadecimal.number(word, 16) == UInt64(byteCount)
        else { return nil }
        self = first
    }

    /// Whether a line may be the first one of `od -A x`: six zeros and single bytes.
    static func mayNeedConfirmation(_ line: ArraySlice<UInt8>) -> Bool {
        let rest = line.dropFirst(hexadecimalDigitCount)
        return line.prefix(hexadecimalDigitCount).elementsEqual("000000".utf8)
            && (rest.first.map(Hexadecimal.isWhiteSpace) ?? false) && areSingleBytes(rest)
    }

    /// The number of bytes of the next line that are enough to confirm a first one.
    static let confirmationByteCount = 16

    /// Whether a line that begins like this may become a line of a dump.
    static func mayBegin(_ line: ArraySlice<UInt8>) -> Bool {
        let word = withoutPrefix(line.drop(while: Hexadecimal.isWhiteSpace))
        let count = word.prefix { Hexadecimal.value($0) != nil }.count
        let rest = word.dropFirst(count).prefix(2)
        guard count <= addressDigitCounts.upperBound else { return false }
        guard let next = rest.first else { return !word.isEmpty }
        guard addressDigitCounts.contains(count) else { return false }
        let isOctal = count == octalDigitCount || count == hexadecimalDigitCount
        let isSpaced = isOctal || rest.dropFirst().allSatisfy(Hexadecimal.isWhiteSpace)
        return (next == UInt8(ascii: ":") || Hexadecimal.isWhiteSpace(next)) && isSpaced
    }

    /// Whether the digits are pairs, and not larger numbers in the computer's byte order.
    private static func areSingleBytes(_ bytes: ArraySlice<UInt8>) -> Bool {
        let words = bytes[..<octalEnd(bytes)].split(whereSeparator: Hexadecimal.isWhiteSpace)
        return !words.isEmpty && words.allSatisfy { $0.count == 2 && $0.allSatisfy { Hexadecimal.value($0) != nil } }
    }

    private static func octalEnd(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
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
            // Other text is not part of a dump; the caller refuses it.
            guard !spaces.isEmpty, !digits.isEmpty else { return spaces.endIndex + 1 }
            guard spaces.count == 1 || spaces.count == 2 && digitCount == 16 && isByte(rest) else {
                return digits.endIndex
            }
            index = rest.startIndex
        }
    }

    /// Whether two digits stand alone. If the bytes are shown in pairs, the text column may begin with two digits, too.
    private static func isByte(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.prefix { Hexadecimal.value($0) != nil }
        return digits.count == 2 && (text.dropFirst(2).first.map(Hexadecimal.isWhiteSpace) ?? true)
    }
}
