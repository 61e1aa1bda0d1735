// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Writes the packets that one end sends, in their order.
package struct PacketSealer: ~Copyable {
    private let layout: PacketLayout
    private let packetLimit: Int
    private let sender: Sender
    private var layers: BudgetedStack

    /// - Parameters:
    ///   - layout: The protocol's layout, with layers or another content.
    ///   - packetLimit: The most bytes of a packet: `max_packet`.
    ///   - contentLimit: The most bytes that layers take, for packets that no reader may open (default:
    ///     `max_inflated`).
    package init(
        _ layout: PacketLayout, from sender: Sender, packetLimit: Int, settings: LayerSettings = LayerSettings(),
        states: CompressionStates = CompressionStates(), contentLimit: Int? = nil
    ) {
        self.layout = layout
        self.packetLimit = packetLimit
        self.sender = sender
        layers = BudgetedStack(
            settings.stack(of: layout, from: sender, states: states),
            limit: contentLimit ?? layout.content.maximumInflatedByteCount, threshold: settings.options.threshold)
    }

    /// The keystreams of the key's layers start anew with the next packet.
    package mutating func setKey(_ name: String, _ bytes: RawSpan) throws(LayerKeyError) {
        try layers.setKey(name, bytes)
    }

    /// For owners that hold this value in an optional.
    package mutating func use<Result, Failure: Error>(
        _ body: (inout PacketSealer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&self)
    }

    /// Finds the first content of a packet that can be compressed ahead.
    ///
    /// - Parameter seal: Seals the packet with this value; the result is dropped.
    package mutating func look(
        ahead: AheadCompression, _ seal: (inout PacketSealer) throws(CodecError) -> Void
    ) {
        (layers.ahead, layers.isLooking) = (ahead, true)
        // Sealing the packet will report its faults.
        try? seal(&self)
        (layers.ahead, layers.isLooking) = (nil, false)
        ahead.endLook()
    }

    /// The closure seals a packet whose contents were compressed ahead.
    package mutating func use<Result>(
        _ ahead: AheadCompression?, _ body: (inout PacketSealer) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        layers.ahead = ahead
        defer { layers.ahead = nil }
        return try body(&self)
    }

    /// Begins a packet that is not inside another one: its layers, and those of the packets in it, get a new budget.
    package mutating func beginPacket() { layers.beginPacket() }

    /// Returns a packet as it stands in a stream, or inside another packet.
    ///
    /// The caller seals inner packets after ``beginPacket()`` and before the packet around them.
    ///
    /// - Parameters:
    ///   - payload: The message's fields, or whole packets.
    ///   - kind: The kind of the payload; nil for bytes that are written without a check.
    ///   - isNested: Whether the packet stands inside another one.
    ///   - states: The connection's states where the packet begins (default: those of a new connection).
    ///   - keystreams: The lasting keystreams of the packets inside, none at first; those of this packet are added.
    /// - Throws: ``CodecError`` as `Layering.seal(id:header:payload:_:limit:_:with:)`.
    package mutating func packet(
        id: UInt64, header: PacketHeader, payload: RawSpan, _ kind: OpenedContent.Kind?, isNested: Bool = false,
        states: PacketStates = PacketStates(), _ keystreams: inout LayerSet
    ) throws(CodecError) -> [UInt8] {
        layers.sealsNested = isNested
        return try layout.layering(in: PacketContext(from: sender, isNested: isNested, states: states)).seal(
            id: id, header: header, payload: payload, kind, limit: packetLimit, &keystreams, with: &layers)
    }
}
