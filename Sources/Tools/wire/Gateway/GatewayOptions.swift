// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlang
import WirelineGateway
import WirelineLayers
import WirelineSchema
import WirelineTransport

struct GatewayOptions {
    let name: String
    let cookieFile: String
    let schema: GatewayProtocol
    let urls: [ListeningURL]
    let tls: ServerTLS?
    let metrics: HostAndPort?
    let drainTime: Duration
    let loopCount: Int
    private(set) var configuration: ErlangGatewayConfiguration
    /// Decodes the clients' messages for the log; nil if they are not logged.
    private let translator: PacketTranslator?

    init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
        name = try Self.required(.name, arguments)
        guard ErlangNodeName(name) != nil else {
            throw .usage("\(Option.name.name) is a node's full name, such as gw1@10.0.0.4; `\(name)` is not")
        }
        cookieFile = arguments[ErlangOptions.cookieFile] ?? "~/.erlang.cookie"
        metrics = try arguments[.gatewayMetrics].map { text throws(CommandError) in
            try HostAndPort(text, of: Option.gatewayMetrics.name, isServed: true)
        }
        drainTime = try GatewayValue.time(arguments, .drain) ?? .seconds(30)
        loopCount = try ServerLoops.count(arguments)
        guard arguments.has(.listen) else { throw .usage("\(Option.listen.name) is missing: where clients connect") }
        var urls: [ListeningURL] = []
        for text in arguments.all(.listen) { urls.append(try ListeningURL(text, of: .listen)) }
        self.urls = urls
        tls = try Self.tls(arguments, urls)
        configuration = ErlangGatewayConfiguration(
            endpoints: try Self.endpoints(urls, tls, arguments), backends: try Self.backends(arguments))
        let description = try ProtocolFolder(arguments[.protocolFolder]).describe(console)
        let states = try description.states(arguments)
        let keys = try arguments.layerSettings(of: description)
        schema = GatewayProtocol(ErlangRecords(description), states: states, keys: keys)
        translator = arguments.has(.verbose) ? PacketTranslator(description) : nil
        configuration.goodbye = try Self.goodbye(arguments, description, states, keys)
        try applyLimits(arguments)
        try applyNode(arguments)
    }

    /// nil if the clients' messages are not logged.
    func trafficLog(_ log: ConnectionLog) -> TrafficLog? { translator.map { TrafficLog($0) { log.show($0) } } }

    private static func required(_ option: Option, _ arguments: Arguments) throws(CommandError) -> String {
        guard let text = arguments[option] else { throw .usage("\(option.name) is missing: \(option.help)") }
        return text
    }

    // MARK: Clients

    private static func tls(_ arguments: Arguments, _ urls: [ListeningURL]) throws(CommandError) -> ServerTLS? {
        let tls = try TLSOptions.server(arguments)
        guard tls != nil || !urls.contains(where: \.isSecure) else {
            throw .usage("tls:// and wss:// need --tls-certificate and --tls-key")
        }
        return tls
    }

    private static func endpoints(
        _ urls: [ListeningURL], _ tls: ServerTLS?, _ arguments: Arguments
    ) throws(CommandError) -> [ErlangGatewayConfiguration.Endpoint] {
        var serving = ServerConfiguration(firstPacketTimeout: .seconds(10))
        if let time = try GatewayValue.time(arguments, .first) {
            serving.firstPacketTimeout = time > .zero ? time : nil
        }
        if let time = try GatewayValue.time(arguments, .idle) {
            serving.listening.idleTimeout = time > .zero ? time : nil
        }
        let origins = arguments.all(.origin)
        return urls.map { url in
            var serving = serving
            url.apply(to: &serving, origins: origins.isEmpty ? .sameOrigin : .sameOriginAnd(origins))
            if url.isSecure { serving.listening.tls = tls?.context }
            return ErlangGatewayConfiguration.Endpoint(url.address, serving: serving)
        }
    }

    /// Encodes `MESSAGE JSON`, and returns the record in the packet.
    private static func goodbye(
        _ arguments: Arguments, _ description: ProtocolDescription, _ states: PacketStates, _ keys: LayerSettings
    ) throws(CommandError) -> ErlangTerm? {
        guard let text = arguments[.goodbye] else { return nil }
        let message = String(text.prefix { !$0.isWhitespace })
        let json = text.dropFirst(message.count).drop(while: \.isWhitespace)
        var translator = PacketTranslator(description)
        translator.layers = keys
        let packet: [UInt8]
        do throws(CommandError) {
            try translator.requireMessage(message)
            _ = try translator.sender(of: message, .server)
            packet = try translator.packet(
                of: message, Array((json.isEmpty ? "{}" : String(json)).utf8), header: nil, from: .server,
                states: states)
        } catch .failure(let text, let hint) {
            throw .usage("\(Option.goodbye.name): \(text)", hint: hint)
        }
        var records = ErlangRecords(description)
        records.layers = keys
        return try record(of: packet, records, PacketContext(from: .server, states: states))
    }

    private static func record(
        of packet: [UInt8], _ records: ErlangRecords, _ context: PacketContext
    ) throws(CommandError) -> ErlangTerm {
        do {
            var writer = ErlangTermWriter()
            writer.writeVersion()
            try records.write(packet, in: context, to: &writer)
            guard case .tuple(let parts) = try ErlangTerm(externalFormat: writer.bytes.rawSpan), parts.count == 2
            else { throw CommandError.usage("\(Option.goodbye.name) is no message") }
            return parts[1]
        } catch {
            throw .usage("\(Option.goodbye.name): \(error)")
        }
    }

    private mutating func applyLimits(_ arguments: Arguments) throws(CommandError) {
        typealias Value = GatewayValue
        if let count = try Value.count(arguments, .window, in: 0...1_000_000) { configuration.window = count }
        if let time = try Value.time(arguments, .accept) { configuration.acceptTime = time }
        if let time = try Value.time(arguments, .park) { configuration.parkTime = time }
        if let count = try Value.count(arguments, .clients) { configuration.clientLimit = count }
        configuration.clientLimitPerAddress = try Value.count(arguments, .clientsAddress)
        configuration.connectionRatePerAddress = try Value.rate(arguments, .connectsAddress)
        configuration.messageRate = try Value.rate(arguments, .rate)
        configuration.messageRatePerAddress = try Value.rate(arguments, .rateAddress)
        if let count = try Value.byteCount(arguments, .clientBuffer) { configuration.clientByteCount = count }
        if let count = try Value.byteCount(arguments, .memory) {
            configuration.heldByteCount = count
            for index in configuration.endpoints.indices {
                configuration.endpoints[index].serving.listening.heldByteLimit = count
            }
        }
        configuration.sharesPorts = arguments.has(.reusePort)
        configuration.version = Tool.version
    }

    // MARK: Nodes

    private static func backends(
        _ arguments: Arguments
    ) throws(CommandError) -> ErlangGatewayConfiguration.Backends {
        let names = arguments.all(.backend)
        guard let group = arguments[.group] else {
            guard !names.isEmpty else {
                throw .usage("\(Option.group.name) or \(Option.backend.name) is missing: who owns clients")
            }
            guard !arguments.has(.scope) else { throw .usage("\(Option.scope.name) goes with \(Option.group.name)") }
            var backends: [ErlangAtom: [ErlangNodeName]] = [:]
            for text in names {
                let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, !parts[1].isEmpty, let node = ErlangNodeName(parts[0]) else {
                    throw .usage("\(Option.backend.name) is NODE/NAME, such as game1@10.0.0.5/scene; `\(text)` is not")
                }
                backends[try atom(parts[1], of: .backend), default: []].append(node)
            }
            return .names(backends)
        }
        guard names.isEmpty else { throw .usage("\(Option.group.name) and \(Option.backend.name) exclude each other") }
        let scope = arguments[.scope] ?? "pg"
        return .group(.atom(try atom(group, of: .group)), scope: try atom(scope, of: .scope))
    }

    /// Returns an atom, or throws if the text is too long for one.
    private static func atom(_ text: String, of option: Option) throws(CommandError) -> ErlangAtom {
        guard 1...ErlangAtom.characterLimit ~= text.unicodeScalars.count else {
            throw .usage("\(option.name) is a name of 1 to \(ErlangAtom.characterLimit) characters; `\(text)` is not")
        }
        return ErlangAtom(text)
    }

    private mutating func applyNode(_ arguments: Arguments) throws(CommandError) {
        for text in arguments.all(.node) {
            guard text != "any", !text.contains("*") else {
                guard !text.contains("=") else { throw Self.nodeFault(text) }
                configuration.otherNodes.append(text == "any" ? .any : ErlangNodePattern(text))
                continue
            }
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let node = ErlangNodeName(parts[0]) else { throw Self.nodeFault(text) }
            configuration.nodes.append(node)
            guard parts.count == 2 else { continue }
            guard let port = UInt16(parts[1]), port > 0 else { throw Self.nodeFault(text) }
            configuration.node.nodePorts[node] = port
        }
        if let text = arguments[.epmd] {
            if text == "none" {
                var nodes = configuration.nodes
                if case .names(let names) = configuration.backends { nodes += names.values.joined().sorted() }
                for node in nodes where configuration.node.nodePorts[node] == nil {
                    throw .usage("without epmd nobody knows the port of \(node): say \(Option.node.name) \(node)=PORT")
                }
                configuration.node.portMapper = .none
            } else {
                let epmd = try Self.networkPlace(text, of: .epmd)
                configuration.node.portMapper = .epmd(host: epmd.host, port: epmd.port)
            }
        }
        if let text = arguments[.dist] {
            let place = try Self.networkPlace(text, of: .dist, isServed: true)
            (configuration.node.listeningHost, configuration.node.listeningPort) = (place.host, place.port)
        }
        if let time = try GatewayValue.time(arguments, .tick) {
            guard time >= .seconds(1) else { throw .usage("\(Option.tick.name) is at least 1s") }
            configuration.node.tickTime = time
        }
        if let count = try GatewayValue.byteCount(arguments, .termLimit) {
            configuration.node.limits.terms.byteCount = count
        }
    }

    /// Returns an IP address and port. Nodes and epmd do not use Unix domain sockets.
    private static func networkPlace(
        _ text: String, of option: Option, isServed: Bool = false
    ) throws(CommandError) -> HostAndPort {
        let place = try HostAndPort(text, of: option.name, isServed: isServed)
        guard place.unixPath == nil else {
            throw .usage("\(option.name) is a host and a port; `\(text)` is a Unix domain socket")
        }
        return place
    }

    private static func nodeFault(_ text: String) -> CommandError {
        .usage(
            "\(Option.node.name) is a node's full name, perhaps with =PORT after it, `any` or a pattern; `\(text)` is not"
        )
    }
}

extension GatewayOptions {
    static let all: [Option] =
        [
            .protocolFolder, .state, .key, .name, ErlangOptions.cookieFile, .listen, .node, .group, .scope, .backend,
            .window, .accept, .park, .drain, .first, .idle, .rate, .rateAddress, .connectsAddress, .clients,
            .clientsAddress, .clientBuffer, .memory, .termLimit, .tick, .epmd, .dist, .goodbye, .reusePort,
            .gatewayMetrics, .threads, .verbose, .origin,
        ] + TLSOptions.serverOptions
}

extension Option {
    fileprivate static let listen = Option(
        "--listen", value: "URL",
        "where clients connect: tcp://HOST:PORT, tls://…, ws://HOST:PORT/PATH, wss://…; with ?proxy=NETWORK,… only "
            + "proxies of these networks may, and each connection begins with a PROXY header; repeat it for more")
    fileprivate static let name = Option("--name", value: "NODE", "the full name of our node, such as gw1@10.0.0.4")
    fileprivate static let node = Option(
        "--node", value: "NODE[=PORT]",
        "stay connected to this node; with its port, epmd is not asked; `any`, or a pattern such as game*@*: the members of "
            + "the group on such nodes own clients, too, when they connect to us; repeat it for more")
    fileprivate static let group = Option(
        "--group", value: "NAME", "backends are the members of this group of pg, on the nodes of --node")
    fileprivate static let scope = Option("--scope", value: "NAME", "the scope of the group (default pg)")
    fileprivate static let backend = Option(
        "--backend", value: "NODE/NAME",
        "backends are registered names, such as game1@10.0.0.5/scene; repeat it for more")
    fileprivate static let window = Option(
        "--window", value: "N",
        "number the messages of a client; at most N are handed over and not confirmed (default 0: no numbers)")
    fileprivate static let accept = Option(
        "--accept", value: "TIME",
        "how long a backend may take to accept a client; then others are asked (default 5s)")
    fileprivate static let park = Option(
        "--park", value: "TIME", "how long a client may be without an owner (default 60s)")
    fileprivate static let drain = Option(
        "--drain", value: "TIME", "how long clients may stay after SIGTERM or Ctrl-C (default 30s)")
    fileprivate static let first = Option(
        "--first", value: "TIME", "the time limit for a client's first whole packet (default 10s; 0s: none)")
    fileprivate static let idle = Option(
        "--idle", value: "TIME", "close clients that send nothing for this long (default 0s: never)")
    fileprivate static let rate = Option(
        "--rate", value: "N/s[:M]",
        "read a client's messages at this rate, M at once (default: as fast as they come): 50/s:100")
    fileprivate static let rateAddress = Option(
        "--rate-address", value: "N/s[:M]", "the same for all clients of one IPv4 address or IPv6 /64 network")
    fileprivate static let connectsAddress = Option(
        "--connects-address", value: "N/s[:M]",
        "the most new connections of one address or network; further ones are closed (default: no limit)")
    fileprivate static let clients = Option(
        "--clients", value: "N", "the most clients; further ones are closed (default 100000)")
    fileprivate static let clientsAddress = Option(
        "--clients-address", value: "N", "the most clients of one address or network (default: no limit)")
    fileprivate static let clientBuffer = Option(
        "--client-buffer", value: "BYTES", "close clients for which more than this waits (default 256KiB)")
    fileprivate static let memory = Option(
        "--memory", value: "BYTES", "how much all clients may hold; then the largest are closed (default 1GiB)")
    fileprivate static let termLimit = Option(
        "--term-limit", value: "BYTES", "skip longer messages of nodes (default 16MiB)")
    fileprivate static let tick = Option("--tick", value: "TIME", "the cluster's net_ticktime (default 60s)")
    fileprivate static let epmd = Option(
        "--epmd", value: "HOST:PORT|none",
        "where epmd runs (default 127.0.0.1:4369), and its port on other hosts; none: --dist and NODE=PORT say where")
    fileprivate static let dist = Option(
        "--dist", value: "HOST:PORT", "where nodes connect to us (default: the host in --name, and any port)")
    fileprivate static let goodbye = Option(
        "--goodbye", value: "MESSAGE",
        "the message and its JSON for clients when the gateway drains: 'Sc_Bye {\"after\":5}'")
    fileprivate static let reusePort = Option(
        "--reuse-port", "let another gateway listen at the same addresses; the newest one gets all new connections")
    fileprivate static let gatewayMetrics = Option(
        "--metrics", value: "HOST:PORT",
        "answer HTTP requests for /metrics (Prometheus), /health (200 as long as we work) and /ready (200, or 503 while "
            + "draining or without a backend)")
    fileprivate static let origin = Option(
        "--origin", value: "ORIGIN",
        "also let pages of this origin connect, such as https://example.com; without it, only those of the same origin "
            + "may; repeat it for more")
}
