// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// One side of a connection with a protocol: a ``PacketClient``, or a server's ``ServerConnection``.
public protocol PacketEndpoint<Definition>: Sendable {
    associatedtype Definition: PacketProtocol
    /// The messages of the other side.
    associatedtype Incoming: IncomingMessage where Incoming.Definition == Definition

    /// The connection that carries the packets.
    var connection: PacketConnection { get }

    /// The messages that arrive, for code that needs an `AsyncSequence`.
    var messages: PacketConnection.Messages<Incoming> { get }
}

extension PacketEndpoint {
    /// The peer's address.
    public var peerAddress: SocketAddress { connection.peerAddress }

    /// The connection's loop.
    ///
    /// A task that prefers it (`Task(executorPreference: client.loop)`) sends and receives without thread switches.
    @inlinable public var loop: EventLoop { connection.loop }

    /// Returns the next message; nil when the peer ends its stream after a whole packet.
    ///
    ///     while let received = try await client.nextMessage() {
    ///         switch received.message { … }
    ///     }
    ///
    /// Replies to requests go to the tasks that wait for them.
    ///
    /// - Throws: ``ConnectionError``, after every earlier message was returned; later calls throw it again.
    ///   ``ConnectionError/codec(_:)`` if the message does not match the schema: the connection stays open, and the
    ///   next call returns what follows. ``ConnectionError/alreadyReceiving`` while another task waits; that task
    ///   continues to wait. ``ConnectionError/cancelled`` if the task is cancelled while it waits; no message is lost.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func nextMessage() async throws(ConnectionError) -> ReceivedMessage<Incoming>? {
        try await connection.nextMessage()
    }

    /// Returns the next packet; nil when the peer ends its stream after a whole packet.
    ///
    /// It is for programs that decode packets themselves, or forward them.
    ///
    ///     while let packet = try await client.nextPacket() { … }
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/next()``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func nextPacket() async throws(ConnectionError) -> ReceivedPacket? {
        try await connection.next()
    }

    /// Lends all packets that have arrived; nil when the peer ends its stream after a whole packet.
    ///
    /// It is for programs that handle many short packets without values of their messages, such as gateways.
    ///
    ///     while var batch = try await client.nextBatch() {
    ///         while let packet = try batch.next() { … }
    ///     }
    ///
    /// Call it on the connection's ``loop``, as a server's handlers do, or with
    /// `Task(executorPreference: client.loop)`.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/next()``.
    public nonisolated(nonsending) func nextBatch() async throws(ConnectionError) -> PacketBatch? {
        try await connection.nextBatch()
    }

    /// Sends an encoded packet, such as one that goes to many connections.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(packet:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(packet bytes: [UInt8]) async throws(ConnectionError) {
        try await connection.send(packet: bytes)
    }

    /// Sends a payload in a packet of its own; header fields have their defaults.
    ///
    /// Use it to send a payload under another ID, or a message that is in no schema.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(id:payload:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(id: UInt64, payload: RawSpan) async throws(ConnectionError) {
        if sendPayloadAtOnce(id, payload) { return }
        try await connection.send(id: id, payload: payload)
    }

    /// Sends at once, with the header's plan as a constant.
    @inlinable @inline(never)
    func sendPayloadAtOnce(_ id: UInt64, _ payload: RawSpan) -> Bool {
        connection.sendPayloadAtOnce(id, payload, Definition.plan)
    }

    /// Sends a packet that has arrived, on this connection or another, unchanged.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/forward(_:)-(ReceivedPacket)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: ReceivedPacket) async throws(ConnectionError) {
        try await connection.forward(packet)
    }

    /// Sends a packet of a batch, on this connection or another, unchanged.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/forward(_:)-(Packet)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: Packet) async throws(ConnectionError) {
        try await connection.forward(packet)
    }

    /// Half-closes: sends an end of stream after everything sent before. Messages can still arrive.
    public func endOutput() { connection.endOutput() }

    /// Waits until the peer ends its stream or the connection ends, also while no task receives.
    ///
    /// It is for code that waits for something other than packets. Packets that arrived before the end may be unread;
    /// they are not lost.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/waitUntilEnd()``.
    public nonisolated(nonsending) func waitUntilEnd() async throws(ConnectionError) {
        try await connection.waitUntilEnd()
    }

    /// Closes the connection after everything was sent and the peer has ended its side, or has had time to.
    ///
    /// Nothing more is received. The call returns at once: see ``PacketConnection/finish(within:)``.
    ///
    ///     try await client.send(Goodbye())
    ///     client.finish()
    ///
    /// - Parameter timeout: The time after which it is closed in any case; nil (default): no limit while the peer
    ///   reads.
    public func finish(within timeout: Duration? = nil) { connection.finish(within: timeout) }

    /// Closes the connection at once; ``finish(within:)`` loses nothing.
    ///
    /// Output that waits is sent only as far as the system takes it now. If the peer has sent something that was not
    /// read, the end of that output may be lost, too.
    public func close() { connection.close() }
}
