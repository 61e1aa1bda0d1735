// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang
import WirelineTransport

/// Two nodes of ours, without Erlang and without epmd.
@Suite(.ahead)
struct SwiftNodePairTests {
    /// How long calls may take that are answered: other tests keep the machine busy.
    private static let patience = Duration.seconds(100)

    /// A node that is connected to, and one that knows its port.
    private struct Pair {
        let server: ErlangNode
        let client: ErlangNode

        init(
            serverTickTime: Duration = .seconds(60), _ change: (inout ErlangNodeConfiguration) -> Void = { _ in }
        ) async throws {
            var configuration = ErlangNodeConfiguration()
            configuration.portMapper = .none
            change(&configuration)
            let clientTickTime = configuration.tickTime
            configuration.tickTime = serverTickTime
            server = try await ErlangNode.start(
                "server@127.0.0.1", cookie: .text("secret"), configuration: configuration)
            configuration.tickTime = clientTickTime
            configuration.nodePorts = [server.name: server.address.port]
            client = try await ErlangNode.start(
                "client@127.0.0.1", cookie: .text("secret"), configuration: configuration)
        }

        func stop() async {
            await client.stop()
            await server.stop()
        }
    }

    @Test func `nodes of ours call, monitor and find each other's groups`() async throws {
        let pair = try await Pair()
        let box = try pair.server.mailbox(named: "box")
        try pair.server.processGroup("scene").join(box)
        let answering = Task {
            while let event = try await box.next() {
                if case .call(let call) = event { try box.reply(.tuple("reply", call.request), to: call) }
            }
        }
        let destination = ErlangDestination.name("box", at: pair.server.name)
        #expect(try await pair.client.call(destination, 7, timeout: Self.patience) == .tuple("reply", 7))
        #expect(try await pair.client.processGroup("scene").members == [box.pid])
        #expect(try await pair.client.call(.pid(box.pid), "again", timeout: Self.patience) == .tuple("reply", "again"))
        let watcher = try pair.client.mailbox()
        let monitor = try watcher.monitor(.pid(box.pid))
        try watcher.exit(box.pid, reason: "enough")
        #expect(try await watcher.next() == .down(monitor, reason: "enough"))
        await #expect(throws: ErlangNodeError.ended(reason: "enough")) { try await answering.value }
        #expect(try await pair.client.processGroup("scene").members == [])
        await pair.stop()
    }

    @Test func `processes of one node talk without any connection`() async throws {
        let pair = try await Pair()
        let node = pair.client
        let (first, second) = (try node.mailbox(named: "first"), try node.mailbox(trapsExits: true))
        #expect(throws: ErlangNodeError.nameTaken("first")) { try node.mailbox(named: "first") }
        try second.send("hello", to: .name("first"))
        #expect(try await first.next() == .message("hello", from: second.pid))
        try second.link(to: first.pid)
        let monitor = try second.monitor(.name("first", at: node.name))
        try first.end(reason: "over")
        #expect(try await second.next() == .down(monitor, reason: "over"))
        #expect(try await second.next() == .exit(first.pid, reason: "over"))
        await #expect(throws: ErlangNodeError.down(reason: "noproc")) {
            try await node.call(.name("first"), 1, timeout: Self.patience)
        }
        #expect(node.nodes == [])
        await pair.stop()
    }

    @Test func `a mailbox that takes nothing is killed at its limit, and its node lives on`() async throws {
        let pair = try await Pair { $0.limits.mailboxEventCount = 3 }
        let slow = try pair.server.mailbox(named: "slow")
        let watcher = try pair.client.mailbox()
        let monitor = try watcher.monitor(.pid(slow.pid))
        for number in Int64(0)..<4 { try watcher.send(.integer(number), to: .pid(slow.pid)) }
        #expect(try await watcher.next() == .down(monitor, reason: "killed"))
        await #expect(throws: ErlangNodeError.ended(reason: "killed")) { try await slow.next() }
        #expect(pair.client.nodes == [pair.server.name])
        await pair.stop()
    }

    @Test func `what waits for a node is limited, and what cannot be written is refused`() async throws {
        let pair = try await Pair {
            $0.limits.pendingByteCount = 10_000
            $0.resolver = SilentResolver()
        }
        // Its host is never found, so what is sent must wait.
        let far = ErlangDestination.name("box", at: "far@host.example")
        #expect(throws: ErlangNodeError.busy(limit: 10_000)) {
            for _ in 0..<20 { try pair.client.send(.binary([UInt8](repeating: 0, count: 1_000)), to: far) }
        }
        await #expect(throws: ErlangNodeError.timedOut) {
            for _ in 0..<20 {
                try await pair.client.send(.binary([UInt8](repeating: 0, count: 1_000)), to: far, timeout: .zero)
            }
        }
        #expect(throws: ErlangNodeError.erlang(.unwritableTerm(.notFinite))) {
            try pair.client.send(.float(.nan), to: far)
        }
        #expect(throws: ErlangNodeError.invalidName("nowhere")) {
            let stranger = ErlangPID(node: "nowhere", id: 1, serial: 0, creation: 1)
            try pair.client.send(1, to: .pid(stranger))
        }
        await #expect(throws: ErlangNodeError.unreachable("nobody@127.0.0.1")) {
            try await pair.client.connect(to: "nobody@127.0.0.1")
        }
        await pair.stop()
    }

    /// A program that is behind as long as `isBusy` is true. It counts what its process receives.
    private final class BusyProgram: NodeProgram {
        let received = Lock(0)
        let isBusy = Lock(true)

        var isBehind: Bool { isBusy.withLock { $0 } }

        func didReceiveMessage(_ content: RawSpan, to pid: ErlangPID, from sender: ErlangPID?) {
            received.withLock { $0 += 1 }
        }
        func didReceiveEvent(_ pid: ErlangPID, _ event: ErlangEvent) {}
        func didReceiveExit(_ pid: ErlangPID, reason: ErlangTerm, isKill: Bool) {}
        func nodeUp(_ node: ErlangNodeName) {}
        func nodeDown(_ node: ErlangNodeName, _ error: ErlangNodeError) {}
        func groupChanged(_ change: ErlangGroupChange, scope: ErlangAtom) {}
        func nodeQueue(_ byteCount: Int, of node: ErlangNodeName) {}
        func actionsEnded() {}
    }

    @Test func `while the program is behind, nodes are not read, and live on`() async throws {
        // The client waits for long: other tests may keep the server from its ticks for seconds.
        let pair = try await Pair(serverTickTime: .seconds(5)) { $0.limits.pendingByteCount = 10_000 }
        let (program, server) = (BusyProgram(), pair.server)
        let service = try await server.loop.run { () throws(ErlangNodeError) in
            let pid = try server.withCore { core, _ throws(NodeFault) in try core.startServed() }
            server.serve(program)
            return pid
        }
        try await pair.client.connect(to: server.name)
        let term = ErlangTerm.binary([UInt8](repeating: 0, count: 5_000))
        var count = 0
        // So much fits into the buffers of both systems. It waits for longer than the client may be silent.
        await #expect(throws: ErlangNodeError.timedOut) {
            while count < 10_000 {
                try await pair.client.send(term, to: .pid(service), timeout: .seconds(10))
                count += 1
            }
        }
        // One read is the most that has come.
        #expect(program.received.withLock { $0 } <= 30)
        program.isBusy.withLock { $0 = false }
        await server.loop.run { server.resumeReading() }
        try await pair.client.send(term, to: .pid(service), timeout: Self.patience)
        count += 1
        while program.received.withLock({ $0 }) < count, pair.client.nodes == [server.name] { await Task.yield() }
        #expect(program.received.withLock { $0 } == count)
        await pair.stop()
        withExtendedLifetime(program) {}
    }

    @Test func `a sender that waits for room loses nothing`() async throws {
        let pair = try await Pair { $0.limits.pendingByteCount = 10_000 }
        let (box, sender) = (try pair.server.mailbox(named: "box"), try pair.client.mailbox())
        let destination = ErlangDestination.name("box", at: pair.server.name)
        let sending = Task {
            for number in Int64(0)..<500 {
                let message = ErlangTerm.tuple(.integer(number), .binary([UInt8](repeating: 0, count: 2_000)))
                if number % 2 == 0 {
                    try await sender.send(message, to: destination, timeout: Self.patience)
                } else {
                    try await pair.client.send(message, to: destination, timeout: Self.patience)
                }
            }
        }
        for number in Int64(0)..<500 {
            guard case .message(.tuple(let parts), _) = try await box.next() else {
                Issue.record("no message \(number)")
                break
            }
            try #require(parts[0] == .integer(number))
        }
        try await sending.value
        await pair.stop()
    }

    @Test func `one task receives at a time, and its wait ends when it is cancelled`() async throws {
        let pair = try await Pair()
        let box = try pair.client.mailbox()
        let waiting = Task { try await box.next() }
        waiting.cancel()
        await #expect(throws: ErlangNodeError.cancelled) { try await waiting.value }
        let call = Task { try await pair.client.call(.pid(box.pid), 1, timeout: .seconds(1_000)) }
        guard case .call = try await box.next() else {
            Issue.record("no call")
            return
        }
        call.cancel()
        await #expect(throws: ErlangNodeError.cancelled) { try await call.value }
        await pair.stop()
        #expect(try await box.next() == nil)
        #expect(throws: ErlangNodeError.stopped) { try pair.client.mailbox() }
    }

    @Test func `a process ends when the program keeps its mailbox no longer`() async throws {
        let pair = try await Pair()
        let watcher = try pair.client.mailbox()
        var box: ErlangMailbox? = try pair.client.mailbox(named: "box")
        let monitor = try watcher.monitor(.pid(try #require(box?.pid)))
        box = nil
        #expect(try await watcher.next() == .down(monitor, reason: "normal"))
        _ = try pair.client.mailbox(named: "box")
        await pair.stop()
    }

    @Test(arguments: ["", "tool", "@host", "a@b@c", "tool@"])
    func `a name that is none is refused`(name: String) async throws {
        await #expect(throws: ErlangNodeError.invalidName(name)) {
            try await ErlangNode.start(name, cookie: .text("secret"))
        }
    }
}

/// A resolver that does not answer until its task is cancelled.
private struct SilentResolver: HostResolver {
    func addresses(of host: String, _ family: AddressFamily) async throws(TransportError) -> ResolvedAddresses {
        let (answers, feed) = AsyncStream<Void>.makeStream()
        for await _ in answers {}
        feed.finish()
        throw .cancelled
    }
}
