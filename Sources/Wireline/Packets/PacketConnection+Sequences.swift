// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketConnection {
    /// The packets that arrive, one after another, for programs that decode them themselves.
    ///
    /// The sequence ends when the peer ends its stream after a whole packet.
    public struct Packets: AsyncSequence, Sendable {
        @usableFromInline let connection: PacketConnection
        /// Keeps a client's connection open while a task reads from it.
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

            /// Returns the next packet; nil at the end.
            ///
            /// - Throws: ``ConnectionError``, after every earlier packet was returned.
            @inlinable @inline(__always)
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> ReceivedPacket? {
                try await connection.next()
            }

            /// Returns the next packet; nil at the end.
            @inlinable @inline(__always)
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> ReceivedPacket? {
                try await connection.next()
            }
        }
    }
}

extension PacketConnection {
    /// The messages that arrive, one after another.
    ///
    /// The sequence ends when the peer ends its stream after a whole packet. A message that does not match the schema
    /// throws ``ConnectionError/codec(_:)``. The connection stays open: iterate again to get what follows.
    public struct Messages<Definition: PacketProtocol>: AsyncSequence, Sendable {
        private let packets: Packets
        private let sender: Sender

        init(_ packets: Packets, from sender: Sender) {
            self.packets = packets
            self.sender = sender
        }

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(packets: packets.makeAsyncIterator(), sender: sender)
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            public typealias Element = ReceivedMessage<Definition>

            fileprivate var packets: Packets.AsyncIterator
            fileprivate let sender: Sender

            /// Returns the next message; nil at the end.
            ///
            /// - Throws: ``ConnectionError``, after every earlier message was returned.
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Element? {
                guard let packet = try await packets.next() else { return nil }
                return try packets.connection.message(in: packet, from: sender)
            }

            /// Returns the next message; nil at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> Element? {
                guard let packet = try await packets.next() else { return nil }
                return try packets.connection.message(in: packet, from: sender)
            }
        }
    }
}
