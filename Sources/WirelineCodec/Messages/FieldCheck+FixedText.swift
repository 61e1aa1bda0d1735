// SPDX-License-Identifier: Apache-2.0

extension FieldCheck {
    /// Refuses a text that does not fit its field, or that a reader of the field would shorten.
    ///
    /// - Throws: ``CodecError/Reason/tooLong(count:limit:)``, ``CodecError/Reason/embeddedTerminator`` for a NUL in a text
    ///   that NULs fill, ``CodecError/Reason/endsInPadding(_:)``.
    public static func text(_ text: String, byteCount: Int, padding: UInt8) throws(CodecError) {
        try count(text.utf8.count, limit: byteCount)
        guard !text.isChanged(byPadding: padding) else {
            try fail(padding == 0 ? .embeddedTerminator : .endsInPadding(padding))
        }
    }

    /// Refuses a text that is not exactly so many decimal digits.
    ///
    /// - Throws: ``CodecError/Reason/invalidDigit(_:)`` with the first byte that is none,
    ///   ``CodecError/Reason/wrongDigitCount(count:expected:)``.
    public static func digits(_ text: String, count: Int) throws(CodecError) {
        let zero = UInt8(ascii: "0")
        for byte in text.utf8 where byte < zero || byte > zero + 9 { try fail(.invalidDigit(byte)) }
        guard text.utf8.count == count else {
            try fail(.wrongDigitCount(count: text.utf8.count, expected: count))
        }
    }
}
