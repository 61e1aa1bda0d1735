// SPDX-License-Identifier: Apache-2.0

/// The members of a group on one node. A process may be a member several times.
struct GroupMembers {
    private struct Membership {
        /// How many memberships began before.
        let earlierCount: Int
        var count = 0
    }

    private var memberships: [ErlangPID: Membership] = [:]
    private var arrivalCount = 0

    init(_ pids: [ErlangPID] = []) {
        memberships.reserveCapacity(pids.count)
        for pid in pids { add(pid) }
    }

    var isEmpty: Bool { memberships.isEmpty }

    /// Each member in the order of its arrival, once for each membership.
    var pids: [ErlangPID] {
        memberships.sorted { $0.value.earlierCount < $1.value.earlierCount }
            .flatMap { pid, membership in repeatElement(pid, count: membership.count) }
    }

    mutating func add(_ pid: ErlangPID) {
        memberships[pid, default: Membership(earlierCount: arrivalCount)].count += 1
        arrivalCount += 1
    }

    /// Undoes one membership.
    ///
    /// - Returns: Whether the process was a member.
    mutating func remove(_ pid: ErlangPID) -> Bool {
        guard let count = memberships[pid]?.count else { return false }
        if count == 1 { memberships[pid] = nil } else { memberships[pid]?.count = count - 1 }
        return true
    }
}
