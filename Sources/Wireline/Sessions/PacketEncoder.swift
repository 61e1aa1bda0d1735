// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Encodes a message with a number in the sequence field, if packets have one and there is a number, in the layout of
/// the packets that the connection sends.
typealias PacketEncoder = @Sendable (_ sequence: UInt64?, _ layout: PacketLayout) throws(CodecError) -> [UInt8]

extension PacketMessage {
    /// Returns what encodes the message as a session sends it, which is a client.
    func encoder(header: PacketHeader = [:]) -> PacketEncoder {
        { sequence, layout throws(CodecError) in
            try encoded(header.with(sequence: sequence, in: layout), in: layout)
        }
    }

    /// Returns the packet in the first states in which it can be sent.
    ///
    /// - Throws: `CodecError` of the states of a new connection, if there are no such states.
    func encodedInSomeState(header: PacketHeader, from sender: Sender) throws(CodecError) -> [UInt8] {
        do throws(CodecError) {
            return try encoded(header: header, from: sender)
        } catch {
            for layout in Definition.layout.plainLayouts(from: sender) {
                if let packet = try? encoded(header, in: layout) { return packet }
            }
            throw error
        }
    }
}
