// SPDX-License-Identifier: Apache-2.0

/// The byte counts of a header's varints, in wire order; a writer finds them without allocating.
@usableFromInline
struct VarintWidths: Equatable, Sendable {
    /// Four bits for each, as a varint has at most 10 bytes: a header of ``PacketLayout/maximumHeaderByteCount`` bytes
    /// has at most 25 varints. Each count is stored less 1.
    private var bits: UInt128 = 0

    /// The bytes that all varints have beyond their first ones.
    private(set) var addedByteCount = 0

    subscript(index: Int) -> Int {
        get { 1 + Int(truncatingIfNeeded: bits >> UInt128(4 * index) & 0xF) }
        set {
            addedByteCount += newValue - self[index]
            bits &= ~(UInt128(0xF) << UInt128(4 * index))
            bits |= UInt128(newValue - 1) << UInt128(4 * index)
        }
    }
}
