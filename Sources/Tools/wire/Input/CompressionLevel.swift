// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

extension Option {
    static let compressionLevel = Option(
        "--compression-level", value: "N",
        "how hard the packets' layers compress: zlib, deflate and gzip from 0 to 9 (default 6), brotli from 0 to 11 (default "
            + "5); a high level delays other clients")
}

extension Arguments {
    func layerSettings(compressingFor description: ProtocolDescription) throws(CommandError) -> LayerSettings {
        var settings = try layerSettings(of: description)
        guard let text = self[.compressionLevel] else { return settings }
        let limits = description.layout.content.layers.compactMap(\.kind.highestLevel)
        guard let limit = limits.min() else {
            throw .failure("\(Option.compressionLevel.name): the packets of this protocol have no compression")
        }
        let level = Int(try WholeNumber.value(of: text, in: 0...UInt64(limit), of: .compressionLevel))
        settings.options.brotliLevel = level
        settings.options.zlibLevel = min(level, 9)
        return settings
    }
}

extension LayerKind {
    /// The highest compression level; nil if the layer does not compress.
    fileprivate var highestLevel: Int? {
        switch self {
        case .zlib, .deflate, .gzip: 9
        case .brotli: 11
        case .xor, .rc4, .aesCTR, .aesCBC, .custom: nil
        }
    }
}
