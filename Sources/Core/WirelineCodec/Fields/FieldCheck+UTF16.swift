// SPDX-License-Identifier: Apache-2.0

extension FieldCheck {
    /// Refuses a text that does not fit its field of UTF-16, or that a reader of the field would shorten.
    ///
    /// - Throws: ``CodecError/Reason/tooLong(count:limit:)`` with numbers of units,
    ///   ``CodecError/Reason/embeddedTerminator`` for a NUL in a text that NULs fill,
    ///   ``CodecError/Reason/endsInPadding(_:)``.
    public static func utf16(_ text: String, byteCount: Int, padding: UInt8) throws(CodecError) {
        try count(text.utf16UnitCount, limit: byteCount / 2)
        guard !text.isChanged(byUTF16Padding: padding) else {
            try fail(padding == 0 ? .embeddedTerminator : .endsInPadding(padding))
        }
    }
}
