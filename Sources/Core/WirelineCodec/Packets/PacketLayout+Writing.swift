// SPDX-License-Identifier: Apache-2.0

/// The sizes of a packet that is about to be written.
@usableFromInline
struct PacketMeasure: Sendable {
    @usableFromInline var headerByteCount: Int
    @usableFromInline var packetByteCount: Int
    @usableFromInline var trailerByteCount: Int
    /// The widths of the header's varints; 1 for one that is absent.
    @usableFromInline var varints = VarintWidths()
    /// Whether each field is there; empty if all are.
    @usableFromInline var presence: [Bool] = []
}

extension PacketMeasure {
    fileprivate func contains(_ index: Int) -> Bool { presence.isEmpty || presence[index] }

    /// Returns the number of bytes that a field adds to the ones before it: 0 for one that is absent.
    ///
    /// - Parameters:
    ///   - varints: The number of varints before the field; one more afterwards if it is one.
    fileprivate func width(of index: Int, _ byteCounts: [Int?], _ varints: inout Int) -> Int {
        if let byteCount = byteCounts[index] { return contains(index) ? byteCount : 0 }
        varints += 1
        return contains(index) ? self.varints[varints - 1] : 0
    }
}

extension PacketPlan {
    /// Returns the byte count of a packet whose header can be written as one number.
    ///
    /// Nil if it cannot, or if something is wrong: the general path then makes the error.
    @inlinable @inline(__always)
    package func byteCountAtOnce(id: UInt64, payloadByteCount: Int, limit: Int) -> Int? {
        let (byteCount, overflow) = payloadByteCount.addingReportingOverflow(minimumPacketByteCount)
        guard canWriteAtOnce, id <= mostMessageID, !overflow, byteCount <= limit, byteCount <= mostPacketByteCount,
            byteCount >= leastPacketByteCount
        else { return nil }
        return byteCount
    }

    /// Returns the header of a packet as one number.
    ///
    /// ``byteCountAtOnce(id:payloadByteCount:limit:)`` has measured the packet before. The header is computed apart
    /// from writing it, so that the compiler need not pass the whole plan there.
    @inlinable @inline(__always)
    func headerAtOnce(id: UInt64, packetByteCount: Int) -> (bits: UInt128, byteCount: Int) {
        var bits = template
        bits |= firstLength.bits(packetByteCount: packetByteCount)
        bits |= secondLength.bits(packetByteCount: packetByteCount)
        bits |= UInt128(id) &<< UInt128(truncatingIfNeeded: messageIDShift)
        return (bits, headerByteCount)
    }

    /// The buffer has exactly as many bytes as ``byteCountAtOnce(id:payloadByteCount:limit:)`` returned.
    @inlinable @inline(__always)
    @unsafe
    package func encodeAtOnce(id: UInt64, payload: RawSpan, into buffer: UnsafeMutableRawBufferPointer) {
        let header = headerAtOnce(id: id, packetByteCount: buffer.count)
        var byteCount = 0
        // SAFETY: the caller lends the buffer for the call, and `fill` compares the count with the buffer's.
        unsafe ByteWriter.fill(buffer, &byteCount, byteCount: buffer.count) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writer.writeShortBytes(payload)
        }
    }
}

extension PacketLayout {
    /// Measures a packet, and gives its `@fit` field the first value with which the packet can be written.
    func fit(
        payloadByteCount: Int, id: UInt64, header: PacketHeader, limit: Int
    ) throws(CodecError) -> (measure: PacketMeasure, header: PacketHeader) {
        try requireContext()
        var header = header
        if let (name, values) = fitting, header[value: name] == nil {
            for (index, value) in values.enumerated() {
                header[name] = value
                do throws(CodecError) {
                    let measure = try measure(payloadByteCount: payloadByteCount, id: id, header: header, limit: limit)
                    return (measure, header)
                } catch {
                    let isAbsent = error.reason == .wrongPresence(isSet: true) && error.path == "packet." + name
                    guard isAbsent || error.reason.isOfLength && index < values.count - 1 else { throw error }
                }
            }
            // The field is absent.
            header[value: name] = nil
        }
        return (try measure(payloadByteCount: payloadByteCount, id: id, header: header, limit: limit), header)
    }

    package func canHold(payloadByteCount: Int, id: UInt64, header: PacketHeader, limit: Int) -> Bool {
        (try? fit(payloadByteCount: payloadByteCount, id: id, header: header, limit: limit)) != nil
    }

    private func measure(
        payloadByteCount: Int, id: UInt64, header values: PacketHeader, limit: Int
    ) throws(CodecError) -> PacketMeasure {
        precondition(payloadByteCount >= 0, "a payload has no fewer than 0 bytes")
        try checkSettable(values)
        var measure = PacketMeasure(
            headerByteCount: 0, packetByteCount: 0, trailerByteCount: plan.trailerByteCount,
            presence: try presence(id: id, header: values))
        let added = conditionalByteCounts(measure.presence)
        measure.trailerByteCount += added.trailer
        while true {
            measure.headerByteCount = plan.headerByteCount + added.header + measure.varints.addedByteCount
            let around = measure.headerByteCount + measure.trailerByteCount
            let total = Int128(payloadByteCount) + Int128(around)
            let limit = isBounded || hasLength(measure.presence) ? limit : min(limit, around)
            guard total <= Int128(limit) else {
                throw CodecError(.packetTooLong(length: total, packetByteCount: total, limit: limit))
            }
            measure.packetByteCount = Int(total)
            let fields = HeaderValues(layout: self, measure: measure, id: id, set: values)
            // Lengths can count varints, and themselves: a wider one never makes another shorter. So the first widths
            // that hold the values that they cause are the shortest.
            let needed = fields.neededWidths
            if needed == measure.varints {
                // Other lengths count the varints too: before the widths are known, they can seem out of range.
                try check(fields)
                return measure
            }
            measure.varints = needed
        }
    }

    /// Returns which fields a packet has; empty if it has all fields of the layout.
    ///
    /// Numbers that conditions test are checked first. The ID takes the first of the ``messageIDSets`` that can hold it
    /// and whose fields are then present.
    package func presence(id: UInt64, header: PacketHeader) throws(CodecError) -> [Bool] {
        try requireContext()
        guard hasConditions else { return [] }
        let fields = fields
        for index in operands {
            guard let value = header[fields[index].name] else { continue }
            let range = fields[index].range
            guard range.contains(value) else {
                throw CodecError(.outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound))
                    .prefixed(by: fields[index].path)
            }
        }
        for candidate in messageIDSets where candidate.canHold(id) {
            var presence = FieldPresence(self)
            let list = fields.indices.map { index in
                let isThere = presence.contains(index)
                if isThere { presence.note(fields[index].givenValue(header, candidate, id, index, fields), of: index) }
                return isThere
            }
            let identifiers = fields.indices.filter { list[$0] && fields[$0].role == .messageID }
            if identifiers == candidate.fields { return list }
        }
        throw CodecError(.invalidMessageID(id))
    }

    private func conditionalByteCounts(_ presence: [Bool]) -> (header: Int, trailer: Int) {
        var sums = (header: 0, trailer: 0)
        guard !presence.isEmpty else { return sums }
        for index in conditions.indices where conditions[index] != nil && presence[index] {
            let byteCount = byteCounts[index] ?? 1
            if index < header.count { sums.header += byteCount } else { sums.trailer += byteCount }
        }
        return sums
    }

    private func hasLength(_ presence: [Bool]) -> Bool {
        presence.isEmpty ? hasLength : header.indices.contains { presence[$0] && header[$0].role.isLength }
    }

    /// Refuses values of fields that do not exist or cannot be set.
    ///
    /// - Parameter absentFields: The fields that only other contexts have (default: those of this layout).
    func checkSettable(_ values: PacketHeader, absentFields: [PacketField]? = nil) throws(CodecError) {
        guard !values.fields.isEmpty else { return }
        let absentFields = absentFields ?? self.absentFields
        for (name, value) in values.fields {
            let field = fields.first { $0.name == name }
            guard let known = field ?? absentFields.first(where: { $0.name == name }), known.canBeSet(to: value) else {
                throw CodecError(.invalidHeaderField(name))
            }
            guard field != nil else { throw CodecError(.wrongPresence(isSet: true)).prefixed(by: known.path) }
        }
    }

    private func checkText(of field: PacketField, _ set: PacketHeader) throws(CodecError) {
        guard let value = set[value: field.name], let fault = field.format.textFault(of: value) else { return }
        throw CodecError(fault).prefixed(by: field.path)
    }

    private func check(_ values: HeaderValues) throws(CodecError) {
        // Positions, because copying a field takes longer than checking its value.
        let fields = fields
        var end = 0
        var varints = 0
        for index in fields.indices {
            if index == header.count { end = values.measure.packetByteCount - values.measure.trailerByteCount }
            end += values.measure.width(of: index, byteCounts, &varints)
            guard values.measure.contains(index) else {
                guard values.set.fields.isEmpty || values.set[value: fields[index].name] == nil else {
                    throw CodecError(.wrongPresence(isSet: true)).prefixed(by: fields[index].path)
                }
                continue
            }
            if !fields[index].format.isNumber { try checkText(of: fields[index], values.set) }
            let value = values.value(of: fields, index, endingAt: end)
            guard fields[index].range.contains(value) else {
                throw values.fault(of: fields[index], value).prefixed(by: fields[index].path)
            }
        }
        guard hasConditions || hasMessageID ? values.id <= maximumMessageID : values.id == 0 else {
            throw CodecError(.invalidMessageID(values.id))
        }
    }

    /// Checksums are 0: ``fillChecksums(_:_:)`` sets them after the payload is written.
    func writeHeader(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        var varints = 0
        for index in header.indices { values.write(header, index, index, &varints, to: &writer) }
    }

    /// Checksums are 0 here, too.
    func writeTrailer(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        var varints = 0
        for index in trailer.indices { values.write(trailer, index, header.count + index, &varints, to: &writer) }
    }

    /// Computes the checksums of a packet that has been written with 0 for them, in wire order.
    func fillChecksums(_ measure: PacketMeasure, _ writer: inout ByteWriter) {
        guard !checksums.isEmpty else { return }
        let ends = partEnds(measure)
        for checksum in checksums where measure.contains(fieldIndex(of: checksum)) {
            let field = fields[fieldIndex(of: checksum)]
            guard case .integer(let format, let byteOrder) = field.format else { continue }
            // This checksum and the later ones are still zeros, as they must be.
            let value = writer.checksum(checksum.kind, of: checksum.range(ends))
            let bytes = format.byteCount
            writer.overwrite(UInt64(value), byteCount: bytes, at: ends[checksum.part] - bytes, byteOrder)
        }
    }

    /// Returns the end of each part of a packet, in bytes from its first.
    private func partEnds(_ measure: PacketMeasure) -> [Int] {
        var ends: [Int] = []
        var end = 0
        var varints = 0
        for index in header.indices {
            end += measure.width(of: index, byteCounts, &varints)
            ends.append(end)
        }
        end = measure.packetByteCount - measure.trailerByteCount
        ends.append(end)
        for index in header.count..<fields.count {
            end += measure.width(of: index, byteCounts, &varints)
            ends.append(end)
        }
        return ends
    }
}

/// The values of all fields of one packet's header and trailer.
private struct HeaderValues {
    let layout: PacketLayout
    let measure: PacketMeasure
    let id: UInt64
    let set: PacketHeader

    /// - Parameter end: The end of the field, in bytes from the packet's first.
    func value(of fields: [PacketField], _ index: Int, endingAt end: Int) -> Int128 {
        switch fields[index].role {
        case .value(let value): setValue(of: fields, index) ?? value.number
        case .fitting(let values): setValue(of: fields, index) ?? values.last ?? 0
        case .sequence: setValue(of: fields, index) ?? 0
        case .constant(let value): value.number
        case .checksum, .padding, .contentLength: 0
        case .messageID: part(of: id, for: index)
        case .length(let base, let constant): Int128(constant) + Int128(byteCount(of: base, behind: end))
        }
    }

    private func setValue(of fields: [PacketField], _ index: Int) -> Int128? {
        set.fields.isEmpty ? nil : set[fields[index].name]
    }

    /// The widths that the header's varints need, given those in the measure.
    var neededWidths: VarintWidths {
        var needed = measure.varints
        guard !layout.isFixed else { return needed }
        var end = 0
        var varints = 0
        let header = layout.header
        for index in header.indices {
            let position = varints
            end += measure.width(of: index, layout.byteCounts, &varints)
            guard case .varint(let format) = header[index].format, measure.contains(index) else { continue }
            let value = value(of: header, index, endingAt: end)
            needed[position] = format.bits(of: header[index].role.isLength ? max(0, value) : value).varintByteCount
        }
        return needed
    }

    private func byteCount(of base: PacketField.LengthBase, behind end: Int) -> Int {
        switch base {
        case .packet: measure.packetByteCount
        case .payload: measure.packetByteCount - measure.headerByteCount - measure.trailerByteCount
        case .rest: measure.packetByteCount - end
        }
    }

    /// Returns the bits of an ID that belong to one of its fields, as a number of that field.
    private func part(of id: UInt64, for index: Int) -> Int128 {
        var rest = id
        for candidate in layout.messageIDs.reversed() where measure.contains(candidate) {
            let format = layout.fields[candidate].format
            let width = format.bitWidth
            if candidate == index { return format.number(ofBits: rest & (UInt64.max >> UInt64(64 - width))) }
            rest = width == 64 ? 0 : rest >> UInt64(width)
        }
        return 0
    }

    func fault(of field: PacketField, _ value: Int128) -> CodecError {
        let range = field.range
        guard field.role.isLength else {
            return CodecError(.outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound))
        }
        guard value > range.upperBound else {
            return CodecError(.lengthTooSmall(length: value, minimum: range.lowerBound))
        }
        let most = Int(clamping: range.upperBound - value + Int128(measure.packetByteCount))
        let total = Int128(measure.packetByteCount)
        return CodecError(.packetTooLong(length: value, packetByteCount: total, limit: most))
    }

    /// Writes a field, or all that share its bytes if it is the first of them.
    ///
    /// - Parameters:
    ///   - list: The fields of the header or of the trailer.
    ///   - position: The field's position in the list.
    ///   - index: Its position among all fields.
    ///   - varints: The number of varints before the field; one more afterwards if it is one.
    func write(
        _ list: [PacketField], _ position: Int, _ index: Int, _ varints: inout Int, to writer: inout ByteWriter
    ) {
        let end = writer.offset + measure.width(of: index, layout.byteCounts, &varints)
        guard measure.contains(index) else { return }
        if let place = layout.packedPlace(ofField: index) {
            if place.isFirst {
                writeRun(index..<index + place.fieldCount, endingAt: end, to: &writer)
            }
            return
        }
        let value = value(of: layout.fields, index, endingAt: end)
        switch list[position].format {
        case .integer(let format, let byteOrder): writer.writeNumber(value, format, byteOrder)
        case .boolean, .bit: writer.writeNumber(value, .uint8, .bigEndian)
        case .varint(let format): writer.writeVarint(format.bits(of: value))
        case .text, .digits, .bytes: writeText(list[position], to: &writer)
        }
    }

    /// Writes a field of text, digits or bytes; one without a value gets zeros or padding.
    private func writeText(_ field: PacketField, to writer: inout ByteWriter) {
        var run = writer.writeRun(byteCount: field.format.byteCount ?? 0)
        switch field.format {
        case .text(let byteCount, let padding):
            run.setText(text(of: field), at: 0, byteCount: byteCount, padding: padding)
        case .digits(let format): format.set(text(of: field).utf8, in: &run)
        case .bytes:
            for (index, byte) in (set[bytes: field.name] ?? []).enumerated() {
                run.setInteger(byte, at: index, .bigEndian)
            }
        case .integer, .boolean, .bit, .varint: break
        }
    }

    private func text(of field: PacketField) -> String {
        switch field.role {
        case .value(let value): set[text: field.name] ?? value.text ?? ""
        case .constant(let value): value.text ?? ""
        case .fitting, .length, .contentLength, .messageID, .sequence, .padding, .checksum: ""
        }
    }

    private func writeRun(_ indices: Range<Int>, endingAt end: Int, to writer: inout ByteWriter) {
        let fields = layout.fields
        var run = PackedBits()
        for index in indices {
            guard let place = layout.packedPlace(ofField: index) else { continue }
            run.add(value(of: fields, index, endingAt: end), bitWidth: place.bitWidth, shift: place.shift)
            guard index == indices.upperBound - 1 else { continue }
            writer.writeUnsigned(run.integer, byteCount: place.runByteCount, place.byteOrder)
        }
    }
}

extension CodecError.Reason {
    /// Whether another length could hold the packet, or another set of ID fields the ID.
    fileprivate var isOfLength: Bool {
        switch self {
        case .packetTooLong, .lengthTooSmall, .invalidMessageID: true
        default: false
        }
    }
}

extension PacketField {
    func canBeSet(to value: PacketHeader.FieldValue) -> Bool {
        switch (role, format, value) {
        case (.value, .text, .text), (.value, .digits, .text), (.value, .bytes, .bytes), (.sequence, _, .integer),
            (.fitting, _, .integer):
            true
        case (.value, _, .integer): format.isNumber
        default: false
        }
    }

    /// Returns the number that conditions see; a field that they cannot test has 0.
    fileprivate func givenValue(
        _ header: PacketHeader, _ identifiers: MessageIDSet, _ id: UInt64, _ index: Int, _ list: [PacketField]
    ) -> Int128 {
        switch role {
        case .value(let value): header[name] ?? value.number
        case .fitting(let values): header[name] ?? values.last ?? 0
        case .sequence: header[name] ?? 0
        case .constant(let value): value.number
        case .messageID: identifiers.part(of: id, for: index, in: list)
        case .length, .contentLength, .checksum, .padding: 0
        }
    }
}
