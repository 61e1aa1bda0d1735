// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// The messages of one type that arrive on a connection or in a session.
///
///     let chats = client.messages(of: ChatPush.self)
///     while let chat = try await chats.next() { show(chat) }
///
/// There may be several streams at once, also of the same type: each gets all messages of its type. They do not go to
/// ``PacketEndpoint/nextMessage()``, to ``PacketEndpoint/messages`` or to a server's handlers as long as such a stream
/// exists. Replies to requests go to the tasks that wait for them. All other messages are received as before.
///
/// A stream begins with the call that makes it, and first has the messages of its type that no task has taken yet. If
/// the call comes from another thread than the connection's loop, the stream begins a moment later. It does not get the
/// messages that other streams and tasks take until then. But it has begun before the connection sends anything that
/// the same task sends after the call, and when ``droppedCount`` returns. It ends when the program keeps neither the
/// stream nor an iterator.
///
/// While there is a stream, the connection reads, and a slow reader delays no one. So a stream keeps at most
/// ``ConnectionLimits/unreadByteCount`` of unread messages. For each message beyond that, it drops its oldest one
/// (``droppedCount``). If no task receives the messages of other types, their oldest ones are dropped in the same way.
///
/// One task at a time reads a stream; a second one gets ``ConnectionError/alreadyReceiving``.
public struct MessageStream<Message: PacketMessage>: AsyncSequence, Sendable {
    private let reader: MessageReader

    init(from source: any MessageSource, limit: Int, keeping owner: (any Sendable)?) {
        reader = MessageReader(of: Message.messageID, from: source, limit: limit, keeping: owner)
    }

    /// Returns the next message; nil at a clean end of the connection, or when the program has ended the session.
    ///
    /// - Throws: ``ConnectionError``, after every earlier message was returned. ``ConnectionError/codec(_:)`` if the
    ///   message does not match the schema; the next call returns what follows. ``ConnectionError/alreadyReceiving``
    ///   while another task waits, ``ConnectionError/cancelled``.
    public nonisolated(nonsending) func next() async throws(ConnectionError) -> Message? {
        guard let packet = try await reader.inbox.next() else { return nil }
        do throws(CodecError) {
            return try packet.decode(Message.self)
        } catch {
            throw reader.source.refusedMessage(error)
        }
    }

    /// The number of messages that were dropped because they were not read in time.
    public var droppedCount: Int {
        get async { await reader.source.loop.run { [inbox = reader.inbox] in inbox.droppedCount } }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Element = Message

        fileprivate let stream: MessageStream

        /// Returns the next message; nil at the end.
        ///
        /// - Throws: ``ConnectionError``, as ``MessageStream/next()``.
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Message? {
            try await stream.next()
        }

        /// Returns the next message; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ConnectionError) -> Message? {
            try await stream.next()
        }
    }
}

/// The source of messages: a connection or a session.
protocol MessageSource: Sendable {
    var loop: EventLoop { get }

    /// Gives the messages with an ID to a reader, also those that no task has taken yet. The loop calls it.
    func add(_ reader: Inbox<ReceivedPacket>, of id: UInt64)

    /// Stops giving messages to a reader. The loop calls it.
    func remove(_ reader: Inbox<ReceivedPacket>, of id: UInt64)

    /// Counts a message that does not match the schema. Any thread may call it.
    func refusedMessage(_ error: CodecError) -> ConnectionError
}

/// Reads messages of one type until nothing keeps it.
private final class MessageReader: Sendable {
    let inbox: Inbox<ReceivedPacket>
    let source: any MessageSource
    private let id: UInt64
    /// Keeps a client's connection or a session alive.
    private let owner: (any Sendable)?

    init(of id: UInt64, from source: any MessageSource, limit: Int, keeping owner: (any Sendable)?) {
        let inbox = Inbox<ReceivedPacket>(on: source.loop, limit: limit, dropsOldest: true)
        self.inbox = inbox
        self.source = source
        self.id = id
        self.owner = owner
        source.loop.execute { source.add(inbox, of: id) }
    }

    deinit {
        let (inbox, source, id) = (inbox, source, id)
        source.loop.execute { source.remove(inbox, of: id) }
    }
}
