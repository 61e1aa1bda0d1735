// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A change of a process group's members.
public enum ErlangGroupChange: Hashable, Sendable {
    /// These have joined the group.
    case joined(group: ErlangTerm, [ErlangPID])
    /// These have left the group, have ended, or are lost with their node.
    case left(group: ErlangTerm, [ErlangPID])

    /// The group.
    public var group: ErlangTerm {
        switch self {
        case .joined(let group, _), .left(let group, _): group
        }
    }
}

struct GroupScope {
    let process: ErlangPID
    var groups: ProcessGroups
    /// Whether ``NodeCore/Action/scopeSettled(_:)`` was requested.
    var isAwaited = false
}

// Process groups of OTP's `pg`.
extension NodeCore {
    /// Opens a scope if needed: from then on, nodes tell us their members.
    private mutating func openScope(_ scope: ErlangAtom, at now: Duration) throws(NodeFault) {
        guard scopes[scope] == nil else { return }
        if scope.isTooLong { throw .term(.unwritableTerm(.atomTooLong)) }
        guard let process = processes.start(.scope(scope), name: scope, trapsExits: true)
        else { throw .nameTaken(scope) }
        scopes[scope] = GroupScope(process: process, groups: ProcessGroups(scope: scope, process: process))
        for node in connectedNodes { changeScope(scope, at: now) { $0.connected(node) } }
        settle(at: now)
    }

    /// Keeps the members that this group has on other nodes, from now on. This opens the scope.
    package mutating func addWantedGroup(_ group: ErlangTerm, scope: ErlangAtom, at now: Duration) throws(NodeFault) {
        try requireWritable(group)
        try openScope(scope, at: now)
        changeScope(scope, at: now) { $0.addWantedGroup(group) }
        settle(at: now)
    }

    /// A process may join a group several times.
    package mutating func join(
        _ group: ErlangTerm, _ pid: ErlangPID, scope: ErlangAtom, at now: Duration
    ) throws(NodeFault) {
        try requireWritable(group)
        guard isAlive(pid) else { throw .noProcess }
        try openScope(scope, at: now)
        changeScope(scope, at: now) { $0.join(group, pid) }
        perform(.groupChanged(scope: scope, .joined(group: group, [pid])))
        settle(at: now)
    }

    /// Undoes one join.
    ///
    /// - Returns: Whether the process was a member.
    package mutating func leave(
        _ group: ErlangTerm, _ pid: ErlangPID, scope: ErlangAtom, at now: Duration
    ) -> Bool {
        guard changeScope(scope, at: now, { $0.leave(group, pid) }) == true else { return false }
        perform(.groupChanged(scope: scope, .left(group: group, [pid])))
        settle(at: now)
        return true
    }

    /// Our members first. Members on other nodes are known only if the group is wanted.
    package func members(of group: ErlangTerm, scope: ErlangAtom) -> [ErlangPID] {
        scopes[scope]?.groups.members(of: group) ?? []
    }

    /// Returns true if the members on all connected nodes are known. Otherwise requests one
    /// ``Action/scopeSettled(_:)``.
    package mutating func awaitScope(_ scope: ErlangAtom) -> Bool {
        guard let known = scopes[scope], !known.groups.isSettled else { return true }
        scopes[scope]?.isAwaited = true
        return false
    }

    /// Changes a scope, and carries out its actions.
    @discardableResult
    mutating func changeScope<Value>(
        _ scope: ErlangAtom, at now: Duration, _ change: (inout ProcessGroups) -> Value
    ) -> Value? {
        guard let place = scopes.index(forKey: scope) else { return nil }
        let value = change(&scopes.values[place].groups)
        carryOut(scope, at: now)
        return value
    }

    private mutating func carryOut(_ scope: ErlangAtom, at now: Duration) {
        guard let actions = scopes[scope]?.groups.takeActions(), let process = scopes[scope]?.process else { return }
        for action in actions {
            switch action {
            case .send(let term, let to): sendControl(.send(term, from: process, to: to), to: to.node, at: now)
            case .sendNamed(let term, let name, let node):
                sendControl(.sendNamed(term, from: process, to: name), to: node.atom, at: now)
            case .monitor(let name, let node): monitorScope(process, name, node, at: now)
            case .joined(let group, let members):
                perform(.groupChanged(scope: scope, .joined(group: group, members)))
            case .left(let group, let members): perform(.groupChanged(scope: scope, .left(group: group, members)))
            }
        }
        if let time = scopes[scope]?.groups.deadline { wake(at: time) }
        if scopes[scope]?.isAwaited == true, scopes[scope]?.groups.isSettled == true {
            scopes[scope]?.isAwaited = false
            perform(.scopeSettled(scope))
        }
    }

    private mutating func monitorScope(
        _ process: ErlangPID, _ name: ErlangAtom, _ node: ErlangNodeName, at now: Duration
    ) {
        guard let number = processes.number(of: process) else { return }
        let monitor = ErlangMonitor(target: .name(name, at: node), reference: processes.makeReference())
        _ = processes.update(number) { $0.add(monitor) }
        sendControl(.monitor(from: process, .name(name), monitor.reference), to: node.atom, at: now)
    }

    /// A scope process of another node has ended, or is missing.
    mutating func scopeEnded(_ scope: ErlangAtom, _ monitor: ErlangMonitor, at now: Duration) {
        guard case .name(_, at: let node?) = monitor.target else { return }
        changeScope(scope, at: now) { $0.scopeEnded(at: node, now: now) }
    }

    /// Takes a message to our scope process; false if it is none of pg's.
    mutating func receive(
        _ content: RawSpan, in scope: ErlangAtom, from node: ErlangNodeName, at now: Duration
    ) -> Bool {
        guard let place = scopes.index(forKey: scope),
            (try? scopes.values[place].groups.receive(content, from: node)) != nil
        else { return false }
        carryOut(scope, at: now)
        return true
    }

    mutating func pollScopes(at now: Duration) {
        for scope in scopes.keys.sorted(by: { ErlangTerm.atom($0) < .atom($1) }) {
            changeScope(scope, at: now) { $0.poll(at: now) }
        }
    }

    mutating func leaveAll(_ scope: ErlangAtom, _ pid: ErlangPID, at now: Duration) {
        let groups = changeScope(scope, at: now) { $0.ended(pid) } ?? []
        for group in groups { perform(.groupChanged(scope: scope, .left(group: group, [pid]))) }
    }
}
