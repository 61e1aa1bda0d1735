// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

// Connections between gateways and nodes, and how they fail.
extension SimulatedCluster {
    // MARK: Sending

    mutating func send(_ parcel: ToNode, to node: Int, _ gateway: Int) {
        guard gateways[gateway].links[node].isUp else { return }
        gateways[gateway].links[node].toNode.append(parcel)
    }

    mutating func send(_ parcel: ToGateway, to gateway: Int, from node: Int) {
        if gateways[gateway].links[node].isUp {
            gateways[gateway].links[node].toGateway.append(parcel)
            return
        }
        // What processes say waits for the next connection; all else belongs to the old one.
        switch parcel {
        case .step, .publish: nodes[node].unsent[gateway].append(parcel)
        case .down, .joined, .left: break
        }
    }

    mutating func monitor(_ target: ErlangDestination, _ gateway: Int) {
        guard case .pid(let process) = target else { return }
        let node = node(of: process)
        if !gateways[gateway].links[node].monitored.insert(process).inserted {
            problems.append("\(process) is monitored twice")
        }
        send(.monitor(process), to: node, gateway)
    }

    mutating func demonitor(_ target: ErlangDestination, _ gateway: Int) {
        guard case .pid(let process) = target else { return }
        let node = node(of: process)
        if gateways[gateway].links[node].monitored.remove(process) == nil {
            problems.append("\(process) is not monitored")
        }
        send(.demonitor(process), to: node, gateway)
    }

    // MARK: Delivery

    /// Delivers one parcel of a connection, in one of its directions.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    mutating func deliver(_ gateway: Int, _ node: Int, toNode: Bool) -> Bool {
        if toNode {
            guard !nodes[node].isFrozen else { return false }
            if let (sender, parcel) = nodes[node].backlog.first {
                nodes[node].backlog.removeFirst()
                take(parcel, node, sender)
                return true
            }
            guard !gateways[gateway].links[node].toNode.isEmpty else { return false }
            take(gateways[gateway].links[node].toNode.removeFirst(), node, gateway)
            noteQueue(gateway, node)
            return true
        }
        guard !gateways[gateway].links[node].toGateway.isEmpty else { return false }
        take(gateways[gateway].links[node].toGateway.removeFirst(), gateway, node)
        return true
    }

    /// Tells a gateway how much waits for a node.
    mutating func noteQueue(_ gateway: Int, _ node: Int) {
        let byteCount = gateways[gateway].links[node].toNode.count * SimulatedLimits.parcelByteCount
        let limit = SimulatedLimits.nodeByteCount
        let key = node * 2 + gateway
        // Between the limits nothing changes.
        if byteCount > limit {
            slowNodes.insert(key)
        } else if byteCount <= limit / 2 {
            slowNodes.remove(key)
        }
        let name = nodes[node].name
        change(gateway) { core, _ in core.nodeQueue(byteCount, of: name) }
    }

    private mutating func take(_ parcel: ToGateway, _ gateway: Int, _ node: Int) {
        switch parcel {
        case .step(let client, let actions, from: let process): step(client, actions, from: process)
        case .publish(let number): publish(number, gateway)
        case .joined(let process):
            gateways[gateway].links[node].members.insert(process)
            change(gateway) { $0.backendJoined(.pid(process), at: $1) }
        case .left(let process):
            gateways[gateway].links[node].members.remove(process)
            change(gateway) { $0.backendLeft(.pid(process), at: $1) }
        case .down(let process): down(process, gateway, node)
        }
    }

    /// A gateway learns that a process has ended.
    private mutating func down(_ process: ErlangPID, _ gateway: Int, _ node: Int) {
        guard gateways[gateway].links[node].monitored.remove(process) != nil else { return }
        gateways[gateway].links[node].members.remove(process)
        for index in clients.indices where clients[index].gateway == gateway { clients[index].down(process) }
        change(gateway) { $0.down(.pid(process), at: $1) }
    }

    private mutating func take(_ parcel: ToNode, _ node: Int, _ gateway: Int) {
        switch parcel {
        case .monitor(let pid):
            guard processes[Int(pid.id) - 1].isAlive
            else { return send(.down(pid), to: gateway, from: node) }
            nodes[node].monitored[gateway].insert(pid)
        case .demonitor(let pid): nodes[node].monitored[gateway].remove(pid)
        case .tell(let pid, let term):
            let index = Int(pid.id) - 1
            if processes[index].isAlive { hear(term, index, gateway) }
        }
    }

    // MARK: Connections

    /// Attempts of gateways to connect come to an end.
    mutating func answerDials(_ gateway: Int) {
        let dialed = gateways[gateway].dialed
        gateways[gateway].dialed = []
        for node in dialed {
            let name = nodes[node].name
            guard !nodes[node].isFrozen, isHealed || chance(0.8) else {
                change(gateway) { $0.nodeDown(name, at: $1) }
                continue
            }
            // What was monitored in vain is lost first.
            loseProcesses(gateway, node)
            gateways[gateway].links[node].isUp = true
            // What its processes have said while there was no connection.
            gateways[gateway].links[node].toGateway = nodes[node].unsent[gateway]
            nodes[node].unsent[gateway] = []
            change(gateway) { $0.nodeUp(name, at: $1) }
            for process in processes
            where process.node == node && process.isAlive && process.isBackend && process.isMember {
                send(.joined(process.pid), to: gateway, from: node)
            }
        }
    }

    /// The connection of a gateway to a node ends. Some of what was on its way has arrived.
    mutating func cut(_ gateway: Int, _ node: Int) {
        guard gateways[gateway].links[node].isUp else { return }
        let link = gateways[gateway].links[node]
        let arrivedCount = nodes[node].isFrozen ? link.toNode.count : number(below: link.toNode.count + 1)
        nodes[node].backlog += link.toNode.prefix(arrivedCount).map { (gateway, $0) }
        nodes[node].monitored[gateway] = []
        gateways[gateway].links[node] = SimulatedLink()
        gateways[gateway].links[node].monitored = link.monitored
        slowNodes.remove(node * 2 + gateway)
        let name = nodes[node].name
        // As a node does: the group's members are gone, then the monitors end.
        for process in processes where process.node == node && process.isBackend {
            change(gateway) { $0.backendLeft(.pid(process.pid), at: $1) }
        }
        loseProcesses(gateway, node)
        change(gateway) { $0.nodeDown(name, at: $1) }
    }

    /// The monitors of processes of a node end, because it is not connected.
    private mutating func loseProcesses(_ gateway: Int, _ node: Int) {
        while !gateways[gateway].links[node].monitored.isEmpty {
            // The order must not depend on chance.
            let process = processes.first {
                $0.node == node && gateways[gateway].links[node].monitored.contains($0.pid)
            }
            guard let process else { return problems.append("a monitored process never was") }
            down(process.pid, gateway, node)
        }
    }

    /// What follows from an event: processes of nodes that are not connected are lost, and queues are looked at.
    mutating func settle() {
        for gateway in gateways.indices {
            for node in nodes.indices {
                if gateways[gateway].links[node].isUp {
                    noteQueue(gateway, node)
                } else {
                    loseProcesses(gateway, node)
                }
            }
        }
    }
}
