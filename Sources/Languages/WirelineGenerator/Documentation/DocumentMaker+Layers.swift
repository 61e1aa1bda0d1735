// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Layers of packets, and contents other than a message's fields.
extension DocumentMaker {
    private var content: PacketContent { description.layout.content }

    /// Whether an example would need keys, or a program's transform.
    var needsKeys: Bool { content.layers.contains { !$0.kind.arguments.isEmpty } }

    /// Returns the parts of a packet: each layer is a box around its content.
    func drawing(
        of payload: [Document.Part], in header: [Document.Part], _ trailer: [Document.Part]
    ) -> [Document.Part] {
        var (inside, end) = (payload, header.count)
        for layer in content.layers.reversed() {
            inside = [
                Document.Part(
                    name: title(of: layer), width: "", kind: .layer, mayBeAbsent: layer.condition != nil,
                    inside: header[layer.fieldCount..<end] + inside)
            ]
            end = layer.fieldCount
        }
        return header[..<end] + inside + trailer
    }

    /// `zlib, if Version = zlib`.
    private func title(of layer: PacketContent.Layer) -> String {
        let condition = layer.condition.map { ", if \(description.text(ofPacketCondition: $0))" }
        return DocumentText.line(of: name(of: layer.kind) + (condition ?? ""))
    }

    private func name(of kind: LayerKind) -> String {
        kind.arguments.isEmpty ? kind.word : "\(kind.word)(\(kind.arguments.joined(separator: ", ")))"
    }

    /// The layers, and the contents other than a message's fields.
    var contentBlocks: [Document.Block] {
        let rows = content.layers.map { layer in
            let condition: Document.Inline =
                layer.condition.map { .code(DocumentText.line(of: description.text(ofPacketCondition: $0))) }
                ?? .text("always")
            return Document.Row(cells: [
                [.init([.code(DocumentText.line(of: name(of: layer.kind)))])], [.init([condition])],
                [.init(Self.meaning(of: layer.kind))],
            ])
        }
        let layers: [Document.Block] =
            rows.isEmpty
            ? []
            : [
                .line([
                    .text(
                        "Packets have layers. Each transforms all that follows its line, up to the payload's end. In drawings"
                            + " it is a box around what it holds:")
                ]),
                .table(Document.Table(shape: .facts, columns: ["Layer", "When", "A packet's content"], rows: rows)),
            ]
        return layers
            + line(content.packets, "is whole packets of the same sender, which take this packet's place")
            + line(content.opaque, "is a part of a message, which is not read")
    }

    private func line(_ line: PacketContent.Line?, _ meaning: String) -> [Document.Block] {
        guard let line else { return [] }
        guard let condition = line.condition else { return [.line([.text("The content \(meaning).")])] }
        let text = DocumentText.line(of: description.text(ofPacketCondition: condition))
        return [.line([.text("If "), .code(text), .text(", the content \(meaning).")])]
    }

    private static func meaning(of kind: LayerKind) -> String {
        switch kind {
        case .zlib: "one zlib stream (RFC 1950)"
        case .deflate: "one deflate stream (RFC 1951)"
        case .gzip: "one gzip stream (RFC 1952)"
        case .brotli: "one brotli stream (RFC 7932)"
        case .xor: "each byte XOR a byte of the key, which starts anew with each packet"
        case .rc4: "RC4; the keystream goes on from packet to packet"
        case .aesCTR(_, .key): "AES in counter mode; the keystream goes on from packet to packet"
        case .aesCTR(_, .field): "AES in counter mode, which begins with the field in each packet"
        case .aesCBC: "AES in CBC mode with PKCS #7 padding, each packet for itself"
        case .custom: "what the program's transform makes of it"
        }
    }

    var contentLimits: [(String, String)] {
        guard !content.isPlain else { return [] }
        let options = description.options
        let bytes = DocumentText.count(options.maximumInflatedByteCount, "byte")
        let packets = ("Packets in packets", "at most \(options.maximumNestedDepth) deep")
        return (content.layers.isEmpty ? [] : [("Largest content", "\(bytes), of all layers of a packet together")])
            + (content.packets == nil ? [] : [packets])
    }
}
