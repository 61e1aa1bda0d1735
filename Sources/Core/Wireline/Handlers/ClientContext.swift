// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

/// A client, as the handlers of ``MessageHandlers`` see it.
///
/// It is used only on the connection's loop, in its handlers, so the state needs no lock. Other tasks use
/// ``connection``, which can be kept and sent anywhere.
public final class ClientContext<Definition: PacketProtocol, State> {
    /// The connection, for rooms and for other tasks.
    public let connection: ServerConnection<Definition>
    /// The server that accepted the connection.
    public let server: PacketServer<Definition>
    let current = CurrentPacket()
    /// The rates of the client's messages, for limits.
    private var rates: [ObjectIdentifier: RateBucket] = [:]
    @safe @exclusivity(unchecked) @usableFromInline var isChangingState = false
    @safe @exclusivity(unchecked) @usableFromInline var stateValue: State

    /// The program's own value for this connection.
    ///
    /// Code that is called during a change of the state cannot use the state: as with every variable, that stops the
    /// program.
    public var state: State {
        // The check of the language takes 80 instructions for each access, more than decoding a message. This one does
        // the same, because only one thread uses the state.
        @inlinable @inline(__always)
        get {
            precondition(!isChangingState, "the state is read while it is changed")
            return stateValue
        }
        @inlinable @inline(__always)
        _modify {
            precondition(!isChangingState, "the state is changed while it is changed")
            isChangingState = true
            defer { isChangingState = false }
            yield &stateValue
        }
    }

    package init(_ connection: ServerConnection<Definition>, of server: PacketServer<Definition>, state: State) {
        self.connection = connection
        self.server = server
        stateValue = state
    }

    /// The packet whose message is handled now, such as for a later reply or its header; nil between messages.
    public var packet: ReceivedPacket? { current.packet }

    /// What TLS negotiated, such as the names in the client's certificate; nil without TLS.
    ///
    /// It is there when the first message is handled, and nil in `onOpen`, which runs before the handshake.
    /// Each use asks OpenSSL: keep what you need of it in ``state``.
    public var tls: TLSDetails? { connection.connection.stream.tlsTransform?.details }

    // MARK: Sending

    /// Sends a message without waiting.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` waits to be sent, no further message of this client is
    /// handled, so back-pressure slows the client down.
    ///
    /// - Throws: ``ConnectionError``, as ``ServerConnection/write(_:header:)``.
    @inlinable
    public func send<Message: ServerMessage>(
        _ message: Message, header: PacketHeader? = nil
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.write(message, header: header)
    }

    /// Answers the message that is handled now, without waiting: with its sequence number, if the header has one.
    ///
    /// Between messages, it sends a message without a sequence number.
    ///
    /// - Throws: ``ConnectionError``, as ``ServerConnection/write(_:header:)``.
    @inlinable
    public func reply<Message: ServerMessage>(
        with message: Message, header: PacketHeader? = nil
    ) throws(ConnectionError) where Message.Definition == Definition {
        guard let packet else { return try connection.write(message, header: header) }
        try connection.writeReply(to: packet.lent, with: message, header: header)
    }

    /// Sends a last message, such as the reason, and then closes the connection.
    ///
    /// - Throws: ``ConnectionError/codec(_:)``, as ``ServerConnection/kick(with:header:within:)``.
    public func kick<Message: ServerMessage>(
        with message: Message, within timeout: Duration = .seconds(10)
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.kick(with: message, within: timeout)
    }

    // MARK: Receiving

    @inlinable @inline(__always)
    func decode<Message: PacketMessage>(
        _ type: Message.Type, in packet: borrowing Packet
    ) throws(ConnectionError) -> Message {
        do throws(CodecError) {
            return try Message(payloadOf: packet)
        } catch {
            throw connection.connection.refusedMessage(error)
        }
    }

    func received() throws(ConnectionError) -> ReceivedMessage<Definition.FromClient>? {
        guard let packet else { return nil }
        return try connection.connection.message(in: packet)
    }

    /// Counts a message, unless a limit is reached; then it returns false.
    func countMessage(within limit: MessageRate) -> Bool {
        rates[ObjectIdentifier(limit), default: RateBucket()]
            .take(limit.rate, at: connection.connection.loop.now.sinceOrigin)
    }
}

/// The packet whose message a client's handlers handle now. Only the connection's loop uses it.
final class CurrentPacket {
    /// The packet's block; nil between messages.
    private var block: SharedBlock?
    private var start = 0
    private var bounds = PacketBounds.none

    var packet: ReceivedPacket? { block.map { ReceivedPacket(block: $0, start: start, bounds: bounds) } }

    func begin(_ place: (bounds: PacketBounds, start: Int), in block: SharedBlock) {
        self.block = block
        begin(place)
    }

    /// Sets the packet, which lies in the same block as the previous one.
    @inline(__always)
    func begin(_ place: (bounds: PacketBounds, start: Int)) {
        start = place.start
        bounds = place.bounds
    }

    /// Forgets the packet, which would keep its block.
    func end() { block = nil }
}
