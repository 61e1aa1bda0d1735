// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Foundation
import Testing
import TestingSupport
import WirelineErlang

/// How nodes of ours and real Erlang nodes meet, refuse and lose each other.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveNodeLossTests {
    private typealias Live = LiveErlangNodeTests

    private static func next(_ mailbox: ErlangMailbox, _ isWanted: (ErlangEvent) -> Bool) async throws {
        while let event = try await mailbox.next() { if isWanted(event) { return } }
        throw Live.Unexpected()
    }

    @Test func `a node that is killed takes its processes with it, and its next life is another one`() async throws {
        let epmd = try EPMDTool()
        var program: ErlangProgram? = try ErlangProgram(epmd: epmd)
        let node = try await Live.start(epmd)
        let mailbox = try node.mailbox(trapsExits: true)
        try mailbox.watchNodes()
        guard
            case .pid(let old) = try await node.rpc(Live.erlang, "erlang", "whereis", ["echo"], timeout: Live.patience)
        else {
            throw Live.Unexpected()
        }
        #expect(try await mailbox.next() == .nodeUp(Live.erlang))
        let monitor = try mailbox.monitor(.pid(old))
        try mailbox.link(to: old)
        let call = Task { try await node.call(.name("main", at: Live.erlang), "slow", timeout: .seconds(100)) }
        #expect(try program?.evaluate("receive {'$gen_call', _, slow} -> ok end") == "ok")
        program?.signal(SIGKILL)
        program = nil
        await #expect(throws: ErlangNodeError.down(reason: "noconnection")) { try await call.value }
        let events = try await [mailbox.next(), mailbox.next(), mailbox.next()]
        #expect(events.contains(.exit(old, reason: "noconnection")))
        #expect(events.contains(.down(monitor, reason: "noconnection")))
        #expect(events.last == .nodeDown(Live.erlang))
        #expect(node.nodes == [])

        program = try ErlangProgram(epmd: epmd)
        try mailbox.send(.tuple(.pid(mailbox.pid), "lost"), to: .pid(old))
        let late = try mailbox.monitor(.pid(old))
        try mailbox.link(to: old)
        try mailbox.send(.tuple(.pid(mailbox.pid), "found"), to: Live.echo)
        var rest = [ErlangEvent]()
        while rest.count < 4, let event = try await mailbox.next() { rest.append(event) }
        #expect(rest.contains(.down(late, reason: "noproc")))
        #expect(rest.contains(.exit(old, reason: "noproc")))
        #expect(rest.contains(.nodeUp(Live.erlang)))
        #expect(
            rest.contains { if case .message(.tuple(["echo", "found"]), from: _) = $0 { true } else { false } })
        await node.stop()
        withExtendedLifetime(program) {}
    }

    @Test func `Erlang notices that we stop`() async throws {
        let program = try ErlangProgram()
        let node = try await Live.start(program.epmd)
        let mailbox = try node.mailbox(named: "box")
        #expect(try program.evaluate("monitor_node('g@127.0.0.1', true)") == "true")
        #expect(try program.evaluate("R = monitor(process, {box, 'g@127.0.0.1'}), ok") == "ok")
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pong")
        await node.stop()
        #expect(try program.evaluate("receive {nodedown, N} -> N end") == "'g@127.0.0.1'")
        // Its mailboxes ended before the connection did, or with it.
        let reason = try program.evaluate("receive {'DOWN', R, process, _, E} -> E end")
        #expect(reason == "noconnection")
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pang")
        #expect(throws: ErlangNodeError.stopped) { try node.send(1, to: Live.echo) }
        withExtendedLifetime(mailbox) {}
    }

    @Test func `a node that freezes is given up after the tick time`() async throws {
        let program = try ErlangProgram(tickSeconds: 4)
        var configuration = Live.configuration(program.epmd)
        // As long as Erlang's: it ticks each second.
        configuration.tickTime = .seconds(4)
        let node = try await ErlangNode.start(
            "g@127.0.0.1", cookie: .text(ErlangProgram.cookie), configuration: configuration)
        let mailbox = try node.mailbox()
        try mailbox.watchNodes()
        try await node.connect(to: Live.erlang)
        #expect(try await mailbox.next() == .nodeUp(Live.erlang))
        program.signal(SIGSTOP)
        try await Self.next(mailbox) { $0 == .nodeDown(Live.erlang) }
        program.signal(SIGCONT)
        #expect(try await node.call(Live.server, 1, timeout: Live.patience) == .tuple("answer", 1))
        await node.stop()
    }

    @Test func `nodes that connect to each other at once keep one connection`() async throws {
        let program = try ErlangProgram()
        // One name is smaller than the other node's, one is greater.
        for name in ["A@127.0.0.1", "z@127.0.0.1"] {
            let node = try await Live.start(program.epmd, name)
            let mailbox = try node.mailbox(named: "box")
            for round in 0..<50 {
                try program.say("eval {box, '\(name)'} ! \(round), net_kernel:connect_node('\(name)')")
                try mailbox.send(.tuple(.pid(mailbox.pid), .integer(Int64(round))), to: Live.echo)
                var wanted: Set<ErlangTerm> = [.integer(Int64(round)), .tuple("echo", .integer(Int64(round)))]
                while !wanted.isEmpty {
                    guard case .message(let term, from: _) = try await mailbox.next() else {
                        throw Live.Unexpected()
                    }
                    wanted.remove(term)
                }
                #expect(try program.line() == "true")
                #expect(try program.evaluate("[N || N <- nodes(hidden), N =:= '\(name)']") == "['\(name)']")
                node.disconnect(from: Live.erlang)
                // It has noticed when it no longer lists us.
                while try program.evaluate("lists:member('\(name)', nodes(hidden))") == "true" {}
            }
            await node.stop()
        }
    }

    @Test func `a wrong cookie is said to be one, in both directions`() async throws {
        let program = try ErlangProgram()
        let notes = Lock<[ErlangNodeNote]>([])
        var configuration = Live.configuration(program.epmd)
        configuration.noteHandler = { note in notes.withLock { $0.append(note) } }
        let node = try await ErlangNode.start("g@127.0.0.1", cookie: .text("wrong"), configuration: configuration)
        await #expect(throws: ErlangNodeError.erlang(.handshake(.cookieRefused))) {
            try await node.connect(to: Live.erlang)
        }
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pang")
        guard case .refused(Live.erlang, let address, .handshake(.wrongCookie))? = notes.withLock({ $0.first }) else {
            Issue.record("\(notes.withLock { $0 })")
            return
        }
        #expect(address.hasPrefix("127.0.0.1:"))
        await node.stop()
    }

    @Test func `a name can be used once, and is registered again when epmd comes back`() async throws {
        let epmd = try EPMDTool()
        let program = try ErlangProgram(epmd: epmd)
        let (notes, continuation) = AsyncStream.makeStream(of: ErlangNodeNote.self)
        var configuration = Live.configuration(epmd)
        configuration.noteHandler = { continuation.yield($0) }
        let node = try await ErlangNode.start(
            "g@127.0.0.1", cookie: .text(ErlangProgram.cookie), configuration: configuration)
        await #expect(throws: ErlangNodeError.nodeNameTaken("g")) { try await Live.start(epmd) }
        var iterator = notes.makeAsyncIterator()
        epmd.stop()
        #expect(await iterator.next() == .epmdLost)
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pang")
        try epmd.restart()
        #expect(await iterator.next() == .epmdFound)
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pong")
        await node.stop()
    }

    @Test func `a name that another node has taken while epmd was away is said to be taken, once`() async throws {
        let epmd = try EPMDTool()
        let (notes, continuation) = AsyncStream.makeStream(of: ErlangNodeNote.self)
        var configuration = Live.configuration(epmd)
        configuration.noteHandler = { continuation.yield($0) }
        let node = try await ErlangNode.start("g@127.0.0.1", cookie: .text("x"), configuration: configuration)
        var iterator = notes.makeAsyncIterator()
        epmd.stop()
        #expect(await iterator.next() == .epmdLost)
        try epmd.restart()
        // It may register before us, or after we have: then we take the name first, and epmd is lost once more.
        var other: ErlangNode?
        while other == nil {
            do { other = try await Live.start(epmd) } catch ErlangNodeError.nodeNameTaken {
                #expect(await iterator.next() == .epmdFound)
                epmd.stop()
                #expect(await iterator.next() == .epmdLost)
                try epmd.restart()
            }
        }
        #expect(await iterator.next() == .epmdNameTaken("g"))
        await other?.stop()
        #expect(await iterator.next() == .epmdFound)
        await node.stop()
    }

    @Test func `nodes that are not there are reported`() async throws {
        let epmd = try EPMDTool()
        let node = try await Live.start(epmd)
        await #expect(throws: ErlangNodeError.unreachable("nobody@127.0.0.1")) {
            try await node.connect(to: "nobody@127.0.0.1")
        }
        let mailbox = try node.mailbox()
        let monitor = try mailbox.monitor(.name("box", at: "nobody@127.0.0.1"))
        #expect(try await mailbox.next() == .down(monitor, reason: "noconnection"))
        epmd.stop()
        await #expect(throws: ErlangNodeError.epmd(host: "127.0.0.1", port: epmd.port, .refused)) {
            try await Live.start(epmd, "other@127.0.0.1")
        }
        await node.stop()
    }
}
