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
    /// An object, so that a message's translation copies one reference.
    private let translation: Translation
    private var records: ErlangRecords { translation.records }
    /// The name of the protocol, for the call `info`.
    package var name: String { records.description.name }
    package var layout: PacketLayout { records.description.layout }
    /// The most bytes of a packet.
    package var packetLimit: Int { records.description.options.maximumPacketByteCount }

    /// Makes the protocol of a translation.
    ///
    /// - Throws: ``ErlangGatewayError/unsupportedProtocol(_:)`` for packets with states or layers.
    public init(_ records: ErlangRecords) throws(ErlangGatewayError) {
        translation = Translation(records: records, hasSettableFields: records.hasSettableFields)
        guard !layout.hasStates, !layout.hasContent else { throw .unsupportedProtocol(name) }
    }

    /// Returns the term of a client's packet.
    package func message(of packet: borrowing Packet) throws(CodecError) -> MessageTerm {
        let term = try translation.records.encodedMessage(of: packet, from: .client)
        guard translation.hasSettableFields else { return MessageTerm(term: term) }
        return MessageTerm(term: term, header: try records.encodedHeader(of: packet, onlySettable: true))
    }

    /// Makes the packet of a backend's message.
    package var encode: MessageEncoder {
        { [translation] message in
            do throws(ErlangRecordError) {
                return .success(try translation.records.packet(ofTerm: message, from: .server))
            } catch {
                return .failure(.encoding(error.term))
            }
        }
    }

    private final class Translation: Sendable {
        let records: ErlangRecords
        let hasSettableFields: Bool

        init(records: ErlangRecords, hasSettableFields: Bool) {
            self.records = records
            self.hasSettableFields = hasSettableFields
        }
    }
}
