// SPDX-License-Identifier: Apache-2.0

extension FieldCheck {
    /// Refuses a text that does not fit its field, or that a reader of the field would shorten.
    ///
    /// - Throws: ``CodecError/Reason/tooLong(count:limit:)``, ``CodecError/Reason/embeddedTerminator`` for a NUL in a
    ///   text that NULs fill, ``CodecError/Reason/endsInPadding(_:)``.
    public static func text(_ text: String, byteCount: Int, padding: UInt8) throws(CodecError) {
        if let fault = text.fixedTextFault(byteCount: byteCount, padding: padding) { try fail(fault) }
    }

    /// Refuses a string, bytes or a list with another number of bytes than its field has.
    ///
    /// - Throws: ``CodecError/Reason/wrongByteCount(count:expected:)``.
    @inlinable @inline(__always)
    public static func byteCount(_ count: Int, is expected: Int) throws(CodecError) {
        guard count == expected else { try fail(.wrongByteCount(count: count, expected: expected)) }
    }
}
