// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

// The life of clients: their beginning, what they say and are sent, and their end.
extension GatewayCore {
    /// A client has connected.
    ///
    /// - Parameters:
    ///   - pid: Its process, which the driver has started.
    ///   - info: What backends are told of it.
    package mutating func open(_ pid: ErlangPID, _ info: ClientInfo, at now: Duration) {
        let client = GatewayClient(pid, info, .parked(until: now + settings.parkTime), settings)
        clients.add(client)
        counters.openedCount += 1
        offer(client.number, at: now)
        if life.isDraining, let goodbye = settings.goodbye { write(goodbye, to: client.number) }
    }

    /// A client has said something.
    ///
    /// - Returns: Whether it may be read further. ``GatewayEffect/read(_:_:)`` says the same.
    @discardableResult
    package mutating func said(_ message: MessageTerm, by number: ClientNumber) -> Bool {
        guard let client = clients[number], !client.isClosing else { return false }
        counters.clientMessageCount += 1
        _ = clients.update(number) { $0.window.append(message) }
        handOver(number)
        return clients[number]?.isRead == true
    }

    /// Hands the owner what it may have, and decides whether the client is read.
    mutating func handOver(_ number: ClientNumber) {
        guard let client = clients[number], !client.isClosing else { return }
        var canPass = true
        if let owner = client.owner {
            canPass = !pressure.isSlow(owner.node)
            if canPass { handAll(number, to: owner, isLast: false) }
        }
        let isRead = clients.update(number) { client -> Bool? in
            let isRead = canPass && client.window.hasRoom
            guard client.isRead != isRead else { return nil }
            client.isRead = isRead
            return isRead
        }
        if case .some(let isRead?) = isRead { want(.read(number, isRead)) }
    }

    private mutating func handAll(_ number: ClientNumber, to owner: ErlangPID, isLast: Bool) {
        guard let pid = clients[number]?.pid else { return }
        while let handed = clients.update(number, { $0.window.next(isLast: isLast) }) ?? nil {
            if handed.isResent { counters.resentCount += 1 }
            let isNumbered = settings.window > 0
            want(
                .tell(
                    .pid(owner), .message(pid, handed.message, number: isNumbered ? handed.number : nil), from: pid))
        }
    }

    // MARK: Output

    /// Sends a packet to a client.
    mutating func write(_ packet: [UInt8], to number: ClientNumber) {
        guard queue(packet, to: number) else { return }
        want(.write(number, packet))
    }

    /// Counts a packet that is to be sent to a client.
    ///
    /// - Returns: Whether the client is there.
    mutating func queue(_ packet: [UInt8], to number: ClientNumber) -> Bool {
        let limit = settings.clientByteCount
        let isOver = clients.update(number) { client -> Bool? in
            guard !client.isClosing else { return nil }
            client.queued(packet.count)
            return client.queuedByteCount > limit
        }
        guard case .some(let isOver?) = isOver else { return false }
        if isOver { suspects.insert(number) }
        counters.serverMessageCount += 1
        counters.serverByteCount += UInt64(packet.count)
        return true
    }

    /// The system has taken bytes that were written to a client.
    package mutating func taken(_ byteCount: Int, by number: ClientNumber) {
        _ = clients.update(number) { $0.taken(byteCount) }
    }

    /// Whether ``closeSlowClients(at:)`` has something to do.
    package var hasSlowClients: Bool { !suspects.isEmpty || clients.heldByteCount > settings.heldByteCount }

    /// Closes the clients for which too much waits. It is to be called when all that was written has been offered to the
    /// system: a long packet alone makes no client slow.
    package mutating func closeSlowClients(at now: Duration) {
        for number in suspects.sorted() {
            guard let client = clients[number], client.queuedByteCount > settings.clientByteCount else { continue }
            end(number, .slow, .aborted, at: now)
        }
        suspects = []
        let excess = clients.heldByteCount - settings.heldByteCount
        guard excess > 0 else { return }
        for number in clients.largest(freeing: excess) { end(number, .slow, .aborted, at: now) }
    }

    // MARK: The end

    /// How the connection of a client ends.
    enum Closing {
        /// It has ended already.
        case ended
        /// What was written leaves first.
        case flushed
        /// At once.
        case aborted
    }

    /// The connection of a client has ended, or the driver ends it: for its silence, or for what it sent.
    ///
    /// - Parameter end: Why; `normal` if the client closed it.
    package mutating func closed(_ number: ClientNumber, _ reason: ClientEnd, at now: Duration) {
        end(number, reason, .ended, at: now)
    }

    /// The connection of a client that was to be closed has ended.
    package mutating func connectionEnded(_ number: ClientNumber, at now: Duration) {
        guard clients[number]?.isClosing == true else { return }
        clients.remove(number)
        endDrainIfEmpty()
    }

    /// A process has called `exit(Client, Reason)`, or a process that was linked to the client has ended.
    ///
    /// - Parameters:
    ///   - pid: The client.
    ///   - reason: Why. `normal` ends nobody.
    ///   - isKill: Whether the signal was `exit(Client, kill)`.
    package mutating func exit(_ pid: ErlangPID, _ reason: ErlangTerm, isKill: Bool, at now: Duration) {
        guard let number = clients.number(of: pid) else { return }
        if isKill {
            end(number, .killed, .aborted, at: now)
        } else if reason != "normal" {
            end(number, .exited(reason), .flushed, at: now)
        }
    }

    /// Ends a client: its owner gets all that it said, then `close`, and then its process ends.
    mutating func end(_ number: ClientNumber, _ reason: ClientEnd, _ closing: Closing, at now: Duration) {
        guard let client = clients[number] else { return }
        guard !client.isClosing else {
            if closing == .aborted { want(.close(number, reason, isFlushed: false)) }
            if closing != .flushed { connectionEnded(number, at: now) }
            return
        }
        switch client.life {
        case .owned(let owner):
            handAll(number, to: owner, isLast: true)
            want(.tell(.pid(owner), .close(client.pid, reason: reason.term), from: client.pid))
        case .asked(let backend, _): want(.tell(backend, .close(client.pid, reason: reason.term), from: client.pid))
        case .parked, .closing: break
        }
        want(.end(client.pid, reason: reason.term))
        counters.closedCounts[reason.label, default: 0] += 1
        release(number, client)
        suspects.remove(number)
        if closing == .flushed {
            clients.change(number, to: .closing)
            _ = clients.update(number) { $0.forget(settings) }
        } else {
            clients.remove(number)
        }
        if closing != .ended { want(.close(number, reason, isFlushed: closing == .flushed)) }
        endDrainIfEmpty()
    }

    /// A client counts nowhere any more.
    private mutating func release(_ number: ClientNumber, _ client: GatewayClient) {
        for group in client.groups { _ = groups.leave(group, number) }
        if let backend = client.backend { backends.lostClient(backend) }
        if let process = client.watchedProcess, watch.remove(number, of: process) { want(.demonitor(process)) }
    }
}
