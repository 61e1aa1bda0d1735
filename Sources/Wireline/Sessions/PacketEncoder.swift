// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Encodes a message with a number in the sequence field, if packets have one and there is a number.
typealias PacketEncoder = @Sendable (_ sequence: UInt64?) throws(CodecError) -> [UInt8]

extension PacketMessage {
    /// Returns what encodes the message as a session sends it, which is a client.
    func encoder(header: PacketHeader = [:]) -> PacketEncoder {
        { sequence throws(CodecError) in
            let layout = Definition.layout.layout(from: .client)
            return try encoded(header.with(sequence: sequence, in: layout), in: layout)
        }
    }
}
