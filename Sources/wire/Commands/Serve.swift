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
        parameters: [.endpoint],
        options: [.protocolFolder, .echo, .threads, .benchmark, .verbose, .webSocket] + TLSOptions.serverOptions,
        example: "wire serve 127.0.0.1:9001 --echo --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            guard arguments.has(.echo) else { throw .usage("--echo is missing") }
            let endpoint = try Endpoint(arguments.word(at: 0) ?? "")
            let threadCount = try threadCount(arguments[.threads])
            let tls = try TLSOptions.server(arguments)
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            DescriptorLimit.raise()
            let log = ConnectionLog(console)
            let group = try startLoops(threadCount)
            let server = try await listen(
                at: endpoint, tls, description, on: group, arguments, log)
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

    private static func startLoops(_ threadCount: Int) throws(CommandError) -> EventLoopGroup {
        do throws(TransportError) {
            return try EventLoopGroup(threadCount: threadCount)
        } catch {
            throw .failure("cannot start \(threadCount) event loops: \(error)")
        }
    }

    private static func listen(
        at endpoint: Endpoint, _ tls: TLSContext?, _ description: ProtocolDescription, on group: EventLoopGroup,
        _ arguments: Arguments, _ log: ConnectionLog
    ) async throws(CommandError) -> PacketListener {
        // Who tries things out by hand may be slow; a connection that waits costs next to nothing.
        var configuration = ServerConfiguration(firstPacketTimeout: nil, minimumRate: nil, tls: tls)
        try NetworkOptions.apply(arguments, to: &configuration)
        let isBenchmark = arguments.has(.benchmark)
        if arguments.has(.verbose) {
            configuration.log = TrafficLog(PacketTranslator(description)) { log.say("\($0)") }
        }
        if isBenchmark { configuration.limits.maximumPacketByteCount = Echo.benchmarkPacketLimit }
        configuration.connectionEnded = { peer, error in log.ended(peer, error) }
        do throws(ConnectionError) {
            return try await PacketListener.start(
                at: endpoint.host, port: endpoint.port, on: group,
                layout: description.layout, packetLimit: description.options.maximumPacketByteCount,
                configuration: configuration,
                handler: .batches(isBenchmark ? Echo.makeBenchmarkHandler : Echo.makeHandler))
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

    private static func threadCount(_ text: String?) throws(CommandError) -> Int {
        guard let text else { return 1 }
        // More than any machine has processors; each has a descriptor and a thread of its own.
        guard let count = Int(text), (1...1_024).contains(count) else {
            throw .failure("\(Option.threads.name) is a number from 1 to 1024; `\(text)` is not")
        }
        return count
    }
}

extension Option {
    fileprivate static let echo = Option("--echo", "return each message as it came, unknown ones too")
    fileprivate static let threads = Option(
        "--threads", value: "N", "event loops, each on a thread of its own (default 1)")
    fileprivate static let benchmark = Option(
        "--benchmark", "for load generators: packets of up to 16 MiB; ID 0x7001 is counted, 0x7002 asks for the count")
}
