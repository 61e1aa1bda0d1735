// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A packet for many connections.
///
/// The first connection that sends a packet with compression seals it. The others send the same bytes when they are
/// ready (``OnceSealed``). With ciphers, with transforms of the program or with states, each connection seals it.
package struct SharedPacket: Sendable {
    let form: Form
    /// The packet's byte count; while it is not sealed, the byte count of its messages.
    package let byteCount: Int
    /// The message's ID; nil if only the bytes contain it.
    private let id: UInt64?

    enum Form {
        /// The packet as it stands in a stream. If packets depend on states: for the states of a new connection or a
        /// room.
        case bytes([UInt8])
        case sealedOnce(UnsealedPacket, OnceSealed)
        case sealedByEach(UnsealedPacket)
    }

    init(bytes: [UInt8]) { self.init(.bytes(bytes), byteCount: bytes.count, nil) }

    /// Encodes a server's message, or checks it if layers are sealed later.
    ///
    /// - Parameter states: The states for which it is encoded.
    /// - Throws: `CodecError` if a value does not fit.
    init<Message: PacketMessage>(
        _ message: Message, _ header: PacketHeader, _ states: PacketStates = PacketStates()
    ) throws(CodecError) {
        let layout = Message.Definition.layout
        guard layout.hasContent else {
            self.init(bytes: try message.encoded(header: header, in: PacketContext(from: .server, states: states)))
            return
        }
        try self.init(
            UnsealedPacket(message, header), in: layout, limit: Message.Definition.maximumPacketByteCount)
    }

    /// Checks a server's packet with messages inside.
    ///
    /// - Throws: `CodecError` if a value does not fit, or if packets have no packets inside.
    init<Definition: PacketProtocol>(
        packets messages: [any PacketMessage], id: UInt64, header: PacketHeader, of protocol: Definition.Type
    ) throws(CodecError) {
        guard Definition.layout.hasContent else { throw CodecError(.wrongPresence(isSet: true), path: "packets") }
        try self.init(
            UnsealedPacket(packets: messages, id: id, header: header), in: Definition.layout,
            limit: Definition.maximumPacketByteCount)
    }

    /// Checks a server's packet of a protocol with layers or states.
    ///
    /// - Throws: `CodecError` if it can be sent in no state.
    package init(_ packet: UnsealedPacket, in layout: PacketLayout, limit: Int) throws(CodecError) {
        try packet.requireSealable(from: .server, in: layout, limit: limit)
        let isShared = !layout.hasStates && layout.content.layers.allSatisfy(\.kind.isSharable)
        form = isShared ? .sealedOnce(packet, OnceSealed()) : .sealedByEach(packet)
        byteCount = packet.payloadByteCount
        id = packet.id
    }

    init(sealedByEach packet: UnsealedPacket) {
        self.init(.sealedByEach(packet), byteCount: packet.payloadByteCount, packet.id)
    }

    /// Returns the same packet with the sealed bytes.
    func sealed(_ bytes: [UInt8]) -> SharedPacket { SharedPacket(.bytes(bytes), byteCount: bytes.count, id) }

    private init(_ form: Form, byteCount: Int, _ id: UInt64?) {
        self.form = form
        self.byteCount = byteCount
        self.id = id
    }

    /// The message's ID; 0 if the bytes are no packet.
    func id(in layout: PacketLayout) -> UInt64 {
        if let id { return id }
        guard case .bytes(let bytes) = form else { return 0 }
        var first: UInt64?
        layout.forEachPacket(atStartOf: bytes) { packet in first = first ?? packet.id }
        return first ?? 0
    }
}

extension PacketConnection {
    /// Seals a shared packet for this connection in this turn, and applies its state changes.
    ///
    /// - Parameter states: The states for which the packet was encoded.
    /// - Throws: `CodecError` if this connection cannot make the packet.
    package func made(
        _ packet: SharedPacket, from states: PacketStates = PacketStates()
    ) throws(CodecError) -> [UInt8] {
        switch packet.form {
        case .bytes(let bytes): adaptsBytes ? adapted(bytes, from: states).bytes : bytes
        case .sealedOnce(let unsealed, let once): try seal(unsealed, once)
        case .sealedByEach(let unsealed): try seal(unsealed)
        }
    }

    /// Sends a shared packet, if that is possible without waiting and in this connection's states; see
    /// ``sendShared(_:_:packetCount:frames:)``.
    ///
    /// - Parameters:
    ///   - states: The states for which the packet was encoded.
    ///   - onFailure: Receives the error if a later turn cannot seal the packet.
    /// - Throws: `CodecError` if this connection cannot make this packet. It can still make others.
    func sendShared(
        _ packet: SharedPacket, from states: PacketStates = PacketStates(),
        onFailure: @escaping (CodecError) -> Void = { _ in }
    ) throws(CodecError) -> Bool {
        if case .bytes(let bytes) = packet.form, !adaptsBytes { return sendShared(bytes) }
        // A packet that is sealed or sets a state must be sent.
        guard hasDeferredPackets ? hasRoomForDeferred : hasRoomToSend else { return false }
        let bytes = try sharedOrPostponed(packet, from: states, onFailure: onFailure)
        // Only a packet with layers can be sent later.
        return bytes.isEmpty ? !adaptsBytes : sendShared(bytes)
    }

    /// Queues a shared packet, however much waits already, unless this connection cannot make it.
    ///
    /// - Parameter states: The states for which the packet was encoded.
    func writeShared(_ packet: SharedPacket, from states: PacketStates = PacketStates()) {
        guard takesOutput else { return }
        stream.write((try? sharedOrPostponed(packet, from: states) { _ in }) ?? [])
    }

    /// Seals a shared packet if all connections send the same bytes; a long one over many turns of the loop.
    ///
    /// - Returns: The packet; nil if it cannot be sealed.
    nonisolated(nonsending) func sealedForMany(_ packet: SharedPacket) async -> SharedPacket? {
        guard case .sealedOnce(let unsealed, let once) = packet.form else { return packet }
        await loop.visit {
            _ = try? self.sealed(unsealed, once)
            // SAFETY: the closure is called once.
            await unsafe withUnsafeContinuation { continuation in once.whenDone { unsafe continuation.resume() } }
        }
        guard case .success(let bytes)? = once.outcome else { return nil }
        return packet.sealed(bytes)
    }

    /// Whether shared bytes must be encoded again for this connection's states.
    var adaptsBytes: Bool { hasStates && !layout.hasContent }
}
