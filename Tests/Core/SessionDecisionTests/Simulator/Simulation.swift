// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Sessions, a server and the network between them, on a clock that jumps from event to event.
///
/// Everything that happens follows from the scenario and the generator, so a run can be repeated. Times are
/// microseconds.
final class Simulation {
    enum Event {
        case timer(client: Int)
        case send(client: Int, index: Int)
        case cancel(client: Int, index: Int)
        case established(Link)
        case ended(Link, DisconnectCause)
        case sendMore(Link)
        case bytesAcknowledged(Link, end: Int)
        case arriveUpward(Link, UpwardItem)
        case arriveDownward(Link, DownwardItem)
        case breakage(Link)
        case kick(Link, KickNotice)
        case acknowledge(Link)
        case lateReply(Link, index: Int, sequence: UInt64?)
        case serverSeesEnd(Link)
        case serverTimer(Link)
        case dealt(Link)
        case serverDrain
        case drainTimer
        case restart(downtime: Int)
        case intruderComes(PlannedIntruder, number: Int)
        case intruderActs(SimulatedIntruder)
        case intruderResets(SimulatedIntruder)
        case intruderTimer(SimulatedIntruder)
        case budgetRound
        case measure(Int)
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
    /// The events, if a caller wants to read them.
    var trace: [String]?
    /// When each connection was asked for.
    var connectTimes: [Int] = []

    // The state of the sessions' drivers.
    var actions: [SessionAction<Int>] = []
    /// Events that wait for those before them.
    var waitingEvents: [(event: SessionEvent, client: Int, time: Int)] = []
    var isHandling = false
    var unsentCount = 0
    /// The message whose reply has come.
    var repliedMessage: Int?

    static let loginByteCount = 10
    static let heartbeatByteCount = 8

    private var heap = EventHeap<Event>()

    /// How long everything may take after the last fault. With few sequence numbers, each message may have to wait for
    /// the heartbeat that confirms the one before it, and all of it may have to pass a slow line.
    private let settlingTime: Int

    init(_ scenario: Scenario, using random: SeededGenerator, tracing: Bool = false) {
        self.scenario = scenario
        server = SimulatedServer(scenario)
        self.random = random
        if tracing { trace = [] }
        let messageCount = scenario.messages.map(\.count).max() ?? 0
        let byteCount = scenario.messages.map { $0.reduce(0) { $0 + $1.byteCount } }.max() ?? 0
        settlingTime =
            60_000_000 + 5_000_000 * max(0, messageCount - 20) + byteCount * 1_000_000 / Scenario.lowestRate
            + (scenario.intruders.isEmpty ? 0 : 60_000_000)
        for (client, messages) in scenario.messages.enumerated() {
            clients.append(SimulatedClient(scenario.configuration, messages: messages))
            records.append(ServerRecord(messageCount: messages.count))
            unsentCount += messages.count
            for (index, message) in messages.enumerated() {
                heap.insert(.send(client: client, index: index), at: message.time)
            }
        }
        for (index, intruder) in scenario.intruders.enumerated() {
            // Connections have numbers from 1 on.
            heap.insert(.intruderComes(intruder, number: -1 - index), at: intruder.time)
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
        guard unsentCount == 0, server.isCalm else { return false }
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
        case .sendMore(let link): sendMore(link)
        case .bytesAcknowledged(let link, let end): bytesAcknowledged(link, end: end)
        case .arriveUpward(let link, let item): arrive(item, on: link)
        case .arriveDownward(let link, let item): arrive(item, on: link)
        case .breakage(let link): breakLink(link)
        case .kick(let link, let kick): send(.kick(kick), on: link)
        case .acknowledge(let link): acknowledge(on: link)
        case .lateReply(let link, let index, let sequence): send(.reply(to: index, sequence: sequence), on: link)
        case .serverSeesEnd(let link): closeAtServer(link)
        case .serverTimer(let link): serverTimerFired(link)
        case .dealt(let link): dealt(link)
        case .serverDrain: beginServerDrain()
        case .drainTimer: drainTimerFired()
        case .restart(let downtime): restart(downtime: downtime)
        case .intruderComes(let planned, let number): come(planned, number: number)
        case .intruderActs(let intruder): act(intruder)
        case .intruderResets(let intruder): reset(intruder)
        case .intruderTimer(let intruder): timerFired(intruder)
        case .budgetRound: beginRound()
        case .measure(let number): measure(number)
        case .hurry: for client in clients.indices { handle(.hurry, client) }
        case .drain(let timeout):
            for client in clients.indices { handle(.drain(deadline: .microseconds(now + timeout)), client) }
        }
    }
}

extension ConnectionNumber {
    /// Its index among a client's links.
    var index: Int { Int(rawValue) - 1 }
}

extension Int {
    init(microsecondsRoundedUp duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = Int(seconds) * 1_000_000 + Int((attoseconds + 999_999_999_999) / 1_000_000_000_000)
    }
}

extension SimulatedClient {
    /// Notes the states that the session reports, and compares them with the policy.
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
            // A hurry reports the same delay again.
            if roundAttemptCount > 0 { delayCount += 1 }
            roundAttemptCount = 0
            if let limit = simulation.scenario.configuration.reconnect.retryLimit, delayCount > limit {
                simulation.violate("delay \(delayCount) of \(limit)")
            }
        case .connecting, .loggingIn, .ended: break
        }
    }

    /// Notes the end of a connection or an attempt, and what follows from its cause.
    func onlookLoss(_ cause: DisconnectCause, of endpoint: Int, _ simulation: Simulation) {
        let configuration = simulation.scenario.configuration
        let others = Set(0..<configuration.endpointCount).subtracting([endpoint])
        let isStable = readySince.map { .microseconds(simulation.now - $0) >= configuration.reconnect.stableTime }
        readySince = nil
        if isStable == true { (roundAttemptCount, delayCount, attemptsInARow) = (0, 0, 1) }
        let isPathGone = [.timedOut, .unknownHost, .silent].contains(cause)
        mustExpireAddresses = isPathGone || [.notTrusted(.expired), .wrongKey].contains(cause)
        nextEndpoints =
            switch isStable {
            case nil: others
            case _? where isPathGone || cause == .failed(""): others
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
        // After a ready connection, the next attempt begins a round.
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
