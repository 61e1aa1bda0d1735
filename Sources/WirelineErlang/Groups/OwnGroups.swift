// SPDX-License-Identifier: Apache-2.0

/// The groups of our own processes, by group and by process.
struct OwnGroups {
    private var members: [ErlangTerm: GroupMembers] = [:]
    /// The groups of each process, each as often as it is a member.
    private var groups: [ErlangPID: [ErlangTerm: Int]] = [:]

    /// All groups with their members.
    var all: [ErlangTerm: [ErlangPID]] { members.mapValues(\.pids) }

    func members(of group: ErlangTerm) -> [ErlangPID] { members[group]?.pids ?? [] }

    mutating func join(_ group: ErlangTerm, _ pid: ErlangPID) {
        members[group, default: GroupMembers()].add(pid)
        groups[pid, default: [:]][group, default: 0] += 1
    }

    /// - Returns: Whether the process was a member.
    mutating func leave(_ group: ErlangTerm, _ pid: ErlangPID) -> Bool {
        guard let count = groups[pid]?[group] else { return false }
        groups[pid]?[group] = count == 1 ? nil : count - 1
        if groups[pid]?.isEmpty == true { groups[pid] = nil }
        remove(pid, from: group)
        return true
    }

    /// A process has ended.
    ///
    /// - Returns: The groups that it was a member of, each as often as it was.
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
