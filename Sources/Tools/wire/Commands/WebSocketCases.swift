// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineWebSocket

extension Command {
    static let webSocketCases = Command(
        name: "websocket cases",
        summary: "run the cases of a server that tests WebSocket clients, such as Autobahn's",
        parameters: [.webSocketURL],
        options: [.agent, .unixSocket, .deflate, .messageLimit] + TLSOptions.clientOptions
            + NetworkOptions.connectingOptions,
        example: "wire websocket cases ws://127.0.0.1:9001 --agent wire --deflate",
        run: { arguments, console throws(CommandError) in
            guard let agent = arguments[.agent] else { throw .usage("\(Option.agent.name) is missing") }
            let url = try WebSocketOptions.url(arguments)
            guard url.query == nil else { throw .usage("the address of a test server has no query; \(url) has") }
            let configuration = try WebSocketOptions.client(arguments, url)
            let cases = TestCases(url: url, agent: agent, configuration: configuration, console: console)
            try await cases.run()
        })
}

extension Option {
    fileprivate static let agent = Option("--agent", value: "NAME", "the client's name in the server's reports")
}
