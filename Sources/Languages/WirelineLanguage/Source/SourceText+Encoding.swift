// SPDX-License-Identifier: Apache-2.0

extension SourceText {
    enum EncodingFault: Equatable {
        /// A byte order mark or NULs in every other byte.
        case utf16(isBigEndian: Bool)
        case utf32
        /// The first byte that is not UTF-8, and whether the whole file could be GBK.
        case notUTF8(offset: Int, mayBeGBK: Bool)
    }

    /// Returns the first fault of the file's encoding; the lexer reports a lone NUL in its place.
    func encodingFault() -> EncodingFault? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return .utf32 }
        if bytes.starts(with: [0xFF, 0xFE]) { return .utf16(isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return .utf16(isBigEndian: true) }
        if let isBigEndian = utf16WithoutMark() { return .utf16(isBigEndian: isBigEndian) }
        var offset = 0
        while offset < bytes.count {
            guard let (_, byteCount) = scalar(at: offset) else {
                return .notUTF8(offset: offset, mayBeGBK: mayBeGBK)
            }
            offset += byteCount
        }
        return nil
    }

    /// Whether a file in UTF-16 without a byte order mark is big-endian; nil if it is not UTF-16.
    ///
    /// ASCII in UTF-16 has a NUL in every other byte; four such pairs at the start are no accident.
    private func utf16WithoutMark() -> Bool? {
        guard bytes.count >= 8 else { return nil }
        let start = bytes[..<8]
        let even = start.indices.filter { $0 % 2 == 0 }
        let odd = start.indices.filter { $0 % 2 == 1 }
        if even.allSatisfy({ start[$0] == 0 }), odd.allSatisfy({ start[$0] != 0 }) { return true }
        if odd.allSatisfy({ start[$0] == 0 }), even.allSatisfy({ start[$0] != 0 }) { return false }
        return nil
    }

    /// Whether every byte beyond ASCII belongs to a pair that GBK allows.
    private var mayBeGBK: Bool {
        var offset = 0
        while offset < bytes.count {
            guard bytes[offset] >= 0x80 else {
                offset += 1
                continue
            }
            guard (0x81...0xFE).contains(bytes[offset]), offset + 1 < bytes.count else { return false }
            let second = bytes[offset + 1]
            guard (0x40...0xFE).contains(second), second != 0x7F else { return false }
            offset += 2
        }
        return true
    }
}
