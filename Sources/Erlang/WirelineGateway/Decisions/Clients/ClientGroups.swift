// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

package struct ClientGroups {
    /// The members of a group. Their order depends only on joins and leaves, so that a simulation can be repeated.
    private struct Members {
        private(set) var numbers: [ClientNumber] = []
        private var places: [ClientNumber: Int] = [:]

        var isEmpty: Bool { numbers.isEmpty }

        mutating func insert(_ number: ClientNumber) -> Bool {
            guard places[number] == nil else { return false }
            places[number] = numbers.count
            numbers.append(number)
            return true
        }

        mutating func remove(_ number: ClientNumber) -> Bool {
            guard let place = places.removeValue(forKey: number), let last = numbers.popLast() else { return false }
            if last != number {
                numbers[place] = last
                places[last] = place
            }
            return true
        }
    }

    private var groups: [ErlangTerm: Members] = [:]

    package var count: Int { groups.count }

    package func members(of group: ErlangTerm) -> [ClientNumber] { groups[group]?.numbers ?? [] }

    /// Returns whether the client is a new member.
    package mutating func join(_ group: ErlangTerm, _ number: ClientNumber) -> Bool {
        groups[group, default: Members()].insert(number)
    }

    /// Returns whether the client was a member.
    package mutating func leave(_ group: ErlangTerm, _ number: ClientNumber) -> Bool {
        guard let place = groups.index(forKey: group), groups.values[place].remove(number) else { return false }
        if groups.values[place].isEmpty { groups.remove(at: place) }
        return true
    }
}
