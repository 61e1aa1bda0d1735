// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineErlang
import WirelineErlangGateway
import WirelineErlangNode
import WirelineTransport

/// Carries out what a ``GatewayCore`` decides: it is the program of the gateway's node, and has the clients' connections.
///
/// The core belongs to the node's loop. Each client may be on another loop: what it says comes here in order, and what is
/// written to it leaves in order. So what one process says to several clients takes effect in its order for each of them.
///
/// Effects are carried out at the end of the loop's turn: all that clients said goes to the node's socket together, and
/// all that was said to a client goes to its socket together.
///
/// Only the node's loop uses the state; so `@unchecked Sendable` needs no lock. What changes with every message is
/// `@exclusivity(unchecked)`: no access to it calls code that accesses it again.
final class GatewayDriver: NodeProgram, @unchecked Sendable {
    /// How long what was written to a client may take to leave when its connection is closed.
    static let flushTime = Duration.seconds(5)
    /// How long the gateway waits before it asks a node again that did not answer in time.
    private static let pingDelay = Duration.seconds(1)
    /// How long effects are carried out in one turn.
    private static let effectTime = Duration.milliseconds(5)
    /// The most effects whose memory is used again.
    private static let spareEffectCount = 4_096

    let node: ErlangNode
    let schema: GatewayProtocol
    /// How fast clients may talk; nil: there is no limit.
    let rates: ClientRates?
    /// Looks at the messages of clients before owners do, on the loops of the clients.
    let edge: GatewayEdge?
    /// How long what a client said before it has ended may wait for its owner.
    let parkTime: Duration
    private let backends: ErlangGatewayConfiguration.Backends
    private var report: (@Sendable (ErlangGatewayEvent) -> Void)?
    @safe @exclusivity(unchecked) private var core: GatewayCore
    private var reports: NodeReports
    private var owners: OwnerNodes
    @safe @exclusivity(unchecked) private var clients: [ClientNumber: ClientConnection] = [:]
    private var monitors: [ErlangDestination: ErlangMonitor] = [:]
    /// Processes that are not monitored yet, because too much waits for their node.
    private var unmonitored: [ErlangNodeName: [ErlangDestination]] = [:]
    /// If no more bytes than this wait for a node, it has room for what was refused.
    private let roomyQueue: Int
    private var queues: [ErlangNodeName: Int] = [:]
    private var timer: (handle: EventLoop.Timer, time: Duration)?
    @safe @exclusivity(unchecked) private var output = ClientOutput()
    private var work = LoopWork()
    /// An empty array, whose memory is used for the next effects.
    private var spareEffects: [GatewayEffect] = []
    /// What the loop does at the end of a turn in which something happened.
    private var endOfTurn: EndOfTurnAction?
    private var waitsForEndOfTurn = false
    /// Whether a timer offers again what was not taken.
    private var offersLater = false
    /// Called when each node has been tried once.
    private var onTried: (() -> Void)?
    private var end = GatewayEnd()

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

    /// Makes the processes of a gateway on its node.
    static func start(
        on node: ErlangNode, _ schema: GatewayProtocol, _ settings: GatewaySettings,
        _ configuration: ErlangGatewayConfiguration
    ) async throws(ErlangNodeError) -> GatewayDriver {
        let result = await node.loop.run { () -> Result<GatewayDriver, ErlangNodeError> in
            do throws(ErlangNodeError) {
                let service = try node.withCore { core, now throws(NodeFault) in
                    let service = try core.startServed(name: "wireline")
                    if case .group(let group, let scope) = configuration.backends {
                        try core.want(group, scope: scope, at: now)
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

    /// Lets something happen to the core; what it wants then is done at the end of the turn.
    private func change(_ body: (inout GatewayCore, Duration) -> Void) {
        body(&core, loop.now.sinceOrigin)
        somethingHappened()
    }

    /// Lets the end of the turn do what is to be done.
    private func somethingHappened() {
        guard !waitsForEndOfTurn, let endOfTurn else { return }
        waitsForEndOfTurn = true
        loop.atEndOfTurn(endOfTurn)
    }

    func delivered(_ content: RawSpan, to pid: ErlangPID, from sender: ErlangPID?) {
        core.receive(content, for: pid, from: sender, at: loop.now.sinceOrigin)
    }

    func told(_ pid: ErlangPID, _ event: ErlangEvent) {
        guard case .down(let monitor, reason: _) = event, monitors[monitor.target] == monitor else { return }
        monitors[monitor.target] = nil
        core.down(monitor.target, at: loop.now.sinceOrigin)
    }

    func signalled(_ pid: ErlangPID, reason: ErlangTerm, isKill: Bool) {
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
                // Every node has such a name, for it is connected.
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
        // Without effects, time may still be waited for.
        if core.hasEffects { somethingHappened() } else { setTimer() }
    }

    var isBehind: Bool { core.isBehind }

    /// What the gateway's node has noticed.
    func noted(_ note: ErlangNodeNote) {
        switch note {
        case .refused(_, from: _, let error): reports.refused(error)
        case .crowded: reports.crowded()
        case .droppedMessage(_, .termTooLong): core.skippedTerm()
        default: break
        }
        report?(.note(note))
    }

    /// Calls a closure when each node has been tried once, with those that have refused our cookie, if none has taken it.
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

    /// A handshake has failed.
    func handshakeFailed() { onLoop { $0.handshakeEnded() } }

    /// A client has connected, and may talk.
    func connected(_ client: ClientConnection, _ info: ClientInfo, hadHandshake: Bool) {
        onLoop { driver in
            driver.open(client, info)
            if hadHandshake { driver.handshakeEnded() }
        }
    }

    /// A client has said something.
    func said(_ messages: [MessageTerm], by client: ClientConnection, awaitsAnswer: Bool) {
        // Without a closure, which would be made for each message.
        guard loop.isCurrent else { return loop.execute { self.take(messages, of: client, awaitsAnswer) } }
        take(messages, of: client, awaitsAnswer)
    }

    private func take(_ messages: [MessageTerm], of client: ClientConnection, _ awaitsAnswer: Bool) {
        let mayGoOn = client.number.map { core.said(messages, by: $0) }
        // On the same loop, the client would be read again before the end of the turn.
        if mayGoOn == false, client.connection.loop.isCurrent { client.read(false) }
        if awaitsAnswer { caughtUp(client) }
        somethingHappened()
    }

    /// The connection of a client begins to end by itself, after what was written to the client.
    func parts(_ client: ClientConnection, _ end: ClientEnd) {
        onLoop { driver in
            if let number = client.number { driver.change { $0.parts(number, end, at: $1) } }
        }
    }

    /// The connection of a client has ended.
    func closed(_ client: ClientConnection, _ end: ClientEnd, isUnread: Bool = false) {
        onLoop { driver in
            guard let number = client.number else { return }
            // It has sent nothing for long, or it has taken nothing.
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

    /// Does what the events of a turn have led to.
    private func endTurn() {
        waitsForEndOfTurn = false
        // An effect may have others: a lost node with many clients has thousands. The rest is done in the next turn.
        let end = loop.now + Self.effectTime
        while core.hasEffects {
            carryOut()
            loop.forgetTime()
            loop.beginSteps()
            guard loop.now < end else {
                somethingHappened()
                break
            }
        }
        if !core.isBehind { node.readOn() }
        for backend in core.takeLateBackends() { report?(.late(backend)) }
        offer(isForStalled: false)
        setTimer()
    }

    private func carryOut() {
        var memory: [GatewayEffect] = []
        swap(&memory, &spareEffects)
        var effects = core.takeEffects(reusing: consume memory)
        for effect in tellNodesAndWrite(effects) { perform(effect) }
        core.goOn(at: loop.now.sinceOrigin)
        guard effects.count <= Self.spareEffectCount else { return }
        effects.removeAll(keepingCapacity: true)
        spareEffects = effects
    }

    /// Does what concerns the node, in one step, and adds packets to the output of clients.
    ///
    /// Packets come before the ends of their clients. So most effects are looked at once.
    ///
    /// - Returns: What is left to do, in order.
    private func tellNodesAndWrite(_ effects: [GatewayEffect]) -> [GatewayEffect] {
        var others: [GatewayEffect] = []
        var losses = Losses()
        let loop = loop
        try? node.withCoreAtEndOfTurn { nodeCore, now in
            for effect in effects {
                loop.note(.effectDone)
                guard !write(effect, loop), !losses.isOfLost(effect) else { continue }
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

    /// What is lost because effects could not be carried out.
    private struct Losses {
        var processes: [ErlangDestination] = []
        var nodes: [ErlangNodeName] = []
        /// Clients of which a message or an offer was too long for a term.
        var clients: Set<ErlangPID> = []

        /// Whether an effect is a message of a client of which an earlier message was lost.
        func isOfLost(_ effect: GatewayEffect) -> Bool {
            guard !clients.isEmpty, case .tell(_, .message, from: let client) = effect else { return false }
            return clients.contains(client)
        }
    }

    /// An effect could not be carried out. What clients said, and who owns them, is not lost in silence. A refusal that is
    /// too long for a term is only counted.
    private func failed(
        _ effect: GatewayEffect, _ fault: NodeFault, _ nodeCore: inout NodeCore, _ now: Duration, _ losses: inout Losses
    ) {
        switch (effect, fault) {
        // A node that takes nothing is disconnected: its processes must not miss a message in between.
        case (.tell(let target, _, _), .busy):
            if let node = target.nodeName { nodeCore.disconnect(from: node, because: fault, at: now) }
        // The reason is a process's own, and may be any term.
        case (.tell(let target, .close(let client, reason: _), from: let pid), .term):
            let reason = ErlangTerm.tuple("shutdown", "term_limit")
            let close = GatewayEffect.tell(target, .close(client, reason: reason), from: pid)
            _ = try? tell(close, &nodeCore, now)
        case (.tell(_, .open, from: let client), .term), (.tell(_, .resume, from: let client), .term),
            (.tell(_, .message, from: let client), .term):
            losses.clients.insert(client)
        case (.tell, .term), (.tell, .noProcess): break
        // Its monitor follows when the node has taken what waits. If the node is lost, so is the process.
        case (.monitor(let target), .busy):
            if let node = target.nodeName { unmonitored[node, default: []].append(target) }
        case (.tell(let target, _, _), _), (.monitor(let target), _): losses.processes.append(target)
        case (.reply(let call, _, from: let pid), .term):
            try? nodeCore.reply(.tuple("error", "term_limit"), to: call, from: pid, at: now)
        case (.connect(let node), _): losses.nodes.append(node)
        default: break
        }
    }

    /// - Returns: Whether the effect is a packet, or a change between packets.
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

    /// - Returns: Whether nothing is left to do.
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

    /// Asks a node for a sign of life, until it gives one or is lost. The task ends by itself.
    private func ping(_ name: ErlangNodeName) {
        let node = node
        Task(executorPreference: loop) {
            let request = ErlangTerm.tuple("is_auth", .atom(node.name.atom))
            let answer = try? await node.call(.name("net_kernel", at: name), request)
            self.loop.execute { self.pinged(name, isAnswered: answer != nil) }
        }
    }

    private func pinged(_ name: ErlangNodeName, isAnswered: Bool) {
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

    /// Offers the system what was written to a client, and what it has not taken before.
    private func send(to client: ClientConnection) {
        loop.note(.clientVisited)
        let packets = output.take(client)
        guard client.connection.loop.isCurrent else { return work.add(.send(packets), client) }
        took(client.send(packets), of: client)
        output.giveBack(packets)
    }

    /// Offers the system what was written, and looks who does not take it.
    ///
    /// - Parameter isForStalled: Whether what it has not taken before is offered again.
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
        if !output.isEmpty { somethingHappened() }
    }

    private func took(_ byteCount: Int, of client: ClientConnection) {
        output.took(byteCount, of: client)
        if let number = client.number { core.taken(byteCount, by: number) }
    }

    private func offered(_ reports: [LoopWork.Report]) {
        for report in reports { took(report.takenByteCount, of: report.client) }
        // All have been offered something when the last loop has reported, unless some have to wait for the next turn.
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

    /// Calls closures when the drain begins and when it is over.
    func whenDraining(_ draining: @escaping () -> Void, drained: @escaping () -> Void) {
        end.tell(begun: draining, finished: drained)
    }

    func drain(for time: Duration) { change { $0.drain(for: time, at: $1) } }

    /// Nobody can connect any more. Handshakes may still go on.
    func listenersClosed() {
        end.listenersClosed()
        settleEnd()
    }

    private func settleEnd() {
        if end.areAllKnown { change { $0.listenersClosed(at: $1) } }
    }

    /// Stops the node. Nothing is to be done any more.
    func stop() async {
        // That the nodes are disconnected then is no news.
        await loop.run { self.report = nil }
        await node.stop()
        await loop.run {
            if let (handle, _) = self.timer.take() { self.loop.cancel(handle) }
        }
    }

    // MARK: Metrics

    /// Whether the gateway takes clients.
    var health: ErlangGateway.Health {
        if core.isDraining { return .draining }
        return core.backends.count > 0 ? .ready : .noBackend
    }

    /// What the core and the node know.
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
    /// Its node; nil for a name of our own node, or if the name is none.
    fileprivate var nodeName: ErlangNodeName? { node.flatMap { ErlangNodeName($0.name) } }
}
