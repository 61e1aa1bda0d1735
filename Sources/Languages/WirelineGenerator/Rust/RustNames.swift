// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Rust's spelling of names, and the names that it or the runtime reserves.
extension NameStyle {
    static func rust(_ description: ProtocolDescription) -> NameStyle {
        let (hasLayers, hasFrames) = (description.layout.hasContent, description.layout.framing != nil)
        let hasConnection = hasLayers || description.layout.dependsOnStates
        let types = rustTypes.union(RustRuntime.declarations(hasLayers: hasLayers, hasFrames: hasFrames))
            .union(hasConnection ? ["Connection"] : [])
        // States share a struct with these members of a connection.
        let members: Set<String> = hasLayers ? RustRuntime.memberNames.union(["threshold"]) : []
        let tables = words("_ INFLATES IS_LASTING KEYS LAYERINGS LAYER_PATHS OWN_LAYERS SHAPES")
        return NameStyle(
            types: Kind(spelling: .capitalized, reserved: types),
            fields: Kind(spelling: .snake, reserved: rustWords),
            cases: Kind(spelling: .shouting, reserved: ["_"]),
            constants: Kind(spelling: .shouting, reserved: types.union(tables)),
            headerFields: Kind(spelling: .snake, reserved: rustWords.union(members)), trailing: "trailing",
            arms: Kind(spelling: .upperCamel, reserved: types))
    }

    /// The language's types that generated code names, and the packets of both sides.
    static let rustTypes = words(
        "_ Box ClientPacket Clone Default Err From Header None Ok Option PartialEq Result Self Send ServerPacket Sized Some String Vec"
    )

    static let rustWords = words(
        """
        _ abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let
        loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized
        use virtual where while yield
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
