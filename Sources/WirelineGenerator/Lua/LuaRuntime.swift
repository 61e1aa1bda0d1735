// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Lua, in pieces: see ``RuntimeText``.
enum LuaRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: LuaRuntimeParameters) -> RuntimeText {
        RuntimeText(parameters.file.text("pieces"), lineComment: "--") { line in
            for start in ["local function ", "local "] where line.hasPrefix(start) {
                return String(line.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            }
            return nil
        }
    }

    /// What each file begins with.
    static let beginning = RuntimeFile.lua.text("beginning") + "\n"

    /// What programs call: `decode`, `encode`, `splitter` and, for flags, `has`. It stands at the end of each file.
    static func program(_ parameters: LuaRuntimeParameters) -> String {
        [
            parameters.hasConnection ? parameters.context + "\n\n" + connection(parameters) : nil,
            parameters.file.text("receiving"), parameters.hasLayers ? nil : parameters.file.text("sending"),
            parameters.file.text("encode"), parameters.file.text("splitting"),
            parameters.hasFlags ? parameters.file.text("flags") : nil, "return M\n",
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    /// The functions that read and write packets of a connection.
    private static func connection(_ parameters: LuaRuntimeParameters) -> String {
        parameters.file.text("changing") + "\n\n" + parameters.file.text(parameters.hasLayers ? "layered" : "states")
    }
}
