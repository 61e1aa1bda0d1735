// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The handshake with a SOCKS proxy (RFC 1928 §3 to §6, RFC 1929 §2); numbers are big-endian.
///
///     05  count  methods…                     ->
///                                             <-  05  method
///     01  count  name…  count  password…      ->                  with method 2
///                                             <-  01  status
///     05  01  00  kind  address…  port        ->
///                                             <-  05  reply  00  kind  address…  port
///
/// Kind 1 is an IPv4 address of 4 bytes, kind 4 an IPv6 address of 16 bytes. Kind 3 is a name after a byte with its
/// length.
struct SOCKS5Handshake: Sendable {
    private enum State {
        case method
        case login
        case reply
        case connected
    }

    private static let version: UInt8 = 5
    private static let (withoutName, withName): (UInt8, UInt8) = (0, 2)

    private let request: [UInt8]
    private let login: [UInt8]?
    private var output: [UInt8]
    private var state = State.method
    /// The part of the current answer that has arrived.
    private var answer: [UInt8] = []

    init(to host: String, port: UInt16, _ credentials: Proxy.Credentials?) throws(ProxyError) {
        request = [Self.version, 1, 0] + (try Self.encodedAddress(of: host)) + [UInt8(port >> 8), UInt8(port & 0xFF)]
        if let credentials {
            let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
            guard 1...255 ~= user.count, 1...255 ~= password.count else { throw .invalidCredentials }
            login = [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
            output = [Self.version, 2, Self.withoutName, Self.withName]
        } else {
            login = nil
            output = [Self.version, 1, Self.withoutName]
        }
    }

    private static func encodedAddress(of host: String) throws(ProxyError) -> [UInt8] {
        if let address = try? SocketAddress(ipAddress: host, port: 0) {
            return [address.bytes.count == 4 ? 1 : 4] + address.bytes
        }
        let name = Array(host.utf8)
        guard 1...255 ~= name.count, name.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .invalidHost }
        return [3, UInt8(name.count)] + name
    }

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    var neededByteCount: Int {
        switch state {
        case .method, .login: 2 - answer.count
        case .reply where answer.count < 2: 2 - answer.count
        // Up to the first byte of the address, which may be the length of a name.
        case .reply where answer.count < 5: 5 - answer.count
        case .reply: replyByteCount - answer.count
        case .connected: 0
        }
    }

    private var replyByteCount: Int {
        switch answer[3] {
        case 1: 4 + 4 + 2
        case 4: 4 + 16 + 2
        default: 4 + 1 + Int(answer[4]) + 2
        }
    }

    /// Takes at most ``neededByteCount`` bytes.
    mutating func receive(_ bytes: RawSpan) throws(ProxyError) {
        // SAFETY: the closure copies the bytes and keeps none of them.
        answer += unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        switch state {
        case .method:
            guard answer[0] == Self.version else { throw .notSOCKS5(firstBytes: answer) }
            guard answer.count == 2 else { return }
            try choose(answer[1])
        case .login:
            guard answer[0] == 1 else { throw .notSOCKS5(firstBytes: answer) }
            guard answer.count == 2 else { return }
            guard answer[1] == 0 else { throw .loginRefused(status: answer[1]) }
            ask()
        case .reply:
            guard answer[0] == Self.version else { throw .notSOCKS5(firstBytes: answer) }
            // A refusal may end here.
            if answer.count >= 2, answer[1] != 0 { throw .notConnected(ProxyError.SOCKSFault(answer[1])) }
            if answer.count >= 4, ![1, 3, 4].contains(answer[3]) { throw .notSOCKS5(firstBytes: answer) }
            if answer.count >= 5, neededByteCount == 0 { state = .connected }
        case .connected: break
        }
    }

    private mutating func choose(_ method: UInt8) throws(ProxyError) {
        answer = []
        switch (method, login) {
        case (Self.withoutName, _): ask()
        case (Self.withName, let login?):
            output += login
            state = .login
        // The proxy chose a method that was not offered: 255, as the RFC says, or any other.
        default: throw .noAcceptableMethod
        }
    }

    private mutating func ask() {
        answer = []
        output += request
        state = .reply
    }
}
