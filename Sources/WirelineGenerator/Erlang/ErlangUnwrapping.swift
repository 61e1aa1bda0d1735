// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the function that parses a packet: `unwrap/1`, which accepts partial packets.
///
/// Each length is checked as soon as it has arrived, so an invalid one is an error and never a wait.
struct ErlangUnwrapping {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }
    private var plan: PacketPlan { layout.plan }
    private var limit: String { String(types.description.options.maximumPacketByteCount) }
    private var lines: [String] = []
    /// The variable for the packet's size in bytes, once a length field has been read.
    private var packetSize: String?
    /// Whether an earlier header field is a varint, whose size is in `W`.
    private var hasVarint = false
    private var last = "infinity"

    init(_ types: ErlangTypes) { self.types = types }

    /// A number of bytes: a constant, plus the varint's size if the varint comes earlier.
    fileprivate struct Count {
        var constant: Int
        var hasVarint = false

        var text: String { hasVarint ? (constant == 0 ? "W" : "\(constant) + W") : String(constant) }

        static func + (left: Count, right: Int) -> Count {
            Count(constant: left.constant + right, hasVarint: left.hasVarint)
        }
        static func - (left: Count, right: Int) -> Count { left + -right }
    }

    static func function(_ types: ErlangTypes) -> String {
        var maker = ErlangUnwrapping(types)
        maker.readHeader()
        maker.readPayload()
        return "unwrap(B) ->\n    " + maker.lines.joined(separator: ",\n    ") + ".\n"
    }

    private var isFixed: Bool { layout.header.allSatisfy { $0.format.byteCount != nil } }

    /// The size of the header, as far as it is known.
    private var headerCount: Count {
        isFixed
            ? Count(constant: plan.headerByteCount)
            : hasVarint
                ? Count(constant: plan.headerByteCount - 1, hasVarint: true) : Count(constant: plan.headerByteCount)
    }

    // MARK: Header

    private mutating func readHeader() {
        lines.append("Size = byte_size(B)")
        var cursor = Count(constant: 0)
        var bytes = "B"
        var lengths: [(index: Int, start: Count, end: Count)] = []
        for (index, field) in layout.header.enumerated() {
            let start = cursor
            if let byteCount = field.format.byteCount {
                cursor = start + byteCount
                readFixed(index, field, start, byteCount, &bytes)
            } else if case .varint(let format) = field.format {
                let name = ErlangText.binary(field.name)
                let arguments = "B, \(start.text), \(format.maximumByteCount), \(last), \(name)"
                lines.append("{X\(index + 1), W} = header_\(format.erlangReading)(\(arguments))")
                hasVarint = true
                cursor = Count(constant: start.constant, hasVarint: true)
            }
            take(index, field, start, cursor)
            if case .length = field.role { lengths.append((index, start, cursor)) }
        }
        // A varint after a length can change its meaning. Once the varint's size is known, the length is checked again.
        if !isFixed {
            packetSize = nil
            for length in lengths {
                takeLength(length.index, layout.header[length.index], length.start, length.end, isAgain: true)
            }
        }
        if isFixed { remaining = bytes }
    }

    private var remaining = "B"

    private mutating func readFixed(
        _ index: Int, _ field: PacketField, _ start: Count, _ byteCount: Int, _ bytes: inout String
    ) {
        let reading = Self.scalar(field.format)?.reading ?? ""
        guard isFixed else {
            let name = ErlangText.binary(field.name)
            lines.append("<<X\(index + 1)\(reading)>> = header_part(B, \(start.text), \(byteCount), \(last), \(name))")
            return
        }
        let end = String(start.constant + byteCount)
        let needed = plan.canReadAtOnce ? packetSize.map { "max(\(end), \($0))" } ?? end : end
        lines.append("Size >= \(end) orelse more(\(needed), Size)")
        lines.append("<<X\(index + 1)\(reading), R\(index + 1)/binary>> = \(bytes)")
        bytes = "R\(index + 1)"
    }

    static func scalar(_ format: PacketField.Format) -> ErlangTypes.Scalar? {
        switch format {
        case .integer(let format, let order): ErlangTypes.scalar(format, order)
        case .boolean: ErlangTypes.scalar(.uint8, .bigEndian)
        case .varint: nil
        }
    }

    private mutating func take(_ index: Int, _ field: PacketField, _ start: Count, _ end: Count) {
        let name = ErlangText.binary(field.name)
        if field.format == .boolean {
            lines.append("H\(index + 1) = header_boolean(X\(index + 1), \(name), \(start.text))")
        }
        switch field.role {
        case .constant(let value):
            lines.append("same_constant(X\(index + 1), \(ErlangTypes.number(value)), \(name), \(start.text))")
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
        let isUsed = isFixed || isAgain || base != .payload && index + 1 < layout.header.count
        lines.append(
            (isUsed ? "\(size) = " : "")
                + "packet_size(\(length), \(difference.text), \(least), \(limit), \(start.text))")
        if isFixed || isAgain, let packetSize {
            let name = ErlangText.binary(field.name)
            lines.append("same_size(\(size), \(packetSize), \(length), \(difference.text), \(name), \(start.text))")
        }
        packetSize = size
        if base != .payload && !isFixed && !isAgain && index + 1 < layout.header.count {
            lines.append("L\(index + 1) = min(\(last), \(size))")
            last = "L\(index + 1)"
        }
    }

    // MARK: Payload and trailer

    private mutating func readPayload() {
        guard let packetSize else { return }
        lines.append("Size >= \(packetSize) orelse more(\(packetSize), Size)")
        lines.append("Count = \(packetSize) - \((headerCount + plan.trailerByteCount).parenthesized)")
        var segments = ["Payload:Count/binary"]
        if !isFixed {
            lines.append("HeaderSize = \(headerCount.text)")
            segments.insert("_:HeaderSize/binary", at: 0)
        }
        let first = layout.header.count
        for (index, field) in layout.trailer.enumerated() {
            segments.append("X\(first + index + 1)\(Self.scalar(field.format)?.reading ?? "")")
        }
        lines.append("<<\(segments.joined(separator: ", ")), Rest/binary>> = \(remaining)")
        let end = "End = \(headerCount.text) + Count"
        let isEndNeeded = layout.checksums.contains { $0.part < first && $0.parts != first..<first + 1 }
        if isEndNeeded { lines.append(end) }
        verifyChecksums()
        if !isEndNeeded { lines.append(end) }
        verifyTrailer(from: first)
        lines.append("{\(identifier()), #{\(members().joined(separator: ", "))}, Payload, End, Rest}")
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
        layout.header.reduce(into: [Count(constant: 0)]) { starts, field in
            let start = starts[starts.count - 1]
            starts.append(
                field.format.byteCount.map { start + $0 } ?? Count(constant: start.constant, hasVarint: true))
        }
    }

    private mutating func verify(checksum index: Int, _ field: PacketField, _ offset: String) {
        guard let planned = layout.checksums.first(where: { layout.fieldIndex(of: $0) == index }) else { return }
        let computed = ErlangChecksums.call(planned.kind, covered(by: planned))
        lines.append("same_checksum(X\(index + 1), \(computed), \(ErlangText.binary(field.name)), \(offset))")
    }

    /// Returns the bytes that a checksum covers, with zeros for itself and for later ones.
    private func covered(by planned: PlannedChecksum) -> String {
        let payload = layout.header.count
        guard planned.parts != payload..<payload + 1 else { return "Payload" }
        var places = headerStarts.map(\.text)
        places.append("End")
        var offset = 0
        for field in layout.trailer {
            offset += field.format.byteCount ?? 0
            places.append("End + \(offset)")
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
            pieces.append("<<0:\(8 * (field.format.byteCount ?? 0))>>")
            start = zero + 1
        }
        take(upTo: planned.parts.upperBound)
        return "[\(pieces.joined(separator: ", "))]"
    }

    private mutating func verifyTrailer(from first: Int) {
        var offset = 0
        for (position, field) in layout.trailer.enumerated() {
            let index = first + position
            let (variable, name) = ("X\(index + 1)", ErlangText.binary(field.name))
            let place = offset == 0 ? "End" : "End + \(offset)"
            offset += field.format.byteCount ?? 0
            if field.format == .boolean {
                lines.append("H\(index + 1) = header_boolean(\(variable), \(name), \(place))")
            }
            switch field.role {
            case .constant(let value):
                lines.append("same_constant(\(variable), \(ErlangTypes.number(value)), \(name), \(place))")
            case .length(let base, let constant):
                let counted =
                    switch base {
                    case .packet: packetSize ?? "0"
                    case .payload: "Count"
                    case .rest: String(plan.trailerByteCount - offset)
                    }
                lines.append("same_length(\(variable), \(counted) + (\(constant)), \(name), \(place))")
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
            text = text.map { "(\($0) bsl \(width)) bor \(bits)" } ?? bits
        }
        return text ?? "0"
    }

    private func members() -> [String] {
        zip(layout.fields.enumerated(), types.naming.packetFields).map { item, name in
            let variable = (item.element.format == .boolean ? "H" : "X") + String(item.offset + 1)
            return "\(ErlangText.atom(name)) => \(variable)"
        }
    }
}

extension ErlangUnwrapping.Count {
    fileprivate var parenthesized: String { hasVarint ? "(\(text))" : text }
}

extension PacketField.Format {
    /// The number of bits of a message's ID that the field holds.
    var idBitWidth: Int {
        switch self {
        case .integer(let format, _): format.byteCount * 8
        case .boolean: 1
        case .varint(let format): format.bitWidth
        }
    }
}
