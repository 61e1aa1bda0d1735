// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// What a program decides about its layers.
package struct LayerOptions: Sendable {
    /// Makes the transform for the packets of one end.
    package typealias Factory = @Sendable (_ sender: Sender) -> any PacketLayer

    /// The level of zlib, deflate and gzip, from 0 (no compression) to 9 (default nil: zlib's own, which is 6).
    package var zlibLevel: Int? {
        didSet { precondition(zlibLevel.map { 0...9 ~= $0 } ?? true, "a level of zlib is from 0 to 9") }
    }

    /// The level of brotli, from 0 to 11 (default nil: brotli's own, which is 11).
    ///
    /// 11 is made for files that are compressed once: it takes a hundred times as long as 5. A connection compresses on
    /// its event loop.
    package var brotliLevel: Int? {
        didSet { precondition(brotliLevel.map { 0...11 ~= $0 } ?? true, "a level of brotli is from 0 to 11") }
    }

    /// From how many bytes on a packet's content gets a layer that asks for its count (`@length(content)`), unless the
    /// program sets that field (default nil: such a layer is left out).
    package var threshold: Int?

    /// The transforms of `layer custom(NAME)`, by name.
    package var custom: [String: Factory] = [:]

    package init() {}
}
