// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Decodes the fields of messages and structures to JSON, as their description says.
///
/// The checks of a field have the same order as in generated code: prefix, `@max`, the bytes available, then the value
/// itself.
struct PayloadDecoder {
    let index: DescriptionIndex
    /// Records what is read, if the caller wants it.
    var recorder: AnnotationRecorder?

    /// Reads fields up to the last one, or to the end of the bytes if the next field may be absent.
    func decodeFields(_ list: FieldListPlan, from reader: inout ByteReader) throws(CodecError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(list.fields.count)
        for field in list.fields {
            if field.mayBeAbsent && reader.isAtEnd {
                if let value = field.absent { members.append(JSONValue.Member(field.name, value)) }
                continue
            }
            do throws(CodecError) {
                recorder?.enter(field)
                let value = try decode(field.type, field.limits, from: &reader)
                recorder?.leave()
                members.append(JSONValue.Member(field.name, value))
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        return members
    }

    private func decode(
        _ type: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        switch type {
        case .structure(let structure):
            .object(try decodeStructure(index.structures[structure], from: &reader))
        case .fixedList(let element, let count):
            .array(try decodeItems(element, count: count, from: &reader))
        case .list(let element, .counted(let format, let byteOrder)):
            .array(try decodeItems(element, format, byteOrder, limits, from: &reader))
        case .list(let element, _):
            .array(try decodeItemsToEnd(element, limits, from: &reader))
        default:
            try decodeRecordedLeaf(type, limits, from: &reader)
        }
    }

    // MARK: Structures and lists

    private func decodeStructure(
        _ list: FieldListPlan, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue.Member] {
        try reader.enterStructure()
        let members: [JSONValue.Member]
        if let format = list.sizePrefix {
            let start = reader.offset
            let byteCount = try reader.readCount(format, list.sizePrefixOrder, index.varintForms)
            recorder?.add(size: byteCount, at: start..<reader.offset)
            let body = try reader.enterSizedBody(byteCount: byteCount)
            members = try decodeFields(list, from: &reader)
            recorder?.addUnknown(reader.offset..<reader.offset + reader.remaining)
            reader.leaveSizedBody(body)
        } else {
            members = try decodeFields(list, from: &reader)
        }
        reader.leaveStructure()
        return members
    }

    private func decodeItems(
        _ element: TypeDescription, _ format: CountFormat, _ byteOrder: ByteOrder, _ limits: FieldLimits,
        from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        let start = reader.offset
        let count = try decodeCount(format, byteOrder, limits, from: &reader)
        recorder?.add(count: count, at: start..<reader.offset)
        return try decodeItems(element, count: count, from: &reader)
    }

    private func decodeItems(
        _ element: TypeDescription, count: Int, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        // At most what the bytes can contain, whatever count is announced; the error then names the item that is cut
        // off.
        let minimumByteCount = max(1, index.minimumByteCount(of: element))
        items.reserveCapacity(reader.itemCapacity(count, minimumByteCount: minimumByteCount))
        for position in 0..<count {
            let start = reader.offset
            do throws(CodecError) {
                recorder?.enter(item: position)
                items.append(try decode(element, .none, from: &reader))
                recorder?.leave()
            } catch {
                throw error.prefixed(by: "[\(position)]")
            }
            try require(reader.offset > start ? nil : .trailingBytes(count: reader.remaining), at: start)
        }
        return items
    }

    private func decodeItemsToEnd(
        _ element: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        while !reader.isAtEnd {
            let start = reader.offset
            try require(limits.fault(ofCount: items.count + 1), at: start)
            do throws(CodecError) {
                recorder?.enter(item: items.count)
                items.append(try decode(element, .none, from: &reader))
                recorder?.leave()
            } catch {
                throw error.prefixed(by: "[\(items.count)]")
            }
            // Items have at least one byte, as the description guarantees; otherwise this would never end.
            try require(reader.offset > start ? nil : .trailingBytes(count: reader.remaining), at: start)
        }
        return items
    }

    private func decodeRecordedLeaf(
        _ type: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        let start = reader.offset
        let value = try decodeLeaf(type, limits, from: &reader)
        recorder?.add(value, of: type, at: start..<reader.offset)
        return value
    }

    /// Reads a value that contains no other values.
    private func decodeLeaf(
        _ type: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        switch type {
        case .string(let extent): .string(try decodeString(extent, limits, from: &reader))
        case .digits(let byteCount): .string(try reader.readDigits(byteCount: byteCount))
        case .bytes(let extent): .string(Base64.encode(try decodeBytes(extent, limits, from: &reader)))
        case .properties(let isStrict): try decodeProperties(isStrict: isStrict, from: &reader)
        default: try decodeScalar(type, limits, from: &reader)
        }
    }

    // MARK: Text and bytes

    private func decodeString(
        _ extent: TypeDescription.Extent, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> String {
        switch extent {
        case .counted(let format, let byteOrder):
            return try reader.readString(byteCount: decodeCount(format, byteOrder, limits, from: &reader))
        case .terminated:
            try require(limits.fault(ofCount: reader.byteCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedString()
        case .rest:
            try require(limits.fault(ofCount: reader.remaining), at: reader.offset)
            return try reader.readString(byteCount: reader.remaining)
        case .fixed(let byteCount, let padding):
            return try reader.readFixedText(byteCount: byteCount, padding: padding)
        }
    }

    private func decodeBytes(
        _ extent: TypeDescription.Extent, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> [UInt8] {
        switch extent {
        case .counted(let format, let byteOrder):
            return try reader.readBytes(byteCount: decodeCount(format, byteOrder, limits, from: &reader))
        case .terminated:
            try require(limits.fault(ofCount: reader.byteCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedBytes()
        case .rest:
            try require(limits.fault(ofCount: reader.remaining), at: reader.offset)
            return try reader.readBytes(byteCount: reader.remaining)
        case .fixed(let byteCount, _): return try reader.readBytes(byteCount: byteCount)
        }
    }

    private func decodeCount(
        _ format: CountFormat, _ byteOrder: ByteOrder, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> Int {
        let start = reader.offset
        let count = try reader.readCount(format, byteOrder, index.varintForms)
        try require(limits.fault(ofCount: count), at: start)
        return count
    }
}
