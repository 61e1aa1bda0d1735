// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Encodes a message with a number in the sequence field, if packets have one and there is a number.
typealias PacketEncoder = @Sendable (_ sequence: UInt64?) throws(CodecError) -> [UInt8]

extension PacketMessage {
    func encoder(header: PacketHeader = [:]) -> PacketEncoder {
        { sequence throws(CodecError) in try encoded(header: header.with(sequence: sequence, in: Definition.layout)) }
    }
}
