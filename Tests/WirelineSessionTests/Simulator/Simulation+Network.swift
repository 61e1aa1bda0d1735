// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineSession

/// The network, and the server at its other end.
extension Simulation {
    private var isFaulty: Bool {
        now < scenario.faultEnd && random.percentage() < scenario.faultPercentage
    }

    // MARK: Connecting

    func connect(_ clientIndex: Int, _ number: ConnectionNumber, _ endpoint: Int) {
        let client = clients[clientIndex]
        connectTimes.append(now)
        client.onlookAttempt(endpoint: endpoint, self)
        let link = Link(
            client: clientIndex, number: number, endpoint: endpoint, latency: 1_000 * (1 + random.below(150)))
        link.madeAt = now
        if number.index != client.links.count { violate("connection numbers do not ascend") }
        client.links.append(link)
        guard isFaulty else {
            if random.percentage() < 10 { link.rate = 1_500 + random.below(10_000) }
            return plan(.established(link), after: link.latency)
        }
        let causes: [DisconnectCause] = [.refused, .refused, .unknownHost, .failed, .reset, .endedByPeer]
        switch random.below(20) {
        case 0..<6: plan(.ended(link, causes[random.below(causes.count)]), after: link.latency)
        case 6: break
        case 7: if random.percentage() < 20 { plan(.ended(link, .notTrusted), after: link.latency) }
        default:
            decideFate(of: link)
            plan(.established(link), after: link.latency)
        }
    }

    private func decideFate(of link: Link) {
        if random.percentage() < 25 { link.rate = 1_500 + random.below(10_000) }
        link.breakage = [.reset, .serverEndsOutput, .blackhole, .clientNotTold][random.below(4)]
        switch random.below(10) {
        case 0..<4: link.upwardCut = random.below(1_600)
        case 4, 5: link.downwardCut = random.below(80)
        case 6, 7: plan(.breakage(link), after: link.latency + random.below(4_000_000))
        case 8:
            let advice: KickNotice.Advice =
                random.percentage() < 15 ? .stop : .wait(atLeast: .milliseconds(random.below(4_000)))
            plan(
                .kick(link, KickNotice(reason: UInt64(random.below(5)), advice: advice)),
                after: link.latency + random.below(2_000_000))
        default:
            link.stallEnd = now + random.below(8_000_000)
            link.ignoresLogin = random.percentage() < 30
            link.refusesLogin = random.percentage() < 5
        }
    }

    func establish(_ link: Link) {
        guard now >= serverIsAwayUntil else { return plan(.ended(link, .refused), after: 0) }
        link.isOpenAtServer = link.isOpenAtClient
        handle(.connected(link.number), link.client)
    }

    // MARK: Breaking

    func breakLink(_ link: Link) {
        guard !link.isBroken else { return }
        link.isBroken = true
        note("client \(link.client): link \(link.number.rawValue) breaks: \(link.breakage)")
        link.carriesDownward = false
        switch link.breakage {
        case .serverEndsOutput: plan(.ended(link, .endedByPeer), after: link.latency)
        case .reset:
            link.carriesUpward = false
            link.isOpenAtServer = false
            plan(.ended(link, .reset), after: link.latency)
        case .clientNotTold:
            link.carriesUpward = false
            link.isOpenAtServer = false
        case .blackhole: link.carriesUpward = false
        }
    }

    /// The driver tells a session, though the session may have let go of the connection long ago.
    func tellClient(_ link: Link, _ cause: DisconnectCause) {
        let client = clients[link.client]
        let number =
            scenario.mutation == .mistakenConnection ? client.links[client.links.count - 1].number : link.number
        handle(.ended(number, cause), link.client)
    }

    func close(_ link: Link, _ cause: DisconnectCause) {
        if !link.isOpenAtClient { violate("connection \(link.number.rawValue) is closed twice") }
        link.isOpenAtClient = false
        clients[link.client].onlookLoss(at: now, stableTime: scenario.configuration.reconnect.stableTime)
        if cause != .endedByUs {
            link.waiting.removeAll()
            if link.madeAt > scenario.faultEnd { violate("a sound connection was given up: \(cause)") }
        }
        // What is under way still arrives, maybe behind what the next connection brings.
        plan(.serverSeesEnd(link), after: 2 * link.latency)
    }

    func restart(downtime: Int) {
        serverIsAwayUntil = now + downtime
        for client in clients {
            for link in client.links where link.isOpenAtServer {
                link.breakage = random.percentage() < 50 ? .reset : .serverEndsOutput
                breakLink(link)
                link.isOpenAtServer = false
            }
        }
    }

    // MARK: Carrying

    func transmit(_ item: UpwardItem, end: Int, on link: Link) {
        guard link.carriesUpward, !link.isCutUpward else { return }
        let time = max(link.lastArrivalUpward, now + link.latency)
        if let cut = link.upwardCut, end > cut {
            link.isCutUpward = true
            return plan(.breakage(link), after: time - now)
        }
        link.lastArrivalUpward = time
        plan(.arriveUpward(link, item), after: time - now)
    }

    func send(_ item: DownwardItem, on link: Link) {
        guard link.isOpenAtServer, link.carriesDownward, !link.isCutDownward else { return }
        let time = max(link.lastArrivalDownward, now + link.latency)
        link.downwardByteCount += 12
        if let cut = link.downwardCut, link.downwardByteCount > cut {
            link.isCutDownward = true
            return plan(.breakage(link), after: time - now)
        }
        link.lastArrivalDownward = time
        plan(.arriveDownward(link, item), after: time - now)
    }

    func arrive(_ item: DownwardItem, on link: Link) {
        guard link.carriesDownward else { return }
        let number = link.number
        handle(.received(number), link.client)
        switch item {
        case .loggedIn(let last):
            if scenario.tellsAtLogin, let last {
                handle(.acknowledged(number, .cumulative(last)), link.client)
            }
            handle(.loggedIn(number), link.client)
        case .loginRefused: handle(.ended(number, .loginRefused), link.client)
        case .reply(let sequence):
            handle(.acknowledged(number, .reply(id: Scenario.replyID, sequence: sequence)), link.client)
        case .acknowledgement(let acknowledgement):
            guard scenario.mutation != .deafToAcknowledgements else { break }
            handle(.acknowledged(number, acknowledgement), link.client)
        case .heartbeatAnswer(let sequence):
            handle(.heartbeatAnswered(number, sequence: sequence), link.client)
        case .kick(let kick): handle(.ended(number, .kicked(kick)), link.client)
        }
    }

    // MARK: The server

    func arrive(_ item: UpwardItem, on link: Link) {
        guard link.isOpenAtServer, link.carriesUpward else { return }
        guard now >= link.stallEnd else { return plan(.arriveUpward(link, item), after: link.stallEnd - now) }
        switch item {
        case .login: logIn(link)
        case .message(let index, let sequence): if link.isLoggedIn { receive(index, sequence, on: link) }
        case .heartbeat(let sequence):
            if link.isLoggedIn, scenario.answersHeartbeats { send(.heartbeatAnswer(sequence: sequence), on: link) }
        }
    }

    private func logIn(_ link: Link) {
        guard !link.ignoresLogin else { return }
        guard !link.refusesLogin else { return send(.loginRefused, on: link) }
        for other in clients[link.client].links where other !== link && other.isLoggedIn {
            // A login that comes late is not that of the newest connection.
            guard other.number.rawValue < link.number.rawValue else { return }
            other.isOpenAtServer = false
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
        case .reply: send(.reply(sequence: sequence), on: link)
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
