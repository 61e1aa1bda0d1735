// SPDX-License-Identifier: Apache-2.0

/// The remainders that one byte adds to a CRC, by the byte's value.
struct CyclicTable: Sendable {
    private let remainders: [UInt32]

    /// The CRC's bytes begin with the least significant bit.
    ///
    /// - Parameter polynomial: The polynomial with its bits in reverse order.
    private init(reflected polynomial: UInt32) {
        remainders = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : (value >> 1) ^ polynomial }
        }
    }

    /// A CRC of 16 bits whose bytes begin with the most significant bit.
    private init(ofWidth16 polynomial: UInt32) {
        remainders = (0..<256).map { index in
            (0..<8).reduce(UInt32(index) << 8) { value, _ in
                (value & 0x8000 == 0 ? value << 1 : (value << 1) ^ polynomial) & 0xFFFF
            }
        }
    }

    /// For a table of reflected bits.
    func remainder(_ remainder: UInt32, _ bytes: RawSpan) -> UInt32 {
        var remainder = remainder
        for offset in 0..<bytes.byteCount {
            remainder = remainders[Int((remainder ^ UInt32(bytes[offset])) & 0xFF)] ^ (remainder >> 8)
        }
        return remainder
    }

    /// For a table of 16 bits that are not reflected.
    func remainder16(_ remainder: UInt32, _ bytes: RawSpan) -> UInt32 {
        var remainder = remainder
        for offset in 0..<bytes.byteCount {
            let index = Int((remainder >> 8) ^ UInt32(bytes[offset]))
            remainder = (remainders[index] ^ (remainder << 8)) & 0xFFFF
        }
        return remainder
    }

    // The polynomials of RevEng's catalogue: 04C11DB7, 1EDC6F41, 8005 and 1021.
    static let iso = CyclicTable(reflected: 0xEDB8_8320)
    static let castagnoli = CyclicTable(reflected: 0x82F6_3B78)
    static let ibm = CyclicTable(reflected: 0xA001)
    static let ccittReflected = CyclicTable(reflected: 0x8408)
    static let ccitt = CyclicTable(ofWidth16: 0x1021)
}
