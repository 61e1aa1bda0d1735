// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Decodes the fields of messages, structures and unions to JSON, by their description.
///
/// It checks a field in the same order as generated code: prefix, `@max`, the bytes available, then the value itself.
/// itself.
struct PayloadDecoder {
    let index: DescriptionIndex
    /// The header of the packet, with its defaults, for conditions of a message's fields.
    var header = PacketHeader()
    /// Records what is read, if the caller wants it.
    var recorder: AnnotationRecorder?

    /// Reads fields up to the last one, or to the end of the bytes if the next field may be absent.
    func decodeFields(_ list: JSONFieldList, from reader: inout ByteReader) throws(CodecError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(list.fields.count)
        var run = DecodedRun()
        // The numbers of fields without a key that later fields need.
        var derived: [Int: Int128] = [:]
        var numbers = DerivedNumbers()
        for (position, field) in list.fields.enumerated() {
            if let condition = field.condition, !holds(condition, list, members) { continue }
            if field.mayBeAbsent && reader.isAtEnd {
                if let value = field.absent { members.append(JSONValue.Member(field.name, value)) }
                continue
            }
            do throws(CodecError) {
                recorder?.enter(field)
                if let packing = field.packing {
                    let value = try decodePacked(field, packing, in: &run, from: &reader)
                    if field.hasValue { members.append(JSONValue.Member(field.name, value)) }
                    if field.isCounter { numbers.add(value, of: field) }
                } else if field.isNullable {
                    let tag = field.tagSource.map { derived[$0] ?? 0 }
                    if let value = try decodeNullable(field, tagged: tag, from: &reader) {
                        members.append(JSONValue.Member(field.name, value))
                    }
                } else if field.hasValue {
                    let type = try type(of: field, numbers, from: reader)
                    let tag = field.tagSource.map { derived[$0] ?? 0 }
                    let value = try decode(type, field.limits, tagged: tag, from: &reader)
                    members.append(JSONValue.Member(field.name, value))
                } else if field.isCounter {
                    numbers.add(try decode(field.type, field.limits, from: &reader), of: field)
                } else if field.user != nil {
                    let value = try decode(field.type, field.limits, from: &reader)
                    derived[position] = index.description.number(value, field.type)
                } else {
                    try passFiller(field, from: &reader)
                }
                recorder?.leave()
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        return members
    }

    /// Returns whether the condition of a field holds.
    ///
    /// - Parameter members: The earlier fields that are present.
    private func holds(_ condition: WireCondition, _ list: JSONFieldList, _ members: [JSONValue.Member]) -> Bool {
        index.holds(condition, list, header) { name in members.first { $0.name == name }?.value }
    }

    /// - Parameter tag: The tag of a union, if it is in an earlier field.
    func decode(
        _ type: TypeDescription, _ limits: FieldLimits, tagged tag: Int128? = nil, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        switch type {
        case .structure(let structure):
            .object(try decodeStructure(index.structures[structure], from: &reader))
        case .union(let union):
            try decodeUnion(index.unions[union], tagged: tag, from: &reader)
        case .fixedList(let element, let count):
            .array(try decodeItems(element, count: count, from: &reader))
        case .list(let element, .counted(let format, let byteOrder)):
            .array(try decodeItems(element, format, byteOrder, limits, from: &reader))
        case .list(let element, .until(let terminator)):
            .array(try decodeItems(element, until: terminator, limits, from: &reader))
        case .list(let element, _):
            .array(try decodeItemsToEnd(element, limits, from: &reader))
        case .sized(let content, let extent):
            try decodeSized(content, extent, limits, tagged: tag, from: &reader)
        default:
            try decodeRecordedLeaf(type, limits, from: &reader)
        }
    }

    // MARK: Structures and lists

    private func decodeStructure(
        _ list: JSONFieldList, from reader: inout ByteReader
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

    /// Reads a list or a structure inside a number of bytes; bytes after a structure are skipped.
    func decodeSized(
        _ content: TypeDescription, _ extent: TypeDescription.Extent, _ limits: FieldLimits, tagged tag: Int128?,
        from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        let byteCount: Int
        switch extent {
        case .counted(let format, let byteOrder):
            let start = reader.offset
            byteCount = try reader.readCount(format, byteOrder, index.varintForms)
            recorder?.add(size: byteCount, at: start..<reader.offset)
        case .exact(let count): byteCount = count
        case .terminated, .until, .rest, .fixed, .field: byteCount = reader.remaining
        }
        let body = try reader.enterSizedBody(byteCount: byteCount)
        let value = try decode(content, limits, tagged: tag, from: &reader)
        recorder?.addUnknown(reader.offset..<reader.offset + reader.remaining)
        reader.leaveSizedBody(body)
        return value
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

    func decodeItems(
        _ element: TypeDescription, count: Int, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        // Reserves at most the items that the bytes can contain, whatever the announced count. The error then names the
        // item that is cut off.
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
        while !reader.isAtEnd { try decodeItem(of: &items, element, limits, from: &reader) }
        return items
    }

    /// Reads items up to a byte that ends the list.
    private func decodeItems(
        _ element: TypeDescription, until terminator: UInt8, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        while try !reader.readTerminator(terminator) { try decodeItem(of: &items, element, limits, from: &reader) }
        recorder?.add(terminatorOf: items.count, at: reader.offset - 1..<reader.offset)
        return items
    }

    /// Reads the next item of a list whose number of items is not known before.
    private func decodeItem(
        of items: inout [JSONValue], _ element: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) {
        let start = reader.offset
        try require(limits.fault(ofCount: items.count + 1), at: start)
        do throws(CodecError) {
            recorder?.enter(item: items.count)
            items.append(try decode(element, .none, from: &reader))
            recorder?.leave()
        } catch {
            throw error.prefixed(by: "[\(items.count)]")
        }
        // The description guarantees that items have at least one byte; otherwise this would never end.
        try require(reader.offset > start ? nil : .trailingBytes(count: reader.remaining), at: start)
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
        case .utf16(let extent, let byteOrder):
            .string(try decodeUTF16(extent, byteOrder, limits, from: &reader))
        case .digits(let format): .string(try format.read(from: &reader))
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
        case .exact(let byteCount): return try reader.readString(byteCount: byteCount)
        // A counted extent was replaced by a fixed number of bytes; only lists have terminators of their own.
        case .field, .until: return try reader.readString(byteCount: reader.remaining)
        }
    }

    private func decodeUTF16(
        _ extent: TypeDescription.Extent, _ byteOrder: ByteOrder, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> String {
        switch extent {
        case .counted(let format, let order):
            return try reader.readUTF16(unitCount: decodeCount(format, order, limits, from: &reader), byteOrder)
        case .terminated:
            try require(limits.fault(ofCount: reader.unitCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedUTF16(byteOrder)
        case .rest:
            try require(limits.fault(ofCount: reader.remaining / 2), at: reader.offset)
            return try reader.readRestOfUTF16(byteOrder)
        case .fixed(let byteCount, let padding):
            return try reader.readFixedUTF16(byteCount: byteCount, padding: padding, byteOrder)
        case .exact, .field, .until: return try reader.readRestOfUTF16(byteOrder)
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
        case .fixed(let byteCount, _), .exact(let byteCount): return try reader.readBytes(byteCount: byteCount)
        case .field, .until: return try reader.readBytes(byteCount: reader.remaining)
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
