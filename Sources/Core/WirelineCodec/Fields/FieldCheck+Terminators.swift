// SPDX-License-Identifier: Apache-2.0

extension FieldCheck {
    /// Refuses an item that begins with the byte which ends its list.
    ///
    /// - Parameters:
    ///   - byte: The first byte of the item on the wire.
    ///   - terminator: The byte that ends the list.
    /// - Throws: ``CodecError/Reason/beginsWithTerminator(_:)``.
    @inlinable @inline(__always)
    public static func item(beginningWith byte: UInt8, isNot terminator: UInt8) throws(CodecError) {
        guard byte != terminator else { try fail(.beginsWithTerminator(terminator)) }
    }

    /// Refuses an item that begins with the byte that ends its list, if only the written item shows its first byte.
    ///
    /// It writes the item to memory of its own.
    ///
    /// - Parameters:
    ///   - byteCount: The bytes that the item takes, at least 1.
    ///   - terminator: The byte that ends the list.
    ///   - write: Writes the item.
    /// - Throws: ``CodecError/Reason/beginsWithTerminator(_:)``.
    public static func item(
        byteCount: Int, isNot terminator: UInt8, writing write: (inout ByteWriter) -> Void
    ) throws(CodecError) {
        guard [UInt8](byteCount: byteCount, writing: write).first != terminator else {
            try fail(.beginsWithTerminator(terminator))
        }
    }
}
