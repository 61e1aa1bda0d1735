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
