// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

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
            guard let packet = try await session.driver.nextPacket() else { return nil }
            return try ReceivedMessage(packet, from: .server)
        }

        /// The next message; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> Element? {
            guard let packet = try await session.driver.nextPacket() else { return nil }
            return try ReceivedMessage(packet, from: .server)
        }
    }
}

extension SessionDriver {
    /// The next packet for whoever iterates, from any task.
    fileprivate nonisolated(nonsending) func nextPacket() async throws(ConnectionError) -> ReceivedPacket? {
        if loop.isCurrent, let taken = inbox.take() { return try taken.get() }
        let ticket = WaitTicket()
        let taken = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { self.inbox.take(ticket, $0) }
            } onCancel: {
                self.loop.execute { self.inbox.cancel(ticket) }
            }
        }
        return try taken.get()
    }
}
