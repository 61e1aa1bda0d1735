// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineGateway

// One member accepts at once, and all others hang, are slow, leave or join.
extension SimulatedCluster {
    /// A client is owned after so long, if one member accepts at once.
    private static let longestWait = SimulatedLimits.acceptTime + .seconds(1)

    /// Clients come, leave and lose their owners. Each one that stays is owned in time.
    mutating func awaitOwners() {
        guard
            let prompt = processes.indices.filter({ processes[$0].isBackend && processes[$0].isAlive }).randomElement(
                using: &random)
        else { return problems.append("no backend is left") }
        for index in processes.indices where index != prompt && chance(0.8) { hang(index) }
        makePrompt(prompt)
        if chance(0.1) { storm(besides: processes[prompt].node) }
        var deadlines: [Int: Duration] = [:]
        let end = now + Self.longestWait * 2
        while now < end, problems.isEmpty {
            if now + Self.longestWait < end { disturb(besides: prompt) }
            deliverAll()
            for index in clients.indices {
                guard clients[index].isOpen, !clients[index].hasEnded, clients[index].owner == nil else {
                    deadlines[index] = nil
                    continue
                }
                let deadline = deadlines[index, default: now + Self.longestWait]
                deadlines[index] = deadline
                if deadline < now { problems.append("client \(index) has had no owner for too long") }
            }
            pass(.milliseconds(50))
        }
    }

    /// A process accepts at once from now on, and both gateways are connected to its node.
    private mutating func makePrompt(_ index: Int) {
        let node = processes[index].node
        nodes[node].isFrozen = false
        recover(index)
        processes[index].manner = .prompt
        for _ in 0..<60 where !gateways.allSatisfy({ $0.links[node].isUp }) {
            for gateway in gateways.indices { answerDials(gateway) }
            pass(.seconds(1))
        }
        if !processes[index].isMember { changeMembership(index) }
        while !processes[index].offers.isEmpty { acceptLast(index) }
    }

    /// Many clients come, members that hang join, and a node with clients is lost.
    private mutating func storm(besides node: Int) {
        stormCount += 1
        for _ in 0..<number(below: 20) { startHung(number(below: nodes.count)) }
        deliverAll()
        for _ in 0..<100 { connect(number(below: gateways.count)) }
        deliverAll()
        if let lost = any(nodes.indices.filter { $0 != node }) { killNode(lost) }
        settle()
    }

    /// What may happen while clients wait.
    private mutating func disturb(besides prompt: Int) {
        guard let process = any(processes.indices.filter { $0 != prompt }), let client = any(Array(clients.indices))
        else { return }
        switch number(below: 60) {
        case 0: changeMembership(process)
        case 1: killProcess(process)
        case 2: recover(process)
        case 3: hang(process)
        case 4: connect(number(below: gateways.count))
        case 5: leave(client)
        case 6:
            if processes[process].node != processes[prompt].node {
                cut(number(below: gateways.count), processes[process].node)
            }
        case 7: startHung(processes[process].node)
        default: return
        }
        settle()
    }

    /// Delivers all that is on its way, and what is answered to it at once.
    private mutating func deliverAll() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for gateway in gateways.indices {
                for node in nodes.indices {
                    while deliver(gateway, node, toNode: true) { isQuiet = false }
                    while deliver(gateway, node, toNode: false) { isQuiet = false }
                }
            }
            settle()
        }
        for gateway in gateways.indices { answerDials(gateway) }
    }
}
