// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// Describes the schema for an adapter of `wire conform`, which converts values of a language from and to JSON.
///
///     {"header":[{"name":"Version","own":"version","type":"integer","settable":true}],
///      "states":[{"name":"phase","own":"phase","wide":false}],
///      "messages":[{"name":"Cs_1","other":"Enter","own":"Enter","id":1,"from":["client"],"fields":[…],"trailing":"trailing"}],
///      "structures":[{"own":"Point","fields":[{"name":"x","own":"x","type":"integer","optional":false}]}],
///      "unions":[{"own":"Shape","tag":"integer","arms":[{"name":"circle","own":"circle","type":{"structure":0}}]}],
///      "enumerations":[{"own":"Color","wide":false,"cases":[{"name":"red","own":"red","value":0}]}],"flags":[…]}
///
/// A type is `integer`, `wide` (an integer beyond 53 bits), `float32`, `float64`, `boolean`, `string`, `bytes`,
/// `properties`, or an object. An object has one of `enum`, `flags`, `structure`, `union` with an index, or `list` with
/// a type. An arm without a value has the type `null`; the one that keeps other tags has `kept`. Numbers beyond 53 bits
/// are strings.
///
/// If a NaN keeps the bits of its format, as in Erlang, every float format has its own name, including `float16`.
///
/// For a language without unsigned types, `unsigned` is an integer that can exceed 2⁶³ − 1, and `"unsigned":true` marks
/// such an enum.
///
/// Pages also get the `type` of a state, the `count` of a fixed list, whether an enum is `closed`, and the schema's
/// `name` of a structure or union if it differs.
struct AdapterTables {
    private let plan: GeneratorModel
    private let tellsUnsigned: Bool
    private let tellsHalves: Bool
    private let isForPages: Bool

    init(_ plan: GeneratorModel, tellsUnsigned: Bool = false, tellsHalves: Bool = false, isForPages: Bool = false) {
        self.plan = plan
        self.tellsUnsigned = tellsUnsigned
        self.tellsHalves = tellsHalves
        self.isForPages = isForPages
    }

    private var description: ProtocolDescription { plan.description }

    /// The tables, as one line of JSON in ASCII.
    var json: String {
        object([
            ("header", .array(header)), ("states", .array(states)), ("messages", .array(messages)),
            ("structures", .array(structures)),
            ("unions", .array(unions)),
            (
                "enumerations",
                .array(
                    zip(description.enumerations, plan.names.enumerations).map {
                        choice($1, $0.cases, $0.format, isClosed: $0.isClosed)
                    })
            ),
            ("flags", .array(zip(description.flagSets, plan.names.flagSets).map { choice($1, $0.cases, $0.format) })),
        ]).description
    }

    private var header: [JSONValue] {
        zip(description.layout.fields.enumerated(), plan.names.headerFields).compactMap { item, own -> JSONValue? in
            let field = item.element
            guard field.role != .padding else { return nil }
            let type = description.packetFieldType(item.offset).map(self.type) ?? self.type(field.format.value)
            return object([
                ("name", .string(field.name)), ("own", .string(own)), ("type", type),
                ("settable", .boolean(description.layout.isSettable(field))),
            ])
        }
    }

    private var states: [JSONValue] {
        zip(plan.context?.states ?? [], plan.names.states).map { state, own in
            object(
                [
                    ("name", .string(state.name)), ("own", .string(own)), ("wide", .boolean(state.range.isWide)),
                ] + forPages("type", type(state.type)))
        }
    }

    private var messages: [JSONValue] {
        zip(description.messages, plan.messages).enumerated().map { index, item in
            let (message, body) = item
            let senders = Sender.allCases.filter(message.senders.contains).map { JSONValue.string("\($0)") }
            return object([
                ("name", .string(message.name)), ("other", .string(message.alias ?? message.name)),
                ("own", .string(plan.names.messages[index].name)), ("id", Self.number(Int128(message.id))),
                ("from", .array(senders)), ("fields", .array(fields(body))),
                ("trailing", body.trailing.map { .string($0) } ?? .null),
            ])
        }
    }

    private var structures: [JSONValue] {
        zip(zip(description.structures, plan.structures), plan.names.structures).map { item, names in
            object(
                [("own", .string(names.name)), ("fields", .array(fields(item.1)))]
                    + schemaName(item.0.name, unless: names.name))
        }
    }

    private var unions: [JSONValue] {
        zip(description.unions, plan.names.unions).map { union, names in
            let arms = zip(union.arms, names.cases).map { arm, own in
                object([
                    ("name", .string(arm.name)), ("own", .string(own)),
                    ("type", arm.tag == nil ? .string("kept") : arm.field.map { type($0.type) } ?? .null),
                ])
            }
            return object(
                [("own", .string(names.name)), ("tag", type(union.tag)), ("arms", .array(arms))]
                    + schemaName(union.name, unless: names.name))
        }
    }

    private func choice(
        _ names: CodeNames.Choice, _ cases: [EnumerationDescription.Case], _ format: IntegerFormat,
        isClosed: Bool = false
    ) -> JSONValue {
        let items = zip(cases, names.cases).map { item, own in
            object([("name", .string(item.name)), ("own", .string(own)), ("value", Self.number(item.value))])
        }
        let unsigned = tellsUnsigned ? [("unsigned", JSONValue.boolean(format == .uint64))] : []
        return object(
            [("own", .string(names.name)), ("wide", .boolean(format.range.isWide))] + unsigned
                + [("cases", .array(items))] + forPages("closed", .boolean(isClosed)))
    }

    private func schemaName(_ name: String, unless own: String) -> [(String, JSONValue)] {
        name == own ? [] : forPages("name", .string(name))
    }

    private func forPages(_ name: String, _ value: JSONValue) -> [(String, JSONValue)] {
        isForPages ? [(name, value)] : []
    }

    private func fields(_ body: BodyFields) -> [JSONValue] {
        body.fields.filter(\.planned.hasValue).map { field in
            object([
                ("name", .string(field.name)), ("own", .string(field.ownName)),
                ("type", type(field.value)), ("optional", .boolean(field.mayBeUnset)),
                ("since", .boolean(field.absent != nil)),
            ])
        }
    }

    private func type(_ type: TypeDescription) -> JSONValue { self.type(plan.coding.value(type, nil, in: [])) }

    private func type(_ value: ValuePlan) -> JSONValue {
        switch value {
        case .number(let number):
            switch number.kind {
            case .plain: integer(number.format.range)
            case .enumeration(let index): object([("enum", .integer(Int128(index)))])
            case .flags(let index): object([("flags", .integer(Int128(index)))])
            }
        case .varint(let format, _): integer(format.range)
        case .float(let byteCount, _, _): .string("float\(tellsHalves || byteCount > 2 ? 8 * byteCount : 64)")
        case .boolean: .string("boolean")
        case .content(_, .bytes): .string("bytes")
        case .content(_, .properties): .string("properties")
        case .content: .string("string")
        case .structure(let index): object([("structure", .integer(Int128(index)))])
        case .union(let index, _): object([("union", .integer(Int128(index)))])
        case .list(let element, .exactly(let count), _):
            object([("list", self.type(element))] + forPages("count", .integer(Int128(count))))
        case .list(let element, _, _): object([("list", self.type(element))])
        case .sized(let content, _, _): self.type(content)
        }
    }

    private func integer(_ range: ClosedRange<Int128>) -> JSONValue {
        if tellsUnsigned, range.upperBound > Int128(Int64.max) { return .string("unsigned") }
        return .string(range.isWide ? "wide" : "integer")
    }

    private static func number(_ value: Int128) -> JSONValue {
        (value...value).isWide ? .string(String(value)) : .integer(value)
    }

    private func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONValue.Member($0.0, $0.1) })
    }
}

extension ClosedRange<Int128> {
    /// Whether a 64-bit float cannot hold all these numbers: some are beyond ±(2⁵³ − 1).
    var isWide: Bool { lowerBound < -((1 << 53) - 1) || upperBound > (1 << 53) - 1 }
}
