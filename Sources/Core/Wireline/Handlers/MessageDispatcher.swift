// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Runs the handlers of one connection, on its loop.
final class MessageDispatcher {
    private typealias Handler = HandlerTable.Handler

    private let table: HandlerTable
    private let connection: PacketConnection
    private let current: CurrentPacket
    /// The client's ``ClientContext``.
    private let context: AnyObject
    /// Counts the messages that are handled without `await`, in steps of 4. At the overflow to 0, one message in 64 is
    /// measured: reading the clock twice takes longer than a short handler.
    @safe @exclusivity(unchecked) private var sampleCount: UInt8 = 252

    init<Definition, State>(_ table: HandlerTable, _ context: ClientContext<Definition, State>) {
        self.table = table
        connection = context.connection.connection
        current = context.current
        self.context = context
    }

    func open() throws {
        for handler in table.handlers.opened { try handler(context) }
    }

    func close(_ error: (any Error)?) {
        for handler in table.handlers.closed { handler(context, error) }
    }

    // MARK: Without a task

    /// Handles packets until none is left, or until too much output waits.
    func take(_ batch: inout PacketBatch) throws {
        defer { current.end() }
        // The packets at sight lie in one block. A connection that leaves has dropped its input, so it has none.
        while connection.takesAnswers, let place = try batch.nextPlace() {
            current.begin(place, in: batch.block)
            try handleWithoutInlining(batch.packet(at: place))
            while connection.hasRoomForAnswers, let place = batch.nextPlaceOnFastPath() {
                current.begin(place)
                try handleAtOnce(batch.packet(at: place))
            }
        }
    }

    /// Handles a packet as ``handleAtOnce(_:)`` does, without a second copy of its inlined code.
    @inline(never)
    private func handleWithoutInlining(_ packet: borrowing Packet) throws { try handleAtOnce(packet) }

    @inline(__always)
    private func handleAtOnce(_ packet: borrowing Packet) throws {
        // SAFETY: the table keeps its handlers, and this value keeps the table.
        guard let handler = unsafe table.handler(of: packet.id) else { return try handleUnknown(packet) }
        do {
            // SAFETY: as above.
            try unsafe handler._withUnsafeGuaranteedRef { try handle(packet, $0) }
        } catch {
            try handleFailure(error)
        }
    }

    @inline(__always)
    private func handle(_ packet: borrowing Packet, _ handler: Handler) throws {
        guard try !handler.hasSteps || runSteps(before: handler) else { return }
        sampleCount &+= 4
        guard sampleCount == 0 else { return try handler.handle(packet, context) }
        let start = MonotonicTime.now
        try handler.handle(packet, context)
        record(handler, since: start)
    }

    @inline(never)
    private func handleUnknown(_ packet: borrowing Packet) throws {
        guard case .atOnce(let handle)? = table.handlers.other else { return connection.noteUnknownID() }
        do { try handle(packet, context) } catch { try handleFailure(error) }
    }

    // MARK: In a task

    nonisolated(nonsending) func run() async throws {
        while var batch = try await connection.nextBatch() {
            defer { current.end() }
            while let place = try batch.nextPlace() {
                current.begin(place, in: batch.block)
                if let (handle, handler) = try waitingHandler(of: batch.packet(at: place)),
                    let received = current.packet
                {
                    let start = MonotonicTime.now
                    do { try await handle(received, context) } catch { try handleFailure(error) }
                    if let handler { record(handler, since: start) }
                }
                if !connection.takesAnswers { try await connection.sendAfterOthers([]) }
            }
        }
    }

    private typealias WaitingHandler = (
        handle: @Sendable (ReceivedPacket, AnyObject) async throws -> Void, handler: Handler?
    )

    /// Handles a packet, unless its handler awaits: then it returns the handler. An unknown ID has no ``Handler``.
    private func waitingHandler(of packet: borrowing Packet) throws -> WaitingHandler? {
        // SAFETY: the table keeps its handlers, and this value keeps the table.
        guard let handler = unsafe table.handler(of: packet.id)?.takeUnretainedValue() else {
            if case .inTask(let handle)? = table.handlers.other { return (handle, nil) }
            try handleUnknown(packet)
            return nil
        }
        guard let handle = handler.handleInTask else {
            try handleAtOnce(packet)
            return nil
        }
        do {
            return try runSteps(before: handler) ? (handle, handler) : nil
        } catch {
            try handleFailure(error)
            return nil
        }
    }

    // MARK: Times

    @inline(never)
    private func record(_ handler: Handler, since start: MonotonicTime) {
        connection.sharedLimits?.messageTimes?.record(
            id: handler.type.messageID, name: handler.type.messageName,
            nanoseconds: MonotonicTime.now.nanoseconds - start.nanoseconds)
    }

    // MARK: Steps and errors

    /// Runs the steps before a handler, and returns whether the message is handled.
    private func runSteps(before handler: Handler) throws -> Bool {
        for step in handler.steps where try !step.run(handler.type, context) { return false }
        return true
    }

    private func handleFailure(_ error: any Error) throws {
        guard let failed = table.handlers.failed else { throw error }
        try failed(error, context)
    }
}
