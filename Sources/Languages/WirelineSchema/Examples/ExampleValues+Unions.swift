// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension ExampleValues {
    /// Returns a union as an object of one arm.
    ///
    /// Kept values occur only if a hint asks for them, or if no other value is possible. Random values may have them
    /// with a tag that no arm of either version has.
    mutating func union(_ index: Int, depth: Int) -> JSONValue {
        let union = description.unions[index]
        guard let position = arm(of: index, union) else { return .null }
        let arm = union.arms[position]
        guard let field = arm.field else { return .object([JSONValue.Member(arm.name, .null)]) }
        let place = union.arms[..<position].count { $0.field != nil }
        let value = value(
            field.type, of: field, FieldKey(owner: .union(index), index: place), depth, isItem: false)
        guard arm.tag == nil else { return .object([JSONValue.Member(arm.name, value)]) }
        let kept: JSONValue = [KeptValueKey.tag: .exactInteger(keptTag(union)), KeptValueKey.bytes: value]
        return .object([JSONValue.Member(arm.name, kept)])
    }

    /// Returns the first arm with a value of a declared type somewhere inside; the byte order does not matter.
    private func arm(of union: UnionDescription, leadingTo target: TypeDescription) -> Int? {
        union.arms.firstIndex { arm in arm.field.map { leads($0.type, to: target, by: []) } ?? false }
    }

    /// Returns the arm that can grow most: a list, a text or bytes, or else a body that contains some.
    private func growingArm(of union: UnionDescription) -> Int? {
        let arms = union.arms.indices.filter { index in
            union.arms[index].tag != nil && union.arms[index].field.map { canGrow($0.type) } ?? false
        }
        return arms.first { union.arms[$0].field?.type.extent != nil }
            ?? arms.first { union.arms[$0].field.map { description.innermostBody(of: $0.type) != nil } ?? false }
    }

    private func leads(_ type: TypeDescription, to target: TypeDescription, by passed: Set<Int>) -> Bool {
        switch (type.leaf, target) {
        case (.enumeration(let left, _), .enumeration(let right, _)) where left == right: return true
        case (.flags(let left, _), .flags(let right, _)) where left == right: return true
        case (.structure(let left), .structure(let right)) where left == right: return true
        case (.union(let left), .union(let right)) where left == right: return true
        default: break
        }
        guard let body = description.innermostBody(of: type), !passed.contains(body) else { return false }
        return description.bodies[body].contains { leads($0.type, to: target, by: passed.union([body])) }
    }

    private mutating func arm(of index: Int, _ union: UnionDescription) -> Int? {
        switch hint {
        case .arm(index, let position)?: return position
        case .value(let key, _)?, .count(let key, _)?, .itemCount(let key, _)?:
            if case .structure(let target) = key.owner, let arm = self.arm(of: union, leadingTo: .structure(target)) {
                return arm
            }
            guard key.owner == .union(index) else { break }
            let withFields = union.arms.indices.filter { union.arms[$0].field != nil }
            if withFields.indices.contains(key.index) { return withFields[key.index] }
        case .depth?:
            if let nested = union.arms.firstIndex(where: { arm in
                arm.field.map { description.innermostBody(of: $0.type) != nil } ?? false
            }) {
                return nested
            }
        case .enumeration(let target, _)?:
            if let arm = arm(of: union, leadingTo: .enumeration(target, .bigEndian)) { return arm }
        case .flags(let target, _)?:
            if let arm = arm(of: union, leadingTo: .flags(target, .bigEndian)) { return arm }
        case .largeBody(let target)?:
            if isGrowing, let arm = growingArm(of: union) { return arm }
            if let type = target.type, let arm = arm(of: union, leadingTo: type) { return arm }
        default: break
        }
        if let target, target != .union(index), let arm = arm(of: union, leadingTo: target) { return arm }
        let count = union.taggedArms.count
        guard count > 0 else { return union.arms.isEmpty ? nil : 0 }
        switch style {
        case .zero, .least: return 0
        case .most: return count - 1
        case .random:
            guard let pool, !pool.tags.contains(keptTag(union)) else { return next(count) }
            return next(union.arms.count)
        case .plain, .legible:
            counter += 1
            return Int(counter) % count
        }
    }

    /// Returns a tag without an arm, preferably in both versions: the largest one or, for a `@closed` enum, one of its
    /// cases.
    private func keptTag(_ union: UnionDescription) -> Int128 {
        let taken = Set(union.taggedArms.compactMap(\.tag))
        let takenAnywhere = taken.union(pool?.tags ?? [])
        if case .enumeration(let index, _) = union.tag, description.enumerations[index].isClosed {
            let values = description.enumerations[index].cases.map(\.value)
            return values.last { !takenAnywhere.contains($0) } ?? values.last { !taken.contains($0) } ?? 0
        }
        let range = description.tagRange(of: union)
        var tag = range.upperBound
        while takenAnywhere.contains(tag), tag > range.lowerBound { tag -= 1 }
        while taken.contains(tag) { tag += 1 }
        return tag
    }
}

extension ProtocolDescription {
    func tagRange(of union: UnionDescription) -> ClosedRange<Int128> {
        if case .varint(let format) = union.tag { format.range } else { integerFormat(of: union.tag)?.range ?? 0...0 }
    }
}
