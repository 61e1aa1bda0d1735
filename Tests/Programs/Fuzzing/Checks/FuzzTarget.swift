// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers

/// A way into the library for bytes that nobody has looked at.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Streams into packets: `PacketSplitter`.
    case splitter
    /// Packets into typed messages: generated code, beside the schema-driven codec.
    case decoder
    /// Packets into JSON and back: `PacketTranslator`, by its description alone.
    case translator
    /// JSON into packets: `PacketTranslator`.
    case encoder
    /// QSIOP's lines: `Properties`.
    case properties
    /// `JSONValue`.
    case json
    /// `.wire` files: `ProtocolDescription.check`, and what is made of a schema that passes.
    case schema
    /// Frames into messages: `WebSocketEngine`, with and without compression.
    case websocket
    /// Requests, answers and addresses: `WebSocketServerHandshake`, `WebSocketClientHandshake`, `WebSocketURL`.
    case handshake
    /// Compressed layers: `LayerStack`, with each transform.
    case zlib
    case deflate
    case gzip
    case brotli
    /// Encrypted layers.
    case xor
    case rc4
    case aesctr
    case aescbc
    /// Packets with layers, and packets inside: `PacketOpener`, `PacketSealer`.
    case opener
    /// Erlang's external terms: `ErlangTerm`.
    case erlangterm
    /// Erlang's terms as text.
    case erlangtext
    /// What nodes say: `DistributionInput`, `IncomingHandshake`, `OutgoingHandshake`.
    case erlangstream
    /// What a connected node says: `NodeCore`.
    case erlangnode
    /// Packets into Erlang's records: `ErlangRecords`.
    case record
    /// Terms into packets: `ErlangRecords`.
    case recordterm

    /// Gives an input to the library, and holds what it says against what it promises.
    ///
    /// - Throws: ``Finding``, for a promise that is broken. What traps or takes too much is for the caller to find.
    public func check(_ input: [UInt8]) throws(Finding) {
        switch self {
        case .splitter: try SplitterCheck.check(input)
        case .decoder: try DecoderCheck.check(input)
        case .translator: try TranslatorCheck.check(input)
        case .encoder: try EncoderCheck.check(input)
        case .properties: try PropertiesCheck.check(input)
        case .json: try JSONCheck.check(input)
        case .schema: try SchemaCheck.check(input)
        case .websocket: try WebSocketCheck.check(input)
        case .handshake: try HandshakeCheck.check(input)
        case .zlib: try CompressionCheck.check(input, .zlib)
        case .deflate: try CompressionCheck.check(input, .deflate)
        case .gzip: try CompressionCheck.check(input, .gzip)
        case .brotli: try CompressionCheck.check(input, .brotli)
        case .xor: try CipherCheck.check(input, .xor)
        case .rc4: try CipherCheck.check(input, .rc4)
        case .aesctr: try CipherCheck.check(input, .aesCTR)
        case .aescbc: try CipherCheck.check(input, .aesCBC)
        case .opener: try OpenerCheck.check(input)
        case .erlangterm: try ErlangTermCheck.check(input)
        case .erlangtext: try ErlangTextCheck.check(input)
        case .erlangstream: try ErlangStreamCheck.check(input)
        case .erlangnode: try ErlangNodeCheck.check(input)
        case .record: try RecordCheck.check(input)
        case .recordterm: try RecordTermCheck.check(input)
        }
    }
}

/// A promise of the library that an input has broken.
public struct Finding: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Says that a promise is broken unless a condition holds.
///
/// No `precondition`: an optimised build would not say which.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(promise()) }
}
