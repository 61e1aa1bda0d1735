// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The packets that arrive, one after another, as bytes: for those who decode them on their own.
///
/// The sequence ends where the peer ends its stream between two packets.
public struct ReceivedPackets: AsyncSequence, Sendable {
    @usableFromInline let connection: PacketConnection
    /// Keeps a client's connection open for as long as somebody reads from it.
    @usableFromInline let owner: ConnectionOwner?

    init(_ connection: PacketConnection, owner: ConnectionOwner?) {
        self.connection = connection
        self.owner = owner
    }

    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, owner: owner) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let connection: PacketConnection
        @usableFromInline let owner: ConnectionOwner?

        @inlinable
        init(connection: PacketConnection, owner: ConnectionOwner?) {
            self.connection = connection
            self.owner = owner
        }

        /// The next packet; nil at the end.
        ///
        /// - Throws: ``ConnectionError``, once every packet before it has been handed over.
        @inlinable @inline(__always)
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> ReceivedPacket? {
            try await connection.next()
        }

        /// The next packet; nil at the end.
        @inlinable @inline(__always)
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> ReceivedPacket? {
            try await connection.next()
        }
    }
}

/// The messages that arrive, one after another.
///
/// The sequence ends where the peer ends its stream between two packets. A message that is not what the schema says ends
/// it with ``ConnectionError/codec(_:)``; the connection stays open, and whoever iterates again gets what follows.
public struct ReceivedMessages<Definition: PacketProtocol>: AsyncSequence, Sendable {
    private let packets: ReceivedPackets
    private let sender: Sender

    init(_ packets: ReceivedPackets, from sender: Sender) {
        self.packets = packets
        self.sender = sender
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(packets: packets.makeAsyncIterator(), sender: sender)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Element = ReceivedMessage<Definition>

        fileprivate var packets: ReceivedPackets.AsyncIterator
        fileprivate let sender: Sender

        /// The next message; nil at the end.
        ///
        /// - Throws: ``ConnectionError``, once every message before it has been handed over.
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Element? {
            guard let packet = try await packets.next() else { return nil }
            return try packets.connection.message(in: packet, from: sender)
        }

        /// The next message; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> Element? {
            guard let packet = try await packets.next() else { return nil }
            return try packets.connection.message(in: packet, from: sender)
        }
    }
}
