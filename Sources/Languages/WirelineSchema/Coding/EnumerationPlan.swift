// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The cases of an enum or a set of flags, by name and by number.
final class EnumerationPlan: Sendable {
    let format: IntegerFormat
    /// Whether a number without a name is refused.
    private let isClosed: Bool
    private let cases: [EnumerationDescription.Case]
    private let indicesByName: [String: Int]
    private let namesByValue: [Int128: String]

    init(_ format: IntegerFormat, _ cases: [EnumerationDescription.Case], isClosed: Bool) {
        self.format = format
        self.isClosed = isClosed
        self.cases = cases
        indicesByName = Dictionary(cases.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        namesByValue = Dictionary(cases.map { ($0.value, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { cases.map(\.name) }

    /// Returns the number of the case with exactly this name.
    func value(named name: String) -> Int128? {
        guard let index = indicesByName[name], cases[index].name.hasSameBytes(as: name) else { return nil }
        return cases[index].value
    }

    private func name(of value: Int128) -> String? { namesByValue[value] }

    /// Returns why a number is refused: a `@closed` enum accepts only the numbers that it lists.
    func fault(of value: Int128) -> CodecError.Reason? {
        isClosed && name(of: value) == nil ? .unknownCase(value) : nil
    }

    /// Returns the JSON of an enum: its name, or its number if it has no name.
    func json(enumeration value: Int128) -> JSONValue {
        name(of: value).map { .string($0) } ?? .exactInteger(value)
    }

    /// Returns the JSON of flags: names, then one number for the bits that have no name.
    ///
    /// A name is included if its whole mask is set and adds at least one bit. Names are in the order of their
    /// declaration.
    func json(flags value: Int128) -> JSONValue {
        var items: [JSONValue] = []
        var covered: Int128 = 0
        for flag in cases where flag.value & value == flag.value && flag.value & ~covered != 0 {
            items.append(.string(flag.name))
            covered |= flag.value
        }
        if value & ~covered != 0 { items.append(.exactInteger(value & ~covered)) }
        return .array(items)
    }

    /// Returns the number of an enum's case, given by its name or as a number.
    func number(ofCase value: JSONValue) throws(TranslationError) -> Int128 {
        if case .string(let name) = value {
            if let number = self.value(named: name) { return number }
            guard JSONNumber(integerText: name) != nil else {
                throw TranslationError(.unknownName(name, known: names))
            }
        }
        let number = try value.integer(in: format.range, orElse: .enumeration)
        if let fault = fault(of: number) { throw TranslationError(fault) }
        return number
    }

    /// Returns the number of flags, given by their names and at most one number for bits without a name.
    func number(ofFlags value: JSONValue) throws(TranslationError) -> Int128 {
        guard case .array(let items) = value else {
            throw TranslationError(.wrongKind(expected: .flags, found: value.kind))
        }
        var total: Int128 = 0
        var names: Set<String> = []
        var hasNumber = false
        for item in items {
            if case .string(let name) = item, let mask = self.value(named: name) {
                guard names.insert(name).inserted else { throw TranslationError(.repeatedFlag(name)) }
                total |= mask
            } else if case .string(let name) = item, JSONNumber(integerText: name) == nil {
                throw TranslationError(.unknownName(name, known: self.names))
            } else {
                let bits = try item.integer(in: format.range, orElse: .flag)
                guard !hasNumber else { throw TranslationError(.repeatedFlag(String(bits))) }
                hasNumber = true
                total |= bits
            }
        }
        return total
    }
}
