// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A message between scope processes of OTP's `pg`.
///
/// pg ends when it gets any other term, and then loses all memberships. So only this type makes terms for it.
package enum ProcessGroupMessage: Equatable, Sendable {
    /// Asks for all groups of a node: `{discover, Scope}`.
    case discover(from: ErlangPID)
    /// All groups of a node: `{'$gen_cast', {sync, Scope, [{Group, [Pid]}]}}`.
    case sync(from: ErlangPID, [ErlangTerm: [ErlangPID]])
    /// `{join, Scope, Group, [Pid]}`.
    case join(from: ErlangPID, ErlangTerm, [ErlangPID])
    /// `{leave, Scope, [Pid], [Group]}`: each process leaves each group once.
    case leave(from: ErlangPID, [ErlangPID], [ErlangTerm])

    package var term: ErlangTerm {
        switch self {
        case .discover(let scope): .tuple("discover", .pid(scope))
        case .sync(let scope, let groups):
            .tuple("$gen_cast", .tuple("sync", .pid(scope), .list(Self.pairs(of: groups))))
        case .join(let scope, let group, let members): .tuple("join", .pid(scope), group, Self.list(members))
        case .leave(let scope, let members, let groups):
            .tuple("leave", .pid(scope), Self.list(members), .list(groups))
        }
    }

    /// In the order of the groups. A group without members is left out, because pg would keep it as an empty group.
    private static func pairs(of groups: [ErlangTerm: [ErlangPID]]) -> [ErlangTerm] {
        groups.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { .tuple($0.key, list($0.value)) }
    }

    private static func list(_ pids: [ErlangPID]) -> ErlangTerm { .list(pids.map { .pid($0) }) }
}

/// Reads a message of a scope process, but only the part about wanted groups.
///
/// A scope may have some 100,000 groups, and only a few are wanted. No term is made for the others.
struct ProcessGroupReader: ~Escapable {
    private var reader: ErlangTermReader
    private let node: ErlangAtom
    private let names: NodeNames
    private let wanted: WantedGroups

    /// - Parameters:
    ///   - bytes: A term without a version byte.
    ///   - node: The node that sent it. A message about processes of another node is refused.
    ///   - wanted: The groups to read.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, from node: ErlangAtom, _ wanted: WantedGroups) {
        reader = ErlangTermReader(bytes)
        self.node = node
        names = NodeNames(peer: node)
        self.wanted = wanted
    }

    /// A change of unwanted groups has no members, or no groups.
    ///
    /// - Returns: nil for any other term.
    mutating func read() -> ProcessGroupMessage? {
        guard let count = reader.readTuple(), let word = reader.readAtom()?.name else { return nil }
        switch (word, count) {
        // OTP 27 may send a version with it.
        case ("discover", 2), ("discover", 3): return pid().map { .discover(from: $0) }
        case ("$gen_cast", 2): return sync()
        case ("join", 4): return join()
        case ("leave", 4): return leave()
        default: return nil
        }
    }

    private mutating func sync() -> ProcessGroupMessage? {
        guard reader.readTuple() == 3, reader.readAtom()?.matches("sync") == true, let scope = pid(),
            let count = reader.readList()
        else { return nil }
        var groups: [ErlangTerm: [ErlangPID]] = [:]
        for _ in 0..<count {
            guard reader.readTuple() == 2 else { return nil }
            guard let group = wanted.read(&reader) else {
                guard reader.skip() != nil, reader.skip() != nil else { return nil }
                continue
            }
            guard let members = pids() else { return nil }
            groups[group, default: []] += members
        }
        return endsList(of: count) ? .sync(from: scope, groups) : nil
    }

    private mutating func join() -> ProcessGroupMessage? {
        guard let scope = pid() else { return nil }
        guard let group = wanted.read(&reader) else {
            return reader.skip() == nil || reader.skip() == nil ? nil : .join(from: scope, .list([]), [])
        }
        return pids().map { .join(from: scope, group, $0) }
    }

    private mutating func leave() -> ProcessGroupMessage? {
        guard let scope = pid(), let members = pids(), let count = reader.readList() else { return nil }
        var groups: [ErlangTerm] = []
        for _ in 0..<count {
            if let group = wanted.read(&reader) {
                groups.append(group)
            } else if reader.skip() == nil {
                return nil
            }
        }
        return endsList(of: count) ? .leave(from: scope, members, groups) : nil
    }

    /// Reads one process, or a list of them.
    private mutating func pids() -> [ErlangPID]? {
        guard let count = reader.readList() else { return pid().map { [$0] } }
        var pids: [ErlangPID] = []
        // A process takes more bytes than these.
        pids.reserveCapacity(min(count, reader.remaining / 16))
        for _ in 0..<count {
            guard let pid = pid() else { return nil }
            pids.append(pid)
        }
        return endsList(of: count) ? pids : nil
    }

    private mutating func pid() -> ErlangPID? {
        guard let pid = reader.readPID(names), pid.node == node else { return nil }
        return pid
    }

    /// Whether a list ends with `[]`. The list `[]` itself has no tail.
    private mutating func endsList(of count: Int) -> Bool { count == 0 || reader.readList() == 0 }
}
