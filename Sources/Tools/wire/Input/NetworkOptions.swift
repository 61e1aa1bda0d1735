// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport
import WirelineWebSocket

enum NetworkOptions {
    static let connectingOptions = [Option.proxy, .interface, .dns]
    /// The options of connections that carry packets.
    static let clientOptions = [Option.webSocket, .subprotocol, .webSocketHeader] + connectingOptions

    static func apply(_ arguments: Arguments, to configuration: inout ClientConfiguration) throws(CommandError) {
        if let path = arguments[.webSocket] {
            try requirePath(path)
            configuration.webSocket = ClientConfiguration.WebSocketOptions(
                path: path, subprotocols: arguments.all(.subprotocol), headers: try headers(arguments))
        } else if let option = [Option.subprotocol, .webSocketHeader].first(where: arguments.has) {
            throw .usage("\(option.name) goes with \(Option.webSocket.name)")
        }
        try apply(arguments, to: &configuration.dialing)
    }

    static func apply(_ arguments: Arguments, to dialing: inout DialingOptions) throws(CommandError) {
        dialing.interface = arguments[.interface]
        if let url = arguments[.proxy] {
            do throws(ProxyError) {
                dialing.proxy = try Proxy(url)
            } catch {
                // The value can contain a password, so the error does not contain it.
                throw .usage("\(Option.proxy.name): \(error)")
            }
        }
        var servers: [SocketAddress] = []
        for text in arguments.all(.dns) { servers.append(try server(text)) }
        guard !servers.isEmpty else { return }
        dialing.resolver = DNSResolver(servers: servers, interface: arguments[.interface])
    }

    static func apply(_ arguments: Arguments, to configuration: inout ServerConfiguration) throws(CommandError) {
        guard let path = arguments[.webSocket] else {
            guard !arguments.has(.allowedHost) else {
                throw .usage("\(Option.allowedHost.name) goes with \(Option.webSocket.name)")
            }
            return
        }
        try requirePath(path)
        guard !path.contains("?") else {
            throw .usage("\(Option.webSocket.name) has no query where a server listens; `\(path)` has one")
        }
        var options = ServerConfiguration.WebSocketOptions(paths: [path])
        options.handshake.hosts = WebSocketOptions.hosts(arguments)
        configuration.webSocket = options
    }

    /// Parses the options, which have the notation of HTTP headers.
    private static func headers(_ arguments: Arguments) throws(CommandError) -> WebSocketHeaders {
        var headers = WebSocketHeaders()
        for text in arguments.all(.webSocketHeader) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                // The value can be a secret, so the error does not contain it.
                throw .usage("\(Option.webSocketHeader.name) is a name, a colon and a value, such as 'X-Room: 7'")
            }
            headers.append(name: String(parts[0]), value: String(parts[1].drop { $0 == " " || $0 == "\t" }))
        }
        return headers
    }

    private static func requirePath(_ path: String) throws(CommandError) {
        guard !path.hasPrefix("/") else { return }
        throw .usage("\(Option.webSocket.name) is a path that begins with a slash, such as /sub; `\(path)` is not")
    }

    /// Parses an address. The port is optional (default: 53).
    private static func server(_ text: String) throws(CommandError) -> SocketAddress {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        if let address = try? SocketAddress(ipAddress: bare, port: 53) { return address }
        if let endpoint = try? HostAndPort(text), endpoint.unixPath == nil,
            let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
        {
            return address
        }
        throw .usage(
            "\(Option.dns.name) is an IP address, with a port or without, such as 192.0.2.53 or [2001:db8::53]:53; "
                + "`\(text)` is not")
    }
}

extension Option {
    static let webSocket = Option(
        "--websocket", value: "PATH", "carry the packets over a WebSocket at this path: /sub")
    fileprivate static let webSocketHeader = Option(
        "--websocket-header", value: "'NAME: VALUE'", "send this header in the WebSocket's request; repeat it for more")
    fileprivate static let proxy = Option(
        "--proxy", value: "URL",
        "connect through this proxy: http://HOST:PORT or socks5://HOST:PORT; USER:PASSWORD@ may stand before the host")
    fileprivate static let interface = Option(
        "--interface", value: "NAME", "connect over this network interface, such as eth0")
    fileprivate static let dns = Option(
        "--dns", value: "ADDRESS[:PORT]",
        "look the host up with this DNS server only; repeat it for more servers, which are asked in turn")
}
