// SPDX-License-Identifier: Apache-2.0

package import WirelineTransport

/// The entries that wait to be sent, in the order of their arrival. Only the connection's loop uses this.
@usableFromInline
struct SendQueue<Outgoing> {
    typealias Sent = Result<Void, ConnectionError>

    /// The receiver of an entry's result.
    @safe
    enum Waiter {
        case task(UnsafeContinuation<Sent, Never>)
        case observer(any SendObserver)
        case nobody
    }

    @usableFromInline
    struct Entry {
        let outgoing: Outgoing
        /// Identifies the entry for its cancellation; nil if it cannot be cancelled.
        let ticket: WaitTicket?
        fileprivate let waiter: Waiter

        func resume(_ result: Sent) {
            switch waiter {
            // SAFETY: only the code that removes an entry from the queue resumes it, and no other code has the entry.
            case .task(let continuation): unsafe continuation.resume(returning: result)
            case .observer(let observer): observer.sendEnded(result)
            case .nobody: break
            }
        }
    }

    @usableFromInline private(set) var entries = NumberedQueue<Entry>()

    @inlinable var isEmpty: Bool { entries.isEmpty }

    var count: Int { entries.count }

    /// Whether a caller waits until an entry is sent.
    var isAwaited: Bool {
        entries.elements.contains { if case .nobody = $0.waiter { false } else { true } }
    }

    var first: Entry? { entries.first }

    /// The waiters that are not tasks.
    var observers: [any SendObserver] {
        entries.elements.compactMap { if case .observer(let observer) = $0.waiter { observer } else { nil } }
    }

    /// - Parameter ticket: Gets the entry's place in the queue, for ``remove(_:)``.
    mutating func append(_ outgoing: Outgoing, _ waiter: Waiter, _ ticket: WaitTicket? = nil) {
        let place = entries.append(Entry(outgoing: outgoing, ticket: ticket, waiter: waiter))
        ticket?.place = place
    }

    mutating func popFirst() -> Entry? { entries.popFirst() }

    mutating func remove(_ ticket: WaitTicket) -> Entry? { ticket.place.flatMap { entries.remove($0) } }

    mutating func removeAll() -> [Entry] {
        defer { entries = NumberedQueue() }
        return entries.elements
    }
}

/// Receives, on the connection's loop, the result of an entry that waited to be sent.
protocol SendObserver: AnyObject {
    func sendEnded(_ result: Result<Void, ConnectionError>)
}

protocol SendingConnection: AnyObject, Sendable {
    associatedtype Outgoing: Sendable

    var stream: ByteStream { get }

    func sendQueue(for outgoing: Outgoing) -> ReferenceWritableKeyPath<Self, SendQueue<Outgoing>>

    /// Sends at once if no entry waits before it and the limits allow it. Call it on the loop.
    ///
    /// - Returns: Whether it was sent.
    func sendAtOnce(_ outgoing: Outgoing) throws(ConnectionError) -> Bool

    /// Sends waiting entries, as far as the limits allow.
    func resumeSenders()

    /// Drops the prepared output of a cancelled task.
    func sendWasCancelled(_ ticket: WaitTicket)
}

extension SendingConnection {
    /// Sends when earlier entries are sent and the limits allow it. Any thread may call it.
    nonisolated(nonsending) func sendInTurn(_ outgoing: Outgoing) async throws(ConnectionError) {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.sendOnLoop(outgoing) }.get()
        }
        try await waitToSend(outgoing).get()
    }

    /// Sends on the loop, which the task prefers.
    ///
    /// The optimizer (Swift 6.3.1) drops the change of executor if nothing but a call of an async function follows it;
    /// the check keeps it.
    @concurrent
    private func sendOnLoop(_ outgoing: Outgoing) async -> SendQueue<Outgoing>.Sent {
        stream.loop.preconditionIsCurrent()
        return await waitToSend(outgoing)
    }

    /// Call it on the loop.
    private nonisolated(nonsending) func waitToSend(_ outgoing: Outgoing) async -> SendQueue<Outgoing>.Sent {
        do throws(ConnectionError) {
            // A cancelled task still sends output that need not wait.
            if try sendAtOnce(outgoing) { return .success(()) }
        } catch {
            return .failure(error)
        }
        let queue = sendQueue(for: outgoing)
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            // SAFETY: the continuation is resumed here, or stored in one entry, which is removed from the queue once.
            await unsafe withUnsafeContinuation { continuation in
                guard !ticket.isCancelled else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                self[keyPath: queue].append(outgoing, unsafe .task(continuation), ticket)
                resumeSenders()
            }
        } onCancel: {
            stream.loop.execute {
                ticket.isCancelled = true
                self.sendWasCancelled(ticket)
                self[keyPath: self.sendQueue(for: outgoing)].remove(ticket)?.resume(.failure(.cancelled))
            }
        }
    }

    func sendWasCancelled(_ ticket: WaitTicket) {}
}
