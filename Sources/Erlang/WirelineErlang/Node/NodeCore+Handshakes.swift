// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// Handshakes in both roles, and which connection stays if there are two.
extension NodeCore {
    package mutating func receive(_ bytes: RawSpan, on id: NodeConnectionID, at now: Duration) {
        // Copy only the life: a copy of the output would make later output copy it, too.
        guard let life = connections[id]?.life else { return }
        switch life {
        case .dialing: break
        case .calling(let name, var handshake):
            handshake.receive(bytes)
            advance(id, name, handshake, at: now)
        case .answering(let peer, var handshake):
            handshake.receive(bytes)
            advance(id, peer, handshake, at: now)
        case .up(let traffic): receive(bytes, on: id, traffic, at: now)
        }
        settle(at: now)
    }

    // MARK: We have connected

    private mutating func advance(
        _ id: NodeConnectionID, _ name: ErlangNodeName, _ handshake: OutgoingHandshake, at now: Duration
    ) {
        var handshake = handshake
        var peer: ErlangPeer?
        var failure: ErlangError?
        do throws(ErlangError) {
            while peer == nil, let event = try handshake.nextEvent() {
                switch event {
                // We have no connection to the node, so the one that it knows is dead.
                case .alive:
                    if replacements[name.atom]?.noteReportedConnection(at: now) == true {
                        perform(.note(.otherOfOurName(at: name)))
                    }
                    handshake.decide(continues: true)
                case .connected(let agreed): peer = agreed
                }
            }
        } catch {
            failure = error
        }
        let rest = peer == nil ? [] : handshake.takeRest()
        _ = connections.update(id) { $0.advance(name, handshake) }
        if let failure { return faulty.append((id, .failed(failure))) }
        if let peer { becomeUp(id, peer, rest, at: now) }
    }

    // MARK: A node has connected

    private mutating func advance(
        _ id: NodeConnectionID, _ introduced: ErlangPeer?, _ handshake: IncomingHandshake, at now: Duration
    ) {
        var (introduced, handshake) = (introduced, handshake)
        var peer: ErlangPeer?
        var failure: ErlangError?
        do throws(ErlangError) {
            while peer == nil, let event = try handshake.nextEvent() {
                switch event {
                case .introduced(let peer):
                    introduced = peer
                    handshake.answer(status(for: peer.name, at: now))
                // The old connection ends only once this one has proved the cookie. Strangers can send this event, too.
                case .replaces: break
                case .connected(let agreed): peer = agreed
                }
            }
        } catch {
            failure = error
        }
        let rest = peer == nil ? [] : handshake.takeRest()
        _ = connections.update(id) { $0.advance(introduced, handshake) }
        if let failure { return faulty.append((id, .failed(failure))) }
        if let peer { becomeUp(id, peer, rest, at: now) }
    }

    /// The answer to a node that wants to connect.
    private mutating func status(for name: ErlangNodeName, at now: Duration) -> HandshakeStatus {
        let node = name.atom
        switch peers[node]?.life {
        case .up:
            guard replacements[node]?.refusal(at: now) == nil else { return .notAllowed }
            return .alive
        case .establishing(let establishing):
            guard case .ours(let ours) = establishing.attempt else { return .ok }
            let status = HandshakeStatus(for: name, at: ourselves.name, connected: false, connecting: true)
            guard status == .okSimultaneous else { return status }
            // Our attempt ends at once, as the node expects. Otherwise both attempts might succeed, and each node keep
            // another.
            attempt(.theirs(until: establishing.deadline), node)
            faulty.append((ours, .failed(.handshake(.simultaneous))))
            return status
        case nil:
            guard peers.count < settings.limits.nodeCount else { return .notAllowed }
            return .ok
        }
    }

    // MARK: Both

    /// From now on, this is the only connection to its node.
    private mutating func becomeUp(
        _ id: NodeConnectionID, _ peer: ErlangPeer, _ rest: [UInt8], at now: Duration
    ) {
        let node = peer.name.atom
        var waiting: [OutgoingMessage] = []
        switch peers[node]?.life {
        case .up(let old):
            if let traffic = connections[old]?.traffic {
                replacements[node, default: ReplacementWatch(at: now)]
                    .replaced(traffic.peer.creation, by: peer.creation, at: now)
            }
            perform(.note(.replaced(peer.name)))
            close(old, .closed, at: now)
        case .establishing(let establishing):
            waiting = establishing.messages
            if case .ours(let ours) = establishing.attempt, ours != id {
                peers[node] = nil
                close(ours, .failed(.handshake(.simultaneous)), at: now)
            }
        case nil: break
        }
        peers[node] = NodePeer(name: peer.name, life: .up(id))
        // The node has begun this connection later, so it has dropped those. If late bytes completed one of them, it
        // would
        // replace this connection, and be dead.
        for other in connections.answering(peer, before: id) {
            close(other, .failed(.handshake(.simultaneous)), at: now)
        }
        let traffic = NodeTraffic(
            peer: peer, node: node,
            encoder: PacketEncoder(ourselves: ourselves.name, peer: peer, limits: settings.limits.terms))
        let ticks = TickWatch(time: settings.tickTime, at: now)
        connections.becameUp(id, traffic, ticks, settings.limits.distribution)
        wake(at: ticks.deadline)
        perform(.nodeUp(peer.name))
        tellWatchers(.nodeUp(peer.name))
        // Programs' messages come first, in their order.
        for message in waiting { sendControl(message, on: id, at: now) }
        for scope in scopes.keys.sorted(by: { ErlangTerm.atom($0) < ErlangTerm.atom($1) }) {
            changeScope(scope, at: now) { $0.connected(peer.name) }
        }
        receive(rest.rawSpan, on: id, traffic, at: now)
    }
}
