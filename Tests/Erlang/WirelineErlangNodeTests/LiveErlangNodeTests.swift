// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Foundation
import Testing
import TestingSupport
import WirelineErlang

/// A node of ours and a real Erlang node, as their programmers use them.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveErlangNodeTests {
    /// How long calls may take that are answered: other tests keep the machine busy.
    static let patience = Duration.seconds(200)

    static let erlang = ErlangNodeName(stringLiteral: ErlangProgram.name)
    static let echo = ErlangDestination.name("echo", at: erlang)
    static let server = ErlangDestination.name("server", at: erlang)

    static func configuration(_ epmd: EPMDTool) -> ErlangNodeConfiguration {
        var configuration = ErlangNodeConfiguration()
        configuration.portMapper = .epmd(host: "127.0.0.1", port: epmd.port)
        return configuration
    }

    static func start(
        _ epmd: EPMDTool, _ name: String = "g@127.0.0.1", cookie: String = ErlangProgram.cookie
    ) async throws -> ErlangNode {
        try await ErlangNode.start(name, cookie: .text(cookie), configuration: configuration(epmd))
    }

    // MARK: Messages

    @Test func `Erlang pings us, sees us as hidden, and messages pass in both directions`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let mailbox = try node.mailbox(named: "box")
        #expect(try program.evaluate("net_adm:ping('g@127.0.0.1')") == "pong")
        #expect(try program.evaluate("nodes(hidden)") == "['g@127.0.0.1']")
        #expect(node.nodes == [Self.erlang])
        #expect(try program.evaluate("{box, 'g@127.0.0.1'} ! {hello, self()}, 1") == "1")
        guard case .message(.tuple(let parts), from: let sender) = try await mailbox.next() else {
            throw Unexpected()
        }
        #expect(parts == ["hello", .pid(try #require(sender))])
        try mailbox.send(.tuple("back", .pid(mailbox.pid)), to: .pid(try #require(sender)))
        #expect(try program.evaluate("receive {back, P} -> P ! [pid, node(P)] end, ok") == "ok")
        #expect(try await mailbox.next() == .message(["pid", "g@127.0.0.1"], from: sender))
        for number in 0..<1_000 {
            try mailbox.send(.tuple(.pid(mailbox.pid), .integer(Int64(number))), to: Self.echo)
        }
        for number in 0..<1_000 {
            guard case .message(let term, _) = try await mailbox.next() else { throw Unexpected() }
            try #require(term == .tuple("echo", .integer(Int64(number))))
        }
        await node.stop()
        #expect(try await mailbox.next() == nil)
    }

    @Test func `a message for a node that is not connected waits for the connection`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let mailbox = try node.mailbox()
        #expect(node.nodes == [])
        try mailbox.send(.tuple(.pid(mailbox.pid), "first"), to: Self.echo)
        guard case .message(.tuple(["echo", "first"]), _) = try await mailbox.next() else { throw Unexpected() }
        #expect(node.nodes == [Self.erlang])
        await node.stop()
    }

    // MARK: Calls

    @Test func `calls are answered in both directions`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        #expect(try await node.call(Self.server, ["get", 7], timeout: Self.patience) == .tuple("answer", ["get", 7]))
        #expect(try await node.rpc(Self.erlang, "lists", "sum", [[1, 2, 3]], timeout: Self.patience) == 6)
        await #expect(throws: ErlangNodeError.down(reason: "noproc")) {
            try await node.call(.name("nobody", at: Self.erlang), "hello", timeout: Self.patience)
        }
        let error = await #expect(throws: ErlangNodeError.self) {
            try await node.rpc(Self.erlang, "erlang", "error", ["boom"], timeout: Self.patience)
        }
        guard case .badRPC(reason: .tuple(let parts)) = error else { throw Unexpected() }
        #expect(parts.first == "EXIT")

        let mailbox = try node.mailbox(named: "box")
        try program.say("eval gen_server:call({box, 'g@127.0.0.1'}, {question, 1.5}, infinity)")
        guard case .call(let call) = try await mailbox.next() else { throw Unexpected() }
        #expect(call.request == .tuple("question", 1.5))
        try mailbox.reply(["the", "answer"], to: call)
        #expect(try program.line() == "[the,answer]")
        #expect(try program.evaluate("gen_server:cast({box, 'g@127.0.0.1'}, hi)") == "ok")
        #expect(try await mailbox.next() == .cast("hi"))
        let unknown = try program.evaluate("gen_server:call({net_kernel, 'g@127.0.0.1'}, what, infinity)")
        #expect(unknown == "{error,unknown_request}")
        let nobody = try program.evaluate("catch gen_server:call({nobody, 'g@127.0.0.1'}, what, infinity)")
        #expect(nobody.hasPrefix("{'EXIT',{noproc,"))
        #expect(try program.evaluate("rpc:call('g@127.0.0.1', erlang, node, [])") == "{badrpc,notsup}")
        await node.stop()
    }

    @Test func `a call that nobody answers ends in time, and its late reply is dropped`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        await #expect(throws: ErlangNodeError.timedOut) {
            try await node.call(.name("main", at: Self.erlang), "slow", timeout: .milliseconds(200))
        }
        let late = "receive {'$gen_call', From, slow} -> gen_server:reply(From, late) end"
        #expect(try program.evaluate(late) == "ok")
        #expect(try await node.call(Self.server, 1, timeout: Self.patience) == .tuple("answer", 1))
        await node.stop()
    }

    // MARK: Monitors and links

    @Test func `our monitors tell how Erlang's processes end`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let mailbox = try node.mailbox()
        let absent = try mailbox.monitor(.name("nobody", at: Self.erlang))
        #expect(try await mailbox.next() == .down(absent, reason: "noproc"))
        let byName = try mailbox.monitor(Self.echo)
        guard
            case .pid(let pid) = try await node.rpc(Self.erlang, "erlang", "whereis", ["echo"], timeout: Self.patience)
        else {
            throw Unexpected()
        }
        let byPID = try mailbox.monitor(.pid(pid))
        let withdrawn = try mailbox.monitor(.pid(pid))
        mailbox.demonitor(withdrawn)
        try mailbox.send("stop", to: .pid(pid))
        let ends = try await [mailbox.next(), mailbox.next()]
        #expect(ends.contains(.down(byName, reason: "stopped")))
        #expect(ends.contains(.down(byPID, reason: "stopped")))
        let late = try mailbox.monitor(.pid(pid))
        #expect(try await mailbox.next() == .down(late, reason: "noproc"))
        await node.stop()
    }

    @Test func `Erlang's monitors tell how our processes end`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let mailbox = try node.mailbox(named: "box")
        let monitor = "R1 = monitor(process, {box, 'g@127.0.0.1'}), R2 = monitor(process, {nobody, 'g@127.0.0.1'}), ok"
        #expect(try program.evaluate(monitor) == "ok")
        let down = "receive {'DOWN', R2, process, N2, noproc} -> N2 end"
        #expect(try program.evaluate(down) == "{nobody,'g@127.0.0.1'}")
        try mailbox.end(reason: .tuple("shutdown", 7))
        let end = "receive {'DOWN', R1, process, N1, E1} -> {N1, E1} end"
        #expect(try program.evaluate(end) == "{{box,'g@127.0.0.1'},{shutdown,7}}")
        #expect(try await mailbox.next() == nil)
        await node.stop()
    }

    @Test func `links end processes in both directions, and those that trap exits are told`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let trapping = try node.mailbox(named: "trapping", trapsExits: true)
        let other = try node.mailbox(named: "other")
        #expect(try program.evaluate("process_flag(trap_exit, true)") == "false")
        // Erlang links to ours, which ends.
        #expect(try program.evaluate("{other, 'g@127.0.0.1'} ! self(), ok") == "ok")
        guard case .message(.pid(let main), _) = try await other.next() else { throw Unexpected() }
        try other.link(to: main)
        try other.end(reason: "gone")
        #expect(try program.evaluate("receive {'EXIT', P, R} -> {node(P), R} end") == "{'g@127.0.0.1',gone}")
        // Ours links to Erlang's, which ends; and after an unlink nothing comes.
        let spawned = "Q = spawn(fun() -> receive E -> exit(E) end end), {trapping, 'g@127.0.0.1'} ! Q, ok"
        #expect(try program.evaluate(spawned) == "ok")
        guard case .message(.pid(let pid), _) = try await trapping.next() else { throw Unexpected() }
        try trapping.link(to: pid)
        trapping.unlink(from: pid)
        try trapping.link(to: pid)
        try trapping.send("boom", to: .pid(pid))
        #expect(try await trapping.next() == .exit(pid, reason: "boom"))
        // `noproc` for what is not there, and exit/2 from there.
        try trapping.link(to: pid)
        #expect(try await trapping.next() == .exit(pid, reason: "noproc"))
        let victim = try node.mailbox(named: "victim")
        let whereis = "receive Victim -> exit(Victim, normal), exit(Victim, kill), ok end"
        try victim.send(.pid(victim.pid), to: .pid(main))
        #expect(try program.evaluate(whereis) == "ok")
        await #expect(throws: ErlangNodeError.ended(reason: "killed")) { try await victim.next() }
        await node.stop()
    }

    // MARK: Groups

    @Test func `members of a pg group there and here know each other`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        let mailbox = try node.mailbox()
        let group = node.processGroup("scene")
        try group.join(mailbox)
        #expect(try program.evaluate("pg:join(scene, self())") == "ok")
        try await node.connect(to: Self.erlang)
        let members = try await group.members
        #expect(members.count == 2)
        #expect(members.first == mailbox.pid)
        // It answers after it has read what we sent before.
        _ = try await node.call(Self.server, 1, timeout: Self.patience)
        while try program.evaluate("length(pg:get_members(scene))") != "2" {}
        var changes = try group.changes.makeAsyncIterator()
        #expect(await changes.next()?.count == 2)
        #expect(try program.evaluate("pg:leave(scene, self())") == "ok")
        #expect(await changes.next() == [mailbox.pid])
        try mailbox.end()
        #expect(await changes.next() == [])
        while try program.evaluate("pg:get_members(scene)") != "[]" {}
        await node.stop()
    }

    @Test func `a group that is looked up later is asked for`() async throws {
        let program = try ErlangProgram()
        let node = try await Self.start(program.epmd)
        try await node.connect(to: Self.erlang)
        #expect(try await node.processGroup("first").members == [])
        #expect(try program.evaluate("pg:join(second, self()), pg:join({room, 7}, self()), ok") == "ok")
        // What it says before it answers was read before.
        _ = try await node.call(Self.server, 1, timeout: Self.patience)
        #expect(try await node.processGroup("second").members.count == 1)
        #expect(try await node.processGroup(.tuple("room", 7)).members.count == 1)
        await node.stop()
    }

    struct Unexpected: Error {}
}
