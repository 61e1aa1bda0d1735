// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Carries out the decisions of a ``NodeCore``: sockets, time, and tasks that wait.
///
/// The core is behind a lock, so programs send messages and start processes from any thread without waiting for the
/// loop.
/// Only the loop's thread uses the other properties; so `@unchecked Sendable` needs no other lock.
final class NodeDriver: @unchecked Sendable {
    private struct Guarded {
        var core: NodeCore
        /// Whether ``NodeDriver/signal()`` has already scheduled work on the loop.
        var isSignalled = false
        var isStopped = false
    }

    let loop: EventLoop
    let name: ErlangNodeName
    private let finder: NodeFinder
    private let noteHandler: (@Sendable (ErlangNodeNote) -> Void)?
    private let guarded: Lock<Guarded>
    /// The program's mailboxes. This does not keep them alive.
    private let mailboxes = Lock<[ErlangPID: WeakMailbox]>([:])

    private var sockets: [NodeConnectionID: NodeSocket] = [:]
    /// Connections that are not read, because the program is behind.
    private var unread: Set<NodeConnectionID> = []
    /// Attempts to find nodes. No task awaits them: each reports to the loop, and is cancelled if its result is not
    /// needed.
    private var dials: [NodeConnectionID: Task<Void, Never>] = [:]
    /// The reasons why nodes were not found.
    private var dialErrors: [ErlangNodeName: ErlangNodeError] = [:]
    private var waiters = NodeWaiters()
    /// Handles the events of served processes.
    private var program: (any NodeProgram)?
    private var timer: (handle: EventLoop.Timer, time: Duration)?
    private var isCarryingOut = false
    /// Whether ``carryOutAndFlush()`` will run at the end of the loop's turn.
    private var waitsForEndOfTurn = false
    /// Whether the turn ends, so that no further output can join this one.
    private var isEndOfTurn = false
    /// Memory for output. It is swapped with the sent output of a connection.
    private var spareOutput: [UInt8] = []

    /// A larger array is not kept.
    private static let spareByteCount = 256 << 10

    private struct WeakMailbox {
        weak var mailbox: ErlangMailbox?
    }

    init(_ core: NodeCore, on loop: EventLoop, _ configuration: ErlangNodeConfiguration) {
        self.loop = loop
        name = core.name
        finder = NodeFinder(loop: loop, configuration: configuration)
        noteHandler = configuration.noteHandler
        guarded = Lock(Guarded(core: core))
    }

    private var now: Duration { (loop.isCurrent ? loop.now : loop.clockTime).sinceOrigin }

    // MARK: From any thread

    /// Changes the core, and lets the loop carry out the actions.
    func withCore<Value>(
        _ body: (inout NodeCore, Duration) throws(NodeFault) -> Value
    ) throws(ErlangNodeError) -> Value {
        let isOnLoop = loop.isCurrent
        var isUrgent = false
        let value = try enter { core, now throws(NodeFault) in
            let value = try body(&core, now)
            isUrgent = isOnLoop && core.hasUrgentActions
            return value
        }
        if isUrgent {
            carryOut()
        } else if isOnLoop {
            carryOutAtEndOfTurn()
        } else {
            signal()
        }
        return value
    }

    /// Changes the core at the end of a turn, and sends the turn's output. Call this on the loop.
    func withCoreAtEndOfTurn(_ body: (inout NodeCore, Duration) -> Void) throws(ErlangNodeError) {
        try enter(body)
        carryOutAndFlush()
    }

    /// Carries out the core's actions at the end of the turn, so that the turn's output goes out together.
    private func carryOutAtEndOfTurn() {
        guard !waitsForEndOfTurn else { return }
        waitsForEndOfTurn = true
        loop.atEndOfTurn(
            EndOfTurnAction {
                self.waitsForEndOfTurn = false
                self.carryOutAndFlush()
            })
    }

    private func carryOutAndFlush() {
        isEndOfTurn = true
        carryOut()
        isEndOfTurn = false
        // The sockets have had their last chance to send in this turn.
        for socket in sockets.values { socket.flush() }
    }

    /// Changes the core. Its actions wait for the next ``carryOut()``.
    private func enter<Value>(
        _ body: (inout NodeCore, Duration) throws(NodeFault) -> Value
    ) throws(ErlangNodeError) -> Value {
        let now = now
        let result = guarded.withLock { guarded -> Result<Value, ErlangNodeError> in
            if guarded.isStopped { return .failure(.stopped) }
            do throws(NodeFault) {
                return .success(try body(&guarded.core, now))
            } catch {
                return .failure(ErlangNodeError(error))
            }
        }
        return try result.get()
    }

    /// Asks the loop to carry out the core's actions, unless it was asked before.
    private func signal() {
        let isNew = guarded.withLock { guarded in
            guard !guarded.isSignalled, guarded.core.hasActions else { return false }
            guarded.isSignalled = true
            return true
        }
        if isNew { loop.execute { self.carryOut() } }
    }

    func add(_ mailbox: ErlangMailbox) {
        mailboxes.withLock { $0[mailbox.pid] = WeakMailbox(mailbox: mailbox) }
    }

    func remove(_ pid: ErlangPID) { mailboxes.withLock { $0[pid] = nil } }

    private func mailbox(_ pid: ErlangPID) -> ErlangMailbox? { mailboxes.withLock { $0[pid]?.mailbox } }

    // MARK: On the loop

    private func carryOut() {
        // The loop below also handles the actions that follow from an action.
        guard !isCarryingOut else { return }
        isCarryingOut = true
        defer { isCarryingOut = false }
        while true {
            let (actions, deadline) = guarded.withLock { guarded in
                guarded.isSignalled = false
                return (guarded.core.takeActions(), guarded.core.deadline)
            }
            guard !actions.isEmpty else { return setTimer(deadline) }
            for action in actions { perform(action) }
            program?.actionsEnded()
        }
    }

    private func perform(_ action: NodeCore.Action) {
        switch action {
        case .dial(let id, let node): dial(id, node)
        case .write(let id): write(id)
        case .close(let id, let output):
            dials.removeValue(forKey: id)?.cancel()
            sockets.removeValue(forKey: id)?.close(after: output)
        case .wake(let pid): mailbox(pid)?.wake()
        case .servedMessage(let pid, let content, let sender):
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            program?.didReceiveMessage(unsafe content.span.bytes, to: pid, from: sender)
        case .servedEvent(let pid, let event): program?.didReceiveEvent(pid, event)
        case .servedExit(let pid, let reason, let isKill): program?.didReceiveExit(pid, reason: reason, isKill: isKill)
        case .ended(let pid, let reason): mailbox(pid)?.end(reason)
        case .reply(let reference, let result):
            waiters.caller(reference)?.finish(.success(result.mapError { ErlangNodeError($0) }))
        case .hasRoom(let node):
            for waiter in waiters.waiters(for: .room(node)) { waiter.finish(.success(.success(()))) }
        case .nodeUp(let node):
            connected(node, .success(()))
            program?.nodeUp(node)
        case .nodeDown(let node, let fault): program?.nodeDown(node, ErlangNodeError(fault, node: node))
        case .connectFailed(let node, let fault):
            let error = dialErrors.removeValue(forKey: node) ?? ErlangNodeError(fault, node: node)
            connected(node, .failure(error))
            program?.nodeDown(node, error)
        case .groupChanged(let scope, let change):
            program?.groupChanged(change, scope: scope)
            let observers = waiters.observers(of: change.group, scope)
            guard !observers.isEmpty else { return }
            let members = members(of: change.group, scope)
            for observer in observers { observer.yield(members) }
        case .scopeSettled(let scope):
            for waiter in waiters.waiters(for: .settled(scope)) { waiter.finish(.success(.success(()))) }
        case .note(let note): noteHandler?(ErlangNodeNote(note))
        }
    }

    private func connected(_ node: ErlangNodeName, _ result: Result<Void, ErlangNodeError>) {
        for waiter in waiters.waiters(for: .connected(node)) { waiter.finish(.success(result)) }
    }

    func members(of group: ErlangTerm, _ scope: ErlangAtom) -> [ErlangPID] {
        guarded.withLock { $0.core.members(of: group, scope: scope) }
    }

    private func write(_ id: NodeConnectionID) {
        guard let socket = sockets[id] else { return }
        let spare = spareOutput
        spareOutput = []
        var bytes = guarded.withLock { $0.core.takeOutput(of: id, reusing: spare) }
        unsent(socket.write(bytes, isLast: isEndOfTurn), on: id)
        guard bytes.capacity <= Self.spareByteCount else { return }
        bytes.removeAll(keepingCapacity: true)
        spareOutput = bytes
    }

    private func setTimer(_ deadline: Duration?) {
        // A timer that fires early is harmless.
        if let timer, let deadline, timer.time <= deadline { return }
        if let (handle, _) = timer.take() { loop.cancel(handle) }
        guard let deadline else { return }
        let handle = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.timer = nil
            self.change { core, now in
                for id in self.unread { core.noteNotRead(id, at: now) }
                core.poll(at: now)
            }
        }
        timer = (handle, deadline)
    }

    /// Changes the core on the loop, and carries out its actions.
    private func change(_ body: (inout NodeCore, Duration) -> Void) {
        let now = loop.now.sinceOrigin
        guarded.withLock { body(&$0.core, now) }
        carryOut()
    }

    // MARK: Sockets

    /// A random number from the system's secure source.
    private static func challenge() -> UInt32 {
        var random = SystemRandomNumberGenerator()
        return random.next()
    }

    func accepted(_ stream: ByteStream) {
        let now = loop.now.sinceOrigin
        let address = stream.peerAddress.description
        let id = guarded.withLock { guarded in
            guarded.isStopped ? nil : guarded.core.accepted(from: address, challenge: Self.challenge(), at: now)
        }
        // A stream that is not started closes by itself.
        if let id { open(id, stream) }
        carryOut()
    }

    private func open(_ id: NodeConnectionID, _ stream: ByteStream) {
        do throws(TransportError) {
            sockets[id] = try NodeSocket(id, stream, self)
        } catch {
            ended(id, isBroken: true)
        }
    }

    private func dial(_ id: NodeConnectionID, _ node: ErlangNodeName) {
        let finder = finder
        dials[id] = Task(executorPreference: loop) {
            do throws(ErlangNodeError) {
                let stream = try await finder.connect(to: node)
                self.loop.execute { self.dialed(id, stream) }
            } catch {
                self.loop.execute { self.dialFailed(id, node, error) }
            }
        }
    }

    private func dialed(_ id: NodeConnectionID, _ stream: ByteStream) {
        // If the dial was removed, the core does not need the stream any more.
        guard dials.removeValue(forKey: id) != nil else { return }
        open(id, stream)
        change { $0.dialed(id, challenge: Self.challenge(), at: $1) }
    }

    private func dialFailed(_ id: NodeConnectionID, _ node: ErlangNodeName, _ error: ErlangNodeError) {
        guard dials.removeValue(forKey: id) != nil else { return }
        dialErrors[node] = error
        change { $0.dialFailed(id, at: $1) }
        dialErrors[node] = nil
    }

    /// Returns whether to go on reading the node. If not, ``resumeReading()`` continues when the program has caught up.
    func received(_ bytes: RawSpan, on id: NodeConnectionID) -> Bool {
        let now = loop.now.sinceOrigin
        guarded.withLock { $0.core.receive(bytes, on: id, at: now) }
        carryOut()
        guard let program else { return true }
        program.actionsEnded()
        // Handshakes are always read.
        guard program.isBehind, guarded.withLock({ $0.core.isUp(id) }) else { return true }
        unread.insert(id)
        return false
    }

    /// The program has caught up, so all nodes are read again.
    func resumeReading() {
        guard !unread.isEmpty else { return }
        let (ids, now) = (unread, loop.now.sinceOrigin)
        unread = []
        guarded.withLock { guarded in for id in ids { guarded.core.noteNotRead(id, at: now) } }
        for id in ids { sockets[id]?.resumeReading() }
    }

    func unsent(_ byteCount: Int, on id: NodeConnectionID) {
        let (pending, hasActions) = guarded.withLock { guarded in
            guarded.core.noteUnsent(byteCount, on: id)
            return (program == nil ? nil : guarded.core.pendingOutput(on: id), guarded.core.hasActions)
        }
        if let pending { program?.nodeQueue(pending.byteCount, of: pending.node) }
        if hasActions { carryOut() }
    }

    /// Lets a part of the program serve processes. Call this on the loop.
    func serve(_ program: any NodeProgram) {
        self.program = program
        // The driver keeps the program alive until `stop()` has removed the closure.
        guarded.withLock { guarded in
            guarded.core.servedReceiver = { [unowned program] content, pid, sender in
                program.didReceiveMessage(content, to: pid, from: sender)
            }
        }
    }

    func ended(_ id: NodeConnectionID, isBroken: Bool) {
        sockets[id] = nil
        change { $0.ended(id, isBroken: isBroken, at: $1) }
    }

    // MARK: Waiting

    func call(
        _ destination: ErlangDestination, _ request: ErlangTerm, timeout: Duration
    ) async throws(ErlangNodeError) -> ErlangTerm {
        try await wait(timeout) { attempt in
            do throws(ErlangNodeError) {
                let reference = try self.enter { core, now throws(NodeFault) in
                    try core.call(destination, request, at: now)
                }
                self.waiters.add(attempt, reference)
                attempt.cleanUp = {
                    self.waiters.remove(reference)
                    _ = try? self.withCore { core, now in core.endCall(reference, at: now) }
                }
                self.carryOut()
            } catch {
                attempt.finish(.success(.failure(error)))
            }
        }
    }

    func connect(to node: ErlangNodeName) async throws(ErlangNodeError) {
        try await wait(nil) { attempt in
            do throws(ErlangNodeError) {
                let isUp = try self.enter { core, now throws(NodeFault) in
                    try core.connect(to: node, at: now)
                    return core.isConnected(node)
                }
                if isUp { return attempt.finish(.success(.success(()))) }
                let number = self.waiters.add(attempt, until: .connected(node))
                attempt.cleanUp = { self.waiters.removeCondition(number) }
                self.carryOut()
            } catch {
                attempt.finish(.success(.failure(error)))
            }
        }
    }

    /// Sends a message as soon as there is room for it.
    ///
    /// - Parameter send: Sends the message to `destination`; called again after each wait.
    func send(
        to destination: ErlangDestination, timeout: Duration,
        _ send: @Sendable (inout NodeCore, Duration) throws(NodeFault) -> Void
    ) async throws(ErlangNodeError) {
        let deadline = now + timeout
        while true {
            do throws(ErlangNodeError) {
                return try withCore(send)
            } catch {
                guard case .busy = error else { throw error }
            }
            let remaining = deadline - now
            guard remaining > .zero else { throw .timedOut }
            try await wait(remaining) { (attempt: NodeWaiters.Waiter<Void>) in
                let node = self.guarded.withLock { $0.core.busyNode(of: destination) }
                guard let node else { return attempt.finish(.success(.success(()))) }
                let number = self.waiters.add(attempt, until: .room(node))
                attempt.cleanUp = { self.waiters.removeCondition(number) }
            }
        }
    }

    /// Waits until the members of a group on all connected nodes are known.
    func settle(_ group: ErlangTerm, _ scope: ErlangAtom) async throws(ErlangNodeError) {
        try await wait(nil) { attempt in
            do throws(ErlangNodeError) {
                let isSettled = try self.enter { core, now throws(NodeFault) in
                    try core.addWantedGroup(group, scope: scope, at: now)
                    return core.awaitScope(scope)
                }
                self.carryOut()
                if isSettled { return attempt.finish(.success(.success(()))) }
                let number = self.waiters.add(attempt, until: .settled(scope))
                attempt.cleanUp = { self.waiters.removeCondition(number) }
            } catch {
                attempt.finish(.success(.failure(error)))
            }
        }
    }

    private func wait<Value: Sendable>(
        _ timeout: Duration?, _ begin: @escaping @Sendable (NodeWaiters.Waiter<Value>) -> Void
    ) async throws(ErlangNodeError) -> Value {
        let result: Result<Value, ErlangNodeError>
        do throws(TransportError) {
            result = try await Attempt.run(on: loop, timeout: timeout) { begin($0) }
        } catch {
            throw ErlangNodeError(error)
        }
        return try result.get()
    }

    /// The observer gets the members now and after each change.
    func add(_ observer: AsyncStream<[ErlangPID]>.Continuation, of group: ErlangTerm, _ scope: ErlangAtom) {
        loop.execute {
            let number = self.waiters.add(observer, of: group, scope)
            observer.onTermination = { _ in self.loop.execute { self.waiters.removeObserver(number) } }
            observer.yield(self.members(of: group, scope))
        }
    }

    // MARK: The end

    /// Closes all connections, and ends all processes and waits.
    func stop() async {
        await loop.run {
            self.change { $0.stop(at: $1) }
            self.guarded.withLock { guarded in
                guarded.isStopped = true
                guarded.core.servedReceiver = nil
            }
            for dial in self.dials.values { dial.cancel() }
            self.dials = [:]
            self.program = nil
            if let (handle, _) = self.timer.take() { self.loop.cancel(handle) }
            for resume in self.waiters.takeAll() { resume() }
            let mailboxes = self.mailboxes.withLock { mailboxes in
                defer { mailboxes = [:] }
                return mailboxes.values.compactMap(\.mailbox)
            }
            for mailbox in mailboxes { mailbox.end(nil) }
        }
    }
}

extension ErlangNodeNote {
    fileprivate init(_ note: NodeNote) {
        self =
            switch note {
            case .replaced(let node): .replaced(node)
            case .otherOfOurName(let node): .otherOfOurName(at: node)
            case .refused(let node, let address, let error): .refused(node, from: address, error)
            case .crowded(let address, let limit): .crowded(from: address, limit: limit)
            case .droppedMessage(let node, let error): .droppedMessage(node, error)
            }
    }
}
