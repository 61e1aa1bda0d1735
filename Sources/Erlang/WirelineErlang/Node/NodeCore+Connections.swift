// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// How connections begin and end.
extension NodeCore {
    /// How long we wait for a node that has announced its own connection.
    private static let patience = Duration.seconds(1)

    // MARK: From the driver

    /// A node has connected to us.
    ///
    /// - Parameters:
    ///   - address: The node's address, for notes.
    ///   - challenge: A random number from a secure source.
    /// - Returns: nil if too many connections have not proved the cookie; the driver must close this one.
    package mutating func accepted(
        from address: String = "", challenge: UInt32, at now: Duration
    ) -> NodeConnectionID? {
        let limit = settings.limits.handshakeCount
        guard connections.answeringCount(where: { _ in true }) < limit else {
            perform(.note(.crowded(from: address, limit: limit)))
            return nil
        }
        let handshake = IncomingHandshake(as: ourselves, cookie: cookie, challenge: challenge)
        let deadline = now + HandshakeStep.timeout
        wake(at: deadline)
        return connections.add(.answering(nil, handshake), address: address, deadline: deadline)
    }

    /// Answers ``Action/dial(_:_:)``: the connection is made. The challenge is a random number from a secure source.
    package mutating func dialed(_ id: NodeConnectionID, challenge: UInt32, at now: Duration) {
        guard let connection = connections[id], case .dialing(let name) = connection.life else { return }
        let handshake = OutgoingHandshake(as: ourselves, to: name, cookie: cookie, challenge: challenge)
        let deadline = now + HandshakeStep.timeout
        wake(at: deadline)
        _ = connections.update(id) { $0.dialed(name, handshake, deadline: deadline) }
    }

    /// Answers ``Action/dial(_:_:)``: no connection could be made.
    package mutating func dialFailed(_ id: NodeConnectionID, at now: Duration) { ended(id, .unreachable, at: now) }

    /// The other node has closed the connection, or it broke.
    ///
    /// - Parameter isBroken: Whether it broke, or may have: then the other node may not know about the end.
    package mutating func ended(_ id: NodeConnectionID, isBroken: Bool, at now: Duration) {
        guard let connection = connections[id] else { return }
        if let traffic = connection.traffic {
            replacements[traffic.node, default: ReplacementWatch(at: now)].ended(isClosedByNode: !isBroken, at: now)
        }
        let fault: NodeFault =
            switch connection.life {
            case .dialing: .unreachable
            case .calling(_, let handshake): .failed(handshake.errorAtEnd())
            case .answering(_, let handshake): .failed(handshake.errorAtEnd())
            case .up: .closed
            }
        ended(id, fault, at: now)
    }

    private mutating func ended(_ id: NodeConnectionID, _ fault: NodeFault, at now: Duration) {
        release(id, fault, at: now)
        settle(at: now)
    }

    mutating func close(_ id: NodeConnectionID, _ fault: NodeFault, at now: Duration) {
        guard let connection = connections[id] else { return }
        if let traffic = connection.traffic {
            replacements[traffic.node]?.ended(isClosedByNode: false, at: now)
        }
        // What is left to say, such as why a node is refused.
        perform(.close(id, output: takeOutput(of: id)))
        release(id, fault, at: now)
    }

    /// Forgets a connection, and ends or retries what depends on it.
    private mutating func release(_ id: NodeConnectionID, _ fault: NodeFault, at now: Duration) {
        guard let connection = connections.remove(id) else { return }
        switch connection.life {
        case .dialing(let name), .calling(let name, _): attemptEnded(id, name, fault, at: now)
        case .answering(let peer, _):
            if case .failed(let error) = fault { perform(.note(.refused(peer?.name, from: connection.address, error))) }
            if let peer { theirAttemptEnded(peer.name, at: now) }
        case .up(let traffic):
            guard peers[traffic.node]?.connection == id else { return }
            peers[traffic.node] = nil
            lose(traffic.peer.name, for: processes.numbers, at: now)
            perform(.nodeDown(traffic.peer.name, fault))
            reportRoom(traffic.node)
            tellWatchers(.nodeDown(traffic.peer.name))
        }
    }

    // MARK: Reaching nodes

    package func isConnected(_ name: ErlangNodeName) -> Bool {
        peers[name.atom]?.connection != nil
    }

    /// Does nothing if the node is connected, or an attempt is running.
    package mutating func connect(to name: ErlangNodeName, at now: Duration) throws(NodeFault) {
        let node = name.atom
        guard peers[node] == nil else { return }
        guard name != ourselves.name else { throw .invalidNode(node) }
        guard peers.count < settings.limits.nodeCount else { throw .tooManyNodes(limit: settings.limits.nodeCount) }
        if replacements[node]?.refusal(at: now) != nil { throw .replacedTooOften }
        // If the node is about to connect to us, a second connection would only collide.
        let isComing = connections.answeringCount { $0 == name } > 0
        let attempt = isComing ? Establishing.Attempt.theirs(until: now + Self.patience) : .ours(dial(name, at: now))
        let establishing = Establishing(attempt, deadline: now + settings.connectTimeout)
        wake(at: establishing.nextDeadline)
        peers[node] = NodePeer(name: name, life: .establishing(establishing))
    }

    private mutating func dial(_ name: ErlangNodeName, at now: Duration) -> NodeConnectionID {
        let id = connections.add(.dialing(name), deadline: now + settings.connectTimeout)
        wake(at: now + settings.connectTimeout)
        perform(.dial(id, name))
        return id
    }

    /// Ends the connection to a node, or the attempt to connect.
    ///
    /// - Parameter fault: The reason that programs and the log get.
    package mutating func disconnect(
        from name: ErlangNodeName, because fault: NodeFault = .disconnected, at now: Duration
    ) {
        switch peers[name.atom]?.life {
        case .up(let id): close(id, fault, at: now)
        case .establishing(let establishing): giveUp(name, establishing, fault, at: now)
        case nil: return
        }
        settle(at: now)
    }

    private mutating func attemptEnded(
        _ id: NodeConnectionID, _ name: ErlangNodeName, _ fault: NodeFault, at now: Duration
    ) {
        guard case .establishing(let establishing)? = peers[name.atom]?.life, establishing.attempt == .ours(id)
        else { return }
        guard fault == .failed(.handshake(.simultaneous)) else {
            return giveUp(name, establishing, fault, at: now)
        }
        // The node's own connection is on its way, or has arrived.
        attempt(.theirs(until: now + Self.patience), name.atom)
    }

    /// A connection that a node had begun has failed. If we relied on it, we dial now.
    private mutating func theirAttemptEnded(_ name: ErlangNodeName, at now: Duration) {
        guard case .establishing(let establishing)? = peers[name.atom]?.life, case .theirs = establishing.attempt,
            connections.answeringCount(where: { $0 == name }) == 0
        else { return }
        attempt(.ours(dial(name, at: now)), name.atom)
    }

    /// Switches to another way to reach the node.
    mutating func attempt(_ attempt: Establishing.Attempt, _ node: ErlangAtom) {
        if let time = peers[node]?.attempt(attempt) { wake(at: time) }
    }

    private mutating func giveUp(
        _ name: ErlangNodeName, _ establishing: Establishing, _ fault: NodeFault, at now: Duration
    ) {
        peers[name.atom] = nil
        if case .ours(let id) = establishing.attempt { close(id, fault, at: now) }
        // Each process that is linked to the node, or monitors a part of it, has a message among those that wait.
        let numbers = Set(establishing.messages.compactMap(\.sender).compactMap { processes.number(of: $0) })
        lose(name, for: numbers.sorted(), at: now)
        perform(.connectFailed(name, fault))
        reportRoom(name.atom)
    }

    // MARK: Time

    mutating func pollConnections(at now: Duration) {
        for id in connections.ids {
            if let fault = connections.update(id, { $0.poll(at: now) }) ?? nil { close(id, fault, at: now) }
        }
        for id in connections.ids { if let time = connections[id]?.nextDeadline { wake(at: time) } }
    }

    mutating func pollPeers(at now: Duration) {
        for node in peers.keys.sorted(by: { ErlangTerm.atom($0) < ErlangTerm.atom($1) }) {
            guard let peer = peers[node], case .establishing(let establishing) = peer.life else { continue }
            if now >= establishing.deadline {
                giveUp(peer.name, establishing, .unreachable, at: now)
                continue
            }
            if case .theirs(let time) = establishing.attempt, now >= time {
                attempt(.ours(dial(peer.name, at: now)), node)
            } else {
                wake(at: establishing.nextDeadline)
            }
        }
    }

    // MARK: The end

    /// Closes all connections.
    package mutating func stop(at now: Duration) {
        for peer in peers.values.sorted(by: { $0.name < $1.name }) { disconnect(from: peer.name, at: now) }
        for id in connections.ids { close(id, .disconnected, at: now) }
        settle(at: now)
    }
}
