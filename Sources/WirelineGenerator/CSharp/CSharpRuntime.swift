// SPDX-License-Identifier: Apache-2.0

/// The runtime of generated C#: what every file has, and pieces of which those stay that the printed code calls.
enum CSharpRuntime {
    /// The names of types that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "PacketSplitter", "Steps",
        "Reader", "Writer", "Checksum", "Frame", "Packets", "System",
    ]

    /// Returns the file as a protocol needs it.
    static func file(for plan: CodePlan) -> RuntimeFile {
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
