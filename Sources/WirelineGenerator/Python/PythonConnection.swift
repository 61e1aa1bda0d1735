// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of a connection's states: their ranges, the function that finds the shape of a packet, and what messages do
/// to states.
struct PythonConnection {
    let types: PythonTypes
    let plan: ContextPlan

    /// The tables and the function, as one text.
    var text: String {
        let shapes = types.plan.shapes.map(PythonUnwrapping.suffix)
        let states = plan.states.map {
            "\(PythonText.string($0.name)): (\($0.range.lowerBound), \($0.range.upperBound))"
        }
        let changes = plan.changes.map { change in
            let state = plan.states[change.state]
            let key = "(\"\(change.sender.rawValue)\", \(change.messageID))"
            return "    \(key): (\(PythonText.string(state.name)), \(value(change.value, of: state))),\n"
        }
        let bits = plan.tests.enumerated().map { "(\(text(of: $1))) << \($0 + 1)" }
        let number = (["(sender == \"server\")"] + bits).joined(separator: " | ")
        return """
            # The least and the greatest number of each state.
            _STATES: Final[Mapping[str, tuple[int, int]]] = {\(states.joined(separator: ", "))}

            # What messages do to states, by their sender and ID.
            _CHANGES: Final[Mapping[tuple[str, int], tuple[str, int]]] = {
            \(changes.joined())}

            _DECODERS: Final = (\(shapes.map { "_decode\($0)" }.joined(separator: ", ")),)

            _WRAPPERS: Final = (\(shapes.map { "_wrap\($0)" }.joined(separator: ", ")),)

            _SHAPES: Final = (\(plan.shapes.map(String.init).joined(separator: ", ")),)


            def _shape(sender: str, connection: Connection) -> int:
                \"\"\"The position of a packet's shape, by its sender and by the tests of states that hold.\"\"\"
                s = _checked_states(connection.states)
                return _SHAPES[\(number)]
            """
    }

    private func text(of test: WireCondition) -> String {
        PythonTypes.condition(test) { operand in
            guard case .state(let name) = operand else { return "0" }
            return "s.get(\(PythonText.string(name)), 0)"
        }
    }

    private func value(_ number: Int128, of state: ContextPlan.State) -> String {
        if state.isBoolean { return number != 0 ? "True" : "False" }
        if case .enumeration(let index, _) = state.type {
            let cases = types.description.enumerations[index].cases
            if let position = cases.firstIndex(where: { $0.value == number }) {
                let names = types.plan.names.enumerations[index]
                return "\(names.name).\(names.cases[position])"
            }
        }
        return String(number)
    }
}

extension PythonRuntime {
    /// The names of what a module has if packets depend on a connection.
    static let connectionNames: Set<String> = Set(
        [
            "Connection", "_CHANGES", "_DECODERS", "_SHAPES", "_STATES", "_WRAPPERS", "_change", "_checked_states",
            "_shape",
        ]
            + (0..<2 << ContextTest.maximumCount).flatMap { ["_decode_\($0)", "_wrap_\($0)", "_fitted_\($0)"] })

    /// The class for a connection. A line of spaces alone stands for an empty one.
    static let connection = #"""


        class Connection:
            """What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.

            `states` has numbers by the schema's names, True and False, or cases of an enum; a state that is not there is 0. Messages
            set states, and so may the program.
            """

            def __init__(self, states: Mapping[str, int] | None = None) -> None:
                self.states: dict[str, int] = dict(states or {})
        """#

    /// The functions that read and write packets of a connection.
    static func connectionFunctions(_ parameters: PythonRuntimeParameters) -> String {
        let sender =
            parameters.dependsOnSender ? ["if sender is None:", "    raise WireError(\"needs_sender\")"] : []
        let known = parameters.dependsOnSender ? "sender" : "sender or \"client\""
        return #"""

            \#(parameters.context)


            def _checked_states(states: Mapping[str, int]) -> Mapping[str, int]:
                for name, v in states.items():
                    if name not in _STATES:
                        raise WireError("unknown_state", f"state.{name}")
                    if not isinstance(v, int):
                        raise WireError("wrong_type", f"state.{name}")
                    if not _STATES[name][0] <= v <= _STATES[name][1]:
                        raise WireError("out_of_range", f"state.{name}")
                return states


            def _change(connection: Connection, sender: str, id: int) -> None:
                """What a message does to the states, for the packets after it."""
                change = _CHANGES.get((sender, id))
                if change is not None:
                    connection.states[change[0]] = change[1]


            def _decode(b: bytes, sender: str, start: int, connection: Connection) -> Packet | int:
                packet = _DECODERS[_shape(sender, connection)](b, sender, start)
                if isinstance(packet, Packet):
                    _change(connection, sender, packet.id)
                return packet


            def _wrap_from(connection: Connection, sender: str | None, id: int, payload: bytes, h: Mapping[str, Any]) -> bytes:
            \#(PythonText.indented(sender + ["packet = _WRAPPERS[_shape(\(known), connection)](id, payload, h)"]).joined(separator: "\n"))
                _change(connection, \#(known), id)
                return packet

            """#
    }
}
