// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

enum LimitOptions {
    /// The options of every serving command.
    private static let listeningOptions = [
        Option.connectionLimitPerAddress, .connectionRate, .connectionRatePerAddress, .proxyProtocol, .backlog,
        .sharePort, .socketMode, .idleTimeout, .writeTimeout, .keepAlive, .logRate,
    ]
    /// The options of servers, which keep packets or messages.
    private static let serverOptions =
        [Option.connectionLimit] + listeningOptions + [
            .handshakeTimeout, .minimumRate, .minimumReadingRate, .heldBytes,
        ]
    static let packetServerOptions = [Option.listenAlso] + serverOptions + [.firstPacketTimeout, .pendingBytes]
    static let webSocketServerOptions = [Option.listenAlso] + serverOptions
    /// The options of a proxy, which keeps no packets.
    static let proxyOptions = [Option.proxyConnectionLimit] + listeningOptions

    static func apply(_ arguments: Arguments, to configuration: inout ServerConfiguration) throws(CommandError) {
        try apply(arguments, to: &configuration.listening)
        try set(&configuration.firstPacketTimeout, from: .firstPacketTimeout, arguments)
        try set(&configuration.limits.writeTimeout, from: .writeTimeout, arguments)
        try set(&configuration.limits.pendingByteCount, from: .pendingBytes, arguments)
    }

    static func apply(
        _ arguments: Arguments, to configuration: inout WebSocketServerConfiguration
    ) throws(CommandError) {
        try apply(arguments, to: &configuration.listening)
        try set(&configuration.limits.writeTimeout, from: .writeTimeout, arguments)
    }

    private static func apply(_ arguments: Arguments, to listening: inout ListeningOptions) throws(CommandError) {
        try set(&listening.connectionLimit, from: .connectionLimit, arguments)
        try set(&listening.connectionLimitPerAddress, from: .connectionLimitPerAddress, arguments)
        try set(&listening.connectionRate, from: .connectionRate, arguments)
        try set(&listening.connectionRatePerAddress, from: .connectionRatePerAddress, arguments)
        try set(&listening.handshakeTimeout, from: .handshakeTimeout, arguments)
        try set(&listening.idleTimeout, from: .idleTimeout, arguments)
        try set(&listening.minimumRate, from: .minimumRate, arguments)
        try set(&listening.minimumReadingRate, from: .minimumReadingRate, arguments)
        try set(&listening.heldByteLimit, from: .heldBytes, arguments)
        try set(&listening.keepAliveTime, from: .keepAlive, arguments)
        if let text = arguments[.backlog] {
            listening.backlog = Int32(try WholeNumber.value(of: text, in: 1...UInt64(Int32.max), of: .backlog))
        }
        listening.sharesPorts = arguments.has(.sharePort)
        listening.proxyProtocol = try proxyProtocol(arguments)
    }

    static func relayLimits(_ arguments: Arguments) throws(CommandError) -> RelayLimits {
        var limits = RelayLimits()
        try apply(arguments, to: &limits.listening)
        try set(&limits.writeTimeout, from: .writeTimeout, arguments)
        return limits
    }

    private static func proxyProtocol(_ arguments: Arguments) throws(CommandError) -> ListeningOptions.ProxyProtocol? {
        guard arguments.has(.proxyProtocol) else { return nil }
        var proxies = ListeningOptions.ProxyProtocol(from: [])
        for text in arguments.all(.proxyProtocol) {
            if text == "unix:" {
                proxies.trustsUnixSockets = true
            } else if let network = try? IPNetwork(text) {
                proxies.networks.append(network)
            } else {
                throw .usage(
                    "\(Option.proxyProtocol.name) is an IP address or a network, such as 10.0.0.0/8, or unix:; "
                        + "`\(text)` is not")
            }
        }
        return proxies
    }

    // MARK: Values

    /// The value that removes a limit.
    private static let none = "none"

    private static func set(
        _ time: inout Duration?, from option: Option, _ arguments: Arguments
    ) throws(CommandError) {
        guard let text = arguments[option] else { return }
        time = text == none ? nil : try TimeSpan(text, of: option, or: none).duration
    }

    private static func set(_ count: inout Int, from option: Option, _ arguments: Arguments) throws(CommandError) {
        guard let text = arguments[option] else { return }
        count = try number(text, of: option)
    }

    private static func set(_ count: inout Int?, from option: Option, _ arguments: Arguments) throws(CommandError) {
        guard let text = arguments[option] else { return }
        count = text == none ? nil : try number(text, of: option, or: none)
    }

    private static func set(
        _ rate: inout MinimumRate?, from option: Option, _ arguments: Arguments
    ) throws(CommandError) {
        guard let text = arguments[option] else { return }
        rate = try parts(of: text, of: option, "bytes", "1024/30s").map {
            MinimumRate(byteCount: $0.count, window: $0.time)
        }
    }

    private static func set(
        _ rate: inout MaximumRate?, from option: Option, _ arguments: Arguments
    ) throws(CommandError) {
        guard let text = arguments[option] else { return }
        rate = try parts(of: text, of: option, "connections", "100/1s").map { MaximumRate($0.count, per: $0.time) }
    }

    /// Returns the parts of a rate such as `1024/30s`; nil if there is no limit.
    private static func parts(
        of text: String, of option: Option, _ what: String, _ example: String
    ) throws(CommandError) -> (count: Int, time: Duration)? {
        if text == none { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = WholeNumber.value(of: parts[0], in: 1...WholeNumber.most),
            let time = Duration(text: parts[1])
        else {
            throw .usage("\(option.name) is \(what) and a time, such as \(example), or `\(none)`; `\(text)` is not")
        }
        return (Int(count), time)
    }

    private static func number(_ text: String, of option: Option, or other: String? = nil) throws(CommandError) -> Int {
        Int(try WholeNumber.value(of: text, in: 1...WholeNumber.most, of: option, or: other))
    }
}

struct RelayLimits {
    /// The proxy accepts fewer connections if the process has too few descriptors for both sides. The settings for
    /// handshakes, packets and memory are not used.
    var listening = ListeningOptions(connectionLimit: 10_000)
    /// The time in which a side must take some of its queued output; nil means no limit.
    var writeTimeout = ConnectionLimits().writeTimeout
}

extension Option {
    fileprivate static let connectionLimit = Option(
        "--connection-limit", value: "N", "the most open connections; further ones wait (default 65536)")
    fileprivate static let proxyConnectionLimit = Option(
        connectionLimit.name, value: "N", "the most clients at a time; further ones wait (default 10000)")
    fileprivate static let connectionLimitPerAddress = Option(
        "--connection-limit-per-address", value: "N|none",
        "the most connections from one IPv4 address or IPv6 /64 network; further ones are closed (default none)")
    fileprivate static let connectionRate = Option(
        "--connection-rate", value: "N/TIME|none",
        "the most new connections in each TIME; further ones are closed, before TLS (default none)")
    fileprivate static let connectionRatePerAddress = Option(
        "--connection-rate-per-address", value: "N/TIME|none",
        "the same for the connections of one IPv4 address or IPv6 /64 network (default none)")
    fileprivate static let proxyProtocol = Option(
        "--proxy-protocol", value: "FROM",
        "proxies at this address or network, such as 10.0.0.0/8, begin each connection with a PROXY header (version 1 or "
            + "2) that says the client's address; unix: for those at unix: addresses; repeat it for more")
    fileprivate static let backlog = Option(
        "--backlog", value: "N", "the most connections that the system queues for each address (default 4096)")
    fileprivate static let sharePort = Option(
        "--share-port", "let other processes of this user listen at the same port (SO_REUSEPORT)")
    fileprivate static let minimumReadingRate = Option(
        "--minimum-reading-rate", value: "N/TIME|none",
        "close connections that take fewer than N bytes in each TIME while output waits for them (default 2048/60s)")
    fileprivate static let pendingBytes = Option(
        "--pending-bytes", value: "N",
        "how many bytes of a connection's output may wait before its packets are not read (default 65536)")
    static let logRate = Option(
        "--log-rate", value: "N",
        "the most lines about connections in a second; others are left out, and counted (default 100)")
    fileprivate static let handshakeTimeout = Option(
        "--handshake-timeout", value: "TIME|none", "the time limit for the TLS and WebSocket handshakes (default 30s)")
    fileprivate static let firstPacketTimeout = Option(
        "--first-packet-timeout", value: "TIME|none",
        "the time limit for a connection's first packet (default 30s; with --benchmark none)")
    fileprivate static let idleTimeout = Option(
        "--idle-timeout", value: "TIME|none", "close connections that send nothing for this long (default none)")
    fileprivate static let minimumRate = Option(
        "--minimum-rate", value: "N/TIME|none",
        "close connections that send fewer than N bytes in each TIME while part of a packet or message is missing "
            + "(default 1024/30s)")
    fileprivate static let heldBytes = Option(
        "--held-bytes", value: "N|none",
        "the most bytes that all connections may hold in memory together; others wait (default 1073741824)")
    fileprivate static let writeTimeout = Option(
        "--write-timeout", value: "TIME|none",
        "close connections that accept no output for this long (default 30s)")
    fileprivate static let keepAlive = Option(
        "--keep-alive", value: "TIME|none",
        "probe silent peers with TCP keepalive after this time; close the connection after twice the time "
            + "(default 60s)")
}
