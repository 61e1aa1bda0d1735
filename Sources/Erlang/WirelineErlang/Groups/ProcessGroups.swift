// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The process groups of one scope of OTP's `pg`, as our scope process sees them.
///
/// A scope process never discovers a hidden node by itself, so we begin. We monitor `{Scope, Node}` on each connected
/// node and send `discover`. The node answers with `sync` and with its own `discover`, which we answer. Then both sides
/// tell each other who joins and leaves. If its scope process ends or is missing, we begin again later.
///
/// Scope processes do not pass on memberships: the members of a node are known only while it is connected.
///
/// Only members of wanted groups are kept. If another group is wanted, we ask the scope processes for all groups again.
package struct ProcessGroups {
    package enum Action: Equatable, Sendable {
        case send(ErlangTerm, to: ErlangPID)
        case sendNamed(ErlangTerm, to: ErlangAtom, at: ErlangNodeName)
        /// Our scope process monitors the scope's name on a node. After its end, call ``scopeEnded(at:now:)``.
        case monitor(ErlangAtom, at: ErlangNodeName)
        /// Processes of other nodes have joined a group.
        case joined(ErlangTerm, [ErlangPID])
        /// Processes of other nodes have left a group, or are gone.
        case left(ErlangTerm, [ErlangPID])
    }

    private enum Peer {
        /// We have sent `discover`. The scope process is set once its own `discover` has come; it then gets our
        /// changes.
        case discovering(ErlangPID?)
        /// `isAsked`: since the last `sync`, another group is wanted, so we have asked for the next one.
        case known(ErlangPID, isAsked: Bool)
        /// There is no scope process; we begin again at this time.
        case absent(until: Duration)

        /// The scope process that has our groups and gets our changes.
        var listener: ErlangPID? {
            switch self {
            case .discovering(let scope): scope
            case .known(let scope, isAsked: _): scope
            case .absent: nil
            }
        }
    }

    /// The wait after a scope process has ended or was missing.
    package static let retryDelay = Duration.seconds(1)

    private let scope: ErlangAtom
    private let process: ErlangPID
    private var own = OwnGroups()
    private var wanted = WantedGroups()
    /// Only members of wanted groups, and only those on other nodes.
    private var members: [ErlangTerm: [ErlangNodeName: GroupMembers]] = [:]
    private var peers: [ErlangNodeName: Peer] = [:]
    private var actions: [Action] = []

    /// - Parameters:
    ///   - scope: The name under which the scope's processes are registered (usually `pg`).
    ///   - process: Our scope process; it must be registered under that name.
    package init(scope: ErlangAtom = "pg", process: ErlangPID) {
        self.scope = scope
        self.process = process
    }

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// The next time at which ``poll(at:)`` begins again with a node; nil: never.
    package var deadline: Duration? {
        peers.values.compactMap { if case .absent(let time) = $0 { time } else { nil } }.min()
    }

    /// Whether each connected node has told its members of wanted groups, or has no scope process.
    package var isSettled: Bool {
        peers.values.allSatisfy { peer in
            switch peer {
            case .discovering, .known(_, isAsked: true): false
            case .known(_, isAsked: false), .absent: true
            }
        }
    }

    // MARK: Members

    /// Keeps the members that this group has on other nodes, from now on.
    package mutating func addWantedGroup(_ group: ErlangTerm) {
        guard wanted.insert(group) else { return }
        for (node, peer) in peers.sorted(by: { $0.key < $1.key }) {
            guard case .known(let scope, isAsked: false) = peer else { continue }
            peers[node] = .known(scope, isAsked: true)
            actions.append(.send(ProcessGroupMessage.discover(from: process).term, to: scope))
        }
    }

    /// Our members first, then those on other nodes, sorted by node. The latter are empty unless the group is wanted.
    package func members(of group: ErlangTerm) -> [ErlangPID] {
        members[group, default: [:]].sorted { $0.key < $1.key }
            .reduce(into: own.members(of: group)) { $0 += $1.value.pids }
    }

    /// A process may join a group several times.
    package mutating func join(_ group: ErlangTerm, _ member: ErlangPID) {
        own.join(group, member)
        tellAll(.join(from: process, group, [member]))
    }

    /// Undoes one join.
    ///
    /// - Returns: Whether the process was a member.
    package mutating func leave(_ group: ErlangTerm, _ member: ErlangPID) -> Bool {
        guard own.leave(group, member) else { return false }
        tellAll(.leave(from: process, [member], [group]))
        return true
    }

    /// Removes an ended process from all groups.
    ///
    /// - Returns: The groups that it was a member of. A group stands once for each join.
    @discardableResult
    package mutating func ended(_ member: ErlangPID) -> [ErlangTerm] {
        let groups = own.ended(member)
        if !groups.isEmpty { tellAll(.leave(from: process, [member], groups)) }
        return groups
    }

    private mutating func tellAll(_ message: ProcessGroupMessage) {
        let term = message.term
        for (_, peer) in peers.sorted(by: { $0.key < $1.key }) {
            if let listener = peer.listener { actions.append(.send(term, to: listener)) }
        }
    }

    // MARK: Nodes

    package mutating func connected(_ node: ErlangNodeName) {
        peers[node] = .discovering(nil)
        actions.append(.monitor(scope, at: node))
        actions.append(.sendNamed(ProcessGroupMessage.discover(from: process).term, to: scope, at: node))
    }

    /// Forgets the members of the node.
    package mutating func disconnected(_ node: ErlangNodeName) {
        forgetMembers(of: node)
        peers[node] = nil
    }

    /// The scope process of a node has ended, or is missing. Its members are gone until it is back.
    package mutating func scopeEnded(at node: ErlangNodeName, now: Duration) {
        guard peers[node] != nil else { return }
        forgetMembers(of: node)
        peers[node] = .absent(until: now + Self.retryDelay)
    }

    /// Sends `discover` again to nodes whose retry delay is over.
    package mutating func poll(at now: Duration) {
        for (node, peer) in peers.sorted(by: { $0.key < $1.key }) {
            if case .absent(let time) = peer, now >= time { connected(node) }
        }
    }

    private mutating func forgetMembers(of node: ErlangNodeName) {
        for group in members.keys.sorted() {
            if let left = members[group]?.removeValue(forKey: node) { actions.append(.left(group, left.pids)) }
        }
    }

    // MARK: Messages

    /// Takes a message to our scope process. A node can only report its own processes.
    ///
    /// - Parameters:
    ///   - content: The term, without a version byte. It may be malformed.
    ///   - node: The node that sent it.
    /// - Throws: ``ErlangDistributionFault/processGroup`` for any other term; nothing has changed then.
    package mutating func receive(_ content: RawSpan, from node: ErlangNodeName) throws(ErlangError) {
        var reader = ProcessGroupReader(content, from: node.atom, wanted)
        guard let message = reader.read() else { throw .distribution(.processGroup) }
        guard let peer = peers[node] else { return }
        switch message {
        case .discover(let scope):
            listen(scope, of: node, peer)
            actions.append(.send(ProcessGroupMessage.sync(from: process, own.all).term, to: scope))
        case .sync(let scope, let groups): synchronize(node, scope, groups)
        case .join(let scope, let group, let members): join(node, scope, group, members)
        case .leave(let scope, let members, let groups): leave(node, scope, members, groups)
        }
    }

    /// A scope process has sent `discover`, so it gets our changes from now on.
    private mutating func listen(_ scope: ErlangPID, of node: ErlangNodeName, _ peer: Peer) {
        switch peer {
        case .known(scope, _): return
        case .discovering: break
        case .known, .absent:
            // It is another scope process than before, so the old one has ended and a new one has started.
            forgetMembers(of: node)
            connected(node)
        }
        peers[node] = .discovering(scope)
    }

    private mutating func synchronize(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ groups: [ErlangTerm: [ErlangPID]]
    ) {
        peers[node] = .known(scope, isAsked: false)
        let known = members.filter { $0.value[node] != nil }.keys
        for group in Set(known).union(groups.keys).sorted() {
            let pids = groups[group, default: []]
            let present = GroupMembers(pids)
            guard members[group]?[node] != nil else {
                if !pids.isEmpty {
                    members[group, default: [:]][node] = present
                    actions.append(.joined(group, pids))
                }
                continue
            }
            var joined = present
            let left = (members[group]?[node]?.pids ?? []).filter { !joined.remove($0) }
            members[group, default: [:]][node] = present.isEmpty ? nil : present
            if !left.isEmpty { actions.append(.left(group, left)) }
            if !joined.isEmpty { actions.append(.joined(group, joined.pids)) }
        }
    }

    /// A change counts only after `sync`, and only from the scope process that sent it.
    private func isKnown(_ scope: ErlangPID, of node: ErlangNodeName) -> Bool {
        if case .known(scope, isAsked: _)? = peers[node] { true } else { false }
    }

    private mutating func join(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ group: ErlangTerm, _ joined: [ErlangPID]
    ) {
        guard isKnown(scope, of: node), !joined.isEmpty else { return }
        for pid in joined { members[group, default: [:]][node, default: GroupMembers()].add(pid) }
        actions.append(.joined(group, joined))
    }

    private mutating func leave(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ pids: [ErlangPID], _ leftGroups: [ErlangTerm]
    ) {
        guard isKnown(scope, of: node) else { return }
        for group in leftGroups {
            let left = pids.filter { members[group]?[node]?.remove($0) == true }
            if members[group]?[node]?.isEmpty == true { members[group]?[node] = nil }
            if !left.isEmpty { actions.append(.left(group, left)) }
        }
    }
}
