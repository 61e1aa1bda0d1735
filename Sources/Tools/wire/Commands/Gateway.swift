// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineErlang
import WirelineGateway
import WirelineSchema
import WirelineTransport

extension Command {
    static let gateway: Command = Command(
        name: "gateway",
        summary: "hold clients as processes of an Erlang cluster, whose backends own them, until SIGTERM or Ctrl-C",
        parameters: [
            Parameter(
                "@FILE", "a file with options: one a line, with # before comments", isOptional: true, isRepeated: true)
        ],
        options: GatewayOptions.all,
        example: "wire gateway --protocol Protocols/Scene --name gw1@127.0.0.1 --listen tcp://127.0.0.1:9001 "
            + "--group scene --node game1@127.0.0.1",
        run: { arguments, console throws(CommandError) in
            let arguments = try ArgumentFile.expand(arguments, of: gateway)
            let options = try GatewayOptions(arguments, console)
            // Each client uses a descriptor.
            DescriptorLimit.raise()
            let group = try ServerLoops.start(options.loopCount)
            let log = try ConnectionLog(console, arguments)
            try options.tls?.reloadOnHangUp(log)
            // If the signal arrives while the gateway starts, the gateway drains as soon as it has started.
            let signal = Signals.takeOverFailingAtSecond()
            let gateway = try await start(options, on: group, log)
            let operations = try await GatewayRun.listen(options.metrics, gateway)
            let run = GatewayRun(
                gateway: gateway, operations: operations, urls: options.urls, drainTime: options.drainTime, log: log)
            try await run.untilDrained(after: signal, console)
        })

    private static func start(
        _ options: GatewayOptions, on group: EventLoopGroup, _ log: ConnectionLog
    ) async throws(CommandError) -> ErlangGateway {
        var configuration = options.configuration
        // Clients can cause many events. Those have a limited rate, so that the loss of a node is still visible.
        configuration.eventHandler = { $0.isLimited ? log.note("\($0)") : log.say("note: \($0)") }
        for index in configuration.endpoints.indices {
            configuration.endpoints[index].serving.log = options.trafficLog(log)
            configuration.endpoints[index].serving.listening.acceptFailed = { log.acceptFailed($0) }
        }
        do throws(ErlangGatewayError) {
            return try await ErlangGateway.start(
                options.name, cookie: .file(options.cookieFile), protocol: options.schema, on: group,
                configuration: configuration)
        } catch .ownNode(let name) {
            throw .usage("\(ErlangGatewayError.ownNode(name))")
        } catch {
            throw .failure("\(error)")
        }
    }
}
