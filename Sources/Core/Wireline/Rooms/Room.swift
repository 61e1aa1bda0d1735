// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A group of a server's connections that get the same messages.
///
///     let room = Room<ChatProtocol>("lobby")
///     let server = try await PacketServer.start(at: "0.0.0.0", port: 9001, protocol: ChatProtocol.self) { client in
///         room.join(client)
///         while let received = try await client.nextMessage() {
///             guard case .chat(let chat) = received.message else { continue }
///             try room.send(ChatLine(text: chat.text), except: client)
///         }
///     }
///
/// - A message is encoded once, and all members share its bytes. The messages of one turn of an event loop are joined,
///   so that each member gets them with one system call.
/// - Over WebSockets, members share frames, too. A message is compressed once for all members whose compression does
///   not refer to earlier messages (`WebSocketDeflate.takesContextOver` is false) and has the same window.
/// - All members get messages in the same order. A message that is sent to a single member on its loop, after one that
///   was sent to the room, arrives after it. Messages of different rooms have no order.
/// - A room never waits: ``RoomOptions/SlowReaderPolicy`` says what happens to members that read too slowly.
/// - A member that cannot make a packet, such as one without its key, misses the message and stays;
///   ``RoomCounters/droppedCount`` counts it. If a keystream may have moved for the packet, its connection ends with
///   that error.
/// - A connection leaves by itself when it ends. If the program does not keep the room, its members leave after they
///   have got all earlier messages.
///
/// Connections may be on several event loops, and of several servers of one protocol. A membership takes about 100
/// bytes. Any thread may use a room, and no call waits.
public final class Room<Definition: PacketProtocol>: Sendable {
    /// The room's name, for the program's own use.
    public let name: String
    private let roster: RoomRoster

    /// Makes a room without members.
    public convenience init(_ name: String = "", options: RoomOptions = RoomOptions()) {
        self.init(name, options: options, becameEmpty: nil)
    }

    init(_ name: String, options: RoomOptions, becameEmpty: (@Sendable () -> Void)?) {
        self.name = name
        roster = RoomRoster(options, becameEmpty: becameEmpty)
    }

    deinit { roster.dissolve() }

    // MARK: Members

    /// Adds a connection.
    ///
    /// The connection gets all later messages, and leaves by itself when it ends.
    ///
    /// - Parameters:
    ///   - member: The connection.
    ///   - slowReaders: The policy if this member reads too slowly; nil: that of the room's options (default).
    /// - Returns: Whether it was added: false if it is a member already. If it has ended, it leaves at once; on its own
    ///   event loop, the result is false then.
    @discardableResult
    public func join(
        _ member: ServerConnection<Definition>, slowReaders: RoomOptions.SlowReaderPolicy? = nil
    ) -> Bool {
        guard let entry = enter(member, slowReaders) else { return false }
        entry.send()
        return !member.connection.loop.isCurrent || roster.contains(member.connection)
    }

    /// Adds a connection, which gets messages after the returned notice was sent.
    func enter(
        _ member: ServerConnection<Definition>, _ slowReaders: RoomOptions.SlowReaderPolicy?
    ) -> RoomShard.Notice? {
        roster.insert(member.connection, slowReaders)
    }

    /// Removes a connection after all earlier messages; does nothing if it is no member.
    public func leave(_ member: ServerConnection<Definition>) { roster.leave(member.connection) }

    /// Whether a connection is a member.
    public func contains(_ member: ServerConnection<Definition>) -> Bool { roster.contains(member.connection) }

    /// The members, in any order.
    ///
    /// - Complexity: O(*n*) for *n* members.
    public var members: [ServerConnection<Definition>] { roster.members.map { ServerConnection($0) } }

    /// The number of members.
    public var count: Int { roster.count }

    /// Whether there are no members.
    public var isEmpty: Bool { roster.isEmpty }

    // MARK: Sending

    /// Sends a message to all members; encodes it once, and never waits.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - header: Header fields to set (default: none).
    ///   - except: A member that does not get it, such as its author; nil: all members get it (default).
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit, or if `header` names a field that is computed
    ///   or does not exist. Then no member gets the message.
    public func send<Message: ServerMessage>(
        _ message: Message, header: PacketHeader = [:], except: ServerConnection<Definition>? = nil
    ) throws(ConnectionError) where Message.Definition == Definition {
        send(try encode(message, header), except)
    }

    /// Sends messages in one packet to all members, as ``send(_:header:except:)`` sends one.
    ///
    ///     try room.send(packets: lines, id: 5, header: ["Version": 2])
    ///
    /// A packet that is only compressed is sealed once for all members. With ciphers, each member seals it.
    ///
    /// - Parameters:
    ///   - messages: The messages, each in a packet of its own inside.
    ///   - id: The ID of the packet around them.
    ///   - header: The header fields of that packet; with them, the condition of `packets` must hold.
    ///   - except: A member that does not get it; nil: all members get it (default).
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit. Then no member gets the packet.
    public func send(
        packets messages: [any ServerMessage], id: UInt64, header: PacketHeader = [:],
        except: ServerConnection<Definition>? = nil
    ) throws(ConnectionError) {
        do throws(CodecError) {
            send(try SharedPacket(packets: messages, id: id, header: header, of: Definition.self), except)
        } catch {
            throw .codec(error)
        }
    }

    /// Sends the bytes of a packet to all members, and never waits.
    ///
    /// - Parameters:
    ///   - bytes: One packet; it is not checked. If packets depend on states, it is encoded for those of
    ///     ``RoomOptions/states``.
    ///   - except: A member that does not get it; nil: all members get it (default).
    public func send(packet bytes: [UInt8], except: ServerConnection<Definition>? = nil) {
        guard !bytes.isEmpty else { return }
        send(SharedPacket(bytes: bytes), except)
    }

    private func send(_ packet: SharedPacket, _ except: ServerConnection<Definition>?) {
        roster.give(.send(RoomMessage(packet, except: except?.connection)))
    }

    /// Sends a last message to all members, and then closes their connections.
    ///
    /// See ``ServerConnection/kick(with:header:within:)``.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - timeout: How long a member may take to read it and end its side (default 10 s).
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit; then the connections continue.
    public func kickAll<Message: ServerMessage>(
        with message: Message, within timeout: Duration = .seconds(10)
    ) throws(ConnectionError) where Message.Definition == Definition {
        roster.give(.kick(farewell: try encode(message, [:]), within: timeout))
    }

    private func encode<Message: ServerMessage>(
        _ message: Message, _ header: PacketHeader
    ) throws(ConnectionError) -> SharedPacket {
        do throws(CodecError) {
            return try SharedPacket(message, header, roster.options.states)
        } catch {
            throw .codec(error)
        }
    }

    // MARK: Counters

    /// The room's counters up to now.
    public func counters() async -> RoomCounters { await roster.counters() }
}
