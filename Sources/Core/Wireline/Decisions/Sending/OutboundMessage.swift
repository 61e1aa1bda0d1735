// SPDX-License-Identifier: Apache-2.0

/// What the session promises about the delivery of a message.
///
/// | policy | without a connection | when its connection ends |
/// |---|---|---|
/// | ``latest(_:)`` | waits, until a newer one replaces it | with heartbeats: is sent again, unless one was answered since or a newer message has come; without: is lost |
/// | ``whileConnected`` | is refused | is lost |
/// | ``atMostOnce`` | waits | is lost; the error says that it may have arrived |
/// | ``atLeastOnce`` | waits | is sent again, until it is confirmed |
/// | ``exactlyOnce`` | waits | is sent again with the same sequence number, until it is confirmed |
@nonexhaustive
public enum DeliveryPolicy: Equatable, Sendable {
    /// Only the newest message of a key is kept; it replaces an older one that still waits.
    ///
    /// It is kept until the answer to a later heartbeat shows that it has arrived. In a session without heartbeats
    /// nothing shows that. There the message is done once a connection has taken it, and no longer counts against
    /// ``OutboundLimits``. A `WebSocketSession` gives it to each connection instead.
    case latest(LatestKey)
    /// Sent only on the current connection.
    case whileConnected
    /// Sent on one connection only.
    case atMostOnce
    /// Kept until it is confirmed, and sent on each new connection until then, in order.
    case atLeastOnce
    /// As ``atLeastOnce``, with the same sequence number each time, so that the server can drop duplicates.
    ///
    /// For each session, the server remembers the last number it has seen; the login's own and those of heartbeats do
    /// not count. A number is new only if it is ahead of that one by at most half of the largest number. (This is
    /// serial arithmetic as in RFC 1982, over the numbers from 1.) A new login of the same client ends its older
    /// connection. Numbers begin at 1 in every session, so the login must name its session.
    case exactlyOnce

    var isKept: Bool {
        switch self {
        case .latest, .atLeastOnce, .exactlyOnce: true
        case .whileConnected, .atMostOnce: false
        }
    }
}

/// Identifies messages that replace each other: the same message, and the same part of it.
public struct LatestKey: Hashable, Sendable {
    /// The message's ID; 0 if messages have no IDs.
    public let messageID: UInt64
    /// The part that the message is about, if there are several: an entity, a slot.
    public let part: UInt64
    /// The key of messages that have no IDs; empty if they have IDs.
    public let name: String

    /// Makes a key.
    public init(messageID: UInt64, part: UInt64 = 0) {
        self.messageID = messageID
        self.part = part
        name = ""
    }

    /// Makes a key for messages without IDs.
    public init(name: String) {
        (messageID, part) = (0, 0)
        self.name = name
    }
}

/// What confirms that a message has arrived.
@nonexhaustive
public enum DeliveryReceipt: Equatable, Sendable {
    /// Nothing: the message is done once a connection has taken it.
    case none
    /// The reply: the server's message of one of these IDs, with the message's sequence number if packets have one.
    ///
    /// Without numbers, a packet is the reply to the oldest message that waits for its ID: messages that share a reply,
    /// such as a common error, are answered in the order in which they were sent.
    ///
    /// A message that ends early after it was sent (cancelled, expired or replaced) no longer counts against the
    /// limits. While the connection lasts, its late reply is not taken for another message's. With numbers, this holds
    /// for the last 1,024 such messages, and at most a quarter of the numbers. Without numbers, it holds for all. There,
    /// a message fails with ``SessionError/tooManyMessages(limit:)`` if it shares only some of its replies with others,
    /// and the order of more than 1,024 groups of unanswered messages would have to be remembered.
    case reply(anyOf: [UInt64])
    /// A message of the protocol that acknowledges a sequence number, alone or with all before it.
    case acknowledgement
    /// The answer to a later heartbeat, from a server that handles messages in order.
    case heartbeat

    /// The reply: the server's message of this ID. See ``reply(anyOf:)``.
    public static func reply(id: UInt64) -> DeliveryReceipt { .reply(anyOf: [id]) }
}

/// A message to be sent by a session.
package struct OutboundMessage<Payload> {
    /// The content.
    public var payload: Payload
    /// The length of its packet in bytes, for the limits.
    public let byteCount: Int
    /// What the session promises about its delivery.
    public var delivery: DeliveryPolicy
    /// What confirms that it has arrived.
    public var receipt: DeliveryReceipt
    /// When the message expires; nil: never.
    public var expiry: Duration?

    /// Makes a message.
    public init(
        _ payload: Payload, byteCount: Int, delivery: DeliveryPolicy, receipt: DeliveryReceipt = .none,
        expiry: Duration? = nil
    ) {
        precondition(byteCount >= 0, "a packet has no negative length")
        self.payload = payload
        self.byteCount = byteCount
        self.delivery = delivery
        self.receipt = receipt
        self.expiry = expiry
    }
}

extension OutboundMessage: Sendable where Payload: Sendable {}

/// Limits on a session's outbound queue.
public struct OutboundLimits: Equatable, Sendable {
    /// The largest number of bytes in messages that wait for a connection or for confirmation (default 1 MiB).
    public var byteCount: Int
    /// The largest number of such messages (default 1,024).
    public var messageCount: Int

    /// Makes limits; values left out have their default.
    public init(byteCount: Int = 1 << 20, messageCount: Int = 1024) {
        self.byteCount = byteCount
        self.messageCount = messageCount
    }
}

/// The size of a session's outbound queue; ``OutboundLimits`` limits the first two counters.
public struct OutboundCounters: Equatable, Sendable {
    /// The number of messages in the queue: waiting, or given to a connection and not confirmed.
    /// It includes the newest ones of ``DeliveryPolicy/latest(_:)``, until a heartbeat's answer shows that they have
    /// arrived.
    public var messageCount = 0
    /// Their length as packets, in bytes.
    public var byteCount = 0
    /// The number of messages that wait for a connection, for its buffer, or for an earlier confirmation.
    /// It includes those to be sent again because their connection has ended.
    public var waitingMessageCount = 0
    /// The length of the waiting messages as packets, in bytes.
    public var waitingByteCount = 0

    /// Makes counters of zero.
    public init() {}
}

/// The number of a message in its session; the first is 1.
package struct MessageNumber: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64
}

/// The outcome of a message.
@nonexhaustive
public enum MessageOutcome: Equatable, Sendable {
    /// A connection has taken it, and it has no receipt to wait for.
    case given
    /// Its receipt has arrived.
    case confirmed
    /// A newer message of its key has replaced it.
    case replaced
    /// It was not delivered, or delivery is unknown.
    case failed(SessionError)
}

/// A confirmation from the peer.
@nonexhaustive
public enum DeliveryAcknowledgement: Equatable, Sendable {
    /// The message of this sequence number has arrived.
    case sequence(UInt64)
    /// The message of this sequence number and all that were sent before it have arrived.
    case cumulative(UInt64)
    /// A reply with this ID has arrived; `sequence` is its number, if packets have one.
    case reply(id: UInt64, sequence: UInt64?)
    /// A reply with this ID has arrived whose number says that its message failed, and not which message that is: it is
    /// the oldest one that waits for such a reply.
    case failedReply(id: UInt64)
}
