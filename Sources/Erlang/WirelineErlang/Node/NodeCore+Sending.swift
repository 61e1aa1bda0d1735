// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// Output of programs and of our processes. As in Erlang, sending to a node first connects to it.
extension NodeCore {
    // MARK: From the program

    /// - Parameter sender: A process of ours; nil: the caller process, which stands for the rest of the program.
    package mutating func send(
        _ term: ErlangTerm, to destination: ErlangDestination, from sender: ErlangPID? = nil, at now: Duration
    ) throws(NodeFault) {
        let sender = sender ?? caller
        switch destination {
        case .pid(let pid) where processes.isOurs(pid): try sendHere(term, processes.number(of: pid), sender, at: now)
        case .pid(let pid): try route(.send(term, from: sender, to: pid), to: pid.node, at: now)
        case .name(let name, at: let node):
            guard let node, node != ourselves.name
            else { return try sendHere(term, processes.number(of: name), sender, at: now) }
            try route(.sendNamed(term, from: sender, to: name), to: node.atom, at: now)
        }
        settle(at: now)
    }

    /// - Parameters:
    ///   - encoded: The bytes of exactly one term, without the version byte. They are not checked: Erlang closes the
    ///     connection if they are no term.
    ///   - sender: A process of ours; nil: the caller process, which stands for the rest of the program.
    package mutating func send(
        encoded: [UInt8], to destination: ErlangDestination, from sender: ErlangPID? = nil, at now: Duration
    ) throws(NodeFault) {
        let (target, node) = place(of: destination)
        guard let node else {
            let term: ErlangTerm
            do throws(ErlangError) {
                var reader = ErlangTermReader(encoded.rawSpan)
                term = try reader.readTerm(limits: settings.limits.terms)
            } catch {
                throw .term(error)
            }
            return try send(term, to: destination, from: sender, at: now)
        }
        try route(.sendEncoded(encoded, from: sender ?? caller, to: target), to: node, at: now)
        settle(at: now)
    }

    private mutating func sendHere(
        _ term: ErlangTerm, _ number: UInt64?, _ sender: ErlangPID, at now: Duration
    ) throws(NodeFault) {
        let byteCount: Int
        do throws(ErlangError) { byteCount = try TermMeasure.byteCount(of: term, settings.limits.terms) } catch {
            throw .term(error)
        }
        guard let number else { return }
        deliver(term, byteCount: byteCount, to: number, from: sender, node: nil, at: now)
    }

    /// The target's end is a ``ErlangEvent/down(_:reason:)``.
    package mutating func monitor(
        _ target: ErlangDestination, by pid: ErlangPID, at now: Duration
    ) throws(NodeFault) -> ErlangMonitor {
        guard let number = processes.number(of: pid), let process = processes[number] else { throw .noProcess }
        let limit = settings.limits.monitorCount
        guard process.monitors.count < limit else { throw .tooManyLinks(limit: limit) }
        let monitor = ErlangMonitor(target: target, reference: processes.makeReference())
        _ = processes.update(number) { $0.add(monitor) }
        do throws(NodeFault) {
            try watch(monitor, by: pid, at: now)
        } catch {
            _ = processes.update(number) { $0.removeMonitor(monitor.reference) }
            throw error
        }
        settle(at: now)
        return monitor
    }

    /// Tells the target about the monitor.
    private mutating func watch(
        _ monitor: ErlangMonitor, by pid: ErlangPID, at now: Duration
    ) throws(NodeFault) {
        let (target, node) = place(of: monitor.target)
        guard let node else {
            guard let number = processes.number(of: target) else {
                return down(monitor.reference, pid, "noproc", from: ourselves.name.atom, at: now)
            }
            _ = processes.update(number) {
                $0.add(NodeProcess.Watcher(pid: pid, target: target), monitor.reference)
            }
            return
        }
        try route(.monitor(from: pid, target, monitor.reference), to: node, at: now)
    }

    /// Removes a monitor. No event of it follows, but an event that waits already stays.
    package mutating func demonitor(_ monitor: ErlangMonitor, by pid: ErlangPID, at now: Duration) {
        guard let number = processes.number(of: pid),
            processes.update(number, { $0.removeMonitor(monitor.reference) }) != nil
        else { return }
        withdraw(monitor, of: pid, at: now)
        settle(at: now)
    }

    /// Tells the target that the monitor is removed.
    mutating func withdraw(_ monitor: ErlangMonitor, of pid: ErlangPID, at now: Duration) {
        let (target, node) = place(of: monitor.target)
        if let node { return sendControl(.demonitor(from: pid, target, monitor.reference), to: node, at: now) }
        guard let number = processes.number(of: target) else { return }
        _ = processes.update(number) { $0.removeWatcher(monitor.reference) }
    }

    /// Links two processes. If one ends, the other one ends too, or gets an event if it traps exits.
    package mutating func link(_ pid: ErlangPID, to other: ErlangPID, at now: Duration) throws(NodeFault) {
        guard let number = processes.number(of: pid), let process = processes[number] else { throw .noProcess }
        guard process.linkCount < settings.limits.linkCount
        else { throw .tooManyLinks(limit: settings.limits.linkCount) }
        guard pid != other, processes.update(number, { $0.link(to: other) }) == true else { return }
        if processes.isOurs(other) {
            guard let place = processes.number(of: other) else {
                linkEnded(other, pid, "noproc", at: now)
                return settle(at: now)
            }
            _ = processes.update(place) { $0.linked(by: pid) }
            return
        }
        do throws(NodeFault) {
            try route(.link(from: pid, to: other), to: other.node, at: now)
        } catch {
            _ = processes.update(number) { $0.linkEnded(to: other) }
            throw error
        }
        settle(at: now)
    }

    /// No event of the link follows.
    package mutating func unlink(_ pid: ErlangPID, from other: ErlangPID, at now: Duration) {
        let id = processes.makeUnlinkID()
        guard let number = processes.number(of: pid),
            processes.update(number, { $0.unlink(from: other, id) }) == true
        else { return }
        guard processes.isOurs(other) else {
            sendControl(.unlink(id, from: pid, to: other), to: other.node, at: now)
            return settle(at: now)
        }
        if let place = processes.number(of: other) { _ = processes.update(place) { $0.unlinked(by: pid) } }
        _ = processes.update(number) { $0.acknowledged(id, by: other) }
    }

    /// Erlang's `exit(Pid, Reason)`.
    package mutating func exit(
        _ other: ErlangPID, reason: ErlangTerm, from pid: ErlangPID, at now: Duration
    ) throws(NodeFault) {
        try requireWritable(reason)
        if processes.isOurs(other) {
            exitSignal(reason, from: pid, to: other, at: now)
        } else {
            try route(.exitSignal(reason: reason, from: pid, to: other), to: other.node, at: now)
        }
        settle(at: now)
    }

    /// Splits a destination into its target and its node; nil: our node.
    func place(of destination: ErlangDestination) -> (ErlangTarget, ErlangAtom?) {
        switch destination {
        case .pid(let pid): (.process(pid), processes.isOurs(pid) ? nil : pid.node)
        case .name(let name, at: let node):
            (.name(name), node.flatMap { $0 == ourselves.name ? nil : $0.atom })
        }
    }

    // MARK: Between nodes

    /// Connects to the node first if needed.
    mutating func route(
        _ message: OutgoingMessage, to node: ErlangAtom, at now: Duration
    ) throws(NodeFault) {
        if let id = peers[node]?.connection {
            do throws(NodeFault) {
                return try append(message, on: id, limit: settings.limits.pendingByteCount, at: now)
            } catch {
                if case .busy = error { busyNodes.insert(node) }
                throw error
            }
        }
        let byteCount: Int
        do throws(ErlangError) { byteCount = try message.byteCount(settings.limits.terms) } catch {
            throw .term(error)
        }
        if peers[node] == nil {
            guard let name = ErlangNodeName(node.name) else { throw .invalidNode(node) }
            try connect(to: name, at: now)
        }
        guard let place = peers.index(forKey: node) else { return }
        let limit = settings.limits.pendingByteCount
        // As on a connection, a message of any length is taken if there is room for one.
        guard peers.values[place].waitingByteCount < limit else {
            busyNodes.insert(node)
            throw .busy(limit: limit)
        }
        peers.values[place].add(message, byteCount: byteCount)
    }

    private mutating func append(
        _ message: OutgoingMessage, on id: NodeConnectionID, limit: Int, at now: Duration
    ) throws(NodeFault) {
        let isWritten = try connections.update(id) { connection throws(NodeFault) in
            guard connection.pendingByteCount < limit else { throw .busy(limit: limit) }
            do throws(ErlangError) { return try connection.send(message, at: now) } catch { throw .term(error) }
        }
        // The node does not report a link that belongs to its earlier life. So we report the end that it would send.
        if isWritten == false, case .link(let from, let to) = message { linkEnded(to, from, "noproc", at: now) }
    }

    /// Sends a message that the protocol demands. If too much output waits for the node, it closes the connection:
    /// the node asks, and does not read the answers. Programs' messages always leave space for these answers, even if
    /// the last message was long.
    mutating func sendControl(_ message: OutgoingMessage, on id: NodeConnectionID, at now: Duration) {
        let limits = settings.limits
        do throws(NodeFault) {
            try append(message, on: id, limit: 2 * limits.pendingByteCount + limits.terms.byteCount, at: now)
        } catch {
            // Reasons and replies were checked before, so only a node that does not read causes this.
            faulty.append((id, error))
        }
    }

    /// Sends a message to a node, if it is connected.
    mutating func sendControl(_ message: OutgoingMessage, to node: ErlangAtom, at now: Duration) {
        guard let place = peers.index(forKey: node) else { return }
        if let id = peers.values[place].connection { return sendControl(message, on: id, at: now) }
        // The message withdraws an earlier one that was counted, so there is at most one for each of those.
        peers.values[place].add(message, byteCount: 0)
    }
}

extension OutgoingMessage {
    /// An upper bound for the bytes of its packets.
    fileprivate func byteCount(_ limits: ErlangTermLimits) throws(ErlangError) -> Int {
        let kind = kind(for: .ours)
        var control = ControlMeasure(limits)
        try addControl(kind, to: &control)
        let content = try content(kind)?.byteCount(limits) ?? 0
        let packetCount = 1 + content / PacketEncoder.fragmentByteCount
        return packetCount * PacketEncoder.headByteCount + control.byteCount + content
    }
}
