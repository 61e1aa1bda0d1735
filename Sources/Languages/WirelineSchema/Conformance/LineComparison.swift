// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Compares the lines that two implementations print for a packet, by their meaning.
///
/// Members may be in any order, numbers in any notation, and enums and flags may be names or numbers.
package struct LineComparison {
    private let translator: PacketTranslator

    package init(_ translator: PacketTranslator) {
        self.translator = translator
    }

    private var description: ProtocolDescription { translator.description }

    package struct Difference: Equatable {
        /// The path, from the line inwards: `fields.items[1].count`.
        package var path: String
        package var expected: JSONValue?
        package var found: JSONValue?
    }

    /// Returns the first difference between a line and the expected one.
    ///
    /// Parts of `id` and `header` that are missing in either line count as right.
    package func difference(_ expected: JSONValue, _ found: JSONValue) -> Difference? {
        guard case .object(let members) = found else { return Difference(path: "", expected: expected, found: found) }
        let keys = [
            LineKey.message, LineKey.id, LineKey.header, LineKey.fields, LineKey.trailing, LineKey.payload,
            LineKey.packets,
        ]
        for key in keys {
            let isOptional = key == LineKey.id || key == LineKey.header
            if isOptional, found[key] == nil || expected[key] == nil { continue }
            if let difference = difference(at: key, expected, found[key]) { return difference }
        }
        let usual = [LineKey.id, LineKey.header]
        guard let unknown = members.first(where: { expected[$0.name] == nil && !usual.contains($0.name) }) else {
            return nil
        }
        return Difference(path: unknown.name, expected: nil, found: unknown.value)
    }

    private func difference(at key: String, _ line: JSONValue, _ found: JSONValue?) -> Difference? {
        guard let expected = line[key], let found else {
            guard line[key] != nil || found != nil else { return nil }
            return Difference(path: key, expected: line[key], found: found)
        }
        switch key {
        case LineKey.id: return same(number(expected) == number(found), key, expected, found)
        case LineKey.header: return headerDifference(expected, found)
        case LineKey.packets: return packetsDifference(expected, found)
        case LineKey.fields:
            guard let message = message(of: line) else { return same(expected == found, key, expected, found) }
            return difference(message.fields, expected, found, key)
        case LineKey.message:
            let isAlias = message(of: line)?.alias.map { found == .string($0) } ?? false
            return same(isAlias || expected == found, key, expected, found)
        default: return same(lowercase(expected) == lowercase(found), key, expected, found)
        }
    }

    private func packetsDifference(_ expected: JSONValue, _ found: JSONValue) -> Difference? {
        guard case .array(let lines) = expected, case .array(let others) = found, lines.count == others.count else {
            return Difference(path: LineKey.packets, expected: expected, found: found)
        }
        for (position, (line, other)) in zip(lines, others).enumerated() {
            guard var difference = difference(line, other) else { continue }
            difference.path = FieldPath.joining("\(LineKey.packets)[\(position)]", difference.path)
            return difference
        }
        return nil
    }

    private func message(of line: JSONValue) -> MessageDescription? {
        guard case .string(let name)? = line[LineKey.message] else { return nil }
        return translator.message(named: name)
    }

    private func headerDifference(_ expected: JSONValue, _ found: JSONValue) -> Difference? {
        guard case .object(let members) = found else {
            return Difference(path: LineKey.header, expected: expected, found: found)
        }
        for member in members {
            let value = expected[member.name]
            let isSame = value.map { $0 == member.value || number($0).map { $0 == number(member.value) } ?? false }
            guard isSame != true else { continue }
            let path = FieldPath.joining(LineKey.header, FieldPath.step(member.name))
            return Difference(path: path, expected: value, found: member.value)
        }
        return nil
    }

    // MARK: Fields

    private func difference(
        _ fields: [FieldDescription], _ expected: JSONValue, _ found: JSONValue, _ path: String
    ) -> Difference? {
        guard case .object(let members) = found else { return Difference(path: path, expected: expected, found: found) }
        let fields = fields.filter(\.hasValue)
        for field in fields {
            let inner = FieldPath.joining(path, FieldPath.step(field.name))
            // An optional field that is not set may be null.
            let (one, other) = (present(expected[field.name]), present(found[field.name]))
            guard let one, let other else {
                if one == nil && other == nil { continue }
                return Difference(path: inner, expected: one, found: other)
            }
            if let difference = difference(field.type, one, other, inner) { return difference }
        }
        let unknown = members.first { member in !fields.contains { $0.name.hasSameBytes(as: member.name) } }
        guard let unknown else { return nil }
        let place = FieldPath.joining(path, FieldPath.step(unknown.name))
        return Difference(path: place, expected: nil, found: unknown.value)
    }

    private func present(_ value: JSONValue?) -> JSONValue? { value.flatMap { $0.isNull ? nil : $0 } }

    private func difference(
        _ type: TypeDescription, _ expected: JSONValue, _ found: JSONValue, _ path: String
    ) -> Difference? {
        switch type {
        case .structure(let index): return difference(description.structures[index].fields, expected, found, path)
        case .sized(let content, _): return difference(content, expected, found, path)
        case .union(let index): return difference(description.unions[index], expected, found, path)
        case .list(let element, _), .fixedList(let element, _):
            guard case .array(let items) = expected, case .array(let others) = found, items.count == others.count else {
                return Difference(path: path, expected: expected, found: found)
            }
            for position in items.indices {
                let inner = path + "[\(position)]"
                if let difference = difference(element, items[position], others[position], inner) { return difference }
            }
            return nil
        default: return same(isSame(type, expected, found), path, expected, found)
        }
    }

    /// Compares two values of a union, each an object with one key.
    private func difference(
        _ union: UnionDescription, _ expected: JSONValue, _ found: JSONValue, _ path: String
    ) -> Difference? {
        guard case .object(let members) = expected, case .object(let others) = found, let member = members.first,
            let other = others.first, members.count == 1, others.count == 1, member.name.hasSameBytes(as: other.name),
            let arm = union.arms.first(where: { $0.name.hasSameBytes(as: member.name) })
        else { return same(expected == found, path, expected, found) }
        let inner = FieldPath.joining(path, FieldPath.step(arm.name))
        guard let field = arm.field else { return same(member.value == other.value, inner, expected, found) }
        guard arm.tag == nil else { return difference(field.type, member.value, other.value, inner) }
        for (key, type) in [(KeptValueKey.tag, union.tag), (KeptValueKey.bytes, field.type)] {
            let place = FieldPath.joining(inner, key)
            guard let one = member.value[key], let two = other.value[key] else {
                return Difference(path: place, expected: member.value[key], found: other.value[key])
            }
            if let difference = difference(type, one, two, place) { return difference }
        }
        return nil
    }

    private func isSame(_ type: TypeDescription, _ expected: JSONValue, _ found: JSONValue) -> Bool {
        if expected == found { return true }
        switch type {
        case .integer, .varint: return number(expected).map { $0 == number(found) } ?? false
        case .float(let format, _):
            guard let one = try? expected.float(format), let other = try? found.float(format) else { return false }
            return one.bitPattern == other.bitPattern || one.isNaN && other.isNaN
        case .enumeration(let index, _):
            let cases = description.enumerations[index].cases
            return number(expected, cases).map { $0 == number(found, cases) } ?? false
        case .flags(let index, _):
            let cases = description.flagSets[index].cases
            return flags(expected, cases).map { $0 == flags(found, cases) } ?? false
        case .bytes:
            guard case .string(let one) = expected, case .string(let other) = found, let one = try? Base64.decode(one)
            else { return false }
            return (try? Base64.decode(other)) == one
        default: return false
        }
    }

    private func number(_ value: JSONValue) -> Int128? {
        switch value {
        case .number(let number): number.integer
        case .string(let text): JSONNumber(integerText: text)?.integer
        default: nil
        }
    }

    private func number(_ value: JSONValue, _ cases: [EnumerationDescription.Case]) -> Int128? {
        if case .string(let name) = value, let item = cases.first(where: { $0.name.hasSameBytes(as: name) }) {
            return item.value
        }
        return number(value)
    }

    private func flags(_ value: JSONValue, _ cases: [EnumerationDescription.Case]) -> Int128? {
        guard case .array(let items) = value else { return nil }
        var total: Int128 = 0
        for item in items {
            guard let bits = number(item, cases) else { return nil }
            total |= bits
        }
        return total
    }

    private func lowercase(_ value: JSONValue) -> JSONValue {
        if case .string(let text) = value { .string(text.lowercased()) } else { value }
    }

    private func same(_ isSame: Bool, _ path: String, _ expected: JSONValue, _ found: JSONValue) -> Difference? {
        isSame ? nil : Difference(path: path, expected: expected, found: found)
    }
}
