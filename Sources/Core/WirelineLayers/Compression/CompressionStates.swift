// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// zlib's states, which the connections of a thread share: a state to read takes about 40 KB, one to write 256 KB.
///
/// Packets share no data through them, so packets of all connections can use them. The first packet makes them.
package final class CompressionStates {
    private struct Form: Hashable {
        let wrapper: ZlibWrapper
        let level: Int?
    }

    private var layers: [Form: ZlibLayer] = [:]

    package init() {}

    func layer(_ wrapper: ZlibWrapper, level: Int?) -> ZlibLayer {
        let form = Form(wrapper: wrapper, level: level)
        if let layer = layers[form] { return layer }
        let layer = ZlibLayer(wrapper, level: level)
        layers[form] = layer
        return layer
    }
}

// Only one thread at a time uses zlib's states.
@available(*, unavailable)
extension CompressionStates: Sendable {}
