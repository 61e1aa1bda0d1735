// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// One `state` of the `packet`.
public struct StateDescription: Equatable, Sendable {
    /// The name in the schema.
    public var name: String
    /// The type: an integer, `bool`, `bit`, an enum or flags.
    public var type: TypeDescription
    /// The comments above the state or after it; may be empty.
    public var documentation: String
    /// The place of its name.
    public var location: SourceLocation

    /// Makes a description of a state.
    public init(name: String, type: TypeDescription, documentation: String, location: SourceLocation) {
        self.name = name
        self.type = type
        self.documentation = documentation
        self.location = location
    }
}

/// The state that a message sets: `@sets(phase = play)`.
public struct StateValue: Equatable, Sendable {
    /// The position of the state in ``ProtocolDescription/states``.
    public var state: Int
    /// The number that the state becomes.
    public var value: Int128

    /// Makes a value.
    public init(state: Int, value: Int128) {
        self.state = state
        self.value = value
    }
}

extension ProtocolDescription {
    package func state(named name: String) -> Int? { states.firstIndex { $0.name == name } }

    /// The messages that set states, as the layout needs them.
    package var stateChanges: [PacketStateChange] {
        messages.flatMap { message -> [PacketStateChange] in
            guard let change = message.stateChange else { return [] }
            return Sender.allCases.filter(message.senders.contains).map {
                PacketStateChange(messageID: message.id, from: $0, sets: states[change.state].name, to: change.value)
            }
        }
    }

    /// Returns the integer for a value of an integer type, of `bool` or `bit`, of an enum or of flags; nil for other
    /// types.
    package func integerFormat(of type: TypeDescription) -> IntegerFormat? {
        switch type {
        case .integer(let format, _): format
        case .boolean, .bit: IntegerFormat(bitWidth: 1, isSigned: false)
        case .enumeration(let index, _): enumerations[index].format
        case .flags(let index, _): flagSets[index].format
        default: nil
        }
    }
}
