// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

extension RecordReader {
    /// - Parameter tag: The tag of a union, if an earlier field holds it.
    func read(
        _ form: ValueForm, _ limits: FieldLimits, tagged tag: Int128? = nil, from reader: inout ByteReader,
        to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        switch form {
        case .integer(let format, let order): try readInteger(format, order, limits, from: &reader, to: &writer)
        case .string(let extent): try readText(extent, limits, from: &reader, to: &writer)
        case .bytes(let extent): try readBytes(extent, limits, from: &reader, to: &writer)
        case .structure(let index): try readStructure(plan.structures[index], from: &reader, to: &writer)
        case .list(let item, .counted(let format, let order)):
            let count = try readCount(format, order, limits, from: &reader)
            try readItems(item, count: count, from: &reader, to: &writer)
        case .fixedList(let item, let count): try readItems(item, count: count, from: &reader, to: &writer)
        case .list(let item, let extent): try readOpenList(item, extent, limits, from: &reader, to: &writer)
        case .union(let index): try readUnion(plan.unions[index], tagged: tag, from: &reader, to: &writer)
        case .sized(let content, let extent):
            let body = try enterSized(extent, from: &reader)
            try read(content.form, limits, tagged: tag, from: &reader, to: &writer)
            reader.leaveSizedBody(body)
        case .varint, .enumeration, .flags, .boolean:
            write(try readNumber(form, limits, from: &reader), form, to: &writer)
        case .float, .utf16, .digits, .properties:
            try readSeldom(form, limits, from: &reader, to: &writer)
        }
    }

    /// Reads forms that few messages have.
    ///
    /// It is never inlined: its caller recurses into structures, and its variables would take the caller's stack.
    @inline(never)
    private func readSeldom(
        _ form: ValueForm, _ limits: FieldLimits, from reader: inout ByteReader, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        let start = reader.offset
        switch form {
        case .float(let format, let order):
            let bits = try reader.readUnsigned(byteCount: format.byteCount, order)
            try require(limits.fault(of: format.value(ofBits: bits)), at: start)
            write(format, bits, to: &writer)
        case .utf16(let extent, let order):
            writer.writeBinary(Array(try readUTF16(extent, order, limits, from: &reader).utf8))
        case .digits(let format): writer.writeBinary(Array(try format.read(from: &reader).utf8))
        case .properties(let isStrict):
            let entries = try reader.readProperties(isStrict: isStrict).entries
            if !entries.isEmpty { writer.beginList(count: entries.count) }
            for entry in entries {
                writer.writeTuple(count: 2)
                writer.writeBinary(Array(entry.key.utf8))
                writer.writeBinary(Array(entry.value.utf8))
            }
            writer.endList()
        default: preconditionFailure("\(form) has a place of its own")
        }
    }

    // MARK: Structures and unions

    private func readStructure(
        _ body: RecordBody, from reader: inout ByteReader, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        try reader.enterStructure()
        if let format = body.sizePrefix {
            let byteCount = try reader.readCount(format, body.sizePrefixOrder, plan.varintForms)
            let sized = try reader.enterSizedBody(byteCount: byteCount)
            try readBody(body, from: &reader, to: &writer)
            reader.leaveSizedBody(sized)
        } else {
            try readBody(body, from: &reader, to: &writer)
        }
        reader.leaveStructure()
    }

    private func enterSized(
        _ extent: ValueForm.Extent, from reader: inout ByteReader
    ) throws(CodecError) -> ByteReader.SizedBody {
        let byteCount: Int
        switch extent {
        case .counted(let format, let order): byteCount = try reader.readCount(format, order, plan.varintForms)
        case .exact(let count): byteCount = count
        case .terminated, .rest, .until, .fixed: byteCount = reader.remaining
        }
        return try reader.enterSizedBody(byteCount: byteCount)
    }

    /// Writes the atom of the union's arm, or a tuple of the atom and the value.
    ///
    /// - Parameter tag: The tag, if an earlier field holds it.
    private func readUnion(
        _ union: RecordUnion, tagged tag: Int128?, from reader: inout ByteReader, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        try reader.enterStructure()
        let start = reader.offset
        let number: Int128 = if let tag { tag } else { try readTag(union.tag, from: &reader) }
        var sized: ByteReader.SizedBody?
        if let format = union.sizePrefix {
            let byteCount = try reader.readCount(format, union.sizePrefixOrder, plan.varintForms)
            sized = try reader.enterSizedBody(byteCount: byteCount)
        }
        guard let arm = union.arm(tagged: number) else { throw CodecError(.unknownTag(number), offset: start) }
        // A `@closed` enum has only the numbers that it lists.
        if arm.tag == nil, case .enumeration(let names, _) = union.tag {
            try require(names.fault(of: number), at: start)
        }
        writer.writeEncoded(arm.head)
        if let form = arm.form {
            if arm.tag == nil { write(number, union.tag, to: &writer) }
            do throws(CodecError) {
                try read(form, arm.limits, from: &reader, to: &writer)
            } catch {
                throw error.prefixed(by: arm.name)
            }
        }
        if let sized { reader.leaveSizedBody(sized) }
        reader.leaveStructure()
    }

    /// Accepts numbers that a `@closed` enum does not list. They are checked once the arm is known.
    private func readTag(_ form: ValueForm, from reader: inout ByteReader) throws(CodecError) -> Int128 {
        switch form {
        case .enumeration(let names, let order): try reader.readNumber(names.format, order)
        default: try readNumber(form, .none, from: &reader)
        }
    }

    // MARK: Lists

    private func readItems(
        _ item: ItemForm, count: Int, from reader: inout ByteReader, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        guard count > 0 else { return writer.endList() }
        if item.isByte, count <= min(reader.remaining, Int(UInt16.max)) {
            return writer.writeString(try reader.readSlice(byteCount: count))
        }
        // If the bytes left are too few for this count, the missing item throws, and the list is dropped.
        writer.beginList(count: count)
        for position in 0..<count {
            let start = reader.offset
            try readItem(item, at: position, from: &reader, to: &writer)
            try require(reader.offset > start ? nil : .trailingBytes(count: reader.remaining), at: start)
        }
        writer.endList()
    }

    /// Reads a list up to its terminator, or to the end of the bytes.
    private func readOpenList(
        _ item: ItemForm, _ extent: ValueForm.Extent, _ limits: FieldLimits, from reader: inout ByteReader,
        to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        let place = writer.beginList()
        var count = 0
        while true {
            if case .until(let terminator) = extent {
                if try reader.readTerminator(terminator) { break }
            } else if reader.isAtEnd {
                break
            }
            let start = reader.offset
            try require(limits.fault(ofCount: count + 1), at: start)
            try readItem(item, at: count, from: &reader, to: &writer)
            // The description guarantees that each item has at least a byte. Without that, this would never end.
            try require(reader.offset > start ? nil : .trailingBytes(count: reader.remaining), at: start)
            count += 1
        }
        writer.endList(at: place, count: count)
    }

    @inline(__always)
    private func readItem(
        _ item: ItemForm, at position: Int, from reader: inout ByteReader, to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        do throws(CodecError) {
            try read(item.form, .none, from: &reader, to: &writer)
        } catch {
            throw error.prefixed(by: "[\(position)]")
        }
        // A byte can become an atom of 255 characters, so a list of bytes can become much longer.
        guard writer.count <= byteLimit else {
            throw CodecError(.tooLong(count: writer.count, limit: byteLimit), offset: reader.offset)
        }
    }

    // MARK: Text and bytes

    func readText(
        _ extent: ValueForm.Extent, _ limits: FieldLimits, from reader: inout ByteReader,
        to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        switch extent {
        case .counted(let format, let order):
            let count = try readCount(format, order, limits, from: &reader)
            writer.writeBinary(try reader.readTextSlice(byteCount: count))
        case .terminated:
            let count = try reader.byteCountToTerminator()
            try require(limits.fault(ofCount: count), at: reader.offset)
            writer.writeBinary(try reader.readTextSlice(byteCount: count))
            _ = try reader.readSlice(byteCount: 1)
        case .rest, .until:
            try require(limits.fault(ofCount: reader.remaining), at: reader.offset)
            writer.writeBinary(try reader.readTextSlice(byteCount: reader.remaining))
        case .fixed(let byteCount, let padding):
            writer.writeBinary(try reader.readFixedTextSlice(byteCount: byteCount, padding: padding))
        case .exact(let count): writer.writeBinary(try reader.readTextSlice(byteCount: count))
        }
    }

    func readBytes(
        _ extent: ValueForm.Extent, _ limits: FieldLimits, from reader: inout ByteReader,
        to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        switch extent {
        case .counted(let format, let order):
            let count = try readCount(format, order, limits, from: &reader)
            writer.writeBinary(try reader.readSlice(byteCount: count))
        case .terminated:
            let count = try reader.byteCountToTerminator()
            try require(limits.fault(ofCount: count), at: reader.offset)
            writer.writeBinary(try reader.readSlice(byteCount: count))
            _ = try reader.readSlice(byteCount: 1)
        case .rest, .until:
            try require(limits.fault(ofCount: reader.remaining), at: reader.offset)
            writer.writeBinary(reader.readRest())
        case .fixed(let count, _), .exact(let count):
            writer.writeBinary(try reader.readSlice(byteCount: count))
        }
    }

    private func readUTF16(
        _ extent: ValueForm.Extent, _ byteOrder: ByteOrder, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> String {
        switch extent {
        case .counted(let format, let order):
            return try reader.readUTF16(unitCount: readCount(format, order, limits, from: &reader), byteOrder)
        case .terminated:
            try require(limits.fault(ofCount: reader.unitCountToTerminator()), at: reader.offset)
            return try reader.readTerminatedUTF16(byteOrder)
        case .rest:
            try require(limits.fault(ofCount: reader.remaining / 2), at: reader.offset)
            return try reader.readRestOfUTF16(byteOrder)
        case .fixed(let byteCount, let padding):
            return try reader.readFixedUTF16(byteCount: byteCount, padding: padding, byteOrder)
        case .exact, .until: return try reader.readRestOfUTF16(byteOrder)
        }
    }

    private func readCount(
        _ format: CountFormat, _ order: ByteOrder, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> Int {
        let start = reader.offset
        let count = try reader.readCount(format, order, plan.varintForms)
        try require(limits.fault(ofCount: count), at: start)
        return count
    }
}
