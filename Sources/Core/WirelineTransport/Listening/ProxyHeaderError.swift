// SPDX-License-Identifier: Apache-2.0

/// Why the beginning of a connection is not a header of the PROXY protocol, although one must come.
@nonexhaustive
public enum ProxyHeaderError: Error, Equatable, Sendable {
    /// The first bytes are those of neither version: the peer does not speak the PROXY protocol.
    case missing
    /// The line of version 1 breaks the protocol: a word, an address, a port or a space is wrong.
    case malformedLine
    /// The line of version 1 does not end within 107 bytes.
    case lineTooLong
    /// The header of version 2 has another version number (the high half of byte 12).
    case unknownVersion(UInt8)
    /// The header of version 2 has an unknown command (the low half of byte 12).
    case unknownCommand(UInt8)
    /// The header of version 2 has an unknown address family or transport (byte 13).
    case unknownFamily(UInt8)
    /// The header of version 2 is longer than the server allows.
    case tooLong(byteCount: Int, limit: Int)
    /// The header of version 2 is too short for its addresses.
    case missingAddresses
    /// A field after the addresses (TLV) is longer than the rest of the header. `offset` is that of its first byte.
    case malformedField(offset: Int)
    /// The header's CRC-32C does not match its bytes.
    case wrongChecksum
    /// The peer ended its stream before the header was complete.
    case truncated
    /// The header was not complete before the deadline.
    case timedOut
    /// The peer is none of the proxies, and only they may connect.
    case notAProxy
    /// The header names no client, and only clients may connect through the proxy.
    case noClient
}

extension ProxyHeaderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing: "the first bytes are no PROXY header"
        case .malformedLine: "the line of the PROXY header is malformed"
        case .lineTooLong: "the line of the PROXY header does not end within 107 bytes"
        case .unknownVersion(let number): "the PROXY header has the unknown version \(number)"
        case .unknownCommand(let number): "the PROXY header has the unknown command \(number)"
        case .unknownFamily(let number): "the PROXY header has the unknown address family and transport \(number)"
        case .tooLong(let count, let limit): "the PROXY header has \(count) bytes, and \(limit) are allowed"
        case .missingAddresses: "the PROXY header is too short for its addresses"
        case .malformedField(let offset): "the field at offset \(offset) of the PROXY header is longer than the header"
        case .wrongChecksum: "the checksum of the PROXY header is wrong"
        case .truncated: "the peer has ended its stream within the PROXY header"
        case .timedOut: "the PROXY header has not arrived in time"
        case .notAProxy: "the peer is none of the proxies, which alone may connect"
        case .noClient: "the PROXY header names no client"
        }
    }
}
