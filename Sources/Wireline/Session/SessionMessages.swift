// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The messages that arrive in a session, one after another.
///
/// The sequence ends where the session is ended on this side, and throws ``ConnectionError/sessionEnded(_:)`` where it
/// has given up. A message that is not what the schema says ends it with ``ConnectionError/codec(_:)``; whoever iterates
/// again gets what follows.
public struct SessionMessages<Definition: PacketProtocol>: AsyncSequence, Sendable {
    private let session: PacketSession<Definition>

    init(_ session: PacketSession<Definition>) {
        self.session = session
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Element = ReceivedMessage<Definition>

        fileprivate let session: PacketSession<Definition>

        /// The next message; nil at the end.
        ///
        /// - Throws: ``ConnectionError``, once every message before it has been handed over.
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> Element? {
            guard let packet = try await session.driver.next() else { return nil }
            return try session.driver.message(in: packet)
        }

        /// The next message; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> Element? {
            guard let packet = try await session.driver.next() else { return nil }
            return try session.driver.message(in: packet)
        }
    }
}
