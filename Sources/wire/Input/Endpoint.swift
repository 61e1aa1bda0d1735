// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// A host and a port as people write them: `localhost:9001`, `[::1]:9001`.
struct Endpoint: Equatable, CustomStringConvertible {
    /// A name, or the text of an IP address, without brackets.
    let host: String
    let port: UInt16
    /// As it was written.
    let description: String

    init(_ text: String) throws(CommandError) {
        guard let colon = text.lastIndex(of: ":") else { throw Self.failure(text) }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw Self.failure(text, hint: "an IPv6 address stands in brackets: [::1]:9001")
        }
        let digits = text[text.index(after: colon)...]
        guard !host.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { throw Self.failure(text) }
        self.host = host
        self.port = port
        description = text
    }

    private static func failure(_ text: String, hint: String? = nil) -> CommandError {
        .failure("HOST:PORT is a name or an IP address, and a port from 0 to 65535; `\(text)` is not", hint: hint)
    }
}

extension Endpoint {
    /// Where it is: at least one address.
    func addresses() async throws(TransportError) -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        var found: [SocketAddress] = []
        var failure = TransportError.unknownHost(host, reason: "the name has no address")
        for family in [AddressFamily.ipv6, .ipv4] {
            do throws(TransportError) {
                found += try await SystemResolver().addresses(of: host, family).addresses
            } catch {
                failure = error
            }
        }
        guard !found.isEmpty else { throw failure }
        return found.map { $0.withPort(port) }
    }
}

extension Parameter {
    static let endpoint = Parameter("HOST:PORT", "a name or an IP address, and a port: localhost:9001, [::1]:9001")
}
