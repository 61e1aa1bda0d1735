// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Clients that hold memory, read nothing or reset, and the server's answer to them.
extension Simulation {
    // MARK: What intruders do

    func come(_ plan: PlannedIntruder, number: Int) {
        server.expectedIntruderCount -= 1
        guard server.isAccepting, now >= server.awayUntil, let limits = scenario.deadlines,
            server.limiter.admit(from: SimulatedIntruder.network)
        else { return }
        let intruder = SimulatedIntruder(plan, number: number, limits: limits, at: now)
        server.intruders[number] = intruder
        note("intruder \(number): \(plan)")
        if let delay = plan.resetDelay { self.plan(.intruderResets(intruder), after: delay) }
        self.plan(.intruderActs(intruder), after: SimulatedIntruder.step)
        switch plan.kind {
        case .unready: break
        case .deaf:
            intruder.deadlines.packetCame(at: .microseconds(now))
            sendOutput(to: intruder)
        case .holder, .dribbler, .worker, .leaver:
            intruder.deadlines.packetCame(at: .microseconds(now))
            changeBudget(for: number) { $0.request(plan.byteCount, for: number, into: &$1) }
        }
        setTimer(intruder)
    }

    /// The server sends what the intruder has ordered, as far as there is memory for it.
    private func sendOutput(to intruder: SimulatedIntruder) {
        var isTaken = true
        changeBudget(for: intruder.number) { budget, _ in
            isTaken = budget.take(intruder.plan.byteCount, for: intruder.number)
        }
        guard isTaken else { return }
        intruder.undeliveredByteCount = intruder.plan.byteCount
        if server.budget != nil { server.intruderGrantCount += 1 }
    }

    func act(_ intruder: SimulatedIntruder) {
        guard intruder.isOpen else { return }
        plan(.intruderActs(intruder), after: SimulatedIntruder.step)
        intruder.stepCount += 1
        if intruder.undeliveredByteCount > 0 { return acknowledge(intruder) }
        // The server does not read from a connection that waits. At the end all intruders fall silent.
        guard now < scenario.faultEnd, !intruder.isDraining, server.budget?.isWaiting(intruder.number) != true else {
            return
        }
        let byteCount = intruder.plan.byteCount
        switch intruder.plan.kind {
        case .unready, .holder, .deaf: break
        case .dribbler: hear(byteCount / 1_000 + 1, from: intruder)
        case .worker:
            hear(byteCount / 6, from: intruder)
            guard intruder.stepCount >= 6 else { break }
            releaseAll(of: intruder, but: 0)
            changeBudget(for: intruder.number) { $0.request(byteCount, for: intruder.number, into: &$1) }
        case .leaver: if intruder.stepCount == 1 { releaseAll(of: intruder, but: byteCount / 8) }
        }
    }

    private func hear(_ byteCount: Int, from intruder: SimulatedIntruder) {
        intruder.heardAt = now
        intruder.movedByteCount += UInt64(byteCount)
    }

    private func releaseAll(of intruder: SimulatedIntruder, but left: Int) {
        changeBudget(for: intruder.number) { budget, actions in
            let byteCount = max(0, budget.byteCount(of: intruder.number) - left)
            if byteCount > 0 { budget.release(byteCount, by: intruder.number, into: &actions) }
        }
    }

    /// The intruder's system acknowledges what fits its buffer, though its program does not read.
    private func acknowledge(_ intruder: SimulatedIntruder) {
        let leftInTheEnd = intruder.plan.byteCount - intruder.plan.acknowledgedByteCount
        let byteCount = min(intruder.undeliveredByteCount - leftInTheEnd, 1 + random.below(intruder.plan.byteCount))
        if byteCount > 0 {
            intruder.acknowledgedAt = now
            intruder.movedByteCount += UInt64(byteCount)
            intruder.undeliveredByteCount -= byteCount
            releaseAll(of: intruder, but: intruder.undeliveredByteCount)
            if intruder.undeliveredByteCount == 0 { intruder.wantedSince = now }
        } else if now - intruder.acknowledgedAt >= SimulatedIntruder.writeTimeout {
            server.met.insert(.takesNothing)
            end(intruder)
        }
    }

    func reset(_ intruder: SimulatedIntruder) {
        guard intruder.isOpen else { return }
        if intruder.undeliveredByteCount > 0 { server.met.insert(.resetWithOutput) }
        end(intruder)
    }

    // MARK: What the server does

    func end(_ intruder: SimulatedIntruder) {
        guard intruder.isOpen else { return }
        note("intruder \(intruder.number): ends")
        intruder.isOpen = false
        server.intruders[intruder.number] = nil
        server.calmSince = now
        server.limiter.ended(from: SimulatedIntruder.network)
        changeBudget(for: intruder.number) { $0.remove(intruder.number, into: &$1) }
        changeDrain { $0.ended(intruder.number, into: &$1) }
    }

    func endIntruders() {
        for intruder in server.intruders.values.sorted(by: { $0.number < $1.number }) { end(intruder) }
    }

    /// The intruder gets the memory that it waited for.
    func grant(_ intruder: SimulatedIntruder) {
        server.intruderGrantCount += 1
        (intruder.wantedSince, intruder.stepCount) = (now, 0)
    }

    private func setTimer(_ intruder: SimulatedIntruder) {
        guard let deadline = intruder.deadlines.deadline else { return }
        intruder.timer = max(now, Int(microsecondsRoundedUp: deadline))
        plan(.intruderTimer(intruder), after: intruder.timer - now)
    }

    func timerFired(_ intruder: SimulatedIntruder) {
        // The timer is older than the current one.
        guard intruder.isOpen, intruder.timer <= now else { return }
        let isHeldUp = intruder.undeliveredByteCount > 0 || server.budget?.isWaiting(intruder.number) == true
        let signs = PeerDeadlines.PeerActivity(
            lastArrival: .microseconds(intruder.heardAt),
            wantedSince: isHeldUp || intruder.isDraining ? nil : .microseconds(intruder.wantedSince),
            undeliveredByteCount: intruder.undeliveredByteCount)
        switch intruder.deadlines.timerFired(at: .microseconds(now), signs) {
        case .tooLate:
            if intruder.plan.kind == .unready { server.met.insert(.handshakeTooLate) }
            end(intruder)
        case .close:
            if intruder.undeliveredByteCount > 0 {
                violate("what is on its way to intruder \(intruder.number) is given up")
            }
            server.met.insert(.acknowledgedInTheEnd)
            end(intruder)
        default: setTimer(intruder)
        }
    }

    /// The server drains: it asks for nothing more, and output that is queued is still sent.
    func sendAway(_ intruder: SimulatedIntruder) {
        intruder.isDraining = true
        changeBudget(for: intruder.number) { $0.withdraw(intruder.number, into: &$1) }
        intruder.deadlines.finish(
            at: .microseconds(now), within: nil, undeliveredByteCount: intruder.undeliveredByteCount)
        setTimer(intruder)
    }

    // MARK: The memory of all connections

    func changeBudget(
        for holder: Int, _ change: (inout ByteBudget<Int>, inout [ByteBudget<Int>.Action]) -> Void
    ) {
        var actions: [ByteBudget<Int>.Action] = []
        guard server.budget != nil else { return }
        change(&server.budget!, &actions)
        if server.budget!.byteCount > server.budget!.limit { violate("more bytes are held than may be") }
        if server.budget!.isWaiting(holder), !server.awaitsRound, scenario.mutation != .noRounds {
            server.awaitsRound = true
            plan(.budgetRound, after: Int(microsecondsRoundedUp: ByteBudget<Int>.roundTime))
        }
        carryOut(actions)
    }

    private func carryOut(_ actions: [ByteBudget<Int>.Action]) {
        for action in actions {
            switch action {
            case .grant(let number):
                if let intruder = server.intruders[number] {
                    grant(intruder)
                } else if let link = server.openLinks[number] {
                    grant(link)
                } else {
                    violate("room for connection \(number), which has ended")
                }
            case .close(let number):
                guard let intruder = server.intruders[number] else {
                    violate("connection \(number) is to be closed for room, which comes by itself")
                    continue
                }
                server.met.insert(.closedForRoom)
                plan(.intruderResets(intruder), after: 0)
            case .measure(let number): plan(.measure(number), after: 0)
            }
        }
    }

    private func grant(_ link: Link) {
        // Each intruder that gets memory first may keep it until it was measured twice and the request is old enough.
        let turnCount = 1 + server.intruderGrantCount - link.grantCountBefore
        let most = (ByteBudget<Int>.patience + ByteBudget<Int>.roundTime * 2) * turnCount
        let waited = Duration.microseconds(now - link.askedAt)
        if waited > most {
            violate("connection \(link.serverNumber) waits for room: \(waited), though \(most) is the most")
        }
        link.wantedSince = now
        plan(.dealt(link), after: scenario.dealingTime)
    }

    func beginRound() {
        var actions: [ByteBudget<Int>.Action] = []
        server.awaitsRound = server.budget?.beginRound(into: &actions) ?? false
        if server.awaitsRound { plan(.budgetRound, after: Int(microsecondsRoundedUp: ByteBudget<Int>.roundTime)) }
        carryOut(actions)
    }

    func measure(_ number: Int) {
        let movedByteCount =
            server.intruders[number]?.movedByteCount
            ?? server.openLinks[number].map { UInt64($0.dealtByteCount + $0.downwardByteCount) }
        guard let movedByteCount else { return }
        changeBudget(for: number) { $0.measured(movedByteCount, for: number, into: &$1) }
    }
}
