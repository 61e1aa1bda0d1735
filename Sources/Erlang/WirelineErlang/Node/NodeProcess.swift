// SPDX-License-Identifier: Apache-2.0

/// A process of ours: its links, its monitors, and its waiting events.
struct NodeProcess {
    /// What happens to the messages for a process.
    enum Kind: Equatable {
        case mailbox
        /// The program gets them at once, as bytes. It also decides what an exit signal does.
        case served
        /// The process answers `net_adm:ping`, as `net_kernel` does on every node.
        case kernel
        /// The process is our side of a scope of `pg`.
        case scope(ErlangAtom)
        /// It sends and calls for parts of the program without a mailbox, and gets their replies.
        case caller
    }

    /// The protocol of links makes both ends agree, even if signals cross.
    /// https://www.erlang.org/doc/apps/erts/erl_dist_protocol, "Link Protocol"
    private enum Link {
        case active
        /// We have unlinked; the other node has not acknowledged that yet.
        case unlinking(UnlinkID)
    }

    let pid: ErlangPID
    let kind: Kind
    let name: ErlangAtom?
    /// Whether the end of a linked process is an event. Otherwise it also ends this process.
    let trapsExits: Bool
    /// Whether it gets `nodeUp` and `nodeDown`.
    var watchesNodes = false

    private var links: [ErlangPID: Link] = [:]
    /// Monitors that this process has set.
    private(set) var monitors: [ErlangReference: ErlangMonitor] = [:]
    /// Monitors that other processes have set on this one.
    private(set) var watchers: [ErlangReference: Watcher] = [:]
    private var events: [ErlangEvent] = []
    private var eventByteCount = 0

    /// A process that monitors this one. The target is a PID or a name, and the end is reported for the same target.
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

    var linked: [ErlangPID] { links.compactMap { if case .active = $0.value { $0.key } else { nil } } }

    var linkCount: Int { links.count }

    /// - Returns: Whether the other process must learn of it.
    mutating func link(to other: ErlangPID) -> Bool {
        if case .active? = links[other] { return false }
        links[other] = .active
        return true
    }

    /// The other process links. If we wait for an acknowledgement, it did not know yet that we had unlinked.
    ///
    /// - Returns: False if there are `limit` links already.
    mutating func linked(by other: ErlangPID, limit: Int = .max) -> Bool {
        guard links[other] == nil else { return true }
        guard links.count < limit else { return false }
        links[other] = .active
        return true
    }

    /// - Returns: Whether the other process must learn of it.
    mutating func unlink(from other: ErlangPID, _ id: UnlinkID) -> Bool {
        guard case .active? = links[other] else { return false }
        links[other] = .unlinking(id)
        return true
    }

    mutating func unlinked(by other: ErlangPID) {
        if case .active? = links[other] { links[other] = nil }
    }

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

    /// Removes all links, watchers and monitors of a node.
    ///
    /// - Returns: The links and monitors that were lost, in an order that does not depend on chance.
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

    /// The cost of an event in addition to its bytes.
    private static let eventCost = 64

    /// - Parameter byteCount: The bytes that the event had on the wire.
    /// - Returns: Whether it is the first that waits; nil if there are too many.
    mutating func add(_ event: ErlangEvent, byteCount: Int, _ limits: ErlangNodeLimits) -> Bool? {
        eventByteCount += byteCount + Self.eventCost
        guard events.count < limits.mailboxEventCount, eventByteCount <= limits.mailboxByteCount else { return nil }
        events.append(event)
        return events.count == 1
    }

    mutating func takeEvents() -> [ErlangEvent] {
        defer { (events, eventByteCount) = ([], 0) }
        return events
    }
}

extension ErlangDestination {
    /// Always false for our own node's names without a node.
    func isOn(_ other: ErlangAtom) -> Bool {
        switch self {
        case .pid(let pid): pid.node == other
        case .name(_, at: let node): node?.atom == other
        }
    }
}
