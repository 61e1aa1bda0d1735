// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTransport

/// What a session's connections carry: packets or a WebSocket's messages.
///
/// It makes connections, and writes and interprets what they carry. The session's driver knows connections and time,
/// but no contents. Except for its initializer, only the session's loop uses it.
protocol SessionAdapter: AnyObject, Sendable {
    /// Keeps a connection.
    associatedtype Owner: SessionConnectionOwner
    /// A message that waits to be sent.
    associatedtype Payload: Sendable

    typealias Connection = Owner.Connection
    typealias Element = Owner.Connection.Element
    typealias Driver = SessionDriver<Self>
    typealias Link = SessionConnectionState<Owner>
    typealias Login = @concurrent @Sendable () async throws -> Void

    /// The session's configuration.
    var configuration: SessionConfiguration { get }
    /// How many bytes of input may wait to be taken.
    var unreadByteCount: Int { get }
    /// Whether the oldest input is dropped for new input.
    var dropsOldestUnread: Bool { get }

    /// Makes a connection to the endpoint at an index of the list.
    ///
    /// - Throws: ``ConnectionError``; the error of one of the program's hooks.
    func connect(to endpoint: Int, on loop: EventLoop) async throws -> Owner

    /// Makes the next connection look up the endpoints' hosts again.
    func expireAddresses()

    /// The login for a connection; nil: no login.
    func login(on link: Link, of driver: Driver) -> Login?

    /// Handles what arrived during the login and the hook did not take.
    ///
    /// - Returns: The server's notice, if it announced the end of the connection.
    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice?

    /// Handles an element that has arrived.
    func take(_ element: Element, from link: Link, for driver: Driver)

    /// Returns why a connection, or the attempt to make it, ended.
    ///
    /// The error is nil for a clean end.
    func cause(of error: ConnectionError?, on connection: Connection?) -> DisconnectCause

    /// Ends a connection that the session gives up. If this side has ended the session, what was written is still sent.
    func letGo(_ connection: Connection, for cause: DisconnectCause)

    /// Writes a message to a connection.
    ///
    /// If the connection has ended, its reader reports that after everything that arrived whole.
    ///
    /// - Throws: Why the message cannot be encoded.
    func write(_ message: GivenMessage<Payload>, to connection: Connection) throws(CodecError)

    /// Writes a heartbeat.
    func writeHeartbeat(sequence: UInt64?, to connection: Connection) throws(CodecError)

    /// Asks at once whether the peer is alive, if the connection sends its own heartbeats.
    func probe(_ connection: Connection)

    /// Notes that a message was written for the sender who has the ticket.
    func wrote(_ message: GivenMessage<Payload>, for ticket: DeliveryTicket)

    /// Tells a message's sender its outcome.
    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome)

    /// Ignores the reply that is being taken: its message was given up.
    func ignoreReply()

    /// Tells those who read a part of the input that the session has ended.
    func ended(_ end: Inbox<Element>.Taken)
}

extension SessionAdapter {
    /// The session's timeout for an attempt to connect: five seconds more than the attempt's own.
    ///
    /// The attempt knows what it waited for. So its own timeout comes first and ends it with the most telling error,
    /// which the timeline shows. The session's timeout is a safety net. Both pass at once only if the loop was blocked
    /// for these five seconds.
    static func safeTimeout(over timeout: Duration) -> Duration { timeout + .seconds(5) }
}

/// Defaults: messages have no replies, and no heartbeats that the session or the connection sends.
extension SessionAdapter {
    func probe(_ connection: Connection) {}

    func writeHeartbeat(sequence: UInt64?, to connection: Connection) throws(CodecError) {}

    func wrote(_ message: GivenMessage<Payload>, for ticket: DeliveryTicket) {}

    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome) { ticket.complete(outcome) }

    func ignoreReply() {}

    func ended(_ end: Inbox<Element>.Taken) {}
}

/// Ends a connection when nothing retains it any more.
protocol SessionConnectionOwner: AnyObject, Sendable {
    associatedtype Connection: SessionConnection

    var connection: Connection { get }
}

/// A connection as a session uses it; only the loop's thread uses it.
protocol SessionConnection: AnyObject, Sendable {
    associatedtype Element: InboxElement

    var stream: ByteStream { get }
    /// The time when the last bytes arrived.
    var lastArrival: MonotonicTime { get }
    /// Whether what is written may still reach the peer.
    var takesMessages: Bool { get }
    /// The number of bytes that wait in it to be sent.
    var waitingByteCount: Int { get }
    /// Its counters, also after its end.
    var currentCounters: ConnectionCounters { get }
    /// The error for output that cannot be sent.
    var sendError: ConnectionError { get }

    /// Returns the next element; nil at a clean end.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Element?

    /// Returns whether less output waits than the limit.
    func prepareToSend() -> Bool

    /// Calls a closure once, when less output waits than the limit, or when the connection has ended.
    func whenReadyToSend(_ action: @escaping () -> Void)

    /// Calls a closure once, when no more output can reach the peer, if that is known before a send.
    func whenItTakesNoMore(_ action: @escaping () -> Void)

    /// Ends it at once.
    func close()
}
