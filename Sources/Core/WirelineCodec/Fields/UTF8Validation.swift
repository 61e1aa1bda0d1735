// SPDX-License-Identifier: Apache-2.0

struct UTF8Flaw: Error {
    /// The offset in bytes from the first byte that was checked.
    var offset: Int
    var fault: CodecError.UTF8Fault
}

extension RawSpan {
    /// Checks that the bytes are UTF-8 (Unicode 16, table 3-7).
    ///
    /// - Returns: Whether all of them are ASCII.
    @inline(__always)
    func validateUTF8() throws(UTF8Flaw) -> Bool {
        guard !isASCII else { return true }
        try validateCharacters()
        return false
    }

    /// The number of leading bytes that form whole, valid characters.
    package var validUTF8ByteCount: Int {
        do throws(UTF8Flaw) {
            _ = try validateUTF8()
            return byteCount
        } catch {
            return error.offset
        }
    }

    /// Checks 64 bytes a step; the last step may overlap the one before.
    @inline(__always)
    fileprivate var isASCII: Bool {
        guard byteCount >= 8 else { return isShortASCII }
        var offset = 0
        while offset &+ 64 <= byteCount {
            let first = word(offset) | word(offset &+ 8) | word(offset &+ 16) | word(offset &+ 24)
            let second = word(offset &+ 32) | word(offset &+ 40) | word(offset &+ 48) | word(offset &+ 56)
            guard (first | second) & 0x8080_8080_8080_8080 == 0 else { return false }
            offset &+= 64
        }
        while offset &+ 8 <= byteCount {
            guard word(offset) & 0x8080_8080_8080_8080 == 0 else { return false }
            offset &+= 8
        }
        return word(byteCount &- 8) & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    private var isShortASCII: Bool {
        var bits: UInt8 = 0
        for offset in 0..<byteCount { bits |= byte(offset) }
        return bits < 0x80
    }

    /// The general path, for bytes that are not all ASCII.
    @inline(never)
    private func validateCharacters() throws(UTF8Flaw) {
        switch UTF8Automaton.state(behind: self) {
        case .betweenCharacters: return
        case .invalid: throw firstFlaw()
        default:
            // The last character is incomplete; its first byte is one of the last three.
            var offset = byteCount &- 1
            while byte(offset) & 0xC0 == 0x80 { offset &-= 1 }
            throw flaw(at: offset)
        }
    }

    /// Returns the fault of the first invalid character; there must be one.
    ///
    /// Skips ASCII eight bytes at a time, everything else a character at a time.
    private func firstFlaw() -> UTF8Flaw {
        var offset = 0
        do throws(UTF8Flaw) {
            while true {
                if offset &+ 8 <= byteCount, word(offset) & 0x8080_8080_8080_8080 == 0 {
                    offset &+= 8
                } else {
                    precondition(offset < byteCount, "two ways of reading UTF-8 disagree")
                    offset &+= try characterByteCount(at: offset)
                }
            }
        } catch {
            return error
        }
    }

    @inline(__always)
    private func characterByteCount(at offset: Int) throws(UTF8Flaw) -> Int {
        let first = byte(offset)
        guard first >= 0x80 else { return 1 }
        guard first >= 0xC2, first <= 0xF4 else { throw flaw(at: offset) }
        let byteCount = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard offset &+ byteCount <= self.byteCount else { throw flaw(at: offset) }
        // The second byte alone rules out overlong forms, surrogates and numbers above U+10FFFF.
        let lowest: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
        let second = byte(offset &+ 1)
        var isValid = second >= lowest && second <= highest
        if byteCount > 2 { isValid = isValid && byte(offset &+ 2) & 0xC0 == 0x80 }
        if byteCount > 3 { isValid = isValid && byte(offset &+ 3) & 0xC0 == 0x80 }
        guard isValid else { throw flaw(at: offset) }
        return byteCount
    }

    /// Returns the fault of the character at `offset`, which must be invalid.
    @inline(never)
    private func flaw(at offset: Int) -> UTF8Flaw {
        let first = byte(offset)
        switch first {
        case 0xC0, 0xC1: return UTF8Flaw(offset: offset, fault: .overlong)
        case 0xC2...0xF4: break
        default:
            return UTF8Flaw(offset: offset, fault: first >= 0xF5 && first <= 0xF7 ? .aboveUnicode : .unexpectedByte)
        }
        guard offset + 1 < byteCount else { return UTF8Flaw(offset: offset, fault: .truncated) }
        switch (first, byte(offset + 1)) {
        case (0xE0, 0x80..<0xA0), (0xF0, 0x80..<0x90): return UTF8Flaw(offset: offset, fault: .overlong)
        case (0xED, 0xA0...0xBF): return UTF8Flaw(offset: offset, fault: .surrogate)
        case (0xF4, 0x90...0xBF): return UTF8Flaw(offset: offset, fault: .aboveUnicode)
        default: return UTF8Flaw(offset: offset, fault: .truncated)
        }
    }
}

extension String {
    /// Makes a string of bytes, which are validated; `start` is added to the offset of an error.
    @inline(__always)
    init(validating bytes: RawSpan, at start: Int) throws(CodecError) {
        let isASCII: Bool
        do throws(UTF8Flaw) {
            isASCII = try bytes.validateUTF8()
        } catch {
            throw CodecError(.invalidUTF8(error.fault), offset: start + error.offset)
        }
        // SAFETY: they have been validated.
        unsafe self.init(validated: bytes, isASCII: isASCII)
    }

    /// Nil if the bytes are not UTF-8.
    package init?(validating bytes: RawSpan) {
        do throws(UTF8Flaw) {
            let isASCII = try bytes.validateUTF8()
            // SAFETY: they have been validated.
            unsafe self.init(validated: bytes, isASCII: isASCII)
        } catch {
            return nil
        }
    }

    /// The caller guarantees that the bytes are UTF-8.
    @unsafe
    package init(validated bytes: RawSpan) {
        // SAFETY: by this initializer's contract.
        unsafe self.init(validated: bytes, isASCII: bytes.isASCII)
    }

    @inline(__always)
    @unsafe
    private init(validated bytes: RawSpan, isASCII: Bool) {
        // The fastest of the initializers that trust their bytes, measured with 12 to 1,024 bytes.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // SAFETY: the bytes are UTF-8, by this initializer's contract.
            self = unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.withMemoryRebound(to: UInt8.self) { text in
                    unsafe String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isASCII))
                }
            }
        } else {
            // This repairs nothing either: the bytes are valid.
            self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }
}
