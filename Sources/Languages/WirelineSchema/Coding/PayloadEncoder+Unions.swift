// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension PayloadEncoder {
    /// Writes a union, given as an object with one key, the name of the arm.
    ///
    /// - Parameter hasTag: Whether the tag precedes the value.
    mutating func encodeUnion(
        _ value: JSONValue, _ plan: JSONArmList, hasTag: Bool = true
    ) throws(TranslationError) {
        guard remainingDepth > 0 else { throw TranslationError(.tooDeep(limit: index.maximumDepth)) }
        guard case .object(let members) = value else { throw wrongKind(.object, value) }
        guard let member = members.first, members.count == 1 else {
            throw TranslationError(.notOneArm(count: members.count, known: plan.names))
        }
        guard let arm = plan.arm(named: member.name) else {
            throw TranslationError(.unknownKey(member.name, known: plan.names))
        }
        remainingDepth -= 1
        let (tag, content): (Int128, JSONValue)
        do throws(TranslationError) {
            (tag, content) = try self.tag(of: arm, member.value, plan)
        } catch {
            throw error.prefixed(by: arm.name)
        }
        if hasTag { append(tag: tag, plan.tag) }
        if let format = plan.sizePrefix {
            let outer = startBody()
            try encodeValue(content, of: arm)
            try append(body: endBody(outer), format, plan.sizePrefixOrder)
        } else {
            try encodeValue(content, of: arm)
        }
        remainingDepth += 1
    }

    private mutating func encodeValue(_ value: JSONValue, of arm: JSONArmList.Arm) throws(TranslationError) {
        do throws(TranslationError) {
            guard let field = arm.field else {
                guard value.isNull else { throw wrongKind(.null, value) }
                return
            }
            try encode(value, as: field.type, field.limits)
        } catch {
            throw error.prefixed(by: arm.name)
        }
    }

    /// Writes the field that holds the tag of a union: 0 if the union is not set.
    ///
    /// Errors in the union are reported when it is written itself.
    @inline(never)
    mutating func appendTag(_ field: JSONField, of user: JSONField, _ value: JSONValue?) {
        append(tag: tag(of: value, user.type) ?? 0, field.type)
    }

    private func tag(of value: JSONValue?, _ type: TypeDescription) -> Int128? {
        guard case .union(let union) = type.content, case .object(let members)? = value, let member = members.first,
            let arm = index.unions[union].arm(named: member.name)
        else { return nil }
        return try? tag(of: arm, member.value, index.unions[union]).tag
    }

    /// Returns the tag of an arm, or the one that a `default` arm keeps, with its value.
    private func tag(
        of arm: JSONArmList.Arm, _ value: JSONValue, _ plan: JSONArmList
    ) throws(TranslationError) -> (tag: Int128, content: JSONValue) {
        if let tag = arm.tag { return (tag, value) }
        guard case .object(let members) = value else { throw wrongKind(.object, value) }
        let known = [KeptValueKey.tag, KeptValueKey.bytes]
        if let other = members.first(where: { !known.contains($0.name) }) {
            throw TranslationError(.unknownKey(other.name, known: known))
        }
        guard let written = value[KeptValueKey.tag] else { throw TranslationError(.missing, path: KeptValueKey.tag) }
        guard let content = value[KeptValueKey.bytes] else {
            throw TranslationError(.missing, path: KeptValueKey.bytes)
        }
        let tag = try number(ofTag: written, plan.tag)
        // A reader would take the bytes for the value of that arm.
        if plan.arm(tagged: tag) != nil { throw TranslationError(.knownTag(tag)) }
        return (tag, content)
    }

    /// Returns the number of a kept tag. An error about the number itself belongs to the arm.
    private func number(ofTag value: JSONValue, _ type: TypeDescription) throws(TranslationError) -> Int128 {
        do throws(TranslationError) {
            switch type {
            case .integer(let format, _): return try value.integer(in: format.range)
            case .varint(let format): return try value.integer(in: format.range)
            case .enumeration(let enumeration, _):
                return try index.enumerations[enumeration].number(ofCase: value)
            default: throw wrongKind(.integer, value)
            }
        } catch {
            if case .value = error.reason { throw error }
            throw error.prefixed(by: KeptValueKey.tag)
        }
    }

    private mutating func append(tag: Int128, _ type: TypeDescription) {
        switch type {
        case .integer(let format, let byteOrder): bytes.append(tag, format, byteOrder)
        case .varint(let format): bytes.append(varint: format.bits(of: tag))
        case .enumeration(let enumeration, let byteOrder):
            bytes.append(tag, index.enumerations[enumeration].format, byteOrder)
        default: break
        }
    }
}
