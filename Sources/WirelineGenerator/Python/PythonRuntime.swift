// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Python, in pieces: see ``RuntimeText``.
enum PythonRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: PythonRuntimeParameters) -> RuntimeText {
        // Pieces of a runtime have one empty line between them.
        let text = parameters.file.text("pieces").replacing("\n\n\n", with: "\n\n")
        return RuntimeText(text, lineComment: "#", hasKeys: false, name: declaredName)
    }

    /// The names of all pieces, which a schema's types and constants cannot have.
    static let names = text(PythonRuntimeParameters()).names.union(apiNames)

    private static func declaredName(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let first = words.first, line.first != "@", line.first != " ", line.first != "#" else { return nil }
        let name = ["class", "def"].contains(first) ? words.dropFirst().first : first
        return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }
}
