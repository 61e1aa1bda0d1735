// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// One end of a connection between nodes.
package struct ErlangPeer: Hashable, Sendable {
    package let name: ErlangNodeName
    /// Our flags or the other node's; after a handshake, those that both nodes have.
    package let flags: ErlangFlags
    /// A node has another creation in each of its lives, never 0.
    package let creation: UInt32

    package init(name: ErlangNodeName, flags: ErlangFlags = .ours, creation: UInt32) {
        self.name = name
        self.flags = flags
        self.creation = creation
    }
}

package enum HandshakeStatus: String, Sendable {
    case ok
    /// The handshake continues. The accepting node drops its own attempt to connect.
    case okSimultaneous = "ok_simultaneous"
    /// The accepting node keeps its own attempt, and drops this connection.
    case refused = "nok"
    case notAllowed = "not_allowed"
    /// A connection to this name is up. The connecting node must say whether it is dead.
    case alive
}

/// The messages of the handshake, without their length.
///
/// https://www.erlang.org/doc/apps/erts/erl_dist_protocol, "Distribution Handshake"
enum HandshakeMessages {
    private static let identityTag = UInt8(ascii: "N")
    private static let statusTag = UInt8(ascii: "s")
    private static let replyTag = UInt8(ascii: "r")
    private static let acknowledgementTag = UInt8(ascii: "a")
    static let digestByteCount = 16

    // MARK: Writing

    static func introduction(of peer: ErlangPeer) -> [UInt8] { identity(of: peer, challenge: nil) }

    static func challenge(_ challenge: UInt32, of peer: ErlangPeer) -> [UInt8] {
        identity(of: peer, challenge: challenge)
    }

    private static func identity(of peer: ErlangPeer, challenge: UInt32?) -> [UInt8] {
        let name = peer.name.description
        return [UInt8](byteCount: (challenge == nil ? 15 : 19) + name.utf8.count) { writer in
            writer.writeInteger(identityTag, .bigEndian)
            writer.writeInteger(peer.flags.rawValue, .bigEndian)
            if let challenge { writer.writeInteger(challenge, .bigEndian) }
            writer.writeInteger(peer.creation, .bigEndian)
            writer.writeInteger(UInt16(name.utf8.count), .bigEndian)
            writer.writeText(name)
        }
    }

    static func status(_ status: HandshakeStatus) -> [UInt8] { [statusTag] + status.rawValue.utf8 }

    /// The answer to ``HandshakeStatus/alive``.
    static func decision(continues: Bool) -> [UInt8] { [statusTag] + (continues ? "true" : "false").utf8 }

    static func reply(_ digest: [UInt8], challenge: UInt32) -> [UInt8] {
        [UInt8](byteCount: 5 + digest.count) { writer in
            writer.writeInteger(replyTag, .bigEndian)
            writer.writeInteger(challenge, .bigEndian)
            writer.writeBytes(digest)
        }
    }

    static func acknowledgement(_ digest: [UInt8]) -> [UInt8] { [acknowledgementTag] + digest }

    // MARK: Reading

    /// Ignores bytes after the name, as OTP does.
    static func readIntroduction(_ message: [UInt8]) throws(ErlangError) -> ErlangPeer {
        var reader = try reader(of: message, identityTag)
        return try readIdentity(&reader).peer
    }

    static func readChallenge(_ message: [UInt8]) throws(ErlangError) -> (peer: ErlangPeer, challenge: UInt32) {
        var reader = try reader(of: message, identityTag)
        let (peer, challenge) = try readIdentity(&reader, hasChallenge: true)
        return (peer, challenge)
    }

    private static func readIdentity(
        _ reader: inout ByteReader, hasChallenge: Bool = false
    ) throws(ErlangError) -> (peer: ErlangPeer, challenge: UInt32) {
        do throws(CodecError) {
            let flags = ErlangFlags(rawValue: try reader.readInteger(.bigEndian)).expanded
            let challenge: UInt32 = hasChallenge ? try reader.readInteger(.bigEndian) : 0
            let creation: UInt32 = try reader.readInteger(.bigEndian)
            let byteCount: UInt16 = try reader.readInteger(.bigEndian)
            if let name = ErlangNodeName(try reader.readString(byteCount: Int(byteCount))) {
                return (ErlangPeer(name: name, flags: flags, creation: creation), challenge)
            }
        } catch {
            throw .handshake(.malformed)
        }
        throw .handshake(.name)
    }

    static func readStatus(_ message: [UInt8]) throws(ErlangError) -> HandshakeStatus {
        guard let status = HandshakeStatus(rawValue: try readText(message)) else { throw .handshake(.status) }
        return status
    }

    static func readDecision(_ message: [UInt8]) throws(ErlangError) -> Bool {
        switch try readText(message) {
        case "true": return true
        case "false": return false
        default: throw .handshake(.status)
        }
    }

    private static func readText(_ message: [UInt8]) throws(ErlangError) -> String {
        guard message.first == statusTag else { throw .handshake(.malformed) }
        return String(decoding: message.dropFirst(), as: UTF8.self)
    }

    static func readReply(_ message: [UInt8]) throws(ErlangError) -> (challenge: UInt32, digest: [UInt8]) {
        guard message.first == replyTag, message.count == 5 + digestByteCount else { throw .handshake(.malformed) }
        return (message[1..<5].reduce(0) { $0 << 8 | UInt32($1) }, Array(message[5...]))
    }

    static func readAcknowledgement(_ message: [UInt8]) throws(ErlangError) -> [UInt8] {
        guard message.first == acknowledgementTag, message.count == 1 + digestByteCount
        else { throw .handshake(.malformed) }
        return Array(message[1...])
    }

    @_lifetime(borrow message)
    private static func reader(of message: borrowing [UInt8], _ tag: UInt8) throws(ErlangError) -> ByteReader {
        var reader = ByteReader(message.rawSpan)
        guard (try? reader.readInteger(as: UInt8.self, .bigEndian)) == tag else { throw .handshake(.malformed) }
        return reader
    }
}

struct HandshakeStream {
    /// Longer than any message of a node: the longest is an introduction with a name of 255 bytes.
    static let messageLimit = 1_024

    private var input: [UInt8] = []
    private var output: [UInt8] = []

    mutating func receive(_ bytes: RawSpan) { input += [UInt8](copying: bytes) }

    /// Without its length; nil until the message is complete.
    mutating func nextMessage() throws(ErlangError) -> [UInt8]? {
        guard input.count >= 2 else { return nil }
        let byteCount = Int(input[0]) << 8 | Int(input[1])
        // The start of a TLS record (RFC 8446 section 5.1): an alert or a handshake, version 3.
        guard !(input[0] == 21 || input[0] == 22) || input[1] != 3 else { throw .handshake(.tls) }
        guard byteCount <= Self.messageLimit else { throw .handshake(.tooLong(limit: Self.messageLimit)) }
        guard input.count >= 2 + byteCount else { return nil }
        defer { input.removeFirst(2 + byteCount) }
        return Array(input[2..<2 + byteCount])
    }

    /// Whether more bytes have arrived than a node sends before it gets an answer.
    var isFlooded: Bool { input.count > 2 + Self.messageLimit }

    mutating func send(_ message: [UInt8]) {
        output += [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)]
        output += message
    }

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func takeRest() -> [UInt8] {
        defer { input = [] }
        return input
    }
}
