// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Puts the printed statements into functions and methods.
struct RustFunctions {
    let types: RustTypes
    let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { types.description }
    private var names: CodeNames { plan.names }

    /// The functions that read and write structures, unions, messages and packets.
    var all: [String] {
        let structures = plan.used.structures.sorted().map { index in
            implementation(names.structures[index].name, [text(.readStructure(index)), text(.writeStructure(index))])
        }
        return structures + builder.unionFunctions.map { joined(text($0)) }
            + description.messages.indices.flatMap(message)
            + [packets(.client), packets(.server)] + builder.packetFunctions.map { joined(text($0)) }
            + (plan.context.map(connection) ?? [])
            + (plan.layers.map { RustLayers(plan: plan, layers: $0).texts } ?? [])
    }

    private func joined(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    private func implementation(_ head: String, _ functions: [[String]]) -> String {
        joined(RustText.block("impl \(head)", Array(functions.joined(separator: [""]))))
    }

    /// Returns the functions that select a packet's shape, and the function that changes states.
    private func connection(_ context: ContextPlan) -> [String] {
        let calls: [PrintedFunction] = plan.layers == nil ? [.unwrapAnyShape(context), .wrapAnyShape(context)] : []
        let shapes = context.shapes.map(String.init).joined(separator: ", ")
        return ["static SHAPES: [i64; \(context.shapes.count)] = [\(shapes)];"]
            + ([.shapeOf(context), .change(context)] + calls).map { joined(text($0)) }
    }

    private func text(_ function: PrintedFunction) -> [String] {
        let lines = RustDialect(types: types).printed(function, statements(function))
        return inlining(of: function) + RustText.block("fn \(head(function))", lines)
    }

    /// Returns the attribute of a function that has one call for each packet.
    ///
    /// With few messages, their readers are always inlined: decoding one of Scene then takes a quarter less time.
    private func inlining(of function: PrintedFunction) -> [String] {
        switch function {
        case .readMessage where description.messages.count <= 16: ["#[inline(always)]"]
        case .readMessage, .writeMessage, .unwrap, .wrap: ["#[inline]"]
        default: []
        }
    }

    private func statements(_ function: PrintedFunction) -> [Statement] {
        let statements = builder.statements(of: function)
        return switch function {
        case .fixHeader:
            [.variable("h", .header, .call("given", "clone", []))] + statements + [.returns("h")]
        // The match has a value for each arm.
        case .tagOfUnion: Array(statements.dropLast())
        default: statements
        }
    }

    /// Returns the text between `fn` and the body.
    private func head(_ function: PrintedFunction) -> String {
        let (failing, name) = ("Result<(), WireError>", "f: StaticStr")
        switch function {
        case .readStructure: return "read(&mut self, r: &mut Reader, \(name)) -> \(failing)"
        case .writeStructure: return "write(&self, w: &mut Writer, \(name)) -> \(failing)"
        case .readMessage: return "read(&mut self, r: &mut Reader, h: &Header) -> \(failing)"
        case .writeMessage: return "write(&self, w: &mut Writer, h: &Header) -> \(failing)"
        case .verifyHeader: return "verify_header(r: &mut Reader, h: &Header, at: &[i64]) -> \(failing)"
        case .fixHeader: return "fix_header(&self, w: &mut Writer, given: &Header) -> Result<Header, WireError>"
        case .readUnion(let index, let hasTag):
            let own = builder.unions[index]
            let tag = hasTag ? "" : "t: \(types.typeName(builder.tag(index))), "
            let function = RustDialect.spelled(hasTag ? own.read : own.readTagged)
            return "\(function)(r: &mut Reader, \(tag)\(name)) -> Result<\(names.unions[index].name), WireError>"
        case .writeUnion(let index, let hasTag):
            let own = builder.unions[index]
            let function = RustDialect.spelled(hasTag ? own.write : own.writeTagged)
            return "\(function)(w: &mut Writer, m: &\(names.unions[index].name), \(name)) -> \(failing)"
        case .tagOfUnion(let index):
            let function = RustDialect.spelled(builder.unions[index].tag)
            return "\(function)(m: &\(names.unions[index].name)) -> \(types.typeName(builder.tag(index)))"
        case .unwrap(let shape):
            let result = shape.part == nil ? "Received" : "Part"
            return "\(NameWords.snake("unwrap" + shape.suffix))(r: &mut Reader) -> Result<Option<\(result)>, WireError>"
        case .wrap(let shape): return wrapping("wrap" + shape.suffix)
        case .wrapFitted(let shape):
            let type = shape.writePlan.fitting.map { builder.dialect.type(plan.headerType(shape.positions[$0.field])) }
            return wrapping("fitted" + shape.suffix, ", fit: \(type ?? "i64")")
        case .shapeOf:
            let nested = plan.layers == nil ? "" : ", nested: bool"
            return "shape_of(sender: Sender, c: &Connection\(nested)) -> Result<i64, WireError>"
        case .change: return "change(c: &mut Connection, sender: Sender, id: u64)"
        case .unwrapAnyShape: return "unwrap(shape: i64, r: &mut Reader) -> Result<Option<Received>, WireError>"
        case .wrapAnyShape: return "wrap(shape: i64, w: &mut Writer, id: u64, h: &Header) -> Result<Vec<u8>, WireError>"
        }
    }

    private func wrapping(_ name: String, _ more: String = "") -> String {
        "\(NameWords.snake(name))(w: &mut Writer, id: u64, h: &Header\(more)) -> Result<Vec<u8>, WireError>"
    }

    // MARK: Messages

    private func message(_ index: Int) -> [String] {
        let (message, name) = (description.messages[index], names.messages[index].name)
        let hasFixed = !message.headerValues.isEmpty
        let only = message.senders.count == 1 ? message.senders.first : nil
        let sender = plan.takesSender ? only : nil
        return [
            implementation(
                name, [text(.readMessage(index))] + (plan.fixedHeaderFields.isEmpty ? [] : [text(.verifyHeader(index))])
            ),
            implementation(
                "Message for " + name,
                [
                    getter("message_name(&self) -> Option<StaticStr>", "Some(\(RustText.string(message.name)))"),
                    getter("message_id(&self) -> u64", String(message.id)), text(.writeMessage(index)),
                ]
                    + (sender.map {
                        [
                            getter(
                                "message_sender(&self) -> Option<Sender>", "Some(\(builder.dialect.text(.sender($0))))")
                        ]
                    }
                        ?? [])
                    + (hasFixed ? [text(.fixHeader(index))] : [])),
        ]
    }

    private func getter(_ head: String, _ value: String) -> [String] { RustText.block("fn \(head)", [value]) }

    // MARK: The packets of a side

    static func packets(_ sender: Sender) -> String { sender == .client ? "ClientPacket" : "ServerPacket" }

    private func packets(_ sender: Sender) -> String {
        let own = description.messages(from: sender)
        let rows = own.map { "\(description.messages[$0].id) \(names.messages[$0].name)" }
        return
            "side!(\(Self.packets(sender)), \(sender == .client ? "Client" : "Server"), \(rows.joined(separator: ", ")));"
    }
}
