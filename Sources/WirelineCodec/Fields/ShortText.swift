// SPDX-License-Identifier: Apache-2.0

/// Makes strings of at most 15 ASCII characters, which the standard library stores in the string value itself.
///
///     byte 0 … 14              byte 15
///     +------------------------+--------------------------+
///     | the text, then zeros   | 0xE0 + number of bytes   |
///     +------------------------+--------------------------+
///
/// Most texts in games are that short: names, words, keys. The standard library's initializers copy them byte by byte:
/// 150 instructions for 12 bytes, more than for all other work on such a field (benchmark `cs_dec_12`). Here it is 30.
///
/// Swift's ABI fixes the form (`StringObject.swift`, "small strings"). It is nevertheless not relied on before
/// ``isStandard`` has compared it with strings of the standard library.
enum ShortText {
    /// The most bytes of such a string.
    private static let mostByteCount = 15

    /// Returns a string of ASCII; nil if there are more than 15 bytes, or if a byte is not ASCII.
    @inline(__always)
    static func string(ofASCII bytes: RawSpan) -> String? {
        // Other processors and Embedded Swift store strings in other ways.
        #if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
            guard bytes.byteCount <= mostByteCount, isStandard else { return nil }
            let (low, high) = words(of: bytes)
            guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
            // SAFETY: a string has 16 bytes, and `isStandard` has compared those of such strings with these.
            return unsafe unsafeBitCast(value(low, high, byteCount: bytes.byteCount), to: String.self)
        #else
            return nil
        #endif
    }

    #if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
        /// Whether the standard library stores short strings in this form: compared once, at every length.
        private static let isStandard: Bool = {
            guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
            return (0...mostByteCount).allSatisfy { count in
                let bytes = [UInt8](UInt8(ascii: "a")..<UInt8(ascii: "a") + UInt8(count))
                // SAFETY: the sizes are equal, and any bits are two integers.
                let standard = unsafe unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
                // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
                let (low, high) = unsafe words(of: bytes.span.bytes)
                return standard == value(low, high, byteCount: count)
            }
        }()

        /// The two halves of the string value.
        @inline(__always)
        private static func value(_ low: UInt64, _ high: UInt64, byteCount: Int) -> (UInt64, UInt64) {
            (low, high | UInt64(truncatingIfNeeded: 0xE0 | byteCount) &<< 56)
        }

        /// The bytes as two numbers, the first byte lowest. Loads overlap, but read no byte outside.
        @inline(__always)
        private static func words(of bytes: RawSpan) -> (low: UInt64, high: UInt64) {
            let count = bytes.byteCount
            if count >= 8 {
                let low: UInt64 = load(bytes, at: 0)
                let last: UInt64 = load(bytes, at: count &- 8)
                // Drops the bytes that are in `low`. Two shifts, because one by 64 bits would do nothing.
                return (low, (last &>> 8) &>> UInt64(truncatingIfNeeded: 8 &* (mostByteCount &- count)))
            }
            if count >= 4 {
                let first: UInt32 = load(bytes, at: 0)
                let last: UInt32 = load(bytes, at: count &- 4)
                return (UInt64(first) | UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4)), 0)
            }
            var low: UInt64 = 0
            for offset in 0..<count {
                let byte: UInt8 = load(bytes, at: offset)
                low |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 8 &* offset)
            }
            return (low, 0)
        }

        @inline(__always)
        private static func load<Integer: FixedWidthInteger & BitwiseCopyable>(
            _ bytes: RawSpan, at offset: Int
        ) -> Integer {
            // SAFETY: the callers compare the offset and the width with the number of bytes; any bits are an integer.
            unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Integer.self)
        }
    #endif
}
