// SPDX-License-Identifier: Apache-2.0

/// A process of ours: who is linked to it and monitors it, and what waits for it.
struct NodeProcess {
    /// What becomes of its messages.
    enum Kind: Equatable {
        /// They wait for the program.
        case mailbox
        /// The program is told at once. Messages stay bytes, and the program decides what an exit signal does.
        case served
        /// It answers `net_adm:ping`, as `net_kernel` does on every node.
        case kernel
        /// It is our side of a scope of `pg`.
        case scope(ErlangAtom)
        /// It sends and calls for parts of the program that have no mailbox, and gets their replies.
        case caller
    }

    /// A link has its own protocol, so that both ends agree although signals cross.
    /// https://www.erlang.org/doc/apps/erts/erl_dist_protocol, "Link Protocol"
    private enum Link {
        case active
        /// We have unlinked, and the other node has not acknowledged it.
        case unlinking(UnlinkID)
    }

    let pid: ErlangPID
    let kind: Kind
    /// The name that it has registered.
    let name: ErlangAtom?
    /// Whether the ends of linked processes are told to it, and do not end it.
    let trapsExits: Bool
    /// Whether it is told of nodes that come and go.
    var watchesNodes = false

    private var links: [ErlangPID: Link] = [:]
    /// The monitors that it has set.
    private(set) var monitors: [ErlangReference: ErlangMonitor] = [:]
    /// The monitors that others have set on it.
    private(set) var watchers: [ErlangReference: Watcher] = [:]
    private var events: [ErlangEvent] = []
    private var eventByteCount = 0

    /// Who monitors a process, and what of it: the answer has the same form.
    struct Watcher {
        let pid: ErlangPID
        let target: ErlangTarget
    }

    init(_ pid: ErlangPID, _ kind: Kind, name: ErlangAtom?, trapsExits: Bool) {
        self.pid = pid
        self.kind = kind
        self.name = name
        self.trapsExits = trapsExits
    }

    // MARK: Links

    /// The processes to which it is linked.
    var linked: [ErlangPID] { links.compactMap { if case .active = $0.value { $0.key } else { nil } } }

    var linkCount: Int { links.count }

    /// We link.
    ///
    /// - Returns: Whether the other process must be told.
    mutating func link(to other: ErlangPID) -> Bool {
        if case .active? = links[other] { return false }
        links[other] = .active
        return true
    }

    /// The other process links. While we wait for an acknowledgement, it had not heard of our unlinking.
    ///
    /// - Parameters:
    ///   - other: The other process.
    ///   - limit: The most links.
    /// - Returns: Whether there is room for the link.
    mutating func linked(by other: ErlangPID, limit: Int = .max) -> Bool {
        guard links[other] == nil else { return true }
        guard links.count < limit else { return false }
        links[other] = .active
        return true
    }

    /// We unlink.
    ///
    /// - Returns: Whether the other process must be told.
    mutating func unlink(from other: ErlangPID, _ id: UnlinkID) -> Bool {
        guard case .active? = links[other] else { return false }
        links[other] = .unlinking(id)
        return true
    }

    /// The other process has unlinked.
    mutating func unlinked(by other: ErlangPID) {
        if case .active? = links[other] { links[other] = nil }
    }

    /// The other process has acknowledged our unlinking.
    mutating func acknowledged(_ id: UnlinkID, by other: ErlangPID) {
        if case .unlinking(id)? = links[other] { links[other] = nil }
    }

    /// The other process has ended, or its node is gone.
    ///
    /// - Returns: Whether the link was active.
    mutating func linkEnded(to other: ErlangPID) -> Bool {
        guard case .active? = links[other] else { return false }
        links[other] = nil
        return true
    }

    // MARK: Monitors

    mutating func add(_ monitor: ErlangMonitor) { monitors[monitor.reference] = monitor }

    mutating func removeMonitor(_ reference: ErlangReference) -> ErlangMonitor? {
        monitors.removeValue(forKey: reference)
    }

    mutating func add(_ watcher: Watcher, _ reference: ErlangReference) { watchers[reference] = watcher }

    mutating func removeWatcher(_ reference: ErlangReference) { watchers[reference] = nil }

    // MARK: A node that is gone

    /// Forgets a node.
    ///
    /// - Returns: The links and monitors that were lost with it, in an order that does not depend on chance.
    mutating func lose(_ node: ErlangAtom) -> (links: [ErlangPID], monitors: [ErlangMonitor]) {
        let lostLinks = linked.filter { $0.node == node }.sorted { ErlangTerm.pid($0) < ErlangTerm.pid($1) }
        if !links.isEmpty { links = links.filter { $0.key.node != node } }
        if !watchers.isEmpty { watchers = watchers.filter { $0.value.pid.node != node } }
        let lostMonitors = monitors.values.filter { $0.target.isOn(node) }
            .sorted { ErlangTerm.reference($0.reference) < ErlangTerm.reference($1.reference) }
        for monitor in lostMonitors { monitors[monitor.reference] = nil }
        return (lostLinks, lostMonitors)
    }

    // MARK: Events

    /// What an event costs beside its bytes.
    private static let eventCost = 64

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - byteCount: The bytes that it had on the wire.
    ///   - limits: The limits of the node.
    /// - Returns: Whether it is the first that waits; nil if there are too many.
    mutating func add(_ event: ErlangEvent, byteCount: Int, _ limits: ErlangNodeLimits) -> Bool? {
        eventByteCount += byteCount + Self.eventCost
        guard events.count < limits.mailboxEventCount, eventByteCount <= limits.mailboxByteCount else { return nil }
        events.append(event)
        return events.count == 1
    }

    /// Returns the events that wait, and forgets them.
    mutating func takeEvents() -> [ErlangEvent] {
        defer { (events, eventByteCount) = ([], 0) }
        return events
    }
}

extension ErlangDestination {
    /// Whether it is on this node, which is not our own.
    func isOn(_ other: ErlangAtom) -> Bool {
        switch self {
        case .pid(let pid): pid.node == other
        case .name(_, at: let node): node?.atom == other
        }
    }
}
