// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineErlang

/// The decisions of a gateway: which process owns each client, which messages are not confirmed, and what happens when
/// processes, nodes and connections fail.
///
/// It has no sockets and no clock. Events come in, with the time, and ``takeEffects()`` returns the driver's work, in
/// order. Each client is a process of our node. The driver starts it, and passes its messages to
/// ``receive(_:for:from:at:)``. A simulation does the same without a node.
///
/// Its parts have private state; the extensions are the rules between them. It cannot be copied, because its clients
/// are
/// objects.
package struct GatewayCore: ~Copyable {
    /// The process `wireline`.
    package let service: ErlangPID
    package let settings: GatewaySettings
    let encode: MessageEncoder
    let checkChange: ChangeCheck

    package internal(set) var clients = ClientTable()
    package internal(set) var groups = ClientGroups()
    package internal(set) var backends = Backends()
    package internal(set) var counters = GatewayCounters()
    var watch = ProcessWatch()
    var names: NamedBackends
    var dials: NodeDials
    var pressure: NodePressure
    var drainProgress = DrainProgress()
    var acceptDeadlines = DeadlineQueue<(client: ClientNumber, backend: ErlangDestination)>()
    var searchDeadlines = DeadlineQueue<ClientNumber>()
    var parkDeadlines = DeadlineQueue<ClientNumber>()
    /// Parked clients, in the order in which they began to wait. Clients that found a backend are skipped when their
    /// turn comes.
    var seeking = FIFOQueue<ClientNumber>()
    /// Clients that need a further backend, because the first one was late.
    var seekingMore = FIFOQueue<ClientNumber>()
    /// The backends that were in time before, and have now missed an offer's deadline.
    var lateBackends: [ErlangDestination] = []
    /// Clients that once had more output than allowed. Those that have ended are skipped when their turn comes.
    var clientsToCheck = FIFOQueue<ClientNumber>()
    private var effects: [GatewayEffect] = []
    /// An estimate of the bytes for nodes in `effects`.
    private var outgoingByteCount = 0
    /// Clients whose messages are handed over after the current effects.
    private var postponed: [ClientNumber] = []
    /// Offers in this round.
    private var offerCount = 0
    /// Clients that have not handled the loss of a process yet.
    var lost = LostProcesses()
    /// Clients that have handled a loss in this round.
    private var lossCount = 0
    /// Clients that have not been told yet that the gateway drains.
    var unnotified = FIFOQueue<ClientNumber>()
    /// Clients to close, because the drain is over.
    var leaving = FIFOQueue<ClientNumber>()
    /// A packet that is being written to many clients. Events of nodes wait meanwhile.
    private var delivery: PacketDelivery?
    /// The events that wait for `delivery`.
    private var inputs = NodeInputs()
    /// Receivers of packets for many that were visited in this round.
    private var visitCount = 0
    /// Whether the next round must offer waiting clients.
    private var offersWait = false

    /// The most offers in a round, so that a lost node with many clients delays nobody.
    private static let offersPerRound = 256
    /// The most clients that handle a loss in a round.
    private static let lossesPerRound = 256
    /// After this many effects, the next round hands over the rest: short messages of thousands of clients would take a
    /// tenth of a second.
    private static let effectsPerRound = 1_024
    /// If the waiting events have more bytes than this, the driver must not read nodes.
    private static let inputByteCount = 1 << 20
    /// The time between two rounds of offers for a client whose backends are late.
    static let searchTime = Duration.milliseconds(100)

    /// - Parameters:
    ///   - service: The process `wireline` of the gateway's node.
    ///   - settings: Times and limits.
    ///   - encode: Makes packets of messages.
    ///   - checkChange: Knows the keys and states of the clients' protocol.
    package init(
        service: ErlangPID, settings: GatewaySettings, encode: @escaping MessageEncoder,
        checkChange: @escaping ChangeCheck
    ) {
        self.service = service
        self.settings = settings
        self.encode = encode
        self.checkChange = checkChange
        names = NamedBackends(settings.backends, retryTime: settings.nameRetryTime)
        dials = NodeDials(settings.nodes, seed: settings.seed)
        pressure = NodePressure(limit: settings.nodeByteCount)
    }

    // MARK: Effects

    /// - Parameter memory: An empty array; the next effects use its memory.
    package mutating func takeEffects(reusing memory: consuming [GatewayEffect] = []) -> [GatewayEffect] {
        swap(&effects, &memory)
        (outgoingByteCount, offerCount, lossCount, visitCount) = (0, 0, 0, 0)
        return memory
    }

    package var hasEffects: Bool {
        !effects.isEmpty || !postponed.isEmpty || offersWait || !lost.isEmpty || unnotified.first != nil
            || leaving.first != nil || isDelivering
    }

    /// A late backend is returned once. If it answers and is late again, it is returned again.
    package mutating func takeLateBackends() -> [ErlangDestination] {
        defer { lateBackends = [] }
        return lateBackends
    }

    mutating func append(_ effect: GatewayEffect) { effects.append(effect) }

    // MARK: Rounds

    // The node drops a connection with too much output, and output leaves only when effects are carried out. So effects
    // have
    // a limit. The rest waits until they are done, when the node's output is known.

    /// Queues a term for a process: a client's message, or news about a client. `byteCount` is an estimate.
    mutating func tell(_ process: ErlangDestination, _ term: GatewayTerm, from client: ErlangPID, byteCount: Int) {
        outgoingByteCount += byteCount + GatewayTerm.headByteCount
        append(.tell(process, term, from: client))
    }

    /// Whether further terms must wait until the effects are carried out.
    var isFull: Bool { outgoingByteCount >= settings.nodeByteCount || effects.count >= Self.effectsPerRound }

    /// Counts an offer of this round.
    ///
    /// - Returns: False if the round is full; then the next round offers the waiting clients.
    mutating func takeOffer() -> Bool {
        guard !isFull, offerCount < Self.offersPerRound else {
            offersWait = true
            return false
        }
        offerCount += 1
        return true
    }

    /// Counts a client that handles a loss in this round.
    ///
    /// - Returns: False if the round is full.
    mutating func takeLoss() -> Bool {
        guard !isFull, lossCount < Self.lossesPerRound else { return false }
        lossCount += 1
        return true
    }

    /// The next round hands over the client's messages.
    mutating func postpone(_ client: GatewayClient) {
        guard !client.isPostponed else { return }
        client.isPostponed = true
        postponed.append(client.number)
    }

    /// Continues with postponed work. Call it after the effects have been carried out.
    package mutating func resumePostponed(at now: Duration) {
        tellSomeOfDrain(at: now)
        closeLeaving(at: now)
        handleSomeLosses(at: now)
        if offersWait {
            offersWait = false
            offerWaiting(at: now)
        }
        deliverSome()
        while delivery == nil, !isFull, visitCount < settings.receiversPerRound, let input = inputs.popFirst() {
            perform(input, at: now)
        }
        guard !postponed.isEmpty else { return }
        let numbers = postponed
        postponed = []
        for (index, number) in numbers.enumerated() {
            guard !isFull else {
                postponed += numbers[index...]
                return
            }
            guard let client = clients[number] else { continue }
            client.isPostponed = false
            handOver(client)
        }
    }

    // MARK: Deliveries

    /// Whether a packet is being written to many clients, or events still wait after one.
    var isDelivering: Bool { delivery != nil || !inputs.isEmpty }

    /// Whether so many events wait that the driver must not read nodes.
    package var isBehind: Bool { inputs.byteCount > Self.inputByteCount }

    /// Handles an event of a node, or queues it while a packet is being written to many clients.
    mutating func receive(_ input: NodeInput, at now: Duration) {
        if isDelivering { inputs.append(input) } else { perform(input, at: now) }
    }

    private mutating func perform(_ input: NodeInput, at now: Duration) {
        switch input {
        case .term(let bytes, for: let pid, from: let sender): take(bytes.rawSpan, for: pid, from: sender, at: now)
        case .request(let request, for: let pid, from: let sender): take(request, for: pid, from: sender, at: now)
        case .serviceRequest(let request): take(request, at: now)
        case .exit(let pid, let reason, let isKill): exited(pid, reason, isKill: isKill, at: now)
        case .joined(let backend): addBackend(backend, at: now)
        case .left(let backend): removeBackend(backend)
        case .down(let process): handleLoss(process, at: now)
        case .nodeUp(let node): connected(node, at: now)
        case .nodeDown(let node): disconnected(node, at: now)
        case .answered(let node): for name in names.answered(node) { addBackend(name, at: now) }
        }
    }

    /// Writes a packet to many clients: to some in this round, to the others in later ones.
    mutating func deliver(_ packet: PacketDelivery) {
        precondition(delivery == nil, "another packet is on its way")
        delivery = packet
        deliverSome()
    }

    private mutating func deliverSome() {
        guard var current = delivery.take() else { return }
        let places = current.visit(atMost: settings.receiversPerRound - visitCount)
        visitCount += places.count
        var receivers: [ClientNumber] = []
        receivers.reserveCapacity(places.count)
        for place in places {
            if let client = current.receiver(at: place, in: clients), queue(current.packet, to: client) {
                receivers.append(client.number)
            }
        }
        if !receivers.isEmpty { append(.writeAll(receivers, current.packet)) }
        if !current.isDone { delivery = current }
    }

    // MARK: Time

    /// The earliest time at which ``poll(at:)`` has something to do; nil: never.
    package var deadline: Duration? {
        // Each event asks for it, so it makes no array.
        let ofOffers = Self.earlier(acceptDeadlines.first, searchDeadlines.first)
        let ofClients = Self.earlier(ofOffers, parkDeadlines.first)
        let ofNodes = Self.earlier(dials.deadline, names.deadline)
        return Self.earlier(Self.earlier(ofClients, ofNodes), drainProgress.deadline)
    }

    private static func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    package mutating func poll(at now: Duration) {
        while let (time, offer) = acceptDeadlines.popFirst(at: now) {
            ranOut(offer.client, offer.backend, time, at: now)
        }
        while let (time, number) = searchDeadlines.popFirst(at: now) {
            if let client = clients[number], client.isWaiting, client.search == .continues(at: time) {
                search(client, at: now)
            }
        }
        // If the effects are full, the next round closes the others.
        while !isFull, let (time, number) = parkDeadlines.popFirst(at: now) {
            if let client = clients[number], client.life == .waiting(until: time) {
                end(client, .noBackend, .flushed, at: now)
            }
        }
        for node in dials.takeDue(at: now) { append(.connect(node)) }
        lookFor(names.takeDue(at: now))
        pollDrain(at: now)
    }

    // MARK: Nodes

    package mutating func nodeUp(_ node: ErlangNodeName, at now: Duration) { receive(.nodeUp(node), at: now) }

    private mutating func connected(_ node: ErlangNodeName, at now: Duration) {
        dials.nodeUp(node, at: now)
        lookFor(names.nodeUp(node))
    }

    /// The connection to a node has ended, or could not be made. ``down(_:at:)`` separately reports the monitored
    /// processes.
    package mutating func nodeDown(_ node: ErlangNodeName, at now: Duration) { receive(.nodeDown(node), at: now) }

    private mutating func disconnected(_ node: ErlangNodeName, at now: Duration) {
        dials.nodeDown(node, at: now)
        names.nodeDown(node)
        pressure.disconnected(node.atom)
        backends.placesMayBeNew()
        resumePausedClients(of: node.atom)
    }

    /// The driver reports the bytes that wait for a node.
    package mutating func nodeQueue(_ byteCount: Int, of node: ErlangNodeName) {
        let change = pressure.noteQueue(byteCount, for: node.atom)
        guard change != .none else { return }
        resumePausedClients(of: node.atom)
        guard change == .slowness else { return }
        for number in watch.clients(of: node.atom) {
            guard let client = clients[number] else { continue }
            if isFull { postpone(client) } else { handOver(client) }
        }
        if !pressure.isSlow(node.atom) {
            backends.placesMayBeNew()
            offersWait = true
        }
    }

    /// Continues with clients that rested for a node, unless the node is busy again.
    private mutating func resumePausedClients(of node: ErlangAtom) {
        for number in pressure.takePausedClients(of: node) {
            guard let client = clients[number], client.pausedBy == node else { continue }
            client.pausedBy = nil
            if isFull { postpone(client) } else { handOver(client) }
        }
    }

    /// Sets monitors again after the node was too busy for them. Processes that nobody needs any more are skipped.
    package mutating func monitorAgain(_ processes: [ErlangDestination]) {
        for process in processes where watch.contains(process) { append(.monitor(process)) }
    }

    private mutating func lookFor(_ names: [ErlangDestination]) {
        for name in names {
            if watch.addBackend(name) { append(.monitor(name)) }
            if case .name(_, at: let node?) = name { append(.ping(node)) }
        }
    }

    package mutating func answered(_ node: ErlangNodeName, at now: Duration) { receive(.answered(node), at: now) }
}
