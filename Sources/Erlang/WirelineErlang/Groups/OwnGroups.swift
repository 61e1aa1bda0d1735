// SPDX-License-Identifier: Apache-2.0

/// The groups of our own processes. A process may be a member several times.
struct OwnGroups {
    private var members: [ErlangTerm: GroupMembers] = [:]
    /// How often each process is a member of each group.
    private var groups: [ErlangPID: [ErlangTerm: Int]] = [:]

    var all: [ErlangTerm: [ErlangPID]] { members.mapValues(\.pids) }

    func members(of group: ErlangTerm) -> [ErlangPID] { members[group]?.pids ?? [] }

    mutating func join(_ group: ErlangTerm, _ pid: ErlangPID) {
        members[group, default: GroupMembers()].add(pid)
        groups[pid, default: [:]][group, default: 0] += 1
    }

    /// Returns whether the process was a member.
    mutating func leave(_ group: ErlangTerm, _ pid: ErlangPID) -> Bool {
        guard let count = groups[pid]?[group] else { return false }
        groups[pid]?[group] = count == 1 ? nil : count - 1
        if groups[pid]?.isEmpty == true { groups[pid] = nil }
        remove(pid, from: group)
        return true
    }

    /// - Returns: The groups that the process was a member of. A group stands once for each membership.
    mutating func ended(_ pid: ErlangPID) -> [ErlangTerm] {
        let left = (groups.removeValue(forKey: pid) ?? [:]).sorted { $0.key < $1.key }
            .flatMap { group, count in repeatElement(group, count: count) }
        for group in left { remove(pid, from: group) }
        return left
    }

    private mutating func remove(_ pid: ErlangPID, from group: ErlangTerm) {
        _ = members[group]?.remove(pid)
        if members[group]?.isEmpty == true { members[group] = nil }
    }
}
