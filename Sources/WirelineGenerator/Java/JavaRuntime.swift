// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The runtime of generated Java: what every file has, and pieces of which those stay that the printed code calls.
enum JavaRuntime {
    /// The names of classes that a schema's types cannot have.
    static let names: Set<String> = [
        "WireException", "Sender", "Message", "UnknownMessage", "Packet", "PacketWriter", "Splitter", "Steps", "Reader",
        "Writer",
        "Checksum", "Frame", "Maker",
    ]

    /// Returns the file as a protocol needs it.
    static func file(for plan: CodePlan) -> RuntimeFile {
        let options = plan.description.options
        let limits = [
            "MAXIMUM_DEPTH": String(options.maximumDepth), "MAXIMUM_SIZE": String(options.maximumPacketByteCount),
        ]
        return RuntimeFile.java.with(plan.features, limits)
    }
}
