// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// The further state of an input whose packets stand between marks, or have layers.
final class FramedOrLayeredInput {
    /// The packet between marks that was found and not taken.
    var foundPacket: ReceivedPacket?
    /// Opens packets; nil for a layout without layers.
    let layers: LayeredInput?

    init(_ layers: LayeredInput?) { self.layers = layers }

    var block: SharedBlock? { layers?.block ?? foundPacket?.block }
}

/// Packets with layers.
extension PacketInput {
    /// Takes the next packet, also one inside a packet of the stream; nil if there is none, or if a later turn must
    /// open it (``isUnfinished``).
    ///
    /// - Throws: ``ConnectionError/codec(_:)``, ``ConnectionError/httpRequest``; the next call throws it again.
    mutating func takeOpened(from layers: LayeredInput) throws(ConnectionError) -> ReceivedPacket? {
        while true {
            do throws(CodecError) {
                if let packet = try layers.take() { return packet }
                guard !layers.isUnfinished else { return nil }
            } catch {
                throw .codec(error)
            }
            guard let packet = try takeFromStream() else { return nil }
            layers.open(packet, splitter.states)
        }
    }
}
