// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension VarintFormat {
    /// The entries of a table that say how the number becomes a value; nil if it is the value.
    var luaForm: String? { encoding == .unsigned ? nil : "form = \"\(encoding.name)\", signed = true" }
}
