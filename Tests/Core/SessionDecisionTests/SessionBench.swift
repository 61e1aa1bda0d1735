// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline

/// A session, its clock, and the actions that it wants done.
struct SessionBench {
    typealias Action = SessionAction<String>

    var session: ClientSession<String>
    var now = Duration.zero
    var random = SeededGenerator(seed: 1)
    /// The actions after the last event.
    var actions: [Action] = []

    init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        session = ClientSession(configuration)
    }

    @discardableResult
    mutating func handle(_ event: SessionEvent) -> [Action] {
        actions = []
        session.handle(event, at: now, using: &random, into: &actions)
        return actions
    }

    @discardableResult
    mutating func send(
        _ text: String, _ delivery: DeliveryPolicy, _ receipt: DeliveryReceipt = .none, byteCount: Int = 10,
        expiry: Duration? = nil
    ) throws(SessionError) -> MessageNumber {
        actions = []
        let message = OutboundMessage(
            text, byteCount: byteCount, delivery: delivery, receipt: receipt, expiry: expiry)
        return try session.send(message, at: now, into: &actions)
    }

    /// Lets time pass up to the session's deadline.
    @discardableResult
    mutating func reachDeadline() throws -> [Action] {
        now = max(now, try #require(session.deadline))
        return handle(.timerFired)
    }

    mutating func start() throws -> ConnectionNumber {
        handle(.start)
        return try connecting()
    }

    /// The connection that the last event asked for.
    func connecting() throws -> ConnectionNumber {
        try #require(
            actions.lazy.compactMap { action in
                if case .connect(let connection, _) = action { connection } else { nil }
            }.first)
    }

    /// Moves on to the next connection, however long it takes, and logs in on it.
    @discardableResult
    mutating func makeReady() throws -> ConnectionNumber {
        if session.state == nil { handle(.start) }
        while case .waiting = session.state { try reachDeadline() }
        let connection = try connecting()
        handle(.connected(connection))
        handle(.loggedIn(connection))
        return connection
    }

    /// The messages that the last event handed to a connection.
    var given: [String] {
        actions.compactMap { if case .give(_, let message) = $0 { message.payload } else { nil } }
    }

    /// Their sequence numbers.
    var givenSequences: [UInt64?] {
        actions.compactMap { if case .give(_, let message) = $0 { message.sequence } else { nil } }
    }

    /// How messages have ended.
    var outcomes: [MessageOutcome] {
        actions.compactMap { if case .complete(_, let outcome) = $0 { outcome } else { nil } }
    }

    /// The causes with which connections were closed.
    var closings: [DisconnectCause] {
        actions.compactMap { if case .close(_, let cause) = $0 { cause } else { nil } }
    }
}
