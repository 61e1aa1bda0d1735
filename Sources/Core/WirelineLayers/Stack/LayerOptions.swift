// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A program's options for the layers of its connections.
///
/// ```swift
/// configuration.layers.zlibLevel = 1
/// configuration.layers["session"] = { sender in SessionCipher(for: sender) }
/// ```
public struct LayerOptions: Sendable {
    /// Makes the transform for the packets of one end of a connection.
    public typealias Factory = @Sendable (_ sender: Sender) -> any PacketLayer

    /// The level of zlib, deflate and gzip, from 0 (no compression) to 9 (default nil: zlib's own, which is 6).
    ///
    /// A connection compresses long packets over many turns of its event loop. Up to level 6 a turn takes a few
    /// milliseconds; at level 9 it is up to 30, and other connections wait meanwhile.
    public var zlibLevel: Int? {
        didSet { precondition(zlibLevel.map { 0...9 ~= $0 } ?? true, "a level of zlib is from 0 to 9") }
    }

    /// The level of brotli, from 0 to 11 (default nil: 5 on connections, and in tools brotli's own, which is 11).
    ///
    /// 11 is made for files that are compressed once: it takes a hundred times as long as 5. A connection compresses
    /// long packets over many turns of its event loop. At level 11 a turn takes up to a second, and other connections
    /// wait meanwhile; up to level 5 a turn takes a few milliseconds.
    public var brotliLevel: Int? {
        didSet { precondition(brotliLevel.map { 0...11 ~= $0 } ?? true, "a level of brotli is from 0 to 11") }
    }

    /// The level of brotli on connections, if the program sets none.
    package static let liveBrotliLevel = 5

    /// The byte count of a packet's content from which a layer with a condition on that count (`@length(content)`) is
    /// used, unless the program sets that field (default nil: such a layer is left out).
    public var threshold: Int?

    /// The transforms of `layer custom(NAME)`, by name.
    package var custom: [String: Factory] = [:]

    /// Makes options with their defaults, and without transforms.
    public init() {}

    /// The factory for the transform of `layer custom(name)`; nil if there is none.
    public subscript(name: String) -> Factory? {
        get { custom[name] }
        set { custom[name] = newValue }
    }
}
