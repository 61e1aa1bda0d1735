// SPDX-License-Identifier: Apache-2.0

extension ByteReader {
    /// Reads `count` integers of their type's own width, with one check and one allocation.
    ///
    /// - Parameters:
    ///   - count: The announced number of items; compared with the bytes left before anything is allocated.
    ///   - type: The items' type.
    ///   - byteOrder: The items' byte order.
    ///   - item: Set to the index of the item that is cut off, if one is.
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, at that item.
    @inlinable
    public mutating func readIntegers<T: FixedWidthInteger & BitwiseCopyable>(
        count: Int, as type: T.Type = T.self, _ byteOrder: ByteOrder, item: inout Int
    ) throws(CodecError) -> [T] {
        let width = MemoryLayout<T>.size
        guard count >= 0, count <= remaining / width else {
            item = remaining / width
            throw truncated(width, behind: item &* width)
        }
        guard count > 0 else { return [] }
        let start = position
        position += count * width
        return unsafe [T](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            for index in 0..<count {
                // SAFETY: count items lie between start and position, by the guard; the buffer has capacity for them.
                let raw = unsafe bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: start &+ index &* width, as: T.self)
                unsafe buffer.initializeElement(
                    at: index, to: byteOrder == .bigEndian ? T(bigEndian: raw) : T(littleEndian: raw))
            }
            initializedCount = count
        }
    }
}

extension ByteWriter {
    /// Writes integers of their type's own width, without a count, with one check.
    @inlinable
    public mutating func writeIntegers<T: FixedWidthInteger & BitwiseCopyable>(_ values: [T], _ byteOrder: ByteOrder) {
        let byteCount = values.count * MemoryLayout<T>.size
        // SAFETY: advance(by:) has checked the capacity. The run need not be cleared: the loop sets all of its bytes.
        var run = unsafe MutableFixedRun(base: advance(by: byteCount), byteCount: byteCount)
        for index in values.indices {
            run.setInteger(values[index], at: index * MemoryLayout<T>.size, byteOrder)
        }
    }
}
