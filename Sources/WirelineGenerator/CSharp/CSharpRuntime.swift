// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated C#: what every file has, and pieces of which those stay that the printed code calls.
enum CSharpRuntime {
    /// The names of types that a schema's types cannot have.
    static let names = names(in: ["types", "steps", "reader", "writer", "checksum", "bits", "frame"])
    /// Those of types that only protocols with layers have.
    static let namesOfLayers = names(in: ["layer", "part", "work", "keystream", "innerPackets"])

    private static func names(in regions: [String]) -> Set<String> {
        RuntimeFile.cSharp.withAllFeatures.names(after: ["class", "struct", "enum"], in: regions)
    }

    /// Returns the file as a protocol needs it.
    static func file(for plan: GeneratorModel) -> RuntimeFile {
        var constants = plan.constants
        constants["Packets.AtMarks(content, p)"] = plan.marksTest
        for (name, value) in plan.constants {
            constants["Limits." + name.split(separator: "_").map(\.capitalized).joined()] = value
        }
        return RuntimeFile.cSharp.with(plan.features, constants)
    }
}

extension Substring {
    /// The word with a capital, and small letters after it.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
