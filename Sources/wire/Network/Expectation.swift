// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

/// The rule for which packet answers a request.
///
/// With `--expect` it is the first packet of that message. Otherwise, if the schema pairs the request with a reply
/// (`@reply`, `Cs_n` and `Sc_n`), it is the first packet of the reply. If packets have sequence numbers, it must also
/// have the request's number. Without a pair, it is any packet.
struct Expectation {
    /// The message; nil for any.
    private let message: MessageDescription?
    /// Its sequence number; nil for any.
    private let sequence: UInt64?
    /// Whether the caller has named the message.
    private let isNamed: Bool
    private let description: ProtocolDescription

    init(of request: [UInt8], _ name: String, expecting expected: String?, _ translator: PacketTranslator) {
        description = translator.description
        isNamed = expected != nil
        let reply = expected ?? description.message(named: name)?.reply
        message = reply.flatMap(description.message(named:))
        sequence = message == nil || isNamed ? nil : Self.sequence(of: request, description)
    }

    private static func sequence(of packet: [UInt8], _ description: ProtocolDescription) -> UInt64? {
        let limit = description.options.maximumPacketByteCount
        guard let packet = try? Packet(packet.rawSpan, layout: description.layout, limit: limit) else { return nil }
        return try? description.layout.sequence(of: packet)
    }

    /// The name of the message, if one is expected.
    var name: String? { message?.name }

    /// The name of the message as which the packet is decoded, whichever side should send it; nil: the server's.
    var namedMessage: String? { isNamed ? name : nil }

    func isMet(by packet: ReceivedPacket) -> Bool {
        if let message, packet.id != message.id { return false }
        guard let sequence else { return true }
        return (try? description.layout.sequence(of: packet.lent)) == sequence
    }

    /// Returns a note that a packet is not the reply.
    func note(passingOver packet: ReceivedPacket) -> String {
        let name = description.message(id: packet.id, from: .server)?.name
        let found = text(
            name, packet.id, sequence: sequence == nil ? nil : try? description.layout.sequence(of: packet.lent))
        return "note: passed over \(found), waiting for \(text(message?.name, message?.id, sequence: sequence))"
    }

    /// For example `HeartbeatReply (ID 3, Sequence 7)`.
    private func text(_ name: String?, _ id: UInt64?, sequence: UInt64?) -> String {
        var numbers = id.map { ["ID \($0)"] } ?? []
        if let sequence, let field = description.layout.sequenceField { numbers.append("\(field.name) \(sequence)") }
        return "\(name ?? "a message that is not known") (\(numbers.joined(separator: ", ")))"
    }
}
