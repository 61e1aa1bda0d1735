// SPDX-License-Identifier: Apache-2.0

/// What a client has said and nobody has confirmed, with its numbers.
///
///     1 … confirmed … handed over … received
///              └─ not confirmed ─┘└─ kept ─┘
///
/// Messages have numbers from 1, without gaps. With a window, a message is kept until it is confirmed, and a new owner is
/// handed all that follow the last confirmed one. Without a window, what is handed over counts as confirmed: it is gone,
/// whatever becomes of it.
package struct MessageWindow {
    /// The number of the last message that is done with.
    package private(set) var confirmed: UInt64 = 0
    /// The number of the last message that the owner has.
    package private(set) var handedOver: UInt64 = 0
    /// The number of the last message that has come.
    package private(set) var received: UInt64 = 0
    /// The greatest number that any owner has had.
    private var lastHanded: UInt64 = 0

    // INVARIANT: from `start` on are the messages `confirmed + 1` to `received`.
    private var messages: [MessageTerm] = []
    private var start = 0
    /// The bytes of the messages that are kept.
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

    /// The most messages that the owner may have without confirming them; 0: messages have no numbers.
    package var limit: Int { hasConfirmations ? messageLimit : 0 }

    /// The number of messages that the owner has and has not confirmed.
    package var unconfirmedCount: Int { Int(handedOver - confirmed) }

    /// Whether no message is kept.
    package var isEmpty: Bool { count == 0 }

    /// Whether another message may come. If not, the client is not to be read.
    package var hasRoom: Bool { count < messageLimit && byteCount < byteLimit }

    /// Takes what the client said.
    package mutating func append(_ message: MessageTerm) {
        messages.append(message)
        byteCount += message.byteCount
        received += 1
    }

    /// Counts a message that the owner gets as soon as it comes, so that it need not be kept.
    ///
    /// - Returns: False if it must be kept: others come first, or it must be confirmed.
    package mutating func pass() -> Bool {
        guard !hasConfirmations, count == 0 else { return false }
        received += 1
        (handedOver, confirmed, lastHanded) = (received, received, received)
        return true
    }

    /// A message that is handed over.
    package struct Handed {
        package let message: MessageTerm
        package let number: UInt64
        /// Whether another owner had it before.
        package let isResent: Bool
    }

    /// Takes the next message to hand over; nil if none is left, or if the owner has as much as it may.
    ///
    /// - Parameter isLast: Whether nothing follows, so that no limit holds: the client is gone.
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

    /// Whether a number can be confirmed: above what is confirmed, and not above what the owner has.
    package func canConfirm(_ number: UInt64, after last: UInt64) -> Bool { last < number && number <= handedOver }

    /// Forgets the messages up to a number, which ``canConfirm(_:after:)`` has allowed.
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
        // On average, each message is moved at most once.
        guard start == messages.count || start >= 64 && start >= messages.count / 2 else { return }
        messages.removeFirst(start)
        start = 0
    }

    /// Stands where a message was, so that its memory is free.
    private static let nothing = MessageTerm(term: [])

    /// Another owner comes: what is not confirmed is handed over again.
    package mutating func rewind() {
        handedOver = confirmed
        handedByteCount = 0
    }
}
