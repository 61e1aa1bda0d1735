// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineErlang

/// The decisions of a gateway: whose each client is, what it has said that nobody has confirmed, and what becomes of it
/// when processes, nodes and connections fail.
///
/// It has no sockets and no clock. Events come in, with the time; ``takeEffects()`` says what is to be done, in order. Each
/// client is a process of our node: the driver starts it, and gives what it is sent to ``receive(_:for:from:at:)``. A
/// simulation does the same without any node.
///
/// It is composed of parts with private state. The extensions are the rules between them. It cannot be copied: its
/// clients are objects.
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
    var life = DrainLife()
    var acceptDeadlines = DeadlineQueue<(client: ClientNumber, backend: ErlangDestination)>()
    var searchDeadlines = DeadlineQueue<ClientNumber>()
    var parkDeadlines = DeadlineQueue<ClientNumber>()
    /// Parked clients, in the order in which they began to wait. Clients that are parked no more are skipped later.
    var seeking = Line<ClientNumber>()
    /// Clients that wait for another backend, because the first one was late.
    var seekingMore = Line<ClientNumber>()
    /// The backends that have begun not to answer in time.
    var lateBackends: [ErlangDestination] = []
    /// Clients for which too much waited when something was written. Those that are gone are skipped later.
    var suspects = Line<ClientNumber>()
    private var effects: [GatewayEffect] = []
    /// The bytes for nodes among the effects, about.
    private var outgoingByteCount = 0
    /// The clients that are handed over when these effects have been carried out.
    private var postponed: [ClientNumber] = []
    /// How many backends were asked in this round.
    private var offerCount = 0
    /// The clients that have not noticed yet that a process is lost.
    var lost = LostProcesses()
    /// How many clients have noticed it in this round.
    private var lossCount = 0
    /// The clients that are to be told that the gateway drains.
    var untold = Line<ClientNumber>()
    /// The clients that are closed because the drain is over.
    var leaving = Line<ClientNumber>()
    /// A packet on its way to many clients. What nodes do meanwhile waits.
    private var delivery: PacketDelivery?
    /// What waits until that packet is delivered.
    private var inputs = NodeInputs()
    /// How many receivers of packets for many were visited in this round.
    private var visitCount = 0
    /// Whether clients that wait are to be offered in the next round.
    private var offersWait = false

    /// The most backends that are asked in a round, so that a lost node with many clients delays nobody.
    private static let offersPerRound = 256
    /// The most clients that notice in a round that a process is lost.
    private static let lossesPerRound = 256
    /// After so many effects, clients are handed over in the next round: short messages of thousands of clients would take
    /// a tenth of a second together.
    private static let effectsPerRound = 1_024
    /// If what waits for a delivery takes more bytes than this, nodes are not read.
    private static let inputByteCount = 1 << 20
    /// How long a client waits before more backends are asked.
    static let searchTime = Duration.milliseconds(100)

    /// - Parameters:
    ///   - service: The process `wireline`, of the gateway's node.
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

    /// Returns what is to be done, in order.
    ///
    /// - Parameter memory: An empty array, whose memory is used for the next effects.
    package mutating func takeEffects(reusing memory: consuming [GatewayEffect] = []) -> [GatewayEffect] {
        swap(&effects, &memory)
        (outgoingByteCount, offerCount, lossCount, visitCount) = (0, 0, 0, 0)
        return memory
    }

    /// Whether there is something to be done.
    package var hasEffects: Bool {
        !effects.isEmpty || !postponed.isEmpty || offersWait || !lost.isEmpty || untold.first != nil
            || leaving.first != nil || isDelivering
    }

    /// Returns the backends that have not answered an offer in time, once until they answer one.
    package mutating func takeLateBackends() -> [ErlangDestination] {
        defer { lateBackends = [] }
        return lateBackends
    }

    mutating func want(_ effect: GatewayEffect) { effects.append(effect) }

    // MARK: Rounds

    // A node is disconnected if too much waits for it, and it takes nothing before the effects are carried out. So they have a
    // limit, and what is above it comes after them, when it is known what waits for the node.

    /// Wants something told that a client says, or that is said of it: about so many bytes.
    mutating func tell(_ process: ErlangDestination, _ term: GatewayTerm, from client: ErlangPID, byteCount: Int) {
        outgoingByteCount += byteCount + GatewayTerm.headByteCount
        want(.tell(process, term, from: client))
    }

    /// Whether nothing more is to be told before the effects are carried out.
    var isFull: Bool { outgoingByteCount >= settings.nodeByteCount || effects.count >= Self.effectsPerRound }

    /// Counts an offer of this round.
    ///
    /// - Returns: Whether there is room for it; if not, clients that wait are offered in the next round.
    mutating func takeOffer() -> Bool {
        guard !isFull, offerCount < Self.offersPerRound else {
            offersWait = true
            return false
        }
        offerCount += 1
        return true
    }

    /// Counts a client that notices in this round that a process is lost.
    ///
    /// - Returns: Whether there is room for it; if not, it does in the next round.
    mutating func takeLoss() -> Bool {
        guard !isFull, lossCount < Self.lossesPerRound else { return false }
        lossCount += 1
        return true
    }

    /// A client is handed over later.
    mutating func postpone(_ client: GatewayClient) {
        guard !client.isPostponed else { return }
        client.isPostponed = true
        postponed.append(client.number)
    }

    /// Goes on with what had to wait until the effects before it were carried out. It is to be called after that.
    package mutating func goOn(at now: Duration) {
        tellSomeOfDrain(at: now)
        closeLeaving(at: now)
        loseSome(at: now)
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

    /// Whether a packet is on its way to many clients, or something waits that came after one.
    var isDelivering: Bool { delivery != nil || !inputs.isEmpty }

    /// Whether much of what nodes have done waits: they are not to be read until this is false.
    package var isBehind: Bool { inputs.byteCount > Self.inputByteCount }

    /// Does what a node has done, or lets it wait for a packet that is on its way to many clients.
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
        case .down(let process): lose(process, at: now)
        case .nodeUp(let node): connected(node, at: now)
        case .nodeDown(let node): disconnected(node, at: now)
        case .answered(let node): for name in names.answered(node) { addBackend(name, at: now) }
        }
    }

    /// Sends a packet to many clients: to some of them in this round, and to others in the next ones.
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
        if !receivers.isEmpty { want(.writeAll(receivers, current.packet)) }
        if !current.isDone { delivery = current }
    }

    // MARK: Time

    /// When ``poll(at:)`` has something to do at the earliest; nil if never.
    package var deadline: Duration? {
        // It is asked for after each event, so it makes no array.
        let ofOffers = Self.earlier(acceptDeadlines.first, searchDeadlines.first)
        let ofClients = Self.earlier(ofOffers, parkDeadlines.first)
        let ofNodes = Self.earlier(dials.deadline, names.deadline)
        return Self.earlier(Self.earlier(ofClients, ofNodes), life.deadline)
    }

    private static func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// Does what is due.
    package mutating func poll(at now: Duration) {
        while let (time, offer) = acceptDeadlines.popFirst(at: now) {
            ranOut(offer.client, offer.backend, time, at: now)
        }
        while let (time, number) = searchDeadlines.popFirst(at: now) {
            if let client = clients[number], client.isWaiting, client.search == .goesOn(at: time) {
                search(client, at: now)
            }
        }
        // The others are closed after the effects of this round.
        while !isFull, let (time, number) = parkDeadlines.popFirst(at: now) {
            if let client = clients[number], client.life == .waiting(until: time) {
                end(client, .noBackend, .flushed, at: now)
            }
        }
        for node in dials.takeDue(at: now) { want(.connect(node)) }
        lookFor(names.takeDue(at: now))
        pollDrain(at: now)
    }

    // MARK: Nodes

    /// A node is connected.
    package mutating func nodeUp(_ node: ErlangNodeName, at now: Duration) { receive(.nodeUp(node), at: now) }

    private mutating func connected(_ node: ErlangNodeName, at now: Duration) {
        dials.nodeUp(node, at: now)
        lookFor(names.nodeUp(node))
    }

    /// The connection to a node has ended, or could not be made. The monitors of its processes have ended, too; that goes
    /// to ``down(_:at:)``.
    package mutating func nodeDown(_ node: ErlangNodeName, at now: Duration) { receive(.nodeDown(node), at: now) }

    private mutating func disconnected(_ node: ErlangNodeName, at now: Duration) {
        dials.nodeDown(node, at: now)
        names.nodeDown(node)
        pressure.disconnected(node.atom)
        backends.placesMayBeNew()
        wakeResting(of: node.atom)
    }

    /// So many bytes wait for a node.
    package mutating func nodeQueue(_ byteCount: Int, of node: ErlangNodeName) {
        let change = pressure.noteQueue(byteCount, for: node.atom)
        guard change != .none else { return }
        wakeResting(of: node.atom)
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

    /// Clients that rested for a node go on, unless it is busy.
    private mutating func wakeResting(of node: ErlangAtom) {
        for number in pressure.takeResting(of: node) {
            guard let client = clients[number], client.restsFor == node else { continue }
            client.restsFor = nil
            if isFull { postpone(client) } else { handOver(client) }
        }
    }

    /// Monitors processes again, because their node has room now: too much waited for it before. Processes that nobody
    /// needs any more are left out.
    package mutating func monitorAgain(_ processes: [ErlangDestination]) {
        for process in processes where watch.contains(process) { want(.monitor(process)) }
    }

    private mutating func lookFor(_ names: [ErlangDestination]) {
        for name in names {
            if watch.addBackend(name) { want(.monitor(name)) }
            if case .name(_, at: let node?) = name { want(.ping(node)) }
        }
    }

    /// A node has answered ``GatewayEffect/ping(_:)``.
    package mutating func answered(_ node: ErlangNodeName, at now: Duration) { receive(.answered(node), at: now) }
}
