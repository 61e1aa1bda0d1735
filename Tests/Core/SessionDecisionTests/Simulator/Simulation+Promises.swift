// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Checks what must be true at the end of every run.
extension Simulation {
    /// Ends the sessions and compares what has happened with what was promised.
    func check() {
        // A healthy connection stays healthy, for longer than any deadline.
        if violations.isEmpty, scenario.deadlines != nil { run(until: now + 15_000_000) }
        for client in clients.indices {
            checkMessages(client)
            checkOrder(client)
            checkLatest(client)
        }
        for client in clients.indices {
            handle(.end, client)
            checkNothingIsLeft(client)
        }
        checkServer()
    }

    /// After all clients have gone, the server finds that out, even if some have gone silently.
    private func checkServer() {
        guard violations.isEmpty, let limits = scenario.deadlines else { return }
        // A blocked server learns of the end after the block.
        let start = max(now, scenario.faultEnd + Scenario.longestStall)
        run(until: start + Int(microsecondsRoundedUp: limits.silence ?? .zero) + 1_000_000)
        for link in server.openLinks.values { violate("connection \(link.serverNumber) is left at the server") }
        if !server.intruders.isEmpty { violate("\(server.intruders.count) intruders are left at the server") }
        if server.limiter.networkCount > 0 { violate("a connection is counted that has ended") }
        if let budget = server.budget, budget.holderCount > 0 {
            violate("\(budget.byteCount) bytes are held for nobody")
        }
        if server.drain != nil { violate("the drain has not come to its end") }
    }

    private func checkMessages(_ clientIndex: Int) {
        let client = clients[clientIndex]
        let record = records[clientIndex]
        for (index, planned) in client.messages.enumerated() {
            let name = "client \(clientIndex), message \(index) (\(planned.delivery))"
            let arrivals = record.arrivals[index]
            if client.refusals[index] != nil {
                if arrivals > 0 { violate("\(name) was refused and has arrived") }
                continue
            }
            switch planned.delivery {
            case .exactlyOnce:
                if record.deliveries[index] > 1 { violate("\(name) was delivered \(record.deliveries[index]) times") }
            case .atMostOnce, .whileConnected:
                if arrivals > 1 { violate("\(name) has arrived \(arrivals) times") }
                if client.givings[index] > 1 { violate("\(name) was given \(client.givings[index]) times") }
            default: break
            }
            if client.outcomes[index] == .failed(.outOfSequenceNumbers), !mayRunOutOfNumbers(client) {
                violate("\(name) was refused its number")
            }
            guard let outcome = client.outcomes[index] else {
                violate("\(name) has no outcome")
                continue
            }
            checkOutcome(outcome, of: planned, name, arrivals: arrivals, deliveries: record.deliveries[index])
            if client.isReady, planned.isKeptInOrder, planned.lifetime == nil, planned.cancellation == nil,
                outcome != .confirmed, outcome != .failed(.outOfSequenceNumbers)
            {
                violate("\(name) ends \(outcome) on a sound connection")
            }
        }
    }

    /// Whether so many numbered messages were sent and lost that the next number may look old.
    private func mayRunOutOfNumbers(_ client: SimulatedClient) -> Bool {
        guard let maximum = scenario.configuration.maximumSequence else { return false }
        let lostCount = client.outcomes.count { outcome in
            switch outcome {
            case .failed(.lost(mayHaveArrived: true)), .failed(.expired(mayHaveArrived: true)),
                .failed(.cancelled(mayHaveArrived: true)), .replaced:
                true
            default: false
            }
        }
        return lostCount >= maximum / 2
    }

    private func checkOutcome(
        _ outcome: MessageOutcome, of planned: PlannedMessage, _ name: String, arrivals: Int, deliveries: Int
    ) {
        switch outcome {
        case .confirmed: if deliveries == 0 { violate("\(name) is confirmed and was never delivered") }
        case .given: if planned.receipt != .none { violate("\(name) ends without its receipt") }
        case .replaced:
            if case .latest = planned.delivery { break }
            violate("\(name) was replaced")
        case .failed(.lost(mayHaveArrived: false)), .failed(.expired(mayHaveArrived: false)),
            .failed(.cancelled(mayHaveArrived: false)), .failed(.ended(mayHaveArrived: false)),
            .failed(.outOfSequenceNumbers):
            if arrivals > 0 { violate("\(name) has arrived, though \(outcome)") }
        case .failed: break
        }
    }

    /// Messages that keep their order are handled in the order of sending, the first time.
    private func checkOrder(_ clientIndex: Int) {
        let client = clients[clientIndex]
        var seen: Set<Int> = []
        var last = -1
        for index in records[clientIndex].log where client.messages[index].isKeptInOrder {
            guard seen.insert(index).inserted else { continue }
            if index < last { violate("client \(clientIndex): message \(index) comes after message \(last)") }
            last = max(last, index)
        }
    }

    private func checkLatest(_ clientIndex: Int) {
        let client = clients[clientIndex]
        var last: [LatestKey: Int] = [:]
        for (index, planned) in client.messages.enumerated() where client.refusals[index] == nil {
            if case .latest(let key) = planned.delivery { last[key] = index }
        }
        var arrived: [LatestKey: Int] = [:]
        for index in records[clientIndex].log {
            guard case .latest(let key) = client.messages[index].delivery else { continue }
            if index < arrived[key, default: -1] {
                violate("client \(clientIndex): value \(index) is older than the last")
            }
            arrived[key] = index
        }
        guard client.isReady else { return }
        for (key, index) in last
        where client.messages[index].lifetime == nil && client.messages[index].cancellation == nil {
            if client.outcomes[index] == .failed(.outOfSequenceNumbers) { continue }
            // Without heartbeats nothing shows that it has arrived: it is sent on one connection only.
            if client.outcomes[index] == .given, scenario.configuration.heartbeat == nil { continue }
            if arrived[key] != index { violate("client \(clientIndex): the latest value, \(index), has not arrived") }
        }
    }

    private func checkNothingIsLeft(_ clientIndex: Int) {
        let session = clients[clientIndex].session
        if session.deadline != nil { violate("client \(clientIndex): a timer is left") }
        if session.messageCount != 0 || session.messageByteCount != 0 {
            violate("client \(clientIndex): \(session.messageCount) messages are left")
        }
        for link in clients[clientIndex].links where link.isOpenAtClient {
            violate("client \(clientIndex): connection \(link.number.rawValue) is left")
        }
    }
}
