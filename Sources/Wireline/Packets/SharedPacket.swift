// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A packet for many connections.
///
/// A packet with compression is sealed by the first connection that sends it, and the others send the same bytes, when they
/// are there (``OnceSealed``). With ciphers, with transforms of the program or with states, each connection seals it for itself.
package struct SharedPacket: Sendable {
    let form: Form
    /// The number of its bytes; while it is not sealed, of its messages.
    package let byteCount: Int
    /// The message's ID; nil if only the bytes say it.
    private let id: UInt64?

    enum Form {
        /// The packet as it stands in a stream; if packets depend on states, for the states of a new connection, or of a room.
        case bytes([UInt8])
        case sealedOnce(UnsealedPacket, OnceSealed)
        case sealedByEach(UnsealedPacket)
    }

    /// Takes the bytes of packets as they are.
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
    /// - Throws: `CodecError` if it cannot be sent in any states.
    package init(_ packet: UnsealedPacket, in layout: PacketLayout, limit: Int) throws(CodecError) {
        try packet.requireSealable(from: .server, in: layout, limit: limit)
        let isShared = !layout.hasStates && layout.content.layers.allSatisfy(\.kind.isSharable)
        form = isShared ? .sealedOnce(packet, OnceSealed()) : .sealedByEach(packet)
        byteCount = packet.payloadByteCount
        id = packet.id
    }

    /// Takes a packet that each connection seals for itself.
    init(sealedByEach packet: UnsealedPacket) {
        self.init(.sealedByEach(packet), byteCount: packet.payloadByteCount, packet.id)
    }

    /// Returns the same packet with the bytes that all connections send.
    func sealed(_ bytes: [UInt8]) -> SharedPacket { SharedPacket(.bytes(bytes), byteCount: bytes.count, id) }

    private init(_ form: Form, byteCount: Int, _ id: UInt64?) {
        self.form = form
        self.byteCount = byteCount
        self.id = id
    }

    /// The message's ID; 0 if the bytes are no packet.
    ///
    /// - Parameter layout: The layout of packets in a stream.
    func id(in layout: PacketLayout) -> UInt64 {
        if let id { return id }
        guard case .bytes(let bytes) = form else { return 0 }
        var first: UInt64?
        layout.forEachPacket(atStartOf: bytes) { packet in first = first ?? packet.id }
        return first ?? 0
    }
}

extension PacketConnection {
    /// Returns a packet for many connections as this one sends it next, in this turn, and sets what it sets.
    ///
    /// - Parameter states: The states for which its bytes were encoded.
    /// - Throws: `CodecError` if this connection cannot make it.
    package func made(
        _ packet: SharedPacket, from states: PacketStates = PacketStates()
    ) throws(CodecError) -> [UInt8] {
        switch packet.form {
        case .bytes(let bytes): adaptsBytes ? adapted(bytes, from: states).bytes : bytes
        case .sealedOnce(let unsealed, let once): try seal(unsealed, once)
        case .sealedByEach(let unsealed): try seal(unsealed)
        }
    }

    /// Sends a packet for many connections, if that is possible without waiting and it has a place in this one's states; see
    /// ``sendShared(_:_:packetCount:frames:)``.
    ///
    /// - Parameters:
    ///   - states: The states for which its bytes were encoded.
    ///   - onFailure: Receives the error if it turns out later that it cannot be sealed.
    /// - Throws: `CodecError` if this connection cannot make it. It may have others that it can make.
    func sendShared(
        _ packet: SharedPacket, from states: PacketStates = PacketStates(),
        onFailure: @escaping (CodecError) -> Void = { _ in }
    ) throws(CodecError) -> Bool {
        if case .bytes(let bytes) = packet.form, !adaptsBytes { return sendShared(bytes) }
        // What is sealed or sets a state must be sent.
        guard sealsLater ? hasRoomForLate : hasRoomToSend else { return false }
        let bytes = try sharedOrPostponed(packet, from: states, onFailure: onFailure)
        // Only what is sealed can be sent later.
        return bytes.isEmpty ? !adaptsBytes : sendShared(bytes)
    }

    /// Queues a packet for many connections, however much waits already. One that this connection cannot make is left out.
    ///
    /// - Parameter states: The states for which its bytes were encoded.
    func writeShared(_ packet: SharedPacket, from states: PacketStates = PacketStates()) {
        guard takesOutput else { return }
        stream.write((try? sharedOrPostponed(packet, from: states) { _ in }) ?? [])
    }

    /// Seals a packet for many connections, if all of them send the same bytes; a long one over many turns of the loop.
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

    /// Whether bytes that were encoded for many connections must be encoded again for this one's states.
    var adaptsBytes: Bool { hasStates && !layout.hasContent }
}
