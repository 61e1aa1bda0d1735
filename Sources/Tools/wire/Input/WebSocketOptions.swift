// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

enum WebSocketOptions {
    static func url(_ arguments: Arguments) throws(CommandError) -> WebSocketURL {
        let text = arguments.word(at: 0) ?? ""
        do throws(WebSocketError) {
            return try WebSocketURL(text)
        } catch {
            throw .usage("URL `\(text)`: \(error)")
        }
    }

    static func client(
        _ arguments: Arguments, _ url: WebSocketURL
    ) throws(CommandError) -> WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        if let tls = try TLSOptions.client(arguments) {
            guard url.isSecure else { throw .usage("TLS needs an address that begins with wss://; \(url) does not") }
            configuration.dialing.tls = tls.context
            configuration.dialing.tlsServerName = tls.serverName
        }
        try NetworkOptions.apply(arguments, to: &configuration.dialing)
        configuration.dialing.unixPath = arguments[.unixSocket]
        configuration.deflate = deflate(arguments)
        configuration.limits = try limits(arguments)
        return configuration
    }

    static func deflate(_ arguments: Arguments) -> WebSocketDeflate? {
        guard arguments.has(.deflate) else { return nil }
        var deflate = WebSocketDeflate()
        // The user asks for compression, so it must fail if it is not available.
        deflate.isOptional = false
        return deflate
    }

    /// Returns the host names under which browsers may reach the server.
    static func hosts(_ arguments: Arguments) -> WebSocketHostPolicy {
        let names = arguments.all(.allowedHost)
        if names.contains("*") { return .any }
        return names.isEmpty ? .localOnLoopback : .localAnd(names)
    }

    static func limits(_ arguments: Arguments) throws(CommandError) -> WebSocketLimits {
        var limits = WebSocketLimits()
        guard let text = arguments[.messageLimit] else { return limits }
        let limit = Int(try WholeNumber.value(of: text, in: 0...WholeNumber.most, of: .messageLimit))
        limits.frames.messageLimit = limit
        limits.frames.frameLimit = limit
        return limits
    }
}

extension Parameter {
    static let webSocketURL = Parameter("URL", "the WebSocket's address: ws://localhost:9002/path, wss://…")
}

extension Option {
    static let allowedHost = Option(
        "--allow-host", value: "NAME",
        "also accept this host name from browsers, * for any; without it, a loopback address accepts only local names")
    static let subprotocol = Option(
        "--subprotocol", value: "NAME",
        "ask for this WebSocket subprotocol; repeat it for more, the preferred one first")
    static let unixSocket = Option(
        "--unix-socket", value: "PATH", "connect to this Unix domain socket instead of the URL's host and port")
    static let deflate = Option("--deflate", "compress messages if the other side supports it (permessage-deflate)")
    static let messageLimit = Option(
        "--max-message", value: "N", "the most bytes of a message (default 16777216)")
}
