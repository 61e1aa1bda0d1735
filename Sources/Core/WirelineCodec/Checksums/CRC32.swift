// SPDX-License-Identifier: Apache-2.0

/// CRC-32 as in zlib and IEEE 802.3: reflected polynomial EDB88320, all bits inverted at the start and at the end.
public enum CRC32 {
    /// Returns the checksum of the bytes; the ASCII digits 1 to 9 have CBF43926.
    public static func checksum(of bytes: RawSpan) -> UInt32 { ChecksumKind.crc32.checksum(of: bytes) }
}
