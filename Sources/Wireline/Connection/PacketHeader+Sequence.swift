// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketHeader {
    /// The header with a number in the sequence field, where there are both.
    func with(sequence: UInt64?, in layout: PacketLayout) -> PacketHeader {
        guard let sequence, let field = layout.sequenceField else { return self }
        var header = self
        header[field.name] = Int128(sequence)
        return header
    }
}
