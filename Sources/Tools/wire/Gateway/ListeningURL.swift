// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// The URL of a gateway's listener, such as `tls://0.0.0.0:9001` or `wss://0.0.0.0:9443/play?proxy=10.0.0.0/8`.
struct ListeningURL {
    private enum Scheme: String, CaseIterable {
        case tcp, tls, ws, wss

        var isSecure: Bool { self == .tls || self == .wss }
        var isWebSocket: Bool { self == .ws || self == .wss }
    }

    private let scheme: Scheme
    let endpoint: HostAndPort
    /// The path of the WebSocket; empty means any path.
    private let path: String
    /// The only proxies that may connect; empty means that everyone may connect.
    private let proxies: [IPNetwork]

    var isSecure: Bool { scheme.isSecure }

    init(_ text: String, of option: Option) throws(CommandError) {
        let form = CommandError.usage(
            "\(option.name) is tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT/PATH or wss://HOST:PORT/PATH, perhaps with "
                + "?proxy=NETWORK,… after it; `\(text)` is not")
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: String(text[..<colon])),
            text[colon...].hasPrefix("://")
        else { throw form }
        let rest = text[colon...].dropFirst(3)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].prefix { $0 != "/" }
        let path = String(parts[0].dropFirst(place.count))
        guard scheme.isWebSocket || path.isEmpty else { throw form }
        endpoint = try HostAndPort(String(place), of: option.name, isServed: true)
        self.scheme = scheme
        self.path = path == "/" ? "" : path
        proxies = parts.count == 2 ? try Self.proxies(parts[1], option) : []
    }

    private static func proxies(_ query: Substring, _ option: Option) throws(CommandError) -> [IPNetwork] {
        guard query.hasPrefix("proxy="), query.count > 6 else {
            throw .usage(
                "\(option.name): after ? comes proxy= and networks, such as ?proxy=10.0.0.0/8; `\(query)` is not")
        }
        var networks: [IPNetwork] = []
        for text in query.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false) {
            guard let network = try? IPNetwork(String(text)) else {
                throw .usage("\(option.name): `\(text)` is no IP address and no network, such as 10.0.0.0/8")
            }
            networks.append(network)
        }
        return networks
    }

    var address: ListeningAddress { endpoint.listening }

    func apply(to serving: inout ServerConfiguration, origins: WebSocketOriginPolicy) {
        if scheme.isWebSocket {
            serving.webSocket = ServerConfiguration.WebSocketOptions(
                paths: path.isEmpty ? [] : [path], origins: origins)
        }
        guard !proxies.isEmpty else { return }
        var proxyProtocol = ListeningOptions.ProxyProtocol(from: proxies)
        proxyProtocol.isRequired = true
        serving.listening.proxyProtocol = proxyProtocol
    }

    /// Returns the URL with the port that the system has chosen.
    func text(at address: SocketAddress) -> String { "\(scheme)://\(address)\(path)" }
}
