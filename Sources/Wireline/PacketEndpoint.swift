// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// One end of a connection that speaks a protocol: a ``PacketClient``, or a server's ``ServerConnection``.
public protocol PacketEndpoint<Definition>: Sendable {
    associatedtype Definition: PacketProtocol

    /// The packets below the messages.
    var connection: PacketConnection { get }

    /// What arrives, as messages.
    var messages: ReceivedMessages<Definition> { get }

    /// What arrives, as packets.
    var packets: ReceivedPackets { get }
}

extension PacketEndpoint {
    /// Where the connection leads.
    public var peerAddress: SocketAddress { connection.peerAddress }

    /// The loop that the connection lives on: a task that prefers it (`Task(executorPreference: client.loop)`) sends and
    /// receives without changing threads.
    @inlinable public var loop: EventLoop { connection.loop }

    /// The next packet; nil when the peer has ended where a packet had ended.
    ///
    /// It is what ``packets`` gives, at a fraction of the price: `for await` goes from executor to executor and back for
    /// every element, even where both are the same.
    ///
    ///     while let packet = try await client.nextPacket() { … }
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/next()``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func nextPacket() async throws(ConnectionError) -> ReceivedPacket? {
        try await connection.next()
    }

    /// All packets that have arrived, lent one after another: the cheapest way to take many short ones. nil when the peer has
    /// ended where a packet had ended.
    ///
    ///     while var batch = try await client.nextBatch() {
    ///         while let packet = try batch.next() { … }
    ///     }
    ///
    /// For tasks on the connection's ``loop``, as a server's handlers are: `Task(executorPreference: client.loop)`.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/next()``.
    public nonisolated(nonsending) func nextBatch() async throws(ConnectionError) -> PacketBatch? {
        try await connection.nextBatch()
    }

    /// Sends a packet that has been encoded already, such as one that goes to many connections.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(packet:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(packet bytes: [UInt8]) async throws(ConnectionError) {
        try await connection.send(packet: bytes)
    }

    /// Sends a payload whose bytes are there already in a packet of its own: under another ID than it came with, or of a
    /// message that is in no schema. Header fields have their defaults.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(id:payload:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(id: UInt64, payload: RawSpan) async throws(ConnectionError) {
        if sendAtOnce(id, payload) { return }
        try await connection.send(id: id, payload: payload)
    }

    /// Apart from what may wait, as the connection's own, but with the header's plan as a constant.
    @inlinable @inline(never)
    func sendAtOnce(_ id: UInt64, _ payload: RawSpan) -> Bool {
        connection.sendAtOnce(id, payload, Definition.plan)
    }

    /// Sends a packet that has arrived, on this connection or another, as it is.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/forward(_:)-(ReceivedPacket)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: ReceivedPacket) async throws(ConnectionError) {
        try await connection.forward(packet)
    }

    /// Sends a packet of a batch as it is, on this connection or another.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/forward(_:)-(Packet)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func forward(_ packet: Packet) async throws(ConnectionError) {
        try await connection.forward(packet)
    }

    /// Sends an end of stream once everything sent before has left; messages may still arrive.
    public func endOutput() { connection.endOutput() }

    /// Closes the connection once what was sent has left and the peer has ended too, or has had time to; nothing more is
    /// received. It returns at once: see ``PacketConnection/finish(within:)``.
    ///
    ///     try await client.send(Goodbye())
    ///     client.finish()
    ///
    /// - Parameter timeout: After which time it is closed in any case; nil (default): what is on its way to a peer that takes
    ///   it may take as long as it likes.
    public func finish(within timeout: Duration? = nil) { connection.finish(within: timeout) }

    /// Closes the connection at once: of what was sent and has not left, only what the system takes now still leaves, and
    /// where the peer has sent something that was not read, even of that the last may be lost. ``finish(within:)`` loses
    /// nothing.
    public func close() { connection.close() }
}
