// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineLayers
import WirelineSchema
import WirelineTLS
import WirelineTransport

extension Command {
    /// The command has the library's limits and timeouts. With `--benchmark` the first packet has no timeout, because a
    /// load generator also measures the cost of idle connections.
    static let serve = Command(
        name: "serve",
        summary: "run a server that echoes messages or follows a script, until Ctrl-C",
        parameters: [.servedEndpoint],
        options: [
            .protocolFolder, .echo, .script, .check, .state, .key, .compressionLevel, .threads, .benchmark, .verbose,
            .webSocket, .allowedHost, .metrics,
        ]
            + LimitOptions.packetServerOptions + TLSOptions.serverOptions,
        example: "wire serve 127.0.0.1:9001 --echo --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            try requireCompatibleOptions(arguments)
            if arguments.has(.check) { return try check(arguments, console) }
            let served = try ServedAddresses(arguments)
            let configuration = try configuration(arguments)
            let loopCount = try ServerLoops.count(arguments)
            let tls = try TLSOptions.server(arguments)
            let metrics = try arguments[.metrics].map { text throws(CommandError) in
                try HostAndPort(text, of: Option.metrics.name, isServed: true)
            }
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            let layers = try arguments.layerSettings(compressingFor: description)
            let script = try arguments[.script].map { file throws(CommandError) in
                try ScriptFile(file).read(description, console)
            }
            let states = try description.states(arguments)
            // Each loop uses descriptors.
            DescriptorLimit.raise()
            let group = try ServerLoops.start(loopCount)
            let log = try ConnectionLog(console, arguments)
            try tls?.reloadOnHangUp(log)
            let server = try await listen(
                at: served, configuration, tls?.context, description, on: group, arguments, log,
                handler: script.map { $0.makeHandler { log.note($0) } }
                    ?? .batches(arguments.has(.benchmark) ? Echo.makeBenchmarkHandler : Echo.makeHandler),
                states: states, keys: layers)
            var operations: OperationsListener?
            if let metrics { operations = try await ServerRun.listen(at: metrics, watching: server, on: group) }
            let run = ServerRun(
                addresses: server.addresses, loop: group.nextLoop(), log: log,
                connectionCount: { server.connections.count }, operations: operations)
            try await run.untilInterrupted(console) { await server.shutDown(within: $0) }
        })

    /// Throws if options contradict each other.
    private static func requireCompatibleOptions(_ arguments: Arguments) throws(CommandError) {
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

    private static func check(_ arguments: Arguments, _ console: Console) throws(CommandError) {
        let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
        let file = ScriptFile(arguments[.script] ?? "")
        let count = try file.read(description, console).ruleCount
        try console.print("\(file.path): \(count) \(count == 1 ? "rule" : "rules"), no problems")
    }

    private static func configuration(_ arguments: Arguments) throws(CommandError) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        if arguments.has(.benchmark) {
            configuration.limits.maximumPacketByteCount = Echo.benchmarkPacketLimit
            configuration.firstPacketTimeout = nil
        }
        try LimitOptions.apply(arguments, to: &configuration)
        try NetworkOptions.apply(arguments, to: &configuration)
        return configuration
    }

    private static func listen(
        at served: ServedAddresses, _ configuration: ServerConfiguration, _ tls: TLSContext?,
        _ description: ProtocolDescription, on group: EventLoopGroup, _ arguments: Arguments, _ log: ConnectionLog,
        handler: PacketHandler, states: PacketStates, keys: LayerSettings
    ) async throws(CommandError) -> PacketListener {
        var configuration = configuration
        configuration.listening.tls = tls
        if arguments.has(.verbose) {
            configuration.log = TrafficLog(PacketTranslator(description)) { log.show($0) }
        }
        configuration.listening.connectionEnded = { peer, error in log.ended(peer, error) }
        configuration.listening.acceptFailed = { error in log.acceptFailed(error) }
        do throws(ConnectionError) {
            return try await PacketListener.start(
                at: served.addresses, on: group,
                layout: description.layout, packetLimit: description.options.maximumPacketByteCount,
                configuration: configuration, handler: handler, states: states, keys: keys)
        } catch {
            throw .failure("cannot listen on \(served): \(error)")
        }
    }
}

extension Option {
    fileprivate static let echo = Option("--echo", "return each message unchanged, also unknown ones")
    fileprivate static let script = Option("--script", value: "FILE", "follow this script when messages arrive")
    fileprivate static let check = Option("--check", "only check the script; take no connections")
    fileprivate static let benchmark = Option(
        "--benchmark",
        "for load generators: packets may have 16 MiB, and the first one has no time limit; packets with ID 0x7001 are "
            + "counted, and ID 0x7002 asks for the count")
}

extension Parameter {
    /// Like ``endpoint``, but optional, because `--check` needs none.
    fileprivate static let servedEndpoint = Parameter(
        endpoint.name, endpoint.help + "; not needed with --check", isOptional: true)
}
