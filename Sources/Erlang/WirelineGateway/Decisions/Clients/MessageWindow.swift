// SPDX-License-Identifier: Apache-2.0

/// A client's messages that are not confirmed, with their numbers.
///
///     1 … confirmed … handed over … received
///              └─ not confirmed ─┘└─ kept ─┘
///
/// Messages have numbers from 1, without gaps. With a window, a message is kept until it is confirmed, and a new owner
/// gets all messages after the last confirmed one. Without a window, a handed over message counts as confirmed: it is
/// gone, whatever happens to it.
package struct MessageWindow {
    /// The number of the last message that is done.
    package private(set) var confirmed: UInt64 = 0
    /// The number of the last message that the owner has.
    package private(set) var handedOver: UInt64 = 0
    /// The number of the last message that has arrived.
    package private(set) var received: UInt64 = 0
    /// The greatest number that any owner ever had.
    private var lastHanded: UInt64 = 0

    // INVARIANT: from `start` on are the messages `confirmed + 1` to `received`.
    private var messages: [MessageTerm] = []
    private var start = 0
    /// The bytes of the kept messages.
    package private(set) var byteCount = 0
    private var handedByteCount = 0

    private let hasConfirmations: Bool
    private let messageLimit: Int
    private let byteLimit: Int

    package init(_ settings: GatewaySettings) {
        hasConfirmations = settings.window > 0
        messageLimit = settings.window > 0 ? settings.window : settings.parkedMessageCount
        byteLimit = settings.windowByteCount
    }

    private var count: Int { messages.count - start }

    /// The most messages that the owner may have unconfirmed; 0: messages have no numbers.
    package var limit: Int { hasConfirmations ? messageLimit : 0 }

    /// The number of unconfirmed messages that the owner has.
    package var unconfirmedCount: Int { Int(handedOver - confirmed) }

    package var isEmpty: Bool { count == 0 }

    /// Whether another message may come. If not, do not read the client.
    package var hasRoom: Bool { count < messageLimit && byteCount < byteLimit }

    package mutating func append(_ message: MessageTerm) {
        messages.append(message)
        byteCount += message.byteCount
        received += 1
    }

    /// Counts a message that goes to the owner at once, so that it is not kept.
    ///
    /// - Returns: False if it must be kept: others come before it, or it must be confirmed.
    package mutating func pass() -> Bool {
        guard !hasConfirmations, count == 0 else { return false }
        received += 1
        (handedOver, confirmed, lastHanded) = (received, received, received)
        return true
    }

    /// A message to hand over.
    package struct Handed {
        package let message: MessageTerm
        package let number: UInt64
        /// Whether an earlier owner had it.
        package let isResent: Bool
    }

    /// Takes the next message to hand over; nil if none is left, or if the owner has as much as it may.
    ///
    /// - Parameter isLast: Whether the client is gone, so that no limit applies.
    package mutating func next(isLast: Bool = false) -> Handed? {
        guard handedOver < received else { return nil }
        let index = start + Int(handedOver - confirmed)
        let message = messages[index]
        let handedCount = Int(handedOver - confirmed)
        let fits = handedCount < messageLimit && handedByteCount + message.byteCount <= byteLimit
        guard isLast || fits || handedCount == 0 else { return nil }
        handedOver += 1
        defer { lastHanded = max(lastHanded, handedOver) }
        if hasConfirmations { handedByteCount += message.byteCount } else { drop(upTo: handedOver) }
        return Handed(message: message, number: handedOver, isResent: handedOver <= lastHanded)
    }

    /// A number can be confirmed if it is above the last confirmed one, and the owner has it.
    package func canConfirm(_ number: UInt64, after last: UInt64) -> Bool { last < number && number <= handedOver }

    /// Drops the messages up to a number for which ``canConfirm(_:after:)`` is true.
    package mutating func confirm(_ number: UInt64) {
        precondition(canConfirm(number, after: confirmed), "\(number) was not handed over")
        drop(upTo: number)
    }

    private mutating func drop(upTo number: UInt64) {
        while confirmed < number {
            let message = messages[start]
            byteCount -= message.byteCount
            if hasConfirmations { handedByteCount -= message.byteCount }
            messages[start] = Self.nothing
            start += 1
            confirmed += 1
        }
        // On average, this moves each message at most once.
        guard start == messages.count || start >= 64 && start >= messages.count / 2 else { return }
        messages.removeFirst(start)
        start = 0
    }

    /// Replaces a dropped message, so that its memory is free.
    private static let nothing = MessageTerm(term: [])

    /// For a new owner: unconfirmed messages are handed over again.
    package mutating func rewind() {
        handedOver = confirmed
        handedByteCount = 0
    }
}
