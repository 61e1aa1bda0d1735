// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions of packets that depend on their sender, on states of the connection, or on layers.
///
/// The functions for headers exist once for each shape of packets: `unwrap_cs` and `unwrap_sc`, or `unwrap_0` and
/// `unwrap_1`. The program keeps the context, which holds the states: `#{state => #{started => true}}`.
struct ErlangContexts {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }

    /// Whether packets depend on the sender or on the context; then programs can name the sender of a message.
    var areDistinct: Bool { layout.dependsOnContext || layout.hasContent }
    /// Whether packets depend on states, or have layers; then each call returns the context for the next packet.
    var areKept: Bool { layout.dependsOnStates || layout.hasContent }
    /// Whether packets depend on the sender, or each end has its own keys and transforms; then the sender must be
    /// known.
    var mustKnowSender: Bool { layout.dependsOnSender || !types.naming.layers.isEmpty }

    private func key(_ state: Int) -> ErlangCode { .atom(types.naming.states[state]) }

    // MARK: Shapes

    /// The functions that read and write headers and trailers, and those that select a packet's shape.
    var functions: [ErlangFunction] {
        let own = types.plan.shapes.flatMap { shape in
            (shape.reads ? [ErlangPacketReading.function(types, shape)] : [])
                + (shape.writes ? ErlangPacketWriting.functions(types, shape) : [])
        }
        guard areDistinct else { return own }
        let choosing = types.plan.layers == nil ? [unwrapping, wrapping] : []
        let shapes = types.plan.context.map { [shape($0)] } ?? []
        return own + choosing + [sender] + shapes + (layout.dependsOnStates ? stateFunctions : [])
    }

    /// Returns the term for a shape: its sender, or its number.
    private func term(_ shape: PacketShape) -> ErlangCode {
        .literal(shape.sender?.erlangAtom ?? shape.words.last ?? "0")
    }

    private var unwrapping: ErlangFunction {
        let sender: [ErlangCode] = types.plan.fixedHeaderFields.isEmpty ? [] : ["sender"]
        return choosing("unwrap", sender + ["b"])
    }

    private var wrapping: ErlangFunction { choosing("wrap", ["id", "payload", "header"]) }

    /// Returns the function that dispatches to a shape's function.
    private func choosing(_ name: String, _ arguments: [ErlangCode]) -> ErlangFunction {
        ErlangFunction(
            name,
            types.plan.shapes.map { shape in
                .init([term(shape)] + arguments, [.call(name + shape.erlangSuffix, arguments)])
            })
    }

    private func shape(_ context: ContextPlan) -> ErlangFunction {
        let names = context.states.indices.map { types.naming.states[$0] }
        let known = ErlangCode.list(names.map { .atom($0) })
        let numbers = context.states.indices.map {
            ErlangCode.bind("s\($0)", .call("state", [key($0), "context"]))
        }
        let isServer = Expression.binary(.equal, "sender", .sender(.server))
        let bits = ([isServer] + context.tests.map { condition($0, context) }).enumerated().map { bit, holds in
            (part: Expression.call(nil, "bit_if", [holds]), shift: bit)
        }
        let shapes = ErlangCode.tuple(context.shapes.map { .number($0) })
        let place = Expression.packed(bits, .uint64).plus(1)
        return ErlangFunction(
            "shape", ["sender"] + (types.plan.layers == nil ? [] : ["nested"]) + ["context"],
            (layout.dependsOnStates ? [.call("check_states", ["context", known])] : [])
                + numbers + [
                    Set(context.shapes).count == 1
                        ? .number(context.shapes[0]) : .call("element", [place.code, shapes])
                ],
            comment: ["The number of a packet's shape."])
    }

    private func condition(_ test: WireCondition, _ context: ContextPlan) -> Expression {
        types.builder.condition(test) { operand in
            guard case .state(let name) = operand, let index = context.states.firstIndex(where: { $0.name == name })
            else { return operand == .nested && types.plan.layers != nil ? .boolean("nested") : .literal(0) }
            return .number("s\(index)", .int64)
        }
    }

    // MARK: Senders

    private var sender: ErlangFunction {
        let isKnown = ["cs", "sc"].map { Expression.binary(.equal, "sender", .own($0)) }
        var clauses: [ErlangCode.Clause] = [
            .init(
                .mapPattern(key: "from", "sender", of: "context"), .ignored,
                when: Expression.joined(isKnown, .or)?.code,
                body: ["sender"])
        ]
        if layout.content.packets != nil {
            let first = ErlangCode.tuple([.literal("packets"), .ignored, .list([.tuple(["h", "m"])], tail: .ignored)])
            let plain = ErlangCode.tuple([.literal("packets"), .ignored, .list(["m"], tail: .ignored)])
            let call = ErlangCode.call("sender_of", ["context", "m"])
            clauses += [
                .init("context", first, when: Expression.call(nil, "is_map", ["h"]).code, body: [call]),
                .init("context", plain, body: [call]),
            ]
        }
        for (message, record) in zip(types.description.messages, types.naming.messages) {
            guard message.senders.count == 1, let sender = message.senders.first else { continue }
            clauses.append(.init(.ignored, .record(record.name, []), body: [.literal(sender.erlangAtom)]))
        }
        // If both ends' packets are alike, the sender does not matter.
        let unknown = mustKnowSender ? ErlangCode.fail(.literal("needs_sender"), .list([])) : .literal("cs")
        return ErlangFunction("sender_of", clauses + [.init(.ignored, .ignored, body: [unknown])])
    }

    // MARK: States

    private var stateFunctions: [ErlangFunction] {
        let changes = types.plan.context?.changes ?? []
        let clauses = changes.map { change in
            let value = types.text(types.plan.coding.literal(change.value, types.description.states[change.state].type))
            return ErlangCode.Clause(
                .literal(change.sender.erlangAtom), .number(change.messageID), "context",
                body: [.call("put_state", [key(change.state), .literal(value), "context"])])
        }
        return [
            ErlangFunction("state_number", types.description.states.indices.flatMap(numbers)),
            ErlangFunction(
                "sets", clauses + [.init(.ignored, .ignored, "context", body: ["context"])],
                comment: ["The context of the packets after one."]),
        ]
    }

    /// Returns the clauses that convert a state's value to its number.
    private func numbers(_ index: Int) -> [ErlangCode.Clause] {
        guard let state = types.plan.context?.states[index] else { return [] }
        var values: [(ErlangCode, Int128)] = []
        switch state.type {
        case .boolean, .bit: values = [(.literal("true"), 1), (.literal("false"), 0)]
        case .enumeration(let index, _):
            values = zip(types.description.enumerations[index].cases, types.naming.enumerations[index].cases)
                .map { (ErlangCode.atom($1), $0.value) }
        default: break
        }
        var clauses = values.map { ErlangCode.Clause(key(index), $0, body: [.number($1)]) }
        if case .flags(let flags, _) = state.type {
            let bits = ErlangCode.call("state_bits", ["v", .call(types.masksFunction(flags), []), .text(state.name)])
            clauses.append(.init(key(index), "v", when: Expression.call(nil, "is_list", ["v"]).code, body: [bits]))
        }
        let check = ErlangCode.call("state_in_range", ["v"] + types.bounds(state.range) + [.text(state.name)])
        return clauses + [.init(key(index), "v", body: [check])]
    }

    // MARK: Exported functions

    /// The replacements of the runtime's names in the functions for whole packets.
    var constants: [String: String] {
        let header = types.description.hasHeaderConditions ? ", Header" : ""
        let fixes = !types.plan.fixedHeaderFields.isEmpty
        let shape = layout.dependsOnStates ? "Shape, " : areDistinct ? "sender_of(Context, Message), " : ""
        let packet = "wrap(\(shape)Id, Payload, \(fixes ? "fix(Message, Header)" : "Header"))"
        let bytes = layout.isFramed ? "B" : "Bytes"
        let read = layout.dependsOnStates ? "Shape, " : areDistinct ? "Sender, " : ""
        return [
            "?MESSAGE_PAYLOAD": "payload(Message\(header))",
            "?WRAPPED_PACKET": layout.isFramed ? "frame(\(packet))" : packet,
            "?UNWRAPPED_PACKET": "unwrap(\(read)\(fixes ? "Sender, " : "")\(bytes))",
            "?READ_MESSAGE": "message(Sender, Id, Payload, End\(header))",
            "?SETTABLE_KEYS": types.keyList(layout.fields.indices.filter { layout.fields[$0].isSettable }),
        ]
    }

    /// The type of contexts; nil if there are none.
    var type: String? {
        guard areDistinct else { return nil }
        let states = types.description.states.indices.map { index in
            "\(ErlangText.atom(types.naming.states[index])) => \(types.stateType(types.description.states[index].type))"
        }
        let members =
            ["from => cs | sc"] + (states.isEmpty ? [] : ["state => #{\(states.joined(separator: ", "))}"])
            + ErlangLayers(types: types).contextMembers
        return "-type context() :: #{\(members.joined(separator: ", "))}."
    }
}

extension Sender {
    /// The sender's name in generated modules.
    var erlangAtom: String { self == .client ? "cs" : "sc" }
}
