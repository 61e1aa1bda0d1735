// SPDX-License-Identifier: Apache-2.0

extension ChecksumKind {
    /// Returns the checksum of the bytes.
    ///
    /// - Complexity: O(*n*); one look into a table for each byte of a CRC.
    public func checksum(of bytes: RawSpan) -> UInt32 {
        var checksum = Checksum(self)
        checksum.append(bytes)
        return checksum.value
    }
}
