// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The runtime of generated Rust. Functions that the printed code does not call are left out.
struct RustRuntime {
    private let file: RuntimeFile

    init(_ plan: GeneratorModel) {
        let marks = plan.marks
        let firsts = Set(marks.escapes.map(\.first)).sorted().map(String.init)
        let features = [
            ("flags", !plan.names.flagSets.isEmpty), ("program", !plan.transformsOfProgram.isEmpty),
        ].filter(\.1).map(\.0)
        let own = [
            "MAXIMUM_INFLATED": String(plan.layers?.maximumByteCount ?? 0),
            "FRAME_MARKS": (marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]).map { "\($0)" }
                .joined(separator: ", "),
            "ESCAPE_FIRSTS": firsts.count == 1 ? firsts[0] : "(\(firsts.joined(separator: " | ")))",
            "LAYER_WORDS": plan.transformsOfProgram.map { "`\($0)`" }.joined(separator: ", "),
        ]
        file = RuntimeFile.rust.with(
            plan.features.union(features), plan.constants.merging(own) { $1 }, each: plan.escapes)
    }

    /// Returns the non-empty parts of the runtime around code that calls some functions.
    func parts(_ plan: GeneratorModel, calledBy code: [String]) -> [String] {
        var calls = StatementBuilder.calls(in: code).union(["require"])
        // Callees follow their callers in the runtime.
        func text(_ name: String) -> String {
            file.text(name) { methods in
                let called = BraceText.called(methods, by: calls)
                calls.formUnion(StatementBuilder.calls(in: [called]))
                return called
            }
        }
        return ["interface"].map { file.text($0) } + ["trail", "reader", "writer", "functions", "floats"].map(text)
            + (plan.description.layout.framing == nil ? [] : [file.text("frame")])
            + (plan.layers == nil ? [] : [file.text("layers")])
    }

    var members: [String] { file.text("members").split(separator: "\n").map(String.init) }

    // MARK: What the file declares

    private static let all = RuntimeFile.rust.withAllFeatures

    static let memberNames = Set(all.text("members").split(separator: "\n").map { String($0.prefix { $0 != ":" }) })

    /// Returns the lines of all functions in some regions.
    private static func heads(_ regions: [String]) -> [Substring] {
        regions.flatMap { all.text($0).split(separator: "\n").map { $0.drop { $0 == " " } } }.filter {
            $0.hasPrefix("fn ") || $0.hasPrefix("pub fn ")
        }
    }

    private static func names(_ heads: [Substring]) -> Set<String> {
        Set(
            heads.compactMap { $0.split(separator: " ").first { $0 != "fn" && $0 != "pub" } }.map {
                String($0.prefix { $0 != "(" && $0 != "<" })
            })
    }

    private static let methods = heads(["reader", "writer", "functions"])

    static let fallible = names(methods.filter { $0.contains("-> Result<") })
    /// The functions that change the reader or the writer.
    static let mutating = names(methods.filter { $0.contains("(&mut self") })
    /// The functions whose first argument is borrowed.
    static let borrowing = names(methods.filter { $0.contains(", v: &") })

    /// Returns the names of types that a module declares for itself.
    static func declarations(hasLayers: Bool, hasFrames: Bool) -> Set<String> {
        let regions =
            ["interface", "trail", "reader", "writer"] + (hasLayers ? ["layers"] : []) + (hasFrames ? ["frame"] : [])
        return all.names(after: ["struct", "enum", "trait", "type", "static"], in: regions)
    }
}
