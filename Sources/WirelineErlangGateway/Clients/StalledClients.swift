// SPDX-License-Identifier: Apache-2.0

/// The clients that have not taken all that was written to them, and when to look at each one again: after 20 ms, and twice
/// as long each time that it has taken nothing, up to 320 ms.
///
/// A round is 20 ms. Those that wait for 2ⁿ rounds are looked at together, in each round that 2ⁿ divides.
package struct StalledClients<Client: AnyObject> {
    private static var roundTime: Duration { .milliseconds(20) }

    private var levels = [[ObjectIdentifier: Client]](repeating: [:], count: 5)
    private var places: [ObjectIdentifier: Int] = [:]
    private var round = 0
    /// The clients to look at in this round that were not yet.
    private var due: [Client] = []

    /// The most clients that are looked at in one turn. Each takes 4 µs.
    package static var countPerTurn: Int { 128 }

    package init() {}

    package var isEmpty: Bool { places.isEmpty }

    /// A client was looked at, and has not taken all.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - hasTaken: Whether it has taken something since the last time.
    package mutating func note(_ client: Client, hasTaken: Bool) {
        let id = ObjectIdentifier(client)
        let last = places[id]
        let level = hasTaken ? 0 : min((last ?? -1) + 1, levels.count - 1)
        guard level != last else { return }
        if let last { levels[last][id] = nil }
        levels[level][id] = client
        places[id] = level
    }

    /// A client has taken all, or is gone.
    package mutating func remove(_ client: Client) {
        if let level = places.removeValue(forKey: ObjectIdentifier(client)) {
            levels[level][ObjectIdentifier(client)] = nil
        }
    }

    /// Begins the wait for the next round in which a client is to be looked at.
    ///
    /// - Returns: How long it takes; nil if there is no client.
    package mutating func nextRound() -> Duration? {
        guard let level = levels.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let last = round
        round = ((round >> level) + 1) << level
        return Self.roundTime * (round - last)
    }

    /// Whether clients are to be looked at in the next turn.
    package var hasDue: Bool { !due.isEmpty }

    /// Begins to look at the clients of this round, unless some of an earlier round are left.
    package mutating func beginRound() {
        if due.isEmpty { due = levels.prefix(round.trailingZeroBitCount + 1).flatMap(\.values) }
    }

    /// Takes the clients to look at in this turn.
    package mutating func takeDue() -> [Client] {
        let count = min(due.count, Self.countPerTurn)
        defer { due.removeLast(count) }
        return Array(due.suffix(count))
    }
}
