// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

struct SwiftContent {
    private let content: PacketContent
    private let condition: (WireCondition) -> String

    init(_ content: PacketContent, condition: @escaping (WireCondition) -> String) {
        self.content = content
        self.condition = condition
    }

    var text: String {
        var arguments: [String] = []
        if !content.layers.isEmpty {
            arguments.append("layers: [\(content.layers.map(text).joined(separator: ", "))]")
        }
        if let line = content.packets { arguments.append("packets: \(text(line))") }
        if let line = content.opaque { arguments.append("opaque: \(text(line))") }
        arguments.append("maximumInflatedByteCount: \(SwiftText.number(content.maximumInflatedByteCount))")
        arguments.append("maximumNestedDepth: \(content.maximumNestedDepth)")
        return "WirelineCodec::PacketContent(\(arguments.joined(separator: ", ")))"
    }

    private func text(_ layer: PacketContent.Layer) -> String {
        let condition = layer.condition.map { ", if: \(self.condition($0))" } ?? ""
        return ".init(\(text(layer.kind)), afterFields: \(layer.fieldCount)\(condition))"
    }

    private func text(_ line: PacketContent.Line) -> String {
        ".init(\(line.condition.map { "if: \(self.condition($0))" } ?? ""))"
    }

    private func text(_ kind: LayerKind) -> String {
        switch kind {
        case .zlib: ".zlib"
        case .deflate: ".deflate"
        case .gzip: ".gzip"
        case .brotli: ".brotli"
        case .xor(let key): ".xor(key: \(SwiftText.literal(key)))"
        case .rc4(let key): ".rc4(key: \(SwiftText.literal(key)))"
        case .aesCTR(let key, let vector): ".aesCTR(key: \(SwiftText.literal(key)), vector: \(text(vector)))"
        case .aesCBC(let key, let vector): ".aesCBC(key: \(SwiftText.literal(key)), vector: \(text(vector)))"
        case .custom(let name): ".custom(\(SwiftText.literal(name)))"
        }
    }

    private func text(_ vector: LayerKind.Vector) -> String {
        switch vector {
        case .key(let name): ".key(\(SwiftText.literal(name)))"
        case .field(let name): ".field(\(SwiftText.literal(name)))"
        }
    }
}
