// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

extension Command {
    static let call = Command(
        name: "call",
        summary: "send messages to a server on one connection, and print the replies as decode does",
        parameters: [.endpoint, .messages],
        options: [.protocolFolder, .header, .state, .key, .expect, .noReply, .listen, .timeout, .verbose]
            + TLSOptions.clientOptions
            + NetworkOptions.clientOptions,
        example: #"wire call 127.0.0.1:9001 Cs_20001 '{"SceneId":1,"Line":2,"message":"hi"}' "#
            + "--expect Cs_20001 --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            let endpoint = try HostAndPort(arguments.word(at: 0) ?? "")
            let timeout = try TimeSpan(arguments[.timeout] ?? "5s", of: .timeout)
            let listening = try listening(arguments)
            let tls = try TLSOptions.client(arguments)
            var configuration = ClientConfiguration(
                dialing: DialingOptions(tls: tls?.context, tlsServerName: tls?.serverName))
            try NetworkOptions.apply(arguments, to: &configuration)
            let words = try CallArguments(arguments, listens: listening != .no)
            var translator = PacketTranslator(try ProtocolFolder(arguments[.protocolFolder]).describe(console))
            translator.layers = try arguments.layerSettings(of: translator.description)
            let states = try translator.description.states(arguments)
            if arguments.has(.verbose) {
                // There is only one connection, so the log does not number it.
                configuration.log = TrafficLog(translator) { console.report("\($0.peerAddress): \($0.event)") }
            }
            let isAlone = words.isOneMessage && listening == .no && !arguments.has(.noReply)
            let requests = try requests(words, arguments, translator, isAlone: isAlone)
            let call = ServerCall(
                endpoint: endpoint, timeout: timeout, configuration: configuration, translator: translator,
                listening: listening, isAlone: isAlone, states: states, console: console)
            try await call.run(requests)
        })

    private static func listening(_ arguments: Arguments) throws(CommandError) -> ServerCall.Listening {
        guard let text = arguments[.listen] else { return .no }
        let forever = "forever"
        return text == forever ? .forever : .lasting(try TimeSpan(text, of: .listen, or: forever).duration)
    }

    /// Returns the requests. Those in the arguments are checked here, those from standard input only when they arrive.
    private static func requests(
        _ words: CallArguments, _ arguments: Arguments, _ translator: PacketTranslator, isAlone: Bool
    ) throws(CommandError) -> CallRequests {
        let awaitsReplies = !arguments.has(.noReply)
        let expected = arguments[.expect]
        if expected != nil, !awaitsReplies {
            throw .usage("\(Option.expect.name) and \(Option.noReply.name) do not go together")
        }
        var maker = RequestMaker(
            translator, header: arguments[.header].map { Array($0.utf8) }, awaitsReplies: awaitsReplies)
        guard case .messages(let messages) = words else {
            guard expected == nil else {
                throw .usage("\(Option.expect.name) goes with a MESSAGE, not with lines of standard input")
            }
            try maker.requireHeader()
            var lines = InputLines()
            // Without a message there is nothing to send, so the call does not connect.
            if !arguments.has(.listen), try !lines.waitForFirst() {
                throw arguments.words.count > 1
                    ? .failure("standard input has no message")
                    : .usage("MESSAGE is missing", hint: "standard input has none, either")
            }
            return .lines(lines, maker)
        }
        guard !messages.isEmpty || expected == nil else { throw .usage("\(Option.expect.name) goes with a MESSAGE") }
        for name in messages.map(\.name) + (expected.map { [$0] } ?? []) { try translator.requireMessage(name) }
        var requests: [CallRequest] = []
        for (place, message) in messages.enumerated() {
            let isLast = place == messages.count - 1
            let json = try message.json(isAlone: words.isOneMessage, translator)
            requests.append(
                try maker.request(message.name, json, expecting: isLast ? expected : nil, awaitsAnything: isAlone))
        }
        return .list(requests)
    }
}

extension Parameter {
    fileprivate static let messages = Parameter(
        "MESSAGE [JSON]",
        "a message's name in the schema, or its @name, and the object of its fields or a line that decode printed; "
            + "several are sent one after another, each after the reply to the one before, and all other messages of "
            + "the server are printed too, as they come; one MESSAGE alone without JSON reads it from standard input; "
            + "without MESSAGE, or for -, lines of standard input as decode prints them are sent",
        isOptional: true, isRepeated: true)
}

extension Option {
    fileprivate static let expect = Option(
        "--expect", value: "MESSAGE",
        "the message that answers the last MESSAGE (default: any of those that the schema pairs with it; without a pair, "
            + "one MESSAGE alone waits for the first that arrives, and several do not wait); if another of its replies "
            + "comes, it is printed, and the exit code is 1")
    fileprivate static let noReply = Option("--no-reply", "wait for no replies: send one message after another")
    fileprivate static let listen = Option(
        "--listen", value: "TIME",
        "stay after the last reply, and print what arrives for this long: 500ms, 5s, 2m, or forever; the server or "
            + "Ctrl-C may end it earlier")
    fileprivate static let timeout = Option(
        "--timeout", value: "TIME",
        "the time limit for connecting and the first reply together, and for each further reply: 500ms, 5s, 2m "
            + "(default 5s)")
}
