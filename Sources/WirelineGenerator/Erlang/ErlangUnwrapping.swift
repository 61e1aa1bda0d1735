// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the function that parses a packet: `unwrap/1`, which accepts partial packets.
///
/// Each length is checked as soon as it has arrived, so an invalid one is an error and never a wait.
struct ErlangUnwrapping {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }
    private var fields: ErlangPacketFields { ErlangPacketFields(layout: layout) }
    private var plan: PacketPlan { layout.plan }
    private var limit: String { String(types.description.options.maximumPacketByteCount) }
    private var lines: [String] = []
    /// The variable for the packet's size in bytes, once a length field has been read.
    private var packetSize: String?
    /// The variables with the sizes of the header's varints and fields with a condition that have been read.
    private var widths: [String] = []
    /// The same, by the field's position.
    private var widthsOfFields: [Int: String] = [:]
    /// The number of varints among them that are always there.
    private var varintCount = 0
    private var last = "infinity"
    /// What else the function returns, for a part of packets with layers.
    private let layered: ErlangLayerFacts?
    /// Whether something else than a length tells where the bytes end.
    private var isBounded: Bool { layout.isBounded }

    init(_ types: ErlangTypes, _ layered: ErlangLayerFacts? = nil) {
        self.types = types
        self.layered = layered
    }

    static func function(_ types: ErlangTypes, _ layered: ErlangLayerFacts? = nil) -> String {
        var maker = ErlangUnwrapping(types, layered)
        maker.readHeader()
        maker.readPayload()
        let sender = !ErlangFixedHeaders(types).isUsed ? "" : layered == nil ? "Sender, " : "{Sender, Start}, "
        return "unwrap\(types.suffix)(\(sender)B) ->\n    " + maker.lines.joined(separator: ",\n    ") + ".\n"
    }

    private var isFixed: Bool { !layout.hasConditions && layout.header.allSatisfy { $0.format.byteCount != nil } }

    /// The size of the header, as far as it is known.
    private var headerCount: Count {
        Count(constant: plan.headerByteCount - varintCount, widths: widths)
    }

    /// The size of the trailer.
    private var trailerCount: Count { Self.trailerCount(layout, layout.header.count..<layout.fields.count) }

    /// Returns the size of some of the trailer's fields.
    private static func trailerCount(_ layout: PacketLayout, _ indices: Range<Int>) -> Count {
        indices.reduce(Count(constant: 0)) { count, index in
            layout.fields[index].condition == nil
                ? count + (layout.byteCounts[index] ?? 0) : count + Count(constant: 0, widths: ["C\(index + 1)"])
        }
    }

    // MARK: Header

    private mutating func readHeader() {
        lines.append("Size = byte_size(B)")
        var cursor = Count(constant: 0)
        var bytes = "B"
        var lengths: [Length] = []
        for (index, field) in layout.header.enumerated() {
            var start = cursor
            if let condition = field.condition {
                readConditional(index, field, condition, start, lengths)
                cursor = Count(constant: start.constant, widths: widths)
            } else if let place = layout.packedPlace(ofField: index), !place.isFirst {
                start = cursor - place.runByteCount
            } else if let byteCount = layout.byteCounts[index] {
                cursor = start + byteCount
                readFixed(index, field, start, byteCount, &bytes)
            } else if case .varint(let format) = field.format {
                let name = ErlangText.binary(field.name)
                let arguments = "B, \(start.text), \(format.maximumByteCount), \(last), \(name)"
                let width = ErlangWrapping.width(ofVarintAt: index, in: layout)
                lines.append("{X\(index + 1), \(width)} = header_\(format.erlangReading)(\(arguments))")
                add(width, of: index)
                varintCount += 1
                cursor = Count(constant: start.constant, widths: widths)
            }
            take(index, field, start, cursor)
            if case .length = field.role { lengths.append(Length(index: index, start: start, end: cursor)) }
        }
        // A varint after a length can change its meaning. Once all sizes are known, the lengths are checked again.
        if layout.hasConditions {
            findTrailer()
            takeLengthsThatAreThere(lengths)
        } else if !isFixed {
            packetSize = nil
            for length in lengths {
                takeLength(length.index, layout.header[length.index], length.start, length.end, isAgain: true)
            }
        }
        if isBounded, !layout.hasConditions, lengths.isEmpty {
            measureFrame("undefined", headerCount + trailerCount)
        }
        if isFixed { remaining = bytes }
    }

    /// Takes the packet's size from that of all bytes if no length is there.
    private mutating func measureFrame(_ size: String, _ minimum: Count) {
        lines.append("PacketSize = size_or(\(size), max(\(minimum.text), Size), \(limit))")
        packetSize = "PacketSize"
    }

    private var remaining = "B"

    /// A length field, with its place.
    private struct Length {
        var index: Int
        var start: Count
        var end: Count
    }

    private mutating func add(_ width: String, of index: Int) {
        widths.append(width)
        widthsOfFields[index] = width
    }

    private mutating func readFixed(
        _ index: Int, _ field: PacketField, _ start: Count, _ byteCount: Int, _ bytes: inout String
    ) {
        let segments = fields.reading(index).joined(separator: ", ")
        defer { if let line = fields.taking(index) { lines.append(line) } }
        guard isFixed else {
            let name = ErlangText.binary(field.name)
            lines.append("<<\(segments)>> = header_part(B, \(start.text), \(byteCount), \(last), \(name))")
            return
        }
        let end = String(start.constant + byteCount)
        let needed = plan.canReadAtOnce ? packetSize.map { "max(\(end), \($0))" } ?? end : end
        lines.append("Size >= \(end) orelse more(\(needed), Size)")
        lines.append("<<\(segments), R\(index + 1)/binary>> = \(bytes)")
        bytes = "R\(index + 1)"
    }

    private mutating func take(_ index: Int, _ field: PacketField, _ start: Count, _ end: Count) {
        let name = ErlangText.binary(field.name)
        if field.format.isBoolean {
            lines.append("H\(index + 1) = header_boolean(X\(index + 1), \(name), \(start.text))")
        }
        if field.role != .padding, let text = types.packetFieldText(index, "X\(index + 1)", end.text) {
            lines.append("H\(index + 1) = \(ErlangPresence.value(text, of: index, in: layout, otherwise: "<<>>"))")
        }
        switch field.role {
        case .constant(let value):
            let check = types.packetFieldCheck(index, value, "X\(index + 1)", start.text)
            lines.append(ErlangPresence.check(check, of: index, in: layout))
        case .length where layout.hasConditions: limitHeader(Length(index: index, start: start, end: end))
        case .length: takeLength(index, field, start, end, isAgain: false)
        default: break
        }
    }

    private mutating func takeLength(
        _ index: Int, _ field: PacketField, _ start: Count, _ end: Count, isAgain: Bool
    ) {
        guard case .length(let base, let constant) = field.role else { return }
        let minimum = headerCount + plan.trailerByteCount
        let difference: Count =
            switch base {
            case .packet: Count(constant: -constant)
            case .payload: minimum - constant
            case .rest: end - constant
            }
        // A varint with a sign could be negative, but no length is.
        let mayBeNegative = field.format.byteCount == nil && field.format.range.lowerBound < 0
        let least = mayBeNegative ? "max(\(minimum.text), \(difference.text))" : minimum.text
        let (length, size) = ("X\(index + 1)", (isAgain ? "U" : "T") + "\(index + 1)")
        let isUsed = isFixed || isAgain || base != .payload && isRead(after: index)
        lines.append(
            (isUsed ? "\(size) = " : "")
                + "packet_size(\(length), \(difference.text), \(least), \(limit), \(start.text))")
        if isFixed || isAgain, let packetSize {
            let name = ErlangText.binary(field.name)
            lines.append("same_size(\(size), \(packetSize), \(length), \(difference.text), \(name), \(start.text))")
        }
        packetSize = size
        if base != .payload && !isFixed && !isAgain && isRead(after: index) {
            lines.append("L\(index + 1) = min(\(last), \(size))")
            last = "L\(index + 1)"
        }
    }

    // MARK: Fields with a condition

    /// Reads a field of the header if it is there; lengths before it must have room for it, too.
    private mutating func readConditional(
        _ index: Int, _ field: PacketField, _ condition: WireCondition, _ start: Count, _ lengths: [Length]
    ) {
        lines.append("P\(index + 1) = \(ErlangPresence.text(of: condition, types) { "X\($0 + 1)" })")
        let minimum = headerCount + (layout.byteCounts[index] ?? 1) + plan.trailerByteCount
        var reading = lengths.map { ErlangPresence.check(size(by: $0, minimum), of: $0.index, in: layout) }
        let name = ErlangText.binary(field.name)
        let width: String
        if case .varint(let format) = field.format {
            width = ErlangWrapping.width(ofVarintAt: index, in: layout)
            reading.append(
                "header_\(format.erlangReading)(B, \(start.text), \(format.maximumByteCount), \(last), \(name))")
        } else {
            width = "C\(index + 1)"
            let byteCount = layout.byteCounts[index] ?? 0
            let segments = fields.reading(index, as: "V").joined(separator: ", ")
            reading.append("<<\(segments)>> = header_part(B, \(start.text), \(byteCount), \(last), \(name))")
            reading.append("{V\(index + 1), \(byteCount)}")
        }
        lines.append(
            """
            {X\(index + 1), \(width)} =
                    case P\(index + 1) of
                        true ->
                            \(reading.joined(separator: ",\n                "));
                        false ->
                            {\(field.format.isNumber ? "0" : "<<>>"), 0}
                    end
            """)
        add(width, of: index)
    }

    /// Returns the call that computes the packet's size by a length, or refuses it.
    private func size(by length: Length, _ minimum: Count) -> String {
        let field = layout.header[length.index]
        guard case .length(let base, let constant) = field.role else { return "ok" }
        let difference: Count =
            switch base {
            case .packet: Count(constant: -constant)
            case .payload: minimum - constant
            case .rest: length.end - constant
            }
        let mayBeNegative = field.format.byteCount == nil && field.format.range.lowerBound < 0
        let least = mayBeNegative ? "max(\(minimum.text), \(difference.text))" : minimum.text
        return "packet_size(X\(length.index + 1), \(difference.text), \(least), \(limit), \(length.start.text))"
    }

    /// Checks a length that has just been read, and lets no field after it be awaited past the packet's end.
    private mutating func limitHeader(_ length: Length) {
        let size = size(by: length, headerCount + plan.trailerByteCount)
        guard case .length(let base, _) = layout.header[length.index].role, base != .payload,
            isRead(after: length.index)
        else {
            lines.append(ErlangPresence.check(size, of: length.index, in: layout))
            return
        }
        let variable = "L\(length.index + 1)"
        let shorter = "min(\(last), \(size))"
        lines.append(
            "\(variable) = \(ErlangPresence.value(shorter, of: length.index, in: layout, otherwise: last))")
        last = variable
    }

    /// Finds out which fields of the trailer are there.
    private mutating func findTrailer() {
        for (position, field) in layout.trailer.enumerated() {
            guard let condition = field.condition else { continue }
            let number = layout.header.count + position + 1
            lines.append("P\(number) = \(ErlangPresence.text(of: condition, types) { "X\($0 + 1)" })")
            lines.append("C\(number) = count_if(P\(number), \(layout.byteCounts[number - 1] ?? 0))")
        }
    }

    /// Checks the lengths that are there, now that all widths are known. Without one the payload is empty.
    private mutating func takeLengthsThatAreThere(_ lengths: [Length]) {
        let minimum = headerCount + trailerCount
        var size = "undefined"
        for length in lengths {
            let field = layout.header[length.index]
            guard case .length(let base, let constant) = field.role else { continue }
            let difference: Count =
                switch base {
                case .packet: Count(constant: -constant)
                case .payload: minimum - constant
                case .rest: length.end - constant
                }
            let place = "\(ErlangText.binary(field.name)), \(length.start.text)"
            let own = self.size(by: length, minimum)
            let agreeing =
                size == "undefined"
                ? own : "agreeing_size(\(own), \(size), X\(length.index + 1), \(difference.text), \(place))"
            let value = ErlangPresence.value(agreeing, of: length.index, in: layout, otherwise: size)
            size = "U\(length.index + 1)"
            lines.append("\(size) = \(value)")
        }
        if lengths.allSatisfy({ layout.header[$0.index].condition != nil }) {
            guard !isBounded else { return measureFrame(size, minimum) }
            lines.append("PacketSize = size_or(\(size), \(minimum.text), \(limit))")
            size = "PacketSize"
        }
        packetSize = size
    }

    /// Whether bytes of the header are read after a field; those of fields that share its bytes have been.
    private func isRead(after index: Int) -> Bool {
        layout.header.indices.dropFirst(index + 1).contains { layout.packedPlace(ofField: $0)?.isFirst ?? true }
    }

    // MARK: Payload and trailer

    private mutating func readPayload() {
        if packetSize == nil {
            lines.append("PacketSize = size_or(undefined, \((headerCount + trailerCount).text), \(limit))")
        }
        let packetSize = packetSize ?? "PacketSize"
        lines.append("Size >= \(packetSize) orelse more(\(packetSize), Size)")
        lines.append("Count = \(packetSize) - \((headerCount + trailerCount).parenthesized)")
        var segments = ["Payload:Count/binary"]
        if !isFixed {
            lines.append("HeaderSize = \(headerCount.text)")
            segments.insert("_:HeaderSize/binary", at: 0)
        }
        let first = layout.header.count
        for index in first..<layout.fields.count {
            segments +=
                layout.fields[index].condition == nil
                ? fields.reading(index) : ["Y\(index + 1):C\(index + 1)/binary"]
        }
        lines.append("<<\(segments.joined(separator: ", ")), Rest/binary>> = \(remaining)")
        lines += (first..<layout.fields.count).compactMap { fields.taking($0) }
        lines += (first..<layout.fields.count).compactMap(takingConditional)
        let end = "End = \(headerCount.text) + Count"
        let isEndNeeded = layout.checksums.contains { $0.part < first && $0.parts != first..<first + 1 }
        if isEndNeeded { lines.append(end) }
        verifyChecksums()
        if !isEndNeeded { lines.append(end) }
        verifyTrailer(from: first)
        if isBounded, layered?.mayHaveFiller != true {
            lines.append(
                "Rest =:= <<>> orelse fail({trailing_bytes, byte_size(Rest)}, [], Size - byte_size(Rest))")
        }
        var identifier = identifier()
        let fixed = ErlangFixedHeaders(types)
        if fixed.isUsed {
            // The caller moves offsets to the innermost layer. That of a fixed field counts from the packet's first byte.
            let start = layered == nil ? "" : "Start + "
            lines += ["Id = \(identifier)", fixed.verification("Id") { start + offset(of: $0) }]
            identifier = "Id"
        }
        lines.append("{\(identifier), \(header()), Payload, End, Rest\(facts())}")
    }

    /// Returns what else is known of a part of a packet with layers: where a field begins, the number that counts the
    /// content with its offset, and which conditions hold.
    private func facts() -> String {
        guard let layered else { return "" }
        let start = layered.firstField.map { headerStarts[$0].text } ?? "0"
        let counter = layout.header.firstIndex { $0.name == layered.counter }
        let count = counter.map { index in
            ErlangPresence.value(
                "{X\(index + 1), \(headerStarts[index].text)}", of: index, in: layout, otherwise: "none")
        }
        let rules = layered.rules.map { ErlangPresence.text(of: $0, types) }.joined(separator: ", ")
        return ", \(start), \(count ?? "none"), {\(rules)}"
    }

    /// Returns the line that reads a field of the trailer if it is there; nil for one that always is.
    private func takingConditional(_ index: Int) -> String? {
        let field = layout.fields[index]
        guard field.condition != nil else { return nil }
        let number = index + 1
        guard field.format.isNumber else { return "X\(number) = Y\(number)" }
        let segments = fields.reading(index, as: "V").joined(separator: ", ")
        let reading = "begin <<\(segments)>> = Y\(number), V\(number) end"
        return "X\(number) = \(ErlangPresence.value(reading, of: index, in: layout, otherwise: "0"))"
    }

    /// Verifies the checksums in the header, before the trailer is read.
    private mutating func verifyChecksums() {
        let starts = headerStarts
        for (index, field) in layout.header.enumerated() where field.checksum != nil {
            verify(checksum: index, field, starts[index].text)
        }
    }

    /// The offset of each header field, and of the payload.
    private var headerStarts: [Count] {
        layout.header.indices.reduce(into: [Count(constant: 0)]) { starts, index in
            let start = starts[starts.count - 1]
            if let width = widthsOfFields[index] {
                starts.append(start + Count(constant: 0, widths: [width]))
            } else {
                starts.append(start + (layout.byteCounts[index] ?? 0))
            }
        }
    }

    private mutating func verify(checksum index: Int, _ field: PacketField, _ offset: String) {
        guard let planned = layout.checksums.first(where: { layout.fieldIndex(of: $0) == index }) else { return }
        let computed = ErlangChecksums.call(planned.kind, covered(by: planned))
        let check = "same_checksum(X\(index + 1), \(computed), \(ErlangText.binary(field.name)), \(offset))"
        lines.append(ErlangPresence.check(check, of: index, in: layout))
    }

    /// Returns the bytes that a checksum covers, with zeros for itself and for later ones.
    private func covered(by planned: PlannedChecksum) -> String {
        let payload = layout.header.count
        guard planned.parts != payload..<payload + 1 else { return "Payload" }
        var places = headerStarts.map(\.text)
        places.append("End")
        for index in layout.header.count..<layout.fields.count {
            places.append("End + \(Self.trailerCount(layout, layout.header.count..<index + 1).text)")
        }
        // `places` has the offset of each part, and then the packet's end.
        var pieces: [String] = []
        var start = planned.parts.lowerBound
        func take(upTo end: Int) {
            if start < end { pieces.append("bytes_between(B, \(places[start]), \(places[end]))") }
        }
        for zero in planned.zeros {
            take(upTo: zero)
            let field = layout.fields[zero < payload ? zero : zero - 1]
            let zeros = "<<0:\(8 * (field.format.byteCount ?? 0))>>"
            let index = zero < payload ? zero : zero - 1
            pieces.append(ErlangPresence.value(zeros, of: index, in: layout, otherwise: "<<>>"))
            start = zero + 1
        }
        take(upTo: planned.parts.upperBound)
        return "[\(pieces.joined(separator: ", "))]"
    }

    /// Returns the offset of a field in a packet that has been read.
    private func offset(of index: Int) -> String {
        let packed = layout.packedPlace(ofField: index)
        let back = packed.map { $0.isFirst ? 0 : $0.runByteCount } ?? 0
        guard index >= layout.header.count else { return (headerStarts[index] - back).text }
        return "End + \((Self.trailerCount(layout, layout.header.count..<index) - back).text)"
    }

    private mutating func verifyTrailer(from first: Int) {
        for (position, field) in layout.trailer.enumerated() {
            let index = first + position
            let (variable, name) = ("X\(index + 1)", ErlangText.binary(field.name))
            let packed = layout.packedPlace(ofField: index)
            let back = packed.map { $0.isFirst ? 0 : $0.runByteCount } ?? 0
            let start = (Self.trailerCount(layout, first..<index) - back).text
            let place = start == "0" ? "End" : "End + \(start)"
            let end = Self.trailerCount(layout, first..<index + 1).text
            if field.format.isBoolean {
                lines.append("H\(index + 1) = header_boolean(\(variable), \(name), \(place))")
            }
            if field.role != .padding, let text = types.packetFieldText(index, variable, "End + \(end)") {
                lines.append("H\(index + 1) = \(ErlangPresence.value(text, of: index, in: layout, otherwise: "<<>>"))")
            }
            switch field.role {
            case .constant(let value):
                let check = types.packetFieldCheck(index, value, variable, place)
                lines.append(ErlangPresence.check(check, of: index, in: layout))
            case .length(let base, let constant):
                let counted =
                    switch base {
                    case .packet: packetSize ?? "0"
                    case .payload: "Count"
                    case .rest: Self.trailerCount(layout, index + 1..<layout.fields.count).text
                    }
                let check = "same_length(\(variable), \(counted) + (\(constant)), \(name), \(place))"
                lines.append(ErlangPresence.check(check, of: index, in: layout))
            case .checksum: verify(checksum: index, field, place)
            default: break
            }
        }
    }

    /// Returns the message's ID: the bits of its fields, the first one most significant.
    private func identifier() -> String {
        var text: String?
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.idBitWidth
            let mask = String((Int128(1) << Int128(width)) - 1, radix: 16, uppercase: true)
            let bits = field.format.range.lowerBound < 0 ? "(X\(index + 1) band 16#\(mask))" : "X\(index + 1)"
            if field.condition == nil {
                text = text.map { "(\($0) bsl \(width)) bor \(bits)" } ?? bits
            } else {
                text = "append_id(P\(index + 1), \(text ?? "0"), \(width), \(bits))"
            }
        }
        return text ?? "0"
    }

    /// Returns the map of the header's fields that are there.
    private func header() -> String {
        var always: [String] = []
        var sometimes: [String] = []
        for (index, name) in types.naming.packetFields.enumerated() where layout.fields[index].role != .padding {
            let format = layout.fields[index].format
            let variable = (format.isBoolean || !format.isNumber ? "H" : "X") + String(index + 1)
            let value = types.packetFieldValue(index, variable) ?? variable
            if layout.fields[index].condition == nil {
                always.append("\(ErlangText.atom(name)) => \(value)")
            } else {
                sometimes.append("{P\(index + 1), \(ErlangText.atom(name)), \(value)}")
            }
        }
        let map = "#{\(always.joined(separator: ", "))}"
        return sometimes.isEmpty ? map : "header_fields([\(sometimes.joined(separator: ", "))], \(map))"
    }
}
