// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Work for the driver. It must keep the order: a client's `close` is sent before its process ends, and a process's
/// packets
/// to several clients keep their order.
package enum GatewayEffect: Equatable, Sendable {
    // MARK: To processes

    /// Send a term to a process or a registered name, in the name of a process of ours.
    case tell(ErlangDestination, GatewayTerm, from: ErlangPID)
    /// Reply to a call of a process of ours.
    case reply(ErlangCall, ErlangTerm, from: ErlangPID)
    /// Monitor a process or a registered name for the gateway's process. Report its end to ``GatewayCore/down(_:at:)``.
    case monitor(ErlangDestination)
    case demonitor(ErlangDestination)
    /// End a client's process. Processes that monitor it or are linked to it get the reason.
    case end(ErlangPID, reason: ErlangTerm)

    // MARK: To clients

    /// Write a packet to a client.
    case write(ClientNumber, ClientPacket)
    /// Write the same packet to several clients.
    case writeAll([ClientNumber], ClientPacket)
    /// Change a key or a state for later packets in both directions.
    case change(ClientNumber, ConnectionChange)
    /// Read the client, or stop reading it.
    case read(ClientNumber, Bool)
    /// Close the connection of a client. If `isFlushed`, its output leaves first, within 5 s at most.
    /// ``GatewayCore/connectionEnded(_:at:)`` follows.
    case close(ClientNumber, ClientEnd, isFlushed: Bool)

    // MARK: To nodes

    /// Connect to a node. ``GatewayCore/nodeUp(_:at:)`` or ``GatewayCore/nodeDown(_:at:)`` follows.
    case connect(ErlangNodeName)
    /// Ask a node for a sign of life: the call `is_auth` to its `net_kernel`. Report the answer to
    /// ``GatewayCore/answered(_:at:)``.
    case ping(ErlangNodeName)

    // MARK: The end

    /// The drain begins: leave `wireline_gateways`, and close the listeners when no connection waits to be accepted.
    case draining(Duration)
    /// The drain is over. If clients are left, their connections have not ended in time.
    case drained
}
