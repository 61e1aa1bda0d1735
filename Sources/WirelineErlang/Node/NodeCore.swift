// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A node without sockets: its processes, its connections to other nodes, and what is said between them.
///
/// Events come in, with the time; ``takeActions()`` says what is to be done. A driver owns the sockets and the clock: it
/// dials where it is told, gives what arrives to ``receive(_:on:at:)``, writes what ``takeOutput(of:)`` returns, and
/// calls ``poll(at:)`` at the ``deadline``. Simulations do the same without any sockets.
///
/// It is composed of parts with private state: ``ProcessTable``, ``ConnectionTable``, and the peers below. The extensions
/// are the rules between them.
package struct NodeCore {
    package enum Action: Equatable, Sendable {
        /// A node is to be found and connected to: ``dialed(_:challenge:at:)`` or ``dialFailed(_:at:)`` is the answer.
        case dial(NodeConnectionID, ErlangNodeName)
        /// A connection has output.
        case write(NodeConnectionID)
        /// A node has room again for messages, or is gone, after a message was refused with ``NodeFault/busy(limit:)``.
        case hasRoom(ErlangAtom)
        /// A connection is to be closed after these last bytes. No event of it may follow.
        case close(NodeConnectionID, output: [UInt8])
        /// Events wait for a process, where none did before.
        case wake(ErlangPID)
        /// A served process has been sent a message: a term without a version byte.
        case delivered(ErlangPID, content: [UInt8], from: ErlangPID?)
        /// A served process is told something that is no message.
        case told(ErlangPID, ErlangEvent)
        /// An exit signal for a served process. `isKill`: it was `exit(Pid, kill)`.
        case signalled(ErlangPID, reason: ErlangTerm, isKill: Bool)
        /// A process was ended by others.
        case ended(ErlangPID, reason: ErlangTerm)
        /// A call was answered, or failed.
        case reply(ErlangReference, Result<ErlangTerm, NodeFault>)
        case nodeUp(ErlangNodeName)
        case nodeDown(ErlangNodeName, NodeFault)
        /// A node could not be reached.
        case connectFailed(ErlangNodeName, NodeFault)
        /// The members of a group have changed.
        case groupChanged(scope: ErlangAtom, ErlangGroupChange)
        /// The members of a scope's groups on all connected nodes are known, or there are none.
        case scopeSettled(ErlangAtom)
        /// Something that no call returns, and that an operator may want to know.
        case note(NodeNote)
    }

    let ourselves: ErlangPeer
    let cookie: ErlangCookie
    let settings: NodeSettings

    var processes: ProcessTable
    var connections = ConnectionTable()
    /// Nodes by their names.
    var peers: [ErlangAtom: NodePeer] = [:]
    /// Our calls that wait for a reply, by the monitor's reference.
    var calls: [ErlangReference: ErlangDestination] = [:]
    var scopes: [ErlangAtom: GroupScope] = [:]
    var replacements: [ErlangAtom: ReplacementWatch] = [:]
    /// Connections that must end, and why. They are closed after the step that found it.
    var faulty: [(NodeConnectionID, NodeFault)] = []
    /// The nodes for which a message was refused because too much waits for them.
    var crowded: Set<ErlangAtom> = []
    /// Processes that must end, and why.
    var dying: [(UInt64, reason: ErlangTerm)] = []
    private(set) var caller: ErlangPID
    private var actions: [Action] = []
    /// Takes the messages for served processes at once, if nothing else is to be done before; nil: they are actions.
    ///
    /// It gets a term without a version byte, the process, and the sender. It must not use the node.
    package var servedReceiver: (@Sendable (_ content: RawSpan, ErlangPID, _ sender: ErlangPID?) -> Void)?
    private var nextDeadline: Duration?

    /// - Parameters:
    ///   - ourselves: Our name and creation.
    ///   - cookie: The secret of the cluster.
    ///   - settings: Times and limits.
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

    /// Our name.
    package var name: ErlangNodeName { ourselves.name }

    // MARK: Actions

    /// Returns what is to be done, in order.
    package mutating func takeActions() -> [Action] {
        for id in connections.takeUnsent() { actions.append(.write(id)) }
        var taken: [Action] = []
        swap(&actions, &taken)
        return taken
    }

    /// Whether there is something to be done.
    package var hasActions: Bool { !actions.isEmpty || connections.hasUnsent }

    mutating func perform(_ action: Action) { actions.append(action) }

    /// Gives a message to a served process.
    mutating func deliver(_ content: RawSpan, toServed pid: ErlangPID, from sender: ErlangPID?) {
        guard actions.isEmpty, let servedReceiver else {
            return perform(.delivered(pid, content: [UInt8](copying: content), from: sender))
        }
        servedReceiver(content, pid, sender)
    }

    /// Whether something must be done now. A little output can wait: it is sent together with what follows.
    package var hasUrgentActions: Bool { !actions.isEmpty || connections.hasMuchUnsent }

    /// Returns the bytes to send on a connection.
    ///
    /// - Parameter spare: An array whose memory the next output uses (default: new memory). If the caller keeps a copy of it,
    ///   the next output copies the memory.
    package mutating func takeOutput(of id: NodeConnectionID, reusing spare: [UInt8] = []) -> [UInt8] {
        connections.update(id) { $0.takeOutput(reusing: spare) } ?? []
    }

    /// The system has taken all of a connection's output but so many bytes.
    package mutating func noteUnsent(_ byteCount: Int, on id: NodeConnectionID) {
        _ = connections.update(id) { $0.noteUnsent(byteCount) }
        guard !crowded.isEmpty, let connection = connections[id], let traffic = connection.traffic,
            connection.pendingByteCount <= settings.limits.pendingByteCount / 2
        else { return }
        hasRoom(traffic.node)
    }

    /// Whether a message for the destination's node was refused, and ``Action/hasRoom(_:)`` will follow.
    ///
    /// - Returns: The node; nil if messages can be sent.
    package func crowdedNode(of destination: ErlangDestination) -> ErlangAtom? {
        guard let node = place(of: destination).1, crowded.contains(node) else { return nil }
        return node
    }

    /// Tells that messages for a node can be sent again, if that was not so.
    mutating func hasRoom(_ node: ErlangAtom) {
        if crowded.remove(node) != nil { perform(.hasRoom(node)) }
    }

    /// The node of a connection that is up, and how many bytes wait for it.
    package func pendingOutput(on id: NodeConnectionID) -> (node: ErlangNodeName, byteCount: Int)? {
        connections.pendingOutput(on: id)
    }

    // MARK: Time

    /// When ``poll(at:)`` has something to do at the earliest; nil if never.
    package var deadline: Duration? { nextDeadline }

    /// Something is to be done at a time.
    mutating func wake(at time: Duration) { nextDeadline = min(nextDeadline ?? time, time) }

    /// Does what is due: ticks, silent nodes, attempts that took too long.
    package mutating func poll(at now: Duration) {
        guard let due = nextDeadline, now >= due else { return }
        nextDeadline = nil
        pollConnections(at: now)
        pollPeers(at: now)
        pollScopes(at: now)
        replacements = replacements.filter { !$0.value.isOver(at: now) }
        settle(at: now)
    }

    /// Ends what must end. It is the last step of whatever comes from outside.
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
    /// How long it may take to reach a node: to find it, to connect, and both handshakes if both connect.
    package var connectTimeout = Duration.seconds(10)
    package var limits = ErlangNodeLimits()

    package init() {}
}

/// What an operator may want to know.
package enum NodeNote: Equatable, Sendable {
    /// A node's connection replaced its old one.
    case replaced(ErlangNodeName)
    /// The node has a connection with another node of our name.
    case otherOfOurName(at: ErlangNodeName)
    /// An accepted connection failed before it was up; the name is what it said.
    case refused(ErlangNodeName?, from: String, ErlangError)
    /// An accepted connection was closed, because so many had not proved the cookie.
    case crowded(from: String, limit: Int)
    /// A message of a node could not be read, and was dropped.
    case droppedMessage(ErlangNodeName, ErlangError)
}
