// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the script through which `wire conform` tests the generated module: it converts JSON to messages and back.
struct TypeScriptAdapter {
    private let plan: GeneratorModel

    init(_ plan: GeneratorModel) { self.plan = plan }

    func file() -> GeneratedFile {
        let stem = plan.description.fileStem
        let kinds = plan.layers?.kinds ?? []
        let own = kinds.compactMap { kind in
            Self.functions(of: kind).map { "  \(TypeScriptText.string(kind.name)): () => compressed(\($0)),\n" }
        }
        let absent = kinds.filter { $0.word == "custom" }.map { TypeScriptText.string($0.name) }
        let constants = [
            "PROTOCOL_TITLE": plan.description.title, "FILE_STEM": stem,
            "TABLES_OF_SCHEMA": AdapterTables(plan).json, "SENDERS_DIFFER": String(plan.takesSender),
            "HAS_CONNECTION": String(plan.context != nil), "HAS_WIDE_IDS": String(plan.idRange.isWide),
            "LAYERS_OF_NODE": "{\n\(own.joined())}", "ABSENT_LAYERS": TypeScriptText.list(absent),
        ]
        let regions: Set = ["packages", "transforms", "layered", "program", "values", "loop"]
        let program = RuntimeFile.typeScriptAdapter.with(plan.features.union(regions), constants)
        return GeneratedFile(path: stem + "_conform.mjs", text: program.text("all") + "\n")
    }

    /// Returns the functions of Node that the script supplies for a layer.
    private static func functions(of kind: LayerKind) -> String? {
        switch kind {
        case .zlib: "zlib.inflateSync, zlib.deflateSync"
        case .deflate: "zlib.inflateRawSync, zlib.deflateRawSync"
        case .gzip: "gunzip, zlib.gzipSync"
        case .brotli: "zlib.brotliDecompressSync, zlib.brotliCompressSync"
        case .xor, .rc4, .aesCTR, .aesCBC, .custom: nil
        }
    }
}
