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

    private static func content(_ text: String) throws -> [UInt8] { try parsed(text).content() }

    private static func wanting(_ groups: [ErlangTerm]) -> ProcessGroups {
        var scope = ProcessGroups(process: ours)
        for group in groups { scope.addWantedGroup(group) }
        return scope
    }

    private static func synchronized(with groups: String = "[]") throws -> ProcessGroups {
        var scope = wanting(["scene", "a", "b", "c", .tuple("room", 7)])
        scope.connected(node)
        try scope.receive(content("{'$gen_cast',{sync,S,\(groups)}}"), from: node)
        _ = scope.takeActions()
        return scope
    }

    @Test func `we begin with each node, answer its discover, and learn its groups`() throws {
        var scope = Self.wanting(["scene", "empty"])
        scope.join("scene", Self.member)
        #expect(scope.takeActions() == [])
        scope.connected(Self.node)
        #expect(
            scope.takeActions() == [
                .monitor("pg", at: Self.node), .sendNamed(try Self.parsed("{discover,O}"), to: "pg", at: Self.node),
            ])
        try scope.receive(Self.content("{'$gen_cast',{sync,S,[{scene,[P,P]},{empty,[]}]}}"), from: Self.node)
        #expect(scope.takeActions() == [.joined("scene", [Self.other, Self.other])])
        try scope.receive(Self.content("{discover,S}"), from: Self.node)
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
        try scope.receive(Self.content("{join,S,{room,7},P}"), from: Self.node)
        try scope.receive(Self.content("{join,S,{room,7},[P,S]}"), from: Self.node)
        try scope.receive(Self.content("{leave,S,[P],[{room,7},nothing]}"), from: Self.node)
        let room: ErlangTerm = .tuple("room", 7)
        #expect(
            scope.takeActions() == [
                .joined(room, [Self.other]), .joined(room, [Self.other, Self.theirs]), .left(room, [Self.other]),
            ])
        #expect(scope.members(of: room) == [Self.other, Self.theirs])
    }

    @Test func `a second sync replaces the first`() throws {
        var scope = try Self.synchronized(with: "[{a,[P,S]},{b,[P]}]")
        try scope.receive(Self.content("{'$gen_cast',{sync,S,[{a,[S,S]},{c,[P]}]}}"), from: Self.node)
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
        try scope.receive(Self.content("{discover,S}"), from: Self.node)
        #expect(scope.takeActions() == [] && scope.deadline == nil)
    }

    @Test func `what another scope process says, or says before sync, changes nothing`() throws {
        var scope = Self.wanting(["a"])
        scope.connected(Self.node)
        _ = scope.takeActions()
        try scope.receive(Self.content("{join,S,a,[P]}"), from: Self.node)
        try scope.receive(Self.content("{'$gen_cast',{sync,S,[]}}"), from: Self.node)
        try scope.receive(Self.content("{join,P,a,[P]}"), from: Self.node)
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
        let content = try Self.content(text)
        #expect(throws: ErlangError.distribution(.processGroup)) { try scope.receive(content, from: Self.node) }
        #expect(scope.takeActions() == [] && scope.members(of: "a") == [Self.other])
    }

    // MARK: Wanted groups

    @Test func `only wanted groups are kept, and the scope is asked again when another one is wanted`() throws {
        var scope = try Self.synchronized(with: "[{other,[P]},{a,[P]}]")
        #expect(scope.members(of: "other") == [] && scope.isSettled)
        scope.addWantedGroup("a")
        #expect(scope.takeActions() == [])
        scope.addWantedGroup("other")
        scope.addWantedGroup([1, 2])
        #expect(scope.takeActions() == [.send(try Self.parsed("{discover,O}"), to: Self.theirs)])
        #expect(!scope.isSettled)
        try scope.receive(Self.content("{join,S,other,S}"), from: Self.node)
        try scope.receive(Self.content("{leave,S,[P],[other,a]}"), from: Self.node)
        try scope.receive(Self.content("{'$gen_cast',{sync,S,[{other,[S]},{[1,2],[P]}]}}"), from: Self.node)
        #expect(
            scope.takeActions() == [
                .joined("other", [Self.theirs]), .left("a", [Self.other]), .joined([1, 2], [Self.other]),
            ])
        #expect(scope.isSettled && scope.members(of: "other") == [Self.theirs])
    }

    static let names: [ErlangTerm] = [
        "Ö", -7, .text("room"), [1, 2], .tuple("room", 7), .tuple([]), .tuple(.tuple("a"), 1), .float(-0.0),
        .map([1: 2]), .tuple("room", .text("x"), [300], 7),
    ]

    @Test(arguments: names)
    func `any term can be a group, in each of its forms`(group: ErlangTerm) throws {
        var scope = Self.wanting([group])
        scope.connected(Self.node)
        let message = ProcessGroupMessage.sync(from: Self.theirs, [group: [Self.other], "b": [Self.other]])
        try scope.receive(message.term.content(), from: Self.node)
        #expect(scope.members(of: group) == [Self.other] && scope.members(of: "b") == [])
    }

    @Test func `a group is the same in a form that we do not write`() throws {
        var scope = Self.wanting([[1, 2]])
        scope.connected(Self.node)
        let content = try Self.content("{'$gen_cast',{sync,S,[{[1,2],[P]}]}}")
        let list = content.replacing([107, 0, 2, 1, 2], with: [108, 0, 0, 0, 2, 97, 1, 97, 2, 106])
        try scope.receive(list, from: Self.node)
        #expect(list.count == content.count + 5 && scope.members(of: [1, 2]) == [Self.other])
    }

    @Test func `a sync that is cut off anywhere is refused, and changes nothing`() throws {
        let content = try Self.content("{'$gen_cast',{sync,S,[{a,[P,S]},{other,[S]},{{room,7},[P]}]}}")
        for count in content.indices {
            var scope = Self.wanting(["a", .tuple("room", 7)])
            scope.connected(Self.node)
            _ = scope.takeActions()
            #expect(throws: ErlangError.distribution(.processGroup)) {
                try scope.receive(Array(content[..<count]), from: Self.node)
            }
            #expect(scope.takeActions() == [])
        }
    }

    @Test(.amongAll)
    func `what one change costs does not depend on how many groups and members there are`() throws {
        let count: UInt32 = 20_000
        let pids = (0..<count).map { ErlangPID(node: Self.node.atom, id: $0, serial: 0, creation: 5) }
        var scope = try Self.synchronized()
        try scope.receive(ProcessGroupMessage.join(from: Self.theirs, "a", pids).term.content(), from: Self.node)
        for pid in pids {
            let leave = ProcessGroupMessage.leave(from: Self.theirs, [pid], ["a"])
            try scope.receive(leave.term.content(), from: Self.node)
        }
        #expect(scope.members(of: "a") == [])
        let ours = (0..<count).map { ErlangPID(node: Node.ours.name.atom, id: $0, serial: 0, creation: 1) }
        for (number, pid) in ours.enumerated() { scope.join(.tuple("room", .integer(Int64(number))), pid) }
        for pid in ours { #expect(scope.ended(pid).count == 1) }
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

    init() { scopes = Self.names.map { Self.scope(Self.pid(0, of: $0)) } }

    private static func scope(_ process: ErlangPID) -> ProcessGroups {
        var scope = ProcessGroups(process: process)
        for group in groups.prefix(2) { scope.addWantedGroup(group) }
        return scope
    }

    private static func pid(_ id: UInt32, of node: ErlangNodeName) -> ErlangPID {
        ErlangPID(node: node.atom, id: id, serial: 0, creation: 1)
    }

    mutating func step(using random: inout SeededGenerator) {
        let place = Int.random(in: 0...1, using: &random)
        let member = Self.pid(UInt32.random(in: 1...3, using: &random), of: Self.names[place])
        let group = Self.groups.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<13, using: &random) {
        case 0: connect(!isConnected)
        case 1, 2, 3: scopes[place].join(group, member)
        case 4, 5: _ = scopes[place].leave(group, member)
        case 6: scopes[place].ended(member)
        case 7: restart(1 - place)
        case 8:
            now += .seconds(2)
            scopes[place].poll(at: now)
        case 9: scopes[place].addWantedGroup(Self.groups[2])
        default: deliver(to: place)
        }
        carryOut()
    }

    mutating func settle() {
        connect(true)
        now += .seconds(5)
        for place in 0...1 { scopes[place].addWantedGroup(Self.groups[2]) }
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
        scopes[place] = Self.scope(Self.pid(100 + restartCount, of: Self.names[place]))
        told[place] = [:]
        guard isConnected else { return }
        scopes[1 - place].scopeEnded(at: Self.names[place], now: now)
        scopes[place].connected(Self.names[1 - place])
    }

    private mutating func deliver(to place: Int) {
        guard !queues[place].isEmpty else { return }
        let term = queues[place].removeFirst()
        do throws(ErlangError) {
            try scopes[place].receive(try term.content(), from: Self.names[1 - place])
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

extension ProcessGroups {
    fileprivate mutating func receive(_ content: [UInt8], from node: ErlangNodeName) throws(ErlangError) {
        try receive(content.span.bytes, from: node)
    }
}
