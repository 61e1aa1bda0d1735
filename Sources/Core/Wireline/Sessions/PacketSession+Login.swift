// SPDX-License-Identifier: Apache-2.0

extension PacketSession {
    /// A session's connection before the session sends any message on it.
    ///
    ///     login: { login in
    ///         let reply = try await login.client.request(Login(token: token))
    ///         guard reply.result == .ok else { throw SessionLoginRefused("result \(reply.result)") }
    ///     }
    ///
    /// It is valid until the hook returns. Messages that arrive meanwhile and are not replies go to the session's
    /// messages, unless the hook takes them itself.
    public struct Login: Sendable {
        /// The connection.
        public let client: PacketClient<Definition>
        /// The number of this connection or attempt in the session; the first is 1.
        public let number: Int
        /// A random number, the same for all connections of a session.
        ///
        /// Sequence numbers start again in every session. A server that drops repeated messages
        /// (`DeliveryPolicy.exactlyOnce`) stores the messages that it has seen by this number, or by another one that
        /// is new in every session.
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

        /// Records which of the session's messages the server acknowledges at login; they are not sent again.
        public func acknowledge(_ acknowledgement: DeliveryAcknowledgement) {
            if !acknowledgement.isReply { acknowledge(acknowledgement) }
        }
    }
}

/// The error a login hook throws if the server refused the login and would refuse again: the session ends
/// with `DisconnectCause.loginRefused`, which has the text.
public struct SessionLoginRefused: Error, Equatable, CustomStringConvertible {
    /// The server's reason in one line; control characters, and others that must not reach a terminal, are escaped.
    public let description: String

    /// Makes an error.
    public init(_ description: String = "the server has refused the login") {
        self.description = description.escaped()
    }
}
