// SPDX-License-Identifier: Apache-2.0

/// Messages in protocols with layers, without a connection: only packets without a layer are read and written.
extension PacketMessage {
    /// - Throws: ``CodecError`` as ``encoded(header:)``, and ``CodecError/Reason/layerUnavailable(_:)`` for a packet
    ///   with a layer.
    func encodedWithoutLayers(_ header: PacketHeader, _ layering: Layering) throws(CodecError) -> [UInt8] {
        let layout = Definition.layout
        let payload = try encodedPayload(header: header)
        var header = header
        do throws(CodecError) {
            if let fixed = Self.fixedHeader { try layout.fix(fixed.values, in: &header) }
            var layers = UnavailableLayers(kinds: layout.content.layers.map { $0.kind })
            var keystreams = LayerSet()
            return try layering.seal(
                id: Self.messageID, header: header, payload: payload.rawSpan, .message,
                limit: Definition.maximumPacketByteCount, &keystreams, with: &layers)
        } catch {
            throw error.prefixed(by: Self.messageName)
        }
    }

    /// - Throws: ``CodecError`` as ``init(packet:)``, and ``CodecError/Reason/layerUnavailable(_:)`` for a packet with
    ///   a layer.
    init(withoutLayers packet: borrowing Packet, in context: PacketContext) throws(CodecError) {
        let layout = Definition.layout
        var layers = UnavailableLayers(kinds: layout.content.layers.map { $0.kind })
        let content = try layout.layering(in: context).open(packet, with: &layers)
        guard content.kind == .message, content.bounds.id == Self.messageID else {
            throw CodecError(.wrongMessage(id: content.bounds.id, expected: Self.messageID))
        }
        guard let bytes = content.bytes else {
            try self.init(payloadOf: Packet(packet.bytes, content.bounds))
            return
        }
        try self.init(payloadOf: Packet(bytes.rawSpan, content.bounds))
    }
}

private struct UnavailableLayers: LayerOpener, LayerSealer {
    let kinds: [LayerKind]
    var contentLimit: Int { .max }
    var threshold: Int? { nil }

    mutating func open(
        _ sealed: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        throw error(index)
    }

    mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        throw error(index)
    }

    private func error(_ index: Int) -> CodecError {
        CodecError(.layerUnavailable(.connection), path: "packet." + kinds[index].name)
    }
}
