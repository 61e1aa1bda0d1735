// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension VarintFormat {
    /// The table entries for the conversion of the number to its value; nil if both are equal.
    var luaForm: String? { encoding == .unsigned ? nil : "form = \"\(encoding.name)\", signed = true" }
}
