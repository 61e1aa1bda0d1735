// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineLanguage
public import WirelineSwiftGenerator

/// Generates a dissector for Wireshark and tshark, in Lua.
///
/// The file needs no other file. It runs in Lua 5.1 to 5.4, all versions that Wireshark has used; tests use tshark 4.0.
/// It accepts and refuses the same packets as the schema-driven codec, with the same error texts. The same description
/// gives the same bytes.
///
/// | in the schema | in Wireshark |
/// |---|---|
/// | the protocol `Scene` | `scene.lua`; the protocol and the filter `scene` |
/// | the message `Cs_20001` | `scene.cs_20001` |
/// | its field `SceneId` | `scene.cs_20001.scene_id` |
/// | the field `x` of the struct `Point`, in any place | `scene.point.x` |
/// | the arm `mileage` of the union `Extra`, in any place | `scene.extra.mileage`; the tag of a field `.tag` |
/// | the field `length` of header or trailer | `scene.packet.length` |
/// | the items of a list `tags` | `scene.join.tags` for each; `.tags.list` for the list, `.tags.count` for its count |
/// | the flag `mute` of a field `rights` | `scene.join.rights.mute` |
/// | fields that share bytes | each with its own bits of them, as a filter sees them: `scene.say.kind == 3` |
/// | the byte count before a string or bytes | `.length`; before a sized struct or union `.size` |
/// | a line of `properties prop` | `.prop.property`, which contains `.prop.key` and `.prop.value` |
/// | name and ID of a packet's message, and its sender | `scene.message`, `scene.id`, `scene.sender` |
/// | layers, packets inside of a packet | `scene.layer`, `scene.packets`; what was not opened `scene.sealed` |
/// | the state `phase` at first, the key `session` | the preferences `scene.state_phase`, `scene.key_session` |
/// | bytes that the protocol does not define | `scene.payload`, `scene.trailing`, `scene.unknown` |
/// | errors in a packet | `scene.error.truncated` and others; `scene.note.…` for facts that are not errors |
public struct WiresharkGenerator: Sendable {
    private let description: ProtocolDescription

    /// Makes a generator for a protocol, as returned by the checker.
    public init(_ description: ProtocolDescription) { self.description = description }

    /// The protocol's name in Wireshark: the prefix of all its filters and preferences.
    ///
    /// It is `wire_mqtt` if `mqtt` is one of Wireshark's own protocols.
    public var filter: String { WiresharkNaming(description).filter }

    /// Returns the only file.
    public func files() -> [GeneratedFile] {
        let naming = WiresharkNaming(description)
        let parts = [banner, WiresharkTables(description, naming).text(), WiresharkRuntime.text(for: description)]
        let text = parts.joined(separator: "\n")
        return [GeneratedFile(path: naming.file + ".lua", text: text)]
    }

    private var banner: String { description.fileHead("--") + "\n" }
}
