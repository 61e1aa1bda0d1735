// SPDX-License-Identifier: Apache-2.0

/// What a sender is promised of a message.
///
/// | promise | without a connection | when the connection ends behind it |
/// |---|---|---|
/// | ``latest(_:)`` | waits, until a newer one takes its place | is given again, unless a newer one has come |
/// | ``whileConnected`` | is refused | is lost |
/// | ``atMostOnce`` | waits | is lost; the error says that it may have arrived |
/// | ``atLeastOnce`` | waits | is given again, until it is confirmed |
/// | ``exactlyOnce`` | waits | is given again with the same sequence number, until it is confirmed |
@nonexhaustive
public enum DeliveryPolicy: Equatable, Sendable {
    /// Of the messages with one key only the newest counts. It takes the place of the one that still waits.
    case latest(LatestKey)
    /// Only for the connection that there is.
    case whileConnected
    /// Given to one connection and to no other.
    case atMostOnce
    /// Kept until it is confirmed, and given to each new connection until then, in order.
    case atLeastOnce
    /// As ``atLeastOnce``, with the same sequence number each time, so that the server can drop what it has had.
    ///
    /// The server remembers, for each login, the last number that it has seen of any message but the login's own and
    /// heartbeats; a number that is not ahead of it by at most half of the largest one has been there before (serial
    /// arithmetic, as RFC 1982, over the numbers from 1 on). A new login of the same client ends its older connection. Numbers
    /// begin at 1 in every session, so a login tells which session it is of, and the server remembers for each.
    case exactlyOnce

    var isKept: Bool {
        switch self {
        case .latest, .atLeastOnce, .exactlyOnce: true
        case .whileConnected, .atMostOnce: false
        }
    }
}

/// What makes one message newer than another: the same message, and the same part of it.
public struct LatestKey: Hashable, Sendable {
    /// The message's ID; 0 where messages have none.
    public let messageID: UInt64
    /// What it is about, where there are several: an entity, a slot.
    public let part: UInt64
    /// What it is about where messages have no IDs; empty where they have.
    public let name: String

    /// Makes a key.
    public init(messageID: UInt64, part: UInt64 = 0) {
        self.messageID = messageID
        self.part = part
        name = ""
    }

    /// Makes a key of messages without IDs.
    public init(name: String) {
        (messageID, part) = (0, 0)
        self.name = name
    }
}

/// What says that a message has arrived.
@nonexhaustive
public enum DeliveryReceipt: Equatable, Sendable {
    /// Nothing: it is done once a connection has taken it.
    case none
    /// The reply: the server's message of this ID, with the sequence number of the message where packets have one.
    /// Without numbers, replies of one ID come in the order of their requests.
    ///
    /// A message that is given up when it is with the connection takes no place any more. For as long as that connection
    /// lasts, its reply is taken for no other one's: of the last 1,024 messages that were given up, and of no more than a
    /// quarter of the numbers; without numbers, of all.
    case reply(id: UInt64)
    /// A message of the protocol's that acknowledges a sequence number, alone or with all before it.
    case acknowledgement
    /// The answer to a heartbeat that was sent later, of a server that deals with what arrives in order.
    case heartbeat
}

/// A message on its way into a session.
public struct OutboundMessage<Payload> {
    /// What is sent.
    public var payload: Payload
    /// How many bytes it is as a packet, for the limits.
    public let byteCount: Int
    /// What the sender is promised.
    public var delivery: DeliveryPolicy
    /// What says that it has arrived.
    public var receipt: DeliveryReceipt
    /// When it is of no use any more; nil: never.
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

/// How much may wait in a session.
public struct OutboundLimits: Equatable, Sendable {
    /// The most bytes of messages that wait for a connection or to be confirmed (default 1 MiB).
    public var byteCount: Int
    /// The most messages that do (default 1,024).
    public var messageCount: Int

    /// Makes limits; what is left out has its default.
    public init(byteCount: Int = 1 << 20, messageCount: Int = 1024) {
        self.byteCount = byteCount
        self.messageCount = messageCount
    }
}

/// What a session holds of what it was given to send. ``OutboundLimits`` limits the first two.
public struct OutboundCounters: Equatable, Sendable {
    /// How many messages there are: those that wait to be given to a connection, those that are not confirmed, and the
    /// last ones of ``DeliveryPolicy/latest(_:)``, until a heartbeat's answer shows that they have arrived.
    public var messageCount = 0
    /// How many bytes they are, as packets.
    public var byteCount = 0
    /// How many of them wait: for a connection, for room in it, for what must be confirmed before them. Those that are to
    /// be given again, because their connection has ended, are among them.
    public var waitingMessageCount = 0
    /// How many bytes those are.
    public var waitingByteCount = 0

    /// Makes counters of nothing.
    public init() {}
}

/// A message of a session: the first has number 1.
public struct MessageNumber: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64
}

/// How a message has ended.
@nonexhaustive
public enum MessageOutcome: Equatable, Sendable {
    /// A connection has taken it, and nothing was to confirm it.
    case given
    /// What was to confirm it has arrived.
    case confirmed
    /// A newer one of its key has taken its place.
    case replaced
    /// It was not delivered, or nobody knows.
    case failed(SessionError)
}

/// What the peer has said of messages.
@nonexhaustive
public enum DeliveryAcknowledgement: Equatable, Sendable {
    /// The message of this sequence number has arrived.
    case sequence(UInt64)
    /// It has, and all that were given before it.
    case cumulative(UInt64)
    /// A message with this ID has arrived; `sequence` is its number, where packets have one.
    case reply(id: UInt64, sequence: UInt64?)
}
