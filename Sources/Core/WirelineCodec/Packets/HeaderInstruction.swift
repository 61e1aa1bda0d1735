// SPDX-License-Identifier: Apache-2.0

/// One step of ``HeaderProgram``; most steps read a number of the header or trailer.
struct HeaderInstruction: Sendable {
    enum Use: UInt8, Sendable {
        /// It must be ``HeaderInstruction/number``, or at most ``HeaderInstruction/span`` more.
        case check
        /// Its ``HeaderInstruction/number`` bits belong to the message's ID.
        case messageID
        /// It is a byte count plus ``HeaderInstruction/number``.
        case length, lengthOfRest, lengthOfPayload
        /// If it is ``HeaderInstruction/number``, or at most ``HeaderInstruction/span`` more, the step sets
        /// ``HeaderInstruction/flag``.
        case testRange
        /// If it shares a bit with ``HeaderInstruction/number``, the step sets ``HeaderInstruction/flag``.
        case testBits
        /// There is no number: if the flags are those of ``HeaderInstruction/term``, the step sets
        /// ``HeaderInstruction/flag``.
        case raise
        /// There is no number: if the flags are those of ``HeaderInstruction/term``, there are
        /// ``HeaderInstruction/byteCount`` bytes.
        case skip
        /// There is no number: if the flags are not those of ``HeaderInstruction/term``, the next
        /// ``HeaderInstruction/stepCount`` steps are skipped.
        case enter
        /// There is no number: ``HeaderInstruction/byteCount`` bytes must be decimal digits, or ASCII.
        case digits, ascii
    }

    enum Source: UInt8, Sendable {
        case bytes
        case varint
        /// It is the number of the step before this one.
        case before
    }

    var use: Use
    let source: Source
    private let isBigEndian: Bool
    /// Whether a varint may have a longer form than its shortest.
    private let isAnyForm: Bool
    /// The number of bits by which 8 loaded bytes are shifted.
    private let shift: UInt8
    /// The position of the flag that the step sets.
    var flag: UInt8 = 0
    /// The offset of the step's bytes from the end of the varint or condition before it, or from the first byte.
    private let narrowOffset: UInt16
    private let narrowByteCount: UInt16
    /// The bits to keep after the shift; the largest number for a varint.
    private let mask: UInt64
    var number: UInt64
    var span: UInt64 = 0

    /// - Parameters:
    ///   - byteCount: The bytes of the number, and of the fields that share bytes with it.
    ///   - bitsBehind: The number of bits after the number in these bytes.
    init(
        _ use: Use, offset: Int, byteCount: Int, _ byteOrder: ByteOrder, bitWidth: Int, bitsBehind: Int = 0,
        number: UInt64 = 0
    ) {
        self.use = use
        self.number = number
        narrowOffset = UInt16(offset)
        narrowByteCount = UInt16(byteCount)
        source = .bytes
        isAnyForm = false
        isBigEndian = byteOrder == .bigEndian
        shift = UInt8(bitsBehind + (isBigEndian ? 64 - 8 * byteCount : 0))
        mask = UInt64.max >> UInt64(64 - bitWidth)
    }

    /// Makes a step of a field that is no varint.
    ///
    /// - Parameters:
    ///   - place: The place of a field that shares bytes.
    ///   - offset: The offset of the field, or of all that share its bytes.
    init(_ use: Use, _ field: PacketField, _ place: PackedPlace?, offset: Int, number: UInt64) {
        self.init(
            use, offset: offset, byteCount: place?.runByteCount ?? field.format.byteCount ?? 0,
            place?.byteOrder ?? field.format.byteOrder, bitWidth: field.format == .boolean ? 8 : field.format.bitWidth,
            bitsBehind: place?.shift ?? 0, number: number)
    }

    init(_ use: Use, offset: Int, _ varint: VarintFormat, number: UInt64 = 0) {
        self.use = use
        self.number = number
        narrowOffset = UInt16(offset)
        narrowByteCount = UInt16(varint.maximumByteCount)
        source = .varint
        isAnyForm = varint.forms == .any
        isBigEndian = false
        shift = 0
        mask = UInt64.max >> UInt64(64 - varint.encoding.bitWidth)
    }

    /// Makes a step without a number, or with that of the step before it.
    ///
    /// - Parameter mask: The bits of that number.
    init(_ use: Use, offset: Int, byteCount: Int, mask: UInt64 = 0) {
        self.use = use
        self.mask = mask
        number = 0
        narrowOffset = UInt16(offset)
        narrowByteCount = UInt16(byteCount)
        source = .before
        isAnyForm = false
        isBigEndian = false
        shift = 0
    }

    @inline(__always)
    var offset: Int { Int(narrowOffset) }

    /// The bytes that the step reads or checks: 1 to 8 that are loaded, or the most that a varint may have.
    @inline(__always)
    var byteCount: Int { Int(narrowByteCount) }

    /// The number of steps that ``Use/enter`` skips.
    @inline(__always)
    var stepCount: Int { Int(narrowByteCount) }

    /// The number of bytes that a length counts in addition.
    @inline(__always)
    var constant: Int { Int(truncatingIfNeeded: number) }

    @inline(__always)
    var term: FlagMask {
        get { FlagMask(mask: UInt32(truncatingIfNeeded: number), expected: UInt32(truncatingIfNeeded: span)) }
        set { (number, span) = (UInt64(newValue.mask), UInt64(newValue.expected)) }
    }

    /// Returns the flag that a test of a number sets; no flag if it does not hold.
    @inline(__always)
    func flag(testing value: UInt64) -> UInt32 {
        let holds = use == .testBits ? value & number != 0 : (value &- number) & mask <= span
        return (holds ? 1 : 0) &<< UInt32(flag)
    }

    /// The caller checks that the bytes are there.
    func number(in bytes: RawSpan, at position: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in (0..<byteCount).reversed() {
            word = word << 8 | UInt64(bytes[position + index])
        }
        return number(in: word)
    }

    /// Returns the number at the start of 8 bytes, whose first byte is the least significant.
    @inline(__always)
    func number(in word: UInt64) -> UInt64 {
        ((isBigEndian ? word.byteSwapped : word) &>> UInt64(shift)) & mask
    }

    /// Returns the varint at the start of 8 bytes; nil if it is longer, too large, or not in an allowed form.
    @inline(__always)
    func varint(_ word: UInt64) -> (value: UInt64, byteCount: Int)? {
        // Branches, because the processor predicts them; it would wait for a byte count that it has to compute.
        guard word & 0x80 != 0 else { return (word & 0x7F, 1) }
        guard word & 0x8000 != 0 else {
            let bits = word & 0x7F | (word &>> 1) & 0x3F80
            return byteCount >= 2 && (bits >= 0x80 || isAnyForm) ? (bits, 2) : nil
        }
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return nil }
        let bitCount = UInt64(truncatingIfNeeded: ends.trailingZeroBitCount &+ 1)
        let length = Int(truncatingIfNeeded: bitCount &>> 3)
        // Removes the highest bit of each byte: of two bytes, of four, of eight.
        var bits = word & (UInt64.max &>> (64 &- bitCount)) & 0x7F7F_7F7F_7F7F_7F7F
        let isShortest = bits &>> (bitCount &- 8) != 0
        bits = (bits & 0x7F00_7F00_7F00_7F00) &>> 1 | bits & 0x007F_007F_007F_007F
        bits = (bits & 0x3FFF_0000_3FFF_0000) &>> 2 | bits & 0x0000_3FFF_0000_3FFF
        bits = (bits & 0x0FFF_FFFF_0000_0000) &>> 4 | bits & 0x0000_0000_0FFF_FFFF
        guard length <= byteCount, isShortest || isAnyForm, bits <= mask else { return nil }
        return (bits, length)
    }
}

extension PacketField.Format {
    fileprivate var byteOrder: ByteOrder {
        if case .integer(_, let byteOrder) = self { byteOrder } else { .bigEndian }
    }

    /// The bits of a number of this format that are loaded; those of a `bool` are a byte.
    var loadedBits: UInt64 {
        self == .boolean ? 0xFF : bitWidth == 0 ? 0 : UInt64.max >> UInt64(64 - bitWidth)
    }

    func bits(of number: Int128) -> UInt64 {
        UInt64(truncatingIfNeeded: number) & loadedBits
    }
}

extension RawSpan {
    /// Returns eight bytes, the first one least significant; the caller knows that they are there.
    @inline(__always)
    @unsafe
    func word(at offset: Int) -> UInt64 {
        // SAFETY: any bits are an integer.
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Returns eight bytes as ``word(at:)``, with zeros for bytes that are not there.
    @inline(__always)
    func wordOrZeros(at offset: Int) -> UInt64 {
        let missing = offset &+ 8 &- byteCount
        // SAFETY: offsets are not negative, and the span has the bytes that are loaded.
        if missing <= 0 { return unsafe word(at: offset) }
        guard missing < 8, byteCount >= 8 else { return shortWord(at: offset) }
        return unsafe word(at: byteCount &- 8) &>> UInt64(truncatingIfNeeded: 8 &* missing)
    }

    /// Returns whether all bytes are two decimal digits each, or ASCII; missing bytes count as such.
    @inline(never)
    func areText(_ range: Range<Int>, isDigits: Bool) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let unused = UInt64(max(0, 8 - (range.upperBound - offset)))
            let word = wordOrZeros(at: offset) & (UInt64.max >> (8 * unused))
            guard isDigits else {
                guard word & 0x8080_8080_8080_8080 == 0 else { return false }
                offset += 8
                continue
            }
            // A half of a byte over 9 gets its fifth bit by adding 6.
            let halves: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
            let sums = ((word & halves) + 0x0606_0606_0606_0606) | ((word >> 4 & halves) + 0x0606_0606_0606_0606)
            guard sums & ~halves == 0 else { return false }
            offset += 8
        }
        return true
    }

    @inline(never)
    private func shortWord(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<max(offset, byteCount) {
            word |= UInt64(self[index]) << UInt64(8 * (index - offset))
        }
        return word
    }
}
