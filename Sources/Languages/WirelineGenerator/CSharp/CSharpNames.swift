// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// C#'s spelling of names, and the names that it or the runtime reserves.
extension NameStyle {
    static func cSharp(_ description: ProtocolDescription) -> NameStyle {
        let className = description.upperCamelName + "Protocol"
        let own =
            [className, description.upperCamelName + "Conform", "Header", "FloatBits"]
            + (description.layout.dependsOnStates || description.layout.hasContent ? ["Connection"] : [])
            + (description.layout.hasContent ? CSharpRuntime.namesOfLayers : [])
        // States share a class with these members of a connection.
        let layered: Set<String> = description.layout.hasContent ? ["SetKey", "SetLayer", "Threshold"] : []
        let inherited: Set<String> = [
            "Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString",
        ]
        let members = inherited.union(own).union([
            "Checksum", "Copy", "Fix", "MessageId", "MessageName", "MessageSender", "Packets", "Read", "System",
            "Verify", "Write", "_",
        ])
        // No word of C# begins with a capital. A member cannot have the name of its class.
        let types = CSharpRuntime.names.union(members).union(["Bytes", "Tag", "Trailing", "Value"])
        return NameStyle(
            types: Kind(spelling: .capitalized, reserved: types),
            fields: Kind(spelling: .upperCamel, reserved: members), cases: Kind(spelling: .upperCamel, reserved: ["_"]),
            constants: Kind(spelling: .upperCamel, reserved: members.union(types).union(["Decode", "Encode"])),
            headerFields: Kind(spelling: .upperCamel, reserved: members.union(layered)), trailing: "Trailing",
            arms: Kind(spelling: .upperCamel, reserved: types),
            membersDifferFromType: true)
    }
}
