// SPDX-License-Identifier: Apache-2.0

// Our processes: how they begin, which events they get, and how they end.
extension NodeCore {
    // MARK: From the program

    /// Starts a process whose events the program takes. If it traps exits, the end of a linked process is an event.
    /// Otherwise that end also ends this process.
    package mutating func start(name: ErlangAtom? = nil, trapsExits: Bool = false) throws(NodeFault) -> ErlangPID {
        if let name, name.isTooLong { throw .term(.unwritableTerm(.atomTooLong)) }
        let limit = settings.limits.processCount
        guard processes.count < limit else { throw .tooManyProcesses(limit: limit) }
        guard let pid = processes.start(.mailbox, name: name, trapsExits: trapsExits)
        else { throw .nameTaken(name ?? "") }
        return pid
    }

    /// Starts a process that the program serves at once: it gets ``Action/servedMessage(_:content:from:)``,
    /// ``Action/servedEvent(_:_:)`` and ``Action/servedExit(_:reason:isKill:)``. Only the program ends it.
    package mutating func startServed(name: ErlangAtom? = nil) throws(NodeFault) -> ErlangPID {
        let limit = settings.limits.processCount
        guard processes.count < limit else { throw .tooManyProcesses(limit: limit) }
        guard let pid = processes.start(.served, name: name, trapsExits: true) else { throw .nameTaken(name ?? "") }
        return pid
    }

    /// Tells the processes that monitor it or are linked to it. If it has ended before, this does nothing.
    package mutating func end(_ pid: ErlangPID, reason: ErlangTerm, at now: Duration) throws(NodeFault) {
        try requireWritable(reason)
        guard let number = processes.number(of: pid) else { return }
        end(number, reason, isTold: false, at: now)
        settle(at: now)
    }

    package func isAlive(_ pid: ErlangPID) -> Bool { processes.number(of: pid) != nil }

    package func process(named name: ErlangAtom) -> ErlangPID? {
        processes.number(of: name).flatMap { processes[$0]?.pid }
    }

    package mutating func takeEvents(of pid: ErlangPID) -> [ErlangEvent] {
        guard let number = processes.number(of: pid) else { return [] }
        return processes.update(number) { $0.takeEvents() } ?? []
    }

    /// Sends the process `nodeUp` for each node connected now or later, and `nodeDown` for each lost one.
    package mutating func watchNodes(_ pid: ErlangPID) throws(NodeFault) {
        guard let number = processes.number(of: pid) else { throw .noProcess }
        let isNew = processes.update(number) { process in
            defer { process.watchesNodes = true }
            return !process.watchesNodes
        }
        guard isNew == true else { return }
        for name in connectedNodes { tell(.nodeUp(name), byteCount: 0, number) }
    }

    /// Sorted by name.
    package var connectedNodes: [ErlangNodeName] {
        peers.values.filter { $0.connection != nil }.map(\.name).sorted()
    }

    func requireWritable(_ term: ErlangTerm) throws(NodeFault) {
        do throws(ErlangError) { _ = try TermMeasure.byteCount(of: term, settings.limits.terms) } catch {
            throw .term(error)
        }
    }

    // MARK: What processes are told

    /// - Parameters:
    ///   - byteCount: The bytes of the message on the wire.
    ///   - node: The node that sent it; nil: ours.
    mutating func deliver(
        _ term: ErlangTerm, byteCount: Int, to number: UInt64, from sender: ErlangPID?, node: ErlangNodeName?,
        at now: Duration
    ) {
        switch processes.kind(number) {
        case .mailbox: tell(ErlangEvent(term, from: sender), byteCount: byteCount, number)
        case .served:
            // The term was read or measured before, so it can be written.
            guard let pid = processes[number]?.pid, let content = try? term.content(limits: settings.limits.terms)
            else { return }
            perform(.servedMessage(pid, content: content, from: sender))
        case .kernel:
            if case .call(let call) = ErlangEvent(term, from: sender) { answerAsKernel(call, at: now) }
        case .caller: takeReply(term, at: now)
        case .scope:
            // The scope has already taken pg's own messages.
            if case .call(let call) = ErlangEvent(term, from: sender) { return refuse(call, number, at: now) }
            if let node { perform(.note(.droppedMessage(node, .distribution(.processGroup)))) }
        case nil: return
        }
    }

    /// `net_adm:ping` asks `is_auth`. Other requests to `net_kernel` are refused, so that their callers do not wait.
    private mutating func answerAsKernel(_ call: ErlangCall, at now: Duration) {
        guard let kernel = process(named: "net_kernel"), let number = processes.number(of: kernel) else { return }
        guard case .tuple(let parts) = call.request, parts.first == "is_auth"
        else { return refuse(call, number, at: now) }
        answer("yes", call, from: kernel, at: now)
    }

    private mutating func refuse(_ call: ErlangCall, _ number: UInt64, at now: Duration) {
        guard let pid = processes[number]?.pid else { return }
        answer(.tuple("error", "unknown_request"), call, from: pid, at: now)
    }

    /// Adds an event to a process. A mailbox with too many events is killed.
    mutating func tell(_ event: ErlangEvent, byteCount: Int, _ number: UInt64) {
        let limits = settings.limits
        if let pid = processes.servedProcess(number) { return perform(.servedEvent(pid, event)) }
        let isFirst = processes.update(number) { process -> Bool? in
            process.kind == .mailbox ? process.add(event, byteCount: byteCount, limits) : false
        }
        switch isFirst {
        case .some(.some(true)): if let pid = processes[number]?.pid { perform(.wake(pid)) }
        case .some(.some(false)), nil: break
        case .some(nil): dying.append((number, reason: "killed"))
        }
    }

    mutating func tellWatchers(_ event: ErlangEvent) {
        for number in processes.numbers where processes[number]?.watchesNodes == true {
            tell(event, byteCount: 0, number)
        }
    }

    // MARK: Ends

    /// - Parameter isTold: Whether the program gets ``Action/ended(_:reason:)``.
    mutating func end(_ number: UInt64, _ reason: ErlangTerm, isTold: Bool, at now: Duration) {
        guard let process = processes.remove(number) else { return }
        if isTold { perform(.ended(process.pid, reason: reason)) }
        for (reference, watcher) in process.watchers.sorted(by: { ErlangTerm.reference($0.key) < .reference($1.key) }) {
            if processes.isOurs(watcher.pid) {
                down(reference, watcher.pid, reason, from: ourselves.name.atom, at: now)
            } else {
                sendControl(
                    .down(watcher.target, reason: reason, to: watcher.pid, reference), to: watcher.pid.node, at: now)
            }
        }
        for other in process.linked.sorted(by: { ErlangTerm.pid($0) < .pid($1) }) {
            if processes.isOurs(other) {
                linkEnded(process.pid, other, reason, at: now)
            } else {
                sendControl(.exit(reason: reason, from: process.pid, to: other), to: other.node, at: now)
            }
        }
        for (_, monitor) in process.monitors.sorted(by: { ErlangTerm.reference($0.key) < .reference($1.key) }) {
            withdraw(monitor, of: process.pid, at: now)
        }
        for scope in scopes.keys.sorted(by: { ErlangTerm.atom($0) < .atom($1) }) {
            leaveAll(scope, process.pid, at: now)
        }
    }

    /// A process that is linked to one of ours has ended, or its node is gone.
    mutating func linkEnded(_ from: ErlangPID, _ to: ErlangPID, _ reason: ErlangTerm, at now: Duration) {
        guard let number = processes.number(of: to),
            processes.update(number, { $0.linkEnded(to: from) }) == true
        else { return }
        exit(number, reason, from: from)
    }

    /// `exit(Pid, Reason)`. `kill` ends a process even if it traps exits; `normal` ends none.
    mutating func exitSignal(_ reason: ErlangTerm, from: ErlangPID, to: ErlangPID, at now: Duration) {
        guard let number = processes.number(of: to) else { return }
        exit(number, reason, from: from, isKilled: reason == "kill")
    }

    /// A process that is part of the node ignores the signal.
    private mutating func exit(
        _ number: UInt64, _ reason: ErlangTerm, from: ErlangPID, isKilled: Bool = false
    ) {
        if let pid = processes.servedProcess(number) {
            return perform(.servedExit(pid, reason: reason, isKill: isKilled))
        }
        guard let process = processes[number], process.kind == .mailbox else { return }
        if isKilled {
            dying.append((number, reason: "killed"))
        } else if process.trapsExits {
            tell(.exit(from, reason: reason), byteCount: 0, number)
        } else if reason != "normal" {
            dying.append((number, reason: reason))
        }
    }

    /// The target that a process of ours, or a call, monitors has ended.
    mutating func down(
        _ reference: ErlangReference, _ to: ErlangPID, _ reason: ErlangTerm, from node: ErlangAtom, at now: Duration
    ) {
        if to == caller {
            // A forged reference of another node is no end.
            guard let target = calls[reference], isOn(target, node) else { return }
            calls[reference] = nil
            return perform(.reply(reference, .failure(.down(reason: reason))))
        }
        guard let number = processes.number(of: to), let process = processes[number],
            let monitor = process.monitors[reference], isOn(monitor.target, node)
        else { return }
        _ = processes.update(number) { $0.removeMonitor(reference) }
        if case .scope(let scope) = process.kind { return scopeEnded(scope, monitor, at: now) }
        tell(.down(monitor, reason: reason), byteCount: 0, number)
    }

    private func isOn(_ target: ErlangDestination, _ node: ErlangAtom) -> Bool {
        if case .name(_, at: nil) = target { node == ourselves.name.atom } else { target.isOn(node) }
    }

    /// A node is gone, or could not be reached: its processes are lost.
    ///
    /// - Parameter numbers: Our processes that may be linked to processes of the node, or monitor them.
    mutating func lose(_ name: ErlangNodeName, for numbers: [UInt64], at now: Duration) {
        let node = name.atom
        for scope in scopes.keys.sorted(by: { ErlangTerm.atom($0) < .atom($1) }) {
            changeScope(scope, at: now) { $0.disconnected(name) }
        }
        for number in numbers {
            guard let lost = processes.update(number, { $0.lose(node) }) else { continue }
            for other in lost.links { exit(number, "noconnection", from: other) }
            for monitor in lost.monitors { tell(.down(monitor, reason: "noconnection"), byteCount: 0, number) }
        }
        let lostCalls = calls.filter { $0.value.isOn(node) }.keys
        for reference in lostCalls.sorted(by: { ErlangTerm.reference($0) < .reference($1) }) {
            calls[reference] = nil
            perform(.reply(reference, .failure(.down(reason: "noconnection"))))
        }
    }
}
