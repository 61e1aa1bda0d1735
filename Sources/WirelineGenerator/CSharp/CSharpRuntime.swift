// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The runtime of generated C#: what every file has, and pieces of which those stay that the printed code calls.
enum CSharpRuntime {
    /// The names of types that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "PacketSplitter", "Steps",
        "Reader",
        "Writer", "Checksum", "Frame", "Packets", "System",
    ]

    /// Returns the file as a protocol needs it.
    static func file(for plan: CodePlan) -> RuntimeFile {
        let options = plan.description.options
        let limits = [
            "Limits.MaximumDepth": String(options.maximumDepth),
            "Limits.MaximumSize": String(options.maximumPacketByteCount),
        ]
        return RuntimeFile.cSharp.with(plan.features, limits)
    }
}
