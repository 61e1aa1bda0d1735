// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that open and seal one layer: `opened_layer` and `sealed_layer`, with a clause for each transform of
/// the packet.
struct ErlangTransforms {
    private let types: ErlangTypes

    init(_ types: ErlangTypes) { self.types = types }

    /// The transforms of the layers, each once.
    private var kinds: [LayerKind] {
        types.description.layout.content.layers.map(\.kind).reduce(into: []) { kinds, kind in
            if !kinds.contains(kind) { kinds.append(kind) }
        }
    }

    var functions: [String] {
        let opening = ["Name", "B", "Header", "Place", "Left", "Context"]
        return [
            function("opened_layer", opening, otherwise: "{B, Context}", self.opening),
            function(
                "sealed_layer", opening.filter { $0 != "Left" }, otherwise: "{B, Context}", sealing),
            "%% The bytes that count against the limit: a cipher's content is as long as what it opens.\n"
                + function("made", ["B"], otherwise: "byte_size(B)") { $0.mayInflate ? "byte_size(B)" : "0" },
        ]
    }

    /// Returns a function with a clause for each transform, or with one for packets without layers.
    private func function(
        _ name: String, _ parameters: [String], otherwise: String, _ body: (LayerKind) -> String
    ) -> String {
        func clause(_ term: String, _ body: String) -> String {
            let used = ErlangTokens.words(of: body + " ")
            let names = parameters.map { used.contains($0) ? $0 : "_" }
            return "\(name)(\(([term] + names).joined(separator: ", "))) -> \(body)"
        }
        guard !kinds.isEmpty else { return clause("none", otherwise) + ".\n" }
        return kinds.map { clause(term(of: $0), body($0)) }.joined(separator: ";\n") + ".\n"
    }

    private func opening(_ kind: LayerKind) -> String {
        switch kind {
        case .zlib: "{inflated(B, 15, Left, Name), Context}"
        case .deflate: "{inflated(B, -15, Left, Name), Context}"
        case .gzip: "{inflated(B, 31, Left, Name), Context}"
        case .brotli: "opened_by_program(brotli, Name, B, Header, Place, Left, Context)"
        case .custom(let name): "opened_by_program(\(key(name)), Name, B, Header, Place, Left, Context)"
        case .aesCBC(let name, let vector):
            "opened_aes_cbc(\(key(name)), \(start(vector)), Name, B, Place, Context)"
        case .xor, .rc4, .aesCTR: keystream(kind)
        }
    }

    private func sealing(_ kind: LayerKind) -> String {
        switch kind {
        case .zlib: "{deflated(B, 15, Context), Context}"
        case .deflate: "{deflated(B, -15, Context), Context}"
        case .gzip: "{deflated(B, 31, Context), Context}"
        case .brotli: "sealed_by_program(brotli, Name, B, Header, Place, Context)"
        case .custom(let name): "sealed_by_program(\(key(name)), Name, B, Header, Place, Context)"
        case .aesCBC(let name, let vector):
            "sealed_aes_cbc(\(key(name)), \(start(vector)), Name, B, Place, Context)"
        case .xor, .rc4, .aesCTR: keystream(kind)
        }
    }

    private func keystream(_ kind: LayerKind) -> String {
        switch kind {
        case .xor(let name): "xor_layer(\(key(name)), Name, B, Place, Context)"
        case .rc4(let name): "rc4_layer(\(key(name)), Name, B, Place, Context)"
        case .aesCTR(let name, .key(let vector)):
            "aes_ctr_layer(\(key(name)), \(key(vector)), Name, B, Place, Context)"
        case .aesCTR(let name, let vector):
            "aes_ctr_packet(\(key(name)), \(start(vector)), Name, B, Place, Context)"
        default: "{B, Context}"
        }
    }

    /// Returns the 16 bytes with which a packet begins.
    private func start(_ vector: LayerKind.Vector) -> String {
        switch vector {
        case .key(let name): "key(\(key(name)), Name, element(1, Place), 16, 16, Context)"
        case .field(let name): "maps:get(\(headerKey(name)), Header)"
        }
    }

    /// Returns the term that stands for a transform: `zlib`, `{'xor', session}`.
    func term(of kind: LayerKind) -> String {
        func vector(_ vector: LayerKind.Vector) -> String {
            switch vector {
            case .key(let name): "{key, \(key(name))}"
            case .field(let name): "{field, \(headerKey(name))}"
            }
        }
        let word = ErlangText.atom(kind.word)
        return switch kind {
        case .zlib, .deflate, .gzip, .brotli: word
        case .xor(let name), .rc4(let name), .custom(let name): "{\(word), \(key(name))}"
        case .aesCTR(let name, let start), .aesCBC(let name, let start): "{\(word), \(key(name)), \(vector(start))}"
        }
    }

    private func key(_ name: String) -> String { ErlangText.atom(types.naming.layers[name] ?? name) }

    private func headerKey(_ name: String) -> String {
        types.description.packetField(named: name).map { ErlangText.atom(types.naming.packetFields[$0]) } ?? "none"
    }
}
