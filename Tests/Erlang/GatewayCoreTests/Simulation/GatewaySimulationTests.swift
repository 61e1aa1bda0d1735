// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway

/// Two gateways, three nodes and some clients, while all of them fail, by seeds.
struct GatewaySimulationTests {
    private static let runCount = Depth.rounds(500)
    /// The runs are in parts, so that several processors share them.
    private static let partCount = 4

    @Test(arguments: 0..<partCount)
    func `whatever fails, the promises hold`(part: Int) throws {
        var seeds = SeededGenerator.forThisRun()
        let comment = seeds.seedComment
        for _ in 0..<part { _ = seeds.next() }
        var parts = SeededGenerator(seed: seeds.next())
        var (answerCount, resumeCount, refusalCount, slowCount, lossCount) = (0, 0, 0, 0, 0)
        var (parkedEndCount, stormCount) = (0, 0)
        for run in 0..<Self.runCount / Self.partCount {
            var cluster = SimulatedCluster(SeededGenerator(seed: parts.next()))
            cluster.run()
            try #require(cluster.allProblems == [], "run \(run) of part \(part), \(comment)")
            answerCount += cluster.answerCount
            resumeCount += cluster.resumeCount
            refusalCount += cluster.refusalCount
            slowCount += cluster.slowCount
            lossCount += cluster.lossCount
            parkedEndCount += cluster.parkedEndCount
            stormCount += cluster.stormCount
        }
        // The runs are worth something.
        let leastCount = Self.runCount / Self.partCount / 20
        #expect(answerCount > 20 * leastCount, comment)
        #expect(resumeCount > 2 * leastCount, comment)
        #expect(refusalCount > leastCount, comment)
        #expect(slowCount > leastCount / 10, comment)
        #expect(lossCount > leastCount, comment)
        #expect(parkedEndCount > 0, comment)
        #expect(stormCount > leastCount / 2, comment)
    }
}

extension SimulatedCluster {
    /// A whole run: things happen and fail, then all is well again and must come to a good end.
    mutating func run() {
        for gateway in gateways.indices {
            answerDials(gateway)
            connect(gateway)
        }
        // Most clients have an owner before things fail.
        for _ in 0..<2 {
            for gateway in gateways.indices {
                for node in nodes.indices {
                    while deliver(gateway, node, toNode: false) {}
                    while deliver(gateway, node, toNode: true) {}
                }
            }
        }
        for _ in 0..<30 {
            step()
            settle()
            if !problems.isEmpty { return }
        }
        awaitOwners()
        if !problems.isEmpty { return }
        heal()
        for _ in 0..<2 {
            for index in clients.indices where clients[index].isOpen { say(index) }
            settleAll()
        }
        for index in clients.indices where clients[index].isOpen {
            let client = clients[index]
            if client.answered != client.said { problems.append("\(client.answered) of \(client.said) were answered") }
            if !client.isRead { problems.append("client \(index) is not read") }
        }
        end()
    }

    private mutating func step() {
        let (gateway, node) = (number(below: 2), number(below: 3))
        let client = number(below: clients.count)
        switch number(below: 46) {
        case 0, 1: if clients.count < 5 { connect(gateway) }
        case 2..<12: say(client, count: 1 + number(below: 5))
        case 12..<24: for _ in 0...number(below: 6) { deliver(gateway, node, toNode: chance(0.5)) }
        case 24..<28: act(number(below: processes.count))
        case 28, 29: speak(node)
        case 30: if chance(0.5) { leave(client) } else if chance(0.3) { exit(client) }
        case 31: clients[client].isSlow.toggle()
        case 32: killProcess(number(below: processes.count))
        case 33: if chance(0.5) { killNode(node) } else { cut(gateway, node) }
        case 34: freeze(node)
        case 35: nodes[node].isFrozen = false
        case 36: tick()
        case 37: pass(.seconds(6))
        case 40: hang(number(below: processes.count))
        case 41: recover(number(below: processes.count))
        case 42, 43: changeMembership(number(below: processes.count))
        case 44: if let parked = any(clients.indices.filter { clients[$0].isParked }) { leave(parked) }
        case 45: if let unread = any(clients.indices.filter { !clients[$0].isRead }) { leave(unread) }
        default:
            pass(.milliseconds(number(below: 400)))
            for gateway in gateways.indices { answerDials(gateway) }
        }
    }

    /// Nothing fails any more.
    private mutating func heal() {
        isHealed = true
        for node in nodes.indices { nodes[node].isFrozen = false }
        for index in processes.indices {
            recover(index)
            if !processes[index].isMember { changeMembership(index) }
        }
        for index in clients.indices where !clients[index].hasEnded {
            clients[index].isSlow = false
            take(index)
        }
        settleAll()
    }

    /// Lets everything happen that waits to.
    private mutating func settleAll() {
        for _ in 0..<60 {
            for gateway in gateways.indices { answerDials(gateway) }
            var isQuiet = true
            for gateway in gateways.indices {
                for node in nodes.indices {
                    while deliver(gateway, node, toNode: true) { isQuiet = false }
                    while deliver(gateway, node, toNode: false) { isQuiet = false }
                }
            }
            for index in processes.indices where processes[index].isAlive {
                while !processes[index].offers.isEmpty { acceptLast(index) }
                for client in processes[index].batches.keys.sorted() { answer(client, index) }
            }
            settle()
            let isDone = clients.allSatisfy { !$0.isOpen || $0.owner != nil && $0.answered == $0.said }
            if isQuiet, isDone { return }
            pass(.seconds(1))
        }
    }

    /// One gateway drains; the clients of the other one leave. Nothing must be left.
    private mutating func end() {
        change(0) { $0.drain(for: .seconds(1), at: $1) }
        change(0) { $0.listenersClosed(at: $1) }
        for index in clients.indices where clients[index].gateway == 1 { leave(index) }
        pass(.seconds(2))
        if !gateways[0].isDrained { problems.append("the drain did not end") }
        for index in clients.indices where !clients[index].hasEnded { problems.append("client \(index) is left") }
        for gateway in gateways {
            let clients = gateway.core.clients
            if !clients.isEmpty { problems.append("clients are left") }
            if clients.unconfirmedCount != 0 { problems.append("\(clients.unconfirmedCount) messages are left") }
            if clients.heldByteCount != 0 { problems.append("\(clients.heldByteCount) bytes are left") }
            if gateway.core.groups.count != 0 { problems.append("groups are left") }
        }
        let countedLosses = gateways.reduce(0) { $0 + $1.core.counters.unreadEndCount }
        if countedLosses != lossCount { problems.append("\(countedLosses) losses were counted, not \(lossCount)") }
    }
}
