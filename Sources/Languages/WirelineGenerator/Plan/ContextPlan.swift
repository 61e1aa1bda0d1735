// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Selects the shape of a packet by its sender, by the states of the connection, and by whether another packet contains
/// it.
///
/// A packet's context is a number: bit 0 is set if the server sends it, and bit `n + 1` if test `n` holds. ``shapes``
/// maps the number to a shape.
struct ContextPlan: Sendable {
    let states: [State]
    /// Each tests one state, or whether another packet contains the packet.
    let tests: [WireCondition]
    /// The shape for each context number; 0 for numbers that do not occur.
    let shapes: [Int]
    let changes: [Change]
    /// Whether a message that both sides send needs its sender to be known.
    let needsSender: Bool

    /// A state of the connection; it is 0 at first.
    struct State: Sendable {
        /// The name in the schema.
        let name: String
        let type: TypeDescription
        let range: ClosedRange<Int128>
        let documentation: String

        /// Whether its values are `true` and `false`.
        var isBoolean: Bool {
            switch type {
            case .boolean, .bit: true
            default: false
            }
        }
    }

    /// A message sets a state to a value.
    struct Change: Sendable {
        let sender: Sender
        let messageID: UInt64
        let state: Int
        let value: Int128
    }

    /// - Parameter shapes: The shape of each of the layout's combinations.
    init(_ description: ProtocolDescription, _ contexts: LayoutContexts, shapes numbers: [Int]) {
        states = description.states.map { state in
            State(
                name: state.name, type: state.type, range: description.integerFormat(of: state.type)?.range ?? 0...0,
                documentation: state.documentation)
        }
        tests = contexts.tests.map { .compares($0.operand, $0.comparison, $0.number) }
        var shapes = Array(repeating: 0, count: 2 << contexts.tests.count)
        for (combination, number) in zip(contexts.combinations, numbers) { shapes[combination.number] = number }
        self.shapes = shapes
        changes = description.messages.flatMap { message -> [Change] in
            guard let change = message.stateChange else { return [] }
            return Sender.allCases.filter(message.senders.contains).map {
                Change(sender: $0, messageID: message.id, state: change.state, value: change.value)
            }
        }
        let layout = description.layout
        needsSender = layout.dependsOnSender || layout.content.layers.contains { !$0.kind.arguments.isEmpty }
    }
}

extension PacketLayout {
    /// Whether packets depend on states of the connection. States without conditions make no difference.
    var dependsOnStates: Bool { hasStates && dependsOnContext }
}
