// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Synchronization
import Testing
import TestingSupport
import WirelineCodec
import WirelineTransport

@testable import Wireline

/// What visits many connections of a loop.
@Suite(.ahead)
struct SlicedBroadcastTests {
    @Test func `a broadcast sends to some receivers in each turn of the loop`() async throws {
        let pair = try await ConnectionPair.make()
        let loop = pair.server.stream.loop
        let visits = Mutex<[MonotonicTime: Int]>([:])
        let left = await Broadcast.send(
            to: Array(repeating: pair.server, count: 200), over: \.self
        ) { _ in
            visits.withLock { $0[loop.turnTime, default: 0] += 1 }
            return true
        }
        #expect(left.isEmpty)
        let counts = visits.withLock { $0.values.sorted() }
        #expect(counts.reduce(0, +) == 200)
        #expect(counts.allSatisfy { $0 <= 64 }, "\(counts)")
        pair.close()
    }

    @Test func `a drain without spread tells some clients in each turn of the loop`() async throws {
        let count = 60
        let turns = Seen<MonotonicTime>()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: .ofFewTests(), configuration: .patient
        ) { client in
            let connection = client.connection
            connection.whenEndIsKnown { [loop = connection.loop] in
                guard turns.count < count else { return }
                turns.add(loop.turnTime)
                // A client takes the loop half a millisecond.
                let end = MonotonicTime.now + .microseconds(500)
                while MonotonicTime.now < end {}
            }
            return { batch in while try batch.next() != nil {} }
        }
        let port = try #require(server.addresses.first?.port)
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<count {
            clients.append(try await PacketClient.connect(to: "127.0.0.1", port: port, protocol: SceneProtocol.self))
        }
        #expect(try await eventually { server.connections.count == count })
        async let end: Void = server.shutDown()
        let told = await turns.first(count)
        #expect(Set(told).count >= count / 10)
        for client in clients { client.close() }
        await end
    }
}
