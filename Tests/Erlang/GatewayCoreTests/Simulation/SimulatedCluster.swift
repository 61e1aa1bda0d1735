// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineErlang
import WirelineGateway

/// Two gateways, the nodes of their backends, and their clients. Everything that happens comes from one seed, so a run
/// can be repeated with it.
struct SimulatedCluster {
    private static func settings(_ window: Int, _ gateway: Int) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.nodes = ["n0@h", "n1@h", "n2@h"]
        settings.window = window
        settings.acceptTime = SimulatedLimits.acceptTime
        settings.parkedMessageCount = 4
        settings.windowByteCount = SimulatedLimits.windowByteCount
        settings.clientByteCount = SimulatedLimits.clientByteCount
        settings.nodeByteCount = SimulatedLimits.nodeByteCount
        // A group has more members.
        settings.receiversPerRound = 1
        settings.seed = UInt64(gateway)
        return settings
    }
    /// The cluster's tick time: a frozen node is lost after it.
    static let tickTime = Duration.seconds(8)
    private static let info = ClientInfo(
        peer: .init(bytes: [127, 0, 0, 1], port: 1), local: .init(bytes: [127, 0, 0, 1], port: 2), opened: 0)
    static let group: ErlangTerm = "room"

    let window: Int
    var random: SeededGenerator
    var now = Duration.zero
    var gateways: [SimulatedGateway]
    var nodes: [SimulatedNode]
    var processes: [SimulatedProcess] = []
    var clients: [ClientRecord] = []
    var problems: [String] = []
    /// Whether nothing fails any more, and backends do what they should.
    var isHealed = false
    /// How many storms there were.
    var stormCount = 0
    private var published: UInt8 = 0
    /// The errors that the event that runs must cause, and has caused.
    private var (expectedErrorCount, errorCount) = (0, 0)
    private(set) var (answerCount, resumeCount, refusalCount, slowCount, parkedEndCount) = (0, 0, 0, 0, 0)

    init(_ random: SeededGenerator) {
        self.random = random
        window = [0, 1, 3, 8][Int.random(in: 0..<4, using: &self.random)]
        let window = window
        gateways = (0..<2).map { index in
            let name: ErlangNodeName = index == 0 ? "gw0@h" : "gw1@h"
            let service = ErlangPID(node: name.atom, id: 1_000, serial: 0, creation: 7)
            let core = GatewayCore(
                service: service, settings: Self.settings(window, index), encode: { _ in .failure(.encoding("none")) },
                checkChange: { $0 == SimulatedPacket.noChange ? .change("none", path: "set") : nil })
            return SimulatedGateway(name, core)
        }
        nodes = ["n0@h", "n1@h", "n2@h"].map { SimulatedNode(name: $0) }
        for node in nodes.indices { startProcesses(node) }
        for gateway in gateways.indices { change(gateway) { $0.poll(at: $1) } }
    }

    // MARK: Chance

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func any<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    // MARK: Events of a gateway

    /// Lets something happen to a gateway, and does what it wants then.
    mutating func change(_ gateway: Int, _ body: (inout GatewayCore, Duration) -> Void) {
        body(&gateways[gateway].core, now)
        carryOut(gateway)
        // What was written has been offered to the system.
        if gateways[gateway].core.hasSlowClients {
            let slow = clients.indices.filter {
                clients[$0].gateway == gateway && !clients[$0].hasEnded
                    && clients[$0].queuedByteCount > SimulatedLimits.clientByteCount
            }
            gateways[gateway].core.closeSlowClients(at: now)
            carryOut(gateway)
            for client in slow where !clients[client].hasEnded { problems.append("a slow client was not closed") }
            slowCount += slow.count
        }
        for index in clients.indices where clients[index].gateway == gateway { clients[index].eventEnded() }
        let table = gateways[gateway].core.clients
        let unconfirmed = table.numbers.reduce(0) { $0 + (table[$1]?.window.unconfirmedCount ?? 0) }
        if table.unconfirmedCount != unconfirmed {
            problems.append("\(table.unconfirmedCount) messages are not confirmed, not \(unconfirmed)")
        }
        if errorCount != expectedErrorCount { problems.append("\(errorCount) errors, not \(expectedErrorCount)") }
        (errorCount, expectedErrorCount) = (0, 0)
    }

    private mutating func carryOut(_ gateway: Int) {
        // The end of a connection, which is told at once, may have effects of its own.
        while gateways[gateway].core.hasEffects {
            carryOut(gateways[gateway].core.takeEffects(), gateway)
            gateways[gateway].core.resumePostponed(at: now)
        }
    }

    private mutating func carryOut(_ effects: [GatewayEffect], _ gateway: Int) {
        // The last words of a client are handed over whatever the limits are.
        let ending = Set(effects.compactMap { if case .end(let pid, reason: _) = $0 { index(of: pid) } else { nil } })
        for effect in effects {
            switch effect {
            case .tell(.pid(let process), let term, from: _): tell(process, term, gateway, ending)
            case .tell, .reply, .ping: problems.append("\(effect) was not asked for")
            case .monitor(let target): monitor(target, gateway)
            case .demonitor(let target): demonitor(target, gateway)
            case .end(let pid, reason: _): clients[index(of: pid)].ended()
            case .write(let number, let packet): written(packet, to: client(number))
            case .change(let number, let change): clients[client(number)].changed(change)
            case .writeAll(let numbers, let packet):
                for number in numbers { written(packet, to: client(number)) }
            case .read(let number, let isRead): clients[client(number)].isRead = isRead
            case .close(let number, _, let isFlushed):
                clients[client(number)].isOpen = false
                if isFlushed { gateways[gateway].core.connectionEnded(number, at: now) }
            case .connect(let node):
                guard let index = nodes.firstIndex(where: { $0.name == node }) else { continue }
                gateways[gateway].dialed.append(index)
            case .draining: break
            case .drained: gateways[gateway].isDrained = true
            }
        }
    }

    private mutating func written(_ packet: ClientPacket, to client: Int) {
        guard case .bytes(let packet) = packet else { return problems.append("\(packet) was never said") }
        clients[client].written(packet)
        if packet[0] == 1 { answerCount += 1 }
        guard !clients[client].isSlow else { return }
        take(client)
    }

    /// The system takes what waits for a client.
    mutating func take(_ client: Int) {
        let number = ClientNumber(clients[client].pid)
        gateways[clients[client].gateway].core.taken(clients[client].queuedByteCount, by: number)
        clients[client].queuedByteCount = 0
    }

    private mutating func tell(_ process: ErlangPID, _ term: GatewayTerm, _ gateway: Int, _ ending: Set<Int>) {
        let node = self.node(of: process)
        switch term {
        case .open, .resume: checkOffer(to: process, node, gateway)
        case .message, .close, .error, .drain: break
        }
        switch term {
        case .open(let client, let info):
            clients[index(of: client)].offered(to: process, isResume: false, info)
        case .resume(let client, let info):
            clients[index(of: client)].offered(to: process, isResume: true, info)
            resumeCount += 1
        case .message(let client, let message, let number):
            let isSlow = isSlow(node, gateway)
            clients[index(of: client)].handed(
                to: process, number: number, term: message.term, isNodeSlow: isSlow,
                isEnding: ending.contains(index(of: client)))
        case .close(let client, reason: _): clients[index(of: client)].closed(to: process)
        case .error:
            errorCount += 1
            refusalCount += 1
        case .drain: break
        }
        send(.tell(process, term), to: node, gateway)
    }

    /// Only members are asked, and no one for more clients than it has places.
    private mutating func checkOffer(to process: ErlangPID, _ node: Int, _ gateway: Int) {
        if !gateways[gateway].links[node].members.contains(process) { problems.append("\(process) is no member") }
        let openCount = clients.count { $0.gateway == gateway && !$0.hasEnded && $0.asked.contains(process) }
        if openCount >= SimulatedLimits.offerCount { problems.append("\(process) was asked for too many clients") }
    }

    // MARK: Names

    func index(of pid: ErlangPID) -> Int { Int(pid.id) - 1 }

    private func client(_ number: ClientNumber) -> Int { clients.firstIndex { $0.number == number } ?? 0 }

    func node(of process: ErlangPID) -> Int { processes[Int(process.id) - 1].node }

    /// Whether the gateway has been told that a node does not read, and not that it reads again.
    func isSlow(_ node: Int, _ gateway: Int) -> Bool { slowNodes.contains(node * 2 + gateway) }

    var slowNodes: Set<Int> = []

    // MARK: Clients

    mutating func connect(_ gateway: Int) {
        let pid = ErlangPID(
            node: gateways[gateway].name.atom, id: UInt32(clients.count) + 1, serial: 0, creation: 7)
        clients.append(ClientRecord(gateway: gateway, pid: pid, window: window))
        clients[clients.count - 1].isSlow = chance(0.15)
        change(gateway) { $0.open(pid, Self.info, at: $1) }
    }

    /// A client says something, if it is read.
    ///
    /// - Parameter count: How many messages arrive together. A gateway that stops reading gets the rest of them still.
    mutating func say(_ client: Int, count: Int = 1) {
        guard clients[client].isRead else { return }
        for _ in 0..<count { say(anyway: client) }
    }

    private mutating func say(anyway client: Int) {
        let record = clients[client]
        guard record.isOpen, record.said < 200 else { return }
        let byteCount = 1 + number(below: 30)
        clients[client].say(byteCount: byteCount)
        let term = [UInt8](repeating: clients[client].said, count: byteCount)
        change(record.gateway) { core, _ in
            core.clientDidSend([MessageTerm(term: term)], by: ClientNumber(record.pid))
        }
    }

    mutating func leave(_ client: Int) {
        guard clients[client].isOpen else { return }
        let reason = chance(0.5) ? ClientEnd.normal : .reset
        clients[client].isOpen = false
        let isUnread = reason == .reset && !clients[client].isRead
        clients[client].isUnread = isUnread
        if clients[client].isParked { parkedEndCount += 1 }
        let number = ClientNumber(clients[client].pid)
        change(clients[client].gateway) { $0.closed(number, reason, isUnread: isUnread, at: $1) }
        if !clients[client].hasEnded { problems.append("a client that has left has not ended") }
    }

    /// Another process ends a client.
    mutating func exit(_ client: Int) {
        guard !clients[client].hasEnded else { return }
        let (pid, isKill) = (clients[client].pid, chance(0.5))
        change(clients[client].gateway) { $0.exit(pid, "boom", isKill: isKill, at: $1) }
        if !clients[client].hasEnded { problems.append("a client that was ended has not ended") }
    }

    // MARK: What processes say

    /// A step arrives at a gateway.
    mutating func step(_ client: Int, _ actions: [ClientAction], from process: ErlangPID) {
        guard !clients[client].hasEnded else { return }
        if !clients[client].step(actions, from: process) { expectedErrorCount += 1 }
        let pid = clients[client].pid
        change(clients[client].gateway) { $0.receive(.step(actions), for: pid, from: process, at: $1) }
    }

    /// A number for all members of the group, in the order in which it was said.
    mutating func publish(_ number: UInt8, _ gateway: Int) {
        for index in clients.indices
        where clients[index].gateway == gateway && clients[index].isMember && !clients[index].hasEnded {
            clients[index].expected.append(SimulatedPacket.published(number))
        }
        change(gateway) {
            $0.receive(
                .publish(Self.group, .bytes(SimulatedPacket.published(number)), except: [], isDropped: false), at: $1)
        }
    }

    mutating func nextPublished() -> UInt8 {
        published &+= 1
        return published
    }

    /// Time passes, and the deadlines of the gateways with it.
    mutating func pass(_ time: Duration) {
        let end = now + time
        while let next = nextDeadline, next <= end {
            now = max(now, next)
            for gateway in gateways.indices {
                if let deadline = gateways[gateway].core.deadline, deadline <= now {
                    change(gateway) { $0.poll(at: $1) }
                }
            }
        }
        now = end
    }

    private var nextDeadline: Duration? {
        guard let first = gateways[0].core.deadline, let second = gateways[1].core.deadline
        else { return gateways[0].core.deadline ?? gateways[1].core.deadline }
        return min(first, second)
    }

    /// The clients of which something has reached nobody.
    var lossCount: Int { clients.count(where: \.isLost) }

    var allProblems: [String] { problems + clients.flatMap(\.problems) }
}
