// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of a connection: the ranges of states, the function that finds the shape of a packet, and what messages do to
/// states.
struct PythonConnection {
    let types: PythonTypes
    let plan: ContextPlan

    private var hasLayers: Bool { types.plan.layers != nil }

    /// The tables and the function, as one text.
    var text: String {
        let own = types.plan.layers.map { PythonLayers(types: types, plan: $0).text } ?? functionTables
        return [own, shapes, plan.states.isEmpty ? noStates : states].joined(separator: "\n\n\n")
    }

    private var functionTables: String {
        let shapes = types.plan.shapes.map(PythonUnwrapping.suffix)
        return """
            _DECODERS: Final = (\(shapes.map { "_decode\($0)" }.joined(separator: ", ")),)

            _WRAPPERS: Final = (\(shapes.map { "_wrap\($0)" }.joined(separator: ", ")),)
            """
    }

    private var shapes: String {
        let bits = plan.tests.enumerated().map { "(\(text(of: $1))) << \($0 + 1)" }
        let number = (["(sender == \"server\")"] + bits).joined(separator: " | ")
        let checking = plan.states.isEmpty ? "" : "\n    s = _checked_states(connection.states)"
        return """
            _SHAPES: Final = (\(plan.shapes.map(String.init).joined(separator: ", ")),)


            def _shape(sender: str, connection: Connection\(hasLayers ? ", nested: bool = False" : "")) -> int:
                \"\"\"The position of a packet's shape, by its sender and by the tests that hold.\"\"\"\(checking)
                return _SHAPES[\(number)]
            """
    }

    private var states: String {
        let states = plan.states.map {
            "\(PythonText.string($0.name)): (\($0.range.lowerBound), \($0.range.upperBound))"
        }
        let changes = plan.changes.map { change in
            let state = plan.states[change.state]
            let key = "(\"\(change.sender.rawValue)\", \(change.messageID))"
            return "    \(key): (\(PythonText.string(state.name)), \(value(change.value, of: state))),\n"
        }
        return """
            # The least and the greatest number of each state.
            _STATES: Final[Mapping[str, tuple[int, int]]] = {\(states.joined(separator: ", "))}

            # What messages do to states, by their sender and ID.
            _CHANGES: Final[Mapping[tuple[str, int], tuple[str, int]]] = {
            \(changes.joined())}


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
                \"\"\"What a message does to the states, for the packets after it.\"\"\"
                change = _CHANGES.get((sender, id))
                if change is not None:
                    connection.states[change[0]] = change[1]
            """
    }

    private var noStates: String {
        """
        def _change(connection: Connection, sender: str, id: int) -> None:
            \"\"\"No message changes anything but its own packet.\"\"\"
        """
    }

    private func text(of test: WireCondition) -> String {
        PythonTypes.condition(test) { operand in
            guard case .state(let name) = operand else { return hasLayers ? "nested" : "0" }
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
        """
        Connection Packets _CHANGES _DECODERS _IDENTIFIERS _INFLATING _KEYS _LASTING
        _LAYERED _NAMES _Part _SETTABLE _SHAPES _STATES _Section _Shape
        _WRAPPERS _Work _aes_ctr _aes_ctr_lasting _change _checked_states _chosen _deflated
        _inflated _inner _key _known _layer _moved _open _open_layer
        _open_packets _opened_aes_cbc _opened_by_program _rc4 _require_count _require_depth _seal _seal_layer
        _sealed _sealed_aes_cbc _sealed_by_program _sender_of _shape _whole _with_stream _written
        _xor _xor_key
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    ).union(numberedNames)

    /// The names of the functions of shapes that have a number.
    private static var numberedNames: [String] {
        let parts = ["", "_outer", "_flat"] + (1...PacketContent.maximumLayerCount).map { "_inside\($0)" }
        return (0..<2 << ContextTest.maximumCount).flatMap { number in
            parts.flatMap { part in ["_decode", "_wrap", "_fitted"].map { "\($0)\(part)_\(number)" } }
        }
    }

    /// The functions that read and write packets of a connection.
    static func connectionFunctions(_ parameters: PythonRuntimeParameters) -> String {
        if parameters.hasLayers {
            return "\n\(parameters.context)\n\n\n\(parameters.file.text("layered").trimmingNewlines())\n"
        }
        let sender =
            parameters.dependsOnSender ? ["if sender is None:", "    raise WireError(\"needs_sender\")"] : []
        let known = parameters.dependsOnSender ? "sender" : "sender or \"client\""
        return #"""

            \#(parameters.context)


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
