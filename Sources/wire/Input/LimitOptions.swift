// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineScript
import WirelineSession

/// The options for the limits and timeouts of commands that serve.
enum LimitOptions {
    /// The options for a packet server.
    static let packetServerOptions =
        webSocketServerOptions.prefix(3) + [.firstPacketTimeout] + webSocketServerOptions.dropFirst(3)
    /// The options for a WebSocket server.
    static let webSocketServerOptions = [
        Option.connectionLimit, .connectionLimitPerAddress, .handshakeTimeout, .idleTimeout, .minimumRate, .heldBytes,
        .writeTimeout, .keepAlive,
    ]
    /// The options for a proxy, which does not hold packets.
    static let proxyOptions = [
        Option.proxyConnectionLimit, .connectionLimitPerAddress, .idleTimeout, .writeTimeout, .keepAlive,
    ]

    /// Applies the options to a packet server's configuration.
    static func apply(_ arguments: Arguments, to configuration: inout ServerConfiguration) throws(CommandError) {
        try apply(arguments, to: &configuration.listening)
        try set(&configuration.firstPacketTimeout, from: .firstPacketTimeout, arguments)
        try set(&configuration.limits.writeTimeout, from: .writeTimeout, arguments)
    }

    /// Applies the options to a WebSocket server's configuration.
    static func apply(
        _ arguments: Arguments, to configuration: inout WebSocketServerConfiguration
    ) throws(CommandError) {
        try apply(arguments, to: &configuration.listening)
        try set(&configuration.limits.writeTimeout, from: .writeTimeout, arguments)
    }

    private static func apply(_ arguments: Arguments, to listening: inout ListeningOptions) throws(CommandError) {
        try set(&listening.connectionLimit, from: .connectionLimit, arguments)
        try set(&listening.connectionLimitPerAddress, from: .connectionLimitPerAddress, arguments)
        try set(&listening.handshakeTimeout, from: .handshakeTimeout, arguments)
        try set(&listening.idleTimeout, from: .idleTimeout, arguments)
        try set(&listening.minimumRate, arguments)
        try set(&listening.heldByteLimit, from: .heldBytes, arguments)
        try set(&listening.keepAliveTime, from: .keepAlive, arguments)
    }

    /// Returns the limits of a proxy from the options.
    static func relayLimits(_ arguments: Arguments) throws(CommandError) -> RelayLimits {
        var limits = RelayLimits()
        try set(&limits.connectionLimit, from: .proxyConnectionLimit, arguments)
        try set(&limits.connectionLimitPerAddress, from: .connectionLimitPerAddress, arguments)
        try set(&limits.idleTimeout, from: .idleTimeout, arguments)
        try set(&limits.writeTimeout, from: .writeTimeout, arguments)
        try set(&limits.keepAliveTime, from: .keepAlive, arguments)
        return limits
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

    /// Sets a rate from a text such as `1024/30s`, if the option is given.
    private static func set(_ rate: inout MinimumRate?, _ arguments: Arguments) throws(CommandError) {
        guard let text = arguments[.minimumRate] else { return }
        if text == none {
            rate = nil
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = WholeNumber.value(of: parts[0], in: 1...WholeNumber.most),
            let window = Duration(text: parts[1])
        else {
            throw .usage(
                "\(Option.minimumRate.name) is bytes and a time, such as 1024/30s, or `\(none)`; `\(text)` is not")
        }
        rate = MinimumRate(byteCount: Int(count), window: window)
    }

    private static func number(_ text: String, of option: Option, or other: String? = nil) throws(CommandError) -> Int {
        Int(try WholeNumber.value(of: text, in: 1...WholeNumber.most, of: option, or: other))
    }
}

/// The limits of a proxy's connections.
struct RelayLimits {
    /// The largest number of connected clients; fewer if the process has too few descriptors for both sides.
    var connectionLimit = 10_000
    /// The largest number from one address, or from one IPv6 network of 64 bits; nil means no limit.
    var connectionLimitPerAddress: Int?
    /// The time without a byte from either side after which both are closed; nil means never.
    var idleTimeout: Duration?
    /// The time in which a side must take some of its queued output; nil means no limit.
    var writeTimeout: Duration? = .seconds(30)
    /// The time of silence after which TCP keepalive probes a side; nil means never.
    var keepAliveTime: Duration? = .seconds(60)
}

extension Option {
    fileprivate static let connectionLimit = Option(
        "--connection-limit", value: "N", "the most open connections; further ones wait (default 65536)")
    fileprivate static let proxyConnectionLimit = Option(
        connectionLimit.name, value: "N", "the most clients at a time; further ones wait (default 10000)")
    fileprivate static let connectionLimitPerAddress = Option(
        "--connection-limit-per-address", value: "N|none",
        "the most connections from one IPv4 address or IPv6 /64 network; further ones are closed (default none)")
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
