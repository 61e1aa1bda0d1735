// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How an integer of variable length appears in generated Erlang.
extension VarintFormat {
    /// The runtime's function that reads a value.
    var erlangReading: String { encoding.name }

    /// The runtime's function for the number of bytes of a value.
    var erlangSize: String { encoding == .unsigned ? "leb128_size" : "\(encoding.name)_size" }

    /// Returns the number that is written as LEB128 for a value.
    func erlangBits(_ value: String) -> String {
        switch encoding {
        case .unsigned: value
        case .zigzag: "zigzag_bits(\(value))"
        case .signed32: "\(value) band 16#FFFFFFFF"
        case .signed64: "\(value) band 16#FFFFFFFFFFFFFFFF"
        }
    }
}
