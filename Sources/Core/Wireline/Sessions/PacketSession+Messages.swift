// SPDX-License-Identifier: Apache-2.0

extension PacketSession {
    /// The messages that arrive in a session, one after another.
    ///
    /// The sequence ends if the session is ended on this side, and throws ``ConnectionError/sessionEnded(_:)`` if the
    /// session gave up. A message that does not match the schema throws ``ConnectionError/codec(_:)``; iterate again to
    /// get what follows. One task at a time iterates: a second one throws ``ConnectionError/alreadyReceiving``, and the
    /// first one continues.
    public struct Messages: AsyncSequence, Sendable {
        private let session: PacketSession<Definition>

        init(_ session: PacketSession<Definition>) {
            self.session = session
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            public typealias Element = ReceivedMessage<Definition.FromServer>

            fileprivate let session: PacketSession<Definition>

            /// Returns the next message; nil at the end.
            ///
            /// - Throws: ``ConnectionError``, after every earlier message was returned.
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Element? {
                guard let packet = try await session.driver.next() else { return nil }
                return try session.driver.message(in: packet)
            }

            /// Returns the next message; nil at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> Element? {
                guard let packet = try await session.driver.next() else { return nil }
                return try session.driver.message(in: packet)
            }
        }
    }
}
