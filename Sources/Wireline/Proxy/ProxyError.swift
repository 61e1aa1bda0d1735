// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// Why a ``Proxy`` has not connected.
@nonexhaustive
public enum ProxyError: Error, Equatable, Sendable {
    // MARK: What this side was asked to do

    /// Not the address of a proxy: `http://` or `socks5://`, a host, and nothing behind the port.
    case invalidURL
    /// A name or a password that cannot be said in the proxy's protocol.
    case invalidCredentials
    /// The server's name cannot be said in the proxy's protocol: it is empty, longer than 255 bytes, or has characters that no
    /// host's name has.
    case invalidHost

    // MARK: An HTTP proxy

    /// The proxy has answered with another status than 2xx: 407 where it wants to know who asks, or wants to know it better;
    /// 403 for servers that it connects nobody to, 502 and 504 for those that it cannot reach.
    case refused(status: Int, reason: String)
    /// The proxy's answer is none: the error is one about the head of an HTTP message, which has at most 16 KiB.
    indirect case invalidAnswer(WebSocketError)

    // MARK: A SOCKS proxy

    /// These are the first bytes of something else than SOCKS 5.
    case notSOCKS5(firstBytes: [UInt8])
    /// The proxy takes none of the ways to say who asks: without a name, or with the one that it was offered.
    case noAcceptableMethod
    /// The proxy does not know this name, or not with this password; `status` is what it says (RFC 1929 §2).
    case loginRefused(status: UInt8)
    /// The proxy has not connected.
    case notConnected(SOCKSFault)

    // MARK: Either

    /// The connection has ended before the proxy has answered.
    case truncated
}

/// What a SOCKS proxy says that has not connected (RFC 1928 §6).
@nonexhaustive
public enum SOCKSFault: Equatable, Sendable {
    /// 1: something that has no number of its own.
    case generalFailure
    /// 2: the proxy's rules do not allow it.
    case notAllowed
    /// 3: there is no way to the network.
    case networkUnreachable
    /// 4: there is no way to the host, or its name is not known.
    case hostUnreachable
    /// 5: the host is there, and nobody listens.
    case connectionRefused
    /// 6: the time to live has expired.
    case timeToLiveExpired
    /// 7: the proxy does not connect at all.
    case commandNotSupported
    /// 8: the proxy knows no such kind of address.
    case addressTypeNotSupported
    /// A number without a meaning.
    case other(UInt8)

    init(_ number: UInt8) {
        self =
            switch number {
            case 1: .generalFailure
            case 2: .notAllowed
            case 3: .networkUnreachable
            case 4: .hostUnreachable
            case 5: .connectionRefused
            case 6: .timeToLiveExpired
            case 7: .commandNotSupported
            case 8: .addressTypeNotSupported
            default: .other(number)
            }
    }
}

extension ProxyError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .invalidURL: "not the address of a proxy: http:// or socks5://, a host and a port"
        case .invalidCredentials: "the proxy's protocol cannot say this name or this password"
        case .invalidHost: "the proxy's protocol cannot say this host"
        case .refused(let status, ""): "the proxy has answered \(status)"
        case .refused(let status, let reason): "the proxy has answered \(status) \(reason.printable)"
        case .invalidAnswer(let error): "the proxy's answer is none: \(error)"
        case .notSOCKS5(let bytes): "the proxy does not speak SOCKS 5: its first bytes are \(Self.text(of: bytes))"
        case .noAcceptableMethod: "the proxy takes none of the ways to say who asks"
        case .loginRefused(let status): "the proxy has refused name and password, with status \(status)"
        case .notConnected(let fault): "the proxy has not connected: \(fault)"
        case .truncated: "the proxy has ended the connection before it answered"
        }
    }

    private static func text(of bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        return bytes == Array("HT".utf8) ? digits + ": is this an HTTP proxy?" : digits
    }
}

extension SOCKSFault: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .generalFailure: "it could not"
        case .notAllowed: "its rules do not allow it"
        case .networkUnreachable: "there is no way to the network"
        case .hostUnreachable: "there is no way to the host"
        case .connectionRefused: "nobody listens at the address"
        case .timeToLiveExpired: "the time to live has expired"
        case .commandNotSupported: "it does not connect for anybody"
        case .addressTypeNotSupported: "it knows no such kind of address"
        case .other(let number): "its reason has the number \(number)"
        }
    }
}
