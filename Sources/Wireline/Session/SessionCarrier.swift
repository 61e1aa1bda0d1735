// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTransport

/// What a session's connections carry, packets or a WebSocket's messages: how they are made, and what is written and
/// understood there. Whoever drives the session knows of connections and time, and of nothing that is said on them.
///
/// Everything but its making is for the session's loop alone.
protocol SessionCarrier: AnyObject, Sendable {
    /// What keeps a connection.
    associatedtype Owner: SessionConnectionOwner
    /// A message that waits to be sent.
    associatedtype Payload: Sendable

    typealias Connection = Owner.Connection
    typealias Element = Owner.Connection.Element
    typealias Driver = SessionDriver<Self>
    typealias Link = SessionLink<Owner>
    typealias Login = @concurrent @Sendable () async throws -> Void

    /// How the session decides.
    var configuration: SessionConfiguration { get }
    /// How many bytes of what has arrived may wait until somebody iterates.
    var unreadByteCount: Int { get }
    /// Whether the oldest of it makes room.
    var dropsOldestUnread: Bool { get }

    /// Makes a connection to the endpoint at a place in the list.
    ///
    /// - Throws: ``ConnectionError``; what a hook of the program's throws.
    func connect(to endpoint: Int, on loop: EventLoop) async throws -> Owner

    /// Has the endpoints' hosts looked up anew when a connection is next made.
    func expireAddresses()

    /// What logs in on a connection; nil: there is no login.
    func login(on link: Link, of driver: Driver) -> Login?

    /// Deals with what has arrived during the login and its hook has left.
    ///
    /// - Returns: What the server has said when it ended the connection, if it did.
    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice?

    /// Deals with what has arrived.
    func take(_ element: Element, from link: Link, for driver: Driver)

    /// What the end of a connection means, or that of the attempt to make it: an error, or nil for an end that both sides
    /// know of.
    func cause(of error: ConnectionError?, on connection: Connection?) -> DisconnectCause

    /// Ends a connection that the session does without; what was written still leaves where this side has ended the session.
    func letGo(_ connection: Connection, for cause: DisconnectCause)

    /// Writes a message to a connection. Where that has ended, whoever reads from it tells of that, behind what has
    /// arrived whole.
    ///
    /// - Throws: What makes the message none.
    func write(_ message: GivenMessage<Payload>, to connection: Connection) throws(CodecError)

    /// Writes a heartbeat.
    func writeHeartbeat(sequence: UInt64?, to connection: Connection) throws(CodecError)

    /// Tells who has sent a message how it has ended.
    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome)

    /// What is being taken belongs to a message that was given up.
    func ignoreReply()
}

extension SessionCarrier {
    /// What the session is told of how long an attempt to connect may take: five seconds more than it may.
    ///
    /// An attempt knows what it has waited for. So its own deadline comes first, ends it with the error that says most, and
    /// the timeline tells of that; the session's is a safety net. Both are over at once only where the loop has stood still
    /// for these five seconds.
    static func safeTimeout(over timeout: Duration) -> Duration { timeout + .seconds(5) }
}

/// For those whose messages have no replies, and whose connections send heartbeats of their own, for which the session
/// does not ask.
extension SessionCarrier {
    func writeHeartbeat(sequence: UInt64?, to connection: Connection) throws(CodecError) {}

    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome) { ticket.complete(outcome) }

    func ignoreReply() {}
}

/// Ends a connection when nobody holds it any more.
protocol SessionConnectionOwner: AnyObject, Sendable {
    associatedtype Connection: SessionConnection

    var connection: Connection { get }
}

/// A connection as a session uses it; for the loop's own thread.
protocol SessionConnection: AnyObject, Sendable {
    associatedtype Element: SessionElement

    var stream: ByteStream { get }
    /// When bytes have last arrived.
    var lastArrival: MonotonicTime { get }
    /// Whether what is given to it may still reach the peer.
    var takesMessages: Bool { get }
    /// How many bytes wait in it to be sent.
    var waitingByteCount: Int { get }
    /// What has passed through it, and what waits in it; also when it has ended.
    var currentCounters: ConnectionCounters { get }
    /// Why nothing can be sent.
    var sendError: ConnectionError { get }

    /// What comes next; nil at an end that both sides know of.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Element?

    /// Whether less waits than may.
    func hasRoomForSender() -> Bool

    /// Calls a closure once, when less waits than may, or the connection has ended.
    func whenThereIsRoom(_ action: @escaping () -> Void)

    /// Calls a closure once, when nothing that is given to it reaches the peer any more, where that is known before
    /// somebody sends.
    func whenItTakesNoMore(_ action: @escaping () -> Void)

    /// Ends it at once.
    func close()
}

/// Something that arrives.
protocol SessionElement: Sendable {
    var byteCount: Int { get }

    /// The same in memory of its own, for when it is kept among many.
    func copied(for loop: EventLoop) -> Self
}
