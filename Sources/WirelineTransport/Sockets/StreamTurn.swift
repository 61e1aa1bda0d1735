// SPDX-License-Identifier: Apache-2.0

/// What a stream has asked its loop for.
struct StreamTurn {
    /// Whether the loop will call ``ByteStream/goOn()``.
    private(set) var willGoOn = false
    /// Whether the loop will call ``ByteStream/endTurn()`` to send what is queued now.
    private var willSend = false
    /// Whether a writer waits for the end of the turn.
    private(set) var hasWaitingWriter = false

    /// Notes that the stream has more to do.
    ///
    /// - Returns: Whether the loop must be told; false if it knows already.
    mutating func askToGoOn() -> Bool {
        guard !willGoOn else { return false }
        willGoOn = true
        return true
    }

    /// Notes that the loop calls ``ByteStream/goOn()``.
    mutating func beginGoingOn() { willGoOn = false }

    /// Notes that output is queued.
    ///
    /// - Returns: Whether the loop must be told; false if it knows already.
    mutating func askToSend() -> Bool {
        guard !willSend else { return false }
        willSend = true
        return true
    }

    /// Notes that the stream sends what is queued.
    mutating func beginSending() { willSend = false }

    /// Notes that a writer waits for the end of the turn.
    mutating func addWaitingWriter() { hasWaitingWriter = true }

    /// Notes that the turn ends.
    ///
    /// - Returns: Whether a writer waited for it.
    mutating func end() -> Bool {
        defer { hasWaitingWriter = false }
        return hasWaitingWriter
    }
}
