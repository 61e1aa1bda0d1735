// SPDX-License-Identifier: Apache-2.0

enum CppRuntime {
    /// The regions that a generator asks for.
    private static let regions = [
        "base", "property", "union", "box", "message", "layerTypes", "members", "view", "helpers", "boxes", "steps",
        "reader",
        "writer", "checksum", "frame", "opened", "part", "reading", "keyFacts", "work", "interface",
    ]

    /// All words of the runtime: types of a schema cannot have these names, nor those of the standard library's macros.
    static let words: Set<String> = {
        let file = RuntimeFile.cpp.with(["frames", "keys", "layers", "packets", "program", "streams"])
        return regions.reduce(into: ["Header", "Connection", "EOF", "NULL"]) { words, region in
            words.formUnion(RuntimeText.words(of: file.text(region)[...], lineComment: "//", hasKeys: false))
        }
    }()

    static func file(for plan: GeneratorModel) -> RuntimeFile {
        let own = plan.transformsOfProgram
        let counts = [
            "OWN_COUNT": own.count, "OWN_ROOM": 2 * own.count, "FIXED_COUNT": plan.fixedHeaderFields.count,
            "RULE_COUNT": (plan.layers?.kinds.count ?? 0) + 2,
        ]
        let constants = counts.mapValues(String.init).merging(["LAYER_NAMES": own.joined(separator: ", ")]) { $1 }
        return RuntimeFile.cpp.with(features(of: plan), plan.constants.merging(constants) { _, own in own })
    }

    /// Returns the names of the regions to keep.
    static func features(of plan: GeneratorModel) -> Set<String> {
        plan.features.subtracting(["program"]).union(plan.transformsOfProgram.isEmpty ? [] : ["program"])
    }
}
