// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated Python. Modules contain its whole interface, and the pieces that the printed code calls.
struct PythonRuntime {
    private let file: RuntimeFile

    init(_ plan: GeneratorModel) {
        let layers = plan.layers
        let needsXOR = layers?.hasAES == true
        let more = [
            ("header", plan.description.hasHeaderConditions), ("nests", plan.nests),
            ("shaped", plan.takesSender), ("given", layers?.needsProgram == true), ("xor", needsXOR),
        ]
        let features = plan.features.union(more.filter(\.1).map(\.0))
        file = RuntimeFile.python.with(features, Self.constants(of: plan))
    }

    private static func constants(of plan: GeneratorModel) -> [String: String] {
        let (marks, own) = (plan.marks, plan.layers?.programLayers ?? [])
        let escapes = marks.escapes.map { "(\($0.first), \($0.second)): \($0.byte)" }
        let escaped = marks.escapes.map { "\($0.byte): \(PythonText.bytes([$0.first, $0.second]))" }
        let special = Set([marks.start, marks.end] + marks.escapes.map(\.first)).sorted()
        let constants = [
            "MAXIMUM_INFLATED": String(plan.layers?.maximumByteCount ?? 0), "HEADER_VALUE": plan.headerType,
            "FRAME_MARKS": PythonText.bytes(marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]),
            "FRAME_ESCAPES": "{\(escapes.joined(separator: ", "))}",
            "FRAME_ESCAPED": "{\(escaped.joined(separator: ", "))}",
            "FRAME_PLAIN": "rb\"[^\(LiteralText.escapes(special))]*\"",
            "PROGRAM_LAYERS": PythonText.tuple(own.map(PythonText.string)),
            "LAYER_NAMES": own.map { "`\($0)`" }.joined(separator: ", "),
        ]
        return plan.constants.merging(constants) { _, own in own }
    }

    /// The classes of the interface that precede the protocol's types.
    func classes(_ plan: GeneratorModel) -> [String] {
        [file.text("classes")] + (plan.context == nil ? [] : [file.text("connectionClass")])
            + (plan.layers == nil ? [] : [file.text("layerClasses")])
    }

    /// The functions of the interface, and `Splitter`.
    ///
    /// - Parameter shapes: The module's code for connections.
    func functions(_ plan: GeneratorModel, shapes: [String]) -> [String] {
        [file.text("encoding")] + shapes + (plan.takesSender ? [file.text("shaped")] : [])
            + ["decoding", "splitter"].map { file.text($0) }
    }

    /// The pieces that a module may contain.
    var pieces: RuntimeText { Self.pieces(file) }

    private static func pieces(_ file: RuntimeFile) -> RuntimeText {
        // `RuntimeText` expects one empty line between pieces.
        let text = file.text("pieces").replacing("\n\n\n", with: "\n\n")
        return RuntimeText(text, lineComment: "#", hasKeys: false, name: declaredName)
    }

    /// The names that a schema's types and constants cannot have: those of pieces, of the interface, and of the module
    /// itself.
    static let names: Set<String> = {
        let features = [
            "connection", "layers", "packets", "keys", "inflating", "xor", "rc4", "aes_ctr", "aes_cbc", "program",
        ]
        let file = RuntimeFile.python.with(Set(features))
        let regions = [
            "classes", "connectionClass", "layerClasses", "encoding", "shaped", "decoding", "splitter", "tables",
        ]
        let lines = regions.flatMap { file.text($0).split(separator: "\n") }
        return pieces(RuntimeFile.python.with([])).names.union(lines.compactMap(declaredName)).union(shapedNames)
    }()

    /// The functions of shapes. Their suffix is the sender or a number.
    private static var shapedNames: [String] {
        let parts = ["", "_outer", "_flat"] + (1...PacketContent.maximumLayerCount).map { "_inside\($0)" }
        let numbered = (0..<2 << ContextTest.maximumCount).flatMap { number in parts.map { "\($0)_\(number)" } }
        return (["", "_client", "_server"] + numbered).flatMap { end in
            ["_decode", "_wrap", "_fitted"].map { $0 + end }
        }
    }

    private static func declaredName(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let first = words.first, let mark = line.first, mark.isLetter || mark == "_" else { return nil }
        let name = ["class", "def"].contains(first) ? words.dropFirst().first : first
        return name.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
    }
}
