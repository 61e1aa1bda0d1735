// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// Sends a message; it leaves with whatever else is sent in the same turn of the loop.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` bytes wait to be sent, so does the sender; those who wait
    /// send in the order in which they came.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit, ``ConnectionError/transport(_:)`` when the
    ///   connection has ended, ``ConnectionError/cancelled`` when the task was cancelled while it waited. Nothing of the
    ///   packet was sent then.
    package nonisolated(nonsending) func send(_ message: some PacketMessage) async throws(ConnectionError) {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try message.encoded()
        } catch {
            throw .codec(error)
        }
        try await send(packet: bytes)
    }

    /// Sends a packet that has been encoded already, such as one that goes to many connections.
    ///
    /// - Throws: As ``send(_:)``.
    package nonisolated(nonsending) func send(packet bytes: [UInt8]) async throws(ConnectionError) {
        if stream.loop.isCurrent, maySend { return stream.write(bytes) }
        try await sendInTurn(bytes)
    }
}
