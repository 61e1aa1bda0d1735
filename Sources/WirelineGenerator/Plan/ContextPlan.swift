// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How the shape of a packet follows from its sender, from the states of the connection, and from whether it stands inside another
/// packet.
///
/// A packet has a number: bit 0 says that the server sends it, and bit `n + 1` that test `n` holds. The shape of a number is in
/// ``shapes``.
struct ContextPlan: Sendable {
    let states: [State]
    /// Each looks at one state, or at whether the packet stands inside another one.
    let tests: [WireCondition]
    /// The number of the shape for each number of a packet; 0 for numbers that no packet has.
    let shapes: [Int]
    /// What messages do to states.
    let changes: [Change]
    /// Whether the sender must be known of a message that both sides send.
    let needsSender: Bool

    /// A state of the connection; it is 0 at first.
    struct State: Sendable {
        /// The name in the schema.
        let name: String
        let type: TypeDescription
        let range: ClosedRange<Int128>
        let documentation: String

        /// Whether it is `true` or `false`.
        var isBoolean: Bool {
            switch type {
            case .boolean, .bit: true
            default: false
            }
        }
    }

    /// After a message, a state becomes a number.
    struct Change: Sendable {
        let sender: Sender
        let messageID: UInt64
        let state: Int
        let value: Int128
    }

    /// Plans the contexts of packets.
    ///
    /// - Parameter shapes: The number of the shape for each of the layout's combinations.
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
    /// Whether packets depend on states of the connection. States that no condition tests make no difference.
    var dependsOnStates: Bool { hasStates && dependsOnContext }
}
