// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// The state of an input whose packets stand between marks, or have layers.
final class SpecialInput {
    /// In a layout with a frame, the packet that was found and not taken.
    var foundPacket: ReceivedPacket?
    /// What opens packets; nil for a layout without layers.
    let layers: LayeredInput?

    init(_ layers: LayeredInput?) { self.layers = layers }

    /// The block of the next packet that was opened or found; nil if there is none.
    var block: SharedBlock? { layers?.block ?? foundPacket?.block }
}

/// Packets with layers.
extension PacketInput {
    /// Takes the next packet, of those inside of a packet of the stream; nil if there is none, or if it is to be opened in
    /// a later turn (``isUnfinished``).
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
