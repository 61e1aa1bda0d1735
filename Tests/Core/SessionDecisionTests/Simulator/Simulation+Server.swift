// SPDX-License-Identifier: Apache-2.0

import Wireline

/// The server: its decisions, and what it does with messages.
extension Simulation {
    // MARK: Which clients may connect

    func establish(_ link: Link) {
        guard server.isAccepting, now >= server.awayUntil else { return plan(.ended(link, .refused), after: 0) }
        guard link.isOpenAtClient else { return handle(.connected(link.number), link.client) }
        guard admit(link) else {
            plan(.ended(link, .endedByPeer), after: link.latency)
            return handle(.connected(link.number), link.client)
        }
        (link.heardAt, link.wantedSince) = (now, now)
        if scenario.mutation != .noServerDeadlines, let limits = scenario.deadlines {
            link.deadlines = PeerDeadlines(limits, at: .microseconds(now))
        }
        setServerTimer(link)
        handle(.connected(link.number), link.client)
    }

    private func admit(_ link: Link) -> Bool {
        let limit = scenario.connectionLimit ?? .max
        let isAdmitted = server.limiter.admit(from: SimulatedServer.network)
        if !isAdmitted {
            if server.openLinks.count < limit {
                violate("connection \(link.serverNumber) was refused, though there is room")
            }
            link.isOneTooMany = true
            server.met.insert(.oneTooMany)
            return false
        }
        if server.openLinks.count >= limit { violate("connection \(link.serverNumber) is one too many") }
        link.isOpenAtServer = true
        server.openLinks[link.serverNumber] = link
        return true
    }

    // MARK: Deadlines of clients

    private func setServerTimer(_ link: Link) {
        guard let deadline = link.deadlines?.deadline else { return }
        link.serverTimer = max(now, Int(microsecondsRoundedUp: deadline))
        plan(.serverTimer(link), after: link.serverTimer - now)
    }

    func serverTimerFired(_ link: Link) {
        // The timer is older than the current one.
        guard link.isOpenAtServer, link.serverTimer <= now else { return }
        // A blocked server wants no input, and neither does one that waits for memory.
        let isWanted = !link.isDraining && now >= link.stallEnd && server.budget?.isWaiting(link.serverNumber) != true
        let signs = PeerDeadlines.PeerActivity(
            lastArrival: .microseconds(scenario.mutation == .deafServer ? 0 : link.heardAt),
            wantedSince: isWanted ? .microseconds(max(link.wantedSince, link.stallEnd)) : nil)
        let isFirst = link.deadlines?.isAwaitingFirstPacket == true
        guard link.deadlines?.timerFired(at: .microseconds(now), signs) == .tooLate else { return setServerTimer(link) }
        server.met.insert(isFirst ? .firstPacketTooLate : .silence)
        endByServer(link)
    }

    /// The server ends a connection.
    private func endByServer(_ link: Link) {
        link.breakage = random.percentage() < 50 ? .reset : .serverEndsOutput
        breakLink(link)
        closeAtServer(link)
    }

    /// The server learns that a connection has ended.
    func closeAtServer(_ link: Link) {
        guard link.isOpenAtServer else { return }
        link.isOpenAtServer = false
        server.openLinks[link.serverNumber] = nil
        if scenario.mutation != .countedForEver { server.limiter.ended(from: SimulatedServer.network) }
        if link.acknowledgedByteCount > link.dealtByteCount { server.met.insert(.acknowledgedUnread) }
        if scenario.mutation != .heldForEver {
            changeBudget(for: link.serverNumber) { $0.remove(link.serverNumber, into: &$1) }
        }
        if scenario.mutation != .deafDrain { changeDrain { $0.ended(link.serverNumber, into: &$1) } }
    }

    // MARK: Memory

    /// The server handles what has arrived, as far as there is memory.
    private func deal(with link: Link) {
        while link.isOpenAtServer, !link.isDealing, let item = link.inbox.first {
            if case .message(let index, _) = item, server.budget != nil {
                link.isDealing = true
                let byteCount = clients[link.client].messages[index].byteCount
                (link.askedAt, link.grantCountBefore) = (now, server.intruderGrantCount)
                changeBudget(for: link.serverNumber) { $0.request(byteCount, for: link.serverNumber, into: &$1) }
                if server.budget!.isWaiting(link.serverNumber) { server.met.insert(.waitForRoom) }
            } else {
                link.inbox.removeFirst()
                take(item, of: link)
            }
        }
    }

    /// The server has handled a message.
    func dealt(_ link: Link) {
        guard link.isOpenAtServer else { return }
        link.isDealing = false
        take(link.inbox.removeFirst(), of: link)
        // Handling it may have ended the connection.
        guard link.isOpenAtServer else { return }
        changeBudget(for: link.serverNumber) {
            $0.release($0.byteCount(of: link.serverNumber), by: link.serverNumber, into: &$1)
        }
        deal(with: link)
    }

    // MARK: Draining

    func beginServerDrain() {
        guard let (_, policy, _) = scenario.serverDrain else { return }
        server.isAccepting = false
        server.drainStart = now
        var actions: [Drain<Int>.Action] = []
        server.drain = Drain(
            of: (Array(server.openLinks.keys) + server.intruders.keys).sorted(), policy, at: .microseconds(now),
            using: &random, into: &actions)
        carryOut(actions)
    }

    func drainTimerFired() {
        // The timer is older than the current one.
        guard server.drainTimer <= now else { return }
        server.drainTimer = .max
        changeDrain { $0.timerFired(at: .microseconds(now), into: &$1) }
    }

    func changeDrain(_ change: (inout Drain<Int>, inout [Drain<Int>.Action]) -> Void) {
        guard server.drain != nil else { return }
        var actions: [Drain<Int>.Action] = []
        change(&server.drain!, &actions)
        carryOut(actions)
    }

    private func carryOut(_ actions: [Drain<Int>.Action]) {
        guard let (_, policy, downtime) = scenario.serverDrain else { return }
        if let deadline = server.drain?.deadline {
            let time = max(now, Int(microsecondsRoundedUp: deadline))
            if time < server.drainTimer {
                server.drainTimer = time
                plan(.drainTimer, after: time - now)
            }
        }
        for action in actions {
            switch action {
            case .stopAccepting: note("server: sends its clients away")
            case .tell(let number): sendAway(number, policy)
            case .close(let number):
                server.met.insert(.closedByDrain)
                if let link = server.openLinks[number] { endByServer(link) }
                if let intruder = server.intruders[number] { end(intruder) }
            case .finished:
                note("server: all clients have gone")
                server.met.insert(.drained)
                if .microseconds(now - server.drainStart) > policy.timeout + .milliseconds(1) {
                    violate("the drain has taken longer than it may")
                }
                server.drain = nil
                server.isAccepting = true
                server.awayUntil = now + downtime
            }
        }
    }

    private func sendAway(_ number: Int, _ policy: DrainPolicy) {
        if server.told.updateValue(now, forKey: number) != nil { violate("connection \(number) is told twice to go") }
        if .microseconds(now - server.drainStart) > policy.spread + .microseconds(1) {
            violate("connection \(number) is told late to go")
        }
        if let intruder = server.intruders[number] { return sendAway(intruder) }
        guard let link = server.openLinks[number] else { return violate("connection \(number) is told, and has ended") }
        send(.kick(KickNotice(reason: 5, advice: .wait(atLeast: .zero))), on: link)
        link.isDraining = true
    }

    /// The server ends silently, and is back after a while.
    func restart(downtime: Int) {
        server.awayUntil = now + downtime
        endIntruders()
        for link in server.openLinks.values.sorted(by: { $0.serverNumber < $1.serverNumber }) { endByServer(link) }
    }

    // MARK: Messages

    func arrive(_ item: UpwardItem, on link: Link) {
        guard link.isOpenAtServer, link.carriesUpward, !link.isDraining else { return }
        guard now >= link.stallEnd else { return plan(.arriveUpward(link, item), after: link.stallEnd - now) }
        link.heardAt = now
        link.inbox.append(item)
        deal(with: link)
    }

    private func take(_ item: UpwardItem, of link: Link) {
        link.deadlines?.packetCame(at: .microseconds(now))
        link.dealtByteCount += byteCount(of: item, from: link.client)
        switch item {
        case .login: logIn(link)
        case .message(let index, let sequence): if link.isLoggedIn { receive(index, sequence, on: link) }
        case .heartbeat(let sequence):
            if link.isLoggedIn, scenario.answersHeartbeats { send(.heartbeatAnswer(sequence: sequence), on: link) }
        }
    }

    private func byteCount(of item: UpwardItem, from client: Int) -> Int {
        switch item {
        case .login: Self.loginByteCount
        case .message(let index, _): clients[client].messages[index].byteCount
        case .heartbeat: Self.heartbeatByteCount
        }
    }

    private func logIn(_ link: Link) {
        setServerTimer(link)
        guard !link.ignoresLogin else { return }
        guard !link.refusesLogin else { return send(.loginRefused, on: link) }
        for other in clients[link.client].links where other !== link && other.isLoggedIn {
            // A login that comes late does not belong to the newest connection.
            guard other.number.rawValue < link.number.rawValue else { return }
            closeAtServer(other)
        }
        link.isLoggedIn = true
        send(.loggedIn(lastSequence: records[link.client].lastSequence), on: link)
    }

    private func receive(_ index: Int, _ sequence: UInt64?, on link: Link) {
        let planned = clients[link.client].messages[index]
        records[link.client].arrivals[index] += 1
        var isNew = true
        if let sequence, let maximum = scenario.configuration.maximumSequence {
            isNew = records[link.client].isNew(sequence, maximum: maximum)
        }
        let isDropped = planned.delivery == .exactlyOnce && !isNew && scenario.mutation != .noDeduplication
        let isForgotten = scenario.mutation == .forgetfulServer && random.percentage() < 20
        if !isDropped, !isForgotten {
            records[link.client].deliveries[index] += 1
            records[link.client].log.append(index)
        }
        note("server: message \(index), sequence \(sequence ?? 0)\(isDropped ? ", again" : "")")
        switch planned.receipt {
        case .reply([Scenario.replyID]):
            guard planned.replyDelay == 0 else {
                return plan(.lateReply(link, index: index, sequence: sequence), after: planned.replyDelay)
            }
            send(.reply(to: index, sequence: sequence), on: link)
        case .acknowledgement: confirm(sequence, on: link)
        default: break
        }
    }

    private func confirm(_ sequence: UInt64?, on link: Link) {
        guard let sequence else { return }
        guard scenario.style == .cumulative else { return send(.acknowledgement(.sequence(sequence)), on: link) }
        guard !link.isAcknowledging else { return }
        link.isAcknowledging = true
        plan(.acknowledge(link), after: 20_000)
    }

    func acknowledge(on link: Link) {
        link.isAcknowledging = false
        guard let last = records[link.client].lastSequence else { return }
        send(.acknowledgement(.cumulative(last)), on: link)
    }
}
