// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension PayloadDecoder {
    /// Reads a union: an object with one key, the name of the arm.
    ///
    /// - Parameter tag: The tag, unless it precedes the value.
    func decodeUnion(
        _ plan: JSONArmList, tagged tag: Int128? = nil, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        try reader.enterStructure()
        let start = reader.offset
        let number: Int128
        if let tag {
            number = tag
        } else {
            number = try decodeTag(plan.tag, from: &reader)
            recorder?.add(tag: json(tag: number, of: plan.tag), at: start..<reader.offset)
        }
        var body: ByteReader.SizedBody?
        if let format = plan.sizePrefix {
            let sizeStart = reader.offset
            let byteCount = try reader.readCount(format, plan.sizePrefixOrder, index.varintForms)
            recorder?.add(size: byteCount, at: sizeStart..<reader.offset)
            body = try reader.enterSizedBody(byteCount: byteCount)
        }
        let member = try decodeArm(plan, number, at: start, from: &reader)
        if let body {
            recorder?.addUnknown(reader.offset..<reader.offset + reader.remaining)
            reader.leaveSizedBody(body)
        }
        reader.leaveStructure()
        return .object([member])
    }

    private func decodeTag(_ type: TypeDescription, from reader: inout ByteReader) throws(CodecError) -> Int128 {
        switch type {
        case .integer(let format, let byteOrder): try reader.readNumber(format, byteOrder)
        case .enumeration(let enumeration, let byteOrder):
            try reader.readNumber(index.enumerations[enumeration].format, byteOrder)
        case .varint(let format): try reader.readNumber(format)
        // The checker allows no other tag.
        default: throw CodecError(.unknownTag(0), offset: reader.offset)
        }
    }

    private func decodeArm(
        _ plan: JSONArmList, _ tag: Int128, at offset: Int, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue.Member {
        guard let arm = plan.arm(tagged: tag) ?? plan.defaultArm else {
            throw CodecError(.unknownTag(tag), offset: offset)
        }
        // A `@closed` enum has no other numbers than those that it lists.
        if arm.tag == nil, case .enumeration(let enumeration, _) = plan.tag {
            try require(index.enumerations[enumeration].fault(of: tag), at: offset)
        }
        guard let field = arm.field else { return JSONValue.Member(arm.name, .null) }
        do throws(CodecError) {
            recorder?.enter(field)
            let value = try decode(field.type, field.limits, from: &reader)
            recorder?.leave()
            guard arm.tag == nil else { return JSONValue.Member(arm.name, value) }
            let kept: JSONValue = [KeptValueKey.tag: json(tag: tag, of: plan.tag), KeptValueKey.bytes: value]
            return JSONValue.Member(arm.name, kept)
        } catch {
            throw error.prefixed(by: arm.name)
        }
    }

    private func json(tag: Int128, of type: TypeDescription) -> JSONValue {
        if case .enumeration(let enumeration, _) = type {
            index.enumerations[enumeration].json(enumeration: tag)
        } else {
            .exactInteger(tag)
        }
    }
}
