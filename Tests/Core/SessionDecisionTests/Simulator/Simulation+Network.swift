// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// The network.
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
            client: clientIndex, number: number, serverNumber: connectTimes.count, endpoint: endpoint,
            latency: 1_000 * (1 + random.below(150)))
        link.madeAt = now
        if number.index != client.links.count { violate("connection numbers do not ascend") }
        client.links.append(link)
        guard isFaulty else {
            if random.percentage() < 20 { slowDown(link) }
            return plan(.established(link), after: link.latency)
        }
        let causes: [DisconnectCause] = [
            .refused, .refused, .unknownHost, .failed(""), .reset, .endedByPeer, .notTrusted(.expired), .wrongKey,
        ]
        switch random.below(20) {
        case 0..<6: plan(.ended(link, causes[random.below(causes.count)]), after: link.latency)
        case 6: break
        case 7: if random.percentage() < 20 { plan(.ended(link, .misconfigured("")), after: link.latency) }
        default:
            decideFate(of: link)
            plan(.established(link), after: link.latency)
        }
    }

    /// Makes a line slow, so that bytes taken by its system may need longer than a heartbeat's timeout.
    private func slowDown(_ link: Link) {
        link.rate = random.percentage() < 50 ? Scenario.lowestRate + random.below(1_000) : 1_500 + random.below(10_000)
        link.bufferByteCount = [600, 4_000, 256 << 10][random.below(3)]
    }

    private func decideFate(of link: Link) {
        if random.percentage() < 25 { slowDown(link) }
        link.breakage = [.reset, .serverEndsOutput, .blackhole, .clientNotTold][random.below(4)]
        switch random.below(10) {
        case 0..<4: link.upwardCut = random.below(random.percentage() < 15 ? 12 : 1_600)
        case 4, 5: link.downwardCut = random.below(80)
        case 6, 7: plan(.breakage(link), after: link.latency + random.below(4_000_000))
        case 8:
            let advice: KickNotice.Advice =
                random.percentage() < 15 ? .stop : .wait(atLeast: .milliseconds(random.below(4_000)))
            plan(
                .kick(link, KickNotice(reason: UInt64(random.below(5)), advice: advice)),
                after: link.latency + random.below(2_000_000))
        default:
            link.stallEnd = now + random.below(Scenario.longestStall)
            link.ignoresLogin = random.percentage() < 30
            // Bytes that the server's system has acknowledged by then are unread.
            if random.percentage() < 30 { plan(.breakage(link), after: random.below(Scenario.longestStall)) }
            if random.percentage() < 8 { (link.refusesLogin, link.stallEnd) = (true, 0) }
        }
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
            closeAtServer(link)
            plan(.ended(link, .reset), after: link.latency)
        case .clientNotTold:
            link.carriesUpward = false
            closeAtServer(link)
        case .blackhole: link.carriesUpward = false
        }
    }

    /// The driver tells a session about an end, though the session may have closed the connection long ago.
    func tellClient(_ link: Link, _ cause: DisconnectCause) {
        let client = clients[link.client]
        let number =
            scenario.mutation == .mistakenConnection ? client.links[client.links.count - 1].number : link.number
        handle(.ended(number, cause), link.client)
    }

    func close(_ link: Link, _ cause: DisconnectCause) {
        if !link.isOpenAtClient { violate("connection \(link.number.rawValue) is closed twice") }
        link.isOpenAtClient = false
        clients[link.client].onlookLoss(cause, of: link.endpoint, self)
        if cause != .endedByUs {
            link.unsent.removeAll()
            let isSound = link.madeAt > max(scenario.faultEnd, server.calmSince) && server.isCalm && !link.isOneTooMany
            if isSound { violate("a sound connection was given up: \(cause)") }
        }
        // Bytes on their way still arrive, maybe after those of the next connection.
        if link.carriesUpward { plan(.serverSeesEnd(link), after: 2 * link.latency) }
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
        link.arrival = now
        switch item {
        case .loggedIn(let last):
            if scenario.tellsAtLogin, let last {
                handle(.acknowledged(number, .cumulative(last)), link.client)
            }
            handle(.loggedIn(number), link.client)
        case .loginRefused: handle(.ended(number, .loginRefused("")), link.client)
        case .reply(let index, var sequence):
            if scenario.mutation == .mistakenReply { sequence = sequence.map { $0 - 1 } }
            repliedMessage = index
            handle(.acknowledged(number, .reply(id: Scenario.replyID, sequence: sequence)), link.client)
            repliedMessage = nil
        case .acknowledgement(let acknowledgement):
            guard scenario.mutation != .deafToAcknowledgements else { break }
            handle(.acknowledged(number, acknowledgement), link.client)
        case .heartbeatAnswer(let sequence):
            handle(.heartbeatAnswered(number, sequence: sequence), link.client)
        case .kick(let kick): handle(.ended(number, .kicked(kick)), link.client)
        }
    }
}
