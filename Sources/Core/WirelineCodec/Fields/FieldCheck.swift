// SPDX-License-Identifier: Apache-2.0

/// Checks of values, called by generated code before it writes them and after it has read them.
///
/// Each check is one comparison if the value is valid. The error is made and thrown in a separate function.
public enum FieldCheck {
    /// Refuses a string, bytes or list that is longer than its prefix can say or `@max` allows.
    ///
    /// - Parameters:
    ///   - count: The number of bytes or items.
    ///   - limit: The largest number allowed.
    ///   - offset: The offset of the count, if it was read.
    /// - Returns: `count`.
    /// - Throws: ``CodecError/Reason/tooLong(count:limit:)``.
    @inlinable @inline(__always)
    @discardableResult
    public static func count(_ count: Int, limit: Int, at offset: Int? = nil) throws(CodecError) -> Int {
        guard count <= limit else { try failCount(count, limit, offset) }
        return count
    }

    @usableFromInline @inline(never)
    static func failCount(_ count: Int, _ limit: Int, _ offset: Int?) throws(CodecError) -> Never {
        throw CodecError(.tooLong(count: count, limit: limit), offset: offset)
    }

    /// Returns the size or count that an earlier field gives.
    ///
    /// - Parameters:
    ///   - number: The field's number.
    ///   - addend: The number that is added to it.
    ///   - offset: The offset of the counted value.
    /// - Throws: ``CodecError/Reason/negativeSize(_:)`` for a size below 0.
    @inlinable @inline(__always)
    public static func size<T: FixedWidthInteger>(
        _ number: T, adding addend: Int, at offset: Int
    ) throws(CodecError) -> Int {
        let size = Int(clamping: number).addingReportingOverflow(addend)
        let sum = size.overflow ? Int.max : size.partialValue
        guard sum >= 0 else { try fail(.negativeSize(sum), at: offset) }
        return sum
    }

    /// Refuses a size that is too small for the field that holds it.
    ///
    /// - Throws: ``CodecError/Reason/lengthTooSmall(length:minimum:)``.
    @inlinable @inline(__always)
    public static func size(_ size: Int, least minimum: Int) throws(CodecError) {
        guard size >= minimum else {
            try fail(.lengthTooSmall(length: Int128(size), minimum: Int128(minimum)))
        }
    }

    /// Refuses a number of items or bytes that asks for another number than an earlier one with the same count.
    ///
    /// - Parameters:
    ///   - count: The number of items or bytes.
    ///   - addend: What a reader adds to the field's number.
    ///   - number: The number that the field must have; nil if nothing has asked for one yet.
    /// - Throws: ``CodecError/Reason/wrongItemCount(count:expected:)``.
    @inlinable
    public static func agreement(
        of count: Int, adding addend: Int, with number: inout Int?
    ) throws(CodecError) {
        if let number, number + addend != count { try fail(.wrongItemCount(count: count, expected: number + addend)) }
        number = count - addend
    }

    /// Refuses a list of fixed length with another number of items.
    ///
    /// - Throws: ``CodecError/Reason/wrongItemCount(count:expected:)``.
    @inlinable @inline(__always)
    public static func itemCount(_ count: Int, is expected: Int) throws(CodecError) {
        guard count == expected else { try fail(.wrongItemCount(count: count, expected: expected)) }
    }

    /// Refuses an integer outside `@range`, or outside a width for which Swift has no type.
    ///
    /// - Parameters:
    ///   - value: The integer.
    ///   - minimum: The smallest value allowed.
    ///   - maximum: The largest value allowed.
    ///   - offset: The offset of the integer, if it was read.
    /// - Throws: ``CodecError/Reason/outOfRange(value:minimum:maximum:)``.
    @inlinable @inline(__always)
    public static func range<T: FixedWidthInteger>(
        _ value: T, _ minimum: T, _ maximum: T, at offset: Int? = nil
    ) throws(CodecError) {
        guard value >= minimum, value <= maximum else {
            let reason = CodecError.Reason.outOfRange(
                value: Int128(value), minimum: Int128(minimum), maximum: Int128(maximum))
            try fail(reason, at: offset)
        }
    }

    /// Refuses an integer that is not the constant of its field.
    ///
    /// - Parameters:
    ///   - value: The integer that was read.
    ///   - expected: The constant.
    ///   - offset: The offset of the integer.
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)``.
    @inlinable @inline(__always)
    public static func constant<T: FixedWidthInteger>(_ value: T, _ expected: T, at offset: Int) throws(CodecError) {
        guard value == expected else {
            try fail(.wrongConstant(value: Int128(value), expected: Int128(expected)), at: offset)
        }
    }

    /// Refuses a float outside `@range`; NaN is outside every range.
    ///
    /// - Throws: ``CodecError/Reason/floatOutOfRange(value:minimum:maximum:)``.
    @inlinable @inline(__always)
    public static func range(
        _ value: Double, _ minimum: Double, _ maximum: Double, at offset: Int? = nil
    ) throws(CodecError) {
        guard value >= minimum, value <= maximum else {
            try fail(.floatOutOfRange(value: value, minimum: minimum, maximum: maximum), at: offset)
        }
    }

    /// Refuses a number from ±65520 on, whose nearest `float16` is infinite; infinities themselves are allowed.
    ///
    /// - Returns: The nearest `float16`.
    /// - Throws: ``CodecError/Reason/numberTooLarge(_:)``.
    @inlinable @inline(__always)
    @discardableResult
    public static func float16(_ value: Float) throws(CodecError) -> Double {
        guard value.magnitude < 65520 || !value.isFinite else {
            try fail(.numberTooLarge(Double(value)))
        }
        return Double(Float(halfPrecision: UInt16(halfPrecision: value)))
    }

    /// Returns the case of a `@closed` enum that has a number.
    ///
    /// - Parameters:
    ///   - rawValue: The number.
    ///   - offset: The offset of the number.
    /// - Throws: ``CodecError/Reason/unknownCase(_:)``.
    @inlinable @inline(__always)
    public static func known<Value: RawRepresentable>(
        _ rawValue: Value.RawValue, at offset: Int
    ) throws(CodecError) -> Value where Value.RawValue: FixedWidthInteger {
        guard let value = Value(rawValue: rawValue) else { try fail(.unknownCase(Int128(rawValue)), at: offset) }
        return value
    }

    /// Refuses structures that nest more deeply than a reader accepts.
    ///
    /// - Throws: ``CodecError/Reason/tooDeep(limit:)``.
    @inlinable @inline(__always)
    public static func depth(_ depth: Int, limit: Int) throws(CodecError) {
        guard depth <= limit else { try fail(.tooDeep(limit: limit)) }
    }

    /// Refuses a field that is set although its condition does not hold, or not set although it does.
    ///
    /// - Throws: ``CodecError/Reason/wrongPresence(isSet:)``.
    @inlinable @inline(__always)
    public static func presence(_ isSet: Bool, when holds: Bool) throws(CodecError) {
        guard isSet == holds else { try fail(.wrongPresence(isSet: isSet)) }
    }

    /// Refuses a variable-length integer that takes more bytes than declared.
    ///
    /// - Throws: ``CodecError/Reason/outOfRange(value:minimum:maximum:)``.
    @inlinable @inline(__always)
    public static func varint(_ value: UInt64, maximumByteCount: Int) throws(CodecError) {
        guard value.varintByteCount <= maximumByteCount else {
            try failVarint(value, maximumByteCount)
        }
    }

    @usableFromInline @inline(never)
    static func failVarint(_ value: UInt64, _ maximumByteCount: Int) throws(CodecError) -> Never {
        let range = VarintFormat(.unsigned, maximumByteCount: maximumByteCount).range
        try fail(.outOfRange(value: Int128(value), minimum: range.lowerBound, maximum: range.upperBound))
    }

    /// Refuses a NUL in text that ends at the first one.
    ///
    /// - Throws: ``CodecError/Reason/embeddedTerminator``.
    public static func terminated(_ text: String) throws(CodecError) {
        guard !text.utf8.contains(0) else { try fail(.embeddedTerminator) }
    }

    /// Refuses a NUL in bytes that end at the first one.
    ///
    /// - Throws: ``CodecError/Reason/embeddedTerminator``.
    public static func terminated(_ bytes: [UInt8]) throws(CodecError) {
        guard !bytes.contains(0) else { try fail(.embeddedTerminator) }
    }

    /// Throws an error without a path; callers add their own.
    @usableFromInline @inline(never)
    static func fail(_ reason: CodecError.Reason, at offset: Int? = nil) throws(CodecError) -> Never {
        throw CodecError(reason, offset: offset)
    }
}
