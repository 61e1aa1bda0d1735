// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

extension Command {
    /// `wire call`
    static let call = Command(
        name: "call",
        summary: "send a message to a server, and print the reply as decode does",
        parameters: [.endpoint, .message, .json],
        options: [.protocolFolder, .header, .expect, .timeout, .verbose] + TLSOptions.clientOptions
            + NetworkOptions.clientOptions,
        example: #"wire call 127.0.0.1:9001 Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' "#
            + "--expect Cs_20001 --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            let endpoint = try HostAndPort(arguments.word(at: 0) ?? "")
            let timeout = try TimeSpan(arguments[.timeout] ?? "5s", of: .timeout)
            let tls = try TLSOptions.client(arguments)
            var configuration = ClientConfiguration(
                dialing: DialingOptions(tls: tls?.context, tlsServerName: tls?.serverName))
            try NetworkOptions.apply(arguments, to: &configuration)
            let translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            if arguments.has(.verbose) {
                // There is one connection, which needs no number.
                configuration.log = TrafficLog(translator) { console.report("\($0.peerAddress): \($0.event)") }
            }
            let message = arguments.word(at: 1) ?? ""
            for name in [message] + (arguments[.expect].map { [$0] } ?? []) { try translator.requireMessage(name) }
            let json = try StandardInput.text(unlessGiven: arguments.word(at: 2))
            let header = arguments[.header].map { Array($0.utf8) }
            let request = try translator.request(message, json, header: header)
            let expectation = Expectation(of: request, message, expecting: arguments[.expect], translator)
            let call = ServerCall(
                endpoint: endpoint, timeout: timeout, configuration: configuration, translator: translator,
                request: request,
                expectation: expectation, console: console)
            try console.print(try await call.run().description)
        })
}

extension Option {
    fileprivate static let expect = Option(
        "--expect", value: "MESSAGE",
        "the reply's message (default: the one that the schema pairs with the request, or the first that arrives)")
    fileprivate static let timeout = Option(
        "--timeout", value: "TIME", "the time limit for connecting and the reply together: 500ms, 5s, 2m (default 5s)")
}

extension PacketTranslator {
    /// Returns a packet as ``packet(of:_:header:)`` does, with sequence number 1 unless the caller has chosen one.
    ///
    /// Messages that are not replies have sequence number 0.
    fileprivate func request(
        _ message: String, _ json: [UInt8], header: [UInt8]?
    ) throws(CommandError) -> [UInt8] {
        let packet = try packet(of: message, json, header: header)
        guard let field = description.layout.sequenceField else { return packet }
        var members: [JSONValue.Member] = []
        if let header, case .object(let set)? = try? JSONValue(parsing: header) { members = set }
        let line = try? JSONValue(parsing: json, maximumDepth: maximumJSONDepth)
        let isChosen = members.contains { $0.name == field.name } || line?["header"]?[field.name] != nil
        guard !isChosen else { return packet }
        let numbered = JSONValue.object(members + [JSONValue.Member(field.name, 1)])
        return try self.packet(of: message, json, header: Array(numbered.description.utf8))
    }
}
