// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated TypeScript, in pieces: see ``RuntimeText``.
///
/// Readers throw a `WireError` with the path of the names that they are in (`r.at`) and of the field `f`, and the offset.
enum TypeScriptRuntime {
    /// Returns the pieces that the file of a protocol may contain.
    ///
    /// - Parameters:
    ///   - lead: The bytes that the longest header has.
    ///   - hasWideIntegers: Whether some integers are beyond 53 bits, and so of the type `bigint`.
    static func text(for plan: CodePlan, lead: Int, hasWideIntegers: Bool, _ form: TypeScriptForm) -> RuntimeText {
        let more = [
            ("dependsOnSender", plan.dependsOnSender), ("changes", plan.context?.changes.isEmpty == false),
            ("headers", plan.description.hasHeaderConditions),
            ("defaults", plan.messages.contains { $0.fields.contains { $0.absent != nil } }),
        ]
        var constants = plan.constants
        constants["LONGEST_HEADER"] = String(lead)
        constants["MAXIMUM_INFLATED"] = String(plan.layers?.maximumByteCount ?? 0)
        constants["MESSAGE_ID"] = TypeScriptTypes.number(plan.idRange)
        constants["ZERO_ID"] = plan.idRange.isWide ? "BigInt(0)" : "0"
        let firsts = Set(plan.marks.escapes.map(\.first)).sorted()
        constants["FRAME_FIRST(x)"] = test("x", firsts)
        constants["FRAME_ESCAPED(packet[i])"] = test("packet[i]", plan.marks.escapes.map(\.byte))
        constants["FRAME_MARKS(content, p)"] = marksTest(plan.marks)
        let file = RuntimeFile.typeScript.with(
            plan.features.union(more.filter(\.1).map(\.0)), constants, each: plan.escapes)
        return text(of: file, hasWideIntegers: hasWideIntegers, form)
    }

    private static func text(of file: RuntimeFile, hasWideIntegers: Bool, _ form: TypeScriptForm) -> RuntimeText {
        var text = form.text(of: TypeScriptAnnotations.marked(file.text("all")))
        // The word does not occur where no field is that wide.
        if !hasWideIntegers { text = text.replacing(" | bigint", with: "") }
        return RuntimeText(text, lineComment: "//", name: declaredName)
    }

    private static func test(_ value: String, _ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "false" : bytes.map { "\(value) === \($0)" }.joined(separator: " || ")
    }

    /// The test for marks up to the end, with nothing between them: they may follow the last packet.
    private static func marksTest(_ marks: PacketFraming) -> String {
        marks.hasSameMarks
            ? "content.subarray(p).every(x => x === \(marks.start))"
            : "(content.length - p) % 2 === 0 && content.subarray(p).every((x, i) => x === (i % 2 === 0 ? \(marks.start) : \(marks.end)))"
    }

    // MARK: Names

    /// The names of the functions and types that programs use. All of them are always there.
    static let exportedNames: Set<String> = [
        "Received", "Unknown", "MessageType", "Side", "encode", "encodeUnknown", "decode", "PacketSplitter",
        "WireError",
    ]

    /// The names of the types that programs use if packets have layers.
    static func layerNames(hasPackets: Bool) -> Set<String> {
        Set(["Layer", "Layered", "Transform", "Part", "Keystream"]).union(
            hasPackets ? ["Inner", "Packets", "inner", "encodePackets"] : [])
    }

    /// The names of all pieces, which a schema's types and constants cannot have.
    static let names = names(with: [])

    /// The names of all pieces of a module with layers.
    static let namesWithLayers = names(with: ["connection", "sender", "layers", "packets", "threshold"])

    private static func names(with features: Set<String>) -> Set<String> {
        text(of: RuntimeFile.typeScript.with(features), hasWideIntegers: true, .module).names
    }

    private static func declaredName(_ line: Substring) -> String? {
        var words = line.split(separator: " ")[...]
        while let first = words.first, ["export", "declare", "abstract"].contains(first) { words = words.dropFirst() }
        guard let kind = words.first, ["function", "const", "let", "class", "interface", "type"].contains(kind),
            let name = words.dropFirst().first
        else { return nil }
        return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
}
