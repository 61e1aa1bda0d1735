// SPDX-License-Identifier: Apache-2.0

/// The transform of a `layer` line.
package enum LayerKind: Equatable, Sendable {
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

    /// Where the 16 bytes come from with which AES begins.
    package enum Vector: Equatable, Sendable {
        /// From the key of this name.
        case key(String)
        /// From the header field of this name, which stands before the layer.
        case field(String)
    }

    /// What the paths of errors call it: `packet.zlib`; a cipher has the name of its key, `packet.session`.
    package var name: String {
        switch self {
        case .zlib: "zlib"
        case .deflate: "deflate"
        case .gzip: "gzip"
        case .brotli: "brotli"
        case .xor(let key), .rc4(let key), .aesCTR(let key, _), .aesCBC(let key, _): key
        case .custom(let name): name
        }
    }

    /// Whether its contents count against the budget of inflated bytes: a cipher's are as long as what it opens.
    var mayInflate: Bool {
        switch self {
        case .zlib, .deflate, .gzip, .brotli, .custom: true
        case .xor, .rc4, .aesCTR, .aesCBC: false
        }
    }

    /// The keys that it needs, and how many bytes each may have.
    var keys: [(name: String, byteCounts: LayerKeyError.ByteCounts)] {
        switch self {
        case .zlib, .deflate, .gzip, .brotli, .custom: []
        case .xor(let key): [(key, .upTo(XORLayer.longestKeyByteCount))]
        case .rc4(let key): [(key, .upTo(RC4Layer.longestKeyByteCount))]
        case .aesCTR(let key, .field), .aesCBC(let key, .field): [(key, .aesKey)]
        case .aesCTR(let key, .key(let vector)), .aesCBC(let key, .key(let vector)):
            [(key, .aesKey), (vector, .aesVector)]
        }
    }
}
