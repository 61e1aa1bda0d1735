// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Drives the sessions, in the same way as over sockets.
extension Simulation {
    // MARK: Events

    /// Hands an event to a session, after the events that wait, and carries out the session's decisions.
    ///
    /// - Parameter time: When it happened; nil: now.
    func handle(_ event: SessionEvent, _ clientIndex: Int, at time: Int? = nil) {
        waitingEvents.append((event, clientIndex, time ?? now))
        if !isHandling { handleEvents() }
    }

    private func handleEvents() {
        isHandling = true
        while !waitingEvents.isEmpty {
            let (event, clientIndex, time) = waitingEvents.removeFirst()
            let client = clients[clientIndex]
            note("client \(clientIndex): \(event)")
            client.latestTime = max(client.latestTime, time)
            actions.removeAll(keepingCapacity: true)
            client.session.handle(event, at: .microseconds(client.latestTime), using: &random, into: &actions)
            perform(clientIndex)
        }
        isHandling = false
    }

    func send(_ clientIndex: Int, _ index: Int) {
        let client = clients[clientIndex]
        let planned = client.messages[index]
        unsentCount -= 1
        var message = OutboundMessage(
            index, byteCount: planned.byteCount, delivery: planned.delivery, receipt: planned.receipt)
        if let lifetime = planned.lifetime { message.expiry = .microseconds(now + lifetime) }
        client.latestTime = now
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
            plan(.cancel(client: clientIndex, index: index), after: max(0, cancellation - now))
        }
        isHandling = true
        perform(clientIndex)
        handleEvents()
    }

    // MARK: Time

    func timerFired(_ clientIndex: Int) {
        let client = clients[clientIndex]
        // The timer is older than the current one.
        guard client.timer <= now else { return }
        client.timer = .max
        lookAtPeer(client, clientIndex)
        handle(.timerFired, clientIndex)
    }

    private func setTimer(_ clientIndex: Int) {
        guard scenario.mutation != .noTimer else { return }
        let client = clients[clientIndex]
        guard let deadline = client.session.deadline else { return }
        let time = min(Int(microsecondsRoundedUp: deadline), client.nextLook ?? .max)
        guard time < client.timer else { return }
        client.timer = time
        plan(.timer(client: clientIndex), after: max(0, time - now))
    }

    /// Tells a session what is known about the peer, before the session judges it.
    private func lookAtPeer(_ client: SimulatedClient, _ clientIndex: Int) {
        client.nextLook = nil
        guard let link = client.links.last, link.isOpenAtClient, client.isReady else { return }
        if let arrival = link.arrival.take() {
            link.passage.forget()
            handle(.received(link.number), clientIndex, at: arrival)
        }
        let hasProgressed = link.passage.noteProgress(acknowledgedByteCount: UInt64(link.acknowledgedByteCount))
        if hasProgressed, scenario.mutation != .deafToProgress {
            client.progressCount += 1
            handle(.progressed(link.number), clientIndex)
        }
        planLook(at: link)
        noteOutput(of: link)
    }

    /// While a heartbeat is on its way, the driver checks several times whether it has arrived.
    private func planLook(at link: Link) {
        let timeout = scenario.configuration.heartbeat?.timeout ?? .zero
        clients[link.client].nextLook =
            link.passage.isUnderWay ? now + Int(microsecondsRoundedUp: timeout / 8) : nil
    }

    // MARK: Actions

    private func perform(_ clientIndex: Int) {
        let client = clients[clientIndex]
        var repeated: [(Link, GivenMessage<Int>)] = []
        for action in actions {
            if trace != nil { note("client \(clientIndex):     \(action)") }
            switch action {
            case .connect(let number, let endpoint): connect(clientIndex, number, endpoint)
            case .beginLogin(let number): write(.login, byteCount: Self.loginByteCount, to: client.links[number.index])
            case .give(let number, let message):
                client.givings[message.payload] += 1
                let link = client.links[number.index]
                if scenario.mutation == .reversedRepetition, message.isRepeated {
                    repeated.insert((link, message), at: 0)
                } else {
                    give(message, to: link)
                }
            case .heartbeat(let number, let sequence): beat(sequence, client.links[number.index])
            case .close(let number, let cause): close(client.links[number.index], cause)
            case .complete(let number, let outcome): complete(number, outcome, of: client)
            case .expireAddresses: client.onlookExpiry(self)
            case .ignoreReply: client.ignoredReplyCount += 1
            case .report(let state): client.onlook(state, self)
            }
        }
        for (link, message) in repeated { give(message, to: link) }
        setTimer(clientIndex)
    }

    private func beat(_ sequence: UInt64?, _ link: Link) {
        guard scenario.mutation != .noHeartbeats else { return }
        write(.heartbeat(sequence: sequence), byteCount: Self.heartbeatByteCount, to: link)
        link.passage.began(
            writtenByteCount: UInt64(link.writtenByteCount), acknowledgedByteCount: UInt64(link.acknowledgedByteCount))
        planLook(at: link)
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
        if scenario.mutation == .heldUpByUnanswered {
            guard !link.awaitsAnswer else { return }
            let receipt = clients[link.client].messages[message.payload].receipt
            link.awaitsAnswer = receipt == .reply(id: Scenario.unansweredID)
        }
        write(.message(index: message.payload, sequence: sequence), byteCount: message.byteCount, to: link)
        link.givenByteCount += message.byteCount
        if link.givenByteCount >= scenario.configuration.pendingByteCount { noteOutput(of: link) }
    }

    /// Tells the session how much waits in the connection, and does so again when there is space.
    func noteOutput(of link: Link) {
        link.givenByteCount = link.pendingByteCount
        link.isWaitingForRoom = link.pendingByteCount >= scenario.configuration.pendingByteCount
        handle(.sent(link.number, byteCount: 0, pendingByteCount: link.pendingByteCount), link.client)
    }

    private func complete(_ number: MessageNumber, _ outcome: MessageOutcome, of client: SimulatedClient) {
        guard let index = client.indices[number] else { return violate("an outcome of nothing") }
        if client.outcomes[index] != nil { violate("message \(index) has had two outcomes") }
        client.outcomes[index] = outcome
        if let repliedMessage, outcome == .confirmed, index != repliedMessage {
            violate("message \(index) is confirmed by the reply to message \(repliedMessage)")
        }
        if scenario.mutation == .repeatedOnce, case .failed(.lost(mayHaveArrived: true)) = outcome {
            client.repeatedOnce.append(index)
        }
    }
}
