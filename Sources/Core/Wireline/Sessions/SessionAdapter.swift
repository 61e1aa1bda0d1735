// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Makes connections for a session, and writes and interprets their contents: packets or a WebSocket's messages.
///
/// The session's driver knows connections and time, but no contents. Except for its initializer, only the session's
/// loop uses it.
protocol SessionAdapter: AnyObject, Sendable {
    associatedtype Owner: SessionConnectionOwner
    associatedtype Payload: Sendable

    typealias Connection = Owner.Connection
    typealias Element = Owner.Connection.Element
    typealias Driver = SessionDriver<Self>
    typealias Link = SessionConnectionState<Owner>
    typealias Login = @concurrent @Sendable () async throws -> Void

    var configuration: SessionConfiguration { get }
    /// The most input that may wait for the program, in bytes.
    var unreadByteCount: Int { get }
    /// Whether the oldest input is dropped for new input.
    var dropsOldestUnread: Bool { get }

    /// Makes a connection to the endpoint with this index.
    ///
    /// - Throws: ``ConnectionError``; the error of one of the program's hooks.
    func connect(to endpoint: Int, on loop: EventLoop) async throws -> Owner

    /// Makes the next connection look up the endpoints' hosts again.
    func expireAddresses()

    func login(on link: Link, of driver: Driver) -> Login?

    /// Handles input that arrived during the login, and that the hook did not take.
    ///
    /// - Returns: The server's notice, if it announced the end of the connection.
    func takeRestOfLogin(_ link: Link, for driver: Driver) -> KickNotice?

    func take(_ element: Element, from link: Link, for driver: Driver)

    /// Returns the reason of the end of a connection, or of the attempt to make it.
    ///
    /// The error is nil for a clean end.
    func cause(of error: ConnectionError?, on connection: Connection?) -> DisconnectCause

    /// Ends a connection that the session gives up. If this side has ended the session, written messages are still
    /// sent.
    func close(_ connection: Connection, for cause: DisconnectCause)

    /// Writes a message to a connection.
    ///
    /// If the connection has ended, its reader reports that after everything that arrived whole.
    ///
    /// - Throws: The error of a message that cannot be encoded.
    func write(_ message: GivenMessage<Payload>, to connection: Connection) throws(CodecError)

    func writeHeartbeat(sequence: UInt64?, to connection: Connection) throws(CodecError)

    /// Asks at once whether the peer is alive, if the connection sends its own heartbeats.
    func probe(_ connection: Connection)

    /// Called when the session has written the message of a ticket.
    func wrote(_ message: GivenMessage<Payload>, for ticket: DeliveryTicket)

    /// Reports the outcome to the message's sender.
    func complete(_ ticket: DeliveryTicket, _ outcome: MessageOutcome)

    /// Drops the reply that is being taken: its message was given up.
    func ignoreReply()

    /// Ends the streams that read a part of the input.
    func ended(_ end: Inbox<Element>.Taken)
}

extension SessionAdapter {
    /// The session's timeout for an attempt to connect: five seconds more than the attempt's own.
    ///
    /// The attempt knows where it waited. So its own timeout comes first, and ends it with the most telling error,
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

/// A connection as a session uses it. Only the loop's thread uses it.
protocol SessionConnection: AnyObject, Sendable {
    associatedtype Element: InboxElement

    var stream: ByteStream { get }
    /// The time when the last bytes arrived.
    var lastArrival: MonotonicTime { get }
    /// Whether written output may still reach the peer.
    var takesMessages: Bool { get }
    /// The output that waits to be sent, in bytes.
    var waitingByteCount: Int { get }
    /// The counters, also after the end.
    var currentCounters: ConnectionCounters { get }
    var sendError: ConnectionError { get }

    /// Returns the next element; nil at a clean end.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Element?

    /// Whether less output waits than the limit.
    func prepareToSend() -> Bool

    /// Calls a closure once, when less output waits than the limit, or when the connection has ended.
    func whenReadyToSend(_ action: @escaping () -> Void)

    /// Calls a closure once, when no more output can reach the peer, if that is known before a send.
    func whenOutputEnds(_ action: @escaping () -> Void)

    func close()
}
