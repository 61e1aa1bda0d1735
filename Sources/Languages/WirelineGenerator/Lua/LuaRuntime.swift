// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated Lua, reduced to what a protocol needs. Its functions are pieces: see ``RuntimeText``.
struct LuaRuntime {
    let file: RuntimeFile
    private let plan: GeneratorModel

    init(_ plan: GeneratorModel) {
        self.plan = plan
        let layers = plan.layers
        let features = [
            ("depth", plan.nests), ("wideIDs", plan.idRange.isWide), ("program", !plan.transformsOfProgram.isEmpty),
        ].filter(\.1).map(\.0)
        let own = [
            "MAXIMUM_INFLATED": String(layers?.maximumByteCount ?? 0),
            "RULE_PACKETS": String((layers?.kinds.count ?? 0) + 1),
            "RULE_OPAQUE": String((layers?.kinds.count ?? 0) + 2),
            "LAYER_NAMES": plan.transformsOfProgram.joined(separator: ", "),
        ]
        file = RuntimeFile.lua.with(
            plan.features.union(features), plan.constants.merging(own.merging(Self.marks(plan.marks)) { $1 }) { $1 })
    }

    private static func marks(_ marks: PacketFraming) -> [String: String] {
        let escapes = Dictionary(grouping: marks.escapes, by: \.first).sorted { $0.key < $1.key }.map {
            first, escapes in
            "[\(first)] = \(LuaText.table(escapes.map { "[\($0.second)] = \(LuaText.literal([$0.byte]))" }))"
        }
        let escaped = marks.escapes.map {
            "[\(LuaText.literal([$0.byte]))] = \(LuaText.literal([$0.first, $0.second]))"
        }
        let special = [marks.start, marks.end] + marks.escapes.map(\.first)
        return [
            "FRAME_OPENING": LuaText.literal([marks.start]), "FRAME_CLOSING": LuaText.literal([marks.end]),
            "FRAME_SPECIAL": pattern("", special), "FRAME_ESCAPABLE": pattern("", marks.escapes.map(\.byte)),
            "FRAME_CONTENT": pattern("^", [marks.start, marks.end]),
            "FRAME_ESCAPES": LuaText.table(escapes),
            "FRAME_ESCAPED": LuaText.table(escaped),
        ]
    }

    /// Returns a pattern literal for one of some bytes, or with `^` for any other. Before Lua 5.2 a pattern cannot
    /// contain byte 0.
    private static func pattern(_ mark: String, _ bytes: [UInt8]) -> String {
        let all = Set(bytes).sorted().map { byte -> String in
            if byte == 0 { return "%z" }
            // After `%`, letters and digits have special meanings.
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isLetter || character.isNumber
            return (isPlain ? "" : "%") + LuaText.literal([byte]).dropFirst().dropLast()
        }
        return "\"[\(mark)\(all.joined())]\""
    }

    /// The functions of a module that programs call.
    static let moduleFunctions: Set<String> = {
        let regions = ["states", "layered", "receiving", "encode", "splitting", "flags"]
        let lines = regions.flatMap { RuntimeFile.lua.withAllFeatures.text($0).split(separator: "\n") }
        return Set(lines.filter { $0.hasPrefix("function M.") }.map { String($0.dropFirst(11).prefix { $0 != "(" }) })
    }()

    /// The objects whose functions are pieces: the reader, the writer, and the makers of zero values.
    private static let objects = "rwZ"

    /// Returns the functions that code needs.
    ///
    /// - Parameter zeros: More functions that the code may need.
    func pieces(for code: [String], zeros: [String]) -> String {
        let pieces = ([file.text("pieces")] + zeros).joined(separator: "\n\n")
        let runtime = RuntimeText(pieces, lineComment: "--", objects: Self.objects) { line in
            for start in ["local function ", "local ", "function "] where line.hasPrefix(start) {
                return String(
                    line.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
            }
            return nil
        }
        return runtime.text(
            for: code.reduce(into: []) { used, text in
                used.formUnion(RuntimeText.words(of: text[...], lineComment: "--", objects: Self.objects))
            })
    }

    /// The functions for programs: `decode`, `encode`, `splitter` and, for flags, `has`. They are at the end of each
    /// file.
    var program: String {
        let hasLayers = plan.layers != nil
        return [
            plan.context == nil ? nil : file.text(hasLayers ? "layered" : "states"), file.text("receiving"),
            hasLayers ? nil : file.text("sending"), file.text("encode"), file.text("splitting"),
            plan.description.flagSets.isEmpty ? nil : file.text("flags"), "return M\n",
        ].compactMap(\.self).joined(separator: "\n\n")
    }
}
