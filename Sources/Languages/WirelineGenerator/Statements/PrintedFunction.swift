// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A function that reads or writes a part of a protocol. A language writes its head.
enum PrintedFunction: Sendable {
    // A structure or a message, by its index.
    case readStructure(Int)
    case writeStructure(Int)
    case readMessage(Int)
    case writeMessage(Int)
    /// Verifies the header `h` of a packet that was read.
    case verifyHeader(Int)
    /// Returns a copy of the header `given` with the message's values.
    case fixHeader(Int)

    // A union, by its index. The tag directly precedes the value, or is in another field.
    case readUnion(Int, hasTag: Bool)
    case writeUnion(Int, hasTag: Bool)
    case tagOfUnion(Int)

    // Packets of one shape.
    case unwrap(PacketShape)
    case wrap(PacketShape)
    /// Writes a packet with the value `fit` in its `@fit` field.
    case wrapFitted(PacketShape)

    // Connections.
    /// Selects a packet's shape by its number.
    case shapeOf(ContextPlan)
    /// Changes the states after a message.
    case change(ContextPlan)
    case unwrapAnyShape(ContextPlan)
    case wrapAnyShape(ContextPlan)
}

extension StatementBuilder {
    // MARK: Which functions there are

    func functions(ofMessage index: Int) -> [PrintedFunction] {
        let fixing: [PrintedFunction] =
            plan.description.messages[index].headerValues.isEmpty ? [] : [.verifyHeader(index), .fixHeader(index)]
        return [.readMessage(index), .writeMessage(index)] + fixing
    }

    var unionFunctions: [PrintedFunction] {
        plan.used.unions.sorted { $0.key < $1.key }.flatMap { index, places -> [PrintedFunction] in
            (places.contains(.before) ? [.readUnion(index, hasTag: true), .writeUnion(index, hasTag: true)] : [])
                + (places.contains(.elsewhere)
                    ? [.readUnion(index, hasTag: false), .writeUnion(index, hasTag: false), .tagOfUnion(index)] : [])
        }
    }

    var packetFunctions: [PrintedFunction] {
        plan.shapes.flatMap { shape -> [PrintedFunction] in
            (shape.reads ? [.unwrap(shape)] : [])
                + (shape.writes ? [.wrap(shape)] : [])
                + (shape.writes && shape.writePlan.fitting != nil ? [.wrapFitted(shape)] : [])
        }
    }

    // MARK: Their statements

    func statements(of function: PrintedFunction) -> [Statement] {
        switch function {
        case .readStructure(let index): readStructure(index)
        case .writeStructure(let index): writeStructure(index)
        case .readMessage(let index): readMessage(index)
        case .writeMessage(let index): writeMessage(plan.messages[index])
        case .verifyHeader(let index): verifyHeader(plan.description.messages[index])
        case .fixHeader(let index): fixHeader(plan.description.messages[index])
        case .readUnion(let index, let hasTag): readUnion(index, hasTag: hasTag)
        case .writeUnion(let index, let hasTag): writeUnion(index, hasTag: hasTag)
        case .tagOfUnion(let index): tagOfUnion(index)
        case .unwrap(let shape): PacketReadStatements.statements(self, shape)
        case .wrap(let shape): fitting(shape) ?? PacketWriteStatements.statements(self, shape)
        case .wrapFitted(let shape): PacketWriteStatements.statements(self, shape)
        case .shapeOf(let context): ContextStatements(self, context).numbering
        case .change(let context): ContextStatements(self, context).changes
        case .unwrapAnyShape: callsOfShape("unwrap", ["r", .name(dialect.unwrapParameter)])
        case .wrapAnyShape: callsOfShape("wrap", ["w", "id", "h"])
        }
    }

    /// Returns the statement that chooses the value of an `@fit` field; nil without such a field.
    private func fitting(_ shape: PacketShape) -> [Statement]? {
        guard let (index, values) = shape.writePlan.fitting else { return nil }
        let position = shape.positions[index]
        return [
            .fit(
                values.map { literal(headerField: position, .integer($0)) }, headerType(position),
                function: "fitted" + dialect.suffix(of: shape), given: .member("h", plan.names.headerFields[position]))
        ]
    }

    /// Returns the statements that dispatch to the function of the shape in the variable `shape`.
    private func callsOfShape(_ function: String, _ arguments: [Expression]) -> [Statement] {
        [.select("shape", plan.shapes.map { [.returns(.call(nil, function + $0.suffix, arguments))] })]
    }
}
