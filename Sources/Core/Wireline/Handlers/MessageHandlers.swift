// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The handlers of a server: one for each type of message.
///
///     var handlers = MessageHandlers<LobbyProtocol, Player>()
///     handlers.reply(to: Enter.self) { enter, client in
///         client.state.name = enter.name
///         return EnterReply(result: .entered)
///     }
///     handlers.on(Chat.self) { chat, client in
///         try room.send(ChatLine(name: client.state.name, text: chat.text))
///     }
///     let server = try await PacketServer.start(at: "0.0.0.0", port: 9001, handlers: handlers) { _ in Player() }
///
/// `State` is a type of the program's own. Each connection has one value of it, which only its handlers use, on the
/// connection's loop, so it needs no lock.
///
/// The messages of one connection are handled one after another. A handler that awaits delays the next message of its
/// connection, and no other connection. A handler that blocks delays all connections of its loop.
///
/// If no handler awaits, a connection has no task, which saves memory and time.
///
/// A server with handlers starts only if each message of the protocol has exactly one handler; ``ignore(_:)`` and
/// `others(_:)` cover the rest. A handler that throws ends its connection, unless ``onError(_:)`` decides otherwise.
/// Messages that were sent before still reach the client.
public struct MessageHandlers<Definition: PacketProtocol, State>: Sendable {
    /// A client, as its handlers see it.
    public typealias Context = ClientContext<Definition, State>
    /// Handles a message that no other handler takes, without `await`.
    public typealias Other = @Sendable (ReceivedMessage<Definition.FromClient>, Context) throws -> Void
    /// Handles a message that no other handler takes.
    public typealias AsyncOther = @Sendable (ReceivedMessage<Definition.FromClient>, Context) async throws -> Void
    /// Decides before a message is decoded whether it is handled.
    public typealias Step = @Sendable (_ message: any PacketMessage.Type, Context) throws -> Bool

    private(set) var list = HandlerList()

    /// Makes handlers for no message yet.
    public init() {}

    // MARK: Messages

    /// Replies to a message, without `await`: the value that the handler returns is sent.
    ///
    /// The reply has the request's sequence number, if the header has one; its other header fields have their defaults.
    /// To set them, add the handler with `on`, and answer with `client.reply(with:header:)`.
    @inlinable
    public mutating func reply<Message: ClientMessage & RequestMessage>(
        to type: Message.Type, _ handler: @escaping @Sendable (Message, Context) throws -> Message.Reply
    ) where Message.Definition == Definition, Message.Reply: ServerMessage, Message.Reply.Definition == Definition {
        add(
            type,
            .atOnce { packet, object in
                let client = Self.context(object)
                let reply = try handler(try client.decode(type, in: packet), client)
                try client.connection.writeReply(to: packet, with: reply)
            })
    }

    /// Handles a message without `await`. Nothing is sent that the handler does not send.
    ///
    /// A handler that answers with one message or another calls `client.reply(with:)`.
    @inlinable
    public mutating func on<Message: ClientMessage>(
        _ type: Message.Type, _ handler: @escaping @Sendable (Message, Context) throws -> Void
    ) where Message.Definition == Definition {
        add(
            type,
            .atOnce { packet, object in
                let client = Self.context(object)
                try handler(try client.decode(type, in: packet), client)
            })
    }

    /// Replies to a message: the value that the handler returns is sent.
    ///
    /// The reply has the request's sequence number, if the header has one; its other header fields have their defaults.
    /// To set them, add the handler with `on`, and answer with `client.reply(with:header:)`. While too much output
    /// waits (``ConnectionLimits/pendingByteCount``), the reply waits, too.
    @inlinable
    public mutating func reply<Message: ClientMessage & RequestMessage>(
        to type: Message.Type, _ handler: @escaping @Sendable (Message, Context) async throws -> Message.Reply
    ) where Message.Definition == Definition, Message.Reply: ServerMessage, Message.Reply.Definition == Definition {
        add(
            type,
            .inTask { packet, object in
                let client = Self.context(object)
                let reply = try await handler(try client.decode(type, in: packet.lent), client)
                try await client.connection.reply(to: packet, with: reply)
            })
    }

    /// Handles a message. Nothing is sent that the handler does not send.
    @inlinable
    public mutating func on<Message: ClientMessage>(
        _ type: Message.Type, _ handler: @escaping @Sendable (Message, Context) async throws -> Void
    ) where Message.Definition == Definition {
        add(
            type,
            .inTask { packet, object in
                let client = Self.context(object)
                try await handler(try client.decode(type, in: packet.lent), client)
            })
    }

    /// Drops messages of these types.
    public mutating func ignore(_ types: any ClientMessage.Type...) {
        for type in types { add(type, .ignore) }
    }

    /// Handles all messages that have no handler of their own, and packets with unknown IDs, without `await`.
    ///
    /// Without such a handler, packets with unknown IDs are counted and dropped.
    public mutating func others(_ handler: @escaping Other) {
        list.other = .atOnce { _, object in
            let client = Self.context(object)
            if let received = try client.received() { try handler(received, client) }
        }
    }

    /// Handles all messages that have no handler of their own, and packets with unknown IDs.
    public mutating func others(_ handler: @escaping AsyncOther) {
        list.other = .inTask { _, object in
            let client = Self.context(object)
            if let received = try client.received() { try await handler(received, client) }
        }
    }

    /// Adds the handlers of another part of the program.
    ///
    /// The part's own steps (``before(only:except:_:)``) apply only to messages that it handles by type, and run after
    /// the steps of this value. Its handlers of opened and closed connections run after those of this value. Its
    /// `others(_:)` and ``onError(_:)`` apply to the whole server, unless this value has its own.
    public mutating func include(_ part: MessageHandlers) {
        list.entries += part.list.entries.map { entry in
            var entry = entry
            entry.steps = part.list.steps + entry.steps
            return entry
        }
        list.other = list.other ?? part.list.other
        list.failed = list.failed ?? part.list.failed
        list.opened += part.list.opened
        list.closed += part.list.closed
    }

    @usableFromInline
    mutating func add(_ type: any PacketMessage.Type, _ action: HandlerAction) {
        list.entries.append(HandlerEntry(type: type, action: action))
    }

    /// The client's context, whose types only this code knows.
    @inlinable @inline(__always)
    static func context(_ object: AnyObject) -> Context {
        // SAFETY: `PacketServer.start` makes the context with the types of the handlers.
        unsafe unsafeDowncast(object, to: Context.self)
    }

    // MARK: Steps

    /// Adds a step that runs before a message is decoded and handled, in the order of adding.
    ///
    /// It does not run for packets with unknown IDs.
    ///
    ///     handlers.before(except: [Login.self]) { message, client in
    ///         if client.state.isLoggedIn { return true }
    ///         try client.kick(with: Kick(reason: .notLoggedIn))
    ///         return false
    ///     }
    ///
    /// - Parameters:
    ///   - only: The messages before which it runs; nil: all (default).
    ///   - except: Messages before which it does not run (default: none).
    ///   - step: Returns whether the message is handled; one that is not is dropped. If the step throws, the connection
    ///     ends.
    public mutating func before(
        only: [any ClientMessage.Type]? = nil, except: [any ClientMessage.Type] = [], _ step: @escaping Step
    ) {
        list.steps.append(
            HandlerStep(
                only: only.map { Set($0.map { ObjectIdentifier($0) }) },
                except: Set(except.map { ObjectIdentifier($0) }),
                run: { message, object in try step(message, Self.context(object)) }))
    }

    /// Limits how many messages a connection may send in a time, together of all given types.
    ///
    /// A connection that was silent may send `count` messages at once; then it may send one every `time / count`.
    ///
    /// - Parameters:
    ///   - types: The messages; nil: all messages of the protocol (default). Packets with unknown IDs do not count.
    ///   - count: The most messages in `time`; at least 1.
    ///   - time: The time.
    ///   - excess: What happens to more messages (default: the connection ends with
    ///     ``HandlerError/tooManyMessages(_:limit:per:)``).
    public mutating func limit(
        _ types: [any ClientMessage.Type]? = nil, to count: Int, per time: Duration, excess: ExcessMessages = .end
    ) {
        let limit = MessageRate(count: count, time: time)
        before(only: types) { message, client in
            if client.countMessage(within: limit) { return true }
            guard excess == .end else { return false }
            throw HandlerError.tooManyMessages(message.messageName, limit: count, per: time)
        }
    }

    // MARK: Connections

    /// Calls a closure when a connection begins, before its first message. If it throws, the connection ends.
    public mutating func onOpen(_ handler: @escaping @Sendable (Context) throws -> Void) {
        list.opened.append { object in try handler(Self.context(object)) }
    }

    /// Calls a closure after the last message of a connection, with the error that ended it; nil: a clean end.
    ///
    /// It is called for every connection, also if a handler of ``onOpen(_:)`` has thrown.
    public mutating func onClose(_ handler: @escaping @Sendable (Context, (any Error)?) -> Void) {
        list.closed.append { object, error in handler(Self.context(object), error) }
    }

    /// Decides what happens after a step or a handler has thrown, or a message does not match the schema.
    ///
    /// - Parameter handler: If it returns, the connection continues with the next message. If it throws, the connection
    ///   ends with that error.
    public mutating func onError(_ handler: @escaping @Sendable (any Error, Context) throws -> Void) {
        list.failed = { error, object in try handler(error, Self.context(object)) }
    }
}

/// What happens to messages beyond a limit of ``MessageHandlers/limit(_:to:per:excess:)``.
public enum ExcessMessages: Sendable {
    /// They are dropped.
    case skip
    /// The connection ends.
    case end
}
