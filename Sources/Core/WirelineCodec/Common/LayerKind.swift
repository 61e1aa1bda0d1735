// SPDX-License-Identifier: Apache-2.0

/// The transform of a `layer` line in a schema's packet.
///
/// This module knows only the names. The transforms are in another module, because they need libraries.
public enum LayerKind: Equatable, Sendable {
    case zlib
    case deflate
    case gzip
    case brotli
    case xor(key: String)
    case rc4(key: String)
    case aesCTR(key: String, vector: Vector)
    case aesCBC(key: String, vector: Vector)
    /// A transform of the program, by its name.
    case custom(String)

    /// The source of the 16 bytes with which AES begins.
    public enum Vector: Equatable, Sendable {
        /// From the key of this name.
        case key(String)
        /// From the header field of this name, which stands before the layer.
        case field(String)
    }

    /// The name in the paths of errors: `packet.zlib`; a cipher has the name of its key, `packet.session`.
    public var name: String {
        switch self {
        case .zlib: "zlib"
        case .deflate: "deflate"
        case .gzip: "gzip"
        case .brotli: "brotli"
        case .xor(let key), .rc4(let key), .aesCTR(let key, _), .aesCBC(let key, _): key
        case .custom(let name): name
        }
    }

    package var word: String {
        switch self {
        case .zlib: "zlib"
        case .deflate: "deflate"
        case .gzip: "gzip"
        case .brotli: "brotli"
        case .xor: "xor"
        case .rc4: "rc4"
        case .aesCTR: "aes_ctr"
        case .aesCBC: "aes_cbc"
        case .custom: "custom"
        }
    }

    package var arguments: [String] {
        switch self {
        case .zlib, .deflate, .gzip, .brotli: []
        case .xor(let name), .rc4(let name), .custom(let name): [name]
        case .aesCTR(let key, let vector), .aesCBC(let key, let vector):
            switch vector {
            case .key(let name), .field(let name): [key, name]
            }
        }
    }

    /// Whether the content can be longer than the layer's output; a cipher's content is as long.
    ///
    /// Such contents count against the limit of inflated bytes, and one content can be sealed to different bytes.
    package var mayInflate: Bool {
        switch self {
        case .zlib, .deflate, .gzip, .brotli, .custom: true
        case .xor, .rc4, .aesCTR, .aesCBC: false
        }
    }

    /// Whether the output depends only on the packet, and not on a connection's keys and earlier packets.
    package var isSharable: Bool {
        switch self {
        case .zlib, .deflate, .gzip, .brotli: true
        case .xor, .rc4, .aesCTR, .aesCBC, .custom: false
        }
    }

    /// Whether the keystream continues from packet to packet, so that both ends must use it in the same order.
    package var hasLastingKeystream: Bool {
        switch self {
        case .rc4, .aesCTR(_, .key): true
        case .zlib, .deflate, .gzip, .brotli, .xor, .aesCTR(_, .field), .aesCBC, .custom: false
        }
    }

    /// The header field with the first 16 bytes for AES; nil if the layer needs none.
    package var vectorField: String? {
        switch self {
        case .aesCTR(_, .field(let name)), .aesCBC(_, .field(let name)): name
        default: nil
        }
    }
}
