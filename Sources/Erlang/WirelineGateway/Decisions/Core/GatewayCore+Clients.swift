// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

// The life of clients: their beginning, their input and output, and their end.
extension GatewayCore {
    /// A client has connected.
    ///
    /// - Parameters:
    ///   - pid: Its process, which the driver has started.
    ///   - info: Its connection, as backends see it.
    package mutating func open(_ pid: ErlangPID, _ info: ClientInfo, at now: Duration) {
        let client = GatewayClient(pid, info, .waiting(until: now + settings.parkTime), settings)
        clients.add(client)
        counters.openedCount += 1
        beginSeeking(client, at: now)
        handOver(client)
        if drainProgress.isDraining, let goodbye = settings.goodbye { write(goodbye, to: client) }
    }

    /// Messages of a client have arrived together, in order.
    ///
    /// - Returns: Whether the driver may go on reading the client. ``GatewayEffect/read(_:_:)`` reports the same.
    @discardableResult
    package mutating func clientDidSend(_ messages: [MessageTerm], by number: ClientNumber) -> Bool {
        guard let client = clients[number], !client.isClosing else { return false }
        counters.clientMessageCount += UInt64(messages.count)
        var passedCount = 0
        // Usually, the owner has all earlier messages, so these go to it at once.
        if let owner = livingOwner(of: client), mayTell(owner, from: client) {
            while passedCount < messages.count, !isFull, client.window.pass() {
                let message = messages[passedCount]
                tell(
                    .pid(owner), .message(client.pid, message, number: nil), from: client.pid,
                    byteCount: message.byteCount)
                passedCount += 1
            }
            if passedCount > 0 { noteTold(owner, from: client) }
        }
        if passedCount < messages.count {
            clients.update(client) { client in
                for message in messages[passedCount...] { client.window.append(message) }
            }
        }
        handOver(client)
        return client.isRead
    }

    /// Hands over as many messages as the owner may have, and decides whether the client is read.
    mutating func handOver(_ client: GatewayClient) {
        guard !client.isClosing else { return }
        var canPass = true
        if let owner = livingOwner(of: client) {
            if mayTell(owner, from: client) {
                if handAll(client, to: owner, isLast: false) { noteTold(owner, from: client) }
                if isFull { postpone(client) }
            }
            canPass = mayTell(owner, from: client)
        }
        let isRead = canPass && client.window.hasRoom
        guard client.isRead != isRead else { return }
        client.isRead = isRead
        append(.read(client.number, isRead))
    }

    /// Whether the owner's node takes the client's messages now.
    private func mayTell(_ owner: ErlangPID, from client: GatewayClient) -> Bool {
        !pressure.isSlow(owner.node) && (client.pausedBy == nil || client.pausedBy != owner.node)
    }

    /// The owner has got messages of a client. If its node is busy, the client rests, so that others go first.
    private mutating func noteTold(_ owner: ErlangPID, from client: GatewayClient) {
        guard pressure.isBusy(owner.node), client.pausedBy != owner.node else { return }
        client.pausedBy = owner.node
        pressure.pause(client.number, for: owner.node)
    }

    /// Returns whether there was something to hand over.
    @discardableResult
    private mutating func handAll(_ client: GatewayClient, to owner: ErlangPID, isLast: Bool) -> Bool {
        let (pid, isNumbered) = (client.pid, settings.window > 0)
        var hasTold = false
        while isLast || !isFull, let handed = clients.update(client, { $0.window.next(isLast: isLast) }) {
            if handed.isResent { counters.resentCount += 1 }
            tell(
                .pid(owner), .message(pid, handed.message, number: isNumbered ? handed.number : nil), from: pid,
                byteCount: handed.message.byteCount)
            hasTold = true
        }
        return hasTold
    }

    // MARK: Output

    mutating func write(_ packet: ClientPacket, to client: GatewayClient) {
        guard queue(packet, to: client) else { return }
        append(.write(client.number, packet))
    }

    /// Counts a packet for a client. The caller must write it.
    ///
    /// - Returns: False if the client has ended.
    mutating func queue(_ packet: ClientPacket, to client: GatewayClient) -> Bool {
        guard !client.isClosing else { return false }
        let byteCount = packet.byteCount
        clients.update(client) { $0.queued(byteCount) }
        if client.queuedByteCount > settings.clientByteCount, !client.isQueuedForSizeCheck {
            client.isQueuedForSizeCheck = true
            clientsToCheck.append(client.number)
        }
        counters.serverMessageCount += 1
        return true
    }

    /// The system has taken bytes of a client's output.
    package mutating func taken(_ byteCount: Int, by number: ClientNumber) {
        if let client = clients[number] { clients.update(client) { $0.taken(byteCount) } }
    }

    package var hasSlowClients: Bool { clientsToCheck.first != nil || clients.heldByteCount > settings.heldByteCount }

    /// Closes the clients with too much output. Call it after all output has been offered to the system: a long packet
    /// alone
    /// makes no client slow.
    package mutating func closeSlowClients(at now: Duration) {
        // If the effects are full, the next round closes the others.
        while !isFull, let number = clientsToCheck.popFirst() {
            guard let client = clients[number], !client.isClosing else { continue }
            client.isQueuedForSizeCheck = false
            if client.queuedByteCount > settings.clientByteCount { end(client, .slow, .aborted, at: now) }
        }
        let excess = clients.heldByteCount - settings.heldByteCount
        guard excess > 0, !isFull else { return }
        for client in clients.largest(freeing: excess) where !isFull { end(client, .slow, .aborted, at: now) }
    }

    // MARK: The end

    enum Closing {
        /// It has already ended.
        case ended
        /// It ends by itself when the output has left, or had time to.
        case parting
        /// It closes after the output has left.
        case flushed
        /// It closes at once.
        case aborted
    }

    /// The connection of a client has ended, or the driver ends it because of its silence or its input.
    ///
    /// - Parameters:
    ///   - reason: The reason; `normal` if the client closed the connection.
    ///   - isUnread: Whether the client was not read then, so that some of its messages may be lost.
    package mutating func closed(
        _ number: ClientNumber, _ reason: ClientEnd, isUnread: Bool = false, at now: Duration
    ) {
        guard let client = clients[number] else { return }
        end(client, reason, .ended, isUnread: isUnread, at: now)
    }

    /// A client's connection begins to end by itself: its input is over, and its output leaves.
    /// ``closed(_:_:isUnread:at:)`` follows.
    package mutating func connectionWillEnd(_ number: ClientNumber, _ reason: ClientEnd, at now: Duration) {
        if let client = clients[number] { end(client, reason, .parting, at: now) }
    }

    /// A client's message, or news about the client, is longer than a term may be. Its owner would miss it. So the
    /// client
    /// ends, and its later messages are dropped.
    package mutating func lostTerm(of pid: ErlangPID, at now: Duration) {
        guard let client = clients.client(of: pid) else { return }
        counters.lostTermCount += 1
        clients.update(client) { $0.dropMessages(settings) }
        end(client, .packet("a term is over the limit"), .flushed, at: now)
    }

    /// The connection of a closing client has ended.
    package mutating func connectionEnded(_ number: ClientNumber, at now: Duration) {
        guard let client = clients[number], client.isClosing else { return }
        clients.remove(client)
        endDrainIfEmpty()
    }

    /// A process has called `exit(Client, Reason)`, or a process that was linked to the client has ended.
    ///
    /// - Parameters:
    ///   - pid: The client.
    ///   - reason: The reason; `normal` ends no client.
    ///   - isKill: Whether the signal was `exit(Client, kill)`.
    package mutating func exit(_ pid: ErlangPID, _ reason: ErlangTerm, isKill: Bool, at now: Duration) {
        receive(.exit(pid, reason, isKill: isKill), at: now)
    }

    mutating func exited(_ pid: ErlangPID, _ reason: ErlangTerm, isKill: Bool, at now: Duration) {
        guard let client = clients.client(of: pid) else { return }
        if isKill {
            end(client, .killed, .aborted, at: now)
        } else if reason != "normal" {
            end(client, .exited(reason), .flushed, at: now)
        }
    }

    /// Ends a client. Its owner gets all its messages, then `close`, and then its process ends. Without an owner, its
    /// messages
    /// are lost.
    mutating func end(
        _ client: GatewayClient, _ reason: ClientEnd, _ closing: Closing, isUnread: Bool = false, at now: Duration
    ) {
        let number = client.number
        guard !client.isClosing else {
            if closing == .aborted { append(.close(number, reason, isFlushed: false)) }
            if closing == .aborted || closing == .ended { connectionEnded(number, at: now) }
            return
        }
        noticeLosses(of: client, at: now)
        let asked = client.asked
        if isUnread || client.owner == nil && !client.window.isEmpty { counters.unreadEndCount += 1 }
        if let owner = client.owner {
            handAll(client, to: owner, isLast: true)
            append(.tell(.pid(owner), .close(client.pid, reason: reason.term), from: client.pid))
        }
        for backend in asked where client.owner.map({ .pid($0) }) != backend {
            append(.tell(backend, .close(client.pid, reason: reason.term), from: client.pid))
        }
        append(.end(client.pid, reason: reason.term))
        counters.closedCounts[reason.label, default: 0] += 1
        release(client)
        switch closing {
        case .flushed, .parting:
            clients.change(client, to: .closing)
            clients.update(client) { $0.forget(settings) }
        case .aborted, .ended: clients.remove(client)
        }
        switch closing {
        case .flushed, .aborted: append(.close(number, reason, isFlushed: closing == .flushed))
        case .parting, .ended: break
        }
        // The backends that were asked have a place again.
        if !asked.isEmpty { offerWaiting(at: now) }
        endDrainIfEmpty()
    }

    /// Removes a client from groups, rests and backends.
    private mutating func release(_ client: GatewayClient) {
        for group in client.groups { _ = groups.leave(group, client.number) }
        if let node = client.pausedBy { pressure.forget(client.number, for: node) }
        forgetBackends(of: client)
    }
}
