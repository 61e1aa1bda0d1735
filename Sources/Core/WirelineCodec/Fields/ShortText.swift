// SPDX-License-Identifier: Apache-2.0

#if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
    import Synchronization
#endif

/// Makes and reads strings of at most 15 bytes by their bits: the standard library stores them in the string value.
///
///     byte 0 … 14              byte 15
///     +------------------------+------------------------------------------------+
///     | the text, then zeros   | 0xE0 (ASCII) or 0xA0 (other) + number of bytes |
///     +------------------------+------------------------------------------------+
///
/// Most texts in games are that short: names, words, keys. The standard library copies them byte by byte when it makes
/// a string, and copies them to the stack when it lends the bytes. For 12 bytes this takes 150 and 40 instructions
/// (benchmark `cs_dec_12`), here 20.
///
/// Swift's ABI fixes the form (`StringObject.swift`, "small strings"). This type nevertheless does not rely on it
/// before ``compareOnce()`` has compared it with strings of the standard library.
/// ``compareOnce()`` has compared it with strings of the standard library.
enum ShortText {
    // Other processors and Embedded Swift store strings in other ways.
    #if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
        private static let mostByteCount = 15
        /// The bit that only short strings have, in the upper half of the string value.
        private static let shortBit: UInt64 = 1 << 61
        /// The bits of the text in the upper half.
        private static let textBits: UInt64 = 0x00FF_FFFF_FFFF_FFFF

        private enum Form {
            static let unknown: UInt8 = 0
            static let standard: UInt8 = 1
            static let other: UInt8 = 2
        }

        /// The result of the comparison. It is no lazy global, because each use of one asks the system whether it is
        /// ready.
        private static let form = Atomic<UInt8>(0)

        /// Compares the form with that of the standard library, at every length, unless a call has done that before.
        ///
        /// The other methods return nil until then.
        @inline(__always)
        static func compareOnce() {
            if form.load(ordering: .relaxed) == Form.unknown { compare() }
        }

        @inline(never)
        private static func compare() {
            form.store(isStandard ? Form.standard : Form.other, ordering: .relaxed)
        }

        private static var isStandard: Bool {
            guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
            let areShortOnesStandard = (0...mostByteCount).allSatisfy { count in
                let bytes = [UInt8](UInt8(ascii: "a")..<UInt8(ascii: "a") + UInt8(count))
                // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
                let (low, high) = unsafe words(of: bytes.span.bytes, at: 0, byteCount: count)
                return halves(of: String(decoding: bytes, as: UTF8.self)) == value(low, high, byteCount: count)
            }
            let long = [
                String(repeating: "a", count: mostByteCount + 1), "a literal of 15 bytes and more", "15 bytes, then é",
            ]
            return areShortOnesStandard && halves(of: "é") == (0xA9C3, 0xA2 << 56)
                && long.allSatisfy { halves(of: $0).high & shortBit == 0 }
        }

        // MARK: Making

        /// Returns a string of ASCII; nil if there are more than 15 bytes, or if a byte is not ASCII.
        ///
        /// - Parameters:
        ///   - bytes: The bytes that contain the text.
        ///   - offset: The offset of the text; the caller has checked that all its bytes are there.
        ///   - byteCount: The number of its bytes, not negative.
        @inline(__always)
        static func string(ofASCII bytes: RawSpan, at offset: Int, byteCount: Int) -> String? {
            guard byteCount <= mostByteCount, form.load(ordering: .relaxed) == Form.standard else { return nil }
            let (low, high) = words(of: bytes, at: offset, byteCount: byteCount)
            guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
            var halves = value(low, high, byteCount: byteCount)
            // A move out of memory: a cast would retain the string. The compiler need not guard the memory.
            // SAFETY: a string has 16 bytes, and `compareOnce` has compared those of such strings with these. They own
            // nothing.
            return unsafe _withUnprotectedUnsafeMutablePointer(to: &halves) { halves in
                unsafe halves.withMemoryRebound(to: String.self, capacity: 1) { unsafe $0.move() }
            }
        }

        @inline(__always)
        private static func value(_ low: UInt64, _ high: UInt64, byteCount: Int) -> (low: UInt64, high: UInt64) {
            (low, high | UInt64(truncatingIfNeeded: 0xE0 | byteCount) &<< 56)
        }

        /// The bytes as two numbers, the first byte lowest. The loads overlap, but read no byte outside.
        @inline(__always)
        private static func words(of bytes: RawSpan, at offset: Int, byteCount: Int) -> (low: UInt64, high: UInt64) {
            if byteCount >= 8 {
                let low: UInt64 = load(bytes, at: offset)
                let last: UInt64 = load(bytes, at: offset &+ byteCount &- 8)
                // Drops the bytes that are in `low`. Two shifts, because one by 64 bits would do nothing.
                return (low, (last &>> 8) &>> UInt64(truncatingIfNeeded: 8 &* (mostByteCount &- byteCount)))
            }
            if byteCount >= 4 {
                let first: UInt32 = load(bytes, at: offset)
                let last: UInt32 = load(bytes, at: offset &+ byteCount &- 4)
                return (UInt64(first) | UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (byteCount &- 4)), 0)
            }
            guard byteCount > 0 else { return (0, 0) }
            // The first byte, the middle one and the last one; a text of one or two bytes repeats some of them.
            let (middle, last) = (byteCount &>> 1, byteCount &- 1)
            let bytes: (UInt8, UInt8, UInt8) = (
                load(bytes, at: offset), load(bytes, at: offset &+ middle), load(bytes, at: offset &+ last)
            )
            let low =
                UInt64(bytes.0) | UInt64(bytes.1) &<< UInt64(truncatingIfNeeded: 8 &* middle)
                | UInt64(bytes.2) &<< UInt64(truncatingIfNeeded: 8 &* last)
            return (low, 0)
        }

        @inline(__always)
        private static func load<Integer: FixedWidthInteger & BitwiseCopyable>(
            _ bytes: RawSpan, at offset: Int
        ) -> Integer {
            // SAFETY: the callers compare the offset and the width with the number of bytes; any bits are an integer.
            unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Integer.self)
        }

        // MARK: Reading

        /// The UTF-8 of a text as two numbers, the first byte lowest, with zeros after it.
        struct Bytes {
            let low: UInt64
            let high: UInt64
            /// 0 to 15.
            let byteCount: Int
        }

        /// Nil for a string that is not stored in the string value itself.
        @inline(__always)
        static func bytes(of text: String) -> Bytes? {
            guard form.load(ordering: .relaxed) == Form.standard else { return nil }
            let (low, high) = halves(of: text)
            guard high & shortBit != 0 else { return nil }
            return Bytes(low: low, high: high & textBits, byteCount: Int(truncatingIfNeeded: high &>> 56) & 0xF)
        }

        @inline(__always)
        private static func halves(of text: String) -> (low: UInt64, high: UInt64) {
            // SAFETY: `isStandard` has compared the sizes, and any bits are two integers.
            unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
        }
    #else
        @inline(__always)
        static func compareOnce() {}

        @inline(__always)
        static func string(ofASCII bytes: RawSpan, at offset: Int, byteCount: Int) -> String? { nil }
    #endif
}
