// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the states of a protocol's connections, with their types.
struct SwiftStates {
    private let types: SwiftTypes

    init(_ types: SwiftTypes) {
        self.types = types
    }

    /// Writes an extension for each state, and nothing without states.
    func write(to source: inout SwiftSource) {
        let states = types.description.states
        let names = SwiftIdentifier.members(
            states.map { SwiftWords.lowerCamel($0.name, fallback: "state") }, reserved: ["name"])
        var isConforming: Set<String> = []
        for (state, name) in zip(states, names) {
            let type = types.text(state.type)
            if isNamed(state.type), isConforming.insert(type).inserted {
                source.line("extension \(type): WirelineCodec::ConnectionStateValue {}")
                source.blank()
            }
            let definition = types.naming.protocolName
            source.block(
                "extension WirelineCodec::ConnectionState where Definition == \(definition), Value == \(type)"
            ) { source in
                source.documentation(
                    state.documentation.isEmpty
                        ? "The state `\(state.name)` of a connection; 0 or false at first." : state.documentation)
                source.line(
                    "public static var \(SwiftIdentifier.quoted(name)): Self { Self(\(SwiftText.literal(state.name))) }"
                )
            }
            source.blank()
        }
    }

    private func isNamed(_ type: TypeDescription) -> Bool {
        switch type {
        case .enumeration, .flags: true
        default: false
        }
    }
}
