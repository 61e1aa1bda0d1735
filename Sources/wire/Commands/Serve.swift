// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineSchema
import WirelineTLS
import WirelineTransport

extension Command {
    /// `wire serve`
    static let serve = Command(
        name: "serve",
        summary: "take connections and answer what comes, until Ctrl-C",
        parameters: [.servedEndpoint],
        options: [.protocolFolder, .echo, .script, .check, .threads, .benchmark, .verbose, .webSocket]
            + TLSOptions.serverOptions,
        example: "wire serve 127.0.0.1:9001 --echo --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            try requireSense(arguments)
            if arguments.has(.check) { return try check(arguments, console) }
            let endpoint = try Endpoint(arguments.word(at: 0) ?? "")
            let tls = try TLSOptions.server(arguments)
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            let script = try arguments[.script].map { file throws(CommandError) in
                try ScriptFile(file).read(description, console)
            }
            // Each loop needs some.
            DescriptorLimit.raise()
            let group = try ServerLoops.start(arguments)
            let log = ConnectionLog(console)
            let server = try await listen(
                at: endpoint, tls, description, on: group, arguments, log,
                handler: script.map { $0.makeHandler(log) }
                    ?? .batches(arguments.has(.benchmark) ? Echo.makeBenchmarkHandler : Echo.makeHandler))
            let end = Signals.takeOver()
            try console.print("listening on \(server.address)")
            try console.flush()
            for await _ in end {}
            await drain(server, on: group.nextLoop(), log)
            await log.finish()
        })

    /// For how long connections may go on once the server has been asked to end.
    private static let drainTime = Duration.seconds(10)
    /// After which time they are told of: most end at once.
    private static let quietDrainTime = Duration.milliseconds(500)

    /// Refuses options that have no meaning together.
    private static func requireSense(_ arguments: Arguments) throws(CommandError) {
        guard arguments.has(.echo) || arguments.has(.script) else {
            throw .usage("\(Option.echo.name) or \(Option.script.name) is missing")
        }
        guard !arguments.has(.echo) || !arguments.has(.script) else {
            throw .usage(
                "\(Option.echo.name) and \(Option.script.name) exclude each other",
                hint: "a script that returns what no other rule takes ends with `on any { echo; }`")
        }
        guard arguments.has(.echo) || !arguments.has(.benchmark) else {
            throw .usage("\(Option.benchmark.name) goes with \(Option.echo.name)")
        }
        guard arguments.has(.script) || !arguments.has(.check) else {
            throw .usage("\(Option.check.name) goes with \(Option.script.name)")
        }
        guard arguments.word(at: 0) != nil || arguments.has(.check) else {
            throw .usage("\(Parameter.servedEndpoint.name) is missing")
        }
    }

    /// Reads the script and says what is in it.
    private static func check(_ arguments: Arguments, _ console: Console) throws(CommandError) {
        let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
        let file = ScriptFile(arguments[.script] ?? "")
        let count = try file.read(description, console).script.rules.count
        try console.print(TextStyle.harmless("\(file.path): \(count) \(count == 1 ? "rule" : "rules"), no problems"))
    }

    private static func listen(
        at endpoint: Endpoint, _ tls: TLSContext?, _ description: ProtocolDescription, on group: EventLoopGroup,
        _ arguments: Arguments, _ log: ConnectionLog, handler: PacketHandler
    ) async throws(CommandError) -> PacketListener {
        // Who tries things out by hand may be slow; a connection that waits costs next to nothing.
        var configuration = ServerConfiguration(firstPacketTimeout: nil, minimumRate: nil, tls: tls)
        try NetworkOptions.apply(arguments, to: &configuration)
        if arguments.has(.verbose) {
            configuration.log = TrafficLog(PacketTranslator(description)) { log.say("\($0)") }
        }
        if arguments.has(.benchmark) { configuration.limits.maximumPacketByteCount = Echo.benchmarkPacketLimit }
        configuration.connectionEnded = { peer, error in log.ended(peer, error) }
        do throws(ConnectionError) {
            return try await PacketListener.start(
                at: endpoint.host, port: endpoint.port, on: group,
                layout: description.layout, packetLimit: description.options.maximumPacketByteCount,
                configuration: configuration, handler: handler)
        } catch {
            throw .failure("cannot listen on \(endpoint): \(error)")
        }
    }

    private static func drain(_ server: PacketListener, on loop: EventLoop, _ log: ConnectionLog) async {
        let timer = await loop.run {
            loop.schedule(at: .now + quietDrainTime) {
                let count = server.connections.count
                log.note(
                    "waiting for \(count) \(count == 1 ? "connection" : "connections") to end; Ctrl-C ends at once")
            }
        }
        await server.shutDown(within: drainTime)
        await loop.run { loop.cancel(timer) }
    }
}

extension Option {
    fileprivate static let echo = Option("--echo", "return each message as it came, unknown ones too")
    fileprivate static let script = Option("--script", value: "FILE", "do what a script says when messages come")
    fileprivate static let check = Option("--check", "read and check the script, and serve nobody")
    fileprivate static let benchmark = Option(
        "--benchmark", "for load generators: packets of up to 16 MiB; ID 0x7001 is counted, 0x7002 asks for the count")
}

extension Parameter {
    /// As ``endpoint``; `--check` needs none.
    fileprivate static let servedEndpoint = Parameter(
        endpoint.name, endpoint.help + "; with --check it may be left out", isOptional: true)
}
