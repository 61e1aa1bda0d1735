// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketHeader {
    /// Sets the sequence field; returns the header unchanged without a number or a sequence field.
    func with(sequence: UInt64?, in layout: PacketLayout) -> PacketHeader {
        guard let sequence, let field = layout.sequenceField else { return self }
        var header = self
        header[field.name] = Int128(sequence)
        return header
    }
}
