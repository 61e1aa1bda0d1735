// SPDX-License-Identifier: Apache-2.0

public import WirelineErlang
public import WirelineTransport

/// How a node finds others and is found, and what it may cost.
public struct ErlangNodeConfiguration: Sendable {
    /// The program that knows the ports of a host's nodes.
    public enum PortMapper: Hashable, Sendable {
        /// epmd, which Erlang starts on each host. Ours must run at this address; that of another host is asked at the
        /// same port.
        case epmd(host: String, port: UInt16)
        /// None. ``ErlangNodeConfiguration/nodePorts`` says where nodes are, and other nodes must be told our port.
        case none
    }

    /// Who knows the ports of nodes (default: epmd at `127.0.0.1:4369`).
    public var portMapper = PortMapper.epmd(host: "127.0.0.1", port: 4_369)
    /// The ports of nodes that are not asked for. Their hosts are those of their names.
    public var nodePorts: [ErlangNodeName: UInt16] = [:]
    /// Whether epmd is told of us, so that nodes can connect to us (default). If not, only we connect, and our name is not
    /// taken from others: for tools that ask something and leave.
    public var isRegistered = true
    /// Where nodes connect to us; nil (default): at the host in our name, which is never all addresses by itself.
    public var listeningHost: String?
    /// The port where nodes connect to us; 0 lets the system choose one (default).
    public var listeningPort: UInt16 = 0
    /// The cluster's `net_ticktime` (default 60 s): a node that is silent for so long is lost. All nodes need the same.
    public var tickTime = Duration.seconds(60)
    /// How long it may take to reach a node, from its name to the end of the handshake (default 10 s).
    public var connectTimeout = Duration.seconds(10)
    /// What nodes and the program itself may cost.
    public var limits = ErlangNodeLimits()
    /// Finds the addresses of hosts (default: the system).
    public var resolver: any HostResolver = SystemResolver()
    /// Receives what no call returns, and what an operator may want to know; nil (default): it is dropped. It is called
    /// on the node's loop, and must not block.
    public var noteHandler: (@Sendable (ErlangNodeNote) -> Void)?

    /// The defaults.
    public init() {}

    /// What the core takes.
    var settings: NodeSettings {
        var settings = NodeSettings()
        settings.tickTime = max(tickTime, .seconds(1))
        settings.connectTimeout = max(connectTimeout, .milliseconds(1))
        settings.limits = limits
        return settings
    }
}

/// What happened to a node, and no call returns.
public enum ErlangNodeNote: Equatable, Sendable {
    /// A node's new connection has replaced its old one: it has started again, or there are two of its name.
    case replaced(ErlangNodeName)
    /// The node has a connection with another node of our name. Both replace each other's connection, so we connect to the
    /// node again later and later.
    case otherOfOurName(at: ErlangNodeName)
    /// An accepted connection from this address was refused; the name is what it said, and is not proved.
    case refused(ErlangNodeName?, from: String, ErlangError)
    /// An accepted connection from this address was closed, because `ErlangNodeLimits.handshakeCount` others had not proved
    /// the cookie.
    case crowded(from: String, limit: Int)
    /// A message of a node was dropped, because it breaks our limits or is no term.
    case droppedMessage(ErlangNodeName, ErlangError)
    /// epmd has ended. It is tried again every two seconds. Until then, other nodes do not find us.
    case epmdLost
    /// epmd knows us again.
    case epmdFound
    /// epmd has come back, and another node has registered our name there. We try again every two seconds. Until then, other
    /// nodes find that one.
    case epmdNameTaken(String)
    /// The system could not accept a connection.
    case acceptFailed(TransportError)
}
