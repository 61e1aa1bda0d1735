// SPDX-License-Identifier: Apache-2.0

/// The process groups of one scope of OTP's `pg`, as a scope process of ours sees them.
///
/// A scope process never discovers a hidden node by itself, so we begin: with each connected node, we monitor
/// `{Scope, Node}` and send `discover`. Its answer is `sync`, and its own `discover`, which we answer. Then both sides
/// tell each other who joins and leaves. If its scope process ends or is not there yet, we begin again.
///
/// Memberships are not passed on: members of a node are known only while it is connected.
package struct ProcessGroups {
    package enum Action: Equatable, Sendable {
        /// To a scope process.
        case send(ErlangTerm, to: ErlangPID)
        /// To the scope's name on a node.
        case sendNamed(ErlangTerm, to: ErlangAtom, at: ErlangNodeName)
        /// Our scope process monitors the scope's name on a node. Its end goes to ``scopeEnded(at:now:)``.
        case monitor(ErlangAtom, at: ErlangNodeName)
        /// Processes of other nodes have joined a group.
        case joined(ErlangTerm, [ErlangPID])
        /// Processes of other nodes have left a group, or are gone.
        case left(ErlangTerm, [ErlangPID])
    }

    private enum Peer {
        /// We have begun. Nothing has come, or only its `discover`: then this scope process must be told of changes.
        case discovering(ErlangPID?)
        /// Its scope process, and its members by group.
        case known(ErlangPID, [ErlangTerm: [ErlangPID]])
        /// There is no scope process; we begin again at this time.
        case absent(until: Duration)

        /// The scope process that has our groups, and must be told of changes.
        var listener: ErlangPID? {
            switch self {
            case .discovering(let scope): scope
            case .known(let scope, _): scope
            case .absent: nil
            }
        }
    }

    /// How long we wait after a scope process has ended, or was not there.
    package static let retryDelay = Duration.seconds(1)

    private let scope: ErlangAtom
    private let process: ErlangPID
    private var own: [ErlangTerm: [ErlangPID]] = [:]
    private var peers: [ErlangNodeName: Peer] = [:]
    private var actions: [Action] = []

    /// - Parameters:
    ///   - scope: The name under which the scope's processes are registered (usually `pg`).
    ///   - process: Our scope process; it must be registered under that name.
    package init(scope: ErlangAtom = "pg", process: ErlangPID) {
        self.scope = scope
        self.process = process
    }

    /// Returns what is to be done, in order.
    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// When ``poll(at:)`` begins again with a node; nil if with none.
    package var deadline: Duration? {
        peers.values.compactMap { if case .absent(let time) = $0 { time } else { nil } }.min()
    }

    /// Whether the members on all connected nodes are known, or the node has no scope process.
    package var isSettled: Bool {
        peers.values.allSatisfy { if case .discovering = $0 { false } else { true } }
    }

    // MARK: Members

    /// The members of a group: ours first, then those of other nodes by the names of their nodes.
    package func members(of group: ErlangTerm) -> [ErlangPID] {
        var members = own[group, default: []]
        for (_, peer) in peers.sorted(by: { $0.key < $1.key }) {
            if case .known(_, let groups) = peer { members += groups[group, default: []] }
        }
        return members
    }

    /// A process of ours joins a group. It may be a member several times.
    package mutating func join(_ group: ErlangTerm, _ member: ErlangPID) {
        own[group, default: []].append(member)
        tellAll(.join(from: process, group, [member]))
    }

    /// A process of ours leaves a group once.
    ///
    /// - Returns: Whether it was a member.
    package mutating func leave(_ group: ErlangTerm, _ member: ErlangPID) -> Bool {
        guard own[group]?.removeFirst(member) == true else { return false }
        if own[group]?.isEmpty == true { own[group] = nil }
        tellAll(.leave(from: process, [member], [group]))
        return true
    }

    /// A process of ours has ended, and leaves all groups.
    ///
    /// - Returns: The groups that it was a member of, each as often as it was.
    @discardableResult
    package mutating func ended(_ member: ErlangPID) -> [ErlangTerm] {
        // A group stands in the list as often as the process was its member.
        let groups = own.sorted { $0.key < $1.key }.flatMap { group, members in
            repeatElement(group, count: members.count { $0 == member })
        }
        guard !groups.isEmpty else { return [] }
        for group in groups where own[group]?.removeFirst(member) == true {
            if own[group]?.isEmpty == true { own[group] = nil }
        }
        tellAll(.leave(from: process, [member], groups))
        return groups
    }

    private mutating func tellAll(_ message: ProcessGroupMessage) {
        for (_, peer) in peers.sorted(by: { $0.key < $1.key }) {
            if let listener = peer.listener { actions.append(.send(message.term, to: listener)) }
        }
    }

    // MARK: Nodes

    /// A node is connected.
    package mutating func connected(_ node: ErlangNodeName) {
        peers[node] = .discovering(nil)
        actions.append(.monitor(scope, at: node))
        actions.append(.sendNamed(ProcessGroupMessage.discover(from: process).term, to: scope, at: node))
    }

    /// The connection to a node has ended, and so has what its members were told.
    package mutating func disconnected(_ node: ErlangNodeName) {
        forgetMembers(of: node)
        peers[node] = nil
    }

    /// The scope process of a node has ended, or is not there. Its members are gone until it is back.
    package mutating func scopeEnded(at node: ErlangNodeName, now: Duration) {
        guard peers[node] != nil else { return }
        forgetMembers(of: node)
        peers[node] = .absent(until: now + Self.retryDelay)
    }

    /// Begins again with nodes whose time has come.
    package mutating func poll(at now: Duration) {
        for (node, peer) in peers.sorted(by: { $0.key < $1.key }) {
            if case .absent(let time) = peer, now >= time { connected(node) }
        }
    }

    private mutating func forgetMembers(of node: ErlangNodeName) {
        guard case .known(_, let groups)? = peers[node] else { return }
        for (group, members) in groups.sorted(by: { $0.key < $1.key }) { actions.append(.left(group, members)) }
    }

    // MARK: Messages

    /// A message to our scope process.
    ///
    /// Nothing is believed about processes of another node than the one that sent it.
    ///
    /// - Parameters:
    ///   - term: The message.
    ///   - node: The node from which it came.
    /// - Throws: ``ErlangDistributionFault/processGroup``; nothing has changed then.
    package mutating func receive(_ term: ErlangTerm, from node: ErlangNodeName) throws(ErlangError) {
        let message = try ProcessGroupMessage(term)
        guard let peer = peers[node] else { return }
        switch message {
        case .discover(let scope):
            guard scope.node == node.atom else { throw .distribution(.processGroup) }
            listen(scope, of: node, peer)
            actions.append(.send(ProcessGroupMessage.sync(from: process, own).term, to: scope))
        case .sync(let scope, let groups):
            guard (groups.values.joined() + [scope]).allSatisfy({ $0.node == node.atom })
            else { throw .distribution(.processGroup) }
            synchronize(node, scope, groups.filter { !$0.value.isEmpty })
        case .join(let scope, let group, let members):
            guard members.allSatisfy({ $0.node == node.atom }) else { throw .distribution(.processGroup) }
            join(node, scope, group, members)
        case .leave(let scope, let members, let groups): leave(node, scope, members, groups)
        }
    }

    /// A scope process has asked us, so it must be told of changes from now on.
    private mutating func listen(_ scope: ErlangPID, of node: ErlangNodeName, _ peer: Peer) {
        switch peer {
        case .known(scope, _): return
        case .discovering: break
        case .known, .absent:
            // Another scope process than before: it is back already.
            forgetMembers(of: node)
            connected(node)
        }
        peers[node] = .discovering(scope)
    }

    /// The groups of a node replace what we knew of it.
    private mutating func synchronize(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ groups: [ErlangTerm: [ErlangPID]]
    ) {
        var old: [ErlangTerm: [ErlangPID]] = [:]
        if case .known(_, let groups)? = peers[node] { old = groups }
        peers[node] = .known(scope, groups)
        for group in Set(old.keys).union(groups.keys).sorted() {
            var (left, joined) = (old[group, default: []], [ErlangPID]())
            for member in groups[group, default: []] where !left.removeFirst(member) { joined.append(member) }
            if !left.isEmpty { actions.append(.left(group, left)) }
            if !joined.isEmpty { actions.append(.joined(group, joined)) }
        }
    }

    /// A change counts only after `sync`, and only from the scope process that sent it.
    private mutating func join(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ group: ErlangTerm, _ members: [ErlangPID]
    ) {
        guard case .known(scope, var groups)? = peers[node], !members.isEmpty else { return }
        groups[group, default: []] += members
        peers[node] = .known(scope, groups)
        actions.append(.joined(group, members))
    }

    private mutating func leave(
        _ node: ErlangNodeName, _ scope: ErlangPID, _ members: [ErlangPID], _ leftGroups: [ErlangTerm]
    ) {
        guard case .known(scope, var groups)? = peers[node] else { return }
        for group in leftGroups {
            guard var rest = groups[group] else { continue }
            let left = members.filter { rest.removeFirst($0) }
            groups[group] = rest.isEmpty ? nil : rest
            if !left.isEmpty { actions.append(.left(group, left)) }
        }
        peers[node] = .known(scope, groups)
    }
}

extension [ErlangPID] {
    /// Removes one occurrence of a process.
    ///
    /// - Returns: Whether there was one.
    fileprivate mutating func removeFirst(_ pid: ErlangPID) -> Bool {
        guard let index = firstIndex(of: pid) else { return false }
        remove(at: index)
        return true
    }
}
