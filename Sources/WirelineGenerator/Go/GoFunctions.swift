// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Puts the printed statements into functions and methods.
struct GoFunctions {
    let types: GoTypes
    let printer: StatementPrinter
    private var plan: CodePlan { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    private func function(_ head: String, _ statements: [Statement]) -> String {
        let lines = printer.dialect.function(statements)
        guard !lines.isEmpty else { return "func \(head) {}\n" }
        return GoText.block("func \(head)", lines).joined(separator: "\n") + "\n"
    }

    // MARK: Bodies

    /// The methods of structures and messages, and the functions for unions that messages reach.
    var bodies: [String] {
        plan.used.structures.sorted().flatMap(structure)
            + plan.used.unions.sorted { $0.key < $1.key }.flatMap(union)
            + description.messages.indices.flatMap(message)
    }

    private func structure(_ index: Int) -> [String] {
        let name = names.structures[index].name
        return [
            function("(m *\(name)) read(r *reader, f string)", printer.readStructure(index)),
            function("(m *\(name)) write(w *writer, f string)", printer.writeStructure(index)),
        ]
    }

    private func union(_ index: Int, tagsAt places: UnionPlan.TagPlaces) -> [String] {
        let own = printer.unions[index]
        let name = names.unions[index].name
        let tag = types.text(printer.tag(index))
        var functions: [String] = []
        if places.contains(.before) {
            functions += [
                function("\(own.read)(r *reader, f string) (union \(name))", printer.readUnion(index, hasTag: true)),
                function("\(own.write)(w *writer, m \(name), f string)", printer.writeUnion(index, hasTag: true)),
            ]
        }
        if places.contains(.elsewhere) {
            functions += [
                function(
                    "\(own.readTagged)(r *reader, t \(tag), f string) (union \(name))",
                    printer.readUnion(index, hasTag: false)),
                function(
                    "\(own.writeTagged)(w *writer, m \(name), f string)", printer.writeUnion(index, hasTag: false)),
                function("\(own.tag)(m \(name)) \(tag)", printer.tagOfUnion(index)),
            ]
        }
        return functions
    }

    private func message(_ index: Int) -> [String] {
        let (body, message) = (plan.messages[index], description.messages[index])
        let name = names.messages[index].name
        let isNil = Statement.choose(
            if: .binary(.equal, "m", .nothing),
            [printer.writing("require", false, .text("wrong_type"), .text("")), .returns(nil)])
        var functions = [
            function("(m *\(name)) read(r *reader, h *Header)", printer.reading(body)),
            function("(m *\(name)) write(w *writer, h *Header)", [isNil] + printer.writeMessage(body)),
        ]
        if !message.headerValues.isEmpty {
            functions += [
                function(
                    "(m *\(name)) verifyHeader(r *reader, h *Header, at []int)",
                    printer.verifyHeader(message)),
                function(
                    "(m *\(name)) fixHeader(w *writer, given *Header) *Header",
                    [
                        .constant("copied", .header, .present("given", .header)),
                        .constant("h", .header, .optional("copied", .header)),
                    ] + printer.fixHeader(message) + [.returns("h")]),
            ]
        }
        return functions
    }

    // MARK: Packets

    /// The functions that find a message by its ID or its type, and take packets apart and put them together.
    var packets: [String] {
        [readMessage, writeMessage] + plan.shapes.flatMap(shape) + (plan.context.map(connection) ?? [])
            + (plan.layers.map { GoLayers(types: types, plan: $0).texts } ?? [])
    }

    /// Returns what finds a packet's shape and calls its functions, and the method that changes states.
    private func connection(_ context: ContextPlan) -> [String] {
        let statements = ContextStatements(printer, context)
        let nested = plan.layers == nil ? "" : ", nested bool"
        let calls =
            plan.layers == nil
            ? [
                function(
                    "unwrap(shape int, r *reader, packet *Packet) bool",
                    statements.calls(of: "unwrap", ["r", "packet"])),
                function(
                    "wrap(shape int, w *writer, id uint64, h *Header) []byte",
                    statements.calls(of: "wrap", ["w", "id", "h"])),
            ] : []
        return [
            "var shapes = [...]int{\(context.shapes.map(String.init).joined(separator: ", "))}\n",
            function(
                "shapeOf(sender Sender, c *Connection\(nested)) (int, *Error)",
                statements.numbering + [.succeed(.item("shapes", at: "n"))]),
            function("(c *Connection) change(sender Sender, id uint64)", statements.changes),
        ] + calls
    }

    /// The function that reads the message of a packet. A switch calls methods of known types; by an interface the reader would need memory
    /// of its own.
    private var readMessage: String {
        func cases(_ sender: Sender) -> [String] {
            let messages = description.messages.indices.filter { description.messages[$0].senders.contains(sender) }
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

    /// Returns the statements that make a packet and its message, in one piece of memory.
    private func making(_ message: String) -> [String] {
        ["all := &struct {"] + GoText.indented(["packet  Packet", "message \(message)"])
            + ["}{packet: *head}", "packet, m := &all.packet, &all.message", "packet.Message = m"]
    }

    /// The function that writes a message, and returns the header with the fields that the message fixes, and the message's ID.
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

    private func shape(_ shape: PacketShape) -> [String] {
        let suffix = shape.suffix
        let result = shape.part == nil ? "packet *Packet" : "p *part"
        var functions =
            shape.reads
            ? [function("unwrap\(suffix)(r *reader, \(result)) bool", UnwrapStatements.statements(printer, shape))] : []
        guard shape.writes else { return functions }
        let wrapping = WrapStatements.statements(printer, shape)
        let parameters = "(w *writer, id uint64, h *Header"
        guard let (index, values) = shape.wrap.fitting else {
            return functions + [function("wrap\(suffix)\(parameters)) []byte", wrapping)]
        }
        let type = GoDialect(types: types).type(plan.headerType(shape.positions[index]))
        let list = values.map(String.init).joined(separator: ", ")
        let member = "h.\(names.headerFields[shape.positions[index]])"
        functions += [
            [
                "// wrap\(suffix) takes the first value with which all lengths can hold the packet, or the last one.",
                "func wrap\(suffix)\(parameters)) (packet []byte) {",
                "\tif w.err != nil {", "\t\treturn nil", "\t}",
                "\tend := w.p",
                "\tfor _, fit := range []\(type){\(list)} {",
                "\t\tw.p, w.err = end, nil",
                "\t\tpacket = fitted\(suffix)(w, id, h, fit)",
                "\t\tif \(member) != nil || !w.doesNotFit() {", "\t\t\tbreak", "\t\t}",
                "\t}", "\treturn packet", "}", "",
            ].joined(separator: "\n"),
            function("fitted\(suffix)\(parameters), fit \(type)) []byte", wrapping),
        ]
        return functions
    }
}
