// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineErlangGateway
public import WirelineErlangRecords
import WirelineLanguage

/// The protocol of a gateway's clients: how their packets become records, and records become packets.
///
/// ```swift
/// let scene = try GatewayProtocol(SceneProtocol.erlangRecords)          // of generated code
/// let other = try GatewayProtocol(ErlangRecords(description))           // of a schema that was read
/// ```
public struct GatewayProtocol: Sendable {
    private let records: ErlangRecords
    /// The name of the protocol, for the call `info`.
    package var name: String { records.description.name }
    package var layout: PacketLayout { records.description.layout }
    /// The most bytes of a packet.
    package var packetLimit: Int { records.description.options.maximumPacketByteCount }

    /// Makes the protocol of a translation.
    ///
    /// - Throws: ``ErlangGatewayError/unsupportedProtocol(_:)`` for packets with states or layers.
    public init(_ records: ErlangRecords) throws(ErlangGatewayError) {
        self.records = records
        guard !layout.hasStates, !layout.hasContent else { throw .unsupportedProtocol(name) }
    }

    /// Returns the term of a client's packet.
    package func message(of packet: borrowing Packet) throws(CodecError) -> MessageTerm {
        let term = try records.encodedMessage(of: packet, from: .client)
        guard records.hasSettableFields else { return MessageTerm(term: term) }
        return MessageTerm(term: term, header: try records.encodedHeader(of: packet, onlySettable: true))
    }

    /// Makes the packet of a backend's message.
    package var encode: MessageEncoder {
        { [records] message in
            do throws(ErlangRecordError) {
                return .success(try records.packet(ofTerm: message, from: .server))
            } catch {
                return .failure(.encoding(error.term))
            }
        }
    }
}
