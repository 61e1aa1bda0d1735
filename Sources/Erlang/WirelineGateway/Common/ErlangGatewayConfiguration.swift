// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineErlang
public import WirelineTransport

/// Where a gateway listens, whom it asks, and what clients and nodes may cost.
public struct ErlangGatewayConfiguration: Sendable {
    /// Where clients connect, and how.
    public struct Endpoint: Sendable {
        /// The address, with port 0 for one that the system chooses.
        public var address: ListeningAddress
        /// TLS, WebSockets, proxies, limits and timeouts.
        ///
        /// The gateway closes clients that do not read by its own limit (``ErlangGatewayConfiguration/clientByteCount``):
        /// `ConnectionLimits.pendingByteCount` and `ListeningOptions.connectionLimit` do not apply.
        public var serving: ServerConfiguration

        /// Makes an endpoint.
        public init(_ address: ListeningAddress, serving: ServerConfiguration = ServerConfiguration()) {
            self.address = address
            self.serving = serving
        }
    }

    /// Who is asked to own clients.
    public enum Backends: Equatable, Sendable {
        /// The members of a group of OTP's `pg`, on the nodes of ``ErlangGatewayConfiguration/nodes`` and
        /// ``ErlangGatewayConfiguration/otherNodes``.
        case group(ErlangTerm, scope: ErlangAtom = "pg")
        /// Registered names, each with its nodes.
        case names([ErlangAtom: [ErlangNodeName]])
    }

    /// Where clients connect.
    public var endpoints: [Endpoint]
    /// Who is asked to own clients.
    public var backends: Backends
    /// The nodes to which the gateway stays connected. With names, their nodes are among them.
    public var nodes: [ErlangNodeName]
    /// Other nodes whose members of the group are asked, too, when these nodes connect to the gateway (default: none).
    public var otherNodes: [ErlangNodePattern] = []
    /// How nodes are found, and what they may cost. Above 64 MiB that wait for a node (default), it is disconnected.
    public var node: ErlangNodeConfiguration

    // MARK: Owners

    /// The most messages of a client that its owner has and has not confirmed; 0: nothing is confirmed (default).
    public var window = 0
    /// How long a backend may take to accept a client (default 5 s). Then others are asked, too.
    public var acceptTime = Duration.seconds(5)
    /// How long a client may be without an owner (default 60 s). Then it is closed.
    public var parkTime = Duration.seconds(60)

    // MARK: Clients, of all endpoints together

    /// The most clients (default 100,000). Further ones are closed before anything is read.
    public var clientLimit = 100_000
    /// The most clients of one address, or of one 64-bit network of IPv6; nil: no limit (default).
    public var clientLimitPerAddress: Int?
    /// How fast clients of one address may connect; nil: no limit (default). Others are closed before anything is read.
    public var connectionRatePerAddress: MaximumRate?
    /// How fast a client may send messages; nil: no limit (default). A faster one is read later; nothing is lost.
    public var messageRate: MaximumRate?
    /// How fast the clients of one address may send messages together; nil: no limit (default).
    public var messageRatePerAddress: MaximumRate?
    /// The most bytes that wait for a client (default 256 KiB). Above it, the client is closed with `slow`.
    public var clientByteCount = 256 << 10
    /// The most bytes that are kept for all clients together: output, messages, states and groups (default 1 GiB). Above
    /// it, the clients for which most is kept are closed with `slow`.
    public var heldByteCount = 1 << 30
    /// Looks at each message of a client before its owner does; nil: owners get all (default).
    ///
    /// With it, no process of the cluster knows a client before a message of it was passed. So a wrong token never comes to
    /// a backend. Until then, the client is limited by `ServerConfiguration.firstPacketTimeout` and `idleTimeout`.
    public var edge: GatewayEdge?
    /// The message that tells clients to go elsewhere when the gateway drains, as a backend would send it; nil: none
    /// (default). A generated message has it as `erlangTerm`.
    public var goodbye: ErlangTerm?

    // MARK: The gateway

    /// Whether another gateway may listen at the same addresses (`SO_REUSEPORT`, default false).
    ///
    /// As soon as a gateway has started, it gets all new connections (on Linux). So the one before it can be drained
    /// without losing any.
    public var sharesPorts = false
    /// The version of the program, for the call `info` and the metrics.
    public var version = ""
    /// Receives what an operator may want to know; nil (default): it is dropped. It is called on the node's loop, and must
    /// not block.
    public var eventHandler: (@Sendable (ErlangGatewayEvent) -> Void)?

    /// Makes a configuration; values left out have their defaults.
    public init(endpoints: [Endpoint], backends: Backends, nodes: [ErlangNodeName] = []) {
        self.endpoints = endpoints
        self.backends = backends
        self.nodes = nodes
        node = ErlangNodeConfiguration()
        node.limits.pendingByteCount = 64 << 20
    }
}

extension ErlangGatewayConfiguration {
    /// The core's settings.
    ///
    /// - Throws: ``ErlangGatewayError/goodbye(_:)``.
    func settings(_ schema: GatewayProtocol) throws(ErlangGatewayError) -> GatewaySettings {
        var settings = GatewaySettings()
        if case .names(let names) = backends { settings.backends = .names(names) }
        settings.nodes = allNodes
        settings.window = max(0, window)
        settings.acceptTime = max(.milliseconds(1), acceptTime)
        settings.parkTime = max(.zero, parkTime)
        settings.clientByteCount = max(0, clientByteCount)
        settings.heldByteCount = max(0, heldByteCount)
        if let goodbye { settings.goodbye = try schema.packet(of: goodbye) }
        settings.terms = node.limits.terms
        settings.protocolName = schema.name
        settings.version = version
        settings.seed = .random(in: .min ... .max)
        return settings
    }

    /// The nodes to which the gateway stays connected, with those of named backends.
    var allNodes: [ErlangNodeName] {
        var all = Set(nodes)
        if case .names(let names) = backends { all.formUnion(names.values.joined()) }
        return all.sorted()
    }

    /// The configuration of the node. Each client and the gateway itself are processes of it.
    var nodeConfiguration: ErlangNodeConfiguration {
        var configuration = node
        configuration.limits.processCount = max(configuration.limits.processCount, clientLimit + 64)
        // One process monitors all owners, which may be one for each client, and the members besides.
        configuration.limits.monitorCount += clientLimit
        return configuration
    }

    /// The limits that all endpoints share.
    var gate: ConnectionGate {
        var options = ListeningOptions()
        options.connectionLimitPerAddress = clientLimitPerAddress
        options.connectionRatePerAddress = connectionRatePerAddress
        return ConnectionGate(options, limit: max(0, clientLimit))
    }

    /// The configuration of an endpoint's connections. The gateway has its own limits for output and connections.
    func serving(at endpoint: Endpoint) -> ServerConfiguration {
        var serving = endpoint.serving
        serving.listening.connectionLimit = .max
        serving.listening.sharesPorts = sharesPorts
        serving.limits.pendingByteCount = .max
        return serving
    }
}
