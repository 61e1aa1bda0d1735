// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSession

/// A connection of a session's before any message of the session's is sent on it.
///
///     login: { login in
///         let reply = try await login.client.request(Login(token: token))
///         guard reply.result == .ok else { throw SessionLoginRefused("result \(reply.result)") }
///     }
///
/// It is good until the hook returns. What arrives meanwhile, and is no reply to a request, reaches whoever iterates
/// over the session's messages, unless the hook has iterated itself.
public struct SessionLogin<Definition: PacketProtocol>: Sendable {
    /// The connection.
    public let client: PacketClient<Definition>
    /// Which of the session's connections and attempts to make one it is; the first is 1.
    public let number: Int
    /// A random number, the same for all connections of a session. Sequence numbers begin anew with every session: a server
    /// that is to drop what it has had (`DeliveryPolicy.exactlyOnce`) keeps what it has seen by this number, or by
    /// another that is new with every session.
    public let sessionID: UInt64
    private let acknowledge: @Sendable (DeliveryAcknowledgement) -> Void

    init(
        _ client: PacketClient<Definition>, number: Int, sessionID: UInt64,
        acknowledge: @escaping @Sendable (DeliveryAcknowledgement) -> Void
    ) {
        self.client = client
        self.number = number
        self.sessionID = sessionID
        self.acknowledge = acknowledge
    }

    /// Takes note of what a server says at login of the session's messages: those are not sent again.
    public func acknowledge(_ acknowledgement: DeliveryAcknowledgement) {
        if !acknowledgement.isReply { acknowledge(acknowledgement) }
    }
}

/// A login hook throws it where the server has said no, and would do so again: the session ends.
public struct SessionLoginRefused: Error, Equatable, CustomStringConvertible {
    /// What the server has said.
    public let description: String

    /// Makes an error.
    public init(_ description: String = "the server has refused the login") {
        self.description = description
    }
}
