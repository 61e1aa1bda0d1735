// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

/// Decides which packet answers a request.
///
/// With `--expect` it is the first packet of that message. Otherwise, if the schema names replies of the request
/// (`@reply`, or `Sc_n` for `Cs_n`), it is the first packet of one of them. If packets have sequence numbers, the
/// packet must also have the request's number. Without a reply in the schema, it is the first packet.
struct Expectation {
    enum Verdict {
        case reply
        /// A reply of the request, but not the one that `--expect` names. The value is the message's name.
        case otherReply(String)
        /// The request has failed (`@sequence(failure = -1)`). The value is the name of the message that reports it.
        case failure(String)
        case notReply
    }

    /// The messages that are accepted as the reply; empty means any message.
    private let messages: [MessageDescription]
    /// The request's other replies, if `--expect` names one of its replies.
    private let others: [MessageDescription]
    /// The request's sequence number; nil if packets have none or any message is accepted.
    private let sequence: UInt64?
    /// Whether `--expect` names the message.
    private let isNamed: Bool
    private let description: ProtocolDescription

    /// - Parameter states: The states in which the request is sent.
    init(
        of request: [UInt8], _ name: String, expecting expected: String?, _ translator: PacketTranslator,
        states: PacketStates = PacketStates()
    ) {
        let description = translator.description
        let replies = description.message(named: name)?.replies.compactMap(description.message(named:)) ?? []
        if let expected = expected.flatMap(description.message(named:)) {
            messages = [expected]
            let isReply = replies.contains { $0.name == expected.name }
            others = isReply ? replies.filter { $0.name != expected.name } : []
            isNamed = true
        } else {
            messages = replies
            others = []
            isNamed = false
        }
        sequence = messages.isEmpty ? nil : Self.sequence(of: request, description, states)
        self.description = description
    }

    private static func sequence(
        of packet: [UInt8], _ description: ProtocolDescription, _ states: PacketStates
    ) -> UInt64? {
        let limit = description.options.maximumPacketByteCount
        let layout = description.layout.layout(in: PacketContext(from: .client, states: states))
        guard let content = try? layout.unframed(packet),
            let packet = try? Packet(content.rawSpan, layout: layout, limit: limit)
        else { return nil }
        return try? description.layout.sequence(of: packet)
    }

    /// The names of the accepted messages; nil if any message is accepted.
    var name: String? { messages.isEmpty ? nil : messages.map(\.name).joined(separator: " or ") }

    /// The message that `--expect` names; nil without the option. The packet is decoded as this message, even if only
    /// the client may send it.
    var namedMessage: String? { isNamed ? name : nil }

    /// The sequence number that the reply must have; nil if any number is accepted.
    private var awaitedSequence: UInt64? { isNamed ? nil : sequence }

    func verdict(on packet: ReceivedPacket) -> Verdict {
        if sequence != nil, packet.isFailure(in: description.layout),
            let message = (messages + others).first(where: { $0.id == packet.id })
        {
            return .failure(message.name)
        }
        if messages.isEmpty || messages.contains(where: { $0.id == packet.id }), hasNumber(packet, awaitedSequence) {
            return .reply
        }
        guard let other = others.first(where: { $0.id == packet.id }), hasNumber(packet, sequence) else {
            return .notReply
        }
        return .otherReply(other.name)
    }

    private func hasNumber(_ packet: ReceivedPacket, _ sequence: UInt64?) -> Bool {
        guard let sequence else { return true }
        return (try? description.layout.sequence(of: packet.lent)) == sequence
    }

    /// Returns the note that a packet was skipped because it is not the reply.
    func note(passingOver packet: ReceivedPacket) -> String {
        let name = description.message(id: packet.id, from: .server)?.name
        let number = awaitedSequence == nil ? nil : try? description.layout.sequence(of: packet.lent)
        let found = text(name, packet.id, sequence: number)
        let awaited = messages.map { text($0.name, $0.id, sequence: awaitedSequence) }.joined(separator: " or ")
        return "note: passed over \(found), waiting for \(awaited)"
    }

    /// Returns a message's name, ID and number, such as `HeartbeatReply (ID 3, Sequence 7)`.
    private func text(_ name: String?, _ id: UInt64, sequence: UInt64?) -> String {
        var numbers = ["ID \(id)"]
        if let sequence, let field = description.layout.sequenceField {
            // The sequence number is the bit pattern of the field, so a signed field is shown with its sign.
            let isSigned = field.format.range.lowerBound < 0
            numbers.append("\(field.name) \(isSigned ? "\(Int64(bitPattern: sequence))" : "\(sequence)")")
        }
        return "\(name ?? "a message that is not known") (\(numbers.joined(separator: ", ")))"
    }
}
