// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Puts the printed statements into functions and methods.
struct GoFunctions {
    let types: GoTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    /// The methods of structures and messages, and the functions for unions that messages reach.
    var bodies: [String] {
        let structures = plan.used.structures.sorted().flatMap { index -> [PrintedFunction] in
            [.readStructure(index), .writeStructure(index)]
        }
        let messages = description.messages.indices.flatMap(builder.functions(ofMessage:))
        return (structures + builder.unionFunctions + messages).map(text)
    }

    /// The functions that find a message by its ID or its type, and those that read and write packets.
    var packets: [String] {
        [readMessage, writeMessage] + builder.packetFunctions.map(text) + (plan.context.map(connection) ?? [])
            + (plan.layers.map { GoLayers(types: types, plan: $0).texts } ?? [])
    }

    /// Returns the functions that select a packet's shape, and the method that changes states.
    private func connection(_ context: ContextPlan) -> [String] {
        let calls: [PrintedFunction] = plan.layers == nil ? [.unwrapAnyShape(context), .wrapAnyShape(context)] : []
        return ["var shapes = [...]int{\(context.shapes.map(String.init).joined(separator: ", "))}\n"]
            + ([.shapeOf(context), .change(context)] + calls).map(text)
    }

    private func text(_ function: PrintedFunction) -> String {
        let lines = builder.dialect.function(statements(function))
        let head = "func \(head(function))"
        guard !lines.isEmpty else { return head + " {}\n" }
        var comment: [String] = []
        if case .wrap(let shape) = function, shape.writePlan.fitting != nil {
            let name = "wrap" + shape.suffix
            comment = ["// \(name) takes the first value with which all lengths can hold the packet, or the last one."]
        }
        return (comment + GoText.block(head, lines)).joined(separator: "\n") + "\n"
    }

    private func statements(_ function: PrintedFunction) -> [Statement] {
        let statements = builder.statements(of: function)
        switch function {
        case .writeMessage:
            let refusal = builder.writing("require", false, .text("wrong_type"), .text(""))
            return [.choose(if: .binary(.equal, "m", .nothing), [refusal, .returns(nil)])] + statements
        case .fixHeader:
            return [
                .constant("copied", .header, .present("given", .header)),
                .constant("h", .header, .optional("copied", .header)),
            ] + statements + [.returns("h")]
        default: return statements
        }
    }

    /// Returns the text between `func` and the body.
    private func head(_ function: PrintedFunction) -> String {
        switch function {
        case .readStructure(let index): return "(m *\(names.structures[index].name)) read(r *reader, f string)"
        case .writeStructure(let index): return "(m *\(names.structures[index].name)) write(w *writer, f string)"
        case .readMessage(let index): return "(m *\(names.messages[index].name)) read(r *reader, h *Header)"
        case .writeMessage(let index): return "(m *\(names.messages[index].name)) write(w *writer, h *Header)"
        case .verifyHeader(let index):
            return "(m *\(names.messages[index].name)) verifyHeader(r *reader, h *Header, at []int)"
        case .fixHeader(let index):
            return "(m *\(names.messages[index].name)) fixHeader(w *writer, given *Header) *Header"
        case .readUnion(let index, let hasTag):
            let (own, tag) = (builder.unions[index], hasTag ? "" : "t \(tag(index)), ")
            return
                "\(hasTag ? own.read : own.readTagged)(r *reader, \(tag)f string) (union \(names.unions[index].name))"
        case .writeUnion(let index, let hasTag):
            let own = builder.unions[index]
            return "\(hasTag ? own.write : own.writeTagged)(w *writer, m \(names.unions[index].name), f string)"
        case .tagOfUnion(let index):
            return "\(builder.unions[index].tag)(m \(names.unions[index].name)) \(tag(index))"
        case .unwrap(let shape):
            return "unwrap\(shape.suffix)(r *reader, \(shape.part == nil ? "packet *Packet" : "p *part")) bool"
        case .wrap(let shape):
            let result = shape.writePlan.fitting == nil ? "[]byte" : "(packet []byte)"
            return "wrap\(shape.suffix)(w *writer, id uint64, h *Header) \(result)"
        case .wrapFitted(let shape):
            let type = shape.writePlan.fitting.map { builder.dialect.type(plan.headerType(shape.positions[$0.field])) }
            return "fitted\(shape.suffix)(w *writer, id uint64, h *Header, fit \(type ?? "")) []byte"
        case .shapeOf:
            return "shapeOf(sender Sender, c *Connection\(plan.layers == nil ? "" : ", nested bool")) (int, *Error)"
        case .change: return "(c *Connection) change(sender Sender, id uint64)"
        case .unwrapAnyShape: return "unwrap(shape int, r *reader, packet *Packet) bool"
        case .wrapAnyShape: return "wrap(shape int, w *writer, id uint64, h *Header) []byte"
        }
    }

    private func tag(_ index: Int) -> String { types.typeName(builder.tag(index)) }

    // MARK: Messages

    /// The function that reads a packet's message. A switch calls methods of known types: through an interface the
    /// reader would be allocated on the heap.
    private var readMessage: String {
        func cases(_ sender: Sender) -> [String] {
            let messages = description.messages(from: sender)
            guard !messages.isEmpty else { return [] }
            return ["switch head.id {"]
                + messages.flatMap { index -> [String] in
                    let (message, name) = (description.messages[index], names.messages[index].name)
                    let verification =
                        message.headerValues.isEmpty
                        ? []
                        : ["m.verifyHeader(r, &packet.Header, packet.places)"]
                            + (plan.layers == nil ? [] : GoText.block("if r.err != nil", ["return nil"]))
                    return ["case \(message.id):"]
                        + GoText.indented(
                            making(name) + verification
                                + [
                                    "r.base = \(GoText.string(message.name))", "m.read(r, &packet.Header)",
                                    "return packet",
                                ])
                } + ["}"]
        }
        let lines =
            ["if sender == Client {"] + GoText.indented(cases(.client)) + ["} else {"] + GoText.indented(cases(.server))
            + ["}"] + making("Unknown")
            + [
                "r.base = \"\"", "m.ID = head.id",
                "m.Payload = r.blob(r.rest(-1, \"payload\"), \"payload\")", "return packet",
            ]
        return GoText.block("func readMessage(r *reader, head *Packet, sender Sender) *Packet", lines)
            .joined(separator: "\n") + "\n"
    }

    /// Returns the statements that allocate a packet together with its message.
    private func making(_ message: String) -> [String] {
        ["all := &struct {"] + GoText.indented(["packet  Packet", "message \(message)"])
            + ["}{packet: *head}", "packet, m := &all.packet, &all.message", "packet.Message = m"]
    }

    /// The function that writes a message. It returns the header with the fields that the message fixes, and the
    /// message's ID.
    private var writeMessage: String {
        let cases = description.messages.indices.flatMap { index -> [String] in
            let message = description.messages[index]
            let fixing = message.headerValues.isEmpty ? [] : ["\th = m.fixHeader(w, h)"]
            return ["case *\(names.messages[index].name):", "\tw.base = \(GoText.string(message.name))"] + fixing
                + ["\tm.write(w, h)", "\treturn h, \(message.id)"]
        }
        let others = ["case *Unknown:", "\tm.write(w, h)", "\treturn h, m.MessageID()", "}"]
        let lines =
            ["switch m := m.(type) {"] + cases + others
            + ["w.refuse(\"unknown_message\", \"\")", "return h, m.MessageID()"]
        return GoText.block("func writeMessage(w *writer, m Message, h *Header) (*Header, uint64)", lines)
            .joined(separator: "\n") + "\n"
    }
}
