// SPDX-License-Identifier: Apache-2.0

/// Layers that seal nothing: they show whether a packet can be written, before keys and keystreams are used.
///
/// A layer that can make its content shorter returns nothing, so that no packet is refused that a connection could
/// send.
private struct DryRunLayers: LayerSealer {
    let kinds: [LayerKind]
    let threshold: Int?

    mutating func seal(
        _ content: RawSpan, _ header: PacketHeader, layerAt index: Int
    ) throws(CodecError) -> [UInt8] {
        kinds[index].mayInflate ? [] : [UInt8](copying: content)
    }
}

extension Layering {
    /// Refuses a packet that ``seal(id:header:payload:_:limit:_:with:)`` would refuse with any layers' output.
    package func requireSealable(
        id: UInt64, header: PacketHeader, payload: RawSpan, _ kind: OpenedContent.Kind?, limit: Int,
        _ kinds: [LayerKind], _ keystreams: inout LayerSet, threshold: Int? = nil
    ) throws(CodecError) {
        var layers = DryRunLayers(kinds: kinds, threshold: threshold)
        _ = try seal(id: id, header: header, payload: payload, kind, limit: limit, &keystreams, with: &layers)
    }
}

extension PacketLayout {
    /// Refuses a packet with layers that its sender cannot send in any states, with any layers' output.
    ///
    /// - Throws: ``CodecError`` of the states of a new connection.
    package func requireSealable(
        id: UInt64, header: PacketHeader, payload: RawSpan, _ kind: OpenedContent.Kind?, from sender: Sender, limit: Int
    ) throws(CodecError) {
        let kinds = content.layers.map { $0.kind }
        // The states also decide which keystreams the packets inside have.
        var keystreams = LayerSet()
        do throws(CodecError) {
            try layering(in: PacketContext(from: sender)).requireSealable(
                id: id, header: header, payload: payload, kind, limit: limit, kinds, &keystreams)
        } catch {
            for layering in layerings(from: sender) {
                do throws(CodecError) {
                    keystreams = []
                    return try layering.requireSealable(
                        id: id, header: header, payload: payload, kind, limit: limit, kinds, &keystreams)
                } catch {
                    continue
                }
            }
            throw error
        }
    }

    private func layerings(from sender: Sender) -> [Layering] {
        zip(contexts?.combinations ?? [], storage.layerings).filter { $0.0.sender == sender }.map { $0.1 }
    }
}

extension PacketContent {
    /// Whether the same content can be sealed to different bytes.
    package var isCompressed: Bool { layers.contains { $0.kind.mayInflate } }
}
