// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads the fields of messages and structures into JSON, as their description says.
///
/// The checks of a field come in the order in which generated code makes them: prefix, `@max`, the bytes at hand, then
/// what the value itself must be.
struct PayloadDecoder {
    let index: DescriptionIndex

    /// Reads fields to their last one, or to the end of the bytes where one may be absent.
    func decodeFields(_ list: FieldList, from reader: inout ByteReader) throws(CodecError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(list.fields.count)
        for (position, field) in list.fields.enumerated() {
            if field.presence != .required && reader.isAtEnd {
                if let value = list.defaults[position] { members.append(JSONValue.Member(field.name, value)) }
                continue
            }
            do throws(CodecError) {
                members.append(JSONValue.Member(field.name, try decode(field.type, of: field, from: &reader)))
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        return members
    }

    private func decode(
        _ type: TypeDescription, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        switch type {
        case .structure(let structure):
            return .object(try decodeStructure(structure, from: &reader))
        case .fixedList(let element, let count):
            return .array(try decodeItems(element, count: count, of: field, from: &reader))
        case .list(let element, .counted(let format, let byteOrder)):
            let count = try decodeCount(format, byteOrder, of: field, from: &reader)
            try reader.requireItems(count, minimumByteCount: max(1, index.minimumByteCount(of: element)))
            return .array(try decodeItems(element, count: count, of: field, from: &reader))
        case .list(let element, _):
            return .array(try decodeItemsToEnd(element, of: field, from: &reader))
        case .string(let extent):
            return .string(try decodeString(extent, of: field, from: &reader))
        case .bytes(let extent):
            return .string(Base64.encode(try decodeBytes(extent, of: field, from: &reader)))
        case .properties(let isStrict):
            return try decodeProperties(isStrict: isStrict, from: &reader)
        default:
            return try decodeScalar(type, of: field, from: &reader)
        }
    }

    // MARK: Structures and lists

    private func decodeStructure(
        _ structure: Int, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue.Member] {
        try reader.enterStructure()
        let members: [JSONValue.Member]
        if let format = index.description.structures[structure].sizePrefix {
            let byteCount = try reader.readCount(format, index.description.structures[structure].byteOrder)
            let body = try reader.enterSizedBody(byteCount: byteCount)
            members = try decodeFields(index.structures[structure], from: &reader)
            reader.leaveSizedBody(body)
        } else {
            members = try decodeFields(index.structures[structure], from: &reader)
        }
        reader.leaveStructure()
        return members
    }

    private func decodeItems(
        _ element: TypeDescription, count: Int, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        items.reserveCapacity(min(count, reader.remaining))
        let field = field.item
        for position in 0..<count {
            items.append(try decodeItem(element, at: position, of: field, from: &reader))
        }
        return items
    }

    private func decodeItemsToEnd(
        _ element: TypeDescription, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue] {
        var items: [JSONValue] = []
        let itemField = field.item
        while !reader.isAtEnd {
            let start = reader.offset
            try require(field.fault(ofCount: items.count + 1), at: start)
            items.append(try decodeItem(element, at: items.count, of: itemField, from: &reader))
            // Items have at least one byte, by the description's promise; without it this would never end.
            guard reader.offset > start else {
                throw CodecError(.trailingBytes(count: reader.remaining), offset: start)
            }
        }
        return items
    }

    private func decodeItem(
        _ element: TypeDescription, at position: Int, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        do throws(CodecError) {
            return try decode(element, of: field, from: &reader)
        } catch {
            throw error.prefixed(by: "[\(position)]")
        }
    }

    // MARK: Text and bytes

    private func decodeString(
        _ extent: TypeDescription.Extent, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> String {
        switch extent {
        case .counted(let format, let byteOrder):
            return try reader.readString(byteCount: decodeCount(format, byteOrder, of: field, from: &reader))
        case .terminated:
            try require(field.fault(ofCount: reader.byteCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedString()
        case .rest:
            try require(field.fault(ofCount: reader.remaining), at: reader.offset)
            return try reader.readString(byteCount: reader.remaining)
        }
    }

    private func decodeBytes(
        _ extent: TypeDescription.Extent, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> [UInt8] {
        switch extent {
        case .counted(let format, let byteOrder):
            return try reader.readBytes(byteCount: decodeCount(format, byteOrder, of: field, from: &reader))
        case .terminated:
            try require(field.fault(ofCount: reader.byteCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedBytes()
        case .rest:
            try require(field.fault(ofCount: reader.remaining), at: reader.offset)
            return try reader.readBytes(byteCount: reader.remaining)
        }
    }

    private func decodeCount(
        _ format: CountFormat, _ byteOrder: ByteOrder, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> Int {
        let start = reader.offset
        let count = try reader.readCount(format, byteOrder)
        try require(field.fault(ofCount: count), at: start)
        return count
    }
}
