// SPDX-License-Identifier: Apache-2.0

/// The runtime in each generated file. Methods that the code does not call are left out.
enum JavaRuntime {
    /// The runtime's classes; a schema's types cannot have their names.
    static let names = names(in: ["types", "steps", "reader", "writer", "checksum", "filled", "frame"])
    /// The additional classes of protocols with layers.
    static let namesOfLayers = names(in: ["layer", "part", "work", "keystream", "innerPackets"])

    private static func names(in regions: [String]) -> Set<String> {
        RuntimeFile.java.withAllFeatures.names(after: ["class", "interface", "enum"], in: regions)
    }

    static func file(for plan: GeneratorModel) -> RuntimeFile {
        var constants = plan.constants
        constants["atMarks(content, p)"] = plan.marksTest
        constants["PROTOCOL_CLASS"] = JavaDialect(plan).className
        return RuntimeFile.java.with(plan.features, constants)
    }
}
