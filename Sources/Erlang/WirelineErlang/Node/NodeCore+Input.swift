// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// Input from connected nodes.
extension NodeCore {
    mutating func receive(_ bytes: RawSpan, on id: NodeConnectionID, _ traffic: NodeTraffic, at now: Duration) {
        guard bytes.byteCount > 0, var reader = connections.takeReader(id) else { return }
        _ = connections.update(id) { $0.received(at: now) }
        do throws(ErlangError) {
            try reader.receive(bytes) { packet, bytes throws(ErlangError) in
                take(packet, bytes, on: id, traffic, at: now)
            }
            connections.giveBack(reader, id)
        } catch {
            faulty.append((id, .failed(error)))
        }
    }

    /// Whether both nodes have proved the cookie, so that messages come.
    package func isUp(_ id: NodeConnectionID) -> Bool { connections[id]?.isUp == true }

    /// The driver does not read the connection now, so its silence must not count.
    package mutating func noteNotRead(_ id: NodeConnectionID, at now: Duration) {
        _ = connections.update(id) { $0.received(at: now) }
    }

    private mutating func take(
        _ packet: DistributionPacket, _ bytes: RawSpan, on id: NodeConnectionID, _ traffic: NodeTraffic,
        at now: Duration
    ) {
        // Bytes after a fault are ignored, even if they came in the same read.
        guard !faulty.contains(where: { $0.0 == id }) else { return }
        switch packet {
        case .tick, .fragment: return
        case .message(let control, let content):
            take(control, bytes.extracting(content), on: id, traffic, at: now)
        case .assembled(let control, let content): take(control, content.rawSpan, on: id, traffic, at: now)
        case .control(let control, reason: let reason?): signal(control, reason, traffic, at: now)
        case .control(let control, reason: nil): take(control, on: id, traffic, at: now)
        case .skipped(let control):
            perform(.note(.droppedMessage(traffic.peer.name, .termTooLong(limit: settings.limits.terms.byteCount))))
            // The process still learns that something has ended, although not why.
            signal(control, "killed", traffic, at: now)
        }
    }

    // MARK: Messages and reasons

    /// Takes a control message with a term. The term is not read if its receiver does not exist.
    private mutating func take(
        _ control: ControlMessage, _ content: RawSpan, on id: NodeConnectionID, _ traffic: NodeTraffic,
        at now: Duration
    ) {
        let receiver: UInt64?
        var sender: ErlangPID?
        switch control {
        case .send(let from, let to) where processes.isServed(to): return deliver(content, toServed: to, from: from)
        case .send(let from, let to): (receiver, sender) = (processes.number(of: to), from)
        case .sendNamed(let from, let to): (receiver, sender) = (processes.number(of: to), from)
        case .sendAlias(let from, let alias):
            (receiver, sender) = (calls[alias] == nil ? nil : processes.number(of: caller), from)
        case .spawnRequest(let reference, let from):
            return sendControl(.spawnRefusal(reference, to: from), on: id, at: now)
        default:
            guard let reason = read(content, traffic) else { return signal(control, "killed", traffic, at: now) }
            return signal(control, reason, traffic, at: now)
        }
        guard let receiver else { return }
        if let pid = processes.servedProcess(receiver) {
            return deliver(content, toServed: pid, from: sender)
        }
        // Most messages to a scope are pg's, and need no term. Only the others become one.
        if case .scope(let scope)? = processes.kind(receiver),
            receive(content, in: scope, from: traffic.peer.name, at: now)
        {
            return
        }
        guard let term = read(content, traffic) else { return }
        deliver(term, byteCount: content.byteCount, to: receiver, from: sender, node: traffic.peer.name, at: now)
    }

    /// Reads a term. An invalid one, or one beyond our limits, is dropped; the connection stays.
    private mutating func read(_ content: RawSpan, _ traffic: NodeTraffic) -> ErlangTerm? {
        do throws(ErlangError) {
            return try ErlangTerm(content: content, limits: settings.limits.terms)
        } catch {
            perform(.note(.droppedMessage(traffic.peer.name, error)))
            return nil
        }
    }

    /// Takes a signal with a reason: a process has ended, or must end.
    private mutating func signal(
        _ control: ControlMessage, _ reason: ErlangTerm, _ traffic: NodeTraffic, at now: Duration
    ) {
        switch control {
        case .exit(let from, let to): linkEnded(from, to, reason, at: now)
        case .exitSignal(let from, let to): exitSignal(reason, from: from, to: to, at: now)
        case .down(_, let to, let reference): down(reference, to, reason, from: traffic.node, at: now)
        default: break
        }
    }

    // MARK: Signals

    /// Takes a control message without a term.
    private mutating func take(
        _ control: ControlMessage, on id: NodeConnectionID, _ traffic: NodeTraffic, at now: Duration
    ) {
        switch control {
        case .link(let from, let to): link(from, to, on: id, at: now)
        case .unlink(let number, let from, let to):
            // The answer goes first, so that nothing else that we send to that process comes before it.
            if isOfOurNode(to) {
                sendControl(.unlinkAcknowledgement(number, from: to, to: from), on: id, at: now)
            }
            update(to) { $0.unlinked(by: from) }
        case .unlinkAcknowledgement(let number, let from, let to): update(to) { $0.acknowledged(number, by: from) }
        case .monitor(let from, let target, let reference): monitor(from, target, reference, on: id, at: now)
        case .demonitor(_, let target, let reference):
            guard let number = processes.number(of: target) else { return }
            _ = processes.update(number) { $0.removeWatcher(reference) }
        // Those with a reason or a term were handled above; the others need no action.
        case .exit, .exitSignal, .down, .send, .sendNamed, .sendAlias, .spawnRequest, .spawnReply, .groupLeader: return
        }
    }

    private mutating func update(_ pid: ErlangPID, _ body: (inout NodeProcess) -> Void) {
        if let number = processes.number(of: pid) { _ = processes.update(number, body) }
    }

    /// Whether the process belongs to our node, in this life or an earlier, dead one. We answer for both.
    private func isOfOurNode(_ pid: ErlangPID) -> Bool { pid.node == ourselves.name.atom }

    private mutating func link(_ from: ErlangPID, _ to: ErlangPID, on id: NodeConnectionID, at now: Duration) {
        guard let number = processes.number(of: to) else {
            if isOfOurNode(to) { sendControl(.exit(reason: "noproc", from: to, to: from), on: id, at: now) }
            return
        }
        let limit = settings.limits.linkCount
        let isLinked = processes.update(number) { $0.linked(by: from, limit: limit) }
        if isLinked == false { sendControl(.exit(reason: "system_limit", from: to, to: from), on: id, at: now) }
    }

    private mutating func monitor(
        _ from: ErlangPID, _ target: ErlangTarget, _ reference: ErlangReference, on id: NodeConnectionID,
        at now: Duration
    ) {
        guard let number = processes.number(of: target) else {
            // The process is of an earlier life. For one that we never made, OTP would close the connection.
            return sendControl(.down(target, reason: "noproc", to: from, reference), on: id, at: now)
        }
        let limit = settings.limits.monitorCount
        let isMonitored = processes.update(number) { process in
            guard process.watchers.count < limit else { return false }
            process.add(NodeProcess.Watcher(pid: from, target: target), reference)
            return true
        }
        if isMonitored == false {
            sendControl(.down(target, reason: "system_limit", to: from, reference), on: id, at: now)
        }
    }
}
