// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// What the gateway wants done. Effects are to be carried out in order: `close` is said before a client's process ends,
/// and what a process says to several clients keeps its order.
package enum GatewayEffect: Equatable, Sendable {
    // MARK: To processes

    /// A message to a process or a registered name, in the name of a process of ours.
    case tell(ErlangDestination, GatewayTerm, from: ErlangPID)
    /// The answer to a call of a process of ours.
    case reply(ErlangCall, ErlangTerm, from: ErlangPID)
    /// The gateway's process monitors a process or a registered name. Its end goes to ``GatewayCore/down(_:at:)``.
    case monitor(ErlangDestination)
    case demonitor(ErlangDestination)
    /// A client's process ends: those that monitor it or are linked to it are told.
    case end(ErlangPID, reason: ErlangTerm)

    // MARK: To clients

    /// A packet to a client.
    case write(ClientNumber, ClientPacket)
    /// The same packet to several clients.
    case writeAll([ClientNumber], ClientPacket)
    /// A change to the packets that follow in both directions.
    case change(ClientNumber, ConnectionChange)
    /// Whether a client is to be read.
    case read(ClientNumber, Bool)
    /// The connection of a client is to be closed. If `isFlushed`, what was written leaves before, 5 s at most.
    /// ``GatewayCore/connectionEnded(_:at:)`` follows.
    case close(ClientNumber, ClientEnd, isFlushed: Bool)

    // MARK: To nodes

    /// A node is to be connected to. ``GatewayCore/nodeUp(_:at:)`` or ``GatewayCore/nodeDown(_:at:)`` follows.
    case connect(ErlangNodeName)
    /// A node is to be asked for a sign of life: the call `is_auth` to its `net_kernel`. The answer goes to
    /// ``GatewayCore/answered(_:at:)``.
    case ping(ErlangNodeName)

    // MARK: The end

    /// The gateway drains: it leaves `wireline_gateways`, and the listeners close when nobody waits to be accepted.
    case draining(Duration)
    /// The drain is over. If clients are left, their connections have not ended in time.
    case drained
}
