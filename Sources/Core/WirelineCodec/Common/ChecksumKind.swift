// SPDX-License-Identifier: Apache-2.0

/// A way to compute a checksum; the raw value is its name in the schema language.
///
/// The check value is the checksum of the ASCII digits 1 to 9. Source: the catalogue of parametrised CRC algorithms
/// (RevEng), RFC 1950 §8.2 for Adler-32.
///
/// | kind | other names | check value |
/// |---|---|---|
/// | ``crc32`` | CRC-32/ISO-HDLC, zlib, IEEE 802.3 | CBF43926 |
/// | ``crc32c`` | CRC-32/ISCSI, Castagnoli | E3069283 |
/// | ``crc16ARC`` | CRC-16/LHA, CRC-IBM | BB3D |
/// | ``crc16Modbus`` | MODBUS | 4B37 |
/// | ``crc16CCITTFalse`` | CRC-16/IBM-3740, AUTOSAR | 29B1 |
/// | ``crc16XMODEM`` | CRC-16/XMODEM, ZMODEM | 31C3 |
/// | ``crc16KERMIT`` | CRC-16/KERMIT, CCITT | 2189 |
/// | ``crc16X25`` | CRC-16/IBM-SDLC, X-25 | 906E |
/// | ``adler32`` | Adler-32 of zlib | 091E01DE |
/// | ``sum8`` | the sum of all bytes, modulo 256 | DD |
/// | ``xor8`` | all bytes combined by exclusive or | 31 |
public enum ChecksumKind: String, CaseIterable, Sendable {
    case crc32
    case crc32c
    case crc16ARC = "crc16_arc"
    case crc16Modbus = "crc16_modbus"
    case crc16CCITTFalse = "crc16_ccitt_false"
    case crc16XMODEM = "crc16_xmodem"
    case crc16KERMIT = "crc16_kermit"
    case crc16X25 = "crc16_x25"
    case adler32
    case sum8
    case xor8

    /// The number of bytes of the checksum: 1, 2 or 4.
    public var byteCount: Int {
        switch self {
        case .crc32, .crc32c, .adler32: 4
        case .crc16ARC, .crc16Modbus, .crc16CCITTFalse, .crc16XMODEM, .crc16KERMIT, .crc16X25: 2
        case .sum8, .xor8: 1
        }
    }

    /// The name for people: `CRC-32`, `CRC-16/MODBUS`, `Adler-32`, `sum`, …
    public var displayName: String {
        switch self {
        case .crc32: "CRC-32"
        case .crc32c: "CRC-32C"
        case .crc16ARC: "CRC-16/ARC"
        case .crc16Modbus: "CRC-16/MODBUS"
        case .crc16CCITTFalse: "CRC-16/CCITT-FALSE"
        case .crc16XMODEM: "CRC-16/XMODEM"
        case .crc16KERMIT: "CRC-16/KERMIT"
        case .crc16X25: "CRC-16/X-25"
        case .adler32: "Adler-32"
        case .sum8: "sum"
        case .xor8: "XOR"
        }
    }
}
