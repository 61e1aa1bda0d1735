// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Opens the packets of both sides of a connection, which share its states.
final class OpenedConversation {
    private var client: OpenedStream
    private var server: OpenedStream
    private(set) var states: PacketStates

    init(_ translator: PacketTranslator, states: PacketStates = PacketStates()) {
        client = Self.stream(translator, PacketContext(from: .client, states: states))
        server = Self.stream(translator, PacketContext(from: .server, states: states))
        self.states = states
    }

    private static func stream(_ translator: PacketTranslator, _ context: PacketContext) -> OpenedStream {
        let description = translator.description
        return OpenedStream(
            description.layout, in: context, packetLimit: description.options.maximumPacketByteCount,
            settings: translator.layers)
    }

    /// Adds bytes that a side has sent.
    func receive(_ bytes: [UInt8], from sender: Sender) {
        if sender == .client { client.receive(bytes) } else { server.receive(bytes) }
    }

    /// Opens the next packet of a side; nil if it is incomplete.
    func next(from sender: Sender) throws(CodecError) -> (sealed: OpenedStream.SealedPacket, opened: OpenedPackets)? {
        if sender == .client {
            client.setStates(states)
            defer { states = client.states }
            return try client.next()
        }
        server.setStates(states)
        defer { states = server.states }
        return try server.next()
    }
}
