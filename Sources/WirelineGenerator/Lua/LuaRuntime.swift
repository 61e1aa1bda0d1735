// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Lua, in pieces: see ``RuntimeText``.
enum LuaRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: LuaRuntimeParameters) -> RuntimeText {
        RuntimeText(parameters.file.text("pieces"), lineComment: "--", objects: objects) { line in
            for start in ["local function ", "local ", "function "] where line.hasPrefix(start) {
                return String(
                    line.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
            }
            return nil
        }
    }

    /// The variables of the reader and the writer, whose functions are pieces.
    static let objects = "rw"

    /// What each file begins with.
    static func beginning(_ parameters: LuaRuntimeParameters) -> String { parameters.file.text("beginning") + "\n" }

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
