// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Java: what every file has, and pieces of which those stay that the printed code calls.
enum JavaRuntime {
    /// The names of classes that a schema's types cannot have.
    static let names = names(in: ["types", "steps", "reader", "writer", "checksum", "filled", "frame"])
    /// Those of classes that only protocols with layers have.
    static let namesOfLayers = names(in: ["layer", "part", "work", "keystream", "innerPackets"])

    private static func names(in regions: [String]) -> Set<String> {
        RuntimeFile.java.withAllFeatures.names(after: ["class", "interface", "enum"], in: regions)
    }

    /// Returns the file as a protocol needs it.
    static func file(for plan: GeneratorModel) -> RuntimeFile {
        var constants = plan.constants
        constants["atMarks(content, p)"] = plan.marksTest
        constants["PROTOCOL_CLASS"] = JavaDialect(plan).className
        return RuntimeFile.java.with(plan.features, constants)
    }
}
