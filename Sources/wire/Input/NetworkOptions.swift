// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// What options say about how a connection is made.
enum NetworkOptions {
    static let connectingOptions = [Option.proxy, .interface, .dns]
    /// Those, and what there is to say of connections that carry packets.
    static let clientOptions = [Option.webSocket] + connectingOptions

    /// Puts what the options say into a configuration.
    static func apply(_ arguments: Arguments, to configuration: inout ClientConfiguration) throws(CommandError) {
        configuration.interface = arguments[.interface]
        if let path = arguments[.webSocket] {
            try requirePath(path)
            configuration.webSocket = Wireline.WebSocketOptions(path: path)
        }
        if let url = arguments[.proxy] {
            do throws(ProxyError) {
                configuration.proxy = try Proxy(url)
            } catch {
                // What is written there may be a password.
                throw .failure("\(Option.proxy.name): \(error)")
            }
        }
        var servers: [SocketAddress] = []
        for text in arguments.all(.dns) { servers.append(try server(text)) }
        guard !servers.isEmpty else { return }
        configuration.resolver = DNSResolver(servers: servers, interface: arguments[.interface])
    }

    /// Puts what the options say into a server's configuration.
    static func apply(_ arguments: Arguments, to configuration: inout ServerConfiguration) throws(CommandError) {
        guard let path = arguments[.webSocket] else { return }
        try requirePath(path)
        guard !path.contains("?") else {
            throw .failure("\(Option.webSocket.name) has no query where a server listens; `\(path)` has one")
        }
        configuration.webSocket = WebSocketServerOptions(paths: [path])
    }

    private static func requirePath(_ path: String) throws(CommandError) {
        guard !path.hasPrefix("/") else { return }
        throw .failure("\(Option.webSocket.name) is a path that begins with a slash, such as /sub; `\(path)` is not")
    }

    /// An address with a port, or without: then it is the usual one.
    private static func server(_ text: String) throws(CommandError) -> SocketAddress {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        if let address = try? SocketAddress(ipAddress: bare, port: 53) { return address }
        if let endpoint = try? Endpoint(text),
            let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
        {
            return address
        }
        throw .failure(
            "\(Option.dns.name) is an IP address, with a port or without, such as 192.0.2.53 or [2001:db8::53]:53; "
                + "`\(text)` is not")
    }
}

extension Option {
    static let webSocket = Option(
        "--websocket", value: "PATH", "carry the packets over a WebSocket that is asked for with this path: /sub")
    fileprivate static let proxy = Option(
        "--proxy", value: "URL",
        "have this proxy connect: http://HOST:PORT or socks5://HOST:PORT, with USER:PASSWORD@ in front of the host")
    fileprivate static let interface = Option(
        "--interface", value: "NAME", "connect over this network interface, such as eth0")
    fileprivate static let dns = Option(
        "--dns", value: "ADDRESS[:PORT]", "ask this DNS server for the host, and no other; several are asked in turn")
}
