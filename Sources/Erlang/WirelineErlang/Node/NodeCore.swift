// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A node without sockets: its processes, its connections to other nodes, and the messages between them.
///
/// Events come in with the time, and ``takeActions()`` says what the driver must do. The driver owns the sockets and
/// the
/// clock. It dials, gives what arrives to ``receive(_:on:at:)``, writes what ``takeOutput(of:)`` returns, and calls
/// ``poll(at:)`` at the ``deadline``. Simulations do the same without any sockets.
///
/// Its parts have private state: ``ProcessTable``, ``ConnectionTable``, and the peers below. The extensions are the
/// rules
/// between them.
package struct NodeCore {
    package enum Action: Equatable, Sendable {
        /// Find the node and connect to it; answer with ``dialed(_:challenge:at:)`` or ``dialFailed(_:at:)``.
        case dial(NodeConnectionID, ErlangNodeName)
        /// The connection has output.
        case write(NodeConnectionID)
        /// After a ``NodeFault/busy(limit:)``: messages for the node are accepted again, or the node is gone.
        case hasRoom(ErlangAtom)
        /// Close the connection after these last bytes. No event of it may follow.
        case close(NodeConnectionID, output: [UInt8])
        /// A process has events, and had none before.
        case wake(ErlangPID)
        /// A message for a served process: a term without a version byte.
        case servedMessage(ErlangPID, content: [UInt8], from: ErlangPID?)
        /// An event for a served process that is no message.
        case servedEvent(ErlangPID, ErlangEvent)
        /// An exit signal for a served process. `isKill`: another process called `exit(Pid, kill)`.
        case servedExit(ErlangPID, reason: ErlangTerm, isKill: Bool)
        /// Something other than the program has ended the process.
        case ended(ErlangPID, reason: ErlangTerm)
        case reply(ErlangReference, Result<ErlangTerm, NodeFault>)
        case nodeUp(ErlangNodeName)
        case nodeDown(ErlangNodeName, NodeFault)
        case connectFailed(ErlangNodeName, NodeFault)
        case groupChanged(scope: ErlangAtom, ErlangGroupChange)
        /// All connected nodes have told their members of the scope's groups, or no node is connected.
        case scopeSettled(ErlangAtom)
        /// News for an operator that no call returns.
        case note(NodeNote)
    }

    let ourselves: ErlangPeer
    let cookie: ErlangCookie
    let settings: NodeSettings

    var processes: ProcessTable
    var connections = ConnectionTable()
    var peers: [ErlangAtom: NodePeer] = [:]
    /// Our calls that wait for a reply. The key is the reference of the call's monitor.
    var calls: [ErlangReference: ErlangDestination] = [:]
    var scopes: [ErlangAtom: GroupScope] = [:]
    var replacements: [ErlangAtom: ReplacementWatch] = [:]
    /// Connections that must end, and why. They are closed after the current step.
    var faulty: [(NodeConnectionID, NodeFault)] = []
    /// The nodes that were busy for a message since they last had room.
    var busyNodes: Set<ErlangAtom> = []
    /// Processes that must end, and why. They end after the current step.
    var dying: [(UInt64, reason: ErlangTerm)] = []
    private(set) var caller: ErlangPID
    private var actions: [Action] = []
    /// Takes messages for served processes at once, unless other actions come before them; nil: each is an action.
    ///
    /// Its content is a term without a version byte. It must not use the node.
    package var servedReceiver: (@Sendable (_ content: RawSpan, ErlangPID, _ sender: ErlangPID?) -> Void)?
    private var nextDeadline: Duration?

    package init(_ ourselves: ErlangPeer, cookie: ErlangCookie, settings: NodeSettings = NodeSettings()) {
        self.ourselves = ourselves
        self.cookie = cookie
        self.settings = settings
        processes = ProcessTable(of: ourselves)
        guard processes.start(.kernel, name: "net_kernel", trapsExits: true) != nil,
            let caller = processes.start(.caller, name: nil, trapsExits: true)
        else { preconditionFailure("the first processes of a node have no names in common") }
        self.caller = caller
    }

    package var name: ErlangNodeName { ourselves.name }

    // MARK: Actions

    package mutating func takeActions() -> [Action] {
        for id in connections.takeUnsent() { actions.append(.write(id)) }
        var taken: [Action] = []
        swap(&actions, &taken)
        return taken
    }

    package var hasActions: Bool { !actions.isEmpty || connections.hasUnsent }

    mutating func perform(_ action: Action) { actions.append(action) }

    mutating func deliver(_ content: RawSpan, toServed pid: ErlangPID, from sender: ErlangPID?) {
        guard actions.isEmpty, let servedReceiver else {
            return perform(.servedMessage(pid, content: [UInt8](copying: content), from: sender))
        }
        servedReceiver(content, pid, sender)
    }

    /// Whether the driver must act now. A little output can wait, to be sent together with later output.
    package var hasUrgentActions: Bool { !actions.isEmpty || connections.hasMuchUnsent }

    /// - Parameter spare: An array whose memory the next output uses (default: new memory). If the caller keeps a copy
    ///   of it,
    ///   the next output copies the memory.
    package mutating func takeOutput(of id: NodeConnectionID, reusing spare: [UInt8] = []) -> [UInt8] {
        connections.update(id) { $0.takeOutput(reusing: spare) } ?? []
    }

    /// The system has taken all of the connection's output except `byteCount` bytes.
    package mutating func noteUnsent(_ byteCount: Int, on id: NodeConnectionID) {
        _ = connections.update(id) { $0.noteUnsent(byteCount) }
        guard !busyNodes.isEmpty, let connection = connections[id], let traffic = connection.traffic,
            connection.pendingByteCount <= settings.limits.pendingByteCount / 2
        else { return }
        reportRoom(traffic.node)
    }

    /// The destination's node, if it has refused a message and ``Action/hasRoom(_:)`` will follow; nil: it accepts
    /// messages.
    package func busyNode(of destination: ErlangDestination) -> ErlangAtom? {
        guard let node = place(of: destination).1, busyNodes.contains(node) else { return nil }
        return node
    }

    /// Reports that messages for the node can be sent again, if one was refused before.
    mutating func reportRoom(_ node: ErlangAtom) {
        if busyNodes.remove(node) != nil { perform(.hasRoom(node)) }
    }

    /// The node of a connection that is up, and its pending output in bytes.
    package func pendingOutput(on id: NodeConnectionID) -> (node: ErlangNodeName, byteCount: Int)? {
        connections.pendingOutput(on: id)
    }

    // MARK: Time

    /// The earliest time at which ``poll(at:)`` has something to do; nil: never.
    package var deadline: Duration? { nextDeadline }

    /// Moves the deadline forward if the time is earlier.
    mutating func wake(at time: Duration) { nextDeadline = min(nextDeadline ?? time, time) }

    /// Sends ticks, and ends silent nodes and attempts that took too long.
    package mutating func poll(at now: Duration) {
        guard let due = nextDeadline, now >= due else { return }
        nextDeadline = nil
        pollConnections(at: now)
        pollPeers(at: now)
        pollScopes(at: now)
        replacements = replacements.filter { !$0.value.isOver(at: now) }
        settle(at: now)
    }

    /// Ends connections and processes that must end. It is the last step of each call from outside.
    mutating func settle(at now: Duration) {
        while true {
            if !faulty.isEmpty {
                // The first fault of a connection is why it ends.
                let (id, fault) = faulty.removeFirst()
                close(id, fault, at: now)
            } else if let (number, reason) = dying.popLast() {
                end(number, reason, isTold: true, at: now)
            } else {
                return
            }
        }
    }
}

/// Times and limits of a node.
package struct NodeSettings: Equatable, Sendable {
    /// The cluster's `net_ticktime`.
    package var tickTime = Duration.seconds(60)
    /// The time to find a node, to connect, and to finish the handshake. If both nodes connect, both handshakes count.
    package var connectTimeout = Duration.seconds(10)
    package var limits = ErlangNodeLimits()

    package init() {}
}

/// News for an operator.
package enum NodeNote: Equatable, Sendable {
    /// A new connection of the node replaced its old one.
    case replaced(ErlangNodeName)
    /// The node has a connection with another node of our name.
    case otherOfOurName(at: ErlangNodeName)
    /// An accepted connection failed before it was up. The name is the one that it claimed.
    case refused(ErlangNodeName?, from: String, ErlangError)
    /// An accepted connection was closed, because too many others had not proved the cookie.
    case crowded(from: String, limit: Int)
    /// A node's message was unreadable, and was dropped.
    case droppedMessage(ErlangNodeName, ErlangError)
}
