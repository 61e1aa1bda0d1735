// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang

/// What our scope process says to OTP's and hears from it.
struct ProcessGroupTests {
    private static let ours = ErlangPID(node: Node.ours.name.atom, id: 1, serial: 0, creation: 1)
    private static let member = ErlangPID(node: Node.ours.name.atom, id: 2, serial: 0, creation: 1)
    private static let node = Node.theirs.name
    private static let theirs = ErlangPID(node: node.atom, id: 100, serial: 0, creation: 5)
    private static let other = ErlangPID(node: node.atom, id: 101, serial: 0, creation: 5)

    private static func parsed(_ text: String) throws -> ErlangTerm {
        let names = [
            "S": "#Pid<'a@127.0.0.1'.100.0.5>", "P": "#Pid<'a@127.0.0.1'.101.0.5>", "O": "#Pid<'g@127.0.0.1'.1.0.1>",
            "M": "#Pid<'g@127.0.0.1'.2.0.1>",
        ]
        return try ErlangTerm(parsing: text.replacing(/\b[SPOM]\b/) { names[String($0.output), default: ""] })
    }

    private static func synchronized(with groups: String = "[]") throws -> ProcessGroups {
        var scope = ProcessGroups(process: ours)
        scope.connected(node)
        try scope.receive(parsed("{'$gen_cast',{sync,S,\(groups)}}"), from: node)
        _ = scope.takeActions()
        return scope
    }

    @Test func `we begin with each node, answer its discover, and learn its groups`() throws {
        var scope = ProcessGroups(process: Self.ours)
        scope.join("scene", Self.member)
        #expect(scope.takeActions() == [])
        scope.connected(Self.node)
        #expect(
            scope.takeActions() == [
                .monitor("pg", at: Self.node), .sendNamed(try Self.parsed("{discover,O}"), to: "pg", at: Self.node),
            ])
        try scope.receive(Self.parsed("{'$gen_cast',{sync,S,[{scene,[P,P]},{empty,[]}]}}"), from: Self.node)
        #expect(scope.takeActions() == [.joined("scene", [Self.other, Self.other])])
        try scope.receive(Self.parsed("{discover,S}"), from: Self.node)
        #expect(
            scope.takeActions() == [.send(try Self.parsed("{'$gen_cast',{sync,O,[{scene,[M]}]}}"), to: Self.theirs)])
        #expect(scope.members(of: "scene") == [Self.member, Self.other, Self.other])
    }

    @Test func `changes are told, and heard`() throws {
        var scope = try Self.synchronized()
        scope.join("scene", Self.member)
        scope.join("scene", Self.member)
        #expect(scope.leave("scene", Self.member) == true)
        #expect(scope.leave("other", Self.member) == false)
        scope.join("b", Self.member)
        scope.ended(Self.member)
        scope.ended(Self.member)
        let told = [
            "{join,O,scene,[M]}", "{join,O,scene,[M]}", "{leave,O,[M],[scene]}", "{join,O,b,[M]}",
            "{leave,O,[M],[b,scene]}",
        ]
        #expect(scope.takeActions() == (try told.map { .send(try Self.parsed($0), to: Self.theirs) }))
        try scope.receive(Self.parsed("{join,S,{room,7},P}"), from: Self.node)
        try scope.receive(Self.parsed("{join,S,{room,7},[P,S]}"), from: Self.node)
        try scope.receive(Self.parsed("{leave,S,[P],[{room,7},nothing]}"), from: Self.node)
        let room: ErlangTerm = .tuple("room", 7)
        #expect(
            scope.takeActions() == [
                .joined(room, [Self.other]), .joined(room, [Self.other, Self.theirs]), .left(room, [Self.other]),
            ])
        #expect(scope.members(of: room) == [Self.other, Self.theirs])
    }

    @Test func `a second sync replaces the first`() throws {
        var scope = try Self.synchronized(with: "[{a,[P,S]},{b,[P]}]")
        try scope.receive(Self.parsed("{'$gen_cast',{sync,S,[{a,[S,S]},{c,[P]}]}}"), from: Self.node)
        #expect(
            scope.takeActions() == [
                .left("a", [Self.other]), .joined("a", [Self.theirs]), .left("b", [Self.other]),
                .joined("c", [Self.other]),
            ])
    }

    @Test func `when its scope process ends its members are gone, and we begin again`() throws {
        var scope = try Self.synchronized(with: "[{a,[P]}]")
        scope.scopeEnded(at: Self.node, now: .seconds(10))
        #expect(scope.takeActions() == [.left("a", [Self.other])])
        scope.join("b", Self.member)
        #expect(scope.takeActions() == [])
        #expect(scope.deadline == .seconds(11))
        scope.poll(at: .milliseconds(10_999))
        #expect(scope.takeActions() == [])
        scope.poll(at: .seconds(11))
        #expect(scope.takeActions().count == 2)
        #expect(scope.deadline == nil)
    }

    @Test func `when a node is gone its members are, and it is not asked again`() throws {
        var scope = try Self.synchronized(with: "[{a,[P]}]")
        scope.disconnected(Self.node)
        #expect(scope.takeActions() == [.left("a", [Self.other])])
        scope.scopeEnded(at: Self.node, now: .zero)
        try scope.receive(Self.parsed("{discover,S}"), from: Self.node)
        #expect(scope.takeActions() == [] && scope.deadline == nil)
    }

    @Test func `what another scope process says, or says before sync, changes nothing`() throws {
        var scope = ProcessGroups(process: Self.ours)
        scope.connected(Self.node)
        _ = scope.takeActions()
        try scope.receive(Self.parsed("{join,S,a,[P]}"), from: Self.node)
        try scope.receive(Self.parsed("{'$gen_cast',{sync,S,[]}}"), from: Self.node)
        try scope.receive(Self.parsed("{join,P,a,[P]}"), from: Self.node)
        #expect(scope.takeActions() == [] && scope.members(of: "a") == [])
    }

    static let foreign = [
        "ok", "{}", "{discover}", "{discover,a}", "{discover,O}", "{join,S,a}", "{join,S,a,[b]}", "{join,S,a,[M]}",
        "{leave,S,[P],a}",
        "{'$gen_cast',{sync,S,[{a}]}}", "{'$gen_cast',{sync,S,[{a,b}]}}", "{'$gen_cast',{sync,O,[]}}",
        "{'$gen_cast',{other,S,[]}}",
        "{'$gen_cast',{sync,S,[{a,[M]}]}}", "[]", "{1,S}",
    ]

    @Test(arguments: foreign)
    func `what pg does not say, or says of another node's processes, is refused`(text: String) throws {
        var scope = try Self.synchronized(with: "[{a,[P]}]")
        let term = try Self.parsed(text)
        #expect(throws: ErlangError.distribution(.processGroup)) { try scope.receive(term, from: Self.node) }
        #expect(scope.takeActions() == [] && scope.members(of: "a") == [Self.other])
    }

    @Test func `two nodes agree in the end, whatever joins, leaves, ends and reconnects`() throws {
        var random = SeededGenerator.forThisRun()
        let comment = random.seedComment
        for _ in 0..<2_000 {
            var network = GroupNetwork()
            for _ in 0..<Int.random(in: 0...40, using: &random) { network.step(using: &random) }
            network.settle()
            try #require(network.areAgreed, comment)
        }
    }
}

/// Two nodes with a scope process each, and what is on its way between them.
private struct GroupNetwork {
    private static let names = [Node.ours.name, Node.theirs.name]
    private static let groups: [ErlangTerm] = ["a", "b", .tuple("room", 7)]

    private var scopes: [ProcessGroups]
    /// The terms on their way to each node.
    private var queues: [[ErlangTerm]] = [[], []]
    private var isConnected = false
    private var now = Duration.zero
    private var restartCount: UInt32 = 0
    /// What each node believes of the other one's members, by the changes that it was told.
    private var told: [[ErlangTerm: [ErlangPID]]] = [[:], [:]]

    init() { scopes = Self.names.map { ProcessGroups(process: Self.pid(0, of: $0)) } }

    private static func pid(_ id: UInt32, of node: ErlangNodeName) -> ErlangPID {
        ErlangPID(node: node.atom, id: id, serial: 0, creation: 1)
    }

    mutating func step(using random: inout SeededGenerator) {
        let place = Int.random(in: 0...1, using: &random)
        let member = Self.pid(UInt32.random(in: 1...3, using: &random), of: Self.names[place])
        let group = Self.groups.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<12, using: &random) {
        case 0: connect(!isConnected)
        case 1, 2, 3: scopes[place].join(group, member)
        case 4, 5: _ = scopes[place].leave(group, member)
        case 6: scopes[place].ended(member)
        case 7: restart(1 - place)
        case 8:
            now += .seconds(2)
            scopes[place].poll(at: now)
        default: deliver(to: place)
        }
        carryOut()
    }

    mutating func settle() {
        connect(true)
        now += .seconds(5)
        for place in 0...1 { scopes[place].poll(at: now) }
        carryOut()
        while !queues[0].isEmpty || !queues[1].isEmpty {
            for place in 0...1 { deliver(to: place) }
            carryOut()
        }
    }

    var areAgreed: Bool {
        Self.groups.allSatisfy { group in
            let views = scopes.map {
                $0.members(of: group).sorted(by: Self.isBefore)
            }
            let isTold = (0...1).allSatisfy { place in
                let theirs = scopes[place].members(of: group).filter { $0.node == Self.names[1 - place].atom }
                return theirs.sorted(by: Self.isBefore) == told[place][group, default: []].sorted(by: Self.isBefore)
            }
            return views[0] == views[1] && isTold
        }
    }

    private static func isBefore(_ left: ErlangPID, _ right: ErlangPID) -> Bool {
        ErlangTerm.pid(left) < .pid(right)
    }

    private mutating func connect(_ isWanted: Bool) {
        guard isWanted != isConnected else { return }
        isConnected = isWanted
        queues = [[], []]
        for place in 0...1 {
            if isWanted {
                scopes[place].connected(Self.names[1 - place])
            } else {
                scopes[place].disconnected(Self.names[1 - place])
            }
        }
    }

    /// A scope process ends, and a new one begins without members. The other node hears all that the old one said first.
    private mutating func restart(_ place: Int) {
        while !queues[1 - place].isEmpty { deliver(to: 1 - place) }
        carryOut()
        queues[place] = []
        restartCount += 1
        scopes[place] = ProcessGroups(process: Self.pid(100 + restartCount, of: Self.names[place]))
        told[place] = [:]
        guard isConnected else { return }
        scopes[1 - place].scopeEnded(at: Self.names[place], now: now)
        scopes[place].connected(Self.names[1 - place])
    }

    private mutating func deliver(to place: Int) {
        guard !queues[place].isEmpty else { return }
        let term = queues[place].removeFirst()
        do throws(ErlangError) {
            try scopes[place].receive(term, from: Self.names[1 - place])
        } catch {
            Issue.record("\(term): \(error)")
        }
    }

    private mutating func carryOut() {
        for place in 0...1 {
            for action in scopes[place].takeActions() {
                switch action {
                case .send(let term, _), .sendNamed(let term, _, _): if isConnected { queues[1 - place].append(term) }
                case .monitor: break
                case .joined(let group, let members): told[place][group, default: []] += members
                case .left(let group, let members):
                    for member in members {
                        guard let index = told[place][group]?.firstIndex(of: member) else {
                            Issue.record("\(member) left without having joined")
                            continue
                        }
                        told[place][group]?.remove(at: index)
                    }
                }
            }
        }
    }
}
