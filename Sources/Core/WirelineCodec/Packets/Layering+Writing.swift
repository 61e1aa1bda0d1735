// SPDX-License-Identifier: Apache-2.0

/// Seals the layers of one end's packets, in their order.
package protocol LayerSealer: ~Copyable {
    /// The content's byte count from which the sealer applies a layer that depends on the count, unless the program
    /// decides it; nil for never.
    var threshold: Int? { get }

    /// Returns the sealed bytes of a layer.
    ///
    /// - Parameters:
    ///   - header: The fields before the layer that are known before it is sealed; lengths are not.
    ///   - index: The layer's position in the layout's content.
    mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8]
}

extension Layering {
    /// Writes a packet, from the innermost layer out.
    ///
    /// - Parameters:
    ///   - header: The fields that differ from their defaults.
    ///   - payload: The bytes inside all layers, after all header fields.
    ///   - kind: The kind of the payload; nil for bytes that are written without a check.
    ///   - limit: The most bytes of the packet.
    ///   - keystreams: The lasting keystreams of the packets inside; those of this packet are added.
    /// - Returns: The packet as it stands in a stream.
    /// - Throws: ``CodecError`` of the sealer, the errors of writing a packet without layers, and `wrongPresence` at
    ///   `packets` or `opaque` if the payload is of another kind than the header says.
    package func seal<Sealer: LayerSealer & ~Copyable>(
        id: UInt64, header: PacketHeader, payload: RawSpan, _ kind: OpenedContent.Kind?, limit: Int,
        _ keystreams: inout LayerSet, with sealer: inout Sealer
    ) throws(CodecError) -> [UInt8] {
        // A length in a packet is never larger, and sums below cannot overflow.
        guard payload.byteCount <= Int.max / 2 else {
            let byteCount = Int128(payload.byteCount)
            throw CodecError(.packetTooLong(length: byteCount, packetByteCount: byteCount, limit: limit))
        }
        guard let contentLength, contentLength.isSettable, header[contentLength.name] == nil else {
            let values = try GivenHeader(self, id: id, header)
            return try seal(values, payload, kind, limit: limit, &keystreams, with: &sealer)
        }
        // The byte count without a layer decides whether there is a layer.
        var values = try GivenHeader(self, id: id, header, contentLength: 0)
        if let threshold = sealer.threshold, values.contains(contentLength.name) {
            let byteCount = try sections.last.map { section throws(CodecError) in
                try self.content(of: section, values, payload)?.range.count ?? payload.byteCount
            }
            if byteCount ?? 0 >= threshold { values = try GivenHeader(self, id: id, header, contentLength: 1) }
        }
        return try seal(values, payload, kind, limit: limit, &keystreams, with: &sealer)
    }

    private func seal<Sealer: LayerSealer & ~Copyable>(
        _ given: GivenHeader, _ payload: RawSpan, _ kind: OpenedContent.Kind?, limit: Int,
        _ keystreams: inout LayerSet, with sealer: inout Sealer
    ) throws(CodecError) -> [UInt8] {
        try requireContent(kind, given.known)
        var given = given
        var sealed: [UInt8]?
        var range = 0..<payload.byteCount
        var isCounted = contentLength == nil
        for section in sections.reversed() {
            // From here on the layers are around the field.
            if !isCounted, let contentLength, section.layers.allSatisfy({ $0.index < contentLength.firstLayer }) {
                try count(nil, in: &given)
                isCounted = true
            }
            let content =
                if let sealed {
                    try self.content(of: section, given, sealed.rawSpan.extracting(range))
                } else {
                    try self.content(of: section, given, payload)
                }
            if let content { (sealed, range) = (content.bytes, content.range) }
            for layer in section.layers.reversed() where layer.rule.holds(given.known) {
                try keystreams.addKeystream(of: layer.kind, at: layer.index)
                if !isCounted { try count(range.count, in: &given) }
                isCounted = true
                let result =
                    if let sealed {
                        try sealer.seal(sealed.rawSpan.extracting(range), given.known, layerAt: layer.index)
                    } else {
                        try sealer.seal(payload, given.known, layerAt: layer.index)
                    }
                (sealed, range) = (result, 0..<result.count)
            }
        }
        if !isCounted { try count(nil, in: &given) }
        let values = given.values(for: outerWriting)
        guard let sealed else {
            return try outerWriting.encode(id: 0, header: values, payload: payload, limit: limit)
        }
        return try outerWriting.encode(id: 0, header: values, payload: sealed.rawSpan.extracting(range), limit: limit)
    }

    private func content(
        of section: Section, _ given: GivenHeader, _ payload: RawSpan
    ) throws(CodecError) -> (bytes: [UInt8], range: Range<Int>)? {
        guard let layout = section.writing else { return nil }
        let bytes = try layout.encode(
            id: 0, header: given.values(for: layout), payload: payload, limit: Int.max)
        let packet = try Packet(bytes.rawSpan, layout: layout, limit: Int.max)
        // The earlier fields are in these bytes only because conditions look at them.
        let start = try layout.fieldRanges(of: packet)[section.earlierFieldCount...].first?.lowerBound ?? 0
        return (bytes, start..<bytes.count)
    }

    /// Sets the number of bytes inside the innermost layer; nil for a packet without a layer after the field.
    private func count(_ byteCount: Int?, in given: inout GivenHeader) throws(CodecError) {
        guard let contentLength, given.contains(contentLength.name) else { return }
        let value = byteCount.map { Int128($0) + Int128(contentLength.constant) } ?? 0
        let before = given.known
        given.set(contentLength.name, value)
        // The right number must mean the same layers to a reader.
        for layer in sections.flatMap({ $0.layers }) where layer.rule.holds(before) != layer.rule.holds(given.known) {
            throw CodecError(.lengthTooSmall(length: value, minimum: 1), path: "packet." + contentLength.name)
        }
    }

    private func requireContent(_ kind: OpenedContent.Kind?, _ header: PacketHeader) throws(CodecError) {
        guard let kind else { return }
        let hasPackets = packets.holds(header)
        guard hasPackets == (kind == .packets) else {
            throw CodecError(.wrongPresence(isSet: !hasPackets), path: "packets")
        }
        let isOpaque = !hasPackets && opaque.holds(header)
        guard isOpaque == (kind == .opaque) else {
            throw CodecError(.wrongPresence(isSet: !isOpaque), path: "opaque")
        }
    }
}

/// The header fields of a packet to write that are known before its layers are sealed.
private struct GivenHeader {
    /// The values that conditions and transforms see; absent fields are not among them.
    private(set) var known: PacketHeader
    /// The values to write, without the defaults.
    private var values: PacketHeader
    private let names: [String]

    /// - Parameter contentLength: Replaces the number of bytes inside the innermost layer while that is not known; nil
    ///   to keep the value of `header`.
    init(
        _ layering: Layering, id: UInt64, _ header: PacketHeader, contentLength: Int128? = nil
    ) throws(CodecError) {
        let layout = layering.whole
        let counter = contentLength == nil ? nil : layering.contentLength?.name
        var header = header
        if let counter { header[counter] = contentLength }
        try layout.checkSettable(header, absentFields: layering.absent)
        let presence = try layout.presence(id: id, header: header)
        let fields = layout.fields
        let present = fields.indices.filter { presence.isEmpty || presence[$0] }
        let identifiers = MessageIDSet(present.filter { fields[$0].role == .messageID }, in: fields)
        guard identifiers.canHold(id) else { throw CodecError(.invalidMessageID(id)) }
        names = present.map { fields[$0].name }
        known = PacketHeader()
        values = PacketHeader()
        for name in header.fields.map({ $0.name }) where name != counter && !names.contains(name) {
            throw CodecError(.wrongPresence(isSet: true), path: "packet." + name)
        }
        for index in present {
            let field = fields[index]
            let set = header[value: field.name]
            switch field.role {
            case .messageID: self.set(field.name, identifiers.part(of: id, for: index, in: fields))
            case .value(let value), .constant(let value): known[value: field.name] = set ?? field.known(value)
            case .sequence: known[value: field.name] = set ?? .integer(0)
            case .fitting(let choices): known[value: field.name] = set ?? .integer(choices.last ?? 0)
            case .length, .contentLength, .checksum, .padding: break
            }
            if let set { values[value: field.name] = set }
        }
    }

    func contains(_ name: String) -> Bool { names.contains(name) }

    mutating func set(_ name: String, _ number: Int128) {
        known[name] = number
        values[name] = number
    }

    /// Returns the values that are written for fields of a layout.
    func values(for layout: PacketLayout) -> PacketHeader {
        var result = PacketHeader()
        for (name, value) in values.fields where layout.fields.contains(where: { $0.name == name }) {
            result.append(name, value)
        }
        return result
    }
}

extension PacketField {
    /// Returns a default as transforms see it: that of bytes is zeros.
    fileprivate func known(_ value: PacketHeader.FieldValue) -> PacketHeader.FieldValue {
        guard case .bytes(let byteCount) = format, case .integer = value else { return value }
        return .bytes([UInt8](repeating: 0, count: byteCount))
    }
}
