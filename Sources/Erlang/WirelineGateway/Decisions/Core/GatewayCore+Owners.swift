// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

// How clients get their owners: backends are asked, accept, give away, give back, and are lost.
extension GatewayCore {
    // MARK: Backends

    package mutating func backendJoined(_ backend: ErlangDestination, at now: Duration) {
        receive(.joined(backend), at: now)
    }

    mutating func addBackend(_ backend: ErlangDestination, at now: Duration) {
        guard backends.joined(backend) else { return }
        if watch.addBackend(backend) { append(.monitor(backend)) }
        offerWaiting(at: now)
    }

    /// The process keeps its clients, and may still accept offers that it has.
    package mutating func backendLeft(_ backend: ErlangDestination, at now: Duration) {
        receive(.left(backend), at: now)
    }

    mutating func removeBackend(_ backend: ErlangDestination) {
        guard backends.left(backend) else { return }
        if watch.removeBackend(backend) { append(.demonitor(backend)) }
    }

    /// A monitored process or name has ended, does not exist, or its node is gone.
    package mutating func down(_ process: ErlangDestination, at now: Duration) { receive(.down(process), at: now) }

    mutating func handleLoss(_ process: ErlangDestination, at now: Duration) {
        names.ended(process, at: now)
        backends.ended(process)
        lost.add(process, of: watch.ended(process))
        handleSomeLosses(at: now)
    }

    /// Some clients handle the loss now. Others do so in the next rounds, or when their next event comes.
    mutating func handleSomeLosses(at now: Duration) {
        while !lost.isEmpty, takeLoss(), let (number, process) = lost.popFirst() {
            handleLoss(number, process, at: now)
        }
    }

    /// Handles pending losses of a client's processes before another event of the client.
    mutating func noticeLosses(of client: GatewayClient, at now: Duration) {
        guard !lost.isEmpty else { return }
        let processes = (client.owner.map { [.pid($0)] } ?? []) + client.asked
        for process in processes where lost.take(process, of: client.number) {
            handleLoss(client.number, process, at: now)
        }
    }

    /// Nil also if the owner is lost, but the client has not handled that yet.
    func livingOwner(of client: GatewayClient) -> ErlangPID? {
        guard let owner = client.owner else { return nil }
        return lost.isEmpty || !lost.contains(.pid(owner), of: client.number) ? owner : nil
    }

    /// A client has lost its owner, or a process that was asked.
    private mutating func handleLoss(_ number: ClientNumber, _ process: ErlangDestination, at now: Duration) {
        guard let client = clients[number], !client.isClosing else { return }
        let wasAsked = clients.notingWaiting(client) { $0.removeOffer(process) }
        if let owner = client.owner, process == .pid(owner) {
            seekOwner(client, at: now)
        } else if wasAsked, client.isParked {
            queueForBackend(client, at: now)
        }
    }

    // MARK: Asking

    /// A client has lost its owner. Backends are asked; if none accepts it in time, it is closed.
    ///
    /// - Parameter former: The backend that gave the client back.
    mutating func seekOwner(_ client: GatewayClient, from former: ErlangDestination? = nil, at now: Duration) {
        let owner = client.owner.map(ErlangDestination.pid)
        if let backend = client.backend { backends.lostClient(backend) }
        client.backend = nil
        client.noteFormerBackend(former)
        clients.update(client) { $0.window.rewind() }
        beginSeeking(client, at: now)
        if let owner { endWatch(of: owner, for: client) }
        handOver(client)
    }

    /// Offers the client until its parking time is over.
    mutating func beginSeeking(_ client: GatewayClient, at now: Duration) {
        let deadline = now + settings.parkTime
        client.lateFrom = nil
        parkDeadlines.append(deadline, client.number)
        clients.change(client, to: .waiting(until: deadline))
        queueForBackend(client, at: now)
    }

    /// Queues a client for the next backend with a place. Parked clients come first.
    private mutating func queueForBackend(_ client: GatewayClient, at now: Duration) {
        if client.isParked {
            client.search = .none
            seeking.append(client.number)
        } else {
            client.search = .waits(for: 1, wasLate: false)
            seekingMore.append(client.number)
        }
        offerWaiting(at: now)
    }

    /// Offers the waiting clients while there are places.
    mutating func offerWaiting(at now: Duration) {
        while let number = seeking.first {
            if let client = clients[number], client.isParked {
                guard offer(client, at: now) else { break }
                if let time = client.lateFrom, time <= now { searchLater(client, at: now) }
            }
            _ = seeking.popFirst()
        }
        // A backend with a place has fewer offers than this, so no turn can go on for ever.
        for _ in 0..<min(seekingMore.count, Backends.offerLimit) {
            guard backends.hasPlace, let number = seekingMore.popFirst() else { return }
            if let client = clients[number], client.isWaiting { offerMore(client, at: now) }
        }
    }

    /// Offers a client to as many backends as it needs. If too few have a place, it waits for the others.
    private mutating func offerMore(_ client: GatewayClient, at now: Duration) {
        guard case .waits(var count, let wasLate) = client.search else { return }
        // A search walks through all members, so it is skipped if nothing has changed since a vain one.
        let isVain = client.vainSearch == backends.placeChangeCount
        while !isVain, count > 0, offer(client, at: now) { count -= 1 }
        if count > 0 {
            client.search = .waits(for: count, wasLate: wasLate)
            seekingMore.append(client.number)
        } else if wasLate {
            searchLater(client, at: now)
        } else {
            client.search = .none
        }
    }

    /// Asks another backend to own a client.
    ///
    /// - Returns: False if no backend has a place, or if the round is full.
    private mutating func offer(_ client: GatewayClient, at now: Duration) -> Bool {
        counters.noteSearch()
        guard
            let backend = backends.choice(
                where: { !client.hasAsked($0) }, except: client.formerBackends, avoiding: pressure)
        else {
            client.vainSearch = backends.placeChangeCount
            return false
        }
        guard takeOffer() else { return false }
        backends.asked(backend)
        if watch.add(client.number, of: backend) { append(.monitor(backend)) }
        let deadline = now + settings.acceptTime
        client.lateFrom = client.lateFrom ?? deadline
        clients.notingWaiting(client) { $0.ask(backend, until: deadline) }
        acceptDeadlines.append(deadline, (client.number, backend))
        let snapshot = client.snapshot
        let term = client.hadOwner ? GatewayTerm.resume(client.pid, snapshot) : .open(client.pid, snapshot)
        tell(backend, term, from: client.pid, byteCount: client.snapshotByteCount)
        return true
    }

    /// An offer's time is over: the backend is late, or has ended. It may still accept, but others are asked, too.
    mutating func ranOut(
        _ number: ClientNumber, _ backend: ErlangDestination, _ deadline: Duration, at now: Duration
    ) {
        guard let client = clients[number] else { return }
        noticeLosses(of: client, at: now)
        if client.isLate(backend, at: deadline) {
            if backends.ranOut(backend) { lateBackends.append(backend) }
            counters.ranOutOfferCount += 1
        } else if client.lateFrom != deadline {
            return
        }
        // A parked client is offered anyway as soon as there is a place.
        if client.isWaiting, !client.isParked, client.search == .none { search(client, at: now) }
    }

    /// Asks as many further backends as have been asked, and repeats this until one accepts. So the client finds one
    /// that
    /// works, however many hang.
    mutating func search(_ client: GatewayClient, at now: Duration) {
        client.search = .waits(for: max(1, client.askedCount), wasLate: true)
        offerMore(client, at: now)
    }

    private mutating func searchLater(_ client: GatewayClient, at now: Duration) {
        let next = now + Self.searchTime
        client.search = .continues(at: next)
        searchDeadlines.append(next, client.number)
    }

    // MARK: Owners

    /// A process has answered an offer, even if too late: it has a place for another client.
    mutating func answered(_ client: GatewayClient, _ backend: ErlangDestination, at now: Duration) {
        // A step that names an owner may also have ended the client.
        guard clients.notingWaiting(client, { $0.removeOffer(backend) }) else { return }
        backends.answered(backend)
        endWatch(of: backend, for: client)
        offerWaiting(at: now)
    }

    /// Makes a process the owner of a client, but hands over nothing yet.
    ///
    /// - Parameter backend: The backend that accepts it, for itself or for another process of its node.
    mutating func setOwner(
        _ owner: ErlangPID, of client: GatewayClient, by backend: ErlangDestination?, at now: Duration
    ) {
        guard client.owner != owner else { return }
        let former = client.owner.map(ErlangDestination.pid)
        if watch.add(client.number, of: .pid(owner)) { append(.monitor(.pid(owner))) }
        if former == nil, client.hadOwner { counters.resumedCount += 1 }
        clients.change(client, to: .owned(owner))
        if let former { endWatch(of: former, for: client) }
        count(client, for: backends.contains(.pid(owner)) ? .pid(owner) : backend)
        client.hadOwner = true
        clients.update(client) { $0.window.rewind() }
        tellOfDrain(owner, at: now)
    }

    /// The client counts for the backend that accepted it, even if another process of its node is the owner.
    private mutating func count(_ client: GatewayClient, for backend: ErlangDestination?) {
        guard let backend, client.backend != backend else { return }
        if let old = client.backend { backends.lostClient(old) }
        backends.tookClient(backend)
        client.backend = backend
    }

    /// Stops watching a process, unless it still owns the client or has its offer.
    private mutating func endWatch(of process: ErlangDestination, for client: GatewayClient) {
        guard !client.needs(process) else { return }
        if watch.remove(client.number, of: process) { append(.demonitor(process)) }
    }

    /// A client ends: no backend counts it, and no process is monitored for it.
    mutating func forgetBackends(of client: GatewayClient) {
        if let backend = client.backend { backends.lostClient(backend) }
        if let owner = client.owner, watch.remove(client.number, of: .pid(owner)) { append(.demonitor(.pid(owner))) }
        for backend in client.asked {
            backends.withdrew(from: backend)
            if watch.remove(client.number, of: backend) { append(.demonitor(backend)) }
        }
        clients.notingWaiting(client) { $0.removeAllOffers() }
    }
}
