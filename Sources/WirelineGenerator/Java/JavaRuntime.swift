// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated Java: what every file has, and pieces of which those stay that the printed code calls.
enum JavaRuntime {
    /// The names of classes that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "Splitter", "Steps", "Reader",
        "Writer", "Checksum", "Frame", "Maker",
    ]

    /// Returns the file as a protocol needs it.
    static func file(for plan: CodePlan) -> RuntimeFile {
        var constants = plan.constants
        constants["atMarks(content, p)"] = plan.marksTest
        constants["PROTOCOL_CLASS"] = JavaDialect(plan).className
        return RuntimeFile.java.with(plan.features, constants)
    }
}
