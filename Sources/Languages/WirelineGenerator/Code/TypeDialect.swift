// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

protocol TypeDialect {
    var plan: GeneratorModel { get }

    static var words: TypeWords { get }

    /// Returns the narrowest type for the numbers of a format.
    static func integer(_ format: IntegerFormat) -> String

    /// Returns the type of floats; code holds one of 2 bytes in 8.
    func float(byteCount: Int) -> String

    func integer(_ format: IntegerFormat, _ allowed: ClosedRange<Int128>) -> String

    func varint(_ format: VarintFormat, _ allowed: ClosedRange<Int128>) -> String

    func numberType(_ number: PlannedNumber) -> String

    func list(of item: String, _ count: CountPlan) -> String

    /// Returns the spelling of a type that the schema declares.
    func declared(_ name: String) -> String

    var headerName: String { get }
}

struct TypeWords: Sendable {
    let boolean: String
    let text: String
    let bytes: String
    let properties: String
    /// The type of an offset or a number of bytes in a packet.
    var position = "int"
}

extension TypeDialect {
    func integer(_ format: IntegerFormat, _ allowed: ClosedRange<Int128>) -> String { Self.integer(format) }

    func varint(_ format: VarintFormat, _ allowed: ClosedRange<Int128>) -> String {
        integer(format.numberFormat, allowed)
    }

    func numberType(_ number: PlannedNumber) -> String {
        switch number.kind {
        case .plain: integer(number.format, number.allowed)
        case .enumeration(let index): declared(plan.names.enumerations[index].name)
        case .flags(let index): declared(plan.names.flagSets[index].name)
        }
    }

    func list(of item: String, _ count: CountPlan) -> String { item + "[]" }
    func declared(_ name: String) -> String { name }
    var headerName: String { "Header" }

    func type(_ type: CodeType) -> String {
        switch type {
        case .value(let value): typeName(value)
        case .number(let format): Self.integer(format)
        case .position: Self.words.position
        case .boolean: Self.words.boolean
        case .text: Self.words.text
        case .bytes: Self.words.bytes
        case .header: headerName
        case .message(let index): declared(plan.names.messages[index].name)
        }
    }

    func typeName(_ value: ValuePlan) -> String {
        switch value {
        case .number(let number): numberType(number)
        case .float(let byteCount, _, _): float(byteCount: byteCount)
        case .boolean: Self.words.boolean
        case .varint(let format, let allowed): varint(format, allowed)
        case .content(_, .bytes): Self.words.bytes
        case .content(_, .properties): Self.words.properties
        case .content: Self.words.text
        case .structure(let index): declared(plan.names.structures[index].name)
        case .union(let index, _): declared(plan.names.unions[index].name)
        case .list(let item, let count, _): list(of: typeName(item), count)
        case .sized(let content, _, _): typeName(content)
        }
    }
}
