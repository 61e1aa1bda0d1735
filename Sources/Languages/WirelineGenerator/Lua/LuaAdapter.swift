// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the script through which `wire conform` tests the generated module: it converts JSON to messages and back.
struct LuaAdapter {
    private let plan: GeneratorModel

    init(_ plan: GeneratorModel) { self.plan = plan }

    private var stem: String { plan.description.fileStem }

    func file() -> GeneratedFile {
        let program = RuntimeFile.luaAdapter.with(plan.features, ["CONNECTION_OPTIONS": connectionOptions])
        let text = """
            \(plan.description.fileHead("--"))
            --
            -- Asks the module \(stem)_protocol.lua beside it on behalf of `wire conform`:
            --
            --   wire conform --command 'lua5.4 \(stem)_conform.lua'

            local folder = string.match(arg[0], "^.*[/\\\\]") or ""
            local wire = dofile(folder .. \(LuaText.literal(stem + "_protocol.lua")))
            local senders_differ, has_wide_ids = \(plan.dependsOnSender || plan.context != nil), \(plan.idRange.isWide)
            local has_connection = \(plan.context != nil)

            \(program.text("json"))

            local tables = parse(\(LuaText.literal(AdapterTables(plan).json)))

            \(program.text("all"))

            """
        return GeneratedFile(path: stem + "_conform.lua", text: text)
    }

    /// The options of a connection with layers for one question, with functions that Lua lacks.
    private var connectionOptions: String {
        guard let layers = plan.layers else { return "" }
        var options = layers.hasAES ? ["aes = aes"] : []
        var names: Set<String> = []
        let functions = layers.kinds.filter { $0.mayInflate && names.insert($0.name).inserted }.map { kind in
            let function =
                Self.window(kind).map { "zlib_layer(\($0))" } ?? "absent_layer(\(LuaText.literal(kind.name)))"
            return "\(LuaText.key(kind.name)) = \(function)"
        }
        if !functions.isEmpty { options.append("layers = { \(functions.joined(separator: ", ")) }") }
        return options.joined(separator: ", ")
    }

    /// The window size by which the package lua-zlib selects a layer's format.
    private static func window(_ kind: LayerKind) -> Int? {
        switch kind {
        case .zlib: 15
        case .deflate: -15
        case .gzip: 31
        default: nil
        }
    }
}
