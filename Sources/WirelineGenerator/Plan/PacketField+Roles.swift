// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketField {
    /// Whether the caller of `encode` can choose the value.
    var isSettable: Bool {
        switch role {
        case .value, .fitting, .sequence: true
        case .length, .contentLength, .messageID, .constant, .checksum, .padding: false
        }
    }
}

extension PacketField.Format {
    /// The number of bits of a message's ID that the field holds.
    var idBitWidth: Int {
        switch self {
        case .integer(let format, _): format.bitWidth
        case .boolean, .bit: 1
        case .varint(let format): format.bitWidth
        case .text, .digits, .bytes: 0
        }
    }
}
