// SPDX-License-Identifier: Apache-2.0

/// CRC-32 as in zlib and IEEE 802.3: reflected polynomial EDB88320, all bits inverted at the start and at the end.
public enum CRC32 {
    /// Returns the checksum of the bytes; the ASCII digits 1 to 9 have CBF43926.
    public static func checksum(of bytes: RawSpan) -> UInt32 {
        var checksum = UInt32.max
        for offset in 0..<bytes.byteCount {
            checksum = table[Int((checksum ^ UInt32(bytes[offset])) & 0xFF)] ^ (checksum >> 8)
        }
        return ~checksum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xEDB8_8320 }
    }
}
