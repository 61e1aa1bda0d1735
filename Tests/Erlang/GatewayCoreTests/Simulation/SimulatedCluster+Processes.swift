// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

// The backends: they accept, answer one by one or many at once, give clients away and back, die, and are frozen.
extension SimulatedCluster {
    // MARK: Life and death

    /// Starts the process of a node that is asked, and one that it may name as an owner.
    mutating func startProcesses(_ node: Int) {
        start(node, isBackend: true)
        start(node, isBackend: false)
    }

    private mutating func start(_ node: Int, isBackend: Bool) {
        let pid = ErlangPID(
            node: nodes[node].name.atom, id: UInt32(processes.count) + 1, serial: 0, creation: nodes[node].creation)
        processes.append(SimulatedProcess(pid: pid, node: node, isBackend: isBackend))
        guard isBackend else { return }
        for gateway in gateways.indices { send(.joined(pid), to: gateway, from: node) }
    }

    /// Starts another process that is asked, and does nothing.
    mutating func startHung(_ node: Int) {
        start(node, isBackend: true)
        processes[processes.count - 1].manner = .hung
    }

    /// A process stands still. It is alive, and its node is well.
    mutating func hang(_ index: Int) { processes[index].manner = .hung }

    /// A process goes on, late, with what it was asked and handed in between.
    mutating func recover(_ index: Int) {
        guard processes[index].manner == .hung else { return }
        processes[index].manner = .moody
        guard processes[index].isAlive, !nodes[processes[index].node].isFrozen else { return }
        while !processes[index].offers.isEmpty, chance(0.9) { acceptLast(index) }
    }

    /// A backend leaves the group and keeps its clients, or comes back.
    mutating func changeMembership(_ index: Int) {
        let process = processes[index]
        guard process.isBackend, process.isAlive, !nodes[process.node].isFrozen else { return }
        processes[index].isMember.toggle()
        for gateway in gateways.indices {
            send(process.isMember ? .left(process.pid) : .joined(process.pid), to: gateway, from: process.node)
        }
    }

    /// Ends a process; its supervisor starts another one.
    mutating func killProcess(_ index: Int) {
        guard processes[index].isAlive, !nodes[processes[index].node].isFrozen else { return }
        processes[index].isAlive = false
        let process = processes[index]
        for gateway in gateways.indices {
            if process.isBackend, process.isMember { send(.left(process.pid), to: gateway, from: process.node) }
            if nodes[process.node].monitored[gateway].remove(process.pid) != nil {
                send(.down(process.pid), to: gateway, from: process.node)
            }
        }
        start(process.node, isBackend: process.isBackend)
    }

    /// Ends a node with all its processes, and starts it again.
    mutating func killNode(_ node: Int) {
        for gateway in gateways.indices { cut(gateway, node) }
        for index in processes.indices where processes[index].node == node { processes[index].isAlive = false }
        nodes[node].creation += 1
        nodes[node].isFrozen = false
        nodes[node].backlog = []
        nodes[node].unsent = [[], []]
        startProcesses(node)
    }

    /// A node stands still. Gateways give it up after the tick time.
    mutating func freeze(_ node: Int) { nodes[node].isFrozen = true }

    /// The tick time of frozen nodes is over.
    mutating func tick() {
        pass(Self.tickTime)
        for node in nodes.indices where nodes[node].isFrozen {
            for gateway in gateways.indices { cut(gateway, node) }
        }
    }

    // MARK: What processes hear

    mutating func hear(_ term: GatewayTerm, _ index: Int, _ gateway: Int) {
        switch term {
        case .open(let client, _), .resume(let client, _):
            processes[index].offers.append(self.index(of: client))
            if isHealed || willAccept(index) { acceptLast(index) }
        case .message(let client, let message, number: _):
            let client = self.index(of: client)
            let number = message.term[0]
            processes[index].batches[client, default: []].removeAll { $0 >= number }
            processes[index].batches[client, default: []].append(number)
            if isHealed || processes[index].manner != .hung && chance(0.5) { answer(client, index) }
        case .close(let client, reason: _):
            let client = self.index(of: client)
            processes[index].batches[client] = nil
            processes[index].offers.removeAll { $0 == client }
        case .error(let client, let error): learn(error, self.index(of: client), index)
        case .drain: break
        }
    }

    private mutating func willAccept(_ index: Int) -> Bool {
        switch processes[index].manner {
        case .moody: chance(0.7)
        case .prompt: true
        case .hung: false
        }
    }

    /// A process accepts the client that it was asked for last.
    mutating func acceptLast(_ index: Int) {
        guard let client = processes[index].offers.popLast() else { return }
        let process = processes[index]
        let worker = processes.first { $0.node == process.node && $0.isAlive && !$0.isBackend }
        var actions: [ClientAction] = []
        if let worker, chance(0.4) {
            actions = [.owner(worker.pid)]
        } else {
            actions = [.owner(process.pid), .state("state", byteCount: 7)]
        }
        if chance(0.5) { actions.append(.join(Self.group, byteCount: 6)) }
        say(actions, to: client, process)
    }

    /// A step was refused. The error says what is not confirmed yet; each of these is answered in a step of its own,
    /// because some of the answers may be on their way.
    private mutating func learn(_ error: ErlangTerm, _ client: Int, _ index: Int) {
        // A wrong change has nothing to do with what the client said.
        guard case .map(let map) = error, map["path"] != .text("set") else { return }
        processes[index].batches[client] = nil
        guard case .tuple(let parts)? = map["reason"], parts.count == 4,
            let lowest = parts[2].integer(as: UInt8.self), let highest = parts[3].integer(as: UInt8.self),
            lowest <= highest
        else { return }
        for number in lowest...highest { say(answer(to: number), to: client, processes[index]) }
        processes[index].batches[client] = []
    }

    // MARK: What processes say

    private mutating func say(_ actions: [ClientAction], to client: Int, _ process: SimulatedProcess) {
        send(.step(client: client, actions, from: process.pid), to: clients[client].gateway, from: process.node)
    }

    /// Answers what a client has said, in one step or in several. Each answer comes with its confirmation.
    mutating func answer(_ client: Int, _ index: Int) {
        let process = processes[index]
        guard let batch = process.batches[client], !batch.isEmpty else { return }
        var answers = batch.map { answer(to: $0) }
        // A key comes between the answers.
        if chance(0.2) { answers[0].append(.change(.state("phase", Int128(number(below: 3))))) }
        if chance(0.5) {
            say(answers.flatMap(\.self), to: client, process)
        } else {
            for answer in answers { say(answer, to: client, process) }
        }
        processes[index].batches[client] = []
        // It forgets that it has answered. What is confirmed twice is refused.
        if window > 0, chance(0.2), !isHealed { say(answers[0], to: client, process) }
    }

    private func answer(to number: UInt8) -> [ClientAction] {
        let answer = ClientAction.send(.bytes(SimulatedPacket.answer(number)))
        return window > 0 ? [answer, .confirm(UInt64(number))] : [answer]
    }

    /// A process does something by itself.
    mutating func act(_ index: Int) {
        guard processes[index].isAlive, processes[index].manner != .hung, !nodes[processes[index].node].isFrozen
        else { return }
        if chance(0.3) { acceptLast(index) }
        guard let client = any(processes[index].batches.keys.sorted()) else { return }
        let process = processes[index]
        switch number(below: 8) {
        case 0..<3: answer(client, index)
        case 3:
            guard let other = any(processes) else { return }
            say([.owner(other.pid)], to: client, process)
        case 4: say([.owner(nil)], to: client, process)
        case 5:
            // Nothing of it is done, because of the number.
            let refused: ClientAction = chance(0.5) ? .confirm(255) : .change(SimulatedPacket.noChange)
            say([.send(.bytes(SimulatedPacket.spoken(1))), refused], to: client, process)
        case 6: say([chance(0.5) ? .leave(Self.group) : .join(Self.group, byteCount: 6)], to: client, process)
        default: if chance(0.2) { say([.kick("bye")], to: client, process) }
        }
    }

    /// A process of a node speaks to the gateways' clients.
    mutating func speak(_ node: Int) {
        guard !nodes[node].isFrozen else { return }
        let gateway = number(below: 2)
        for _ in 0...number(below: 3) { send(.publish(nextPublished()), to: gateway, from: node) }
    }
}
