// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated C#. Methods that the code does not call are left out.
enum CSharpRuntime {
    /// The runtime's types; a schema's types cannot have their names.
    static let names = names(in: ["types", "steps", "reader", "writer", "checksum", "bits", "frame"])
    /// The additional types of protocols with layers.
    static let namesOfLayers = names(in: ["layer", "part", "work", "keystream", "innerPackets"])

    private static func names(in regions: [String]) -> Set<String> {
        RuntimeFile.cSharp.withAllFeatures.names(after: ["class", "struct", "enum"], in: regions)
    }

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
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
