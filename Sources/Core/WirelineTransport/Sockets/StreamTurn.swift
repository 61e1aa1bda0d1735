// SPDX-License-Identifier: Apache-2.0

struct StreamTurn {
    /// Whether the loop will call ``ByteStream/continueWork()``.
    private(set) var willContinue = false
    /// Whether the loop will call ``ByteStream/endTurn()`` to send the queued bytes.
    private var willSend = false
    private(set) var hasWaitingWriter = false

    /// - Returns: Whether the stream must ask the loop; false if it has done so already.
    mutating func askToContinue() -> Bool {
        guard !willContinue else { return false }
        willContinue = true
        return true
    }

    mutating func beginContinuing() { willContinue = false }

    /// - Returns: Whether the stream must ask the loop; false if it has done so already.
    mutating func askToSend() -> Bool {
        guard !willSend else { return false }
        willSend = true
        return true
    }

    mutating func beginSending() { willSend = false }

    mutating func addWaitingWriter() { hasWaitingWriter = true }

    /// - Returns: Whether a writer waited for the end of the turn.
    mutating func end() -> Bool {
        defer { hasWaitingWriter = false }
        return hasWaitingWriter
    }
}
