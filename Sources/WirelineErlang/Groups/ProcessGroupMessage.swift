// SPDX-License-Identifier: Apache-2.0

/// What the scope processes of OTP's `pg` say to each other.
///
/// pg ends when it gets any other term, and all memberships are lost there. So terms for it are made only here.
package enum ProcessGroupMessage: Equatable, Sendable {
    /// Asks for all groups of a node: `{discover, Scope}`.
    case discover(from: ErlangPID)
    /// All groups of a node: `{'$gen_cast', {sync, Scope, [{Group, [Pid]}]}}`.
    case sync(from: ErlangPID, [ErlangTerm: [ErlangPID]])
    /// `{join, Scope, Group, [Pid]}`.
    case join(from: ErlangPID, ErlangTerm, [ErlangPID])
    /// `{leave, Scope, [Pid], [Group]}`: each process leaves each group once.
    case leave(from: ErlangPID, [ErlangPID], [ErlangTerm])

    /// Reads a message to a scope process.
    ///
    /// - Throws: ``ErlangDistributionFault/processGroup`` for any other term.
    package init(_ term: ErlangTerm) throws(ErlangError) {
        guard let message = Self.read(term) else { throw .distribution(.processGroup) }
        self = message
    }

    private static func read(_ term: ErlangTerm) -> Self? {
        guard case .tuple(let parts) = term, case .atom(let word)? = parts.first else { return nil }
        switch (word, parts.count) {
        // OTP 27 may send a version with it.
        case ("discover", 2), ("discover", 3): return parts[1].pid.map { .discover(from: $0) }
        case ("$gen_cast", 2): return readSync(parts[1])
        case ("join", 4):
            guard let scope = parts[1].pid, let members = parts[3].pids else { return nil }
            return .join(from: scope, parts[2], members)
        case ("leave", 4):
            guard let scope = parts[1].pid, let members = parts[2].pids, case .list(let groups) = parts[3]
            else { return nil }
            return .leave(from: scope, members, groups)
        default: return nil
        }
    }

    private static func readSync(_ term: ErlangTerm) -> Self? {
        guard case .tuple(let parts) = term, parts.count == 3, parts[0] == "sync", let scope = parts[1].pid,
            case .list(let pairs) = parts[2]
        else { return nil }
        var groups: [ErlangTerm: [ErlangPID]] = [:]
        for pair in pairs {
            guard case .tuple(let parts) = pair, parts.count == 2, let members = parts[1].pids else { return nil }
            groups[parts[0], default: []] += members
        }
        return .sync(from: scope, groups)
    }

    /// The term to send.
    package var term: ErlangTerm {
        switch self {
        case .discover(let scope): .tuple("discover", .pid(scope))
        case .sync(let scope, let groups):
            .tuple("$gen_cast", .tuple("sync", .pid(scope), .list(Self.pairs(of: groups))))
        case .join(let scope, let group, let members): .tuple("join", .pid(scope), group, .pids(members))
        case .leave(let scope, let members, let groups): .tuple("leave", .pid(scope), .pids(members), .list(groups))
        }
    }

    /// The groups in their order. A group without members is left out: it would make an empty group there.
    private static func pairs(of groups: [ErlangTerm: [ErlangPID]]) -> [ErlangTerm] {
        groups.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { .tuple($0.key, .pids($0.value)) }
    }
}

extension ErlangTerm {
    fileprivate var pid: ErlangPID? {
        if case .pid(let pid) = self { pid } else { nil }
    }

    /// One process, or several.
    fileprivate var pids: [ErlangPID]? {
        switch self {
        case .pid(let pid): return [pid]
        case .list(let elements):
            let pids = elements.compactMap(\.pid)
            return pids.count == elements.count ? pids : nil
        default: return nil
        }
    }

    fileprivate static func pids(_ pids: [ErlangPID]) -> ErlangTerm { .list(pids.map { .pid($0) }) }
}
