// SPDX-License-Identifier: Apache-2.0

public import Wireline
public import WirelineCodec

/// Decides about a client's message before its owner gets it.
///
/// ```swift
/// configuration.edge = { packet, client in
///     if packet.id == Ping.messageID { return .handled }
///     guard !client.isOpen, let login = try? Login(payloadOf: packet) else { return .pass }
///     return isValid(login.token) ? .pass : .refuse
/// }
/// ```
///
/// It is called on the loop of the client's connection, for one message after the other, and must not block. It may write to
/// the connection. A message that does not match the schema never comes to it.
public typealias GatewayEdge = @Sendable (_ packet: borrowing Packet, _ client: EdgeClient) -> EdgeDecision

/// A client whose message the edge sees.
public struct EdgeClient: Sendable {
    /// Its connection.
    public let connection: PacketConnection
    /// Whether a message of it was passed before, so that the cluster knows it.
    public let isOpen: Bool
}

/// The edge's decision about a message.
public enum EdgeDecision: Sendable {
    /// The client's owner gets it. The first one opens the client: a backend is asked to own it.
    case pass
    /// The program has handled the message. No owner gets it.
    case handled
    /// No owner gets the message. The connection closes after the output before it. If the client is open, it ends with
    /// the
    /// reason `{shutdown, refused}`.
    case refuse
}
