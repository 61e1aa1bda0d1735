// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct PythonFunctions {
    let types: PythonTypes
    private var plan: GeneratorModel { types.plan }
    private let reading: StatementBuilder
    private let writing: StatementBuilder
    private let fixing: StatementBuilder
    private let numbering: StatementBuilder
    /// Looking at all messages for each function would take minutes in a large protocol.
    private let hasHeaderConditions: Bool

    init(types: PythonTypes) {
        self.types = types
        hasHeaderConditions = types.description.hasHeaderConditions
        func builder(_ scope: PythonDialect.Scope) -> StatementBuilder {
            StatementBuilder(PythonDialect(types: types, scope: scope))
        }
        (reading, writing) = (builder(.reading), builder(.writing))
        (fixing, numbering) = (builder(.fixedHeader), builder(.connection))
    }

    /// The functions for all messages and the types that they reach, for header fields that messages fix, and for
    /// packets.
    var all: [[String]] {
        let structures = plan.used.structures.sorted().flatMap { index -> [PrintedFunction] in
            [.readStructure(index), .writeStructure(index)]
        }
        // The first two read and write a message. Those for header fields follow after all bodies.
        let messages = plan.messages.indices.map(reading.functions(ofMessage:))
        let bodies = structures + reading.unionFunctions + messages.flatMap { $0.prefix(2) }
        return (bodies + messages.flatMap { $0.dropFirst(2) } + reading.packetFunctions).map(text)
    }

    /// Returns the function that selects a packet's shape, and the one that changes states after a message.
    func connection(_ context: ContextPlan) -> [[String]] { [.shapeOf(context), .change(context)].map(text) }

    private func text(_ function: PrintedFunction) -> [String] {
        let builder = builder(of: function)
        let lines = builder.dialect.function(builder.statements(of: function))
        return PythonText.block("def \(head(function)):", body(function, lines))
    }

    private func builder(of function: PrintedFunction) -> StatementBuilder {
        switch function {
        case .readStructure, .readMessage, .readUnion: reading
        case .writeStructure, .writeMessage, .writeUnion, .tagOfUnion: writing
        case .verifyHeader, .fixHeader: fixing
        case .unwrap(let shape), .wrap(let shape), .wrapFitted(let shape):
            StatementBuilder(PythonDialect(types: types, scope: .packet(shape)))
        case .shapeOf, .change, .unwrapAnyShape, .wrapAnyShape: numbering
        }
    }

    // MARK: Heads

    /// Returns the text between `def` and the body.
    private func head(_ function: PrintedFunction) -> String {
        // Functions of messages get the header if a field's condition refers to it.
        let header = hasHeaderConditions ? ", h: Mapping[str, Any]" : ""
        let reader = "b: bytes, p: int, e: int, d: int"
        let wrapper = "(id: int, payload: bytes, h: Mapping[str, Any]"
        switch function {
        case .readStructure(let index):
            return
                "\(types.structures[index].read)(\(reader), f: str | int) -> tuple[\(plan.names.structures[index].name), int]"
        case .writeStructure(let index):
            return "\(types.structures[index].write)(m: Any, d: int, f: str | int) -> bytes"
        case .readMessage(let index):
            return "\(types.messages[index].read)(\(reader)\(header)) -> \(plan.names.messages[index].name)"
        case .writeMessage(let index):
            return "\(types.messages[index].write)(m: \(plan.names.messages[index].name), d: int\(header)) -> bytes"
        case .readUnion(let index, let hasTag):
            let (own, tag) = (reading.unions[index], hasTag ? "" : "t: Any, ")
            return
                "\(hasTag ? own.read : own.readTagged)(\(reader), \(tag)f: str | int) -> tuple[\(plan.names.unions[index].name), int]"
        case .writeUnion(let index, let hasTag):
            let own = reading.unions[index]
            return "\(hasTag ? own.write : own.writeTagged)(m: Any, d: int, f: str | int) -> bytes"
        case .tagOfUnion(let index): return "\(reading.unions[index].tag)(m: Any) -> int"
        case .verifyHeader(let index):
            return "\(types.messages[index].verifyHeader)(b: bytes, h: Mapping[str, Any], at: tuple[int, ...]) -> None"
        case .fixHeader(let index):
            return "\(types.messages[index].fixHeader)(given: Mapping[str, Any]) -> Mapping[str, Any]"
        case .unwrap(let shape):
            let (sender, result) = shape.part == nil ? ("sender: str, ", "Packet") : ("", "_Part")
            return "_decode\(shape.pythonSuffix)(b: bytes, \(sender)start: int) -> \(result) | int"
        case .wrap(let shape): return "_wrap\(shape.pythonSuffix)\(wrapper)) -> bytes"
        case .wrapFitted(let shape): return "_fitted\(shape.pythonSuffix)\(wrapper), fit: int) -> bytes"
        case .shapeOf:
            return "_shape(sender: str, c: Connection\(plan.layers == nil ? "" : ", nested: bool = False")) -> int"
        case .change: return "_change(c: Connection, sender: str, id: int) -> None"
        case .unwrapAnyShape, .wrapAnyShape: preconditionFailure("\(function) is not printed")
        }
    }

    // MARK: Bodies

    private func body(_ function: PrintedFunction, _ lines: [String]) -> [String] {
        switch function {
        case .readStructure(let index):
            let (declarations, value) = made(plan.structures[index], plan.names.structures[index].name)
            return declarations + lines + ["return \(value), p"]
        case .readMessage(let index):
            let (declarations, value) = made(plan.messages[index], plan.names.messages[index].name)
            return declarations + lines + ["return \(value)"]
        case .writeStructure(let index):
            let name = plan.names.structures[index].name
            return ["if not isinstance(m, \(name)): raise _fail(\"wrong_type\", f)"] + lines
        case .readUnion(_, hasTag: true): return ["t: Any"] + lines
        case .fixHeader: return ["h = dict(given)"] + lines + ["return h"]
        case .unwrap(let shape): return unwrapping(shape, lines)
        case .shapeOf(let context):
            return ["\"\"\"The position of a packet's shape, by its sender and by the tests that hold.\"\"\""]
                + (context.states.isEmpty ? [] : ["_check_states(c.states)"]) + lines
        case .change: return ["\"\"\"What a message does to the states, for the packets after it.\"\"\""] + lines
        default: return lines
        }
    }

    /// Returns the types of variables that several branches set, and the expression for a completely read body.
    private func made(_ body: BodyFields, _ name: String) -> (declarations: [String], value: String) {
        let fields = body.fields.filter(\.planned.hasValue)
        let declarations = fields.filter { $0.mayBeUnset || $0.planned.isAppended }.map { field in
            "v_\(field.ownName): \(types.typeName(field.value))\(field.mayBeUnset ? " | None" : "")"
        }
        let names = fields.map(\.ownName) + (body.trailing.map { [$0] } ?? [])
        let isOrdered = body.isOrderedInPython
        let members = names.map { isOrdered ? "v_\($0)" : "\($0)=v_\($0)" }
        return (declarations, "\(name)(\(members.joined(separator: ", ")))")
    }

    /// Returns the lines that read a packet. They read its message, too, because a call costs Python as much as a
    /// field. If bytes are missing, they return how many the packet needs before another try makes sense.
    private func unwrapping(_ shape: PacketShape, _ lines: [String]) -> [String] {
        // The end of the packet, as far as it is known.
        let last = shape.readPlan.isFixed && !shape.layout.header.isEmpty ? [] : ["last = 1 << 62"]
        let reading = PythonText.block("try:", ["e = len(b)", "size = e - start"] + last + lines)
        guard shape.part == nil else {
            return ["p = start"] + reading
                + ["except WireError as error:", "    raise _moved(error, start) from None"]
        }
        let deep = ["except RecursionError:", "    raise WireError(\"too_deep\", name, p - start) from None"]
        return [
            "\"\"\"The packet at a place; or how many bytes it must have before it is worth another try.\"\"\"",
            "readers = _READERS[sender]", "name = \"\"", "p = start",
        ] + reading + (plan.nests ? deep : []) + [
            "except WireError as error:", "    path = _under(error, name).path if name else error.path",
            "    raise WireError(error.kind, path, None if error.offset is None else error.offset - start) from None",
        ]
    }
}

extension BodyFields {
    /// Whether its Python class takes fields by position: no required field follows an optional one.
    var isOrderedInPython: Bool {
        let fields = fields.filter(\.planned.hasValue)
        let optional = fields.firstIndex { $0.mayBeUnset || $0.absent != nil } ?? fields.count
        return fields[optional...].allSatisfy { $0.mayBeUnset || $0.absent != nil }
    }
}

extension PacketShape {
    /// The suffix of its functions: `_client`, or nothing if there is only one shape.
    var pythonSuffix: String { words.map { "_" + $0 }.joined() }
}
