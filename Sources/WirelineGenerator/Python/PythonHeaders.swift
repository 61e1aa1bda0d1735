// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Puts printed statements into the functions for packets, for header fields that messages fix, and for the states of a connection.
struct PythonHeaders {
    let types: PythonTypes
    private var plan: CodePlan { types.plan }

    /// The functions that take packets apart and put them together.
    ///
    /// The one that takes a packet apart reads its message, too, because a call costs Python as much as a field. If more bytes are
    /// needed, it returns how many the packet must have before it is worth another try.
    var packets: [[String]] {
        plan.shapes.flatMap { shape -> [[String]] in
            let printer = StatementPrinter(PythonDialect(types: types, scope: .packet(shape)))
            let (wraps, fits) = (shape.writes, shape.writes && shape.wrap.fitting != nil)
            return (shape.reads ? [unwrap(shape, lines(.unwrap(shape), printer))] : [])
                + (fits ? [wrap("_wrap", shape, lines(.wrap(shape), printer))] : [])
                + (fits ? [wrap("_fitted", shape, lines(.wrapFitted(shape), printer), ", fit: int")] : [])
                + (wraps && !fits ? [wrap("_wrap", shape, lines(.wrap(shape), printer))] : [])
        }
    }

    private func lines(_ function: PrintedFunction, _ printer: StatementPrinter) -> [String] {
        printer.dialect.function(printer.statements(of: function))
    }

    private func wrap(_ name: String, _ shape: PacketShape, _ lines: [String], _ parameter: String = "") -> [String] {
        PythonText.block(
            "def \(name)\(shape.pythonSuffix)(id: int, payload: bytes, h: Mapping[str, Any]\(parameter)) -> bytes:",
            lines)
    }

    private func unwrap(_ shape: PacketShape, _ lines: [String]) -> [String] {
        // Where the packet ends, as far as that is known.
        let last = shape.unwrap.isFixed && !shape.layout.header.isEmpty ? [] : ["last = 1 << 62"]
        let reading = PythonText.block("try:", ["e = len(b)", "size = e - start"] + last + lines)
        guard shape.part == nil else {
            return PythonText.block(
                "def _decode\(shape.pythonSuffix)(b: bytes, start: int) -> _Part | int:",
                ["p = start"] + reading
                    + ["except WireError as error:", "    raise _moved(error, start) from None"])
        }
        let deep = ["except RecursionError:", "    raise WireError(\"too_deep\", name, p - start) from None"]
        let failure = [
            "except WireError as error:", "    path = _under(error, name).path if name else error.path",
            "    raise WireError(error.kind, path, None if error.offset is None else error.offset - start) from None",
        ]
        return PythonText.block(
            "def _decode\(shape.pythonSuffix)(b: bytes, sender: str, start: int) -> Packet | int:",
            [
                "\"\"\"The packet at a place; or how many bytes it must have before it is worth another try.\"\"\"",
                "readers = _READERS[sender]", "name = \"\"", "p = start",
            ] + reading + (plan.nests ? deep : []) + failure)
    }

    /// The functions for header fields that have the same value in every packet of a message (`@header`).
    var fixed: [[String]] {
        let printer = StatementPrinter(PythonDialect(types: types, scope: .fixedHeader))
        return plan.description.messages.indices.filter { !plan.description.messages[$0].headerValues.isEmpty }
            .flatMap { index -> [[String]] in
                let own = types.messages[index]
                return [
                    PythonText.block(
                        "def \(own.verifyHeader)(b: bytes, h: Mapping[str, Any], at: tuple[int, ...]) -> None:",
                        lines(.verifyHeader(index), printer)),
                    PythonText.block(
                        "def \(own.fixHeader)(given: Mapping[str, Any]) -> Mapping[str, Any]:",
                        ["h = dict(given)"] + lines(.fixHeader(index), printer) + ["return h"]),
                ]
            }
    }

    /// Returns the function that finds the position of a packet's shape, and the one that changes states as a message does.
    func connection(_ context: ContextPlan) -> [[String]] {
        let printer = StatementPrinter(PythonDialect(types: types, scope: .connection))
        let nested = plan.layers == nil ? "" : ", nested: bool = False"
        let checks = context.states.isEmpty ? [] : ["_check_states(c.states)"]
        return [
            PythonText.block(
                "def _shape(sender: str, c: Connection\(nested)) -> int:",
                ["\"\"\"The position of a packet's shape, by its sender and by the tests that hold.\"\"\""] + checks
                    + lines(.shapeOf(context), printer)),
            PythonText.block(
                "def _change(c: Connection, sender: str, id: int) -> None:",
                ["\"\"\"What a message does to the states, for the packets after it.\"\"\""]
                    + lines(.change(context), printer)),
        ]
    }
}

extension PacketShape {
    /// The end of the names of its functions: `_client`, or nothing if there is one shape.
    var pythonSuffix: String { words.map { "_" + $0 }.joined() }
}
