// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

/// What options say about WebSockets.
enum WebSocketOptions {
    /// The address of a client's command.
    static func url(_ arguments: Arguments) throws(CommandError) -> WebSocketURL {
        let text = arguments.word(at: 0) ?? ""
        do throws(WebSocketError) {
            return try WebSocketURL(text)
        } catch {
            throw .failure("`\(text)`: \(error)")
        }
    }

    /// How a client's command connects.
    static func client(
        _ arguments: Arguments, _ url: WebSocketURL
    ) throws(CommandError) -> WebSocketClientConfiguration {
        var configuration = WebSocketClientConfiguration()
        if let tls = try TLSOptions.client(arguments) {
            guard url.isSecure else { throw .failure("TLS needs an address that begins with wss://; \(url) does not") }
            configuration.connecting.tls = tls.context
            configuration.connecting.tlsServerName = tls.serverName
        }
        try NetworkOptions.apply(arguments, to: &configuration.connecting)
        configuration.deflate = deflate(arguments)
        configuration.limits = try limits(arguments)
        return configuration
    }

    static func deflate(_ arguments: Arguments) -> WebSocketDeflate? {
        guard arguments.has(.deflate) else { return nil }
        var deflate = WebSocketDeflate()
        // Whoever asks for it is to know where it cannot be had.
        deflate.isOptional = false
        return deflate
    }

    static func limits(_ arguments: Arguments) throws(CommandError) -> WebSocketLimits {
        var limits = WebSocketLimits()
        guard let text = arguments[.messageLimit] else { return limits }
        guard let limit = Int(text), (0...(1 << 40)).contains(limit) else {
            throw .failure("\(Option.messageLimit.name) is a number of bytes; `\(text)` is not")
        }
        limits.frames.messageLimit = limit
        limits.frames.frameLimit = limit
        return limits
    }
}

extension Parameter {
    static let webSocketURL = Parameter("URL", "where the WebSocket is: ws://localhost:9002/path, wss://…")
}

extension Option {
    static let deflate = Option("--deflate", "compress messages, if the other side can (permessage-deflate)")
    static let messageLimit = Option(
        "--max-message", value: "N", "the most bytes of a message (default 16777216)")
}
