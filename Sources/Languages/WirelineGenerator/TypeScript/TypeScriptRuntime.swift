// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated TypeScript, in pieces: see ``RuntimeText``.
///
/// Readers throw a `WireError` with the offset and the path: the enclosing names (`r.at`) and the field `f`.
enum TypeScriptRuntime {
    /// Returns the pieces that a protocol's file may contain, and those that its functions may need.
    static func text(for functions: TypeScriptFunctions) -> RuntimeText {
        let (plan, isForPages) = (functions.dialect.plan, functions.dialect.isForPages)
        let more = [
            ("types", !isForPages), ("programLayers", !plan.transformsOfProgram.isEmpty),
            ("changes", plan.context?.changes.isEmpty == false), ("headers", plan.description.hasHeaderConditions),
            ("defaults", plan.messages.contains { $0.fields.contains { $0.absent != nil } }),
        ]
        var constants = plan.constants
        if let layers = plan.layers { constants.merge(TypeScriptLayers(functions, layers).constants) { $1 } }
        constants["MAXIMUM_INFLATED"] = String(plan.layers?.maximumByteCount ?? 0)
        constants["MESSAGE_ID"] = TypeScriptDialect.number(plan.idRange)
        constants["ZERO_ID"] = plan.idRange.isWide ? "BigInt(0)" : "0"
        let firsts = Set(plan.marks.escapes.map(\.first)).sorted()
        constants["FRAME_FIRST(x)"] = test("x", firsts)
        constants["FRAME_ESCAPED(packet[i])"] = test("packet[i]", plan.marks.escapes.map(\.byte))
        constants["FRAME_MARKS(content, p)"] = marksTest(plan.marks)
        let file = RuntimeFile.typeScript.with(
            plan.features.union(more.filter(\.1).map(\.0)), constants, each: plan.escapes)
        var text = file.text("all")
        if isForPages { text = TypeScriptEraser.erased(text) }
        text = (functions.zeros + [text]).joined(separator: "\n\n")
        return RuntimeText(text, lineComment: "//", name: declaredName)
    }

    private static func test(_ value: String, _ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "false" : bytes.map { "\(value) === \($0)" }.joined(separator: " || ")
    }

    /// The test for adjacent marks up to the end: they may follow the last packet.
    private static func marksTest(_ marks: PacketFraming) -> String {
        marks.hasSameMarks
            ? "content.subarray(p).every(x => x === \(marks.start))"
            : "(content.length - p) % 2 === 0 && content.subarray(p).every((x, i) => x === (i % 2 === 0 ? \(marks.start) : \(marks.end)))"
    }

    // MARK: Names

    /// The functions and types of the interface. Every file has all of them.
    static let exportedNames = exportedNames(with: ["types"])

    /// The names of the interface for layers, and of types in the module's tables.
    static func layerNames(hasPackets: Bool) -> Set<String> {
        exportedNames(with: hasPackets ? ["types", "layers", "packets"] : ["types", "layers"])
            .union(["Layered", "Transform", "Part", "Keystream"])
    }

    private static func exportedNames(with features: Set<String>) -> Set<String> {
        let text = RuntimeFile.typeScript.with(features).text("all")
        return Set(text.split(separator: "\n").filter { $0.hasPrefix("export ") }.compactMap(declaredName))
    }

    /// The names of all pieces; a schema's types and constants cannot have them.
    static let names = names(with: ["types"])

    static let namesWithLayers = names(with: [
        "types", "connection", "sender", "layers", "packets", "threshold", "keys",
    ])

    private static func names(with features: Set<String>) -> Set<String> {
        RuntimeText(RuntimeFile.typeScript.with(features).text("all"), lineComment: "//", name: declaredName).names
    }

    private static func declaredName(_ line: Substring) -> String? {
        RuntimeText.declaredName(line, after: ["function", "const", "let", "class", "interface", "type"])
    }
}
