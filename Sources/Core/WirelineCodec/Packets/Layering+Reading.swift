// SPDX-License-Identifier: Apache-2.0

/// Opens the layers of one end's packets, in their order.
package protocol LayerOpener: ~Copyable {
    /// The most bytes that a layer may still produce.
    var contentLimit: Int { get }

    /// Returns what is inside a layer.
    ///
    /// - Parameters:
    ///   - header: The fields before the layer.
    ///   - index: The layer's position in the layout's content.
    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8]
}

package struct OpenedContent: Sendable {
    /// The opened packet; nil if its bytes are those of the packet itself.
    package let bytes: [UInt8]?
    package let bounds: PacketBounds
    package let kind: Kind
    /// The layers of the packet, and of those around it, whose keystreams continue from packet to packet.
    package let keystreams: LayerSet

    package enum Kind: Sendable {
        case message
        case packets
        /// Bytes that are not read.
        case opaque
    }
}

extension Layering {
    /// Opens a packet of the ``outer`` layout.
    ///
    /// - Parameter keystreams: Those of the packets around it (default: none).
    /// - Throws: ``CodecError`` of the opener, or for a fault in the fields inside. Offsets count from the first byte
    ///   inside the innermost layer that was opened.
    package func open<Opener: LayerOpener & ~Copyable>(
        _ packet: borrowing Packet, inside keystreams: LayerSet = [], with opener: inout Opener
    ) throws(CodecError) -> OpenedContent {
        var keystreams = keystreams
        var header = looksAtHeader ? try outer.header(of: packet) : PacketHeader()
        var opening = ContentOpening(packet)
        var count = DeclaredCount()
        var countedBytes: Int?
        if let contentLength { try count.find(contentLength, header, in: outer, packet) }
        for section in sections {
            for layer in section.layers where layer.rule.holds(header) {
                try count.require(atMost: opener.contentLimit, for: layer.kind)
                try keystreams.addKeystream(of: layer.kind, at: layer.index)
                try opening.open(packet, with: &opener, header, layerAt: layer.index)
                if let contentLength, layer.index >= contentLength.firstLayer { countedBytes = opening.content?.count }
            }
            guard let layout = section.reading else { continue }
            let counter = count.isFound ? nil : contentLength?.name
            let offset: Int?
            (header, offset) = try opening.readHeader(
                packet, layout, mayHaveFiller: section.mayHaveFiller, locating: counter)
            if let contentLength, let offset { count.set(contentLength, header, at: offset) }
        }
        try count.verify(countedBytes)
        let kind: OpenedContent.Kind =
            if packets.holds(header) { .packets } else if opaque.holds(header) { .opaque } else { .message }
        return opening.finish(packet, trailerIDOf: outer, variant: flat.plan.variant, kind, keystreams)
    }
}

private struct ContentOpening {
    /// The header's bytes so far; they are those of the packet while there is no ``content``.
    private var header: [UInt8] = []
    /// The content of the innermost layer; nil before the first layer.
    private(set) var content: [UInt8]?
    /// The bytes after the header fields read so far, as positions in the content or in the packet.
    private var range: Range<Int>
    private var headerByteCount: Int
    /// The ID of the header fields so far, if fields inside a layer are a part of it.
    private var id: UInt64?
    /// The header's bytes before the innermost layer; 0 if there is none.
    private(set) var contentStart = 0

    init(_ packet: borrowing Packet) {
        range = packet.payloadRange
        headerByteCount = range.lowerBound
    }

    mutating func open<Opener: LayerOpener & ~Copyable>(
        _ packet: borrowing Packet, with opener: inout Opener, _ values: PacketHeader, layerAt index: Int
    ) throws(CodecError) {
        if let sealed = content {
            content = try opener.open(sealed.rawSpan.extracting(range), values, layerAt: index)
        } else {
            header = [UInt8](copying: packet.bytes.extracting(0..<headerByteCount))
            content = try opener.open(packet.bytes.extracting(range), values, layerAt: index)
        }
        range = 0..<(content?.count ?? 0)
        contentStart = headerByteCount
    }

    /// Reads the header fields inside a layer.
    ///
    /// - Parameters:
    ///   - layout: The layout of all header fields so far.
    ///   - name: The name of a field whose offset is wanted.
    /// - Returns: The values of all of them, and the offset of that field if it is there.
    mutating func readHeader(
        _ packet: borrowing Packet, _ layout: PacketLayout, mayHaveFiller: Bool, locating name: String?
    ) throws(CodecError) -> (PacketHeader, Int?) {
        let bytes: [UInt8] =
            if let content {
                header + content[range]
            } else {
                [UInt8](copying: packet.bytes.extracting(0..<range.upperBound))
            }
        do throws(CodecError) {
            let bounds = try layout.boundsOfStart(of: bytes.rawSpan, mayHaveFiller: mayHaveFiller)
            let read = bounds.payloadStart - headerByteCount
            range = range.lowerBound + read..<range.lowerBound + read + bounds.payloadEnd - bounds.payloadStart
            headerByteCount = bounds.payloadStart
            if content != nil { header = Array(bytes[..<headerByteCount]) }
            if layout.hasMessageID { id = bounds.id }
            let opened = Packet(bytes.rawSpan, bounds, at: 0)
            let values = try layout.header(of: opened)
            guard let name, values[name] != nil,
                let index = layout.fields.firstIndex(where: { $0.name == name })
            else { return (values, nil) }
            return (values, try layout.fieldRanges(of: opened)[index].lowerBound - contentStart)
        } catch {
            throw error.moved(by: -contentStart)
        }
    }

    /// Returns the opened packet.
    ///
    /// - Parameter layout: The outer layout, which has the trailer.
    func finish(
        _ packet: borrowing Packet, trailerIDOf layout: PacketLayout, variant: UInt16, _ kind: OpenedContent.Kind,
        _ keystreams: LayerSet
    ) -> OpenedContent {
        let trailer = packet.payloadRange.upperBound..<packet.bytes.byteCount
        let frame = PacketFrame(
            headerByteCount: headerByteCount, trailerByteCount: trailer.count, variant: Int(variant),
            contentStart: contentStart, isOpaque: kind == .opaque)
        // The outer ID has the fields of the trailer, and a layout has no ID both there and inside layers.
        let id = id ?? packet.id
        let isWhole = content == nil && range.upperBound == trailer.lowerBound
        guard !isWhole else {
            let bounds = PacketBounds(id: id, packetByteCount: packet.bytes.byteCount, frame)
            return OpenedContent(bytes: nil, bounds: bounds, kind: kind, keystreams: keystreams)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerByteCount + range.count + trailer.count)
        if let content {
            bytes += header
            bytes += content[range]
        } else {
            bytes.append(packet.bytes.extracting(0..<range.upperBound))
        }
        bytes.append(packet.bytes.extracting(trailer))
        return OpenedContent(
            bytes: bytes, bounds: PacketBounds(id: id, packetByteCount: bytes.count, frame), kind: kind,
            keystreams: keystreams)
    }
}

/// The byte count that a packet declares for the content of its innermost layer.
private struct DeclaredCount {
    private var count: (value: Int128, constant: Int, offset: Int, name: String)?

    var isFound: Bool { count != nil }

    /// Finds the count among the fields outside of all layers.
    mutating func find(
        _ contentLength: Layering.ContentLength, _ header: PacketHeader, in layout: PacketLayout,
        _ packet: borrowing Packet
    ) throws(CodecError) {
        guard let index = layout.fields.firstIndex(where: { $0.name == contentLength.name }),
            header[contentLength.name] != nil
        else { return }
        set(contentLength, header, at: try layout.fieldRanges(of: packet)[index].lowerBound)
    }

    /// - Parameter offset: That of the field, as errors count it.
    mutating func set(_ contentLength: Layering.ContentLength, _ header: PacketHeader, at offset: Int) {
        guard let value = header[contentLength.name] else { return }
        count = (value, contentLength.constant, offset, contentLength.name)
    }

    /// Refuses a count above the limit of the layers, before a layer is opened.
    func require(atMost limit: Int, for kind: LayerKind) throws(CodecError) {
        guard let count, count.value - Int128(count.constant) > Int128(limit) else { return }
        throw CodecError(.inflatedTooLong(limit: limit), path: "packet." + kind.name)
    }

    /// Compares the count with the bytes that were found; a packet without a layer after the field must have 0.
    func verify(_ byteCount: Int?) throws(CodecError) {
        guard let count else { return }
        let expected = byteCount.map { Int128($0) + Int128(count.constant) } ?? 0
        guard count.value != expected else { return }
        throw CodecError(
            .lengthMismatch(length: count.value, expected: expected), offset: count.offset,
            path: "packet." + count.name)
    }
}

extension PacketLayout {
    /// Returns the bounds of the packet at the start of the bytes; more bytes may follow only if they can be filler.
    fileprivate func boundsOfStart(of bytes: RawSpan, mayHaveFiller: Bool) throws(CodecError) -> PacketBounds {
        let needed: Int
        switch try scan(bytes, limit: Int.max / 2) {
        case .needs(let byteCount): needed = byteCount
        case .packet(let bounds):
            needed = bounds.packetByteCount
            guard needed > bytes.byteCount else {
                guard mayHaveFiller || needed == bytes.byteCount else {
                    throw CodecError(.trailingBytes(count: bytes.byteCount - needed), offset: needed)
                }
                return bounds
            }
        }
        throw CodecError(.truncated(needed: needed - bytes.byteCount, available: 0), offset: bytes.byteCount)
    }
}
