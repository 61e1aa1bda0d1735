// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension LayerKind {
    package var keyNames: [String] { keys.map(\.name) }

    /// Each key with the numbers of bytes that it may have.
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
