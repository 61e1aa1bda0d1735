// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

/// How a node finds others and is found, and its limits.
public struct ErlangNodeConfiguration: Sendable {
    /// The program that knows the ports of a host's nodes.
    public enum PortMapper: Hashable, Sendable {
        /// epmd, which Erlang starts on each host. Ours must run at this address. On other hosts, the same port is
        /// asked.
        case epmd(host: String, port: UInt16)
        /// None. Set the ports of other nodes in ``ErlangNodeConfiguration/nodePorts``, and tell other nodes our port.
        case none
    }

    /// The source of nodes' ports (default: epmd at `127.0.0.1:4369`).
    public var portMapper = PortMapper.epmd(host: "127.0.0.1", port: 4_369)
    /// The ports of nodes for which no port mapper is asked. Their hosts are those of their names.
    public var nodePorts: [ErlangNodeName: UInt16] = [:]
    /// Whether epmd knows us, so that nodes can connect to us (default). If not, only we connect to nodes, and our name
    /// stays
    /// free for others. This suits tools that ask something and leave.
    public var isRegistered = true
    /// The address at which nodes connect to us; nil (default): the host in our name, which never means all addresses.
    public var listeningHost: String?
    /// The port at which nodes connect to us; 0 (default): the system chooses one.
    public var listeningPort: UInt16 = 0
    /// The cluster's `net_ticktime` (default 60 s): a node that is silent this long is lost. All nodes need the same
    /// value.
    public var tickTime = Duration.seconds(60)
    /// The time to reach a node, from looking up its name to the end of the handshake (default 10 s).
    public var connectTimeout = Duration.seconds(10)
    /// The limits for nodes and for the program itself.
    public var limits = ErlangNodeLimits()
    /// Finds the addresses of hosts (default: the system).
    public var resolver: any HostResolver = SystemResolver()
    /// Receives news for an operator that no call returns; nil (default): they are dropped. It is called on the node's
    /// loop,
    /// and must not block.
    public var noteHandler: (@Sendable (ErlangNodeNote) -> Void)?

    /// The defaults.
    public init() {}

    /// The core's settings.
    var settings: NodeSettings {
        var settings = NodeSettings()
        settings.tickTime = max(tickTime, .seconds(1))
        settings.connectTimeout = max(connectTimeout, .milliseconds(1))
        settings.limits = limits
        return settings
    }
}

/// News of a node that no call returns.
public enum ErlangNodeNote: Equatable, Sendable {
    /// A node's new connection has replaced its old one: it has restarted, or there are two nodes of its name.
    case replaced(ErlangNodeName)
    /// The node has a connection with another node of our name. Each of us replaces the other's connection, so we wait
    /// longer
    /// and longer before we connect again.
    case otherOfOurName(at: ErlangNodeName)
    /// We have refused a connection from this address. The name is the one that it claimed, without proof.
    case refused(ErlangNodeName?, from: String, ErlangError)
    /// We have closed a connection from this address, because `ErlangNodeLimits.handshakeCount` others had not proved
    /// the
    /// cookie.
    case crowded(from: String, limit: Int)
    /// A node's message was dropped, because it breaks our limits or is no term.
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
