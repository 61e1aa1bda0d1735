// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport
import WirelineWebSocket

extension Command {
    static let webSocketConnect = Command(
        name: "websocket connect",
        summary: "send lines of standard input as text messages, and print what arrives, until a side closes",
        parameters: [.webSocketURL],
        options: [.subprotocol, .origin, .requestHeader, .wait, .unixSocket, .deflate, .messageLimit]
            + TLSOptions.clientOptions + NetworkOptions.connectingOptions,
        example: "echo hello | wire websocket connect ws://127.0.0.1:9002/",
        run: { arguments, console throws(CommandError) in
            let url = try WebSocketOptions.url(arguments)
            let wait = try TimeSpan(arguments[.wait] ?? "1s", of: .wait)
            var configuration = try WebSocketOptions.client(arguments, url)
            configuration.subprotocols = arguments.all(.subprotocol)
            configuration.origin = arguments[.origin]
            for text in arguments.all(.requestHeader) { try configuration.headers.append(text) }
            let timeline = Lock<ConnectionTimeline?>(nil)
            configuration.dialing.timelineHandler = { whole in timeline.withLock { $0 = whole } }
            let client: WebSocketClient
            do throws(ConnectionError) {
                client = try await WebSocketClient.connect(to: url, configuration: configuration)
            } catch {
                switch error {
                case .webSocket(.invalidHeader), .webSocket(.reservedHeader): throw .usage("--header: \(error)")
                default: throw .noWebSocket(at: url, error, timeline.withLock(\.self))
                }
            }
            let terminal = WebSocketTerminal(client: client, quietTime: wait.duration, console: console)
            try await terminal.run()
        })
}

extension Option {
    fileprivate static let origin = Option("--origin", value: "ORIGIN", "send this page's origin, as a browser does")
    fileprivate static let requestHeader = Option(
        "--header", value: "NAME:VALUE",
        "send this header with the request, such as 'Cookie: id=7'; repeat it for more")
    fileprivate static let wait = Option(
        "--wait", value: "TIME", "after the end of the input, close when nothing has arrived for this long (default 1s)"
    )
}

extension WebSocketHeaders {
    fileprivate mutating func append(_ text: String) throws(CommandError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw .usage("--header takes a name, a colon and a value, as in 'Cookie: id=7'")
        }
        let value = text[text.index(after: colon)...].trimmingPrefix { $0 == " " }
        append(name: String(text[..<colon]), value: String(value))
    }
}
