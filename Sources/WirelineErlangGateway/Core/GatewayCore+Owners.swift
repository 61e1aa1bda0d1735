// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

// Who owns whom: backends are asked, accept, give away, give back, and are lost.
extension GatewayCore {
    // MARK: Backends

    /// A process has joined the group, or a name is registered.
    package mutating func backendJoined(_ backend: ErlangDestination, at now: Duration) {
        guard backends.joined(backend) else { return }
        if watch.addBackend(backend) { want(.monitor(backend)) }
        for client in clients.parked { offer(client, at: now) }
    }

    /// A process has left the group. It keeps its clients, and may still accept those that it was asked for.
    package mutating func backendLeft(_ backend: ErlangDestination) {
        guard backends.left(backend) else { return }
        if watch.removeBackend(backend) { want(.demonitor(backend)) }
    }

    /// A monitored process or name has ended, is not there, or is lost with its node.
    package mutating func down(_ process: ErlangDestination, at now: Duration) {
        names.ended(process, at: now)
        backends.ended(process)
        for number in watch.ended(process) { lose(number, process, at: now) }
    }

    /// The owner of a client, or who was asked, is lost.
    private mutating func lose(_ number: ClientNumber, _ process: ErlangDestination, at now: Duration) {
        guard let client = clients[number], client.watchedProcess == process else { return }
        offer(client, except: process, at: now)
    }

    // MARK: Asking

    /// Asks a backend to own a client that has no owner any more; without any backend whose node reads, the client is parked.
    ///
    /// - Parameter excluded: Who is not to be asked, if there is another one.
    mutating func offer(_ client: GatewayClient, except excluded: ErlangDestination? = nil, at now: Duration) {
        guard !client.isClosing else { return }
        let number = client.number
        if let backend = client.backend { backends.lostClient(backend) }
        if isFull { postpone(client) }
        let backend = isFull ? nil : backends.choice(except: excluded, avoiding: pressure)
        if let backend { backends.tookClient(backend) }
        moveWatch(number, from: client.watchedProcess, to: backend)
        client.backend = backend
        client.window.rewind()
        if let backend {
            let deadline = now + settings.acceptTime
            acceptDeadlines.append(deadline, number)
            clients.change(client, to: .asked(backend, until: deadline))
            let snapshot = client.snapshot
            let term = client.hadOwner ? GatewayTerm.resume(client.pid, snapshot) : .open(client.pid, snapshot)
            tell(backend, term, from: client.pid, byteCount: client.snapshotByteCount)
        } else {
            let deadline = now + settings.parkTime
            parkDeadlines.append(deadline, number)
            clients.change(client, to: .parked(until: deadline))
        }
        handOver(client)
    }

    /// A client needs the monitor of another process than before.
    private mutating func moveWatch(
        _ number: ClientNumber, from old: ErlangDestination?, to new: ErlangDestination?
    ) {
        guard old != new else { return }
        if let new, watch.add(number, of: new) { want(.monitor(new)) }
        if let old, watch.remove(number, of: old) { want(.demonitor(old)) }
    }

    // MARK: Owners

    /// Whether a process may say who owns a client.
    func mayNameOwner(_ sender: ErlangPID?, of life: GatewayClient.Life) -> Bool {
        guard let sender else { return false }
        switch life {
        case .owned(let owner): return sender == owner
        // Any process of the node that was asked, in its present life.
        case .asked(.pid(let backend), _): return sender.node == backend.node && sender.creation == backend.creation
        case .asked(.name(_, at: let node), _): return sender.node == (node?.atom ?? service.node)
        case .parked, .closing: return false
        }
    }

    /// A process becomes the owner of a client. It is not handed anything yet.
    mutating func setOwner(_ owner: ErlangPID, of client: GatewayClient, at now: Duration) {
        guard client.owner != owner else { return }
        moveWatch(client.number, from: client.watchedProcess, to: .pid(owner))
        if client.owner == nil, client.hadOwner { counters.resumedCount += 1 }
        count(client, for: owner)
        clients.change(client, to: .owned(owner))
        client.hadOwner = true
        client.window.rewind()
        tellOfDrain(owner, at: now)
    }

    /// A client that was given to a backend counts for it. Other owners are processes of the backend that was asked.
    private mutating func count(_ client: GatewayClient, for owner: ErlangPID) {
        let backend = ErlangDestination.pid(owner)
        guard client.backend != backend, backends.contains(backend) else { return }
        if let old = client.backend { backends.lostClient(old) }
        backends.tookClient(backend)
        client.backend = backend
    }
}
