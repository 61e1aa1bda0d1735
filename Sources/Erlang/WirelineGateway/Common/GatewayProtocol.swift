// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineErlang
import WirelineLanguage
public import WirelineLayers

/// The protocol of a gateway's clients: how their packets become records, and records become packets.
///
/// ```swift
/// let scene = GatewayProtocol(SceneProtocol.erlangRecords)          // of generated code
/// let other = GatewayProtocol(ErlangRecords(description))           // of a schema that was read
/// ```
///
/// A packet for several clients is made once. In a protocol with states or ciphers each connection makes its own, with its
/// states and keystreams. A message that cannot be sent in any states is refused as always. One that cannot be sent in
/// the states of its client ends the client with the reason `{shutdown, {packet, Text}}`; if it was for many clients, this
/// one misses it. The owner of a client sets keys and states between packets: `{key, Name, Bytes}` and `{set, Name, Value}`.
public struct GatewayProtocol: Sendable {
    /// An object, so that translating a message copies one reference.
    private let translation: Translation
    private var records: ErlangRecords { translation.records }
    /// The first states of each connection.
    package private(set) var states = PacketStates()
    /// The first keys of each connection.
    package private(set) var keys = LayerSettings()
    /// The protocol's name, for the call `info`.
    package var name: String { records.description.name }
    package var layout: PacketLayout { records.description.layout }
    package var packetLimit: Int { records.description.options.maximumPacketByteCount }

    /// Makes the protocol of a translation.
    public init(_ records: ErlangRecords) {
        translation = Translation(records: records, hasSettableFields: records.hasSettableFields)
    }

    /// For tools: with the first states and keys of each connection.
    package init(_ records: ErlangRecords, states: PacketStates, keys: LayerSettings) {
        self.init(records)
        self.states = states
        self.keys = keys
    }

    /// Accepts terms that are as long as the node's.
    func withTerms(ofBytes byteCount: Int) -> Self {
        var records = records
        records.limits.byteCount = max(records.limits.byteCount, byteCount)
        return Self(records, states: states, keys: keys)
    }

    // MARK: How connections begin

    /// Sets a state with which each connection begins (default: 0). Messages with `@sets` change it.
    ///
    /// - Throws: `CodecError` with `unknownState` or `outOfRange`.
    public mutating func setState(_ name: String, to value: Int128) throws(CodecError) {
        try layout.setState(name, to: value, in: &states)
    }

    /// Sets a key with which the layers of each connection begin.
    ///
    /// - Parameters:
    ///   - name: The name in the schema, as in `layer xor(session);`.
    ///   - bytes: The key.
    ///   - sender: Whose packets it is for; nil: those of both ends (default).
    /// - Throws: `LayerKeyError` if the schema has no such key, or if it has another number of bytes.
    public mutating func setKey(
        _ name: String, _ bytes: [UInt8], for sender: Sender? = nil
    ) throws(LayerKeyError) {
        try keys.setKey(name, bytes, for: sender, in: layout)
    }

    /// The first keys of each connection, with the layer options of a server's configuration.
    func keys(with options: LayerOptions) -> LayerSettings {
        var keys = keys
        keys.options = options
        return keys
    }

    // MARK: How connections change

    /// Checks a key or a state that a backend sets.
    package var checkChange: ChangeCheck {
        { [layout] change in
            switch change {
            case .key(let name, let bytes, _):
                do throws(LayerKeyError) { try LayerSettings.check(name, bytes, in: layout) } catch {
                    return .change(error.reason(name), path: "key")
                }
            case .state(let name, let value):
                var states = PacketStates()
                do throws(CodecError) { try layout.setState(name, to: value, in: &states) } catch {
                    return .change(error.reason.erlangTerm, path: "set")
                }
            }
            return nil
        }
    }

    // MARK: Translation

    /// Returns a client's packet as a term.
    package func message(of packet: borrowing Packet) throws(CodecError) -> MessageTerm {
        let term = try translation.records.encodedMessage(of: packet, from: .client)
        guard translation.hasSettableFields else { return MessageTerm(term: term) }
        return MessageTerm(term: term, header: try records.encodedHeader(of: packet, onlySettable: true))
    }

    package var encode: MessageEncoder {
        guard !layout.hasStates, !layout.hasContent else { return encodeForConnections }
        return { [translation] message in
            do throws(ErlangRecordError) {
                return .success(.bytes(try translation.records.packet(ofTerm: message, from: .server)))
            } catch {
                return .failure(.encoding(error.term))
            }
        }
    }

    private var encodeForConnections: MessageEncoder {
        { [translation, layout, packetLimit] message in
            do throws(ErlangRecordError) {
                let draft = try translation.records.draft(of: message, from: .server)
                do throws(CodecError) {
                    return .success(.unsealed(try BackendMessage(draft, in: layout, limit: packetLimit)))
                } catch {
                    throw ErlangRecordError(error)
                }
            } catch {
                return .failure(.encoding(error.term))
            }
        }
    }

    /// Makes a packet of the gateway's own message.
    func packet(of message: ErlangTerm) throws(ErlangGatewayError) -> ClientPacket {
        var writer = ErlangTermWriter()
        do throws(ErlangError) { try writer.write(message) } catch { throw .goodbye("not_a_message") }
        switch encode(writer.bytes.rawSpan) {
        case .success(let packet): return packet
        case .failure(let refusal): throw .goodbye(refusal.term)
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

extension ConnectionChange.End {
    var sender: Sender {
        switch self {
        case .client: .client
        case .server: .server
        }
    }
}

extension LayerKeyError {
    /// The reason for backends: `{unknown_key, Name}` or `{wrong_key_size, Bytes, Needed}`.
    fileprivate func reason(_ name: String) -> ErlangTerm {
        switch self {
        case .unknownName: .tuple("unknown_key", .atom(ErlangAtom(name)))
        case .wrongByteCount(let byteCount, let needed):
            .tuple("wrong_key_size", ErlangTerm(byteCount), .text(needed.description))
        }
    }
}
