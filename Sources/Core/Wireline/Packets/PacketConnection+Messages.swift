// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketConnection {
    /// The messages that arrive, one after another, for code that needs an `AsyncSequence`.
    ///
    /// ``PacketEndpoint/nextMessage()`` returns the same messages in a fraction of the time: `for await` changes
    /// executors and back for every element, even if both are the same.
    ///
    /// The sequence ends when the peer ends its stream after a whole packet. A message that does not match the schema
    /// throws ``ConnectionError/codec(_:)``. The connection stays open: iterate again to get what follows.
    public struct Messages<Message: IncomingMessage>: AsyncSequence, Sendable {
        private let connection: PacketConnection
        /// Keeps a client's connection open while a task reads from it.
        private let owner: ConnectionOwner?

        init(_ connection: PacketConnection, owner: ConnectionOwner?) {
            self.connection = connection
            self.owner = owner
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, owner: owner) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            public typealias Element = ReceivedMessage<Message>

            fileprivate let connection: PacketConnection
            fileprivate let owner: ConnectionOwner?

            /// Returns the next message; nil at the end.
            ///
            /// - Throws: ``ConnectionError``, after every earlier message was returned.
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Element? {
                try await connection.nextMessage()
            }

            /// Returns the next message; nil at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> Element? {
                try await connection.nextMessage()
            }
        }
    }
}
