// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How an integer of variable length appears in generated Erlang.
extension VarintFormat {
    /// The runtime's function for the number of bytes of a value.
    var erlangSize: String { encoding == .unsigned ? "leb128_size" : "\(encoding.name)_size" }

    /// Returns the number that is written as LEB128 for a value.
    func erlangBits(_ value: ErlangCode) -> ErlangCode {
        encoding == .unsigned ? value : .call(encoding.name + "_bits", [value])
    }
}
