// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlang
import WirelineTransport

/// Carries out the decisions of a ``GatewayCore``. It is the program of the gateway's node, and owns the clients'
/// connections.
///
/// The core belongs to the node's loop. Each client may be on another loop: its messages arrive here in order, and its
/// packets leave in order. So if a process sends to several clients, each of them sees the order of the process.
///
/// Effects are carried out at the end of the loop's turn. The messages of all clients go to a node's socket together,
/// and
/// all packets of a client go to its socket together.
///
/// Only the node's loop uses the state; so `@unchecked Sendable` needs no lock. Properties that change with every
/// message
/// are `@exclusivity(unchecked)`: no access to one calls code that accesses it again.
final class GatewayDriver: NodeProgram, @unchecked Sendable {
    /// The time for a client's last output after the gateway has closed it.
    static let flushTime = Duration.seconds(5)
    /// The wait before the gateway asks a silent node again.
    private static let pingDelay = Duration.seconds(1)
    /// The longest time for effects in one turn.
    private static let effectTime = Duration.milliseconds(5)
    /// Larger arrays of effects are not kept for reuse.
    private static let spareEffectCount = 4_096

    let node: ErlangNode
    let schema: GatewayProtocol
    /// The limits of clients' message rates; nil: none.
    let rates: ClientRates?
    /// Called for each message of a client before its owner gets it, on the client's loop.
    let edge: GatewayEdge?
    /// How long unread input of a client may stay after its end.
    let parkTime: Duration
    private let backends: ErlangGatewayConfiguration.Backends
    private var report: (@Sendable (ErlangGatewayEvent) -> Void)?
    @safe @exclusivity(unchecked) private var core: GatewayCore
    private var reports: NodeReports
    private var owners: OwnerNodes
    @safe @exclusivity(unchecked) private var clients: [ClientNumber: ClientConnection] = [:]
    private var monitors: [ErlangDestination: ErlangMonitor] = [:]
    /// The nodes that are asked for a sign of life.
    private var pinged: Set<ErlangNodeName> = []
    /// Processes that are not monitored yet, because their node has too much output.
    private var unmonitored: [ErlangNodeName: [ErlangDestination]] = [:]
    /// A node with at most this much output accepts what it has refused.
    private let roomyQueue: Int
    private var queues: [ErlangNodeName: Int] = [:]
    private var timer: (handle: EventLoop.Timer, time: Duration)?
    @safe @exclusivity(unchecked) private var output = ClientOutput()
    private var work = LoopWork()
    /// An empty array. The next effects use its memory.
    private var spareEffects: [GatewayEffect] = []
    /// The loop runs it at the end of a turn with events.
    private var endOfTurn: EndOfTurnAction?
    private var waitsForEndOfTurn = false
    /// Whether a timer will offer stalled output again.
    private var offersLater = false
    /// Called when each node has had one attempt.
    private var onTried: (() -> Void)?
    private var end = GatewayShutdown()

    var loop: EventLoop { node.loop }

    private init(
        _ node: ErlangNode, _ core: consuming GatewayCore, _ schema: GatewayProtocol,
        _ configuration: ErlangGatewayConfiguration
    ) {
        self.node = node
        self.core = core
        self.schema = schema
        rates = ClientRates(configuration)
        edge = configuration.edge
        parkTime = configuration.parkTime
        backends = configuration.backends
        roomyQueue = configuration.node.limits.pendingByteCount / 2
        report = configuration.eventHandler
        reports = NodeReports(configuration.allNodes)
        owners = OwnerNodes(configuration.allNodes, configuration.otherNodes)
        endOfTurn = EndOfTurnAction { [weak self] in self?.endTurn() }
    }

    /// Starts the gateway's processes on its node.
    static func start(
        on node: ErlangNode, _ schema: GatewayProtocol, _ settings: GatewaySettings,
        _ configuration: ErlangGatewayConfiguration
    ) async throws(ErlangNodeError) -> GatewayDriver {
        let result = await node.loop.run { () -> Result<GatewayDriver, ErlangNodeError> in
            do throws(ErlangNodeError) {
                let service = try node.withCore { core, now throws(NodeFault) in
                    let service = try core.startServed(name: "wireline")
                    if case .group(let group, let scope) = configuration.backends {
                        try core.addWantedGroup(group, scope: scope, at: now)
                    }
                    try core.join("wireline_gateways", service, scope: "pg", at: now)
                    return service
                }
                let core = GatewayCore(
                    service: service, settings: settings, encode: schema.encode, checkChange: schema.checkChange)
                let driver = GatewayDriver(node, core, schema, configuration)
                node.serve(driver)
                driver.change { $0.poll(at: $1) }
                return .success(driver)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: Events of nodes

    /// Changes the core. The end of the turn carries out the effects.
    private func change(_ body: (inout GatewayCore, Duration) -> Void) {
        body(&core, loop.now.sinceOrigin)
        scheduleEndOfTurn()
    }

    /// Schedules the end of the turn.
    private func scheduleEndOfTurn() {
        guard !waitsForEndOfTurn, let endOfTurn else { return }
        waitsForEndOfTurn = true
        loop.atEndOfTurn(endOfTurn)
    }

    func didReceiveMessage(_ content: RawSpan, to pid: ErlangPID, from sender: ErlangPID?) {
        core.receive(content, for: pid, from: sender, at: loop.now.sinceOrigin)
    }

    func didReceiveEvent(_ pid: ErlangPID, _ event: ErlangEvent) {
        guard case .down(let monitor, reason: _) = event, monitors[monitor.target] == monitor else { return }
        monitors[monitor.target] = nil
        core.down(monitor.target, at: loop.now.sinceOrigin)
    }

    func didReceiveExit(_ pid: ErlangPID, reason: ErlangTerm, isKill: Bool) {
        core.exit(pid, reason, isKill: isKill, at: loop.now.sinceOrigin)
    }

    func nodeUp(_ node: ErlangNodeName) {
        core.nodeUp(node, at: loop.now.sinceOrigin)
        let event = reports.up(node)
        report?(event)
        noteAttempts()
    }

    func nodeDown(_ node: ErlangNodeName, _ error: ErlangNodeError) {
        core.nodeDown(node, at: loop.now.sinceOrigin)
        queues[node] = nil
        for process in unmonitored.removeValue(forKey: node) ?? [] { core.down(process, at: loop.now.sinceOrigin) }
        if let event = reports.down(node, error) { report?(event) }
        noteAttempts()
    }

    func groupChanged(_ change: ErlangGroupChange, scope: ErlangAtom) {
        guard case .group(let group, scope) = backends, change.group == group else { return }
        switch change {
        case .joined(_, let members):
            for pid in members {
                // The node is connected, so its name is valid.
                guard let node = ErlangNodeName(pid.node.name) else { continue }
                if owners.include(node) {
                    core.backendJoined(.pid(pid), at: loop.now.sinceOrigin)
                } else if owners.noteOther(node) {
                    report?(.otherMember(node))
                }
            }
        case .left(_, let members): for pid in members { core.backendLeft(.pid(pid), at: loop.now.sinceOrigin) }
        }
    }

    func nodeQueue(_ byteCount: Int, of node: ErlangNodeName) {
        queues[node] = byteCount
        core.nodeQueue(byteCount, of: node)
        if byteCount <= roomyQueue, let processes = unmonitored.removeValue(forKey: node) {
            core.monitorAgain(processes)
        }
        actionsEnded()
    }

    func actionsEnded() {
        // Even without effects, the core may need a timer.
        if core.hasEffects { scheduleEndOfTurn() } else { setTimer() }
    }

    var isBehind: Bool { core.isBehind }

    func didReceiveNote(_ note: ErlangNodeNote) {
        switch note {
        case .refused(_, from: _, let error): reports.refused(error)
        case .crowded: reports.crowded()
        case .droppedMessage(_, .termTooLong): core.skippedTerm()
        default: break
        }
        report?(.note(note))
    }

    /// Calls a closure when each node has had one attempt. If all have refused our cookie, it gets their names.
    func whenTried(_ action: @escaping ([ErlangNodeName]) -> Void) {
        onTried = { [unowned self] in action(reports.areAllRefusing ? reports.refusing : []) }
        noteAttempts()
    }

    private func noteAttempts() {
        if reports.areAllTried { onTried.take()?() }
    }

    // MARK: Events of clients; called on their loops

    /// A handshake of TLS or of a WebSocket has begun.
    func handshakeBegan() { onLoop { $0.end.handshakeBegan() } }

    func handshakeFailed() { onLoop { $0.handshakeEnded() } }

    /// A client has connected, and its messages may come.
    func connected(_ client: ClientConnection, _ info: ClientInfo, hadHandshake: Bool) {
        onLoop { driver in
            driver.open(client, info)
            if hadHandshake { driver.handshakeEnded() }
        }
    }

    /// A client has sent messages.
    func clientDidSend(_ messages: [MessageTerm], by client: ClientConnection, awaitsAnswer: Bool) {
        // A closure would cost an allocation for each message.
        guard loop.isCurrent else { return loop.execute { self.take(messages, of: client, awaitsAnswer) } }
        take(messages, of: client, awaitsAnswer)
    }

    private func take(_ messages: [MessageTerm], of client: ClientConnection, _ awaitsAnswer: Bool) {
        let mayContinue = client.number.map { core.clientDidSend(messages, by: $0) }
        // On the same loop, the client would be read again before the end of the turn.
        if mayContinue == false, client.connection.loop.isCurrent { client.read(false) }
        if awaitsAnswer { caughtUp(client) }
        scheduleEndOfTurn()
    }

    /// The connection of a client begins to end by itself: its output leaves first.
    func connectionWillEnd(_ client: ClientConnection, _ end: ClientEnd) {
        onLoop { driver in
            if let number = client.number { driver.change { $0.connectionWillEnd(number, end, at: $1) } }
        }
    }

    func closed(_ client: ClientConnection, _ end: ClientEnd, isUnread: Bool = false) {
        onLoop { driver in
            guard let number = client.number else { return }
            // Either the client has sent nothing for long, or it has taken nothing.
            let end = end == .idle && client.offeredByteCount > 0 ? .slow : end
            driver.clients[number] = nil
            driver.output.forget(client)
            driver.change { $0.closed(number, end, isUnread: isUnread, at: $1) }
        }
    }

    private func onLoop(_ body: @escaping @Sendable (GatewayDriver) -> Void) {
        if loop.isCurrent { body(self) } else { loop.execute { body(self) } }
    }

    private func open(_ client: ClientConnection, _ info: ClientInfo) {
        guard let pid = try? node.withCore({ core, _ throws(NodeFault) in try core.startServed() }) else {
            return close(client, .killed, isFlushed: false)
        }
        let number = ClientNumber(pid)
        client.number = number
        clients[number] = client
        read(client, true)
        change { $0.open(pid, info, at: $1) }
    }

    private func handshakeEnded() {
        end.handshakeEnded()
        settleEnd()
    }

    // MARK: Effects

    /// Carries out the effects of the turn's events.
    private func endTurn() {
        waitsForEndOfTurn = false
        // Effects may cause others: a lost node with many clients causes thousands. The next turn does the rest.
        let end = loop.now + Self.effectTime
        while core.hasEffects {
            carryOut()
            loop.forgetTime()
            loop.beginSteps()
            guard loop.now < end else {
                scheduleEndOfTurn()
                break
            }
        }
        if !core.isBehind { node.resumeReading() }
        for backend in core.takeLateBackends() { report?(.late(backend)) }
        offer(isForStalled: false)
        setTimer()
    }

    private func carryOut() {
        var memory: [GatewayEffect] = []
        swap(&memory, &spareEffects)
        var effects = core.takeEffects(reusing: consume memory)
        for effect in tellNodesAndWrite(effects) { perform(effect) }
        core.resumePostponed(at: loop.now.sinceOrigin)
        guard effects.count <= Self.spareEffectCount else { return }
        effects.removeAll(keepingCapacity: true)
        spareEffects = effects
    }

    /// Carries out the effects for nodes, in one step, and adds packets to the output of clients.
    ///
    /// A client's packets come before its end, so one pass is enough for most effects.
    ///
    /// - Returns: The remaining effects, in order.
    private func tellNodesAndWrite(_ effects: [GatewayEffect]) -> [GatewayEffect] {
        var others: [GatewayEffect] = []
        var losses = Losses()
        let loop = loop
        try? node.withCoreAtEndOfTurn { nodeCore, now in
            for effect in effects {
                loop.note(.effectDone)
                guard !write(effect, loop), !losses.isFromLostClient(effect) else { continue }
                do throws(NodeFault) {
                    if try !tell(effect, &nodeCore, now) { others.append(effect) }
                } catch {
                    failed(effect, error, &nodeCore, now, &losses)
                }
            }
        }
        for target in losses.processes { core.down(target, at: loop.now.sinceOrigin) }
        for node in losses.nodes { core.nodeDown(node, at: loop.now.sinceOrigin) }
        for client in losses.clients { core.lostTerm(of: client, at: loop.now.sinceOrigin) }
        return others
    }

    /// Clients, processes and nodes that are lost because an effect failed.
    private struct Losses {
        var processes: [ErlangDestination] = []
        var nodes: [ErlangNodeName] = []
        /// Clients with a message or an offer that was longer than a term may be.
        var clients: Set<ErlangPID> = []

        /// Whether the effect is a later message of a client that has lost one.
        func isFromLostClient(_ effect: GatewayEffect) -> Bool {
            guard !clients.isEmpty, case .tell(_, .message, from: let client) = effect else { return false }
            return clients.contains(client)
        }
    }

    /// An effect has failed. A client's messages and offers must not be lost without notice, so their client or process
    /// ends.
    /// A refusal that is longer than a term may be is only counted.
    private func failed(
        _ effect: GatewayEffect, _ fault: NodeFault, _ nodeCore: inout NodeCore, _ now: Duration, _ losses: inout Losses
    ) {
        switch (effect, fault) {
        // The node takes nothing, so we disconnect it: its processes must not miss a message in between.
        case (.tell(let target, _, _), .busy):
            if let node = target.nodeName { nodeCore.disconnect(from: node, because: fault, at: now) }
        // A process chose the reason, which may be any term.
        case (.tell(let target, .close(let client, reason: _), from: let pid), .term):
            let reason = ErlangTerm.tuple("shutdown", "term_limit")
            let close = GatewayEffect.tell(target, .close(client, reason: reason), from: pid)
            _ = try? tell(close, &nodeCore, now)
        case (.tell(_, .open, from: let client), .term), (.tell(_, .resume, from: let client), .term),
            (.tell(_, .message, from: let client), .term):
            losses.clients.insert(client)
        case (.tell, .term), (.tell, .noProcess): break
        // The monitor is set when the node has room again. If the node is lost, so is the process.
        case (.monitor(let target), .busy):
            if let node = target.nodeName { unmonitored[node, default: []].append(target) }
        case (.tell(let target, _, _), _), (.monitor(let target), _): losses.processes.append(target)
        case (.reply(let call, _, from: let pid), .term):
            try? nodeCore.reply(.tuple("error", "term_limit"), to: call, from: pid, at: now)
        case (.connect(let node), _): losses.nodes.append(node)
        default: break
        }
    }

    /// Returns whether the effect is a packet, or a change between packets.
    private func write(_ effect: GatewayEffect, _ loop: EventLoop) -> Bool {
        switch effect {
        case .write(let number, let packet): if let client = clients[number] { output.write(packet, to: client) }
        case .writeAll(let numbers, let packet):
            for number in numbers {
                loop.note(.clientVisited)
                if let client = clients[number] { output.write(packet, to: client, isShared: true) }
            }
        case .change(let number, let change): if let client = clients[number] { output.change(change, of: client) }
        default: return false
        }
        return true
    }

    /// Returns whether the effect is done.
    private func tell(_ effect: GatewayEffect, _ nodeCore: inout NodeCore, _ now: Duration) throws(NodeFault) -> Bool {
        switch effect {
        case .tell(let target, let term, from: let pid):
            let content: [UInt8]
            do throws(ErlangError) { content = try term.content(limits: core.settings.terms) } catch {
                throw .term(error)
            }
            try nodeCore.send(encoded: content, to: target, from: pid, at: now)
        case .reply(let call, let term, from: let pid): try nodeCore.reply(term, to: call, from: pid, at: now)
        case .monitor(let target):
            if monitors[target] == nil { monitors[target] = try nodeCore.monitor(target, by: core.service, at: now) }
        case .demonitor(let target):
            guard let monitor = monitors.removeValue(forKey: target) else { return true }
            nodeCore.demonitor(monitor, by: core.service, at: now)
        case .end(let pid, let reason): try nodeCore.end(pid, reason: reason, at: now)
        case .connect(let node):
            try nodeCore.connect(to: node, at: now)
            return false
        case .draining:
            _ = nodeCore.leave("wireline_gateways", core.service, scope: "pg", at: now)
            return false
        case .write, .writeAll, .change, .read, .close, .ping, .drained: return false
        }
        return true
    }

    private func perform(_ effect: GatewayEffect) {
        switch effect {
        case .read(let number, let isWanted): if let client = clients[number] { read(client, isWanted) }
        case .close(let number, let end, let isFlushed):
            if let client = clients[number] { close(client, end, isFlushed: isFlushed) }
        case .connect(let node): if self.node.isConnected(to: node) { core.nodeUp(node, at: loop.now.sinceOrigin) }
        case .ping(let node): ping(node)
        case .draining: end.begin()
        case .drained: end.finish()
        case .tell, .reply, .monitor, .demonitor, .end, .write, .writeAll, .change: return
        }
    }

    /// Asks a node for a sign of life, until it answers or is lost. The task ends by itself.
    private func ping(_ name: ErlangNodeName) {
        guard pinged.insert(name).inserted else { return }
        let node = node
        Task(executorPreference: loop) {
            let request = ErlangTerm.tuple("is_auth", .atom(node.name.atom))
            let answer = try? await node.call(.name("net_kernel", at: name), request)
            self.loop.execute { self.pingEnded(name, isAnswered: answer != nil) }
        }
    }

    private func pingEnded(_ name: ErlangNodeName, isAnswered: Bool) {
        pinged.remove(name)
        if isAnswered { return change { $0.answered(name, at: $1) } }
        guard node.isConnected(to: name) else { return }
        loop.schedule(at: loop.now + Self.pingDelay) { [weak self] in self?.ping(name) }
    }

    // MARK: To clients

    private func read(_ client: ClientConnection, _ isWanted: Bool) {
        if client.connection.loop.isCurrent { client.read(isWanted) } else { work.add(.read(isWanted), client) }
    }

    private func caughtUp(_ client: ClientConnection) {
        if client.connection.loop.isCurrent { client.caughtUp() } else { work.add(.caughtUp, client) }
    }

    private func close(_ client: ClientConnection, _ end: ClientEnd, isFlushed: Bool) {
        send(to: client)
        if client.connection.loop.isCurrent {
            client.close(end, isFlushed: isFlushed)
        } else {
            work.add(.close(end, isFlushed: isFlushed), client)
        }
    }

    /// Offers a client's packets and its earlier output to the system.
    private func send(to client: ClientConnection) {
        loop.note(.clientVisited)
        let packets = output.take(client)
        guard client.connection.loop.isCurrent else { return work.add(.send(packets), client) }
        took(client.send(packets), of: client)
        output.giveBack(packets)
    }

    /// Offers all written packets to the system, and finds the clients that do not take them.
    ///
    /// - Parameter isForStalled: Whether stalled output is offered again, too.
    private func offer(isForStalled: Bool) {
        let clients = output.begin(isForStalled: isForStalled)
        for client in clients { send(to: client) }
        let work = work
        self.work = LoopWork()
        let count = work.start { [weak self] reports in
            guard let self else { return }
            self.loop.execute { self.offered(reports) }
        }
        for _ in 0..<count { output.awaitReport() }
        offered([])
        if !output.isEmpty { scheduleEndOfTurn() }
    }

    private func took(_ byteCount: Int, of client: ClientConnection) {
        output.took(byteCount, of: client)
        if let number = client.number { core.taken(byteCount, by: number) }
    }

    private func offered(_ reports: [LoopWork.Report]) {
        for report in reports { took(report.takenByteCount, of: report.client) }
        // When the last loop has reported, each client has had an offer, unless some must wait for the next turn.
        guard output.ended() else { return }
        if core.hasSlowClients, output.isEmpty { change { $0.closeSlowClients(at: $1) } }
        guard !offersLater, let delay = output.nextOffer() else { return }
        offersLater = true
        loop.schedule(at: loop.now + delay) { [weak self] in
            guard let self else { return }
            self.offersLater = false
            self.offer(isForStalled: true)
        }
    }

    // MARK: Time

    private func setTimer() {
        let deadline = core.deadline
        // A timer that fires early is harmless.
        if let timer, let deadline, timer.time <= deadline { return }
        if let (handle, _) = timer.take() { loop.cancel(handle) }
        guard let deadline else { return }
        let handle = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.timer = nil
            self.change { $0.poll(at: $1) }
        }
        timer = (handle, deadline)
    }

    // MARK: The end

    /// A closure that is late is called at once.
    func whenDraining(_ draining: @escaping () -> Void, drained: @escaping () -> Void) {
        end.tell(begun: draining, finished: drained)
    }

    func drain(for time: Duration) { change { $0.drain(for: time, at: $1) } }

    /// The listeners are closed. Handshakes may still go on.
    func listenersClosed() {
        end.listenersClosed()
        settleEnd()
    }

    private func settleEnd() {
        if end.areAllKnown { change { $0.listenersClosed(at: $1) } }
    }

    /// Stops the node. No effect is carried out after that.
    func stop() async {
        // The nodes are disconnected then, which is no event for the operator.
        await loop.run { self.report = nil }
        await node.stop()
        await loop.run {
            if let (handle, _) = self.timer.take() { self.loop.cancel(handle) }
        }
    }

    // MARK: Metrics

    var health: ErlangGateway.Health {
        if core.isDraining { return .draining }
        return core.backends.count > 0 ? .ready : .noBackend
    }

    var metrics: ErlangGatewayMetrics {
        var metrics = ErlangGatewayMetrics(core)
        for node in core.settings.nodes {
            metrics.nodes[node] = .init(
                isConnected: reports.connected.contains(node), queuedByteCount: queues[node] ?? 0)
        }
        metrics.refusedNodeCounts = reports.refusalCounts
        return metrics
    }
}

extension ErlangDestination {
    /// The node; nil for a name on our own node, or if its name is invalid.
    fileprivate var nodeName: ErlangNodeName? { node.flatMap { ErlangNodeName($0.name) } }
}
