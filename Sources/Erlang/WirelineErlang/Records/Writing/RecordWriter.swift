// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// Reads a record from the bytes of a term, and writes its fields as a message. It makes no values in between.
///
/// Fields are checked in the same order as in the generated Erlang, so both report the same error first. After an
/// error,
/// ``bytes`` is incomplete, and the caller must drop it. The term was checked before: if a read fails, the term has
/// another type.
struct RecordWriter {
    let plan: RecordPlan
    /// The header of the packet, with its defaults, for conditions of the message's fields.
    var header = PacketHeader()
    var bytes: [UInt8] = []
    /// The number of structures and unions that may still be opened inside each other.
    private var remainingDepth: Int

    init(_ plan: RecordPlan) {
        self.plan = plan
        remainingDepth = plan.maximumDepth
    }

    // MARK: Records

    /// The atom of the record has been read.
    mutating func writeMessage(
        _ body: RecordBody, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        do throws(ErlangRecordError) {
            let gap = try writeBody(body, from: &reader)
            guard body.keepsTrailingBytes else { return }
            guard let trailing = reader.readBinary() else {
                throw ErlangRecordError.wrongType("bytes").prefixed(by: "trailing")
            }
            if let gap, !trailing.isEmpty { throw ErlangRecordError("gap_before_optional").prefixed(by: gap) }
            bytes.append(trailing)
        } catch {
            throw error.prefixed(byMessage: body.name)
        }
    }

    /// Returns the name of the first optional field that is not set. No field after it may be set.
    @discardableResult
    private mutating func writeBody(
        _ body: RecordBody, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> String? {
        guard body.plainFields.isEmpty else {
            try writePlain(body, from: &reader)
            return nil
        }
        var gap: String?
        var state = WrittenFields(body)
        for index in body.fields.indices {
            let field = body.fields[index]
            switch field.role {
            case .value: break
            case .tag(let user):
                writeTag(of: body.fields[user], at: user, from: index, in: body, reader)
                continue
            case .counter:
                state.counters.open(index, at: bytes.count)
                writeFiller(nil, field, 0, in: &state.run)
                continue
            case .filler(let constant, let byteCount):
                writeFiller(constant, field, byteCount, in: &state.run)
                continue
            }
            var isSet = true
            if field.mayBeUnset || field.followsOptional {
                isSet = !reader.isAtUndefined
                if field.isOptional || field.followsOptional {
                    if let gap {
                        if isSet { throw ErlangRecordError("gap_before_optional").prefixed(by: gap) }
                    } else if !isSet {
                        gap = field.name
                    }
                }
            }
            do throws(ErlangRecordError) {
                if case .conditional(let condition) = field.presence, condition.holds(state.numbers, header) != isSet {
                    throw ErlangRecordError.presence(isSet: isSet)
                }
                if isSet || !field.mayBeUnset {
                    try write(field, at: index, in: &state, from: &reader)
                } else {
                    reader.skip()
                    writeAbsence(of: field)
                }
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        state.counters.write(to: &bytes, body)
        return gap
    }

    @inline(never)
    private mutating func writePlain(
        _ body: RecordBody, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        for (index, field) in body.plainFields.enumerated() {
            do throws(ErlangRecordError) {
                switch field.form {
                case .integer(let format, let order):
                    guard field.limits.range == nil, writeUsual(format, order, from: &reader) else {
                        let number = try integer(in: field.limits.range ?? format.range, from: &reader)
                        bytes.append(number, format, order)
                        continue
                    }
                case .string(let extent): try writeText(try text(from: &reader), extent, field.limits)
                case .bytes(let extent): try writeBytes(extent, field.limits, from: &reader)
                }
            } catch {
                throw error.prefixed(by: body.fields[index].name)
            }
        }
    }

    @inline(__always)
    private mutating func write(
        _ field: RecordField, at index: Int, in state: inout WrittenFields, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard field.packing == nil, !field.keepsNumber else {
            return try writeNumber(of: field, at: index, in: &state, from: &reader)
        }
        guard let count = field.count else {
            return try write(field.form, field.limits, hasTag: field.tagSource == nil, from: &reader)
        }
        try writeCounted(field, count, &state.counters, from: &reader)
    }

    /// Writes a field that shares bytes with others, or whose number other fields need.
    ///
    /// It is never inlined: its caller recurses into structures, and its variables would take the caller's stack.
    @inline(never)
    private mutating func writeNumber(
        of field: RecordField, at index: Int, in state: inout WrittenFields, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard field.form.isNumber else {
            return try write(field.form, field.limits, hasTag: field.tagSource == nil, from: &reader)
        }
        let number = try number(field.form, field.limits, from: &reader)
        if field.keepsNumber { state.numbers[index] = number }
        if let packing = field.packing { return add(number, packing, to: &state.run) }
        append(number, field.form)
    }

    /// Writes a field that has no value in the record. A counter is 0 at first.
    private mutating func writeFiller(
        _ constant: PlannedConstant?, _ field: RecordField, _ byteCount: Int, in run: inout PackedBits
    ) {
        switch constant {
        case .number(let number, let format, let byteOrder):
            if let packing = field.packing { return add(number, packing, to: &run) }
            bytes.append(number, format, byteOrder)
        case .text(let text, let byteCount, let padding):
            bytes += text.utf8
            bytes += repeatElement(padding, count: max(0, byteCount - text.utf8.count))
        case nil:
            if let packing = field.packing { return add(0, packing, to: &run) }
            if case .counter = field.role {
                if case .integer(let format, let order) = field.form { bytes.append(0, format, order) }
            } else {
                bytes += repeatElement(0, count: byteCount)
            }
        }
    }

    /// For an absent field whose prefix marks that, writes the prefix.
    private mutating func writeAbsence(of field: RecordField) {
        guard case .nullable = field.presence, case .counted(let format, let order)? = field.form.extent else { return }
        appendCount(-1, format, order)
    }

    /// Adds the number of a field to its bit group. The last field of the group writes the bytes.
    private mutating func add(_ number: Int128, _ packing: FieldPacking, to run: inout PackedBits) {
        if packing.beginsRun { run = PackedBits() }
        run.add(number, bitWidth: packing.bitWidth, shift: packing.shift)
        guard packing.endsRun else { return }
        let format = IntegerFormat(bitWidth: 8 * packing.runByteCount, isSigned: false)
        bytes.append(Int128(run.integer), format, packing.byteOrder)
    }

    /// Writes a field whose length an earlier field holds, and sets that field.
    @inline(never)
    private mutating func writeCounted(
        _ field: RecordField, _ count: RecordField.Count, _ counters: inout OpenCounters,
        from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        let start = bytes.count
        var size = 0
        let most = count.range.upperBound
        if case .list(let item, _) = field.form {
            size = try writeList(item, .rest, limit: min(most, field.limits.maximumCount ?? .max), from: &reader)
        } else {
            // The limits of text are checked before its bytes are written.
            let limits =
                field.form.isSized
                ? field.limits
                : FieldLimits(range: nil, floatRange: nil, maximumCount: min(most, field.limits.maximumCount ?? .max))
            try write(field.form.content, limits, hasTag: field.tagSource == nil, from: &reader)
            size = bytes.count - start
        }
        guard size <= most else { throw .tooLong(size, limit: most) }
        guard size >= count.range.lowerBound else {
            throw .tuple("length_too_small", Int128(size), Int128(count.range.lowerBound))
        }
        try counters.set(count, to: size)
    }

    // MARK: Values

    /// - Parameter hasTag: Whether the tag of a union stands before its value.
    mutating func write(
        _ form: ValueForm, _ limits: FieldLimits, hasTag: Bool = true, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        switch form {
        case .integer(let format, let order) where limits.range == nil:
            if !writeUsual(format, order, from: &reader) { append(try number(form, limits, from: &reader), form) }
        case .integer, .varint, .boolean, .enumeration, .flags:
            append(try number(form, limits, from: &reader), form)
        case .structure(let index): try writeStructure(plan.structures[index], from: &reader)
        case .union(let index): try writeUnion(plan.unions[index], hasTag: hasTag, from: &reader)
        case .list(let item, let extent):
            try writeList(item, extent, limit: limits.maximumCount, from: &reader)
        case .fixedList(let item, let count): try writeFixedList(item, count: count, from: &reader)
        case .sized(let content, let extent):
            let start = bytes.count
            let prefixByteCount = beginBody(extent)
            try write(content.form, limits, hasTag: hasTag, from: &reader)
            try endBody(at: start, prefixByteCount, extent, goesToEnd: content.goesToEnd)
        default: try writeLeaf(form, limits, from: &reader)
        }
    }

    private mutating func writeStructure(
        _ body: RecordBody, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard remainingDepth > 0 else { throw .tooDeep(plan.maximumDepth) }
        guard let record = reader.enterRecord(body) else { throw .wrongType("record") }
        reader = record
        remainingDepth -= 1
        guard let format = body.sizePrefix else {
            try writeBody(body, from: &reader)
            remainingDepth += 1
            return
        }
        let start = bytes.count
        let prefixByteCount = beginBody(.counted(format, body.sizePrefixOrder))
        try writeBody(body, from: &reader)
        try endBody(at: start, prefixByteCount, .counted(format, body.sizePrefixOrder), goesToEnd: false)
        remainingDepth += 1
    }

    // MARK: Unions

    private mutating func writeUnion(
        _ union: RecordUnion, hasTag: Bool, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard remainingDepth > 0 else { throw .tooDeep(plan.maximumDepth) }
        guard let index = reader.enterArm(of: union) else { throw .wrongType("union") }
        let arm = union.arms[index]
        remainingDepth -= 1
        do throws(ErlangRecordError) {
            let tag: Int128
            if let known = arm.tag {
                tag = known
            } else {
                tag = try number(union.tag, .none, from: &reader)
                if union.hasArm(tagged: tag) { throw ErlangRecordError.tuple("known_case", tag) }
            }
            if hasTag { append(tag, union.tag) }
        } catch {
            throw error.prefixed(by: arm.name)
        }
        guard let form = arm.form else {
            if let format = union.sizePrefix { appendCount(0, format, union.sizePrefixOrder) }
            remainingDepth += 1
            return
        }
        let start = bytes.count
        let extent = union.sizePrefix.map { ValueForm.Extent.counted($0, union.sizePrefixOrder) }
        let prefixByteCount = extent.map { beginBody($0) } ?? 0
        do throws(ErlangRecordError) {
            try write(form, arm.limits, from: &reader)
        } catch {
            throw error.prefixed(by: arm.name)
        }
        if let extent { try endBody(at: start, prefixByteCount, extent, goesToEnd: false) }
        remainingDepth += 1
    }

    /// Writes the field that holds the tag of a later union: 0 if the union is not set.
    ///
    /// Errors of the union are reported when the union itself is written.
    @inline(never)
    private mutating func writeTag(
        of field: RecordField, at user: Int, from index: Int, in body: RecordBody, _ reader: borrowing ErlangTermReader
    ) {
        guard case .union(let union) = field.form.content else { return }
        var ahead = copy reader
        for position in index..<user where body.fields[position].hasValue { ahead.skip() }
        append(tag(of: plan.unions[union], from: &ahead) ?? 0, body.fields[index].form)
    }

    private func tag(of union: RecordUnion, from reader: inout ErlangTermReader) -> Int128? {
        guard let index = reader.enterArm(of: union) else { return nil }
        if let tag = union.arms[index].tag { return tag }
        return try? number(union.tag, .none, from: &reader)
    }

    // MARK: Lists

    private mutating func writeFixedList(
        _ item: ItemForm, count: Int, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        guard let list = reader.enterList() else { throw .wrongType("list") }
        guard list.count == count else { throw .tuple("wrong_item_count", Int128(list.count), Int128(count)) }
        try writeItems(item, list, until: nil, from: &reader)
    }

    /// Returns the number of items.
    @discardableResult
    private mutating func writeList(
        _ item: ItemForm, _ extent: ValueForm.Extent, limit: Int?, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int {
        guard let list = reader.enterList() else { throw .wrongType("list") }
        var most = limit ?? .max
        if case .counted(let format, _) = extent { most = min(most, format.maximum) }
        guard list.count <= most else { throw .tooLong(list.count, limit: most) }
        if case .counted(let format, let order) = extent { appendCount(list.count, format, order) }
        var terminator: UInt8?
        if case .until(let byte) = extent { terminator = byte }
        try writeItems(item, list, until: terminator, from: &reader)
        return list.count
    }

    /// - Parameter terminator: The byte that ends the list; no item may begin with it. Nil: the list has none.
    private mutating func writeItems(
        _ item: ItemForm, _ list: borrowing ErlangTermReader.List, until terminator: UInt8?,
        from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        if list.isPlain {
            try writeItems(item, count: list.count, until: terminator, from: &reader)
            if list.count > 0 { reader.skip() }
        } else {
            // Either a string, or a list whose tail is a list: both become one plain list of elements.
            let elements = reader.readElements()
            var inner = ErlangTermReader(elements.rawSpan)
            try writeItems(item, count: list.count, until: terminator, from: &inner)
        }
        if let terminator { bytes.append(terminator) }
    }

    private mutating func writeItems(
        _ item: ItemForm, count: Int, until terminator: UInt8?, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) {
        for position in 0..<count {
            let start = bytes.count
            do throws(ErlangRecordError) {
                try write(item.form, .none, from: &reader)
                if let terminator, bytes.count > start, bytes[start] == terminator {
                    throw ErlangRecordError("embedded_terminator")
                }
            } catch {
                throw error.prefixed(by: "[\(position)]")
            }
        }
    }
}
