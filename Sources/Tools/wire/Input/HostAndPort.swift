// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// A host and a port (`localhost:9001`, `[::1]:9001`), or a Unix domain socket (`unix:/run/game.sock`).
struct HostAndPort: Equatable, CustomStringConvertible {
    /// A name or an IP address, without brackets. For a Unix domain socket it is `localhost`, which TLS uses as the
    /// name.
    let host: String
    /// For a Unix domain socket it is 80, because WebSocket requests then omit the port.
    let port: UInt16
    /// The path of a Unix domain socket; nil for a host and a port.
    let unixPath: String?
    let description: String

    private static let unixPrefix = "unix:"

    /// - Parameters:
    ///   - text: The text as it was entered.
    ///   - name: The name of the parameter or option.
    ///   - isServed: Whether a server listens there. Then the port can be 0, which means any free port.
    init(_ text: String, of name: String = Parameter.endpoint.name, isServed: Bool = false) throws(CommandError) {
        description = text
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            do throws(TransportError) {
                _ = try SocketAddress(unixPath: path)
            } catch {
                throw .usage("\(name): \(error)")
            }
            (host, port, unixPath) = ("localhost", 80, path)
            return
        }
        let failure = Failure(text: text, name: name, leastPort: isServed ? 0 : 1)
        guard let colon = text.lastIndex(of: ":") else { throw failure.error() }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw failure.error(hint: "an IPv6 address stands in brackets: [::1]:9001")
        }
        let digits = text[text.index(after: colon)...]
        guard !host.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port >= failure.leastPort
        else { throw failure.error() }
        (self.host, self.port, unixPath) = (host, port, nil)
    }

    private struct Failure {
        let text: String
        let name: String
        let leastPort: UInt16

        func error(hint: String? = nil) -> CommandError {
            .usage(
                "\(name) is a name or an IP address, and a port from \(leastPort) to 65535, or unix: and a path; `\(text)` is not",
                hint: hint)
        }
    }
}

extension HostAndPort {
    var listening: ListeningAddress { unixPath.map { .unix($0) } ?? .host(host, port: port) }

    /// Sets the path of a Unix domain socket. A host and a port change nothing.
    func apply(to dialing: inout DialingOptions) {
        if let unixPath { dialing.unixPath = unixPath }
    }

    /// - Parameter timeout: The timeout for the system's name lookup.
    /// - Returns: The addresses, at least one.
    func addresses(within timeout: Duration = .seconds(30)) async throws(TransportError) -> [SocketAddress] {
        if let unixPath { return [try SocketAddress(unixPath: unixPath)] }
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        let loop = try EventLoopGroup.shared.nextLoop()
        let found = try await SystemResolver.addresses(of: host, nil, on: loop, timeout: timeout)
        guard !found.isEmpty else { throw .unknownHost(host, reason: "the name has no address") }
        return found.map { $0.withPort(port) }
    }
}

extension Parameter {
    static let endpoint = Parameter(
        "HOST:PORT",
        "a name or an IP address, and a port: localhost:9001, [::1]:9001; or a Unix domain socket: unix:/run/game.sock")
}
