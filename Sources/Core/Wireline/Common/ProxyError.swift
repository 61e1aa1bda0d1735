// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineWebSocket

/// Why a ``Proxy`` did not connect.
@nonexhaustive
public enum ProxyError: Error, Equatable, Sendable {
    // MARK: Invalid arguments

    /// Not a proxy's URL: `http://` or `socks5://`, a host, and nothing after the port.
    case invalidURL
    /// A name or password that the proxy's protocol cannot express.
    case invalidCredentials
    /// A server name that the proxy's protocol cannot express.
    ///
    /// It is empty, longer than 255 bytes, or has characters that no host name has.
    case invalidHost

    // MARK: An HTTP proxy

    /// The proxy answered with a status other than 2xx.
    ///
    /// 407: it requires a login, or does not accept this one. 403: it allows no connection to that server. 502 and 504:
    /// it cannot reach the server.
    case refused(status: Int, reason: String)
    /// The proxy's answer is not HTTP; the error is about the head of an HTTP message, which may have 16 KiB at most.
    indirect case invalidAnswer(WebSocketError)

    // MARK: A SOCKS proxy

    /// The proxy does not speak SOCKS 5; these are its first bytes.
    case notSOCKS5(firstBytes: [UInt8])
    /// The proxy accepts none of the offered logins: no login, or the name and password.
    case noAcceptableMethod
    /// The proxy refused the name or the password; `status` is its answer (RFC 1929 §2).
    case loginRefused(status: UInt8)
    /// The proxy did not connect.
    case notConnected(SOCKSFault)

    // MARK: Either

    /// The connection ended before the proxy answered.
    case truncated
}

extension ProxyError {
    /// The reason that a SOCKS proxy gives for not connecting (RFC 1928 §6).
    @nonexhaustive
    public enum SOCKSFault: Equatable, Sendable {
        /// 1: a failure without a number of its own.
        case generalFailure
        /// 2: the proxy's rules forbid it.
        case notAllowed
        /// 3: the network is unreachable.
        case networkUnreachable
        /// 4: the host is unreachable, or its name is unknown.
        case hostUnreachable
        /// 5: the host refused the connection: no program listens there.
        case connectionRefused
        /// 6: the time to live has expired.
        case timeToLiveExpired
        /// 7: the proxy does not support connecting.
        case commandNotSupported
        /// 8: the proxy does not support this kind of address.
        case addressTypeNotSupported
        /// A number without a defined meaning.
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
}

extension ProxyError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .invalidURL: "not the address of a proxy: http:// or socks5://, a host and a port"
        case .invalidCredentials: "the proxy's protocol cannot say this name or this password"
        case .invalidHost: "the proxy's protocol cannot say this host"
        case .refused(let status, ""): "the proxy has answered \(status)"
        case .refused(let status, let reason): "the proxy has answered \(status) \(reason.escaped())"
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

extension ProxyError.SOCKSFault: CustomStringConvertible {
    /// The reason in a few words.
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
