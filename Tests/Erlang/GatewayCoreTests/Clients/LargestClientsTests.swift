// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway

/// The clients that are closed when memory is short.
struct LargestClientsTests {
    @Test func `of many clients the largest are found, with few looks at all of them`() {
        let bench = GatewayBench()
        let owner = GatewayBench.process(1)
        var clients = (0..<1_000).map { _ in bench.open(ownedBy: owner) }
        var largest = LargestClients()
        var random = SeededGenerator.forThisRun()
        func grow(_ client: ErlangPID) {
            let text = String(repeating: "a", count: Int.random(in: 1...500, using: &random))
            _ = bench.send(GatewayBench.said(text), to: client, from: owner)
            if let client = bench.client(client) { largest.note(client) }
        }
        for client in clients { grow(client) }
        var gone: Set<ErlangPID> = []
        var lookCount = 0
        while gone.count < 700 {
            grow(clients[Int.random(in: clients.indices, using: &random)])
            let held = clients.compactMap { bench.client($0)?.heldByteCount }
            let chosen = largest.choose(
                freeing: 1,
                all: {
                    lookCount += 1
                    return clients.compactMap { bench.client($0) }
                })
            #expect(chosen.map(\.heldByteCount) == [held.max()])
            guard let first = chosen.first else { return }
            largest.forget(first)
            gone.insert(first.pid)
            clients.removeAll { $0 == first.pid }
        }
        #expect(lookCount <= 700 / 64 + 1)
    }

    @Test func `a client that was found and has ended since is not kept`() throws {
        let bench = GatewayBench()
        let owner = GatewayBench.process(1)
        let pid = bench.open(ownedBy: owner)
        _ = bench.send(GatewayBench.said("abc"), to: pid, from: owner)
        let client = try #require(bench.client(pid))
        var largest = LargestClients()
        #expect(largest.choose(freeing: 1, all: { [client] }).map(\.pid) == [pid])
        // It has grown since, and ends.
        largest.note(client)
        largest.forget(client)
        #expect(largest.choose(freeing: 1, all: { [] }).isEmpty)
    }
}
