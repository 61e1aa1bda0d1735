// SPDX-License-Identifier: Apache-2.0

/// The clients that have not taken all their output. They are checked again after 20 ms, and after twice as long each
/// time
/// that nothing has left, up to 320 ms.
///
/// A round takes 20 ms. Clients that wait for 2ⁿ rounds are checked together, in each round that 2ⁿ divides.
package struct StalledClients<Client: AnyObject> {
    private static var roundTime: Duration { .milliseconds(20) }

    private var levels = [[ObjectIdentifier: Client]](repeating: [:], count: 5)
    private var places: [ObjectIdentifier: Int] = [:]
    private var round = 0
    /// The clients of this round that were not checked yet.
    private var due: [Client] = []

    /// The most clients in one turn. Each check takes 4 µs.
    package static var countPerTurn: Int { 128 }

    package init() {}

    package var isEmpty: Bool { places.isEmpty }

    /// A check has found that the client still has output.
    ///
    /// - Parameter hasTaken: Whether some output has left since the last check.
    package mutating func note(_ client: Client, hasTaken: Bool) {
        let id = ObjectIdentifier(client)
        let last = places[id]
        let level = hasTaken ? 0 : min((last ?? -1) + 1, levels.count - 1)
        guard level != last else { return }
        if let last { levels[last][id] = nil }
        levels[level][id] = client
        places[id] = level
    }

    /// A client's output is empty, or the client is gone.
    package mutating func remove(_ client: Client) {
        if let level = places.removeValue(forKey: ObjectIdentifier(client)) {
            levels[level][ObjectIdentifier(client)] = nil
        }
    }

    /// Starts the wait for the next round that checks a client.
    ///
    /// - Returns: The time until then; nil if there is no client.
    package mutating func nextRound() -> Duration? {
        guard let level = levels.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let last = round
        round = ((round >> level) + 1) << level
        return Self.roundTime * (round - last)
    }

    /// Whether clients must be checked in the next turn.
    package var hasDue: Bool { !due.isEmpty }

    /// Starts the checks of this round, unless some of an earlier round are left.
    package mutating func beginRound() {
        if due.isEmpty { due = levels.prefix(round.trailingZeroBitCount + 1).flatMap(\.values) }
    }

    package mutating func takeDue() -> [Client] {
        let count = min(due.count, Self.countPerTurn)
        defer { due.removeLast(count) }
        return Array(due.suffix(count))
    }
}
