// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// What the stack must know of a layer.
extension LayerKind {
    /// The names of the keys that it needs.
    package var keyNames: [String] { keys.map(\.name) }

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
