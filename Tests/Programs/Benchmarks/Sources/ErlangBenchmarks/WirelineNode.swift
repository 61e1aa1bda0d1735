// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import ErlangLoad
internal import WirelineErlang

/// A node of ours in the place of an Erlang node: it sends, receives and calls as `erlang_peer.escript` does.
struct WirelineNode {
    private let node: ErlangNode
    private let box: ErlangMailbox

    private static let record = Sc_20001(
        res: 1, sceneID: 123_456, pos: 3, status: 4, type: 5, defaultCombat: 987_654_321, message: "ABCDEFGHIJKLMN")

    init(epmdPort: UInt16) async throws {
        var configuration = ErlangNodeConfiguration()
        configuration.portMapper = .epmd(host: "127.0.0.1", port: epmdPort)
        node = try await ErlangNode.start(
            "wireline@127.0.0.1", cookie: .text(ErlangCluster.cookie), configuration: configuration)
        box = try node.mailbox()
    }

    func stop() async { await node.stop() }

    /// Does what a line of the script says, and returns the same numbers.
    func run(_ scenario: Scenario, with peer: ErlangNodeName, count: Int) async throws -> [Double] {
        // On the node's own thread, as programs do that have much to say.
        try await Task(executorPreference: node.loop) {
            switch scenario {
            case .send: try await measured { try await send(count, to: peer) }
            case .receive: try await measured { try await receive(count, from: peer) }
            case .calls: try await call(peer, count: count)
            }
        }.value
    }

    private func measured(_ work: () async throws -> Void) async throws -> [Double] {
        let before = try processorNanoseconds()
        let start = ContinuousClock.now
        try await work()
        let elapsed = ContinuousClock.now - start
        return [elapsed.nanoseconds, try processorNanoseconds() - before]
    }

    private func send(_ count: Int, to peer: ErlangNodeName) async throws {
        let sink = ErlangDestination.name("sink", at: peer)
        try box.send(.tuple("start", .pid(box.pid), .integer(Int64(count))), to: sink)
        for _ in 0..<count { try await box.send(Self.record, to: sink, timeout: .seconds(60)) }
        guard case .message("counted", _) = try await box.next() else {
            throw ErlangFailure(description: "not all records have come")
        }
    }

    private func receive(_ count: Int, from peer: ErlangNodeName) async throws {
        try box.send(
            .tuple("flood", .pid(box.pid), .integer(Int64(count))), to: .name("source", at: peer))
        for _ in 0..<count {
            guard case .message(let term, _) = try await box.next(), let record = Sc_20001(term), record.res == 1
            else { throw ErlangFailure(description: "something else than a record has come") }
        }
    }

    private func call(_ peer: ErlangNodeName, count: Int) async throws -> [Double] {
        let server = ErlangDestination.name("server", at: peer)
        let before = try processorNanoseconds()
        var times: [Double] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            guard try await node.call(server, 7, timeout: .seconds(60)) == .tuple("ok", 7) else {
                throw ErlangFailure(description: "another reply has come")
            }
            times.append((ContinuousClock.now - start).nanoseconds)
        }
        times.sort()
        return [times[count / 2], times[min(count - 1, count * 99 / 100)], try processorNanoseconds() - before]
    }
}

extension Duration {
    fileprivate var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
