// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineSession

/// Sessions, a server and the network between them, on a clock that jumps from event to event.
///
/// All that happens follows from the scenario and the generator, so a run can be had again. Times are microseconds.
final class Simulation {
    enum Event {
        case timer(client: Int)
        case send(client: Int, index: Int)
        case cancel(client: Int, index: Int)
        case established(Link)
        case ended(Link, DisconnectCause)
        case takeMore(Link)
        case arriveUpward(Link, UpwardItem)
        case arriveDownward(Link, DownwardItem)
        case breakage(Link)
        case kick(Link, KickNotice)
        case acknowledge(Link)
        case serverSeesEnd(Link)
        case serverTimer(Link)
        case dealt(Link)
        case serverDrain
        case drainTimer
        case restart(downtime: Int)
        case hurry
        case drain(timeout: Int)
    }

    let scenario: Scenario
    var random: SeededGenerator
    var now = 0
    var clients: [SimulatedClient] = []
    var records: [ServerRecord] = []
    let server: SimulatedServer
    var violations: [String] = []
    /// What has happened, where somebody wants to read it.
    var trace: [String]?
    /// When each connection was asked for.
    var connectTimes: [Int] = []

    private var heap = EventHeap<Event>()
    private var actions: [SessionAction<Int>] = []
    private var arisen: [SessionEvent] = []
    private var unsentCount = 0

    /// How long after the last fault everything may take. With few sequence numbers, each message may have to wait for
    /// the heartbeat that confirms the one before it.
    private let settlingTime: Int

    init(_ scenario: Scenario, using random: SeededGenerator, tracing: Bool = false) {
        self.scenario = scenario
        server = SimulatedServer(scenario)
        self.random = random
        if tracing { trace = [] }
        let messageCount = scenario.messages.map(\.count).max() ?? 0
        settlingTime = 60_000_000 + 5_000_000 * max(0, messageCount - 20)
        for (client, messages) in scenario.messages.enumerated() {
            clients.append(SimulatedClient(scenario.configuration, messages: messages))
            records.append(ServerRecord(messageCount: messages.count))
            unsentCount += messages.count
            for (index, message) in messages.enumerated() {
                heap.insert(.send(client: client, index: index), at: message.time)
            }
        }
        for time in scenario.hurries { heap.insert(.hurry, at: time) }
        if let drain = scenario.drain { heap.insert(.drain(timeout: drain.timeout), at: drain.time) }
        if let drain = scenario.serverDrain { heap.insert(.serverDrain, at: drain.time) }
        for restart in scenario.restarts { heap.insert(.restart(downtime: restart.downtime), at: restart.time) }
    }

    func plan(_ event: Event, after delay: Int) {
        heap.insert(event, at: now + delay)
    }

    func note(_ text: @autoclosure () -> String) {
        if trace != nil { trace?.append("\(Double(now) / 1_000_000) s  \(text())") }
    }

    func violate(_ text: String) {
        note("VIOLATION: \(text)")
        violations.append(text)
    }

    // MARK: Running

    /// Runs until every message has its outcome and every session is ready or has ended.
    func run() {
        for client in clients.indices { handle(.start, client) }
        while let (time, event) = heap.popFirst() {
            now = time
            if now > scenario.faultEnd + settlingTime {
                violate("not settled in time: \(clients.map { String(describing: $0.session.state) })")
                return
            }
            step(event)
            if now > scenario.faultEnd, isSettled { return }
        }
        if isSettled { return }
        violate("dead: nothing will happen any more: \(clients.map { String(describing: $0.session.state) })")
    }

    /// Runs until a time.
    func run(until end: Int) {
        if now == 0 { for client in clients.indices { handle(.start, client) } }
        while now < end, let (time, event) = heap.popFirst() {
            now = time
            step(event)
        }
    }

    private var isSettled: Bool {
        guard unsentCount == 0 else { return false }
        for client in clients where !client.isEnded {
            guard client.session.messageCount == 0, client.isReady else { return false }
        }
        return true
    }

    private func step(_ event: Event) {
        switch event {
        case .timer(let client): timerFired(client)
        case .send(let client, let index): send(client, index)
        case .cancel(let client, let index):
            if let number = clients[client].numbers[index] { handle(.cancel(number), client) }
        case .established(let link): establish(link)
        case .ended(let link, let cause): tellClient(link, cause)
        case .takeMore(let link): takeMore(link)
        case .arriveUpward(let link, let item): arrive(item, on: link)
        case .arriveDownward(let link, let item): arrive(item, on: link)
        case .breakage(let link): breakLink(link)
        case .kick(let link, let kick): send(.kick(kick), on: link)
        case .acknowledge(let link): acknowledge(on: link)
        case .serverSeesEnd(let link): closeAtServer(link)
        case .serverTimer(let link): serverTimerFired(link)
        case .dealt(let link): dealt(link)
        case .serverDrain: beginServerDrain()
        case .drainTimer: drainTimerFired()
        case .restart(let downtime): restart(downtime: downtime)
        case .hurry: for client in clients.indices { handle(.hurry, client) }
        case .drain(let timeout):
            for client in clients.indices { handle(.drain(deadline: .microseconds(now + timeout)), client) }
        }
    }

    // MARK: The driver of a session

    func handle(_ event: SessionEvent, _ clientIndex: Int) {
        let client = clients[clientIndex]
        note("client \(clientIndex): \(event)")
        actions.removeAll(keepingCapacity: true)
        client.session.handle(event, at: .microseconds(now), using: &random, into: &actions)
        perform(clientIndex)
    }

    private func send(_ clientIndex: Int, _ index: Int) {
        let client = clients[clientIndex]
        let planned = client.messages[index]
        unsentCount -= 1
        var message = OutboundMessage(
            index, byteCount: planned.byteCount, delivery: planned.delivery, receipt: planned.receipt)
        if let lifetime = planned.lifetime { message.expiry = .microseconds(now + lifetime) }
        actions.removeAll(keepingCapacity: true)
        do throws(SessionError) {
            let number = try client.session.send(message, at: .microseconds(now), into: &actions)
            client.numbers[index] = number
            client.indices[number] = index
            note("client \(clientIndex): sends message \(index), \(planned.delivery), \(planned.receipt)")
        } catch {
            client.refusals[index] = error
            note("client \(clientIndex): message \(index) is refused: \(error)")
        }
        let limits = scenario.configuration.limits
        if client.session.messageCount > limits.messageCount || client.session.messageByteCount > limits.byteCount {
            violate("more waits than the limits allow")
        }
        if let cancellation = planned.cancellation {
            heap.insert(.cancel(client: clientIndex, index: index), at: max(now, cancellation))
        }
        perform(clientIndex)
    }

    private func timerFired(_ clientIndex: Int) {
        let client = clients[clientIndex]
        // An older timer than the one that is set.
        guard client.timer <= now else { return }
        client.timer = .max
        handle(.timerFired, clientIndex)
    }

    /// Carries out actions, then hands in what has arisen from them.
    private func perform(_ clientIndex: Int) {
        let client = clients[clientIndex]
        var repeated: [(Link, GivenMessage<Int>)] = []
        for action in actions {
            if trace != nil { note("client \(clientIndex):     \(action)") }
            switch action {
            case .connect(let number, let endpoint): connect(clientIndex, number, endpoint)
            case .beginLogin(let number): write(.login, byteCount: 10, to: client.links[number.index])
            case .give(let number, let message):
                client.givings[message.payload] += 1
                let link = client.links[number.index]
                if scenario.mutation == .reversedRepetition, message.isRepeated {
                    repeated.insert((link, message), at: 0)
                } else {
                    give(message, to: link)
                }
            case .heartbeat(let number, let sequence):
                guard scenario.mutation != .noHeartbeats else { break }
                write(.heartbeat(sequence: sequence), byteCount: 8, to: client.links[number.index])
            case .close(let number, let cause): close(client.links[number.index], cause)
            case .complete(let number, let outcome): complete(number, outcome, of: client)
            case .expireAddresses: client.onlookExpiry(self)
            case .ignoreReply: break
            case .report(let state): client.onlook(state, self)
            }
        }
        for (link, message) in repeated { give(message, to: link) }
        setTimer(clientIndex)
        let events = arisen
        arisen.removeAll(keepingCapacity: true)
        for event in events { handle(event, clientIndex) }
    }

    private func setTimer(_ clientIndex: Int) {
        guard scenario.mutation != .noTimer else { return }
        let client = clients[clientIndex]
        guard let deadline = client.session.deadline else { return }
        let time = Int(microsecondsRoundedUp: deadline)
        guard time < client.timer else { return }
        client.timer = time
        heap.insert(.timer(client: clientIndex), at: max(now, time))
    }

    private func complete(_ number: MessageNumber, _ outcome: MessageOutcome, of client: SimulatedClient) {
        guard let index = client.indices[number] else { return violate("an outcome of nothing") }
        if client.outcomes[index] != nil { violate("message \(index) has had two outcomes") }
        client.outcomes[index] = outcome
        if scenario.mutation == .repeatedOnce, case .failed(.lost(mayHaveArrived: true)) = outcome {
            client.repeatedOnce.append(index)
        }
    }

    private func give(_ message: GivenMessage<Int>, to link: Link) {
        var sequence = message.sequence
        if message.isRepeated {
            switch scenario.mutation {
            case .noRepetition: return
            case .renewedSequence: sequence = sequence.map { $0 + 1 }
            default: break
            }
        }
        write(.message(index: message.payload, sequence: sequence), byteCount: message.byteCount, to: link)
    }

    func write(_ item: UpwardItem, byteCount: Int, to link: Link) {
        link.writtenByteCount += byteCount
        link.waiting.append((item, link.writtenByteCount))
        guard link.rate == nil else {
            if !link.isTaking {
                link.isTaking = true
                plan(.takeMore(link), after: 50_000)
            }
            return
        }
        take(link, link.writtenByteCount)
        arisen.append(.sent(link.number, byteCount: byteCount, pendingByteCount: 0))
    }

    private func takeMore(_ link: Link) {
        link.isTaking = false
        // Who is behind a dead network takes nothing.
        guard let rate = link.rate, link.carriesUpward, !link.waiting.isEmpty else { return }
        let before = link.takenByteCount
        take(link, min(link.writtenByteCount, before + rate / 20))
        let left = link.writtenByteCount - link.takenByteCount
        if left > 0 {
            link.isTaking = true
            plan(.takeMore(link), after: 50_000)
        }
        handle(
            .sent(link.number, byteCount: link.takenByteCount - before, pendingByteCount: left), link.client)
    }

    /// The system takes bytes up to a place, and sends what is whole.
    private func take(_ link: Link, _ end: Int) {
        link.takenByteCount = end
        var count = 0
        for (item, itemEnd) in link.waiting {
            guard itemEnd <= end else { break }
            count += 1
            transmit(item, end: itemEnd, on: link)
        }
        link.waiting.removeFirst(count)
    }
}

extension ConnectionNumber {
    /// Its place among a client's links.
    var index: Int { Int(rawValue) - 1 }
}

extension Int {
    init(microsecondsRoundedUp duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = Int(seconds) * 1_000_000 + Int((attoseconds + 999_999_999_999) / 1_000_000_000_000)
    }
}

extension SimulatedClient {
    /// Notes what the session says of itself, and holds it against the policy.
    func onlook(_ state: SessionState, _ simulation: Simulation) {
        states.append(state)
        switch state {
        case .ready:
            readySince = simulation.now
            for index in repeatedOnce {
                simulation.write(
                    .message(index: index, sequence: nil), byteCount: messages[index].byteCount,
                    to: links[links.count - 1])
            }
            repeatedOnce = []
        case .waiting(let until, _):
            waits.append(until - .microseconds(simulation.now))
            // A hurry tells of the same delay once more.
            if roundAttemptCount > 0 { delayCount += 1 }
            roundAttemptCount = 0
            if let limit = simulation.scenario.configuration.reconnect.retryLimit, delayCount > limit {
                simulation.violate("delay \(delayCount) of \(limit)")
            }
        case .connecting, .loggingIn, .ended: break
        }
    }

    /// Notes the end of a connection, or of an attempt, and what follows from its cause.
    func onlookLoss(_ cause: DisconnectCause, of endpoint: Int, _ simulation: Simulation) {
        let configuration = simulation.scenario.configuration
        let others = Set(0..<configuration.endpointCount).subtracting([endpoint])
        let isStable = readySince.map { .microseconds(simulation.now - $0) >= configuration.reconnect.stableTime }
        readySince = nil
        if isStable == true { (roundAttemptCount, delayCount, attemptsInARow) = (0, 0, 1) }
        let isPathGone = [.timedOut, .unknownHost, .silent].contains(cause)
        mustExpireAddresses = isPathGone
        nextEndpoints =
            switch isStable {
            case nil: others
            case _? where isPathGone || cause == .failed: others
            case true?: [0]
            case false?: attemptsInARow < 2 ? [endpoint] : others
            }
        if configuration.endpointCount == 1 { nextEndpoints = nil }
    }

    func onlookExpiry(_ simulation: Simulation) {
        if !mustExpireAddresses { simulation.violate("addresses expire that are good") }
        mustExpireAddresses = false
    }

    func onlookAttempt(endpoint: Int, _ simulation: Simulation) {
        roundAttemptCount += 1
        // Of a connection that was ready the next attempt begins a round.
        if roundAttemptCount > simulation.scenario.configuration.endpointCount {
            simulation.violate("attempt \(roundAttemptCount) without a delay")
        }
        if let nextEndpoints, !nextEndpoints.contains(endpoint) {
            simulation.violate("goes on with endpoint \(endpoint) instead of \(nextEndpoints)")
        }
        if mustExpireAddresses { simulation.violate("goes on with addresses at which nobody has answered") }
        attemptsInARow = links.last?.endpoint == endpoint ? attemptsInARow + 1 : 1
    }
}
