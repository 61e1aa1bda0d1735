// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A packet for many connections.
///
/// A packet with compression is sealed by the first connection that sends it, and the others send the same bytes. With
/// ciphers, with transforms of the program or with states, each connection seals it for itself.
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

    /// The bytes of a packet that is sealed once.
    final class OnceSealed: Sendable {
        private let result = Lock<Result<[UInt8], CodecError>?>(nil)

        /// Returns the bytes, which the first caller makes. The other ones wait for it: they would need as long.
        func bytes(_ seal: () throws(CodecError) -> [UInt8]) throws(CodecError) -> [UInt8] {
            try result.withLock { result in
                if let result { return result }
                let made: Result<[UInt8], CodecError>
                do throws(CodecError) { made = .success(try seal()) } catch { made = .failure(error) }
                result = made
                return made
            }.get()
        }
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
    /// Returns a packet for many connections as this one sends it next, and sets what it sets; empty if this connection
    /// cannot send it.
    ///
    /// - Parameter states: The states for which its bytes were encoded.
    func asSent(_ packet: SharedPacket, from states: PacketStates = PacketStates()) -> [UInt8] {
        (try? made(packet, from: states)) ?? []
    }

    /// Returns a packet for many connections as ``asSent(_:from:)`` does.
    ///
    /// - Throws: `CodecError` if this connection cannot make it.
    package func made(
        _ packet: SharedPacket, from states: PacketStates = PacketStates()
    ) throws(CodecError) -> [UInt8] {
        switch packet.form {
        case .bytes(let bytes): adaptsBytes ? adapted(bytes, from: states) : bytes
        case .sealedOnce(let unsealed, let once): try once.bytes { () throws(CodecError) in try seal(unsealed) }
        case .sealedByEach(let unsealed): try seal(unsealed)
        }
    }

    /// Sends a packet for many connections, if that is possible without waiting; see ``sendShared(_:_:packetCount:frames:)``.
    ///
    /// - Parameter states: The states for which its bytes were encoded.
    func sendShared(_ packet: SharedPacket, from states: PacketStates = PacketStates()) -> Bool {
        if case .bytes(let bytes) = packet.form, !adaptsBytes { return sendShared(bytes) }
        if sealsLater { return sendSharedLater(.shared(packet, states)) }
        // What is sealed or sets a state must be sent.
        guard hasRoomToSend else { return false }
        let bytes = asSent(packet, from: states)
        return bytes.isEmpty || sendShared(bytes)
    }

    /// Whether bytes that were encoded for many connections must be encoded again for this one's states.
    var adaptsBytes: Bool { hasStates && !layout.hasContent }
}
