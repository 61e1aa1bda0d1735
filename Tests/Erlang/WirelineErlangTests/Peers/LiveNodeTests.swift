// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Testing
import TestingSupport
import WirelineErlang

/// All state machines against a real epmd and a real node.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveNodeTests {
    private static let ourselves = ErlangPeer(name: Node.name("g@127.0.0.1"), creation: 0x0102_0304)
    private static let process = pid(1)

    private static func pid(_ id: UInt32) -> ErlangPID {
        ErlangPID(node: ourselves.name.atom, id: id, serial: 0, creation: ourselves.creation)
    }

    private static func reference(_ number: UInt32) -> ErlangReference {
        ErlangReference(node: ourselves.name.atom, creation: ourselves.creation, words: [number, 1, 2])!
    }

    private static func port(of program: ErlangProgram) throws -> UInt16 {
        guard case .port(let port, .visible) = try program.ask(.port(name: "a")).0 else { throw Unexpected() }
        return port
    }

    private static func connect(to program: ErlangProgram) throws -> ErlangConnection {
        try ErlangConnection(to: port(of: program), as: ourselves, cookie: ErlangProgram.cookie)
    }

    private struct Unexpected: Error {}

    @Test func `epmd registers us, keeps the name while the connection lasts, and tells who is there`() throws {
        let program = try ErlangProgram()
        #expect(try program.ask(.port(name: "nobody")).0 == .unknownName)
        let (answer, connection) = try program.ask(.register(name: "g", port: 4_711))
        guard case .registered(let creation) = answer else { throw Unexpected() }
        #expect(creation > 3)
        #expect(try program.ask(.register(name: "g", port: 4_712)).0 == .nameTaken)
        #expect(try program.ask(.port(name: "g")).0 == .port(4_711, .hidden))
        guard case .names(let names) = try program.ask(.names).0 else { throw Unexpected() }
        #expect(names.map(\.name).sorted() == ["a", "g"])
        connection.endOutput()
        connection.drain()
        #expect(try program.ask(.port(name: "g")).0 == .unknownName)
    }

    @Test func `terms of all sizes come back from a process there as they were sent`() throws {
        let program = try ErlangProgram()
        let connection = try Self.connect(to: program)
        #expect(connection.peer.name.description == ErlangProgram.name)
        // It lists us as soon as its own end of the handshake is over.
        while try program.ask("hidden") != "['g@127.0.0.1']" {}
        var terms = RandomTerms(.forThisRun())
        let comment = terms.random.seedComment
        var random = terms.random
        // What is longer than 64 KiB comes in fragments.
        let sizes = [65_000, 65_536, 200_000, 1_000_000]
        let sent = (0..<300).map { _ in terms.next() } + sizes.map { .binary(random.bytes($0)) }
        for term in sent {
            try connection.send(
                .sendNamed(.tuple(.pid(Self.process), term), from: Self.process, to: "echo"))
            let (control, answer) = try connection.next()
            guard case .send(_, to: Self.process) = control else { throw Unexpected() }
            try #require(answer == .tuple("echo", term), comment)
        }
    }

    @Test func `monitors, links and calls to a node are answered as OTP promises`() throws {
        let program = try ErlangProgram()
        let connection = try Self.connect(to: program)
        try connection.send(.monitor(from: Self.process, .name("nobody"), Self.reference(1)))
        let down = try connection.next()
        #expect(down == (.down(.name("nobody"), to: Self.process, Self.reference(1)), "noproc"))
        // `rpc` as nodes have always done it.
        let call: ErlangTerm = .tuple("call", "erlang", "whereis", ["echo"], "user")
        let request: ErlangTerm = .tuple(
            "$gen_call", .tuple(.pid(Self.process), .reference(Self.reference(2))), call)
        try connection.send(.sendNamed(request, from: Self.process, to: "rex"))
        guard case .tuple(let parts)? = try connection.next().1, parts.count == 2, case .pid(let echo) = parts[1],
            parts[0] == .reference(Self.reference(2))
        else { throw Unexpected() }
        let id = try #require(UnlinkID(7))
        try connection.send(
            .link(from: Self.process, to: echo), .unlink(id, from: Self.process, to: echo),
            .link(from: Self.process, to: echo), .monitor(from: Self.process, .process(echo), Self.reference(3)),
            .send("stop", from: Self.process, to: echo))
        #expect(try connection.next() == (.unlinkAcknowledgement(id, from: echo, to: Self.process), nil))
        let ends = try [connection.next(), connection.next()]
        #expect(ends.contains { $0 == (.exit(from: echo, to: Self.process), "stopped") })
        #expect(ends.contains { $0 == (.down(.process(echo), to: Self.process, Self.reference(3)), "stopped") })
    }

    @Test func `a wrong cookie is noticed on both sides`() throws {
        let program = try ErlangProgram()
        let port = try Self.port(of: program)
        #expect(throws: ErlangError.handshake(.cookieRefused)) {
            try ErlangConnection(to: port, as: Self.ourselves, cookie: "wrong")
        }
        let listener = try RawSocket.listen()
        let (_, registration) = try program.ask(.register(name: "g", port: listener.port()))
        try program.say("ping g@127.0.0.1")
        #expect(throws: ErlangError.handshake(.wrongCookie)) {
            try ErlangConnection(accepting: listener, as: Self.ourselves, cookie: "wrong")
        }
        #expect(try program.line() == "pang")
        withExtendedLifetime(registration) {}
    }

    @Test func `a node finds us with epmd, connects, pings, calls and is refused to start processes`() throws {
        let program = try ErlangProgram()
        let listener = try RawSocket.listen()
        let (_, registration) = try program.ask(.register(name: "g", port: listener.port()))
        try program.say("ping g@127.0.0.1")
        let connection = try ErlangConnection(accepting: listener, as: Self.ourselves, cookie: ErlangProgram.cookie)
        try Self.answerCall(connection, "yes") { $0 == .tuple("is_auth", .atom(ErlangAtom(ErlangProgram.name))) }
        #expect(try program.line() == "pong")
        try program.say("call g@127.0.0.1 server")
        try Self.answerCall(connection, .tuple("answer", 42)) { $0 == .tuple("question", [1, 2.5, .text("three")]) }
        #expect(try program.line() == "{answer,42}")
        // We declined spawn requests, so nothing reaches us.
        #expect(try program.ask("spawn g@127.0.0.1") == "{badrpc,notsup}")
        try program.say("call g@127.0.0.1 nobody")
        let monitor = try connection.next { if case .monitor(_, .name("nobody"), _) = $0 { true } else { false } }
        guard case .monitor(let from, _, let reference) = monitor.0 else { throw Unexpected() }
        try connection.send(.down(.name("nobody"), reason: "noproc", to: from, reference))
        #expect(try program.line() == "{exit,noproc}")
        withExtendedLifetime(registration) {}
    }

    /// Answers the next call with an alias, as callers ask for.
    private static func answerCall(
        _ connection: ErlangConnection, _ answer: ErlangTerm, _ isExpected: (ErlangTerm) -> Bool
    ) throws {
        while true {
            guard case .tuple(let parts)? = try connection.next().1, parts.count == 3, parts[0] == "$gen_call",
                case .tuple(let caller) = parts[1], case .pid(let process) = caller[0]
            else { continue }
            #expect(isExpected(parts[2]))
            if case .improperList(let list) = caller[1], case .reference(let alias) = list.tail {
                try connection.send(.sendAlias(.tuple(caller[1], answer), from: Self.process, alias: alias))
            } else {
                try connection.send(.send(.tuple(caller[1], answer), from: Self.process, to: process))
            }
            return
        }
    }

    @Test func `members of a group there and here know each other`() throws {
        let program = try ErlangProgram()
        let connection = try Self.connect(to: program)
        #expect(try program.ask("join") == "ok")
        var scope = ProcessGroups(process: Self.process)
        scope.connected(connection.peer.name)
        scope.addWantedGroup("group")
        scope.join("group", Self.pid(2))
        scope.join("group", Self.pid(3))
        var answerCount = 0
        try Self.exchange(&scope, connection, &answerCount) { scope, answerCount in
            scope.members(of: "group").count == 3 && answerCount == 1
        }
        // It knows ours now, or as soon as it has read what we sent.
        while try program.ask("members") != "3" {}
        scope.ended(Self.pid(2))
        try Self.exchange(&scope, connection, &answerCount) { _, _ in true }
        while try program.ask("members") != "2" {}
        #expect(try program.ask("leave") == "ok")
        try Self.exchange(&scope, connection, &answerCount) { scope, _ in
            scope.members(of: "group") == [Self.pid(3)]
        }
    }

    /// Carries out what the groups want and gives them what comes, until a condition holds.
    private static func exchange(
        _ scope: inout ProcessGroups, _ connection: ErlangConnection, _ answerCount: inout Int,
        until isDone: (ProcessGroups, Int) throws -> Bool
    ) throws {
        var number: UInt32 = 10
        while true {
            for action in scope.takeActions() {
                switch action {
                case .send(let term, let to):
                    if case .tuple(let parts) = term, parts.first == "$gen_cast" { answerCount += 1 }
                    try connection.send(.send(term, from: process, to: to))
                case .sendNamed(let term, let name, _): try connection.send(.sendNamed(term, from: process, to: name))
                case .monitor(let name, _):
                    number += 1
                    try connection.send(.monitor(from: process, .name(name), reference(number)))
                case .joined, .left: break
                }
            }
            if try isDone(scope, answerCount) { return }
            guard case (.send, let term?) = try connection.next() else { continue }
            let content = try term.content()
            try scope.receive(content.span.bytes, from: connection.peer.name)
        }
    }
}
