// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineSchema
import WirelineTransport

extension Command {
    static let proxy = Command(
        name: "proxy",
        summary: "forward connections to a server, and show the packets of both sides, until Ctrl-C",
        parameters: [],
        options: [.protocolFolder, .listen, .target, .state, .key, .web, .record, .force] + LimitOptions.proxyOptions
            + TLSOptions.clientOptions,
        example: "wire proxy --listen 127.0.0.1:9002 --to 127.0.0.1:9001 --protocol Protocols/Scene",
        run: { arguments, console throws(CommandError) in
            guard arguments.has(.listen) else { throw .usage("\(Option.listen.name) is missing") }
            let here = try ServedAddresses(arguments.all(.listen).map { ($0, Option.listen.name) }, arguments)
            guard let targetText = arguments[.target] else { throw .usage("\(Option.target.name) is missing") }
            let target = try HostAndPort(targetText, of: Option.target.name)
            // Throws for a wrong port before anything is started.
            _ = try pagePort(arguments)
            let limits = try LimitOptions.relayLimits(arguments)
            let tls = try TLSOptions.client(arguments)
            let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
            let states = try description.states(arguments)
            var translator = PacketTranslator(description)
            translator.layers = try arguments.layerSettings(of: description)
            let descriptorLimit = DescriptorLimit.raise()
            let log = try ConnectionLog(console, arguments)
            let capture = try capture(arguments, log)
            let addresses = try await transport("connect to \(target)") { () async throws(TransportError) in
                try await target.addresses()
            }
            let listener = try await transport("listen on \(here)") { () async throws(TransportError) in
                try await Relay.listener(
                    at: here, on: try EventLoopGroup.sharedUnless(nil), limits, descriptorLimit: descriptorLimit)
            }
            let page = try await page(arguments, description)
            let relay = Relay(
                listener, to: target, addresses, tls: tls, translator, limits, states: states, capture: capture,
                page: page, log)
            let end = Signals.takeOver()
            relay.start()
            for address in relay.addresses { try console.print("listening on \(address)") }
            if let page { try console.print("the traffic is shown at \(page.address)") }
            try console.flush()
            ServiceManager.notify(.ready)
            for await _ in end {}
            ServiceManager.notify(.stopping)
            await relay.close()
            await page?.close()
            await log.finish()
            // The log has already printed the reason.
            if capture?.isComplete == false { throw .answerIsNo }
        })

    private static func transport<Value>(
        _ what: String, _ body: () async throws(TransportError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(TransportError) {
            return try await body()
        } catch {
            throw .failure("cannot \(what): \(error)")
        }
    }

    private static func pagePort(_ arguments: Arguments) throws(CommandError) -> UInt16? {
        guard let text = arguments[.web] else { return nil }
        return UInt16(try WholeNumber.value(of: text, in: 0...UInt64(UInt16.max), of: .web))
    }

    private static func page(
        _ arguments: Arguments, _ description: ProtocolDescription
    ) async throws(CommandError) -> TrafficPage? {
        guard let port = try pagePort(arguments) else { return nil }
        do {
            return try await TrafficPage.start(port: port, showing: description)
        } catch {
            throw .failure("cannot show the traffic at port \(port): \(error)")
        }
    }

    private static func capture(_ arguments: Arguments, _ log: ConnectionLog) throws(CommandError) -> CaptureFile? {
        guard let path = arguments[.record] else {
            if arguments.has(.force) { throw .usage("\(Option.force.name) goes with \(Option.record.usage)") }
            return nil
        }
        do throws(SystemError) {
            return try CaptureFile(path, replacing: arguments.has(.force)) { error in
                log.report("cannot write \(path): \(error.reason); nothing more is recorded")
            }
        } catch {
            let hint = error.isPresent ? "; \(Option.force.name) replaces it" : ""
            throw .failure("cannot write \(path): \(error.reason)\(hint)")
        }
    }
}

extension Option {
    fileprivate static let listen = Option(
        "--listen", value: "HOST:PORT",
        "the address to listen on, or unix:PATH; with port 0 the system chooses a port; systemd: takes the sockets that systemd "
            + "hands over; repeat it for more")
    fileprivate static let target = Option("--to", value: "HOST:PORT", "the server to forward to, or unix:PATH")
    fileprivate static let web = Option(
        "--web", value: "PORT",
        "also show the packets on a page for this machine's browsers, at http://127.0.0.1:PORT/; with port 0 the system "
            + "chooses a port")
    fileprivate static let record = Option(
        "--record", value: "FILE",
        "also write the packets to a new file for Wireshark (pcapng); sensitive values are not hidden there, so only "
            + "you can read the file")
    fileprivate static let force = Option("--force", "let --record replace an existing file")
}
